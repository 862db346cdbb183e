"""The pictures of the pages are drawn by the product, and shown."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_pictures_are_what_the_product_draws() -> None:
    tool = [sys.executable, str(ROOT / "tools" / "make_pictures.py"), "--check"]
    done = subprocess.run(
        tool, env=os.environ | {"PYTHONPATH": str(ROOT / "src")}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"run: PYTHONPATH=src python tools/generate.py\n{done.stdout}{done.stderr}"


def test_every_picture_is_shown_with_words_for_those_who_do_not_see_it() -> None:
    shown = {}
    for page in (ROOT / "docs").glob("*.md"):
        shown.update(
            {name: words for words, name in re.findall(r"!\[([^\]]*)\]\(pictures/([^)]+)\)", page.read_text("utf-8"))}
        )
    assert set(shown) == {path.name for path in (ROOT / "docs" / "pictures").glob("*.svg")}
    assert all(len(words) > 20 for words in shown.values())
