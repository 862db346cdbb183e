"""The pages of operations: one section each, from its declaration and its docstring."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from textwrap import dedent

from muniment.operation import Access, Operation
from muniment.surfaces.cli import generate, naming
from muniment.surfaces.cli.docstrings import describe

_SECTION = re.compile(r"^(Args|Returns|Raises|Example|Examples|Yields|Note):\s*$")
_ROLE = re.compile(r":\w+:`~?\.?([^`]+)`")
_DOES = {Access.READS: "reads", Access.WRITES: "writes", Access.DESTROYS: "destroys"}


def anchor(operation: Operation) -> str:
    """Return the name under which a section can be linked to."""
    return operation.name.replace(".", "")


def sections(docstring: str | None) -> dict[str, str]:
    """Return the sections of a docstring by name, without their indentation."""
    found: dict[str, list[str]] = {"": []}
    name = ""
    for line in inspect.cleandoc(docstring or "").splitlines():
        match = _SECTION.match(line)
        if match:
            name = match.group(1)
            found[name] = []
        else:
            found[name].append(line)
    return {name: dedent("\n".join(lines)).strip("\n") for name, lines in found.items()}


def marked(text: str) -> str:
    """Return prose with Markdown in place of reStructuredText."""
    return _ROLE.sub(r"`\1`", text).replace("``", "`")


def signature(operation: Operation) -> str:
    """Return how an operation is called."""
    where = f"memory.{operation.group}." if operation.group else "memory."
    return written(operation.call, f"{where}{operation.method}")


def written(function: Callable[..., object], head: str) -> str:
    """Return how a method is called, one argument to a line where there are many.

    Args:
        function: The method.
        head: What stands before its arguments.
    """
    parts, keyword = [], False
    for one in inspect.signature(function).parameters.values():
        if one.name == "self":
            continue
        if one.kind is one.KEYWORD_ONLY and not keyword:
            parts.append("*")
            keyword = True
        default = "" if one.default is one.empty else f" = {one.default!r}".replace("'", '"')
        parts.append(f"{one.name}: {one.annotation}{default}")
    tail = f") -> {inspect.signature(function).return_annotation}"
    line = f"{head}({', '.join(parts)}{tail}"
    return line if len(line) <= 100 else "\n".join([f"{head}(", *[f"    {part}," for part in parts], tail])


def raises(text: str) -> list[tuple[str, str]]:
    """Return the errors of a section, each with when it is raised."""
    rows: list[tuple[str, str]] = []
    for line in text.splitlines():
        name, colon, when = line.partition(": ")
        if colon and re.fullmatch(r"[A-Z]\w+(, [A-Z]\w+)*", name):
            rows.append((", ".join(f"`{one}`" for one in name.split(", ")), when))
        elif rows:
            rows[-1] = (rows[-1][0], f"{rows[-1][1]} {line.strip()}")
    return rows


def section(operation: Operation, table: Callable[[Iterable[str], Iterable[Iterable[str]]], str]) -> str:
    """Return the section of an operation."""
    parts = sections(operation.call.__doc__)
    facts = [
        _DOES[operation.access],
        f"role `{operation.role}`",
        "calling it twice is as good as once" if operation.idempotent else "",
        "reaches outside the store" if operation.open_world else "",
        f"command `muniment {naming.command_name(operation)}`",
    ]
    out = [f"## {operation.name}", marked(parts[""]), "*" + " · ".join(fact for fact in facts if fact) + "*"]
    out.append(f"```pyi\n{signature(operation)}\n```")
    meanings = generate.meanings(operation)
    named = [name for name in inspect.signature(operation.call).parameters if name != "self"]
    if named:
        out.append(table(("argument", "meaning"), [(f"`{name}`", meanings.get(name, "")) for name in named]).strip())
    if "Returns" in parts:
        out.append(f"Returns: {marked(parts['Returns'])}")
    if "Raises" in parts:
        rows = [(error, marked(when)) for error, when in raises(parts["Raises"])]
        out.append(table(("error", "when"), rows).strip())
    if "Example" in parts:
        out.append(f"```pycon\n{parts['Example']}\n```")
    return "\n\n".join(out) + "\n"


def page(
    profile: str,
    purpose: str,
    declared: Sequence[Operation],
    table: Callable[[Iterable[str], Iterable[Iterable[str]]], str],
) -> str:
    """Return the page of a profile."""
    rows = [(f"[{op.name}](#{anchor(op)})", _first(op)) for op in declared]
    head = f"# Operations: {profile}\n\n{purpose}\n\n{table(('operation', 'what it does'), rows)}"
    return "\n".join([head, *[section(op, table) for op in declared]])


def _first(operation: Operation) -> str:
    return marked(describe(operation.call.__doc__).summary.partition(". ")[0].rstrip(".") + ".")


def undocumented(declared: Iterable[Operation]) -> list[str]:
    """Return what of the operations has no description: the operation itself, an argument, its result."""
    out: list[str] = []
    for op in declared:
        parts = sections(op.call.__doc__)
        meanings = generate.meanings(op)
        if not parts[""].strip():
            out.append(op.name)
        named = [name for name in inspect.signature(op.call).parameters if name != "self"]
        out += [f"{op.name}({name})" for name in named if not meanings.get(name, "").strip()]
    return out
