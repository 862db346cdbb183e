"""What in a store can be erased, what derives from it and what is structure: every column of every table.

A store that gains a table or a column without a line here fails its tests, so nothing that holds what was said can be
added without saying how it goes.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Kind(StrEnum):
    """What a column holds."""

    CONTENT = "content"
    """What was said, or an opening of a commitment to it. Deleted with the claim, or set to NULL with its line."""

    DERIVED = "derived"
    """Computed from content or from effects. Deleted with the claim, and rebuilt from what is left."""

    IDENTITY = "identity"
    """A keyed hash of content. Deleted or blanked with the claim; that of a key outlives it, so that the line can
    answer "erased"."""

    STRUCTURE = "structure"
    """A random id, an integer, an instant, a word of a closed vocabulary, a commitment. Stays."""

    SECRET = "secret"
    """Key material. Goes with the namespace."""

    CONFIGURATION = "configuration"
    """What an operator laid down. Changed by whoever laid it down."""


def _all(kind: Kind, names: str) -> dict[str, Kind]:
    return dict.fromkeys(names.split(), kind)


_C, _D, _I, _S = Kind.CONTENT, Kind.DERIVED, Kind.IDENTITY, Kind.STRUCTURE

DECLARED: Final[Mapping[str, Mapping[str, Kind]]] = {
    "namespaces": {
        **_all(Kind.CONFIGURATION, "name alias"),
        "pepper": Kind.SECRET,
        **_all(_S, "id size last_at frontier policy_version claims notes lines items open_items erased indexed used"),
    },
    "scopes": {"text": _C, "mac": _I, **_all(_S, "id ns"), **_all(_D, "documents terms removals")},
    "lines": {
        **_all(_C, "subject predicate display label"),
        **_all(_I, "mac look"),
        **_all(_D, "values_n repeated longest_known longest_valid version ever_vouched critical"),
        **_all(_S, "id ns uuid scope note cardinality settled erased_at cardinalities"),
    },
    "entries": _all(_S, "id uuid type line at rank disposition leaf step_until undoes decision nodes"),
    "claims": {
        **_all(_C, "salt text value_text author session source_text about tags meta reason"),
        **_all(_I, "value source lookalike support writer"),
        **_all(
            _S,
            "id uuid line rank recorded_at vstart vend explicit_start explicit_end start_until end_from expires_at"
            " confidence trusted_start channel effective kind criticality standing beside_until withdrawn withdrawn_at"
            " ended_from ended_at start_granularity end_granularity timing_uncertain valid_confidence priority"
            " text_is_value parents depth exception_to amended gained ranks earlier",
        ),
    },
    "links": _all(_S, "parent child"),
    "effects": _all(_S, "line entry n claim gain vstart vend cause possible"),
    "spread": _all(_S, "entry line"),
    "stretches": _all(_D, "line tx_to vend vstart claim tx_from possible"),
    "guards": {
        **_all(_I, "value source"),
        **_all(_D, "line vstart entry cause vend rank taker_start"),
    },
    "supporters": {"identity": _I, **_all(_S, "claim first_at")},
    "confirmations": _all(_S, "claim at"),
    "items": {
        "closed_by": _C,
        **_all(_I, "value lookalike author"),
        **_all(_S, "id ns uuid line kind claim opened_at count closed_at closed_as ticket leased_until shut"),
    },
    "policies": {**_all(Kind.CONFIGURATION, "pattern body reason salt"), **_all(_S, "entry at")},
    "reasons": {**_all(_C, "text salt"), "entry": _S},
    "requests": {"outcome": _C, **_all(_I, "mac request"), **_all(_S, "id line")},
    "amendments": {**_all(_C, "text meta reason salt"), **_all(_S, "entry claim at")},
    "erased": _all(_S, "entry at"),
    "lexical": {"terms": _D, **_all(_S, "id part")},
    "lexical_fts": {"terms": _D, "lexical_fts": _S, "rank": _S},
    "lexical_fts_data": {"block": _D, "id": _S},
    "lexical_fts_idx": {"term": _D, **_all(_S, "segid pgno")},
    "lexical_fts_config": _all(_S, "k v"),
    "lexical_view": {"id": _S, "terms": _D},
    "uses": {**_all(_D, "strength at"), "id": _S},
    "vectors": {**_all(_D, "scale vector"), **_all(_S, "id part seq generation")},
    "vector_gaps": _all(_S, "id tried"),
    "vector_spaces": {
        **_all(Kind.CONFIGURATION, "model dimension probe"),
        **_all(_S, "ns generation upto last held removals"),
    },
}
"""Kind of every column, by table."""


def columns(*kinds: Kind) -> dict[str, list[str]]:
    """Return the columns of some kinds, by table.

    Example:
        >>> columns(Kind.SECRET)
        {'namespaces': ['pepper']}
    """
    found = {table: [name for name, kind in row.items() if kind in kinds] for table, row in DECLARED.items()}
    return {table: names for table, names in found.items() if names}
