"""Heads that were kept outside the store: what they show that the store alone cannot."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from muniment import Memory, ValidationError


def said(memory: Memory, *texts: str) -> None:
    for text in texts:
        memory.remember(text)


def test_a_head_that_was_kept_still_stands_after_more_was_said(memory: Memory) -> None:
    said(memory, "one", "two")
    kept = memory.log.verify().head
    assert memory.log.verify(kept=[kept]).pinned
    said(memory, "three")
    report = memory.log.verify(kept=[kept])
    assert report.ok and not report.pinned
    assert any("the head that was kept (" in limit for limit in report.limits)


def test_an_older_copy_in_the_place_of_the_store_shows(tmp_path: Path) -> None:
    path, older = tmp_path / "m.muniment", tmp_path / "older"
    with Memory(path) as memory:
        said(memory, "one")
    shutil.copy(path, older)
    with Memory(path) as memory:
        said(memory, "two")
        kept = memory.log.verify().head
    shutil.copy(older, path)
    for beside in ("-wal", "-shm"):
        Path(f"{path}{beside}").unlink(missing_ok=True)
    with Memory(path) as memory:
        assert memory.log.verify().ok  # the control: the store alone cannot know
        report = memory.log.verify(kept=[kept])
    assert not report.ok and set(report.counts) == {"rolled_back"}


def test_another_log_of_the_same_size_shows(memory: Memory) -> None:
    said(memory, "one")
    kept = memory.log.verify().head
    with Memory(":memory:") as other:
        said(other, "two")
        assert other.log.verify().size == memory.log.verify().size
        assert not other.log.verify(kept=[kept]).ok


def test_what_is_no_head_is_refused(memory: Memory) -> None:
    with pytest.raises(ValidationError, match="SIZE:ROOT"):
        memory.log.verify(kept=["12"])


def test_a_head_that_does_not_fit_is_told_as_one_that_was_given(memory: Memory) -> None:
    said(memory, "one", "two")
    size, _, root = memory.log.verify().head.partition(":")
    digit = "0" if root[-1] != "0" else "1"
    for kept, told in {
        f"{size}:{root[:-1]}{digit}": f"The head you kept ({size}:{root[:8]}…) is not in this log",
        f"2:{root}": f"The head you kept (2:{root[:8]}…) is not in this log",
        f"9999:{root}": f"This log is shorter than the head you gave (9999:{root[:8]}…): it has {size} entries.",
    }.items():
        report = memory.log.verify(kept=[kept])
        assert not report.ok and not report.pinned
        assert any(limit.startswith(told) for limit in report.limits), str(report)
        assert not any("was given:" in limit for limit in report.limits), str(report)


def test_of_two_heads_of_one_size_neither_hides_the_other(memory: Memory) -> None:
    said(memory, "one")
    right = memory.log.verify().head
    wrong = f"{right.partition(':')[0]}:{'0' * 64}"
    assert not memory.log.verify(kept=[wrong, right]).ok and not memory.log.verify(kept=[right, wrong]).ok


def test_whoever_reads_data_finds_the_head_whole(memory: Memory) -> None:
    said(memory, "one")
    report = memory.log.verify()
    assert report.to_dict()["head"] == report.head == memory.stats()["head"] == f"{report.size}:{report.root}"
    assert memory.log.verify(kept=[memory.stats()["head"]]).pinned
