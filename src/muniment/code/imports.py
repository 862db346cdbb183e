"""What a text brings in, and under which names: so that a use is known by whatever name it goes here.

Only what stands in the import itself is known. Each language has its reader; all give the same. No pattern here looks
past the next bracket of its kind, so that a text cannot make one go through the rest of it again and again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from muniment.code.languages import Imports, Language
from muniment.code.lexing import Lexed
from muniment.quick import dataclass, field

UNKNOWN: Final = "?"
"""Stands for the outer parts of a name of which only the inner ones are known (``from . import old``)."""

Parts = tuple[str, ...]
Site = tuple[Parts, int]
"""What an import names, and where the last part of that stands."""


@dataclass(slots=True)
class Brought:
    """What a text brings in.

    Args:
        names: By the name that it goes by here: the whole name.
        modules: Those of the names that stand for a module, of which everything is reached through a point.
        everything: Modules of which every name may be used bare.
        sites: What the imports themselves name.
        spans: Where imports stand: what is in them is told by ``sites``.
    """

    names: dict[str, Parts] = field(default_factory=dict)
    modules: set[str] = field(default_factory=set)
    everything: list[Parts] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)

    def bring(self, parts: Parts, name: str, at: int, *, module: bool = False) -> None:
        """Note that something is brought in."""
        self.names[name] = parts
        self.sites.append((parts, at))
        if module:
            self.modules.add(name)


def brought_in(lexed: Lexed, language: Language, file: str) -> Brought:
    """Return what a text brings in.

    Args:
        lexed: The text.
        language: Its language.
        file: Its path, relative to the root of its packages, so that what is relative to it can be told; or empty.
    """
    found = Brought()
    reader = _READERS.get(language.imports)
    if reader is not None:
        reader(lexed, file, found)
    return found


_FROM: Final = re.compile(
    r"(?:^|;|:)[ \t]*(from\s+([.\w \t]*?)\s*\bc?import\s+(\([^()]*\)|\*|(?:[^\n\\;]|\\\n)+))", re.MULTILINE
)
_IMPORT: Final = re.compile(r"(?:^|;|:)[ \t]*(c?import\s+((?:[^\n\\;]|\\\n)+))", re.MULTILINE)
_AS: Final = re.compile(r"([\w.]+)(?:\s+as\s+(\w+))?")


def _python(lexed: Lexed, file: str, found: Brought) -> None:
    for one in _FROM.finditer(lexed.code):
        found.spans.append(one.span(1))
        module = _relative(one[2].replace(" ", "").replace("\t", ""), file)
        if one[3] == "*":
            found.everything.append(module)
            found.sites.append((module, one.start(3)))
            continue
        for name in _AS.finditer(lexed.code, one.start(3), one.end(3)):
            found.bring((*module, *name[1].split(".")), name[2] or name[1], name.start(1))
    for one in _IMPORT.finditer(lexed.code):
        found.spans.append(one.span(1))
        for name in _AS.finditer(lexed.code, one.start(2), one.end(2)):
            parts = tuple(name[1].split("."))
            # ``import a.b`` brings in ``a``: what follows is written out wherever it is used.
            found.bring(parts if name[2] else parts[:1], name[2] or parts[0], name.start(1), module=True)
            found.sites.append((parts, name.start(1) + name[1].rfind(".") + 1))


def _relative(module: str, file: str) -> Parts:
    """Return the whole name of a module that may be named from where the file lies (``.``, ``..mod``)."""
    inner = module.lstrip(".")
    dots = len(module) - len(inner)
    parts = tuple(part for part in inner.split(".") if part)
    return parts if not dots else (*_folders(file, dots - 1), *parts)


def _folders(file: str, up: int) -> Parts:
    """Return the folders that a file lies in, without the innermost ``up``; what lies further out is unknown."""
    folders = [part for part in re.split(r"[/\\]", file)[:-1] if part not in ("", ".", "..")]
    return (UNKNOWN, *folders[: max(len(folders) - up, 0)])


_DEFAULT: Final = r"(?:type\s+)?(?:([\w$]+)\s*,?\s*)?"
_MADE: Final = r"(\{[^{}]*\}|\*\s*(?:as\s+([\w$]+))?)?"
_ES_FROM: Final = re.compile(rf"\b((?:import|export)\s+{_DEFAULT}{_MADE}\s*from\s*(\0+))")
_REQUIRE: Final = re.compile(
    r"\b((?:const|let|var|import)\s+(?:([\w$]+)|(\{[^{}]*\}))\s*=\s*(?:await\s+)?(?:require|import)\s*\(\s*(\0+))"
)
_ES_NAME: Final = re.compile(r"(?:type\s+)?([\w$]+)(?:\s*(?:\bas\b|:)\s*([\w$]+))?")


def _ecmascript(lexed: Lexed, file: str, found: Brought) -> None:
    for one in _ES_FROM.finditer(lexed.code):
        found.spans.append(one.span(1))
        module = _specified(lexed.text[one.start(5) : one.end(5)], file)
        exported = one[1].startswith("export")
        if one[2]:
            found.bring(module, one[2], one.start(2), module=True)
        if one[4]:
            found.bring(module, one[4], one.start(4), module=True)
        if one[3] and one[3].startswith("{"):
            _es_names(lexed.code, one.span(3), module, found, exported=exported)
    for one in _REQUIRE.finditer(lexed.code):
        found.spans.append(one.span(1))
        module = _specified(lexed.text[one.start(4) : one.end(4)], file)
        if one[2]:
            found.bring(module, one[2], one.start(2), module=True)
        else:
            _es_names(lexed.code, one.span(3), module, found)


def _es_names(code: str, span: tuple[int, int], module: Parts, found: Brought, *, exported: bool = False) -> None:
    for name in _ES_NAME.finditer(code, *span):
        if exported:  # handed on, not brought in
            found.sites.append(((*module, name[1]), name.start(1)))
        else:
            found.bring((*module, name[1]), name[2] or name[1], name.start(1))


def _specified(quoted: str, file: str) -> Parts:
    """Return the parts of a module that is named by a path in quotes."""
    path = quoted.strip("\"'`")
    steps = [step for step in path.split("/") if step]
    outer: Parts = ()
    if steps and steps[0] in (".", ".."):
        up = 0
        while steps and steps[0] in (".", ".."):
            up += steps.pop(0) == ".."
        outer = _folders(file, up)
    inner = [step.lstrip("@") for step in steps]
    if inner:
        inner[-1] = re.sub(r"\.(?:[cm]?[jt]sx?|json)$", "", inner[-1])
    if inner and inner[-1] == "index":
        inner.pop()
    return (*outer, *[part for step in inner for part in step.split(".") if part])


_DOTTED: Final = re.compile(
    r"^[ \t]*((?:global\s+)?(?:import|using)\s+(static\s+)?(?:(\w+)\s*=\s*)?([\w.]+?)"
    r"(?:\.(\*|_|\{[^{}]*\}))?(?:\s+as\s+(\w+))?[ \t]*)(?=;|$)",
    re.MULTILINE,
)
_SCALA_NAME: Final = re.compile(r"(\w+)(?:\s*(?:=>|\bas\b)\s*(\w+))?")


def _dotted(lexed: Lexed, file: str, found: Brought) -> None:
    for one in _DOTTED.finditer(lexed.code):
        found.spans.append(one.span(1))
        parts, last = tuple(one[4].split(".")), one.start(4) + one[4].rfind(".") + 1
        using = one[1].startswith(("using", "global")) and not one[3]
        if one[5] and one[5].startswith("{"):
            for name in _SCALA_NAME.finditer(lexed.code, one.start(5), one.end(5)):
                found.bring((*parts, name[1]), name[2] or name[1], name.start(1))
        elif one[5] or using:  # everything in it
            found.everything.append(parts)
            found.sites.append((parts, last))
        else:
            found.bring(parts, one[3] or one[6] or parts[-1], last)


_GO: Final = re.compile(r"\b(import\s+(?:\([^()]*\)|(?:[\w.]+\s+)?\0+))")
_GO_ONE: Final = re.compile(r"(?:([\w.]+)[ \t]+)?(\0+)")


def _go(lexed: Lexed, file: str, found: Brought) -> None:
    for one in _GO.finditer(lexed.code):
        found.spans.append(one.span(1))
        for spec in _GO_ONE.finditer(lexed.code, one.start(1) + len("import"), one.end(1)):
            parts = _specified(lexed.text[spec.start(2) : spec.end(2)], file)
            if not parts:
                continue
            plain = parts[-2] if len(parts) > 1 and re.fullmatch(r"v\d+", parts[-1]) else parts[-1]
            if spec[1] == ".":
                found.everything.append(parts)
            else:
                found.bring(parts, spec[1] or plain, spec.start(2), module=True)


_RUST: Final = re.compile(r"\buse\s+")
_PHP: Final = re.compile(r"^[ \t]*use\s+(?:function\s+|const\s+)?(?!\()", re.MULTILINE)
_TREE: Final = re.compile(r"\{|\}|,|\bas\s+(\w+)|\*|[\w$]+")


def _rust(lexed: Lexed, file: str, found: Brought) -> None:
    _trees(lexed.code, _RUST, found)


def _php(lexed: Lexed, file: str, found: Brought) -> None:
    _trees(lexed.code, _PHP, found)


def _trees(code: str, use: re.Pattern[str], found: Brought) -> None:
    """Read what stands between each ``use`` and its semicolon."""
    end = 0
    for one in use.finditer(code):
        if one.start() < end:
            continue
        end = code.find(";", one.end())
        if end < 0:
            return
        found.spans.append((one.start(), end))
        _tree(code, (one.end(), end), found)


def _tree(code: str, span: tuple[int, int], found: Brought) -> None:
    """Read ``a::b::{c, d as e, f::*}``: names in braces, to any depth, each with a name of its own if it has one."""
    outer: list[Parts] = []
    at: Parts = ()
    place, name = span[0], ""

    def close() -> None:
        if at and at != (outer[-1] if outer else ()) and name != "*":
            found.bring(at, name or at[-1], place)

    for token in _TREE.finditer(code, *span):
        match token[0]:
            case "{":
                outer.append(at)
                name = ""
            case "," | "}":
                close()
                if token[0] == "}" and outer:
                    outer.pop()
                    name = "*"  # what stands in the braces was told
                else:
                    at, name = outer[-1] if outer else (), ""
            case "*":
                found.everything.append(at)
                name = "*"
            case "self" if outer and at == outer[-1]:
                found.bring(at, at[-1] if at else "self", token.start())
            case "crate" | "self" | "super":
                at = at or (UNKNOWN,)
            case _ if token[1]:
                name = token[1]
            case word:
                at, place, name = (*at, word), token.start(), ""
    close()


_USING: Final = re.compile(r"\b(using\s+(namespace\s+)?(?:(\w+)\s*=\s*)?([\w:]+)\s*)(?=;)")
_NAMESPACE: Final = re.compile(r"\b(namespace\s+(\w+)\s*=\s*([\w:]+)\s*)(?=;)")


def _cpp(lexed: Lexed, file: str, found: Brought) -> None:
    for one in _USING.finditer(lexed.code):
        found.spans.append(one.span(1))
        parts, last = _scoped(one[4]), one.start(4) + one[4].rfind(":") + 1
        if one[2]:
            found.everything.append(parts)
            found.sites.append((parts, last))
        elif parts:
            found.bring(parts, one[3] or parts[-1], last)
    for one in _NAMESPACE.finditer(lexed.code):
        found.spans.append(one.span(1))
        found.bring(_scoped(one[3]), one[2], one.start(3), module=True)


def _scoped(name: str) -> Parts:
    return tuple(part for part in name.split("::") if part)


_READERS: Final[dict[Imports, Callable[[Lexed, str, Brought], None]]] = {
    Imports.PYTHON: _python,
    Imports.ECMASCRIPT: _ecmascript,
    Imports.DOTTED: _dotted,
    Imports.GO: _go,
    Imports.RUST: _rust,
    Imports.PHP: _php,
    Imports.CPP: _cpp,
}
