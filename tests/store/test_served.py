"""The served set: what a session was shown in the last day, shared by every process of a store."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from muniment.store.served import COMPACT, RECORD, ServedSet

HOUR = 3_600_000_000
SESSION, OTHER = b"session1" * 2, b"session2" * 2


def item(n: int) -> bytes:
    return n.to_bytes(16, "big")


@pytest.fixture(params=["ram", "file"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    return tmp_path / "store.db.served" if request.param == "file" else None


def test_what_was_served_counts_for_a_day_and_for_its_session_only(path: Path | None) -> None:
    served = ServedSet(path)
    served.add(SESSION, item(1), HOUR)
    assert served.was_served(SESSION, item(1), HOUR)
    assert served.was_served(SESSION, item(1), 24 * HOUR)
    assert not served.was_served(SESSION, item(1), 25 * HOUR)
    assert not served.was_served(OTHER, item(1), HOUR)
    assert not served.was_served(SESSION, item(2), HOUR)
    served.close()


def test_serving_again_renews_the_day(path: Path | None) -> None:
    served = ServedSet(path)
    served.add(SESSION, item(1), 0)
    served.add(SESSION, item(1), 20 * HOUR)
    assert served.was_served(SESSION, item(1), 43 * HOUR)
    served.close()


def test_within_an_hour_nothing_is_written_twice(tmp_path: Path) -> None:
    file = tmp_path / "x.served"
    served = ServedSet(file)
    for minute in range(60):
        served.add(SESSION, item(1), minute * HOUR // 60)
    assert file.stat().st_size == RECORD
    served.add(SESSION, item(1), HOUR)
    assert file.stat().st_size == 2 * RECORD
    served.close()


def test_another_handle_sees_what_was_served_before_and_since_it_was_opened(tmp_path: Path) -> None:
    one = ServedSet(tmp_path / "x.served")
    one.add(SESSION, item(1), HOUR)
    two = ServedSet(tmp_path / "x.served")
    assert two.was_served(SESSION, item(1), HOUR)
    one.add(SESSION, item(2), HOUR)
    assert two.was_served(SESSION, item(2), HOUR)
    two.add(SESSION, item(3), HOUR)
    assert one.was_served(SESSION, item(3), HOUR)
    one.close()
    two.close()


def test_what_is_dropped_is_forgotten_in_memory_and_in_the_file(path: Path | None) -> None:
    served = ServedSet(path)
    for n in range(10):
        served.add(SESSION, item(n), HOUR)
        served.add(OTHER, item(n), HOUR)
    served.drop(frozenset({item(3), item(7)}))
    served.drop(frozenset())
    assert [n for n in range(10) if not served.was_served(SESSION, item(n), HOUR)] == [3, 7]
    assert not served.was_served(OTHER, item(7), HOUR)
    if path is not None:
        assert item(3) not in path.read_bytes()
        assert item(4) in path.read_bytes()
        again = ServedSet(path)
        assert [n for n in range(10) if not again.was_served(SESSION, item(n), HOUR)] == [3, 7]
        again.close()
    served.close()


def test_torn_records_and_rubbish_are_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "x.served"
    served = ServedSet(file)
    for n in range(5):
        served.add(SESSION, item(n), HOUR)
    served.close()
    data = file.read_bytes()
    file.write_bytes(
        b"rubbish" + data[: 2 * RECORD] + data[2 * RECORD : 2 * RECORD + 11] + data[3 * RECORD :] + b"\x01" * 9
    )
    again = ServedSet(file)
    assert [n for n in range(5) if again.was_served(SESSION, item(n), HOUR)] == [0, 1, 3, 4]
    again.add(SESSION, item(9), HOUR)
    third = ServedSet(file)
    assert third.was_served(SESSION, item(9), HOUR)
    again.close()
    third.close()


def test_random_bytes_serve_nothing_and_harm_nothing(tmp_path: Path) -> None:
    file = tmp_path / "x.served"
    file.write_bytes(random.Random(3).randbytes(100_000))
    served = ServedSet(file)
    assert not served.was_served(SESSION, item(1), HOUR)
    served.add(SESSION, item(1), HOUR)
    assert ServedSet(file).was_served(SESSION, item(1), HOUR)
    served.close()


def test_a_file_that_vanishes_is_made_again(tmp_path: Path) -> None:
    file = tmp_path / "x.served"
    served = ServedSet(file)
    served.add(SESSION, item(1), HOUR)
    file.unlink()
    assert served.was_served(SESSION, item(1), HOUR)
    served.add(SESSION, item(2), HOUR)
    assert ServedSet(file).was_served(SESSION, item(2), HOUR)
    served.close()


def test_a_place_that_cannot_be_written_keeps_it_in_memory(tmp_path: Path) -> None:
    (tmp_path / "folder.served").mkdir()
    served = ServedSet(tmp_path / "folder.served")
    served.add(SESSION, item(1), HOUR)
    assert served.was_served(SESSION, item(1), HOUR)
    served.drop(frozenset({item(1)}))
    assert not served.was_served(SESSION, item(1), HOUR)
    served.close()


def test_the_file_is_rewritten_when_it_grows_and_loses_nothing_of_the_last_day(tmp_path: Path) -> None:
    file = tmp_path / "x.served"
    served, beside = ServedSet(file), ServedSet(file)
    count = COMPACT // RECORD
    for n in range(count):
        served.add(SESSION, item(n), n * 48 * HOUR // count)
    assert file.stat().st_size <= COMPACT
    served.add(SESSION, item(count), 48 * HOUR)
    assert file.stat().st_size < COMPACT * 0.6
    beside.add(SESSION, item(count + 1), 48 * HOUR)
    for handle in (served, beside, ServedSet(file)):
        assert handle.was_served(SESSION, item(count - 1), 48 * HOUR)
        assert handle.was_served(SESSION, item(count + 1), 48 * HOUR)
        assert not handle.was_served(SESSION, item(1), 48 * HOUR)
    served.close()
    beside.close()


def test_in_memory_it_is_bounded_too() -> None:
    served = ServedSet(None)
    for n in range(COMPACT // RECORD * 3):
        served.add(SESSION, item(n), n * 100 * HOUR // (COMPACT // RECORD))
    assert len(served._seen) <= COMPACT // RECORD + 1


_SERVE = """
import sys
from pathlib import Path
from muniment.store.served import ServedSet
served = ServedSet(Path(sys.argv[1]))
for n in range(2000):
    served.add(b"session1" * 2, (int(sys.argv[2]) * 10_000 + n).to_bytes(16, "big"), 3_600_000_000)
