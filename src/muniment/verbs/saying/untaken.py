"""What of a statement was not taken over: where a claim stands already, its own particulars stay, and that is said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from muniment import jsontext
from muniment.quick import replace
from muniment.store.records import ClaimRow
from muniment.verbs.results import Outcome
from muniment.verbs.saying.prepare import Prepared
from muniment.verbs.views import wording

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

_AMENDED: Final = frozenset({"text", "meta"})
_ENDED: Final = frozenset({"expires_at"})

_AMEND: Final = "correct_text(id, text, meta={…}) gives the claim another wording or more meta."
_END: Final = "end(key, at) says until when it holds."
_RENEW: Final = (
    "A claim with the others takes retract(key_or_id, reason), which withdraws what derives from it as well, and "
    "saying it again with reaffirm=True."
)
"""What to do about each kind of them."""


def told(reader: Reader, said: Prepared, outcome: Outcome, at: int) -> Outcome:
    """Say which arguments of a statement that made no claim are not those of the claim that stands for it.

    Args:
        reader: The transaction.
        said: The statement.
        outcome: What became of it; ``claim_id`` is the claim that was there.
        at: When it was said.

    Returns:
        The outcome; ``why`` names the arguments, ``next`` says what can be done about them.
    """
    if outcome.claim_id is None or (said.text_is_value and not said.how.particulars):
        return outcome
    row = reader.claim(outcome.claim_id)
    if row is None:
        return outcome
    names = tuple(_differing(reader, said, row, at))
    if not names:
        return outcome
    why = f"Not taken over, because that claim is there already: {', '.join(names)}."
    return replace(outcome, why=f"{outcome.why} {why}", next=" ".join(filter(None, (outcome.next, *_advice(names)))))


def _differing(reader: Reader, said: Prepared, row: ClaimRow, at: int) -> Iterator[str]:
    text, meta = wording(reader, row, at)
    if not said.text_is_value and said.text != text:
        yield "text"
    for name in said.how.particulars:
        if _differs(name, said, row, meta):
            yield name


def _differs(name: str, said: Prepared, row: ClaimRow, meta: str | None) -> bool:
    how = said.how
    match name:
        case "expires_at":
            return how.expires_at != row.head.expires_at
        case "confidence":
            return how.confidence != row.head.confidence
        case "about" | "tags":
            return not set(getattr(how, name)) <= set(_read(getattr(row, name), []))
        case "meta":
            kept = _read(meta, {})
            return any(kept.get(key, _NOTHING) != value for key, value in _read(how.meta_text, {}).items())
        case _:
            return bool(getattr(how, name) != getattr(row, name))


_NOTHING: Final = object()


def _read(text: str | None, nothing: Any) -> Any:
    return jsontext.loads(text) if text else nothing


def _advice(names: tuple[str, ...]) -> Iterator[str]:
    if _AMENDED.intersection(names):
        yield _AMEND
    if _ENDED.intersection(names):
        yield _END
    if not _AMENDED.union(_ENDED).issuperset(names):
        yield _RENEW
