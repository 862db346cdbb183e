"""Where log keys lie, when several threads ask for them first, and when the place cannot take them."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from muniment.store.keyhome import KeyHome

ORIGIN = "muniment.local/" + "ab" * 16


def test_a_key_is_kept_for_its_owner_alone_and_found_again(tmp_path: Path) -> None:
    key = KeyHome(tmp_path / "keys").create(ORIGIN, bytes(32))
    (file,) = (tmp_path / "keys").iterdir()
    found = KeyHome(tmp_path / "keys").load(ORIGIN)
    assert found is not None and found.private_text == key.private_text
    assert KeyHome(tmp_path / "keys").load(ORIGIN + "c") is None
    if os.name != "nt":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_threads_that_ask_at_once_which_folder_it_is_all_hear(tmp_path: Path) -> None:
    """Another thread is answered, and notes it, between this one's look and its question."""
    looks = iter([lambda: str(tmp_path), str(tmp_path), str(tmp_path)])

    class Shared(KeyHome):
        _folder = property(lambda self: next(looks), lambda self, found: None)  # type: ignore[assignment]

    assert Shared(None).folder == tmp_path


@pytest.mark.parametrize("call", ["open", "fsync"])
def test_where_a_key_cannot_be_written_it_lives_in_memory_and_leaves_no_half_file(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "no room")

    home = KeyHome(tmp_path / "keys")
    with monkeypatch.context() as patched:
        patched.setattr(os, call, full)
        key = home.create(ORIGIN, bytes(32))
    found = home.load(ORIGIN)
    assert found is not None and found.private_text == key.private_text
    assert not home.persistent and list((tmp_path / "keys").iterdir()) == []