"""


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    file = tmp_path / "x.served"
    jobs = [subprocess.Popen([sys.executable, "-c", _SERVE, str(file), str(n)], env=_env()) for n in range(2)]
    assert [job.wait(60) for job in jobs] == [0, 0]
    served = ServedSet(file)
    assert all(served.was_served(SESSION, item(p * 10_000 + n), HOUR) for p in range(2) for n in range(2000))
    served.close()


def test_noting_and_asking_read_nothing_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served = ServedSet(tmp_path / "x.served")
    served.add(SESSION, item(0), HOUR)
    read: list[int] = []
    usual = os.read
    monkeypatch.setattr(os, "read", lambda file, size: (read.append(size), usual(file, size))[1])
    for n in range(100):
        served.add(SESSION, item(n), HOUR)
        served.was_served(SESSION, item(n), HOUR)
    assert read == []
    (other := ServedSet(tmp_path / "x.served")).add(SESSION, item(100), HOUR)
    assert served.was_served(SESSION, item(100), HOUR)
    assert read == [RECORD], "and of what others wrote no more than that"
    served.close()
    other.close()


def _env() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}


def test_where_most_of_a_long_file_still_counts_it_is_not_rewritten_for_every_record(tmp_path: Path) -> None:
    file = tmp_path / "x.served"
    served = ServedSet(file)
    count = COMPACT // RECORD
    inodes = set()
    for n in range(count + count // 2):  # all within a day
        served.add(SESSION, item(n), HOUR + n)
        if n % 64 == 0:
            inodes.add(file.stat().st_ino)
    inodes.add(file.stat().st_ino)
    assert len(inodes) <= 3
    again = ServedSet(file)
    assert all(again.was_served(SESSION, item(n), HOUR) for n in (0, count, count + count // 2 - 1))
    served.close()
    again.close()


def test_what_another_process_rewrote_is_followed_by_the_next_record(tmp_path: Path) -> None:
    file = tmp_path / "x.served"
    one, two = ServedSet(file), ServedSet(file)
    one.add(SESSION, item(1), HOUR)
    two.add(SESSION, item(2), HOUR)
    two.was_served(SESSION, item(1), HOUR)
    two._compact(HOUR // 1_000_000)
    one.add(SESSION, item(3), HOUR)
    assert two.was_served(SESSION, item(3), HOUR)
    assert all(ServedSet(file).was_served(SESSION, item(n), HOUR) for n in (1, 2, 3))
    one.close()
    two.close()


def test_what_another_process_dropped_does_not_come_back_when_the_file_is_rewritten(tmp_path: Path) -> None:
    file = tmp_path / "x.served"
    one, two = ServedSet(file), ServedSet(file)
    for n in range(4):
        one.add(SESSION, item(n), HOUR)
    two.drop(frozenset({item(1)}))
    one._compact(HOUR // 1_000_000)
    assert item(1) not in file.read_bytes()
    assert [n for n in range(4) if not one.was_served(SESSION, item(n), HOUR)] == [1]
    one.close()
    two.close()


@pytest.mark.parametrize("moment", ["stat", "replace"])
def test_what_is_dropped_or_added_while_the_file_is_rewritten_counts(
    moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "x.served"
    one, two = ServedSet(file), ServedSet(file)
    for n in range(4):
        one.add(SESSION, item(n), HOUR)
    usual = getattr(os, moment)

    def meanwhile(*given: Any) -> Any:
        monkeypatch.setattr(os, moment, usual)
        two.drop(frozenset({item(1)}))
        two.add(SESSION, item(4), HOUR)
        return usual(*given)

    monkeypatch.setattr(os, moment, meanwhile)
    one._compact(HOUR // 1_000_000)
    assert item(1) not in file.read_bytes()
    for handle in (one, two, ServedSet(file)):
        assert [n for n in range(5) if not handle.was_served(SESSION, item(n), HOUR)] == [1]
    one.close()
    two.close()


def test_what_is_dropped_goes_from_the_file_that_another_process_puts_in_place_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "x.served"
    one = ServedSet(file)
    one.add(SESSION, item(1), HOUR)
    (tmp_path / "new").write_bytes(file.read_bytes())
    usual = os.fsync

    def meanwhile(descriptor: int) -> None:
        usual(descriptor)
        if (tmp_path / "new").exists():
            os.replace(tmp_path / "new", file)

    monkeypatch.setattr(os, "fsync", meanwhile)
    one.drop(frozenset({item(1)}))
    assert item(1) not in file.read_bytes()
    one.close()


def test_of_two_that_rewrite_the_file_at_once_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "x.served"
    one, two = ServedSet(file), ServedSet(file)
    one.add(SESSION, item(1), HOUR)
    usual = os.stat

    def meanwhile(*given: Any) -> Any:
        monkeypatch.setattr(os, "stat", usual)
        two._compact(HOUR // 1_000_000)
        two.add(SESSION, item(2), HOUR)
        return usual(*given)

    monkeypatch.setattr(os, "stat", meanwhile)
    one._compact(HOUR // 1_000_000)
    assert one.was_served(SESSION, item(2), HOUR) and ServedSet(file).was_served(SESSION, item(2), HOUR)
    assert [each.name for each in tmp_path.iterdir()] == ["x.served"]
    one.close()
    two.close()
