"""Embedders behind an OpenAI-compatible endpoint: ``POST {url}/embeddings`` (Ollama, vLLM, LM Studio, a provider).

Texts leave this machine for the one that the URL names. The key stands in one header and nowhere else: no error, no
log, no ``repr`` holds it, and a redirect is not followed, so that it reaches nobody but the host of the URL.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from muniment.errors import ValidationError
from muniment.models.faults import EmbedderError, not_installed
from muniment.models.units import rows_of

ATTEMPTS: Final = 3
"""How often a batch of documents is sent, at most. A query is sent once: whoever asks does not wait."""

CONNECT_SECONDS: Final = 2.0
READ_SECONDS: Final = 30.0
"""For a batch of documents on a slow machine."""

PAUSE: Final = 0.5
"""Seconds before the second attempt; each later one waits twice as long."""

MAX_ANSWER: Final = 64 << 20
"""Bytes of an answer: 32 vectors of 16,384 numbers as JSON text are a sixth of it."""

AGAIN: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Status codes that say: not now."""

PREFIXES: Final = {
    "nomic-embed": ("search_document: ", "search_query: "),
    "e5-": ("passage: ", "query: "),
    "multilingual-e5": ("passage: ", "query: "),
}
"""What models were trained to find before a document and before a query, by a part of their name. Without it they find
less, with it a model that was trained without finds less."""


class EndpointEmbedder:
    """A model behind an endpoint.

    Args:
        url: Its base, as ``http://localhost:11434/v1``; ``/embeddings`` is added where it is missing.
        model: Its name there.
        key: Sent as a bearer token, or None.
        prefixes: Before a document and before a query; by the model's name if not given.
        seconds: How long one answer to a batch of documents may take.

    Raises:
        ValidationError: If the URL is none, or names no model.
        CapabilityError: If httpx or numpy is not installed.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: str | None = None,
        prefixes: tuple[str, str] | None = None,
        seconds: float = READ_SECONDS,
    ) -> None:
        self._url = _address(url)
        if not model:
            raise ValidationError("The embedding endpoint needs the name of a model.", advice="MUNIMENT_EMBED_MODEL.")
        for package in ("httpx", "numpy"):
            if importlib.util.find_spec(package) is None:
                raise not_installed(package, "endpoint")
        self._model, self._key, self._seconds = model, key, seconds
        self._document, self._query = _prefixes(model) if prefixes is None else prefixes
        self.id = f"endpoint:{model}"
        self.dimension = 0
        self._client: Any = None

    def __repr__(self) -> str:
        return f"EndpointEmbedder({self._model!r})"

    def embed_documents(self, texts: Sequence[str]) -> list[Any]:
        """Return one vector for each text.

        Raises:
            EmbedderError: If the endpoint fails at it, also at the last attempt.
        """
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._send([self._document + text for text in texts])
            except EmbedderError as error:
                if not error.down or error.details.get("final") or attempt == ATTEMPTS:
                    raise
            time.sleep(PAUSE * 2 ** (attempt - 1))
        raise AssertionError

    def embed_queries(self, texts: Sequence[str]) -> list[Any]:
        """Return one vector for each query.

        Raises:
            EmbedderError: If the endpoint fails at it.
        """
        return self._send([self._query + text for text in texts])

    def _send(self, texts: list[str]) -> list[Any]:
        import httpx

        try:
            with self._http().stream("POST", self._url, json={"model": self._model, "input": texts}) as response:
                status, body = response.status_code, b""
                if status == 200:
                    for chunk in response.iter_bytes():
                        body += chunk
                        if len(body) > MAX_ANSWER:
                            raise EmbedderError("The embedding endpoint sent too much.", final=True)
        except httpx.TimeoutException:
            raise EmbedderError("The embedding endpoint did not answer in time.", advice=_LOOK) from None
        except httpx.HTTPError as error:
            kind = type(error).__name__
            raise EmbedderError(f"The embedding endpoint cannot be reached ({kind}).", advice=_LOOK) from None
        if status != 200:
            raise _refused(status)
        return _vectors(body, len(texts))

    def _http(self) -> Any:
        if self._client is None:
            import httpx

            headers = {} if self._key is None else {"Authorization": f"Bearer {self._key}"}
            limits = httpx.Timeout(self._seconds, connect=CONNECT_SECONDS)
            # trust_env=False: what is embedded is personal, and goes where the URL says, not where a proxy variable does
            self._client = httpx.Client(timeout=limits, headers=headers, follow_redirects=False, trust_env=False)
        return self._client


_LOOK: Final = "Check that it runs, and MUNIMENT_EMBED_URL."


def _address(url: str) -> str:
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 (it is read, and refused, only now)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
        raise ValidationError(
            "The address of the embedding endpoint must begin with http:// or https://, and hold no password.",
            advice="Pass the key apart from it, as MUNIMENT_EMBED_KEY.",
        )
    base = url.rstrip("/")
    return base if base.endswith("/embeddings") else f"{base}/embeddings"


def _prefixes(model: str) -> tuple[str, str]:
    name = model.lower().rsplit("/", 1)[-1]
    for part, found in PREFIXES.items():
        if name.startswith(part):
            return found
    return "", ""


def _refused(status: int) -> EmbedderError:
    """Return the error of a status; of its body, which may repeat what was sent, nothing is read."""
    if status in (401, 403):
        return EmbedderError("The embedding endpoint refuses the key.", advice="Check MUNIMENT_EMBED_KEY.", final=True)
    if status == 404:
        advice = "Check MUNIMENT_EMBED_URL and MUNIMENT_EMBED_MODEL."
        return EmbedderError("The embedding endpoint has no such model or path.", advice=advice, final=True)
    if status in AGAIN:
        return EmbedderError(f"The embedding endpoint is not able to answer now ({status}).", advice=_LOOK)
    return EmbedderError(f"The embedding endpoint refuses the text ({status}).", down=False)


def _vectors(body: bytes, count: int) -> list[Any]:
    """Read an answer: one vector for each text, in the order of ``index``."""
    from muniment import jsontext

    try:
        data = jsontext.loads(body)["data"]
        rows = [row for _, row in sorted((each.get("index", n), each["embedding"]) for n, each in enumerate(data))]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise EmbedderError("The embedding endpoint answered something that is no list of vectors.") from None
    return list(rows_of(rows, count))
