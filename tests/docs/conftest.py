"""The pages run the program in places of their own."""

from surfaces.conftest import inside, places

__all__ = ["inside", "places"]
