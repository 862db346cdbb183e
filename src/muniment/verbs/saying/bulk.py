"""remember_many: many statements in few transactions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from muniment.errors import MunimentError, ValidationError
from muniment.verbs import checks
from muniment.verbs.context import Context
from muniment.verbs.queued import to_be_asked
from muniment.verbs.results import Outcome
from muniment.verbs.saying.manner import Usual
from muniment.verbs.saying.prepare import Prepared, prepare
from muniment.verbs.saying.remember import write
from muniment.verbs.tables import Listed

if TYPE_CHECKING:
    from muniment.store.protocol import Writer

BATCH: Final = 1_000
"""Statements to a transaction: a tenth quicker than half as many, and twice as many are no quicker; other writers wait a
fifth of a second."""


def remember_many(
    context: Context, statements: Iterable[Mapping[str, Any]], progress: Callable[[int, int], None] | None
) -> list[Outcome]:
    """Write many statements in order. All are checked before the first is stored.

    Args:
        context: Who speaks.
        statements: Dicts with ``text`` and the arguments of ``remember``.
        progress: Called with (done, total) after each transaction.

    Raises:
        MunimentError: What one of them raises; ``details["position"]`` says which. Transactions that were
            committed before it stay.
    """
    checks.function(progress, "progress")
    usual = Usual(context)
    prepared = [_prepared(context, position, given, usual) for position, given in enumerate(_listed(statements))]
    outcomes: Listed[Outcome] = Listed()
    for first in range(0, len(prepared), BATCH):
        batch = prepared[first : first + BATCH]

        def work(writer: Writer, batch: list[Prepared] = batch, first: int = first) -> list[Outcome]:
            done: list[Outcome] = []
            try:
                for said in batch:
                    done.append(write(context, writer, said))
            except MunimentError as error:
                error.details.setdefault("position", first + len(done))
                raise
            return done

        written = context.store.write(context.namespace, work)
        to_be_asked(context, *written)
        outcomes.extend(written)
        if progress is not None:
            progress(len(outcomes), len(prepared))
    return outcomes


def _listed(statements: Any) -> list[Mapping[str, Any]]:
    if isinstance(statements, str | bytes | Mapping) or not isinstance(statements, Iterable):
        raise ValidationError(
            f"statements must be a list of dicts, not {type(statements).__name__}.", advice='[{"text": "…"}, …]'
        )
    return list(statements)


def _prepared(context: Context, position: int, given: Any, usual: Usual) -> Prepared:
    if not isinstance(given, Mapping):
        raise ValidationError("Each statement must be a mapping.", advice='{"text": "…"}', position=position)
    if not _NAMES.issuperset(given):
        raise ValidationError(
            "A statement has an unknown argument.", advice=f"Known: {', '.join(sorted(ARGUMENTS))}.", position=position
        )
    rest = {name: value for name, value in given.items() if name != "text" and value is not None}
    try:
        return prepare(context, given.get("text"), rest, usual.of(rest))
    except MunimentError as error:
        error.details.setdefault("position", position)
        raise


ARGUMENTS: Final = frozenset(
    {
        "key", "value", "channel", "source", "author", "about", "kind", "valid_from", "valid_to", "confidence",
        "valid_confidence", "cardinality", "expires_at", "derived_from", "tags", "meta", "criticality", "priority",
        "session", "reason", "reaffirm", "correct", "opinion", "expect", "idempotency_key",
    }
)  # fmt: skip
"""What ``remember`` takes beside the text."""

_NAMES: Final = ARGUMENTS | {"text"}
