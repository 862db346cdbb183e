"""Reviewers: whose signature proves a person. Their keys are registered and revoked in the log (semantics §7).

There is no table of keys: which ones stand follows from the entries, and what each says is opened against its entry
whenever a token is checked. So a key that is slipped into the file, or one whose revocation is taken out, proves
nothing unless the log itself is forged, which verify tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from muniment import jsontext
from muniment.beliefs.state import Disposition, Ruling
from muniment.claims.channels import RANK, Channel
from muniment.claims.moments import format_instant
from muniment.claims.text import check_text
from muniment.errors import ConflictError, NotFoundError, PermissionDenied, TamperedError, ValidationError
from muniment.ledger.base64url import hash_to_text
from muniment.ledger.commitments import commit_record
from muniment.ledger.entries import EntryType, RefRole
from muniment.quick import dataclass
from muniment.store.records import EntryRow
from muniment.verbs import checks, journal, judgements, persons
from muniment.verbs.context import Context, present, tick
from muniment.verbs.requests import answered, keep, outcome_of, request_of
from muniment.verbs.results import Outcome, ReviewerKey
from muniment.verbs.tables import Rows

if TYPE_CHECKING:
    from muniment.ledger.keys import VerifyingKey
    from muniment.store.protocol import Reader, Writer

ROLE: Final = "role"
"""The fact which role a key is for."""

REVIEWER: Final = "reviewer"


@dataclass(frozen=True, slots=True)
class _Known:
    entry: EntryRow
    key: VerifyingKey
    revoked_at: int | None


def add_reviewer(context: Context, key: Any, given: Mapping[str, Any]) -> Outcome:
    """Register the public key of a reviewer.

    Args:
        context: Who registers it; needs the role admin.
        key: The key as text (a vkey of an Ed25519 note key).
        given: reason, idempotency_key.

    Raises:
        ConflictError: If the key, or another one of its name, is registered and stands, or the key was revoked.
        ValidationError: If the key is malformed or of another type.
    """
    from muniment.ledger.keys import ED25519, parse_vkey

    context.require("admin")
    text = check_text(key, "key", limit_bytes=1024, allow_newlines=False)
    parsed = parse_vkey(text)
    if parsed.kind != ED25519:
        raise ValidationError("A reviewer's key must be a note key (type 1).", advice="Make one with reviewer-key.")
    fields = {"key": text.encode(), "author": context.author.encode(), **_reason(given)}

    def work(writer: Writer) -> Outcome:
        for known in _registered(writer):
            if known.revoked_at is not None and known.key.public == parsed.public:
                raise ConflictError("This key was revoked, for good.", advice="Let the reviewer make another one.")
            if known.revoked_at is None and (known.key.name == parsed.name or known.key.public == parsed.public):
                raise ConflictError("This key, or one of this name, is registered.", advice="Revoke the other first.")
        ruling = Ruling(Disposition.KEY_ADDED, why="Tokens signed with this key prove a person from now on.")
        return _log(context, writer, EntryType.KEY_ADD, ruling, fields, ())

    return _written(context, "add_reviewer", (text,), given, work)


def revoke_reviewer(context: Context, key: Any, given: Mapping[str, Any]) -> Outcome:
    """Revoke the key of a reviewer: from now on it proves nothing. What it decided stays decided.

    Args:
        context: Who revokes it; needs the role admin.
        key: The key as text, its name, or the entry that registered it.
        given: reason, idempotency_key.

    Raises:
        NotFoundError: If no such key stands.
    """
    context.require("admin")
    text = check_text(key, "key", limit_bytes=1024, allow_newlines=False)
    fields = {"author": context.author.encode(), **_reason(given)}

    def work(writer: Writer) -> Outcome:
        for known in _registered(writer):
            if known.revoked_at is None and text in (known.key.vkey, known.key.name, known.entry.id):
                ruling = Ruling(Disposition.KEY_REVOKED, why="Tokens signed with this key prove nothing from now on.")
                return _log(context, writer, EntryType.KEY_REVOKE, ruling, fields, ((RefRole.TARGET, known.entry.id),))
        raise NotFoundError("No such reviewer key is registered and stands.", advice="reviewers() lists them.")

    return _written(context, "revoke_reviewer", (text,), given, work)


def reviewers(context: Context) -> Rows[ReviewerKey]:
    """List the keys of reviewers, revoked ones too, in the order in which they were registered."""

    def work(reader: Reader) -> Rows[ReviewerKey]:
        return Rows(
            ReviewerKey(
                known.key.name, known.key.vkey, format_instant(known.entry.at),
                None if known.revoked_at is None else format_instant(known.revoked_at), known.entry.id,
            )
            for known in _registered(reader)
        )  # fmt: skip

    return context.store.read(context.namespace, work)


def check_token(context: Context, writer: Writer, token: str, item: str, verdict: str) -> persons.Person:
    """Return the proof that a token is, for one verdict on one item.

    Raises:
        PermissionDenied: If it was signed for anything else, by nobody who is registered, has expired or was used.
        ValidationError: If it is malformed.
    """
    from muniment.ledger.tokens import key_name, read_token

    said, signed, signature = read_token(token)
    named = [known for known in _registered(writer) if key_name(known.key) == said.key]
    signer = next((known for known in named if known.key.verifies(signed, signature)), None)
    if signer is None:
        raise _refused("No registered reviewer signed the token.")
    if signer.revoked_at is not None:
        raise _refused("The key that signed the token was revoked.")
    if said.namespace != context.namespace:
        raise _refused("The token is for another namespace.")
    if said.item != item:
        raise _refused("The token is for another item.")
    if said.verdict != verdict:
        raise _refused("The token is for another verdict.")
    if verdict == "both":
        raise _refused("A token covers no period and no scope, so it cannot say both.")
    if said.expires <= present(context, writer.ns):
        raise _refused("The token has expired.")
    if _used(writer, item, said.version):
        raise _refused("The item was decided since the token was signed.")
    return persons.bearer(signer.key.name, item, verdict, said.version)


def _used(writer: Writer, item: str, version: str) -> bool:
    """Say whether a verdict was given on an item after a version of its line, so that a token serves once."""
    row = writer.item(item) if checks.is_id(item) else None
    shown = writer.entry(version) if checks.is_id(version) else None
    if row is None or shown is None:
        return False  # told elsewhere: there is no such item, or it never showed this version
    return any(
        entry.idx > shown.idx
        and entry.type == EntryType.VERDICT
        and judgements.facts_of(entry)[1].get(judgements.ITEM) == item
        for entry in writer.decisions(row.line)
    )


def _registered(reader: Reader) -> list[_Known]:
    """Return the keys of reviewers, as the log has them."""
    from muniment.ledger.keys import parse_vkey

    revoked: dict[str, int] = {}
    added: list[tuple[EntryRow, str]] = []
    for entry in reader.key_entries():
        refs, facts = judgements.facts_of(entry)
        if facts.get(ROLE) != REVIEWER:
            continue
        if entry.type == EntryType.KEY_REVOKE:
            revoked.update({id_: entry.at for role, id_ in refs if role == RefRole.TARGET})
            continue
        text = _opened(reader, entry)
        if text is not None:
            added.append((entry, text))
    return [_Known(entry, parse_vkey(text), revoked.get(entry.id)) for entry, text in added]


def _opened(reader: Reader, entry: EntryRow) -> str | None:
    """Return the key that an entry registered, opened against it; None once it was erased."""
    kept = reader.reason(entry.id)
    if kept is None:
        return None
    try:
        fields = {name: value.encode() for name, value in jsontext.loads(kept[0]).items()}
        sound = hash_to_text(commit_record(kept[1], fields)[0]) == jsontext.loads(entry.leaf).get("rec")
        key: str = fields["key"].decode()
    except (ValueError, KeyError, AttributeError):
        sound, key = False, ""
    if not sound:
        raise TamperedError("A reviewer's key is not the one that was registered.", advice="Run verify.")
    return key


def _reason(given: Mapping[str, Any]) -> dict[str, bytes]:
    if given.get("reason") is None:
        return {}
    return {"reason": check_text(given["reason"], "reason", limit_bytes=65_536).encode()}


def _written(context: Context, verb: str, asked: tuple[str, ...], given: Mapping[str, Any], work: Any) -> Outcome:
    request = request_of(context, context.author, given.get("idempotency_key"), verb, *asked, given.get("reason"))

    def transaction(writer: Writer) -> Outcome:
        first = None if request is None else answered(writer, request)
        if first is not None:
            return outcome_of(first)
        outcome: Outcome = work(writer)
        if request is not None:
            keep(writer, request, outcome)
        return outcome

    return context.store.write(context.namespace, transaction)


def _log(
    context: Context, writer: Writer, type_: EntryType, ruling: Ruling, fields: Mapping[str, bytes],
    refs: tuple[tuple[str, str], ...],
) -> Outcome:  # fmt: skip
    at = tick(context, writer.ns)
    channel: Channel = context.ceiling
    draft = journal.Draft(
        context.ids.new(at), type_, at, None, channel.value, int(RANK[channel]), ruling, fields,
        context.entropy.token(32), refs, extra={ROLE: REVIEWER},
    )  # fmt: skip
    entry = journal.append(writer, draft, {})
    writer.add_reason(entry, journal.note_text(fields), draft.salt)
    return Outcome(ruling.disposition, None, False, why=ruling.why, entry_id=entry.id)


def _refused(message: str) -> PermissionDenied:
    return PermissionDenied(message, advice="Let a reviewer look at the item and sign it as it is now.")
