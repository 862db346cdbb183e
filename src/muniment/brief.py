"""Whether this process is over in a moment, as that of a hook is: then what it loads is most of what it takes.

The program's entry says so before anything else is loaded. Two modules ask: :mod:`muniment.jsontext` and
:mod:`muniment.hashing` have a compiled library each that is quick once it is there, and slow to come. Neither answers
otherwise in the one case than in the other.
"""

from __future__ import annotations

process = False
"""True in a process that was begun for one short errand."""


def begin() -> None:
    """Say that this process is over in a moment. It is said before any other module of Muniment is loaded."""
    global process
    process = True
