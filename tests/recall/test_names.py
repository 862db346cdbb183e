"""What is asked of one thing is answered of that thing, whatever else is filed under half of its name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from muniment import Memory
from reference.helpers import texts

ASKED = "Which port does Duleke Tukoro listen on?"
WANTED = "Duleke Tukoro listens on port 52061."


@pytest.fixture
def memory() -> Iterator[Memory]:
    """Many things with half of the name asked for, each with a port of its own, filed under their keys or not."""
    with Memory(":memory:") as made:
        for n, name in enumerate(("Manuma", "Gidebo", "Kavuna", "Nofanu", "Telepi", "Betafi", "Fogeri", "Memisa")):
            made.remember(f"{name} Tukoro listens on port {n}.", key=f"{name} Tukoro::port", value=n, session=f"a{n}")
            made.remember(f"Duleke {name} listens on port {n}0.", key=f"Duleke {name}::port", value=n, session=f"b{n}")
            made.remember(f"The port of {name} is open.", tags=["Tukoro", "port"], session=f"c{n}")
            made.remember(f"{name} was mentioned in a talk on gardens", session=f"d{n}")
        yield made


def test_a_note_that_names_the_thing_comes_before_keys_that_half_name_it(memory: Memory) -> None:
    memory.remember(WANTED, session="z")
    assert texts(memory, ASKED, k=1) == [WANTED]


def test_a_key_that_names_the_thing_comes_first_though_its_text_does_not(memory: Memory) -> None:
    memory.remember("It listens on 52061.", key="Duleke Tukoro::port", value=52061, session="z")
    assert texts(memory, ASKED, k=1) == ["It listens on 52061."]


def test_what_was_said_beside_it_does_not_lift_another_thing_over_it(memory: Memory) -> None:
    """Unrelated facts that were told in one breath lend each other nothing that matters."""
    said = [WANTED, *(f"Duleke {name} listens on port 7." for name in ("Rotamo", "Nekuzu", "Lipiku", "Falofu"))]
    memory.remember_many({"text": text} for text in reversed(said))
    assert texts(memory, ASKED, k=1) == [WANTED]
