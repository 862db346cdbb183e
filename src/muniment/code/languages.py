"""Which language a text is in, and what of it a lexer may take for granted.

Only what decides where names stand is kept here: how a word is spelled, what joins the parts of a name, how imports
are written, and what the running text of the language is.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from muniment.errors import ValidationError
from muniment.quick import dataclass


class Imports(StrEnum):
    """How a language brings names in."""

    NONE = "none"
    PYTHON = "python"
    ECMASCRIPT = "ecmascript"
    DOTTED = "dotted"
    GO = "go"
    RUST = "rust"
    PHP = "php"
    CPP = "cpp"


_PLAIN: Final = r"[^\W\d][\w$]*|\$[\w$]+"
_SHELL: Final = r"[^\W\d][\w-]*"
_LISP: Final = r"[^\W\d][\w!?*<>=+$-]*"
_ASKING: Final = r"[^\W\d]\w*[!?]?(?!\w)|[^\W\d]\w*"
_POINTS: Final = r"\s*+(?:\?\.|!\.|\.|::|->)\s*+"


@dataclass(frozen=True, slots=True)
class Language:
    """What is known of a language.

    Args:
        name: Its name for the lexer.
        word: Regular expression of a word.
        joint: Regular expression of what joins the words of a name.
        imports: How it brings names in.
        text_counts: Whether what the lexer takes for plain text are words of the program (a shell), not of a person.
    """

    name: str
    word: str = _PLAIN
    joint: str = _POINTS
    imports: Imports = Imports.NONE
    text_counts: bool = False

    @property
    def chain(self) -> re.Pattern[str]:
        """Words that are joined to one name."""
        return _chain(self.word, self.joint)

    @property
    def words(self) -> re.Pattern[str]:
        """One word."""
        return re.compile(self.word)  # which keeps what it compiled


def _chain(word: str, joint: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w$])(?:{word})(?:{joint}(?:{word}))*+")


def _several(names: str, **what: object) -> dict[str, Language]:
    return {name: Language(name, **what) for name in names.split()}  # type: ignore[arg-type]


LANGUAGES: Final[dict[str, Language]] = {
    **_several("python cython", imports=Imports.PYTHON, joint=r"(?:\s|\\\n)*+\.(?:\s|\\\n)*+"),
    **_several("javascript typescript tsx jsx coffeescript", imports=Imports.ECMASCRIPT),
    **_several("java kotlin groovy scala csharp", imports=Imports.DOTTED),
    **_several("go", imports=Imports.GO),
    **_several("rust", imports=Imports.RUST),
    **_several("php", imports=Imports.PHP, joint=r"\s*+(?:->|\?->|::|\\)\s*+"),
    **_several("cpp c objective-c cuda", imports=Imports.CPP),
    **_several("ruby elixir crystal julia", word=_ASKING),
    **_several("clojure common-lisp scheme racket emacs-lisp", word=_LISP, joint=r"[./:]"),
    **_several("bash fish tcsh powershell batch tcl vim make docker", word=_SHELL, joint=r"\.", text_counts=True),
    **_several("lua erlang", joint=r"\s*+[.:]\s*+"),
    **_several("css scss less sass", word=r"[^\W\d][\w-]*"),
}
"""Languages of which something special is known, by the name of their lexer. Any other is read as C-like."""

_SUFFIXES: Final = {
    "python": "py pyi pyw", "cython": "pyx pxd", "javascript": "js mjs cjs", "jsx": "jsx", "typescript": "ts mts cts",
    "tsx": "tsx", "coffeescript": "coffee", "java": "java", "kotlin": "kt kts", "groovy": "groovy gradle",
    "scala": "scala sc", "csharp": "cs", "go": "go", "rust": "rs", "php": "php", "cpp": "cpp cc cxx hpp hh hxx h++ c++",
    "c": "c h", "objective-c": "m mm", "cuda": "cu cuh", "ruby": "rb rake gemspec", "elixir": "ex exs",
    "crystal": "cr", "julia": "jl", "clojure": "clj cljs cljc", "common-lisp": "lisp cl", "scheme": "scm ss",
    "racket": "rkt", "emacs-lisp": "el", "bash": "sh bash zsh ksh", "fish": "fish", "powershell": "ps1 psm1",
    "batch": "bat cmd", "tcl": "tcl", "vim": "vim", "make": "mk", "lua": "lua", "erlang": "erl hrl", "css": "css",
    "scss": "scss", "less": "less", "sass": "sass", "swift": "swift", "dart": "dart", "perl": "pl pm t", "r": "r",
    "haskell": "hs", "ocaml": "ml mli", "fsharp": "fs fsx", "vb.net": "vb", "delphi": "pas dpr", "fortran": "f90 f95 f03",
    "sql": "sql", "nim": "nim", "zig": "zig", "d": "d", "v": "v", "solidity": "sol", "graphql": "graphql gql",
    "protobuf": "proto", "terraform": "tf", "vue": "vue", "html": "html htm", "xml": "xml xsd xsl", "yaml": "yaml yml",
    "toml": "toml", "json": "json",
}  # fmt: skip
_BY_SUFFIX: Final = {suffix: name for name, suffixes in _SUFFIXES.items() for suffix in suffixes.split()}

_BY_NAME: Final = {"makefile": "make", "gnumakefile": "make", "dockerfile": "docker", "rakefile": "ruby",
                   "gemfile": "ruby", "jenkinsfile": "groovy", "sconstruct": "python"}  # fmt: skip

_PROSE: Final = re.compile(r"txt|md|markdown|rst|adoc|asciidoc|org|tex|log|csv|tsv|lock|po|pot|svg|ipynb")
"""Suffixes of what is written for people, or by programs for themselves: no code that somebody is to change."""

_RUN_BY: Final = re.compile(r"#!.*?\b(python|bash|zsh|ksh|sh|node|deno|ruby|perl|php|lua|fish|tclsh)[\d.]*\b")
_RUNNERS: Final = {
    "zsh": "bash",
    "ksh": "bash",
    "sh": "bash",
    "node": "javascript",
    "deno": "typescript",
    "tclsh": "tcl",
}


def language_named(name: str) -> Language:
    """Return a language by the name that people give it.

    Raises:
        ValidationError: If no lexer knows it.

    Example:
        >>> language_named("py").name
        'python'
    """
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    wanted = _BY_SUFFIX.get(name.lower(), name.lower())
    if wanted in LANGUAGES or wanted in _SUFFIXES:
        return LANGUAGES.get(wanted) or Language(wanted)
    try:
        lexer = get_lexer_by_name(wanted)
    except ClassNotFound:
        raise ValidationError(
            "language names no language that is known.", advice="Write python, go, c++ …, or leave it out."
        ) from None
    return next((LANGUAGES[alias] for alias in lexer.aliases if alias in LANGUAGES), Language(lexer.aliases[0]))


def language_of(file: str, text: str) -> Language | None:
    """Return the language of a file by its name, or by the program that its first line names; None if it is no code.

    Args:
        file: Its name; nothing is read.
        text: What is in it.

    Example:
        >>> language_of("tool", "#!/usr/bin/env python3\\n").name, language_of("notes.md", "old")
        ('python', None)
    """
    last = re.split(r"[/\\]", file)[-1].lower()
    stem, point, suffix = last.rpartition(".")
    known = _BY_NAME.get(last) or _BY_NAME.get(stem) or (_BY_SUFFIX.get(suffix) if point else None)
    if known is None and not (point and _PROSE.fullmatch(suffix)):
        run_by = _RUN_BY.match(text)
        if run_by:
            known = _RUNNERS.get(run_by.group(1), run_by.group(1))
        elif point:
            known = _by_lexer(last)
    return None if known is None else LANGUAGES.get(known) or Language(known)


def _by_lexer(file: str) -> str | None:
    """Ask the lexers for a file name of which nothing is known here."""
    from pygments.lexers import find_lexer_class_for_filename

    found = find_lexer_class_for_filename(file)
    aliases = () if found is None else found.aliases
    return aliases[0] if aliases and aliases[0] not in ("text", "output") else None
