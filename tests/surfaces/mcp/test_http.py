"""Over HTTP: who is let in, under which names, and as whom they speak. A server of its own, real sockets."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx2 as httpx
from mcp.client.streamable_http import streamable_http_client

from surfaces.mcp.talking import ERAS, accept, connected, refused, said, talk
from surfaces.running import PROGRAM, Run

CALL = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}  # fmt: skip
HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def begun(env: Mapping[str, str], words: tuple[str, ...]) -> tuple[subprocess.Popen[bytes], int] | None:
    """Start a server and return it with its port once it answers; None if somebody else was given that port meanwhile."""
    port = free_port()
    process = subprocess.Popen(
        [*PROGRAM, "mcp", "--http", "--port", str(port), *words], env=dict(env), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    end = time.monotonic() + 120
    while process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        assert time.monotonic() < end, "it never began"
        time.sleep(0.05)
    if process.poll() is None:
        return process, port
    _, err = process.communicate()
    assert b"address already in use" in err, err
    return None


@contextmanager
def serving(env: Mapping[str, str], *words: str) -> Iterator[str]:
    """Run a server until the test is done, and return its address."""
    while (one := begun(env, words)) is None:
        pass
    process, port = one
    try:
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        out, _ = process.communicate(timeout=120)
        assert out == b"", "standard output stays empty"


def post(address: str, **headers: str) -> httpx.Response:
    return httpx.post(address, json=CALL, headers={**HEADERS, **headers}, timeout=30)


def made(run: Run, file: Path, name: str, *words: str) -> str:
    """Make a token with the command, and return it."""
    token: str = run("mcp-token", name, "--file", str(file), *words, "--json").json["token"]
    return token


@asynccontextmanager
async def bearing(address: str, token: str, era: str, answer: Any = None) -> AsyncIterator[Any]:
    """Connect with a token."""
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30) as client:
        transport = streamable_http_client(address, http_client=client)
        async with connected(transport, era, answer) as it:
            yield it


def test_on_this_machine_anybody_may_come_but_no_web_page(env: dict[str, str]) -> None:
    with serving(env) as address:
        assert post(address).status_code == 200
        assert post(address, Host="evil.example").status_code == 421
        for origin in ("null", "https://evil.example", "http://localhost.evil.example"):
            assert post(address, Origin=origin).status_code == 403
        answer = httpx.options(address, headers={"Origin": "https://evil.example"})
        assert not any(name.lower().startswith("access-control") for name in (*answer.headers, *post(address).headers))
        large = httpx.post(address, content=b"[" + b" " * 5_000_000 + b"]", headers=HEADERS, timeout=30)
        assert large.status_code == 413

        async def conversation(era: str) -> None:
            async with connected(address, era, accept) as it:
                await said(it, "remember", text=f"The safe opens with {era}", key=f"safe::{era}", value=era)
                assert len((await said(it, "forget", key=f"safe::{era}"))["erased"]) == 1
                back = await said(it, "remember", text="tea", key=f"shop::{era}", value="tea")
                assert back["believed"] and (await said(it, "believe", key=f"shop::{era}"))["value"] == "tea"
                again = await said(it, "remember", text="tea", key=f"shop::{era}", value="tea")
                assert again["disposition"] == "reentry"

        for era in ERAS:
            talk(conversation, era)


def test_elsewhere_it_does_not_listen_without_tokens(inside: Run) -> None:
    for words in (["--host", "0.0.0.0"], ["--host", "192.0.2.7"], ["--host", "::"]):
        ran = inside("mcp", "--http", *words)
        assert ran.code == 2 and "this machine only" in ran.err
    assert "--http" in inside("mcp", "--host", "127.0.0.1").err
    assert "three addresses" in inside("mcp", "--http", "--issuer", "https://login.example").err
    assert "no such profile" in inside("mcp", "--profile", "everything").err


def test_who_bears_a_token_is_who_it_says_and_may_what_it_says(
    env: dict[str, str], inside: Run, tmp_path: Path
) -> None:
    file = tmp_path / "tokens.jsonl"
    reader = made(inside, file, "rita", "--role", "reader")
    writer = made(inside, file, "will", "--role", "reader", "--role", "writer")
    eraser = made(inside, file, "erin", "--role", "eraser", "--role", "reader", "--role", "writer")
    reviewer = made(inside, file, "rhea", "--role", "reader", "--role", "writer", "--role", "reviewer")
    other = made(inside, file, "otto", "--role", "reader", "--role", "writer", "--namespace", "other")
    assert reader not in file.read_text() and (sys.platform == "win32" or file.stat().st_mode & 0o077 == 0)

    async def conversation(era: str, address: str) -> None:
        key = f"office::{era}"
        async with bearing(address, writer, era, accept) as it:
            await said(it, "remember", text="The office is in Berlin", key=key, value="Berlin")
            (row,) = (await said(it, "history", key=key, full=True))["rows"]
            assert row["author"] == "will" and row["channel"] == "agent"
            error = await refused(it, "forget", key=key)
            assert error["code"] == "permission", f"{error}: a confirmation adds nothing to what the operator gave"
        async with bearing(address, reader, era, accept) as it:
            assert (await said(it, "believe", key=key))["value"] == "Berlin"
            assert (await refused(it, "remember", text="Paris", key=key))["code"] == "permission"
        async with bearing(address, other, era) as it:
            assert (await said(it, "believe", key=key))["status"] == "none"
        async with bearing(address, reviewer, era, accept) as it:
            page = await said(it, "remember", text="In Rome", key=key, value="Rome", channel="document")
            await said(it, "resolve", item=page["item"], verdict="accept", reason="I was there")
            later = await said(it, "remember", text="In Oslo", key=key, value="Oslo")
            assert later["believed"], "what was accepted ranks no higher than the token's channel"
        async with bearing(address, eraser, era, accept) as it:
            assert len((await said(it, "forget", key=key))["erased"]) == 3

    with serving(env, "--tokens", str(file), "--allow-host", "memory.example") as address:
        assert post(address).status_code == 401
        assert post(address, Authorization="Bearer muniment_guess").status_code == 401
        assert httpx.post(f"{address}?token={writer}", json=CALL, headers=HEADERS).status_code == 401
        assert post(address, Authorization=f"Bearer {writer}").status_code == 200
        assert post(address, Authorization=f"Bearer {writer}", Host="memory.example").status_code == 200
        assert post(address, Authorization=f"Bearer {writer}", Host="evil.example").status_code == 421
        assert post(address, Authorization=f"Bearer {writer}", Origin="null").status_code == 403
        for era in ERAS:
            talk(conversation, era, address)


def test_a_malformed_file_of_tokens_is_named_by_its_line(inside: Run, tmp_path: Path) -> None:
    file = tmp_path / "tokens.jsonl"
    made(inside, file, "rita", "--role", "reader")
    with file.open("a") as out:
        out.write('{"sha256": "short", "name": "x", "roles": ["reader"], "channel": "agent"}\n')
    ran = inside("mcp", "--http", "--tokens", str(file))
    assert ran.code == 2 and "Line 2" in ran.err
    assert "roles" in inside("mcp-token", "x", "--file", str(file), "--role", "king").err
    assert "cannot be read" in inside("mcp", "--http", "--tokens", str(tmp_path / "none")).err


@contextmanager
def publishing(keys: Mapping[str, Any]) -> Iterator[str]:
    """Publish the keys of an authorization server, and return their address."""

    class Keys(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(keys).encode())

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Keys)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/keys"
    finally:
        server.shutdown()
        server.server_close()


def test_tokens_of_an_authorization_server_are_let_in_when_they_are_for_this_server(env: dict[str, str]) -> None:
    import jwt
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from jwt.algorithms import OKPAlgorithm

    key, stranger = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    public = {**json.loads(OKPAlgorithm.to_jwk(key.public_key())), "kid": "one", "alg": "EdDSA", "use": "sig"}
    issuer, resource = "https://login.example", "https://memory.example/mcp"

    def token(signed: Any = key, algorithm: str = "EdDSA", **changed: Any) -> str:
        claims = {"iss": issuer, "aud": resource, "sub": "ana", "exp": time.time() + 600,
                  "scope": "openid muniment:reader muniment:writer", **changed}  # fmt: skip
        return jwt.encode(claims, signed, algorithm=algorithm, headers={"kid": "one"})

    async def conversation(address: str) -> None:
        async with bearing(address, token(), ERAS[1]) as it:
            await said(it, "remember", text="tea", key="shop::list", value="tea")
            (row,) = (await said(it, "history", key="shop::list", full=True))["rows"]
            assert row["author"] == "ana" and row["channel"] == "agent"
        async with bearing(address, token(scope="muniment:reader"), ERAS[1]) as it:
            assert (await refused(it, "remember", text="milk"))["code"] == "permission"

    with publishing({"keys": [public]}) as keys:
        words = ("--issuer", issuer, "--resource", resource, "--jwks", keys)
        with serving(env, *words) as address:
            told = post(address)
            assert told.status_code == 401 and "resource_metadata" in told.headers["www-authenticate"]
            metadata = httpx.get(address.replace("/mcp", "/.well-known/oauth-protected-resource/mcp")).json()
            assert metadata["resource"] == resource and metadata["authorization_servers"] == [issuer]
            for wrong in (
                token(stranger), token(aud="https://other.example"), token(iss="https://evil.example"),
                token(exp=time.time() - 60), token(scope="openid"), token(signed="x" * 32, algorithm="HS256"),
                token(None, "none"),
            ):  # fmt: skip
                assert post(address, Authorization=f"Bearer {wrong}").status_code == 401
            assert post(address, Authorization=f"Bearer {token()}").status_code == 200
            talk(conversation, address)
