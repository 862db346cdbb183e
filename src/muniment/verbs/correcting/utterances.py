"""Recognising an instruction in an utterance: deterministic, whole-utterance grammar, no I/O.

An utterance is an instruction only if all of it is one: a verb, one fact, and a value where the verb takes one. A verb
and a known name somewhere in a sentence are not enough. What is negated, asked, supposed, reported or quoted says
nothing by itself, and is recognised as nothing. English, and the forms that need no language (``ana::city = Porto``).
"""

from __future__ import annotations

import re
from typing import Final

from muniment.quick import dataclass
from muniment.verbs.correcting.cautions import caution, split_quotes, words
from muniment.verbs.correcting.plans import Action


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact as an utterance names it.

    Args:
        subject: Whose; None where only one name was said, and empty for the speaker (``my city``).
        name: What of it; the whole key where it was written as one.
        new: Whether the words are plain enough to begin a line with.
    """

    subject: str | None
    name: str
    new: bool = True


@dataclass(frozen=True, slots=True)
class Said:
    """What was recognised.

    Args:
        action: What it asks for.
        fact: The fact it names, if it names one.
        value: The value to set, or to go back to.
        was: The value it says is there now.
        at: The date it asks about.
        quoted: Whether the value stood in quotes, so that it is a text whatever it looks like.
        why: One sentence.
        advice: What would help, or empty.
    """

    action: Action
    fact: Fact | None = None
    value: str | None = None
    was: str | None = None
    at: str | None = None
    quoted: bool = False
    why: str = ""
    advice: str = ""


MAX_CHARS: Final = 1_000
"""A longer text is no plain instruction."""

_LEAD: Final = re.compile(r"(?:(?:please|hey|hi|ok|okay|so|now|well|actually|sorry|no|yes|correction)[,:!]?\s+)+", re.I)
_TAIL: Final = re.compile(r"(?:,?\s+(?:please|thanks|thank you))+$", re.I)
_STOP: Final = words(
    "a an and back or but then with without except all everything anything something nothing it this that"
    " these those them is are was were be been has have had do does did will would he she they we you i me"
    " him her us who whom which what when where why how there here let let's to from as in on at for by if"
    " because so"
)
"""Words that no name of a fact consists of."""


def recognise(utterance: str) -> Said:
    """Return what an utterance asks for.

    Args:
        utterance: What was said, checked to be a text.

    Example:
        >>> recognise("Please change Ana's city to Porto.").action
        <Action.SET: 'set'>
        >>> recognise("If I moved to Porto, change Ana's city to Porto").action
        <Action.NONE: 'none'>
    """
    text = " ".join(utterance.replace("\u2019", "'").split(" ")).strip()
    if len(text) > MAX_CHARS or "\n" in text or "\r" in text or "\t" in text:
        return Said(Action.NONE, why="It is more than one plain instruction.", advice="Say one thing, on one line.")
    text = _LEAD.sub("", text, count=1) if _LEAD.match(text) else text
    question = text.endswith(("?", "\uff1f", "\u061f"))
    bare = _TAIL.sub("", text.rstrip(" .!?\uff1f\u061f"))
    quotes = split_quotes(bare)
    if quotes is None:
        return Said(Action.NONE, why="It quotes something.", advice="Only a whole value may stand in quotes.")
    asked = _ask(bare, question)
    if asked is not None:
        return asked
    if question:
        return Said(Action.ASK, why="It is a question.", advice="Nothing is changed by a question.")
    why = caution(_OWN_WORDS.sub("", quotes.outside))
    if why is not None:
        return Said(Action.NONE, why=why[0], advice=why[1])
    for form in (_revert, _set, _delete):
        found = form(bare)
        if found is not None:
            return found
    return Said(Action.NONE, why="It is no instruction about one fact.", advice="Say: set ana::city to Porto.")


# Facts and values ------------------------------------------------------------------------------------------------

_KEY: Final = re.compile(r"(?:the (?:fact|key|line|value of) )?([^\s:'\"][^:'\"]{0,120}::[^:'\"]{1,120})", re.I)
_OWNED: Final = re.compile(r"(?:the )?(.+?)(?:'s|(?<=s)') (.+)", re.I)
_OF: Final = re.compile(r"(?:the )?(.+) of (?:the )?(.+)", re.I)


def fact_of(phrase: str) -> Fact | None:
    """Return the fact that some words name, if they name one and say nothing else."""
    phrase = phrase.strip()
    if phrase.partition(" ")[0].lower() in _ORDERS and " " in phrase:
        return None  # an instruction about a fact is not the name of one
    key = _KEY.fullmatch(phrase)
    if key is not None:
        parts = key[1].split("::")
        return Fact(None, key[1]) if all(_named(part, 6) for part in parts) else None
    if phrase.lower().startswith("my "):
        return Fact("", phrase[3:].strip()) if _named(phrase[3:], 4) else None
    owned = _OWNED.fullmatch(phrase)
    if owned is not None:
        return Fact(owned[1].strip(), owned[2].strip()) if _named(owned[1], 4) and _named(owned[2], 4) else None
    of = _OF.fullmatch(phrase)
    if of is not None:
        return Fact(of[2].strip(), of[1].strip(), new=False) if _named(of[1], 4) and _named(of[2], 4) else None
    phrase = phrase[4:] if phrase.lower().startswith("the ") else phrase
    return Fact(None, phrase, new=False) if _named(phrase, 3) else None


_ORDERS: Final = words(
    "set change update switch correct delete forget erase remove revert undo restore roll go wipe purge drop ignore"
    " remember note tell show make send run call"
)
_NAME: Final = re.compile(r"[^\W_][\w.+#&/@-]*")


def _named(phrase: str, most: int) -> bool:
    """Say whether some words can be a name: few, and none of them a function word."""
    parts = phrase.split()
    if not 0 < len(parts) <= most:
        return False
    return all(_NAME.fullmatch(part) and part.lower() not in _STOP and part.lower() not in _OWNERS for part in parts)


_OWNERS: Final = words("my your our his its their mine yours")
_QUOTED: Final = re.compile(r"\"([^\"]+)\"|'([^']+)'|\u201c([^\u201d]+)\u201d|\u00ab([^\u00bb]+)\u00bb|`([^`]+)`")
_ANOTHER: Final = re.compile(
    r"[;|&]|[.!?] |\b(?:and|or|but|then)\s+(?:then\s+|also\s+|please\s+)*(?:set|change|update|switch|correct|delete|forget"
    r"|erase|remove|revert|undo|restore|roll|go|wipe|purge|drop|ignore|remember|note|tell|show|make|send|run)\b|::"
    r"|\bor\b|\b(?:and|but|while|whereas)\b.+\b(?:is|are|was|were)\b"
    r"|\b(?:for|right|just) now\b|\b(?:at|for) the moment\b|\b(?:next|this|last) (?:week|month|year|time)\b",
    re.I,
)
"""What makes a value more than one: a second instruction, a second statement, a choice, a passing time."""


def value_of(phrase: str) -> tuple[str, bool] | None:
    """Return the value that some words are, and whether it stood in quotes; None if they say more than a value."""
    phrase = phrase.strip()
    quoted = _QUOTED.fullmatch(phrase)
    if quoted is not None:
        return next(group for group in quoted.groups() if group is not None), True
    if not phrase or _ANOTHER.search(phrase) or not re.search(r"\w", phrase):
        return None
    return phrase, False


# One kind of instruction each --------------------------------------------------------------------------------------

_SET: Final = re.compile(r"(?:set|change|update|switch|correct|fix|edit)\s+(.+)", re.I)
_TO: Final = re.compile(r"\s+(?:to|=|:=)\s+|\s*:=\s*|\s+=\s*|=\s*", re.I)
_FROM: Final = re.compile(r"(.+?)\s+from\s+(.+)", re.I)
_TELL: Final = re.compile(r"(?:remember|note|record|store|save)(?:\s+down)?(?:\s+that)?:?\s+(.+)", re.I)
_IS: Final = re.compile(
    r"\s+(?:is\s+now|are\s+now|is|are|equals|=|became|(?:has\s+|was\s+)?changed\s+to|(?:has\s+)?become)\s+", re.I
)
_SIGN: Final = re.compile(r"(.+?::.+?)\s*(?::=|=>|->|\u2192|=|:(?!:))\s*(.+)")


def _set(text: str) -> Said | None:
    order = _SET.fullmatch(text)
    if order is not None:
        return _ordered(order[1])
    told = _TELL.fullmatch(text)
    return _declared(text if told is None else told[1])


def _ordered(rest: str) -> Said | None:
    """``set FACT to VALUE``, ``change FACT from OLD to NEW``."""
    for match in _TO.finditer(rest):
        place, was = rest[: match.start()], None
        moved = _FROM.fullmatch(place)
        if moved is not None:
            old = value_of(moved[2])
            place, was = moved[1], None if old is None else old[0]
            if old is None:
                continue
        fact, value = fact_of(place), value_of(rest[match.end() :])
        if fact is not None and value is not None:
            return Said(Action.SET, fact, value[0], was, quoted=value[1], why="It says what a fact is to be.")
    return None


def _declared(text: str) -> Said | None:
    """``FACT is VALUE``, ``FACT = VALUE``."""
    signed = _SIGN.fullmatch(text)
    pairs = [] if signed is None else [(signed[1], signed[2])]
    pairs += [(text[: m.start()], text[m.end() :]) for m in _IS.finditer(text)][:1]
    for place, rest in pairs:
        fact, value = fact_of(place), value_of(rest)
        if fact is not None and value is not None:
            return Said(Action.SET, fact, value[0], quoted=value[1], why="It states what a fact is.")
    return None


_BACK: Final = tuple(
    re.compile(form, re.I)
    for form in (
        r"(?:go|switch|change|roll|revert|return|move) back to (?P<value>.+?) (?:for|on|with|in|as) (?P<fact>.+)",
        r"(?:go|roll|step) back (?:on|with|for) (?P<fact>.+)",
        r"(?:undo|revert|roll back|take back) (?:the |my )?(?:last |latest |most recent |previous )?"
        r"(?:change|update|edit|correction) (?:to|of|on|for|in) (?P<fact>.+)",
        r"(?:restore|bring back|go back to|return to|revert to|roll back to) (?:the )?(?:previous|old|former|earlier|last"
        r"|prior) (?:value |one |version |state )?(?:of|for|from) (?P<fact>.+)",
        r"(?:change|set|switch|put|turn|move|bring|roll) (?P<fact>.+?) back(?: to (?P<value>.+))?",
        r"(?:revert|undo|roll back|rollback|restore) (?P<fact>.+?)(?: (?:back )?to (?P<value>.+))?",
    )
)
_BACK_AT_ALL: Final = re.compile(
    r"(?:go|roll|step|switch|change|revert|turn|put it|bring it|set it|change it) back(?: to .+)?"
    r"|(?:undo|revert|rollback|restore|bring back|take back|roll back|return to|go back to)(?: .+)?",
    re.I,
)
_BEFORE: Final = re.compile(
    r"(?:the |its )?(?:previous|old|former|earlier|last|prior)(?: value| one| version| state)?|(?:what|how|as) it was(?: before)?",
    re.I,
)
"""Words for the value before, which name none."""


def _revert(text: str) -> Said | None:
    why = "It asks to go back."
    for form in _BACK:
        match = form.fullmatch(text)
        if match is None:
            continue
        said, fact = match.groupdict().get("value"), fact_of(match["fact"])
        value = None if said is None else value_of(said)
        if fact is None or (said is not None and value is None):
            continue
        if value is not None and not value[1] and _BEFORE.fullmatch(value[0]):
            value = None
        return Said(Action.REVERT, fact, value and value[0], quoted=bool(value and value[1]), why=why)
    return Said(Action.REVERT, why=why) if _BACK_AT_ALL.fullmatch(text) else None


_GONE: Final = re.compile(
    r"(?:forget|delete|erase|remove|wipe|purge)"
    r"(?: (?:about|the fact|what (?:i|we|you) (?:said|know|knew|remember) (?:about|of|on)"
    r"|what i told you about|everything (?:you know )?about))?(?: (?P<fact>.+?))?(?: from (?:your |the )?memory)?",
    re.I,
)


def _delete(text: str) -> Said | None:
    match = _GONE.fullmatch(text)
    if match is None or text.lower().startswith(("forget to ", "remove to ")):
        return None
    fact = None if match["fact"] is None else fact_of(match["fact"])
    return Said(Action.DELETE, fact, why="It asks to forget.")


_OWN_WORDS: Final = re.compile(r"(?<=^forget )what (?:i|we) (?:said|told you) ", re.I)
"""Words that report nothing: the speaker speaks of what he said himself."""
_WHAT: Final = re.compile(
    r"(?:what|who|where|which|when|how (?:much|many|old|long))(?:'s| (?:is|are|was|were)) (?P<fact>.+?)"
    r"(?: (?:now|right now|today|currently|at the moment)| (?:in|on|at) (?P<at>\d{4}(?:-\d\d(?:-\d\d)?)?))?",
    re.I,
)
_SHOW: Final = re.compile(r"(?:tell|show|give|remind) me (?:of |about )?(?P<fact>.+)", re.I)
_KNOW: Final = re.compile(
    r"(?:what do you (?:know|remember) about|do you (?:know|remember)|(?:can|could) you tell me) (?P<fact>.+)", re.I
)
_OPENS: Final = re.compile(
    r"(?:what|who|whom|whose|where|which|when|why|how|is|are|was|were|do|does|did|has|have|had|may|might|shall|am)\b",
    re.I,
)
_FAVOUR: Final = re.compile(r"(?:can|could|would|will|should|shall|may) (?:you|we|i)\b", re.I)


def _ask(text: str, question: bool) -> Said | None:
    """Return a question about a fact, or None where the text is none (or a question about something else)."""
    why = "It asks what a fact is."
    for form in (_WHAT, _SHOW, _KNOW):
        match = form.fullmatch(text)
        if match is not None:
            fact = fact_of(match["fact"])
            return Said(Action.ASK, fact, at=match.groupdict().get("at"), why=why if fact else "It is a question.")
    if question and "::" in text:
        fact = fact_of(text)
        if fact is not None:
            return Said(Action.ASK, fact, why=why)
    if _FAVOUR.match(text):
        return Said(
            Action.NONE, why="It is put as a question, and a question changes nothing.", advice="Say it as a request."
        )
    opens = _OPENS.match(text)
    if opens is not None and not question and text[0].islower() and "::" in text.split(" ")[0]:
        return None
    return Said(Action.ASK, why="It is a question.") if opens is not None else None
