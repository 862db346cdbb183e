"""What the README and the pages show is what happens."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
from pathlib import Path

import pytest

from muniment.beliefs.state import Disposition
from muniment.settings import PREFIX, SETTINGS
from muniment.surfaces.cli import catalogue
from muniment.surfaces.cli.failures import Exit
from surfaces.running import Run

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    return [body for found, body in BLOCK.findall(page.read_text("utf-8")) if found == language]


def is_command(words: list[str]) -> bool:
    """Say whether typed words begin with the name of a command."""
    return " ".join(words[:1]) in catalogue.names() or " ".join(words[:2]) in catalogue.names()


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=lambda page: page.name)
def test_the_python_of_a_page_runs_and_prints_what_it_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = "\n".join(blocks(page, "python"))
    promised = re.findall(r"#> (.*)$", code, re.MULTILINE)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, page.name, "exec"), {"__name__": page.stem})
    assert promised
    assert printed.getvalue().splitlines() == promised


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "console")], ids=lambda page: page.name)
def test_the_commands_of_a_page_answer_what_it_says(page: Path, inside: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUNIMENT_CHANNEL", "user")  # the page shows what a person sees
    checker = doctest.OutputChecker()
    shown = ""
    for block in blocks(page, "console"):
        typed = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
        for command, wanted in typed:
            program, *arguments = shlex.split(command, comments=True)
            assert program == "muniment"
            if any("…" in one for one, _ in typed):  # something is left out: it cannot be typed as it stands
                assert is_command(arguments), command
                continue
            done = inside(*(shown if one == "HASH" else one for one in arguments))
            assert done.code == 0, command
            shown = "".join(re.findall(r"^plan +(\w+)$", done.out, re.MULTILINE)) or shown
            if wanted.strip():
                assert checker.check_output(wanted, done.out, doctest.ELLIPSIS), f"{command}\n{done.out}"


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "sh")], ids=lambda page: page.name)
def test_what_a_page_tells_to_type_into_a_shell_is_there(page: Path) -> None:
    """Installing takes a network, and minutes. What is installed, and then called, can be checked without."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for block in [*blocks(page, "sh"), *blocks(page, "powershell")]:
        for program, arguments in re.findall(
            r"\.venv[/\\](?:bin|Scripts)[/\\](\w+)(.*?)(?:&&|;|$)", block, re.MULTILINE
        ):
            assert program in ("pip", "pytest", *project["scripts"])
            if program == "muniment":
                assert is_command(arguments.split())
            for extra in re.findall(r"\[(\w+)\]", arguments):
                assert extra in project["optional-dependencies"]


def test_every_disposition_is_explained_in_the_readme() -> None:
    table = (ROOT / "README.md").read_text("utf-8").partition("## What became of it")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    explained = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert sorted(explained) == sorted(Disposition)


def test_every_exit_code_is_in_the_table() -> None:
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", (ROOT / "docs" / "index.md").read_text("utf-8"), re.MULTILINE)
    assert {name: int(code) for code, name in rows} == {code.name: code.value for code in Exit}


def test_every_setting_is_in_the_table() -> None:
    page = (ROOT / "docs" / "index.md").read_text("utf-8").partition("**Settings**")[2]
    assert set(re.findall(r"`MUNIMENT_(\w+)`", page)) == set(SETTINGS), PREFIX


def test_every_dependency_has_its_line() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    wanted += [name for extra in project["project"].get("optional-dependencies", {}).values() for name in extra]
    page = (ROOT / "docs" / "dependencies.md").read_text("utf-8")
    for requirement in wanted:
        name, bound = re.match(r"([\w.-]+)\s*>=\s*([\w.]+)", requirement).groups()  # type: ignore[union-attr]
        assert f"{name} ≥ {bound}" in page, requirement


def headings(page: Path) -> set[str]:
    """Return the names under which the headings of a page can be linked to."""
    lines = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target, place in re.findall(r"\]\(([^)#\s]*)#?([^)]*)\)", page.read_text("utf-8")):
        if "://" not in target:
            found = page.parent / target if target else page
            assert found.exists(), target
            assert not place or place in headings(found), f"{target}#{place}"


def test_every_page_can_be_reached_from_the_first() -> None:
    reached, waiting = set(), [ROOT / "README.md", *sorted((ROOT / "docs" / "decisions").glob("*.md"))]
    while waiting:
        page = waiting.pop()
        reached.add(page)
        for target in re.findall(r"\]\(([^)#\s]+\.md)", page.read_text("utf-8")):
            found = (page.parent / target).resolve()
            if "://" not in target and found not in reached:
                waiting.append(found)
    assert set(PAGES) - reached == set()


@pytest.mark.parametrize("name", ["semantics", "evidence"])
def test_every_section_that_the_code_cites_is_on_the_page(name: str) -> None:
    page = (ROOT / "docs" / f"{name}.md").read_text("utf-8")
    sections = set(re.findall(r"^## (\d)\. ", page, re.MULTILINE))
    sources = [path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py")]
    cited = {number for source in sources for number in re.findall(rf"{name} §(\d+)", source)}
    assert cited and cited <= sections
