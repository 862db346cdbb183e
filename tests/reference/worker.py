"""Another process with a memory of its own on a store: it makes the calls that it is sent, one JSON line each.

Run as ``python worker.py '{"path": …, "busy_seconds": …}'``; with ``"mapped": true`` it maps the file, however small it
is. A call is ``{"do": "believe", "args": [], "with": {},
"scope": {}}``; the answer is ``{"is": …}`` or ``{"raised": "ConflictError"}``.
"""

from __future__ import annotations

import json
import sys
import traceback
from typing import Any

from muniment import Memory, MunimentError
from muniment.store.sqlite import connection
from muniment.verbs.plain import plain


def answered(memory: Memory, call: dict[str, Any]) -> dict[str, Any]:
    handle = memory.scoped(**call["scope"]) if call.get("scope") else memory
    try:
        return {"is": plain(getattr(handle, call["do"])(*call["args"], **call["with"]))}
    except MunimentError as error:
        return {"raised": type(error).__name__}
    except Exception:
        return {"raised": traceback.format_exc()}


def main() -> None:
    given = json.loads(sys.argv[1])
    if given.pop("mapped", False):
        connection.MAPPED_FROM = 0  # type: ignore[misc]
    with Memory(**given) as memory:
        print(json.dumps("ready"), flush=True)
        for line in sys.stdin:
            print(json.dumps(answered(memory, json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
