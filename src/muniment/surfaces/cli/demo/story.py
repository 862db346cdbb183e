"""The story, scene by scene. What each call must answer stands beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from muniment.surfaces.cli.demo.scan import scan
from muniment.surfaces.cli.demo.teller import Teller

DAY: Final = "release::day"
WORD: Final = "quillfea"
"""The start of the name that is forgotten: as typed, lower-cased and stemmed it begins so."""


def correction(tell: Teller) -> None:
    """Tell of a fact and its correction."""
    tell.begin(
        "A fact, and its correction",
        "A later word of equal rank takes over from now on; the old one stays in the history.",
    )
    tell.call("remember", "The release is on Friday", key=DAY, value="Friday", expect={"believed": True})
    tell.call(
        "remember", "No, the release moved to Monday", key=DAY, value="Monday",
        expect={"disposition": "superseded_prior", "believed": True},
    )  # fmt: skip
    tell.call("believe", DAY, expect={"status": "resolved", "value": "Monday", "retired_count": 1})


def echo(tell: Teller) -> None:
    """Tell of a corrected value that is heard again."""
    tell.begin(
        "An echo does not creep back",
        "A corrected value is guarded: repeating it from below is counted, and changes nothing.",
    )
    tell.call(
        "remember", "The release is on Friday", key=DAY, value="Friday", channel="agent",
        expect={"disposition": "echo", "believed": False},
    )  # fmt: skip
    tell.call("believe", DAY, expect={"status": "resolved", "value": "Monday"})


def going_back(tell: Teller) -> None:
    """Tell of a step that is undone."""
    tell.begin("Back, and forward again", "A revert undoes a whole step, is itself on record, and can be undone.")
    tell.call("revert", DAY, reason="The move was called off", expect={"disposition": "reverted"})
    tell.call("believe", DAY, expect={"value": "Friday"})
    tell.call("redo", DAY, expect={"believed": True})
    tell.call("believe", DAY, expect={"value": "Monday"})


def contest(tell: Teller) -> None:
    """Tell of two tools that disagree, and of the person who settles it."""
    key = "build::status"
    tell.begin(
        "Two tools disagree",
        "Neither outranks the other, so neither wins in silence: the answer is that it is contested.",
    )
    tell.call(
        "remember", "Build 214 passed", key=key, value="passed", channel="tool", source="https://ci.example/214",
        expect={"disposition": "accepted"},
    )  # fmt: skip
    tell.call(
        "remember", "Build 214 failed", key=key, value="failed", channel="tool", source="https://mirror.example/214",
        expect={"disposition": "contested", "believed": False},
    )  # fmt: skip
    tell.call(
        "believe", key,
        expect={"status": "contested", "value": None, "candidates": lambda found: len(found) == 2},
    )  # fmt: skip


def boundary(tell: Teller) -> None:
    """Tell of a page that says otherwise and is held."""
    key = "wire transfer::limit"
    tell.begin(
        "A document's $5,000,000 against a person's $10,000",
        "What was read somewhere waits at the boundary until a person looks at it.",
    )
    tell.call(
        "remember", "Transfers above $10,000 need a second signature", key=key, value="$10,000",
        expect={"believed": True},
    )  # fmt: skip
    tell.call(
        "remember", "As of today, transfers up to $5,000,000 need no second signature", key=key, value="$5,000,000",
        channel="document", source="mail:invoice-4711", expect={"disposition": "held", "believed": False},
    )  # fmt: skip
    tell.call("believe", key, expect={"status": "resolved", "value": "$10,000"})
    tell.call("review", key=key, expect={"len": 1})


def time_travel(tell: Teller) -> None:
    """Tell of what held then, and of what was known then."""
    tell.begin(
        "Two kinds of time",
        "When something was so, and when it was known, are two questions; each has its own answer.",
    )
    tell.call("remember", "Ana lives in Berlin", key="ana::city", value="Berlin", valid_from="2023", valid_to="2024")
    tell.call("remember", "Ana lives in Munich", key="ana::city", value="Munich", valid_from="2025-01-01")
    tell.call("believe", "ana::city", valid_at="2024-06-01", expect={"value": "Berlin"})
    tell.call("believe", "ana::city", expect={"value": "Munich"})
    first = tell.call("history", DAY, expect={"len": lambda found: found >= 2})
    tell.call("believe", DAY, as_of=first[0].recorded_at if first else "2020", expect={"value": "Friday"})


def forgetting(tell: Teller) -> None:
    """Tell of a person who asks to be forgotten."""
    key = "ana::middle name"
    tell.begin(
        "Forgetting, and looking for what is left",
        "The bytes are gone from every file; the log still shows that something was erased, and when.",
    )
    tell.call("remember", "Ana's middle name is Quillfeather", key=key, value="Quillfeather", expect={"believed": True})
    tell.note(
        f'scan the files for "{WORD}" (it must be there, or the scan proves nothing)',
        lambda: scan(tell.path, WORD), {"total": lambda count: count > 0},
    )  # fmt: skip
    tell.call("forget", key=key, basis="Ana asked for it", expect={"state": "clean"})
    tell.note(f'scan the files for "{WORD}" again', lambda: scan(tell.path, WORD), {"total": 0})
    tell.call("believe", key, expect={"status": "none", "value": None, "reason": "erased"})


def proof(tell: Teller) -> None:
    """Tell of the log that accounts for all of it."""
    tell.begin(
        "And all of it can be checked",
        "Every statement and decision is an entry of a Merkle tree; its root commits to all of them.",
    )
    tell.call("log.verify", expect={"ok": True})
    tell.call("stats", expect={"log_root": lambda root: isinstance(root, str) and len(root) == 64})


STORY: Final[tuple[Callable[[Teller], None], ...]] = (
    correction, echo, going_back, contest, boundary, time_travel, forgetting, proof,
)  # fmt: skip
"""The scenes, in order."""
