"""Bad input to what makes handles: opening, narrowing, changing the namespace, and the settings behind them.

These are no operations of the registry, so they have a table of their own; what it says is checked in the same way.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from input import kinds as k
from input.bad import BLANKS, CANARY, CONTROLS, NEWLINES, SURROGATES, Bad, Make, leaks, types_but
from input.cells import Absent, Fine, Kind, Refused, fine, kind, refused
from input.world import Watch, World
from muniment import Memory, MunimentError, NotFoundError, PermissionDenied, ValidationError, settings

PART = k.SHORT.but("ana", huge=refused(CANARY * 30))
NAMESPACE = k.SHORT.but("other", huge=refused(CANARY * 30), blank=refused(*BLANKS, f" {CANARY}", f"{CANARY} "))
PATH = kind(
    Make(lambda world: world.path), "A path",
    absent="deep not_finite range date cursor shape elsewhere unknown",
    nothing=Absent("then the settings say where; tests/surfaces asks that"),
    type=refused(*types_but("str")),
    empty=refused(""), blank=refused(*BLANKS),
    huge=refused(CANARY * 50, "/".join([CANARY] * 1000)),
    surrogate=refused(*SURROGATES), control=refused(f"{CANARY}\0"),
)  # fmt: skip
SCOPE = kind(
    {"user": "ana", "project": "moon"}, "A scope",
    absent="deep not_finite range date cursor shape elsewhere",
    type=refused(*types_but("dict"), {"user": 7}, {"user": [CANARY]}, {7: CANARY}, {"user": CANARY.encode()}),
    empty=(refused({"user": ""}), fine({})), blank=refused(*({"user": blank} for blank in BLANKS)),
    huge=refused({"user": CANARY * 30}),
    surrogate=refused(*({"agent": text} for text in SURROGATES)),
    control=refused(*({"session": text} for text in (*CONTROLS, *NEWLINES))),
    unknown=refused({CANARY: "x"}, {"user": "ana", "User": CANARY}),
)  # fmt: skip
SECONDS = kind(
    2.5, "A time to wait",
    absent="deep unknown date cursor shape elsewhere surrogate control",
    type=refused(*types_but("int", "float"), "5", Decimal(5)),
    empty=refused(""), blank=refused(*BLANKS), huge=refused(10**400, 10**5000, 1e300),
    not_finite=refused(float("nan"), float("inf"), float("-inf"), "nan"),
    range=(refused(-1, -0.001, 86_401), fine(0, 86_400)),
)  # fmt: skip
INJECTED = kind(
    None, "What is injected",
    absent="blank huge deep surrogate control not_finite range unknown date cursor shape elsewhere",
    type=refused(*types_but("hostile", "object"), object()), empty=refused("", []),
)  # fmt: skip

CALLBACK = k.PROGRESS.but(Make(lambda world: lambda change: None))

HANDLES: dict[str, dict[str, Kind]] = {
    "Memory": {
        "path": PATH,
        "namespace": NAMESPACE,
        "scope": SCOPE,
        "channel": k.CHANNEL.but(nothing=refused(None)),
        "author": k.SHORT,
        "session": k.SHORT,
        "roles": k.choices(["reader", "writer"]),
        "clock": INJECTED,
        "ids": INJECTED,
        "entropy": INJECTED,
        "busy_seconds": SECONDS,
        "on_change": CALLBACK,
        "adjudicator": CALLBACK.but(
            Make(lambda world: lambda request: None),
            type=refused(*types_but("function", "str")),
            empty=refused("", []),
            unknown=refused(CANARY),
        ),
        "embedder": CALLBACK.but(
            Make(lambda world: lambda texts: [[1.0] for _ in texts]),
            type=refused(*types_but("function", "str")),
            empty=refused("", []),
            unknown=(
                refused(CANARY, f"minilm:{CANARY}", f"ftp://{CANARY}", f"http://{CANARY}"),
                refused(f"onnx:{CANARY}", error=NotFoundError),
            ),
            huge=refused(f"onnx:{CANARY * 50}", error=NotFoundError),
        ),
        "reranker": CALLBACK.but(
            Make(lambda world: lambda query, texts: [1.0 for _ in texts]),
            type=refused(*types_but("function", "class", "str")),
            empty=refused("", []),
            blank=refused(*BLANKS),
            huge=refused(CANARY * 50, "/".join([CANARY] * 1000), error=NotFoundError),
            surrogate=refused(*SURROGATES, error=NotFoundError),
            control=refused(*CONTROLS, *NEWLINES, error=NotFoundError),
            unknown=refused(CANARY, Path(CANARY), error=NotFoundError),
        ),
    },
    "scoped": {"user": PART, "agent": PART, "session": PART, "project": PART},
    "namespace": {"name": NAMESPACE.needed()},
}


def makes(world: World, name: str) -> Callable[..., Memory]:
    """Return what makes a handle: on the world's file, or from its memory."""
    if name == "Memory":
        return lambda **given: Memory(**{"path": world.path, **given})
    made: Callable[..., Memory] = getattr(world.memory, name)
    return made


def cells(wanted: type[Any]) -> Iterator[Any]:
    for name, arguments in HANDLES.items():
        for argument, declared in arguments.items():
            for bad in Bad:
                for cell in declared.cells.get(bad, ()):
                    if isinstance(cell, wanted):
                        yield pytest.param(name, argument, cell, id=f"{name}-{argument}-{bad.name.lower()}")


