"""The command line as a process of its own, at a terminal, or inside this one: as in the tests of the surfaces."""

from surfaces.conftest import inside, muniment, operator, places, terminal

__all__ = ["inside", "muniment", "operator", "places", "terminal"]
