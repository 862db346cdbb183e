"""Whole names: what brings them in, what hides them, and what the text alone cannot tell."""

from __future__ import annotations

import pytest

from codeguard.looking import METHOD, OLD, QUALIFIED, found, lines
from muniment.code.checking import check_text
from muniment.code.symbols import Symbol

USED = [
    ("python", "import pkg.mod\npkg.mod.old()\n", [2]),
    ("python", "import pkg.mod as m\nm.old()\n", [2]),
    ("python", "from pkg import mod\nmod.old()\n", [2]),
    ("python", "from pkg import mod as m, other\nm.old()\n", [2]),
    ("python", "from pkg.mod import old\nold()\n", [1, 2]),
    ("python", "from pkg.mod import (\n    a,\n    old as o,\n)\no()\n", [3, 5]),
    ("python", "import a; from pkg.mod import old\nold()\n", [1, 2]),
    ("javascript", "import { old } from 'pkg/mod';\nold();\n", [1, 2]),
    ("javascript", "import { old as o } from 'pkg/mod';\no();\n", [1, 2]),
    ("javascript", "import * as m from 'pkg/mod';\nm.old();\n", [2]),
    ("javascript", "import m from 'pkg/mod.js';\nm?.old();\n", [2]),
    ("javascript", "const { old: o } = require('pkg/mod');\no();\n", [1, 2]),
    ("javascript", "const m = require('pkg/mod');\nm.old();\n", [2]),
    ("javascript", "export { old } from 'pkg/mod';\n", [1]),
    ("typescript", "import type { old } from '@pkg/mod';\nlet a: old;\n", [1, 2]),
    ("java", "import pkg.mod.old;\nold.run();\n", [1, 2]),
    ("java", "import static pkg.mod.old;\nold();\n", [1, 2]),
    ("java", "pkg.mod.old.run();\n", [1]),
    ("kotlin", "import pkg.mod.old as o\nfun f() { o() }\n", [1, 2]),
    ("scala", "import pkg.mod.{a, old => o}\no()\n", [1, 2]),
    ("csharp", "using O = pkg.mod.old;\nO.Run();\n", [1, 2]),
    ("go", 'import m "x.org/pkg/mod"\nfunc f() { m.old() }\n', [2]),
    ("go", 'import (\n\t"a"\n\t"x.org/pkg/mod"\n)\nfunc f() { mod.old() }\n', [5]),
    ("rust", "use pkg::mod::old;\nfn f() { old(); }\n", [1, 2]),
    ("rust", "use pkg::{a, mod::{old as o, b}};\nfn f() { o(); }\n", [1, 2]),
    ("rust", "use pkg::mod as m;\nfn f() { m::old(); }\n", [2]),
    ("php", "<?php\nuse pkg\\mod\\old as o;\no();\n", [2, 3]),
    ("php", "<?php\nuse function pkg\\mod\\{a, old};\nold();\n", [2, 3]),
    ("cpp", "using pkg::mod::old;\nvoid f() { old(); }\n", [1, 2]),
    ("cpp", "namespace m = pkg::mod;\nvoid f() { m::old(); }\n", [2]),
    ("ruby", "pkg::mod.old\n", [1]),
]  # fmt: skip
"""Uses of ``pkg.mod.old``, by the name that each goes by."""


@pytest.mark.parametrize(("language", "text", "wanted"), USED)
def test_a_whole_name_is_found_by_whatever_name_it_was_brought_in(language: str, text: str, wanted: list[int]) -> None:
    assert lines(text, QUALIFIED, language=language) == wanted


@pytest.mark.parametrize(("language", "text", "wanted"), USED)
def test_the_same_name_of_another_module_is_another_one(language: str, text: str, wanted: list[int]) -> None:
    assert lines(text.replace("pkg", "other"), QUALIFIED, language=language) == []


@pytest.mark.parametrize(
    "text",
    [
        "old = 1\nprint(old)\n",
        "def f(old):\n    return old\n",
        "for old in range(3): ...\n",
        "x.old()\n",
        "from elsewhere import old\nold()\n",
        "import mod\nmod.old()\n",
        "import pkg\npkg.old()\n",
        "def old(): ...\n",
        "class A:\n    old = 1\n",
    ],
)
def test_a_local_name_is_free_where_the_replaced_one_is_whole_and_not_brought_in(text: str) -> None:
    assert lines(text, QUALIFIED) == []
    assert lines(text, OLD) != [], "the control: the bare name would be found"


@pytest.mark.parametrize(
    ("file", "text", "wanted"),
    [
        ("src/pkg/user.py", "from .mod import old\n", [1]),
        ("src/pkg/sub/user.py", "from ..mod import old\n", [1]),
        ("src/pkg/sub/user.py", "from .. import mod\nmod.old()\n", [2]),
        ("src/pkg/mod/user.py", "from . import old\nold()\n", [1, 2]),
        ("src/else/user.py", "from .mod import old\n", []),
        ("", "from .mod import old\n", [1]),
        ("", "from . import old\n", []),
    ],
)
def test_an_import_that_is_relative_is_read_from_where_the_file_lies(file: str, text: str, wanted: list[int]) -> None:
    assert lines(text, QUALIFIED, file=file or None) == wanted


