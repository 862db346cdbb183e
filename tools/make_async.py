"""Write ``muniment/facade/asynchronous.py``: the asynchronous facade, from the registry of operations.

Run it after an operation was added or changed: ``PYTHONPATH=src python tools/make_async.py``. A test fails where the
module is not what this writes.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from textwrap import wrap
from typing import Any

import muniment.facade.memory as facade
from muniment.facade import terms
from muniment.operation import Access, Operation, operations
from muniment.surfaces.cli.docstrings import describe
from muniment.typenames import known_to

TARGET = Path(__file__).resolve().parents[1] / "src" / "muniment" / "facade" / "asynchronous.py"
WIDTH = 120

HEADER = '''"""AsyncMemory: every operation of Memory, awaited. Written by tools/make_async.py; do not edit.

The names, arguments, results and errors are those of :class:`muniment.Memory`, which documents them.
"""

# fmt: off
from __future__ import annotations

{imports}

class AsyncMemory(AsyncHandle):
    """A memory whose calls are awaited and never block the event loop.

    It takes the arguments of :class:`muniment.Memory`. The store is opened by the first call, or by ``async with``.
    Calls run in a few threads of the store's own: reads beside each other, writes that are under way together in one
    commit. It may be used from several event loops and threads at once, but not across a fork.

    Cancelling a call is safe: a write either happened as a whole or not at all, and none is under way any more when
    the cancellation is seen, so a write that has begun delays it. Give an ``idempotency_key`` to learn which by
    asking again.

    ``progress=`` is called on the event loop, and may be a coroutine function. ``on_change=`` is called in the thread of
    the write; to follow changes on the loop there is :meth:`watch`.

    Example:
        >>> import asyncio
        >>> async def main() -> str:
        ...     async with AsyncMemory(":memory:") as memory:
        ...         await memory.remember("The office is in Berlin", key="office::city", value="Berlin")
        ...         return (await memory.believe("office::city")).value
        >>> asyncio.run(main())
        'Berlin'
    """

'''


class Names:
    """Collects what the annotations of the module need.

    Args:
        home: Modules by the name of what was imported from them.
    """

    def __init__(self) -> None:
        self.imports: dict[str, set[str]] = {}

    def need(self, module: str, name: str) -> None:
        """Import a name from a module."""
        self.imports.setdefault(module, set()).add(name)

    def annotation(self, text: str, where: Any) -> str:
        """Note the names in an annotation, and return it.

        Args:
            text: As written in the source.
            where: The function it stands in.
        """
        for node in ast.walk(ast.parse(text, mode="eval")):
            if isinstance(node, ast.Name) and not hasattr(builtins, node.id):
                found = known_to(where.__module__)[node.id]
                if inspect.ismodule(found):
                    self.need("", found.__name__)
                    continue
                own = getattr(found, "__name__", None) == node.id
                module = getattr(found, "__module__", None) if own else None
                self.need(_public(module) or (terms.__name__ if hasattr(terms, node.id) else where.__module__), node.id)
        return text

    def block(self) -> str:
        """Return the import statements, in the order that the linter wants."""
        whole = [f"import {module}" for module in sorted(self.imports.get("", ()))]
        parts = [module for module in sorted(self.imports) if module]
        stdlib = [self._statement(module) for module in parts if not module.startswith("muniment")]
        ours = [self._statement(module) for module in parts if module.startswith("muniment")]
        return "\n\n".join("\n".join(part) for part in (whole + stdlib, ours) if part) + "\n"

    def _statement(self, module: str) -> str:
        names = sorted(self.imports[module], key=lambda name: (not name.isupper(), name[0].islower(), name))
        return f"from {module} import {', '.join(names)}"


def _public(module: str | None) -> str | None:
    return {"_asyncio": "asyncio"}.get(module, module) if module else None


def parameter(one: inspect.Parameter, names: Names, where: Any) -> str:
    """Return a parameter as it is written in a signature."""
    text = f"{one.name}: {names.annotation(one.annotation, where)}"
    if one.default is one.empty:
        return text
    if not (one.default is None or one.default == () or isinstance(one.default, str | int | float)):
        raise TypeError(f"{where.__qualname__}({one.name}): a default of this type cannot be written down")
    return f"{text} = {one.default!r}".replace("'", '"')


def signature(parameters: Iterable[inspect.Parameter], names: Names, where: Any) -> list[str]:
    """Return the parameters as they are written, with the marks between their kinds."""
    out: list[str] = []
    keyword = False
    for one in parameters:
        if one.kind is one.KEYWORD_ONLY and not keyword:
            out.append("*")
            keyword = True
        out.append(parameter(one, names, where))
    return out


def passed(parameters: Iterable[inspect.Parameter]) -> list[str]:
    """Return the arguments that hand everything on."""
    return [one.name if one.kind is not one.KEYWORD_ONLY else f"{one.name}={one.name}" for one in parameters]


def packed(head: str, items: list[str], tail: str, indent: str) -> str:
    """Return ``head(items)tail`` on one line, or on as many as it takes."""
    line = f"{indent}{head}{', '.join(items)}{tail}"
    if len(line) <= WIDTH:
        return line
    inner = indent + "    "
    lines, current = [], ""
    for item in items:
        if current and len(inner) + len(current) + len(item) + 3 > WIDTH:
            lines.append(f"{inner}{current},")
            current = item
        else:
            current = f"{current}, {item}" if current else item
    return "\n".join([f"{indent}{head}", *lines, f"{inner}{current},", f"{indent}{tail}"])


def method(operation: Operation, names: Names) -> str:
    """Return the asynchronous form of an operation."""
    call = operation.call
    _, *parameters = inspect.signature(call).parameters.values()
    module, holder = holder_of(operation)
    names.need(module, holder)
    result = names.annotation(inspect.signature(call).return_annotation, call)
    way = "_read" if operation.access is Access.READS else "_write"
    head = f"async def {operation.method}("
    given = [f"{holder}.{operation.method}", *passed(parameters)]
    return "\n".join(
        [
            packed(head, ["self", *signature(parameters, names, call)], f") -> {result}:", "    "),
            documented(call, "muniment.Memory" if holder == "Memory" else f"{module}.{holder}"),
            packed(f"return await self.{way}(", given, ")", " " * 8),
        ]
    )


def aside(holder: type, name: str, names: Names) -> str:
    """Return the asynchronous form of a call that belongs to no handle."""
    call = vars(holder)[name].__func__
    parameters = list(inspect.signature(call).parameters.values())
    result = names.annotation(inspect.signature(call).return_annotation, call)
    given = [f"{holder.__name__}.{name}", *passed(parameters)]
    return "\n".join(
        [
            packed(f"async def {name}(", ["self", *signature(parameters, names, call)], f") -> {result}:", "    "),
            documented(call, f"{holder.__module__}.{holder.__name__}"),
            packed("return await self._aside(", given, ")", " " * 8),
        ]
    )


def asides(holder: type) -> list[str]:
    """Return the names of the public calls of a group that belong to no handle."""
    return [name for name, one in vars(holder).items() if isinstance(one, staticmethod) and not name.startswith("_")]


def holder_of(operation: Operation) -> tuple[str, str]:
    """Return the module and the name of the class that an operation is called on."""
    if not operation.group:
        return "muniment.facade.memory", "Memory"
    return operation.call.__module__, operation.call.__qualname__.partition(".")[0]


def documented(call: Any, where: str) -> str:
    """Return the docstring: what it does, and where the rest is told."""
    said = describe(call.__doc__).summary.replace("\n", " ")
    see = f"See :meth:`{where}.{call.__name__}`."
    line = f'{" " * 8}"""{said} {see}"""'
    if len(line) <= WIDTH:
        return line
    told = wrap(f'"""{said}', WIDTH - 8)
    return "\n".join([*(f"        {part}" for part in told), "", f"        {see}", '        """'])


