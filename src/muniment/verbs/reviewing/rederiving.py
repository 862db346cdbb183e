"""rederive: what derives from a claim that no longer holds, said anew from what holds instead (semantics §6).

A plan first: nothing is written unless it is asked for. A rewritten text is a proposal, and whoever has it carried out
says it, under their own name and channel; the gate judges it like anything else that is said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from muniment import jsontext
from muniment.beliefs.fold import Status
from muniment.claims.channels import Channel, weakest
from muniment.claims.intervals import contains
from muniment.claims.keys import parse_key
from muniment.claims.scopes import Scope, visible_scopes
from muniment.claims.text import check_text, stand_in_text
from muniment.claims.values import Value, text_value_lookalike
from muniment.errors import MunimentError, NotFoundError, ValidationError
from muniment.protocols import Chat
from muniment.quick import dataclass, field, replace
from muniment.store.records import ClaimRow, LineRow
from muniment.verbs import checks
from muniment.verbs.believing.folding import fold_line
from muniment.verbs.checks import is_id
from muniment.verbs.context import Context, present
from muniment.verbs.identities import line_identity
from muniment.verbs.policies import holds_many
from muniment.verbs.queued import to_be_asked
from muniment.verbs.reviewing.proposals import Change, Proposal, Proposals, Rewriting, reworded
from muniment.verbs.reviewing.proposing import put, say, worded_by
from muniment.verbs.saying.prepare import Prepared, prepare
from muniment.verbs.views import key_text, listed, stated, value_of, verified, wording

if TYPE_CHECKING:
    from muniment.store.protocol import Reader

Rewrite = Callable[[Rewriting], Any]

MAX_DESCENDANTS: Final = 1_000
"""Descendants that one call looks at."""


@dataclass(frozen=True, slots=True)
class Node:
    """A descendant as it stands.

    Args:
        row: The claim.
        line: Its line.
        text, value: Its wording and value now.
        withdrawn: Whether it was withdrawn with its parent (else it is under review).
    """

    row: ClaimRow
    line: LineRow
    text: str
    value: Any
    withdrawn: bool


@dataclass(slots=True)
class Family:
    """A claim that no longer holds, what holds instead, and all that derives from it, parents first.

    Args:
        changes: What each claim that no longer holds is replaced by, by id.
        nodes: The descendants, parents before children.
        gone: Parents without a replacement.
        now: The present.
    """

    changes: dict[str, Change] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)
    gone: set[str] = field(default_factory=set)
    now: int = 0
    why: str = ""


def rederive(
    context: Context,
    target: Any,
    rewrite: Rewrite | None = None,
    execute: Any = False,
    propose: Any = False,
    chat: Chat | None = None,
    **given: Any,
) -> Proposals:
    """Propose what the descendants of a claim should say, now that it no longer holds; and say it if told.

    Args:
        context: Who asks.
        target: The id of a claim, or a key: then every claim of the line that no longer holds.
        rewrite: Called with a :class:`Rewriting`; returns a text, a dict of text and value, or None. Without one, a
            descendant whose value quotes the old value is given the new one in its place.
        execute: Write the proposals that could be made.
        propose: Put them into the review inbox instead, each as an item of kind ``proposal``.
        chat: A model that words what does not follow from the words. What it words is said as ``model`` at most.

    Raises:
        NotFoundError: If there is no such claim or line here.
        ValidationError: If an argument, or what ``rewrite`` returned, is malformed.
    """
    name = check_text(target, "key or claim id", limit_bytes=4096)
    checks.function(rewrite, "rewrite")
    checks.function(chat, "chat")
    if rewrite is not None and chat is not None:
        raise ValidationError("Either rewrite or chat words a descendant.", advice="Leave one of them out.")
    acts = [
        act for act, told in ((say, checks.flag(execute, "execute")), (put, checks.flag(propose, "propose"))) if told
    ]
    if len(acts) > 1:
        raise ValidationError("execute says the proposals, propose only puts them forward.", advice="Pass one of them.")
    channel = context.channel(given.get("channel"))
    reason = None if given.get("reason") is None else check_text(given["reason"], "reason", limit_bytes=65_536)
    family = context.store.read(context.namespace, lambda reader: _family(context, reader, name))
    rows = proposals_of(family, rewrite, chat)
    if any(p.ready and p.key is None for p in rows):
        rows = context.store.read(context.namespace, lambda reader: _fresh(context, reader, rows))
    proposals = Proposals(tuple(rows), family.why)
    if not acts or not any(p.ready for p in proposals.rows):
        return proposals
    explicit = {"channel": channel} if given.get("channel") is not None else {}
    said = {
        p.claim_id: _prepared(context, family, p, {**explicit, "reason": reason}) for p in proposals.rows if p.ready
    }
    done = context.store.write(context.namespace, lambda writer: acts[0](context, writer, proposals, said))
    to_be_asked(context, *[row.outcome for row in done.rows if row.outcome is not None])
    return done


# What there is -----------------------------------------------------------------------------------------------------


def _family(context: Context, reader: Reader, name: str) -> Family:
    line, claim = _target(context, reader, name)
    family = Family(now=present(context, reader.ns))
    rows = [claim] if claim is not None else reader.claims_of(line.id)
    roots = [row for row in rows if not contains(reader.held_by(row.head.id, family.now), family.now)]
    if not roots:
        family.why = "It holds, so nothing that derives from it is in doubt."
        return family
    heir = _heir(context, reader, line, family.now)
    if heir is None:
        family.gone = {root.head.id for root in roots}
        family.why = "Nothing holds in its place, so there is nothing to say instead."
    else:
        new, since = _shown(reader, heir, family.now), stated(heir)[0]
        for root in roots:
            verified(reader, root, line.label)
            family.changes[root.head.id] = Change(_shown(reader, root, family.now), new, heir.head.id, since=since)
    _gather(context, reader, family, [root.head.id for root in roots])
    return family


def _target(context: Context, reader: Reader, name: str) -> tuple[LineRow, ClaimRow | None]:
    """Find a claim, or the line of a key in the narrowest scope that the caller sees it in."""
    if is_id(name):
        claim = reader.claim(name)
        line = None if claim is None else reader.line_by_id(claim.line)
        if line is None or not Scope.from_text(line.scope).visible_to(context.scope):
            raise NotFoundError("There is no such claim here.", advice="Ids come from outcomes, hits and history.")
        return line, claim
    key = parse_key(name)
    for scope in visible_scopes(context.scope):
        line = reader.line(line_identity(context.pepper, scope.text, key.text))
        if line is not None:
            return line, None
    raise NotFoundError("Nothing was ever said under this key here.", advice="Check the key, or the handle's scope.")


def _heir(context: Context, reader: Reader, line: LineRow, now: int) -> ClaimRow | None:
    """Return the claim that answers in the place of one that no longer holds."""
    if holds_many(context, reader, line):
        return None
    folded = fold_line(context, reader, line, now, now)
    if folded.answer.status is not Status.RESOLVED:
        return None
    return verified(reader, folded.rows[folded.answer.groups[0].primary.id].claim, line.label)


def _shown(reader: Reader, row: ClaimRow, now: int) -> str:
    """Return a claim's value as a text would quote it."""
    text, _ = wording(reader, row, now)
    return text.rstrip(".!?\u2026 ") if row.text_is_value else Value.from_json_text(row.value).display