def test_every_argument_says_what_every_class_does_to_it() -> None:
    signatures = {"Memory": Memory.__init__, "scoped": Memory.scoped, "namespace": Memory.namespace}
    assert set(HANDLES) == set(signatures)
    for name, function in signatures.items():
        public = [one for one in inspect.signature(function).parameters if one != "self" and not one.startswith("_")]
        assert list(HANDLES[name]) == public
        assert [(one, bad) for one in public for bad in Bad if not HANDLES[name][one].cells.get(bad)] == []


@pytest.mark.parametrize(("name", "argument", "cell"), list(cells(Refused)))
def test_a_bad_argument_makes_no_handle_and_leaves_no_trace(
    shared: tuple[World, Watch], monkeypatch: pytest.MonkeyPatch, name: str, argument: str, cell: Refused
) -> None:
    world, watch = shared
    monkeypatch.chdir(world.folder)
    before, files = watch.look(), sorted(Path(world.folder).iterdir())
    for number, value in enumerate(cell.values):
        made = value.of(world) if isinstance(value, Make) else value
        with pytest.raises(MunimentError) as caught:
            makes(world, name)(**{argument: made})
        error = caught.value
        assert type(error) is cell.error, f"value {number}: {error.message}"
        assert error.message.strip() and error.advice.strip(), f"value {number}: {error.message}"
        assert leaks(error, made) == [], f"value {number}"
    assert watch.look() == before
    assert sorted(Path(world.folder).iterdir()) == files


@pytest.mark.parametrize(("name", "argument", "cell"), list(cells(Fine)))
def test_what_looks_odd_and_is_legal_makes_a_handle(filed: World, name: str, argument: str, cell: Fine) -> None:
    for value in cell.values:
        made = value.of(filed) if isinstance(value, Make) else value
        with makes(filed, name)(**{argument: made}) as handle:
            assert handle.location


@pytest.mark.parametrize(
    ("name", "argument"), [(name, argument) for name, arguments in HANDLES.items() for argument in arguments]
)
def test_a_legal_value_makes_a_handle(filed: World, name: str, argument: str) -> None:
    good = HANDLES[name][argument].good
    with makes(filed, name)(**{argument: good.of(filed) if isinstance(good, Make) else good}) as handle:
        assert handle.stats()["entries"] >= 2


@pytest.mark.parametrize(
    "given", [{"namespace": "\0"}, {"scope": {"user": ""}}, {"channel": CANARY}, {"author": ""}, {"roles": [CANARY]}]
)
def test_a_bad_argument_makes_no_store(tmp_path: Path, given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Memory(tmp_path / "deeper" / "memory.muniment", **given)
    assert list(tmp_path.iterdir()) == []


def test_a_scope_is_only_ever_narrowed(world: World) -> None:
    ana = world.memory.scoped(user="ana")
    assert ana.scoped(user="ana", project="moon").scope.as_dict() == {"user": "ana", "project": "moon"}
    for other in ("eve", "Ana", "ana2"):
        with pytest.raises(PermissionDenied) as caught:
            ana.scoped(user=other)
        assert caught.value.advice
        assert leaks(caught.value, None) == []


# --- settings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BUSY_SECONDS", "1e9"), ("BUSY_SECONDS", CANARY), ("BUSY_SECONDS", "nan"), ("BUSY_SECONDS", "inf"), ("BUSY_SECONDS", "-1"),
        ("CHANNEL", CANARY), ("CHANNEL", "USER"), ("NAMESPACE", f" {CANARY}"), ("NAMESPACE", CANARY * 30),
        ("AUTHOR", f"{CANARY}\n"), ("AUTHOR", CANARY * 100), ("PATH", f"~{CANARY}/memory"), ("PATH", CANARY * 50),
        ("ECHO", CANARY), ("BOUNDARY", CANARY), ("ADJUDICATOR", CANARY), ("ADJUDICATOR", "model"),
    ],
)  # fmt: skip
def test_a_setting_that_makes_no_sense_is_refused_when_it_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(f"MUNIMENT_{name}", value)
    with pytest.raises(ValidationError) as caught:
        Memory(None if name == "PATH" else tmp_path / "memory.muniment")
    error = caught.value
    assert error.message and error.advice
    assert leaks(error, value) == []


@pytest.mark.parametrize("name", settings.BOUNDS)
def test_a_number_among_the_settings_lies_within_its_bounds(name: str) -> None:
    low, high = settings.BOUNDS[name]
    for number in (low, high):
        assert settings.number(name, 1, {f"MUNIMENT_{name}": str(number)}) == number
    for text in (CANARY, "nan", "-inf", str(low - 1), str(high + 1), "1e300", "1" * 400):
        with pytest.raises(ValidationError) as caught:
            settings.number(name, 1, {f"MUNIMENT_{name}": text})
        assert f"from {low} to {high}" in caught.value.message and leaks(caught.value, text) == []
    if name in settings.WHOLE:
        with pytest.raises(ValidationError):
            settings.number(name, 1, {f"MUNIMENT_{name}": "1.5"})


def test_a_wait_is_bounded_alike_in_an_argument_and_in_its_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    low, high = settings.BOUNDS["BUSY_SECONDS"]
    for seconds in (low - 1, low, high, high + 1):
        told = []
        for given in ({"busy_seconds": seconds}, {}):
            monkeypatch.setenv("MUNIMENT_BUSY_SECONDS", str(seconds))
            try:
                Memory(":memory:", **given).close()
                told.append(None)
            except MunimentError as error:
                told.append(error.code)
        assert told[0] == told[1]


def test_every_setting_that_is_read_as_a_number_has_bounds() -> None:
    read = re.compile(r'settings\.number\("(\w+)"')
    sources = Path(settings.__file__).parent.rglob("*.py")
    assert {name for file in sources for name in read.findall(file.read_text())} == set(settings.BOUNDS)
