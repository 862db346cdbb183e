"""Verifying: entries per second, the tree alone and in full. Bars: >= 50,000 and >= 8,000."""

from __future__ import annotations

import time
from typing import Any

from common import Bar, arguments, fill, report, resident_mb, workplace
from muniment import Memory

if __name__ == "__main__":
    options = arguments(__doc__ or "")
    with workplace(options.folder) as place:
        found: dict[str, Any] = {}
        verdicts: list[Bar] = []
        for claims in options.sizes:
            path = place / f"store-{claims}.muniment"
            fill(path, claims)
            with Memory(path) as memory:
                figures: dict[str, Any] = {}
                for name, full in (("tree", False), ("full", True)):
                    start = time.perf_counter()
                    outcome = memory.log.verify(full=full)
                    seconds = time.perf_counter() - start
                    figures[f"{name}_entries_per_second"] = round(outcome.size / seconds)
                    figures[f"{name}_ok"] = outcome.ok
                figures["peak_mb"] = resident_mb()
                found[f"verify at {claims:,}"] = figures
                verdicts += [
                    Bar(f"{name} at {claims:,}, entries/s", figures[f"{name}_entries_per_second"], least)
                    for name, least in (("tree", 50_000), ("full", 8_000))
                ]
        report(found, options, verdicts)