def _gather(context: Context, reader: Reader, family: Family, roots: list[str]) -> None:
    """Find the descendants in the caller's own scope that are withdrawn, or hold and are in doubt."""
    waiting, found = list(roots), set(roots)
    nodes: list[Node] = []
    past: list[Node] = []
    while waiting and len(found) <= MAX_DESCENDANTS:
        for child in reader.children(waiting.pop()):
            row = reader.claim(child)
            if child in found or row is None:
                continue
            found.add(child)
            waiting.append(child)
            line = reader.line_by_id(row.line)
            withdrawn = row.withdrawn == "parent"
            holds = contains(reader.held_by(child, family.now), family.now)
            if line.scope == context.scope.text and (withdrawn or row.withdrawn is None):
                verified(reader, row, line.label)
                text, _ = wording(reader, row, family.now)
                node = Node(row, line, text, value_of(row, text), withdrawn)
                (nodes if withdrawn or holds else past).append(node)
    for id_ in {id_ for node in nodes for id_ in node.row.parents} - found:
        parent = reader.claim(id_)
        if parent is None or parent.withdrawn is not None:
            family.gone.add(id_)
    nodes.sort(key=lambda node: (node.row.depth, node.row.idx))
    heirs = {change.to for change in family.changes.values()}
    for node in past:
        heir = _heir(context, reader, node.line, family.now)
        if heir is not None:
            _succeeded(reader, family, node, heir)
            heirs.add(heir.head.id)
    for node in nodes:
        anew = _said_anew(reader, family, node, heirs)
        heirs.update(row.head.id for row in anew)  # what derives from the old one may rest on the new one by now
        if not anew:
            family.nodes.append(node)
        else:
            _succeeded(reader, family, node, anew[-1])
    if len(found) > MAX_DESCENDANTS:
        family.why = f"Only {MAX_DESCENDANTS:,} descendants were looked at; call again once these are said."


