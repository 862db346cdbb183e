"""Texts: what may be stored, when two texts say the same, and when they only look the same.

Three forms of a text, from fine to coarse:

* :func:`equal_text`: two texts are equal when these are (case, composition and white space do not count);
* :func:`stand_in_text`: for a text that stands for a value, also without outer quotes and final marks;
* :func:`skeleton`: what a reader sees. It serves guards only: it never says that two values agree.

Equal texts have equal skeletons.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final
from unicodedata import normalize

from muniment.errors import ValidationError
from muniment.patterns import pattern

TEXT_LIMIT: Final = 1_048_576
"""The most bytes of UTF-8 that one text may have (1 MiB)."""

_SURROGATE: Final = pattern("[\ud800-\udfff]")
_CONTROL: Final = pattern(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_NEWLINES: Final = pattern(r"[\t\n\r]")

# Code points that readers do not see: Default_Ignorable_Code_Point, and the interlinear annotation marks.
INVISIBLE: Final = pattern(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# A dot above an i or j cannot be seen; a final sigma is a sigma.
_SAME_SHAPE: Final = (("i\u0307", "i"), ("j\u0307", "j"), ("\u03c2", "\u03c3"))

QUESTION_MARKS: Final = ("?", "\uff1f", "\u061f", "\u2047", "\u055e")
"""What a question ends with: it asserts nothing."""

TAIL: Final = 8
"""Bytes at the end of a text that tell whether it is a question: the longest mark, and a few spaces."""

_FINAL_MARKS: Final = ".!?\u2026"
_QUOTES: Final = {
    '"': '"',
    "'": "'",
    "`": "`",
    "\u201c": "\u201d\u201c",
    "\u201d": "\u201d",
    "\u201e": "\u201c\u201d",
    "\u2018": "\u2019\u2018",
    "\u2019": "\u2019",
    "\u201a": "\u2018\u2019",
    "\u00ab": "\u00bb",
    "\u00bb": "\u00ab\u00bb",
    "\u2039": "\u203a",
    "\u203a": "\u2039\u203a",
    "\u300c": "\u300d",
    "\u300e": "\u300f",
}
_APOSTROPHE: Final = pattern(r"(?<=\w)['\u2019\u2018](?=\w)")


def asks(text: str | bytes) -> bool:
    """Say whether a text is a question.

    Args:
        text: All of it, or its last bytes as UTF-8, of which the first may belong to a character that was cut.

    Example:
        >>> asks("Where is it? "), asks("Where? There."), asks("どこ？".encode()[-8:])
        (True, False, True)
    """
    end = text.decode("utf-8", "ignore") if isinstance(text, bytes) else text
    return end.rstrip().endswith(QUESTION_MARKS)


def check_text(value: object, what: str, *, limit_bytes: int = TEXT_LIMIT, allow_newlines: bool = True) -> str:
    """Return ``value`` when it is a text that can be stored, unchanged.

    Args:
        value: What the caller gave.
        what: The argument's name, for the error.
        limit_bytes: The most bytes of UTF-8.
        allow_newlines: Whether line feed, carriage return and tab are allowed.

    Raises:
        ValidationError: Not a text, blank, too long, or with characters that cannot be stored.

    Example:
        >>> check_text("Berlin", "text")
        'Berlin'
    """
    if type(value) is not str:
        if value is None:
            raise ValidationError(f"{what} is missing.", advice="Pass a text.")
        if not isinstance(value, str):
            raise ValidationError(f"{what} must be a text, not {type(value).__name__}.", advice="Pass a text.")
        value = str.__str__(value)
    if not value or value.isspace() or not is_visible(value):
        raise ValidationError(f"{what} is empty.", advice="Pass at least one visible character.")
    check_characters(value, what, allow_newlines=allow_newlines)
    check_length(value, what, limit_bytes)
    return value


def is_visible(value: str) -> bool:
    """Say whether a text shows anything: zero-width and other ignorable characters alone do not.

    Example:
        >>> is_visible("a"), is_visible("\\u200b\\u200d")
        (True, False)
    """
    return value.isascii() or bool(skeleton(value[:64]) or skeleton(value))


def check_characters(value: str, what: str, *, allow_newlines: bool = True) -> None:
    """Refuse lone surrogates and control characters.

    Raises:
        ValidationError: A character of ``value`` cannot be stored, or cannot be read back as it was.
    """
    if value.isprintable():
        return
    if not value.isascii() and _SURROGATE.search(value):
        raise ValidationError(
            f"{what} holds half of a surrogate pair, which is not a character.",
            advice="Decode the bytes as UTF-8 or UTF-16 before passing them.",
        )
    if "\0" in value:
        raise ValidationError(f"{what} holds a NUL character.", advice="Remove it.")
    if _CONTROL.search(value):
        raise ValidationError(
            f"{what} holds a control character.",
            advice="Remove it, or use a space, a tab or a line feed instead.",
        )
    if not allow_newlines and _NEWLINES.search(value):
        raise ValidationError(f"{what} must be one line.", advice="Remove line feeds and tabs.")


def check_length(value: str, what: str, limit_bytes: int) -> None:
    """Refuse a text of more than ``limit_bytes`` bytes of UTF-8.

    Raises:
        ValidationError: The text is too long.
    """
    if len(value) * 4 <= limit_bytes:
        return
    size = len(value) if value.isascii() else len(value.encode("utf-8"))
    if size > limit_bytes:
        raise ValidationError(
            f"{what} has {size} bytes, more than the limit of {limit_bytes}.",
            advice="Split it, or store it elsewhere and keep a reference.",
            limit=limit_bytes,
            size=size,
        )


def equal_text(s: str) -> str:
    """Return the form by which texts are equal: NFC, lower case, white space collapsed and trimmed.

    Example:
        >>> equal_text("  New   York ")
        'new york'
    """
    if s.isascii():
        return " ".join(s.lower().split())
    # Lower-casing can leave a letter and its mark apart that NFC would join.
    return " ".join(normalize("NFC", normalize("NFC", s).lower()).split())


def stand_in_text(s: str) -> str:
    """Return the form by which a text that stands for a value is equal.

    Outer quotes and final ``. ! ? …`` are dropped as well, in any order; when nothing else would be left they
    are kept.

    Example:
        >>> stand_in_text('"Berlin."')
        'berlin'
    """
    whole = equal_text(s)
    text = whole
    while text:
        shorter = _without_quotes(text).rstrip(_FINAL_MARKS).strip()
        if shorter == text:
            return text
        text = shorter
    return whole


def _without_quotes(text: str) -> str:
    closing = _QUOTES.get(text[0])
    if closing is None or len(text) < 2 or text[-1] not in closing:
        return text
    inner = text[1:-1]
    # '"a" and "b"' has no outer quotes; the apostrophe of "'it's'" is no quote.
    bare = _APOSTROPHE.sub("", inner)
    return text if text[0] in bare or text[-1] in bare else inner


@lru_cache(maxsize=1)
def _fold_table() -> dict[int, str]:
    from muniment.claims.confusables_data import LOOK_ALIKES

    return {ord(char): target for target, chars in LOOK_ALIKES.items() for char in chars}


def skeleton(s: str) -> str:
    """Return what a reader sees of ``s``: texts that look alike have the same skeleton.

    NFKC, lower case, without invisible characters, look-alikes of ASCII as ASCII (after Unicode Technical
    Standard #39), white space collapsed. ASCII characters stay apart from one another, so ``1`` and ``l`` do,
    and the digits of all scripts stay digits. ``skeleton(skeleton(s)) == skeleton(s)``, and equal texts have
    equal skeletons; so a letter is judged by its small form, where capital and small form differ in look.

    Example:
        >>> skeleton("B\u0435rl\u200bin")
        'berlin'
    """
    if s.isascii():
        return " ".join(s.lower().split())
    text, before = equal_text(s), None
    table = _fold_table()
    while text != before:
        before = text
        text = normalize("NFKD", INVISIBLE.sub("", text).translate(table))
        text = text.translate(table).lower()
        for shape, same in _SAME_SHAPE:
            if shape in text:
                text = text.replace(shape, same)
        text = " ".join(normalize("NFKC", text).split())
    return text
