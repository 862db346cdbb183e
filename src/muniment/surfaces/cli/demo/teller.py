"""Telling the story: every call is made, shown as it was made, and held against what the story says of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from muniment.errors import MunimentError
from muniment.quick import dataclass, field
from muniment.verbs.plain import plain

if TYPE_CHECKING:
    from muniment.facade.memory import Memory


@dataclass(frozen=True, slots=True)
class Exchange:
    """One call and its answer.

    Args:
        said: The call, as one would write it.
        answered: The answer in a sentence, as the product words it.
        result: The answer as plain data.
        missed: What the story expected and did not get; empty when it went as told.
    """

    said: str
    answered: str
    result: Any
    missed: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the exchange as plain data."""
        return {"said": self.said, "answered": self.answered, "result": self.result, "missed": list(self.missed)}


@dataclass(slots=True)
class Scene:
    """One step of the story.

    Args:
        title: What it shows.
        why: Why it goes as it does, in one line.
        exchanges: The calls that were made.
    """

    title: str
    why: str
    exchanges: list[Exchange] = field(default_factory=list)

    @property
    def as_told(self) -> bool:
        """Whether something was asked, and every answer was the one the story tells of."""
        return bool(self.exchanges) and not any(exchange.missed for exchange in self.exchanges)

    def to_dict(self) -> dict[str, Any]:
        """Return the scene as plain data."""
        exchanges = [exchange.to_dict() for exchange in self.exchanges]
        return {"title": self.title, "why": self.why, "as_told": self.as_told, "exchanges": exchanges}


class Teller:
    """Makes the calls of one scene on a memory.

    Args:
        memory: The memory.
        path: The file it lies in.
    """

    def __init__(self, memory: Memory, path: str) -> None:
        self.memory = memory
        self.path = path
        self.scene = Scene("", "")

    def begin(self, title: str, why: str) -> None:
        """Begin a scene."""
        self.scene = Scene(title, why)

    def call(self, method: str, *given: Any, expect: Mapping[str, Any] | None = None, **named: Any) -> Any:
        """Call a method of the memory and note how it went.

        Args:
            method: Its name, ``log.verify`` for one of a group.
            given, named: Its arguments.
            expect: Members that the answer must have, by name; a callable is asked instead of compared.

        Returns:
            The answer; None if the call failed.
        """
        target: Any = self.memory
        for part in method.split("."):
            target = getattr(target, part)
        return self.note(_written(method, given, named), lambda: target(*given, **named), expect or {})

    def note(self, said: str, ask: Callable[[], Any], expect: Mapping[str, Any]) -> Any:
        """Do something and note how it went."""
        try:
            answer = ask()
        except MunimentError as error:
            self.scene.exchanges.append(Exchange(said, str(error), error.diagnostics(), (f"it failed: {error.code}",)))
            return None
        except Exception as error:  # a fault of the program: the story goes on, and does not end well
            name = type(error).__name__
            self.scene.exchanges.append(Exchange(said, name, None, (f"something went wrong: {name}",)))
            return None
        result = plain(answer)
        missed = tuple(_missed(name, wanted, _member(answer, result, name)) for name, wanted in expect.items())
        exchange = Exchange(said, _sentence(answer, result), result, tuple(filter(None, missed)))
        self.scene.exchanges.append(exchange)
        return answer


def _written(method: str, given: Sequence[Any], named: Mapping[str, Any]) -> str:
    parts = [_quoted(one) for one in given] + [f"{name}={_quoted(one)}" for name, one in named.items()]
    return f"{method}({', '.join(parts)})"


def _quoted(obj: Any) -> str:
    if isinstance(obj, str):
        return '"' + obj.replace('"', "'") + '"'
    return repr(obj)


def _member(answer: Any, result: Any, name: str) -> Any:
    if name == "len":
        return len(answer)
    if isinstance(result, Mapping) and name in result:
        return result[name]
    return plain(getattr(answer, name, None))


def _missed(name: str, wanted: Any, found: Any) -> str:
    if callable(wanted):
        return "" if wanted(found) else f"{name} is not as told"
    return "" if wanted == found else f"{name} should be {wanted!r}"


def _sentence(answer: Any, result: Any) -> str:
    if isinstance(result, list):
        return "\n".join(str(one) for one in answer) or "nothing"
    if hasattr(answer, "rows"):
        return "\n".join(str(one) for one in answer.rows) or "nothing"
    if isinstance(answer, Mapping):
        return ", ".join(f"{name}: {value}" for name, value in result.items())
    return str(answer)
