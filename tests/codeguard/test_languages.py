"""In many languages: code counts, comments and strings do not."""

from __future__ import annotations

import pytest

from codeguard.looking import OLD, QUALIFIED, lines
from muniment.code.checking import check_text
from muniment.code.languages import LANGUAGES, language_named, language_of
from muniment.code.lexing import lex, lexer_of
from muniment.errors import ValidationError

SAID = {
    "python": ("old(1)\n", "# old\n", "\"old\"; '''old'''; b\"old\"; r\"old\"\n"),
    "javascript": ("old(1);\n", "// old\n/* old */\n", "'old'; \"old\"; `old`;\n"),
    "typescript": ("let a: old = 1;\n", "// old\n/** old */\n", "'old'; \"old\"; `old`;\n"),
    "java": ("old.run();\n", "// old\n/* old\n old */\n", 'f("old");\n'),
    "kotlin": ("old()\n", "// old\n/* old */\n", 'f("old")\n'),
    "go": ("x := old()\n", "// old\n/* old */\n", 'f("old", `old`)\n'),
    "rust": ("let x = old();\n", "// old\n/* old */\n/// old\n", 'f("old");\n'),
    "c": ("int x = old(1);\n", "// old\n/* old */\n", 'f("old");\n'),
    "cpp": ("ns::old(1);\n", "// old\n/* old */\n", 'f("old");\n'),
    "csharp": ("Old.old();\n", "// old\n/* old */\n", 'f("old", @"old");\n'),
    "php": ("<?php old(1);\n", "// old\n# old\n/* old */\n", "f('old', \"old\");\n"),
    "ruby": ("old 1\n", "# old\n", "f 'old', \"old\"\n"),
    "swift": ("old()\n", "// old\n/* old */\n", 'f("old")\n'),
    "scala": ("old()\n", "// old\n/* old */\n", 'f("old")\n'),
    "bash": ("old x\n", "# old\n", "echo 'old' \"old\"\n"),
    "powershell": ("old -Name x\n", "# old\n<# old #>\n", "f 'old' \"old\"\n"),
    "sql": ("SELECT old FROM t;\n", "-- old\n/* old */\n", "SELECT 'old';\n"),
    "lua": ("old(1)\n", "-- old\n--[[ old ]]\n", "f('old', [[old]])\n"),
    "elixir": ("old(1)\n", "# old\n", 'f("old")\n'),
    "clojure": ("(ns/old 1)\n", "; old\n", '(f "old")\n'),
    "haskell": ("x = old 1\n", "-- old\n{- old -}\n", 'f "old"\n'),
    "perl": ("old(1);\n", "# old\n", "f('old', \"old\");\n"),
    "r": ("old(1)\n", "# old\n", "f('old', \"old\")\n"),
    "dart": ("old();\n", "// old\n/* old */\n", "f('old');\n"),
}
"""By language: code that uses ``old``, and the same word in comments and in strings."""


@pytest.mark.parametrize("language", SAID)
def test_code_counts_and_comments_and_strings_do_not(language: str) -> None:
    code, comments, strings = SAID[language]
    assert lines(code, language=language) == [1]
    head = "<?php\n" if language == "php" else ""
    assert lines(head + comments, language=language) == []
    assert lines(head + strings, language=language) == []


@pytest.mark.parametrize("language", SAID)
def test_comments_and_strings_count_when_they_are_asked_for(language: str) -> None:
    """The control: what was passed over was seen."""
    _, comments, strings = SAID[language]
    head = "<?php\n" if language == "php" else ""
    assert lines(head + comments, language=language, comments=True) != []
    assert lines(head + strings, language=language, strings=True) != []
    assert lines(head + comments, language=language, strings=True) == []
    assert lines(head + strings, language=language, comments=True) == []
    parts = check_text(head + comments + strings, [OLD], language=language, comments=True, strings=True).uses
    assert {use.part for use in parts} == {"comment", "string"}


