"""An OpenAI-compatible endpoint, on a real server of this machine that answers as it is told to."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from embedders import spelled
from muniment import Memory
from muniment.errors import ValidationError
from muniment.models import asking, endpoint
from muniment.models.asking import PROBE, Asker
from muniment.models.endpoint import EndpointEmbedder
from muniment.models.faults import EmbedderError

KEY = "sk-canary-0123456789"


class Server:
    """The server: ``answer`` returns status and body for a request, and may wait."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.answer: Callable[[dict[str, Any]], tuple[int, Any]] = well
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append(body)
                outer.headers.append({name.lower(): value for name, value in self.headers.items()})
                outer.paths.append(self.path)
                status, said = outer.answer(body)
                data = said if isinstance(said, bytes) else json.dumps(said).encode()
                try:
                    self.send_response(status)
                    if status in (301, 302, 307):
                        self.send_header("Location", said["to"])
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:  # whoever asked is gone
                    pass

            def log_message(self, *_: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def texts(self) -> list[str]:
        return [text for request in self.requests for text in request["input"]]

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


def well(body: dict[str, Any]) -> tuple[int, Any]:
    rows = [{"index": n, "embedding": spelled(text)} for n, text in enumerate(body["input"])]
    return 200, {"object": "list", "model": body["model"], "data": rows[::-1]}  # the order is that of the indexes


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(endpoint, "PAUSE", 0.001)
    made = Server()
    yield made
    made.close()


def test_a_memory_finds_by_meaning_through_an_endpoint(server: Server) -> None:
    with Memory(":memory:", embedder=f"{server.url}#small") as memory:
        memory.remember("The kettle is broken")
        memory.remember("The window is open")
        assert memory.models.embed() == {"embedded": 2, "unembedded": 0}
        assert memory.models.status()["embedder"] == "endpoint:small"
    assert set(server.paths) == {"/v1/embeddings"} and {r["model"] for r in server.requests} == {"small"}
    assert "authorization" not in server.headers[0]


def test_the_settings_name_an_endpoint(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUNIMENT_EMBED_URL", server.url + "/")
    monkeypatch.setenv("MUNIMENT_EMBED_MODEL", "small")
    monkeypatch.setenv("MUNIMENT_EMBED_KEY", KEY)
    with Memory(":memory:") as memory:
        memory.remember("The kettle is broken")
        assert memory.models.embed()["embedded"] == 1
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    with Memory(":memory:", embedder="off") as memory:
        assert memory.models.status()["embedder"] is None


def test_the_key_of_one_endpoint_is_sent_to_no_other(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUNIMENT_EMBED_URL", "https://provider.example/v1")
    monkeypatch.setenv("MUNIMENT_EMBED_KEY", KEY)
    with Memory(":memory:", embedder=f"{server.url}#small") as memory:
        memory.remember("The kettle is broken")
        memory.models.embed()
    assert server.headers and not any("authorization" in headers for headers in server.headers)


def test_no_proxy_of_the_environment_sees_a_text(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = Server()
    try:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url.removesuffix("/v1"))
        EndpointEmbedder(server.url, "small").embed_queries(["x"])
        assert len(server.requests) == 1 and proxy.requests == []
    finally:
        proxy.close()


def test_the_key_stands_in_no_error_no_log_and_no_repr(
    server: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from muniment import settings

    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("MUNIMENT_EMBED_KEY", KEY)
    shown = {s.name: s.value for s in settings.settings()}
    assert shown["embed_key"] == "set"
    embedder = EndpointEmbedder(server.url, "small", key=KEY)
    seen = [repr(embedder), str(shown)]
    for status in (401, 403, 404, 400, 500, 302):
        server.answer = lambda body, status=status: (status, {"to": server.url, "error": f"bad key {KEY}"})  # type: ignore[misc]
        with pytest.raises(EmbedderError) as caught:
            embedder.embed_queries(["a secret"])
        seen += [str(caught.value), repr(caught.value.diagnostics()), repr(caught.value.__cause__)]
    assert not [text for text in (*seen, caplog.text) if KEY in text or "a secret" in text]


def test_a_redirect_is_not_followed_with_the_key(server: Server) -> None:
    other = Server()
    try:
        server.answer = lambda body: (307, {"to": f"{other.url}/embeddings"})
        with pytest.raises(EmbedderError):
            EndpointEmbedder(server.url, "small", key=KEY).embed_queries(["x"])
        assert other.requests == []
    finally:
        other.close()


@pytest.mark.parametrize(
    ("model", "document", "query"),
    [
        ("nomic-embed-text", "search_document: ", "search_query: "),
        ("nomic-ai/nomic-embed-text-v1.5", "search_document: ", "search_query: "),
        ("intfloat/e5-base-v2", "passage: ", "query: "),
        ("multilingual-e5-small", "passage: ", "query: "),
        ("text-embedding-3-small", "", ""),
        ("mxbai-embed-large", "", ""),
    ],
)
def test_a_model_is_given_the_words_it_was_trained_with(server: Server, model: str, document: str, query: str) -> None:
    embedder = EndpointEmbedder(server.url, model)
    embedder.embed_documents(["x"])
    embedder.embed_queries(["x"])
    assert server.texts == [f"{document}x", f"{query}x"]


def test_a_batch_is_one_request(server: Server) -> None:
    asker = Asker(EndpointEmbedder(server.url, "small"))
    asker.documents([f"text {n}" for n in range(32)])
    assert [len(request["input"]) for request in server.requests] == [1, 32]  # the first is the fixed text


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_passes_is_tried_again_a_bounded_number_of_times(server: Server, status: int) -> None:
    left = [2]

    def answer(body: dict[str, Any]) -> tuple[int, Any]:
        left[0] -= 1
        return well(body) if left[0] < 0 else (status, {})

    server.answer = answer
    embedder = EndpointEmbedder(server.url, "small")
    assert len(embedder.embed_documents(["x"])) == 1 and len(server.requests) == 3
    left[0] = 99
    with pytest.raises(EmbedderError) as caught:
        embedder.embed_documents(["x"])
    assert caught.value.down and len(server.requests) == 6
    with pytest.raises(EmbedderError):
        embedder.embed_queries(["x"])
    assert len(server.requests) == 7  # whoever asks does not wait


def test_one_text_that_is_refused_costs_no_other_its_vector(server: Server) -> None:
    server.answer = lambda body: (400, {}) if any("kettle" in t for t in body["input"]) else well(body)
    with Memory(":memory:", embedder=f"{server.url}#small") as memory:
        memory.remember("The kettle is broken")
        memory.remember("The window is open")
        assert memory.models.embed() == {"embedded": 1, "unembedded": 1}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not json",
        b"[]",
        b"{}",
        {"data": 7},
        {"data": [{}]},
        {"data": []},
        {"data": [7]},
        {"data": [{"embedding": "x"}]},
    ],
    ids=str,
)
def test_an_answer_that_is_none_is_an_error_of_the_embedder(server: Server, body: Any) -> None:
    server.answer = lambda _: (200, body)
    with Memory(":memory:", embedder=f"{server.url}#small") as memory:
        memory.remember("The kettle is broken")
        assert memory.models.embed() == {"embedded": 0, "unembedded": 1}
        assert memory.models.status()["trouble"]
        assert [hit.text for hit in memory.recall("kettle")] == ["The kettle is broken"]


def test_too_long_an_answer_is_not_read_to_its_end(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "MAX_ANSWER", 1000)
    server.answer = lambda _: (200, b"[" * 100_000)
    with pytest.raises(EmbedderError, match="too much"):
        EndpointEmbedder(server.url, "small").embed_queries(["x"])


def test_an_endpoint_that_does_not_answer_is_not_waited_for(server: Server) -> None:
    hold, answered = threading.Event(), []

    def answer(body: dict[str, Any]) -> tuple[int, Any]:
        hold.wait(60)
        answered.append(body)
        return well(body)

    server.answer = answer
    embedder = EndpointEmbedder(server.url, "small", seconds=0.1)
    with pytest.raises(EmbedderError, match="in time"):
        embedder.embed_queries(["x"])
    with pytest.raises(EmbedderError, match="longer than"):
        Asker(EndpointEmbedder(server.url, "small"), seconds=0.1).query("x")
    assert answered == []
    hold.set()


def test_an_endpoint_that_is_not_there_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "PAUSE", 0.001)
    with Memory(":memory:", embedder="http://127.0.0.1:9/v1#small") as memory:
        memory.remember("The kettle is broken")
        assert [hit.text for hit in memory.recall("kettle")] == ["The kettle is broken"]
        assert memory.models.embed() == {"embedded": 0, "unembedded": 1}
        assert "reached" in memory.models.status()["trouble"]


@pytest.mark.parametrize(
    "spec",
    [
        "ftp://host#m",
        "http://#m",
        "http://user:secret@host/v1#m",
        "http://host/v1",
        "https:///v1#m",
        "http://[::1#m",
        "http://host:port/v1#m",
    ],
)
def test_an_address_that_is_none_is_refused_before_any_store_is_made(tmp_path: Any, spec: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Memory(tmp_path / "m.muniment", embedder=spec)
    assert "secret" not in str(caught.value)
    assert not (tmp_path / "m.muniment").exists()


def test_only_one_recall_in_a_while_waits_for_an_endpoint_that_is_down(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answer = lambda body: (503, {})
    asker = Asker(EndpointEmbedder(server.url, "small"))
    for _ in range(5):
        with pytest.raises(EmbedderError, match="503"):
            asker.query("x")
    assert len(server.requests) == 1
    monkeypatch.setattr(asking, "REST_SECONDS", 0.0)
    asker._resting = None
    for _ in range(2):
        with pytest.raises(EmbedderError, match="503"):
            asker.query("x")
    assert len(server.requests) == 3
    server.answer = well
    assert len(asker.query("x")) == 32


def test_what_works_for_documents_is_asked_for_queries_again(server: Server) -> None:
    server.answer = lambda body: (503, {})
    asker = Asker(EndpointEmbedder(server.url, "small"))
    with pytest.raises(EmbedderError):
        asker.query("x")
    server.answer = well
    asker.documents(["y"])
    assert len(asker.query("x")) == 32


def test_the_probe_holds_nothing_of_the_store(server: Server) -> None:
    with Memory(":memory:", embedder=f"{server.url}#small") as memory:
        memory.models.embed()
    assert set(server.texts) <= {PROBE}