def test_in_javascript_as_well() -> None:
    text = "import { old } from '../mod';\n"
    assert lines(text, QUALIFIED, language="javascript", file="src/pkg/a/user.js") == [1]
    assert lines(text, QUALIFIED, language="javascript", file="src/other/a/user.js") == []


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        ("Client.fetch(c)\n", [True]),
        ("x = Client()\nx.fetch()\n", [False]),
        ("def f(c: Client):\n    return c.fetch()\n", [False]),
        ("x.fetch()\n", []),
        ("x = Client()\nOther.fetch(x)\n", []),
        ("import requests\nx = Client()\nrequests.fetch()\n", []),
        ("fetch = 1; Client\n", []),
    ],
)
def test_a_method_is_found_on_values_where_its_class_is_named_and_said_to_be_unsure(
    text: str, sure: list[bool]
) -> None:
    assert [use.sure for use in check_text(text, [METHOD]).uses] == sure


def test_what_comes_with_everything_of_a_module_is_unsure() -> None:
    uses = check_text("from pkg.mod import *\nold()\nnothing()\n", [QUALIFIED]).uses
    assert [(use.line, use.sure) for use in uses] == [(2, False)]
    assert uses[0].message.startswith("this may be pkg.mod.old, which was replaced")


def test_a_module_that_was_replaced_is_found_where_it_is_brought_in_and_named() -> None:
    text = "import pkg.mod\nfrom pkg import mod\nfrom pkg.mod import x\nx()\npkg.mod.y()\n"
    assert lines(text, Symbol("pkg.mod", "pkg.core")) == [1, 2, 3, 5]


def test_letters_of_another_width_are_the_same_letters() -> None:
    """Python takes full-width letters for the plain ones, so they are no way round."""
    assert lines("ｏｌｄ(1)\n") == [1]
    assert lines("оld(1)\n") == [], "the control: a Cyrillic letter makes another name in Python too"


def test_each_word_of_a_line_is_told_once_with_its_place() -> None:
    assert found("old(old, x.old)\n") == [(1, 1), (1, 5), (1, 12)]


def test_a_comment_may_allow_a_use_and_is_counted() -> None:
    text = "old()  # muniment: allow\nold()\n'muniment: allow'; old()\n"
    done = check_text(text, [OLD])
    assert ([use.line for use in done.uses], done.allowed) == ([2, 3], 1)
    assert "1 on purpose" in done.summary


FALSE_ALARMS = {
    "A bare name is found wherever that word is one, whoever it belongs to.": "class A:\n    old = 1\nA.old\n",
    "An argument is named like a bare name that was replaced.": "f(old=1)\n",
    "What defines a bare name again counts as a use of it.": "def old(): ...\n",
    "A name that is brought in and then means something else in a function is still taken for what was brought in.":
        "from pkg.mod import old\ndef f(old):\n    return old\n",
    "A value of another class has a method of the same name, and the class is named somewhere in the text.":
        "a = Client()\nb = Other()\nb.fetch()\n",
    "Code that never runs counts.": "if False:\n    old()\n",
}  # fmt: skip
"""What is found and is no use. docs/codeguard.md says the same."""

MISSED = {
    "A name that is put together while the program runs.": "getattr(m, 'o' + 'ld')()\n",
    "A name in a string, unless strings are asked for.": "getattr(m, 'old')()\n",
    "A module that is brought in by a name in a string.": "m = importlib.import_module('pkg.mod')\nm.old()\n",
    "A name that was handed on under another one.": "import pkg.mod\nf = pkg.mod\nf.old()\n",
    "A method of a value whose class the text does not name.": "def f(x):\n    return x.fetch()\n",
    "A name that another module hands on.": "from facade import old\nold()\n",
    "Another case, in a language where case says nothing.": "OLD()\n",
}
"""What is a use and is not found. docs/codeguard.md says the same."""


@pytest.mark.parametrize("what", FALSE_ALARMS)
def test_false_alarms_are_known(what: str) -> None:
    symbols = [QUALIFIED, METHOD] if "brought in" in what or "class is named" in what else [OLD]
    assert lines(FALSE_ALARMS[what], *symbols) != []


@pytest.mark.parametrize("what", MISSED)
def test_what_is_missed_is_known(what: str) -> None:
    symbols = [OLD] if "string, unless" in what or "put together" in what or "case" in what else [QUALIFIED, METHOD]
    assert lines(MISSED[what], *symbols) == []


def test_the_page_tells_what_is_found_wrongly_and_what_is_missed() -> None:
    from pathlib import Path

    page = " ".join((Path(__file__).resolve().parents[2] / "docs" / "codeguard.md").read_text("utf-8").split())
    assert [what for what in (*FALSE_ALARMS, *MISSED) if what not in page] == []
