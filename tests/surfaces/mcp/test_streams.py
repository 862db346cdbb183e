"""What lies on the pipes: JSON-RPC and nothing else, in any locale, whatever is printed; and how soon, and how long."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest

from muniment import Memory
from muniment.surfaces.mcp import calling
from muniment.surfaces.mcp.call import aside
from surfaces.mcp.talking import ERAS, connected, program, said, talk
from surfaces.running import PROGRAM, Run

NOISY = """
import logging, sys, warnings
logging.basicConfig(level=logging.DEBUG, stream=sys.stdout)
from muniment.verbs.finding import recalling
quiet = recalling.recall
def noisy(*given, **named):
    print("a banner"); sys.stdout.write("more\\n"); sys.__stdout__.write("and more\\n"); sys.__stdout__.flush()
    warnings.warn("deprecated", DeprecationWarning); logging.getLogger("x").debug("details")
    import os; os.write(1, b"raw bytes\\n"); os.system("echo from a child")
    return quiet(*given, **named)
recalling.recall = noisy
print("hello")
from muniment.surfaces.cli.main import main
sys.exit(main(["mcp"]))
"""
"""A server in which everything that can speak does."""

HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}  # fmt: skip


def call(number: int, tool: str, **arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def exchange(
    words: tuple[str, ...], env: Mapping[str, str], *messages: dict[str, Any], encoding: str = "utf-8"
) -> tuple[list[Any], str]:
    """Send messages one by one, wait for the answers, and return every line of standard output, and standard error."""
    process = subprocess.Popen(
        words, env=dict(env), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    lines = []
    for message in messages:
        process.stdin.write(json.dumps(message, ensure_ascii=False).encode(encoding) + b"\n")
        process.stdin.flush()
        while "id" in message:
            lines.append(json.loads(process.stdout.readline()))
            if lines[-1].get("id") == message["id"]:
                break
    rest, err = process.communicate(timeout=120)
    assert process.returncode == 0
    return [*lines, *(json.loads(line) for line in rest.splitlines())], err.decode("utf-8", "replace")


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell echoes")
def test_every_line_on_standard_output_is_a_message_whatever_is_printed(env: dict[str, str]) -> None:
    loud = env | {"PYTHONWARNINGS": "always", "PYTHONDEVMODE": "1", "PYTHONUNBUFFERED": "1"}
    # What is printed before the server begins would be a fault of whoever starts it so; hence the first line.
    words = (
        sys.executable,
        "-c",
        NOISY.replace('print("hello")', "").replace("stream=sys.stdout", "stream=sys.stderr"),
    )
    lines, err = exchange(
        words, loud, HELLO, {"jsonrpc": "2.0", "method": "notifications/initialized"},
        call(2, "remember", text="The kettle is on"), call(3, "recall", query="kettle"), call(4, "recall", query="x"),
    )  # fmt: skip
    assert {line["jsonrpc"] for line in lines} == {"2.0"} and [line["id"] for line in lines] == [1, 2, 3, 4]
    for noise in ("a banner", "more", "and more", "raw bytes", "from a child", "details", "deprecated"):
        assert noise in err, noise


@pytest.mark.parametrize("locale", [{"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
                                    {"PYTHONIOENCODING": "cp1252", "LC_ALL": "C"}])  # fmt: skip
def test_any_text_survives_any_locale(locale: dict[str, str], env: dict[str, str]) -> None:
    text = "Зина живёт в 東京 — naïve “quotes”, 🫖 and \u2028 too"
    lines, _ = exchange(
        (*PROGRAM, "mcp"), {name: one for name, one in env.items() if name != "LANG"} | locale, HELLO,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        call(2, "remember", text=text, key="зина::город", value="東京"), call(3, "believe", key="зина::город"),
    )  # fmt: skip
    belief = lines[-1]["result"]["structuredContent"]
    assert belief["value"] == "東京" and belief["primary"]["text"] == text


def test_where_the_sdk_is_missing_it_is_said_how_to_get_it(inside: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import muniment.surfaces.mcp as package

    for name in ("server", "stdio"):  # as in a process that has loaded neither
        monkeypatch.delitem(sys.modules, f"muniment.surfaces.mcp.{name}", raising=False)
        monkeypatch.delattr(package, name, raising=False)
    monkeypatch.setitem(sys.modules, "mcp_types", None)
    ran = inside("mcp")
    assert ran.code == 4 and "pip install 'muniment[mcp]'" in ran.err and ran.out == ""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent the POSIX way")
@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGTERM])
def test_a_server_that_is_interrupted_ends_and_loses_nothing(way: signal.Signals, env: dict[str, str]) -> None:
    process = subprocess.Popen((*PROGRAM, "mcp"), env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    for message in (HELLO, {"jsonrpc": "2.0", "method": "notifications/initialized"}, call(2, "remember", text="tea")):
        process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    answers = [json.loads(process.stdout.readline()) for _ in range(2)]
    assert answers[1]["result"]["structuredContent"]["disposition"] == "accepted"
    process.send_signal(way)
    assert process.wait(timeout=60) == -way
    process.stdin.close()
    process.stdout.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUNIMENT_KEY_HOME", env["MUNIMENT_KEY_HOME"])
        with Memory(env["MUNIMENT_PATH"]) as memory:
            assert memory.stats()["claims"] == 1 and memory.log.verify().ok


STARTING = """
import atexit, runpy, sys
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
sys.argv = ["muniment", "mcp"]
runpy.run_module("muniment.surfaces.cli", run_name="__main__")
"""
"""Starts a server as a command does; told at the end is what was loaded."""


def test_a_server_loads_no_room_beneath_the_doors_before_it_is_asked(env: dict[str, str]) -> None:
    words = (sys.executable, "-c", STARTING)
    done = subprocess.run(words, env=dict(env), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    loaded = set(done.stderr.split())
    assert done.returncode == 0 and "muniment.surfaces.mcp.server" in loaded
    rooms = {name.split(".")[1] for name in loaded if name.startswith("muniment.")}
    assert not rooms & {"facade", "verbs", "store", "recall", "beliefs", "ledger", "evidence", "models"}
    assert not loaded & {"apsw", "numpy", "orjson", "pint", "rich", "onnxruntime", "tokenizers"}


def test_long_work_tells_how_far_it_is_and_stops_when_nobody_waits(env: dict[str, str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUNIMENT_KEY_HOME", env["MUNIMENT_KEY_HOME"])
        with Memory(env["MUNIMENT_PATH"]) as memory:
            memory.remember_many([{"text": f"Note {number} of many", "key": f"n{number}::v"} for number in range(500)])

    async def conversation(era: str) -> None:
        told: list[tuple[float, float | None]] = []

        async def progress(done: float, total: float | None, message: str | None) -> None:
            told.append((done, total))

        async with connected(program(env, "--profile", "evidence"), era) as it:
            report = await it.call_tool("log_verify", {}, progress_callback=progress)
            assert report.structured_content is not None and report.structured_content["ok"] is True
            assert len(told) >= 2 and told == sorted(told) and told[-1][0] == told[-1][1]
            told.clear()
            async with anyio.create_task_group() as group:

                async def cancel_soon(done: float, total: float | None, message: str | None) -> None:
                    told.append((done, total))
                    group.cancel_scope.cancel()

                await it.call_tool("log_verify", {}, progress_callback=cancel_soon)
                raise AssertionError("it was cancelled")
            assert told[-1][0] < (told[-1][1] or 0)
            assert (await said(it, "believe", key="n1::v"))["status"] == "resolved"

    for era in ERAS:
        talk(conversation, era)


def test_a_thread_that_nobody_waits_for_stops_at_its_next_step() -> None:
    steps: list[int] = []
    ended: list[str] = []

    class Context:
        """A client that takes note and leaves."""

        session: Any

        async def report_progress(self, done: float, total: float) -> None:
            steps.append(int(done))

    async def conversation() -> None:
        context: Any = Context()
        context.session = context
        tell = calling._progress(context)

        def work() -> None:
            try:
                for step in range(1_000):
                    time.sleep(0.001)
                    tell(step, 1_000)
            except BaseException as error:
                ended.append(type(error).__name__)
                raise

        with anyio.move_on_after(0.05):
            await aside(work, reads=True)
        with anyio.fail_after(60):
            while not ended:
                await anyio.sleep(0.01)

    talk(conversation)
    assert ended == ["CancelledError"] and len(steps) < 1_000


def test_the_folder_of_the_platform_is_used_where_no_path_is_given_and_a_tilde_is_a_home(
    env: dict[str, str],
) -> None:
    lost = {name: value for name, value in env.items() if name != "MUNIMENT_PATH"} | {"MUNIMENT_CHANNEL": "user"}

    async def conversation(place: dict[str, str]) -> str:
        async with connected(program(place, "--profile", "curate")) as it:
            await said(it, "remember", text="tea")
            location: str = (await said(it, "stats"))["location"]
            return location

    if os.name == "posix" and sys.platform != "darwin":
        assert talk(conversation, lost).startswith(env["XDG_DATA_HOME"])
    (Path(env["HOME"]) / "my notes").mkdir()
    there = talk(conversation, env | {"MUNIMENT_PATH": "~/my notes/a b.muniment", "MUNIMENT_CHANNEL": "user"})
    assert there == os.path.join(env["HOME"], "my notes", "a b.muniment")
