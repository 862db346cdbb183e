"""What goes wrong with a model. It never stops a write or a recall: both go on without it and say so."""

from __future__ import annotations

from typing import Any

from muniment.errors import CapabilityError


class EmbedderError(CapabilityError):
    """The embedder did not do what it was asked.

    Args:
        message: What is wrong, without a word of what was embedded, and without a key.
        advice: What the operator can do.
        down: It would fail for any text; asking it about other ones is of no use now.
    """

    def __init__(self, message: str, *, advice: str = "", down: bool = True, **details: Any) -> None:
        super().__init__(message, advice=advice, **details)
        self.down = down

    def again(self) -> EmbedderError:
        """Return the same error for somebody else: each caller gets one of their own."""
        return EmbedderError(self.message, advice=self.advice, down=self.down, **self.details)


def not_installed(package: str, extra: str) -> CapabilityError:
    """Return the error of an optional package that is not there.

    Args:
        package: What is missing.
        extra: The extra of Muniment that brings it, or empty if none does.
    """
    name = f"muniment[{extra}]" if extra else package
    return CapabilityError(f"The package {package} is not installed.", advice=f"pip install '{name}'")