def constructor(names: Names, groups: dict[str, str]) -> str:
    """Return ``__init__`` of the memory: that of ``Memory``, with its groups."""
    init = facade.Memory.__init__
    _, *all_ = inspect.signature(init).parameters.values()
    parameters = [one for one in all_ if not one.name.startswith("_")]
    names.need("muniment.facade.asynchandle", "Parts")
    names.need("muniment.facade.memory", "Memory")
    written = signature(parameters, names, init)
    lines = [
        packed("def __init__(", ["self", *written, "_parts: Parts | None = None"], ") -> None:", "    "),
        packed("super().__init__(lambda: Memory(", passed(parameters), "), _parts)", " " * 8),
    ]
    lines += [
        f"        self.{group} = Async{holder}(self._offload, lambda: self._target().{group})"
        for group, holder in groups.items()
    ]
    return "\n".join(lines)


def render() -> str:
    """Return the module."""
    names = Names()
    names.need("muniment.facade.asynchandle", "AsyncHandle")
    declared = list(operations().values())
    holders = {op.group: holder_of(op)[1] for op in declared if op.group}
    plain = [method(op, names) for op in declared if not op.group]
    parts = ["\n\n".join([constructor(names, holders), *plain]) + "\n"]
    for group, holder in holders.items():
        names.need("muniment.facade.offloading", "Calls")
        own = [method(op, names) for op in declared if op.group == group]
        kind = getattr(import_module(holder_of(next(op for op in declared if op.group == group))[0]), holder)
        own += [aside(kind, name, names) for name in asides(kind)]
        title = f'class Async{holder}(Calls):\n    """``memory.{group}`` of an asynchronous memory."""\n\n'
        parts.append(title + "\n\n".join(own) + "\n")
    return HEADER.replace("{imports}", names.block()) + "\n\n".join(parts)


def main(arguments: list[str]) -> int:
    """Write the module, or with ``--check`` say whether it is as it should be."""
    text = render()
    fresh = TARGET.exists() and TARGET.read_text("utf-8") == text
    if "--check" in arguments:
        return 0 if fresh else 1
    if not fresh:
        TARGET.write_text(text, "utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
