"""Write everything that is derived from the registry of operations: run it after an operation was added or changed.

``PYTHONPATH=src python tools/generate.py``
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOOLS = ("make_async.py", "make_reference.py", "make_pictures.py", "make_mcp.py")


def main(arguments: list[str]) -> int:
    """Run each tool; return 1 if one of them does."""
    worst = 0
    for name in TOOLS:
        if (HERE / name).exists():
            worst = max(worst, runpy.run_path(str(HERE / name))["main"](arguments))
    return worst


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent / "src"))
    sys.exit(main(sys.argv[1:]))
