"""The demo is a test of the product: every answer is asked for, and a wrong one ends it with 1."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from muniment.surfaces.cli.demo import command, story
from muniment.surfaces.cli.demo.scan import scan
from muniment.surfaces.cli.demo.teller import Teller
from surfaces.running import Run


def test_every_scene_goes_as_told(muniment: Run, tmp_path: Path) -> None:
    done = muniment("demo", "--json", env={"TMPDIR": str(tmp_path)})
    assert done.code == 0, [scene for scene in json.loads(done.out)["scenes"] if not scene["as_told"]]
    assert done.json["ok"] is True
    assert [scene["as_told"] for scene in done.json["scenes"]] == [True] * len(story.STORY)
    assert not list(tmp_path.glob("muniment-demo-*"))
    assert not (tmp_path / "memory.muniment").exists()


def test_the_story_holds_what_it_promises(inside: Run) -> None:
    scenes = inside("demo", "--json").json["scenes"]
    answers = {exchange["said"]: exchange["result"] for scene in scenes for exchange in scene["exchanges"]}
    dispositions = {result.get("disposition") for result in answers.values() if isinstance(result, dict)}
    assert {"superseded_prior", "echo", "reverted", "reinstated", "contested", "held"} <= dispositions
    scans = [result["total"] for said, result in answers.items() if said.startswith("scan")]
    assert scans[0] > 0 and scans[-1] == 0
    assert len(answers["stats()"]["log_root"]) == 64


def test_it_is_told_for_people_with_a_reason_for_each_scene(inside: Run) -> None:
    out = inside("demo").out
    assert "1. A fact, and its correction" in out
    assert f"All {len(story.STORY)} scenes went as told" in out
    assert "$10,000" in out and "$5,000,000" in out
    assert out.endswith("Its store lay in a temporary folder and went with it; --path FILE keeps one.\n")
    assert "store/demo.muniment, entries" in out  # a path is copied whole


def test_an_answer_that_is_not_as_told_ends_it_with_1(inside: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def liar(tell: Teller) -> None:
        tell.begin("A lie", "Nothing answers so.")
        tell.call("believe", "nobody::nothing", expect={"status": "resolved"})

    monkeypatch.setattr(story, "STORY", (*story.STORY[:1], liar))
    done = inside("demo")
    assert done.code == 1
    assert "NOT AS TOLD: status should be 'resolved'" in done.out
    assert inside("demo", "--json").json["ok"] is False


def test_a_call_that_fails_is_not_as_told(inside: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(tell: Teller) -> None:
        tell.begin("A failure", "There is no such claim.")
        tell.call("get", "nonsense")

    monkeypatch.setattr(story, "STORY", (failing,))
    assert inside("demo").code == 1


def test_a_scene_that_asks_nothing_is_not_as_told(inside: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(story, "STORY", (lambda tell: tell.begin("Nothing", "Nothing"),))
    assert inside("demo").code == 1


def test_settings_of_the_environment_do_not_change_the_story(muniment: Run) -> None:
    env = {"MUNIMENT_ECHO": "0", "MUNIMENT_BOUNDARY": "0", "MUNIMENT_CHANNEL": "document", "MUNIMENT_NAMESPACE": "x"}
    assert muniment("demo", "--json", env=env).code == 0


def test_with_a_path_the_store_is_kept_and_never_an_old_one_taken(inside: Run, tmp_path: Path) -> None:
    file = tmp_path / "kept.muniment"
    assert inside("demo", "--path", str(file), "--json").code == 0
    assert (
        inside("believe", "release::day", "--path", str(file), "--namespace", "demo", "--json").json["value"]
        == "Monday"
    )
    before = file.read_bytes()
    assert inside("demo", "--path", str(file)).code == 2
    assert file.read_bytes() == before


def test_the_scan_finds_a_word_that_is_there(tmp_path: Path) -> None:
    """The control of the control: whatever its case, in the file or in its log."""
    (tmp_path / "s").write_bytes(b"\x00QuillFeather\x00")
    (tmp_path / "s-wal").write_bytes(b"quillfeath quillfea")
    assert scan(str(tmp_path / "s"), story.WORD) == {"s": 1, "s-wal": 2, "total": 3}


@pytest.mark.parametrize(
    ("somebody", "arguments", "pause"),
    [(True, (), command.PAUSE), (True, ("--fast",), 0.0), (False, (), 0.0), (True, ("--json",), None)],
)
def test_it_waits_only_where_somebody_reads(
    inside: Run, monkeypatch: pytest.MonkeyPatch, somebody: bool, arguments: tuple[str, ...], pause: float | None
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(command.time, "sleep", pauses.append)
    monkeypatch.setattr(command.streams, "at_a_terminal", lambda: somebody)
    assert inside("demo", *arguments).code == 0
    assert pauses == ([] if pause is None else [pause] * len(story.STORY))