@pytest.mark.parametrize("language", SAID)
def test_every_character_keeps_its_place(language: str) -> None:
    text = "".join(SAID[language])
    lexed = lex(text, language_named(language))
    assert not lexed.whole and len(lexed.code) == len(text)
    assert [n for n, char in enumerate(text) if char == "\n"] == [
        n for n, char in enumerate(lexed.code) if char == "\n"
    ]


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_language_of_the_table_has_a_lexer(name: str) -> None:
    assert lexer_of(LANGUAGES[name]).aliases


@pytest.mark.parametrize(
    ("text", "language", "wanted"),
    [
        ('f"{old()}"\n', "python", [1]),
        ('f"{x:{old}}"\n', "python", [1]),
        ('f"old {x} old"\n', "python", []),
        ("`a ${old()} b`\n", "javascript", [1]),
        ('"a #{old} b"\n', "ruby", [1]),
        ('echo "a $(old) b"\n', "bash", [1]),
        ("f = :old\n", "ruby", [1]),
        ("def f():\n    '''old'''\n    return 1\n", "python", []),
        ("#define X old(1)\n", "c", [1]),
        ('#include "old.h"\n', "c", []),
        ("<p>old</p><script>old()</script>\n", "html", [1]),
        ("old: old\n", "yaml", [1]),
        ("@old\ndef f(): ...\n", "python", [1]),
    ],
)  # fmt: skip
def test_code_inside_a_string_counts_and_a_string_inside_code_does_not(
    text: str, language: str, wanted: list[int]
) -> None:
    assert lines(text, language=language) == wanted


@pytest.mark.parametrize(
    ("text", "language", "name", "wanted"),
    [
        ("(old-fn 1)\n", "clojure", "old-fn", [1]),
        ("(old-fn 1)\n", "clojure", "old", []),
        ("x = old-fn\n", "python", "old", [1]),
        ("old! 1\n", "ruby", "old!", [1]),
        ("old! 1\n", "ruby", "old", []),
        ("old!(1)\n", "rust", "old", [1]),
        ("Get-Old -Name x\n", "powershell", "Get-Old", [1]),
        (".old-box { color: red }\n", "css", "old-box", [1]),
        ("$old = 1;\n", "javascript", "old", []),
        ("<?php $old = 1;\n", "php", "old", []),
        ("older(); bold(); old_(); _old();\n", "javascript", "old", []),
        ("OLD(); Old();\n", "javascript", "old", []),
    ],
)
def test_a_word_is_what_the_language_takes_for_one(text: str, language: str, name: str, wanted: list[int]) -> None:
    from muniment.code.symbols import Symbol

    assert lines(text, Symbol(name, "other"), language=language) == wanted


@pytest.mark.parametrize(
    ("file", "text", "wanted"),
    [
        ("a.py", "", "python"), ("a/b/C.Java", "", "java"), ("a.d.ts", "", "typescript"), ("Makefile", "", "make"),
        ("Dockerfile.dev", "", "docker"), ("tool", "#!/usr/bin/env python3\n", "python"), ("run", "#!/bin/sh\n", "bash"),
        ("a.zig", "", "zig"), ("notes.md", "old", None), ("data.csv", "", None), ("LICENSE", "old", None),
        ("notes.txt", "#!/bin/sh", None), ("a.unheardof", "", None), ("", "", None),
    ],
)  # fmt: skip
def test_a_language_is_told_by_the_name_or_the_first_line(file: str, text: str, wanted: str | None) -> None:
    language = language_of(file, text)
    assert (language.name if language else None) == wanted


def test_a_language_that_nobody_knows_is_a_mistake() -> None:
    with pytest.raises(ValidationError, match="no language"):
        check_text("x", [OLD], language="klingon")


def test_line_ends_of_every_kind_count_alike() -> None:
    for end in ("\n", "\r\n", "\r"):
        assert lines(end.join(["# a", "'''b", "c'''", "old()"])) == [4]


def test_columns_are_counted_in_characters() -> None:
    uses = check_text("ü = 'ü'; pkg.mod.old()\n", [QUALIFIED]).uses
    assert [(use.column, use.end_column) for use in uses] == [(18, 21)]
