"""What a script is tested with: a few texts, queries that must find each, and queries that must find nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Corpus:
    """Texts of one script or kind.

    Args:
        name: Of the script or kind.
        found: For each text, queries whose first hit it must be.
        missed: Queries that no text answers. Each shares no word, nor a piece of one, with any of the texts.
    """

    name: str
    found: Mapping[str, Sequence[str]]
    missed: Sequence[str]
