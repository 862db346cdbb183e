"""The parts of a question that asks for several things at once, found by its words alone.

A question has parts where it has several sentences, where a conjunction is followed by another question word, or where
things stand side by side: names (*Ana and Bob*, *db-3 versus db-4*, *compare X with Y*) or what is asked of one thing
(*budget, owner and deadline of Atlas*). The parts of the last kind are the question without the other things. Other words
joined by *and* are mostly one thing (*black and white*): on LoCoMo, splitting those gained nothing and lost one question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from muniment.lexical.stopwords import is_stop_word

MOST: Final = 4
"""Parts of a question, at most: each is a search of its own."""

LONGEST: Final = 400
"""Characters of the longest text that is taken for a question; what is longer is a document."""

_JOINING: Final = """
and or vs versus nor & und oder sowie et ou y o e и или та або ve veya en og och ja samt και ή और या و او או
"""
_AND: Final = frozenset(_JOINING.split())

_QUESTION_WORDS: Final = """
what which who whom whose when where why how
was wer wem wen wessen wann wo wohin woher warum wieso weshalb wie welche welcher welches
quoi quel quelle quels quelles qui où quand comment pourquoi combien
qué quién quiénes cuándo dónde cómo cuál cuáles cuánto cuántos
chi cosa quando dove come perché quale quali quanto qual quem onde
что кто кого кому когда где куда откуда почему зачем как какой какая какое какие сколько
wat wie wanneer waar waarom hoe welk welke vad vem när var varför hur
ne kim nerede zaman neden nasıl kaç hangi ما من متى أين لماذا كيف
"""
_ASKING: Final = frozenset(_QUESTION_WORDS.split())

_COMPARED: Final = {
    "compare": "with to and against", "contrast": "with to and against", "vergleiche": "mit und", "comparer": "avec à et",
    "compara": "con y", "comparar": "con com e y", "сравни": "с и", "сравните": "с и",
}  # fmt: skip
"""Words that open a comparison, and what may stand between the things compared."""

_TELL: Final = frozenset((*_COMPARED, "tell", "list", "show", "give", "find", "name", "describe", "explain"))
"""Words that open a question and are no name, capital or not."""

_GENITIVE: Final = """
of for von vom für de du des del della di da do van af av
"""
_OF: Final = frozenset(_GENITIVE.split())
"""What follows a list of what is asked of one thing."""

_BEFORE_NOUNS: Final = """
the a an der die das den dem le la les el los las il lo gli
"""
_ARTICLES: Final = frozenset(_BEFORE_NOUNS.split())

_SENTENCES: Final = re.compile(r"[?？؟;；⁇՞\n]+")
_CJK: Final = "[\u3041-\u30ff\u3400-\u9fff]"
_UNSPACED: Final = re.compile(rf"[，、。]|(?<={_CJK}{_CJK})(?:以及|还有|還有|和|与|與|跟|及|と|や)(?={_CJK}{_CJK})")
_TOKEN: Final = re.compile(r"[^\W_](?:[\w'’./@#+-]*[\w+#])?|[,،]|(?<=\s)&(?=\s)|\"[^\"]+\"|“[^”]+”")
_COMMAS: Final = ",،"


def parts(question: str) -> tuple[str, ...]:
    """Return the parts of a question, or nothing where it asks for one thing.

    Args:
        question: Any text.

    Example:
        >>> parts("Where does Ana live and what is her budget?")
        ('Where does Ana live', 'what is her budget Ana')
        >>> parts("Compare the port of Falcon with Osprey")
        ('Compare the port of Falcon', 'Compare the port of Osprey')
        >>> parts("Where does Ana live?")
        ()
    """
    if len(question) > LONGEST:
        return ()
    clauses = [one for one in _clauses(question) if any(not _grammar(word) for word in _TOKEN.findall(one))]
    found = _beside(_TOKEN.findall(question)) if len(clauses) < 2 else _carried(clauses)
    distinct = tuple(dict.fromkeys(found))[:MOST]
    return distinct if len(distinct) > 1 else ()


def _clauses(question: str) -> Iterator[str]:
    """Yield what stands between marks, and what another question word begins."""
    for sentence in _SENTENCES.split(question):
        for piece in _UNSPACED.split(sentence):
            words = piece.split()
            start, asked = 0, _asks(words[:1])
            for at in range(1, len(words) - 1):
                joined = words[at].casefold() in _AND
                if (joined or (asked and words[at - 1][-1] in _COMMAS)) and _asks(words[at + joined : at + joined + 1]):
                    yield " ".join(words[start:at]).rstrip(_COMMAS)
                    start, asked = at + joined, True
                asked = asked or _asks(words[at : at + 1])
            yield " ".join(words[start:])


def _asks(words: Sequence[str]) -> bool:
    return bool(words) and words[0].strip("¿¡«\"'").casefold() in _ASKING


def _grammar(word: str) -> bool:
    folded = word.casefold()
    return word in _COMMAS or is_stop_word(word) or folded in _ASKING or folded in _AND or folded in _ARTICLES


def _is_name(words: Sequence[str], at: int) -> bool:
    """Say whether a word names something: by a capital or a digit, or because it is quoted."""
    word = words[at]
    if _grammar(word) or (at == 0 and word.casefold() in _TELL):
        return False
    return word[0] in '"“' or word.casefold() != word or any(letter.isdigit() for letter in word)


def _carried(clauses: Sequence[str]) -> list[str]:
    """Return clauses, those without a name of their own with those of the first that has some: *her* is somebody."""
    named = []
    for one in clauses:
        words = _TOKEN.findall(one)
        named.append([words[at] for at in range(len(words)) if _is_name(words, at)])
    known = next((names for names in named if names), [])
    return [one if names else " ".join([one, *known]) for one, names in zip(clauses, named, strict=True)]


def _beside(words: Sequence[str]) -> list[str]:
    """Return a question once for each of the things that it names side by side, without the others."""
    joints = _AND | frozenset(_COMPARED.get(words[0].casefold(), "").split()) if words else _AND
    for at in range(1, len(words) - 1):
        if words[at].casefold() in joints and (group := _group(words, at)):
            gone = {*range(group[0][0], group[-1][1])}
            return [" ".join(word for n, word in enumerate(words) if n not in gone or a <= n < b) for a, b in group]
    return []


def _group(words: Sequence[str], at: int) -> list[tuple[int, int]]:
    """Return where the things lie that a conjunction joins, and those before it in a list with commas."""
    left, right = _thing(words, at - 1, -1), _thing(words, at + 1, 1)
    if left is None or right is None or _is_name(words, left[0]) is not _is_name(words, right[0]):
        return []
    group = [left, right]
    while (at := group[0][0] - 1) > 0 and words[at] in _COMMAS:
        before = _thing(words, at - 1, -1)
        if before is None or _is_name(words, before[0]) is not _is_name(words, right[0]):
            break
        group.insert(0, before)
    return group if _is_name(words, right[0]) or _asked_of_one(words, group) else []


def _asked_of_one(words: Sequence[str], group: Sequence[tuple[int, int]]) -> bool:
    """Say whether plain words that stand side by side are asked of one thing: *of* it, or of it as an owner."""
    before, after = words[: group[0][0]], words[group[-1][1] :]
    return (bool(after) and after[0].casefold() in _OF) or (bool(before) and before[-1].endswith(("'s", "’s")))


def _thing(words: Sequence[str], at: int, step: int) -> tuple[int, int] | None:
    """Return where the thing lies that begins or ends at a word: a run of names, or one word that is no grammar."""
    while 0 <= at < len(words) and (words[at] in _COMMAS or words[at].casefold() in _ARTICLES):
        at += step
    if not 0 <= at < len(words) or _grammar(words[at]):
        return None
    end = at
    if _is_name(words, at):
        while 0 <= end + step < len(words) and _is_name(words, end + step):
            end += step
    return min(at, end), max(at, end) + 1
