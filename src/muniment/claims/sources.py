"""Sources: where a statement came from, and when two of them are the same.

Two sources are the same when their full canonical locators are: scheme and host in lower case, no default port, no
fragment, no dot segments, no trailing slash. Nothing shorter counts: two pages of one site are two sources.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final
from unicodedata import normalize

from muniment.claims.moments import Moment, parse_moment
from muniment.claims.text import check_text
from muniment.errors import ValidationError
from muniment.patterns import pattern
from muniment.quick import dataclass

LOCATOR_LIMIT: Final = 8192
"""The most bytes of a locator."""

QUOTE_LIMIT: Final = 65_536
"""The most bytes of a quote."""

_MEMBERS: Final = ("locator", "quote", "sha256", "observed_at")
_URL: Final = pattern(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#.*)?", re.DOTALL)
_HOST: Final = pattern(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]@]*)(?::([0-9]*))?")
_PORTS: Final = {"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21", "ssh": "22"}
_ESCAPE: Final = pattern(r"%([0-9A-Fa-f]{2})")
_OUTSIDE: Final = pattern(r"[^\x21-\x7e]")
_UNRESERVED: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_SHA256: Final = pattern("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Source:
    """Where a statement came from.

    Args:
        locator: A document, URL, tool or message.
        quote: The words it rests on.
        sha256: Hash of the document, 64 hexadecimal digits.
        observed_at: When the source was read, or when it observed what it says.

    Raises:
        ValidationError: A part has not the form it needs, or a URL carries a user name or password.

    Example:
        >>> Source("https://Example.org:443/a/").canonical
        'https://example.org/a'
    """

    locator: str
    quote: str | None = None
    sha256: str | None = None
    observed_at: Moment | None = None

    def __post_init__(self) -> None:
        check_text(self.locator, "A source's locator", limit_bytes=LOCATOR_LIMIT, allow_newlines=False)
        canonical_locator(self.locator)
        if self.quote is not None:
            check_text(self.quote, "A source's quote", limit_bytes=QUOTE_LIMIT)
        if self.sha256 is not None:
            digest = check_text(self.sha256, "A source's sha256").strip().lower()
            if not _SHA256.fullmatch(digest):
                raise ValidationError("A source's sha256 is not a hash.", advice="Pass 64 hexadecimal digits.")
            object.__setattr__(self, "sha256", digest)
        if self.observed_at is not None:
            object.__setattr__(self, "observed_at", parse_moment(self.observed_at, "A source's observed_at"))

    @property
    def canonical(self) -> str:
        """The form by which sources are the same."""
        return canonical_locator(self.locator)

    def as_dict(self) -> dict[str, str]:
        """Return the parts that are set, as :func:`parse_source` reads them."""
        parts = {"locator": self.locator, "quote": self.quote, "sha256": self.sha256}
        if self.observed_at is not None:
            parts["observed_at"] = str(self.observed_at)
        return {name: part for name, part in parts.items() if part is not None}


def parse_source(obj: object) -> Source:
    """Read a source.

    Args:
        obj: A locator, a :class:`Source`, or a dict with ``locator`` and any of ``quote``, ``sha256`` and
            ``observed_at`` (whatever :func:`~muniment.claims.moments.parse_moment` reads).

    Raises:
        ValidationError: Another type, unknown members, or as :class:`Source`.

    Example:
        >>> parse_source({"locator": "crm", "observed_at": "2024-03-05"}).as_dict()["observed_at"]
        '2024-03-05'
    """
    if isinstance(obj, Source):
        return obj
    if isinstance(obj, str):
        return Source(obj)
    if not isinstance(obj, Mapping):
        raise ValidationError(
            f"A source must be a locator, not {type(obj).__name__}.",
            advice=f"Pass a text, or an object with {', '.join(_MEMBERS)}.",
        )
    if not set(obj) <= set(_MEMBERS):
        raise ValidationError("A source has members that are not known.", advice=f"Use {', '.join(_MEMBERS)}.")
    if "locator" not in obj:
        raise ValidationError("A source has no locator.", advice="Say which document, URL, tool or message it is.")
    return Source(obj["locator"], obj.get("quote"), obj.get("sha256"), obj.get("observed_at"))


def canonical_locator(locator: str) -> str:
    """Return the form by which locators are the same.

    URLs (``scheme://…``) by RFC 3986 §6.2.2 and §6.2.3, without fragment and trailing slash; other texts in NFC,
    trimmed.

    Raises:
        ValidationError: A URL carries a user name or password, or its host or port cannot be read.

    Example:
        >>> canonical_locator("HTTP://Example.org:80/a/../%7eb/#top")
        'http://example.org/~b'
    """
    text = locator.strip()
    if not text.isascii():
        text = normalize("NFC", text)
    match = _URL.fullmatch(text)
    if match is None:
        return text
    scheme, authority, path, query = match[1].lower(), match[2], match[3], match[4]
    base = f"{scheme}://{_authority(scheme, authority)}{_path(path)}"
    return f"{base}?{_escapes(query)}" if query else base


def _authority(scheme: str, authority: str) -> str:
    if "@" in authority:
        raise ValidationError(
            "A source's URL carries a user name or password.",
            advice="Leave out what stands before the @: sources are shown and exported.",
        )
    match = _HOST.fullmatch(authority)
    if match is None:
        raise ValidationError("A source's URL has a host that cannot be read.", advice="Check the part after //.")
    host, port = match[1].lower().rstrip("."), match[2]
    if not host.isascii():
        host = _ascii_host(host)
    return f"{host}:{port}" if port and port != _PORTS.get(scheme) else host


def _ascii_host(host: str) -> str:
    """Return an internationalised host in its ASCII form, where it has one."""
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return host


def _path(path: str) -> str:
    """Return the path without dot segments and trailing slashes; the root is ``/``."""
    if not path:
        return "/"
    kept: list[str] = []
    for segment in _escapes(path).split("/")[1:]:
        if segment == "..":
            if kept:
                kept.pop()
        elif segment != ".":
            kept.append(segment)
    return "/" + "/".join(kept).rstrip("/")


def _escapes(text: str) -> str:
    """Return ``text`` with unreserved characters plain, and everything that a URL cannot hold escaped."""
    if "%" in text:
        text = _ESCAPE.sub(_resolve, text)
    return _OUTSIDE.sub(_escape, text)


def _resolve(match: re.Match[str]) -> str:
    char = chr(int(match[1], 16))
    return char if char in _UNRESERVED else match[0].upper()


def _escape(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "surrogatepass"))