def _succeeded(reader: Reader, family: Family, node: Node, heir: ClaimRow) -> None:
    """Note that another claim of its line holds in the place of a descendant: what derives from it may rest on that."""
    if family.changes:
        old, new = _shown(reader, node.row, family.now), _shown(reader, heir, family.now)
        since = next(iter(family.changes.values())).since
        family.changes[node.row.head.id] = Change(old, new, heir.head.id, inherited=True, since=since)


def _said_anew(reader: Reader, family: Family, node: Node, heirs: set[str]) -> list[ClaimRow]:
    """Return the later claims of the same line that hold and derive from what holds instead of its parents."""
    return [
        row
        for row in reader.claims_of(node.line.id)
        if row.head.recorded_at > node.row.head.recorded_at
        and heirs & set(row.parents)
        and contains(reader.held_by(row.head.id, family.now), family.now)
    ]


def _fresh(context: Context, reader: Reader, rows: list[Proposal]) -> list[Proposal]:
    """Leave out the notes that were said anew already: their line is that of their new text."""
    now = present(context, reader.ns)
    out: list[Proposal] = []
    for row in rows:
        if row.key is None and row.new_text is not None:
            note, said = text_value_lookalike(row.new_text), stand_in_text(row.new_text)
            line = reader.line(line_identity(context.pepper, context.scope.text, None, note))
            if line is not None and any(stand_in_text(at.claim.text) == said for at in reader.at(line.id, now, now)):
                continue
        out.append(row)
    return out


# What to say instead -----------------------------------------------------------------------------------------------


def proposals_of(family: Family, rewrite: Rewrite | None, chat: Chat | None = None) -> list[Proposal]:
    """Return a proposal for each descendant, parents first: a parent's new wording is what its children quote.

    Args:
        family: What there is.
        rewrite, chat: See :func:`rederive`.
    """
    changes = dict(family.changes)
    gone = set(family.gone)
    out: list[Proposal] = []
    for node in family.nodes:
        made = _propose(node, changes, gone, rewrite, chat)
        out.append(made)
        id_ = node.row.head.id
        if made.ready:
            old = node.text.rstrip(".") if node.row.text_is_value else str(node.value)
            new = str(made.new_text).rstrip(".") if node.row.text_is_value else str(made.new_value)
            changes[id_] = Change(old, new, id_, inherited=True, since=next(iter(changes.values())).since)
        else:
            gone.add(id_)
    return out


def _propose(
    node: Node, changes: Mapping[str, Change], gone: set[str], rewrite: Rewrite | None, chat: Chat | None
) -> Proposal:
    row, ids = node.row, node.row.parents
    blank = Proposal(row.head.id, key_text(node.line), node.text, node.value, withdrawn=node.withdrawn)
    if any(id_ in gone for id_ in ids):
        return replace(blank, why="One of its parents is gone, and nothing holds in its place.")
    mine = [changes[id_] for id_ in ids if id_ in changes]
    every = [*mine, *(change for id_, change in changes.items() if id_ not in ids and not change.inherited)]
    parents = tuple(changes[id_].to if id_ in changes else id_ for id_ in ids)
    since = next((change.since for change in mine if change.since is not None), None)
    blank = replace(blank, derived_from=parents, valid_from=since)
    asked = Rewriting(row.head.id, blank.key, node.text, node.value, tuple((c.old, c.new) for c in mine))
    if rewrite is None:
        quoted = _quoted(node, blank, every)
        if quoted.ready or chat is None or not asked.changes:
            return quoted
        return _worded(node, blank, chat, asked)
    try:
        answer = rewrite(asked)
    except MunimentError:
        raise
    except Exception:
        return replace(blank, why="The rewriting failed.")
    return _rewritten(node, blank, answer)


