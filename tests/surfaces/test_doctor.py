"""doctor tries what the commands do: what they would be refused, it finds, with the same advice, and it never hangs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from input.nobody import bound, folder
from surfaces.running import Run

posix = pytest.mark.skipif(os.name != "posix", reason="pipes, links and modes are those of POSIX")


def failed(run: Run, *arguments: str) -> dict[str, dict[str, str]]:
    """Return the checks that failed, by name."""
    done = run("doctor", "--json", *arguments)
    found = {check["name"]: check for check in done.json["checks"] if check["state"] == "fail"}
    assert done.code == (1 if found else 0) and done.json["ok"] is not bool(found)
    return found


def odd_places(folder: Path) -> list[str]:
    (folder / "file").write_text("x")
    os.mkfifo(folder / "pipe")
    (folder / "loop").symlink_to(folder / "loop")
    names = ("file/x", "pipe", "pipe/x", "loop", "x" * 300, ".", "\udcff")
    return ["https://x/y", "postgresql://x/y", " ", *[str(folder / name) for name in names]]


@posix
def test_a_place_that_every_command_is_refused_is_refused_here_with_the_same_words(inside: Run, tmp_path: Path) -> None:
    for path in odd_places(tmp_path):
        refused = inside("remember", "Bo", "--path", path, "--json").error
        found = failed(inside, "--path", path)["store"]
        assert (found["says"], found["advice"]) == (refused["message"], refused["advice"]), path


@pytest.mark.parametrize(
    ("name", "value"),
    [("CHANNEL", "boss"), ("CHANNEL", "recall"), ("NAMESPACE", "a\nb"), ("AUTHOR", "a\tb"), ("ECHO", "maybe"),
     ("ADJUDICATOR", "boss"), ("BUSY_SECONDS", "1e9"), ("EMBED_MODEL", "nothing:such")],
)  # fmt: skip
def test_a_setting_that_every_command_is_refused_is_refused_here_with_the_same_words(
    name: str, value: str, inside: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not failed(inside)
    inside("remember", "Ana lives in Berlin")
    monkeypatch.setenv(f"MUNIMENT_{name}", value)
    refused = inside("stats", "--json").error
    assert (refused["message"], refused["advice"]) in [
        (check["says"], check["advice"]) for check in failed(inside).values()
    ]


@pytest.mark.parametrize("name", ["HOOKS", "HOOK_SECONDS", "VECTOR_MB", "MAX_K", "SNIPPET_CHARS"])
def test_a_setting_that_one_command_alone_reads_is_looked_at_too(
    name: str, inside: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"MUNIMENT_{name}", "banana")
    assert f"MUNIMENT_{name}" in failed(inside)["settings"]["says"]


@posix
def test_a_new_store_in_a_folder_that_cannot_be_written_and_one_that_cannot_be_reached_are_found_out(
    inside: Run,
) -> None:
    with folder() as place:
        inner = place / "inner"
        inner.mkdir()
        for mode, code in ((0o555, "read_only"), (0o000, "permission")):
            inner.chmod(mode)
            with bound():
                refused = inside("remember", "Bo", "--path", str(inner / "new.db"), "--json").error
                found = failed(inside, "--path", str(inner / "new.db"))["store"]
            assert refused["code"] == code and found["says"] == refused["message"]


@posix
def test_a_store_is_looked_at_through_its_links(inside: Run, tmp_path: Path) -> None:
    inside("remember", "Bo")
    (tmp_path / "link").symlink_to(tmp_path / "memory.muniment")
    (tmp_path / "memory.muniment").chmod(0o644)
    states = {one["name"]: one["state"] for one in inside("doctor", "--json", "--path", "link").json["checks"]}
    assert (states["store"], states["schema"], states["permissions"]) == ("pass", "pass", "warn")


def home(run: Run) -> dict[str, str]:
    (found,) = [one for one in run("doctor", "--json").json["checks"] if one["name"] == "key home"]
    return dict(found)


def test_a_home_of_keys_that_is_no_folder_or_lies_with_the_store_is_found_out(
    inside: Run, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    apart = tmp_path_factory.mktemp("apart")
    (apart / "file").write_text("x")
    places = [(apart, "pass"), (apart / "new" / "er", "pass"), (apart / "file", "cannot be written"),
              (apart / "file" / "x", "cannot be written"), (tmp_path, "store's own folder"),
              (tmp_path / "keys", "store's own folder")]  # fmt: skip
    if os.name == "posix":
        os.mkfifo(apart / "pipe")
        (apart / "link").symlink_to(tmp_path)
        places += [(apart / "pipe", "cannot be written"), (apart / "link", "store's own folder")]
    for place, says in places:
        monkeypatch.setenv("MUNIMENT_KEY_HOME", str(place))
        found = home(inside)
        assert (found["state"] == "pass") is (says == "pass") and (says == "pass" or says in found["says"]), place
    assert not (apart / "new").exists() and not list(apart.glob(".muniment-doctor*"))


@posix
def test_a_home_of_keys_that_cannot_be_written_is_found_out(inside: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with folder() as place:
        place.chmod(0o777)
        (place / "keys").mkdir()
        monkeypatch.setenv("MUNIMENT_PATH", str(place / "store" / "memory.db"))
        for mode in (0o555, 0o000):
            (place / "keys").chmod(mode)
            for inner in ("keys", "keys/deeper"):
                monkeypatch.setenv("MUNIMENT_KEY_HOME", str(place / inner))
                with bound():
                    assert home(inside)["state"] == "warn"


def test_by_default_keys_lie_outside_the_folder_of_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    from muniment import settings

    monkeypatch.delenv("MUNIMENT_KEY_HOME", raising=False)
    assert not Path(settings.key_home({}).value).is_relative_to(settings.data_folder())
