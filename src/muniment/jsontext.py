"""JSON as Muniment writes and reads it: orjson, and where a process is over in a moment, :mod:`muniment.lightjson`.

Loading orjson takes a tenth of what a hook takes: for the types it knows it loads ``dataclasses``, ``inspect``, ``ast``
and ``uuid``. The names here are its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from muniment import brief

if TYPE_CHECKING or not brief.process:
    from orjson import OPT_SORT_KEYS, OPT_STRICT_INTEGER, JSONDecodeError, dumps, loads
else:
    from muniment.lightjson import OPT_SORT_KEYS, OPT_STRICT_INTEGER, JSONDecodeError, dumps, loads

__all__ = ["OPT_SORT_KEYS", "OPT_STRICT_INTEGER", "JSONDecodeError", "dumps", "loads"]