def _worded(node: Node, blank: Proposal, chat: Chat, asked: Rewriting) -> Proposal:
    """Take a model's words. Whatever is wrong with them, or with the model, leaves the descendant as it is."""
    try:
        answer = worded_by(chat, asked)
        made = None if answer is None else _rewritten(node, blank, answer)
    except Exception:
        return replace(blank, why="The model failed, or worded what cannot be said.")
    if made is None:
        return replace(blank, why="The model could not tell what follows.")
    return replace(made, how="worded", why="A model worded it.")


def _quoted(node: Node, blank: Proposal, changes: list[Change]) -> Proposal:
    """Put the new value where the old one is quoted. Only what the value itself quotes follows from the words."""
    text = reworded(node.text, changes)
    if node.row.text_is_value:
        if text is None:
            return replace(blank, why="It does not quote the value that changed.")
        return replace(blank, new_text=text, how="quoted", why="It quotes the value that changed.")
    value = reworded(str(node.value), changes) if isinstance(node.value, str) else _same(node.value, changes)
    if value is None:
        return replace(
            blank, why="Its value does not quote the value that changed, so it does not follow from the words."
        )
    return replace(
        blank, new_text=text or node.text, new_value=value, how="quoted", why="It quotes the value that changed."
    )


def _same(value: Any, changes: list[Change]) -> Any:
    """Return the new value where a number or a date is exactly the old one, else None."""
    for change in changes:
        if str(value) == change.old:
            try:
                return type(value)(change.new)
            except (ValueError, TypeError, ArithmeticError):
                return None
    return None


def _rewritten(node: Node, blank: Proposal, answer: Any) -> Proposal:
    if answer is None:
        return replace(blank, why="The rewriting left it.")
    if isinstance(answer, Mapping) and set(answer) <= {"text", "value"} and answer:
        text, value = answer.get("text"), answer.get("value")
    elif isinstance(answer, str):
        text, value = answer, None
    else:
        raise ValidationError(
            "rewrite returned neither a text nor a dict of text and value.", advice="Return None to leave it."
        )
    text = node.text if text is None else check_text(text, "the rewritten text")
    if value is not None:
        Value.parse(value)
    elif not node.row.text_is_value:
        value = node.value
    return replace(blank, new_text=text, new_value=value, how="rewritten", why="It was rewritten.")


# Saying it ---------------------------------------------------------------------------------------------------------


def _prepared(
    context: Context, family: Family, proposal: Proposal, given: Mapping[str, Any]
) -> Callable[[dict[str, str]], Prepared]:
    node = next(node for node in family.nodes if node.row.head.id == proposal.claim_id)
    row = node.row
    meta = None if row.meta is None else jsontext.loads(row.meta)
    if proposal.how == "worded":
        given = {**given, "channel": weakest((given.get("channel") or context.ceiling, Channel.MODEL))}
    passed = {
        "key": proposal.key, "value": proposal.new_value, "kind": row.kind, "about": listed(row.about),
        "tags": listed(row.tags), "meta": meta, "criticality": row.criticality, "valid_from": proposal.valid_from,
        "expect": None if node.line.note else node.line.version, **given,
    }  # fmt: skip
    beside = {other.row.head.id for other in family.nodes if other.line.id == node.line.id}

    def prepared(made: dict[str, str]) -> Prepared:
        parents = [made.get(id_, id_) for id_ in proposal.derived_from]
        if not beside.isdisjoint(made):  # this very call has raised the version of the line
            return prepare(context, proposal.new_text, {**_given(passed), "expect": None, "derived_from": parents})
        return prepare(context, proposal.new_text, {**_given(passed), "derived_from": parents})

    return prepared


def _given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None}
