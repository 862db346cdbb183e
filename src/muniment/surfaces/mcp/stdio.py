"""Standard input and output as a transport: messages of a bounded size in, JSON-RPC and nothing else out."""

from __future__ import annotations

import io
import json
import re
import signal
import sys
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from mcp.server.transport_security import DEFAULT_MAX_REQUEST_BODY_SIZE
from mcp_types import CLIENT_CAPABILITIES_META_KEY, PROTOCOL_VERSION_META_KEY
from mcp_types.version import LATEST_MODERN_VERSION

from muniment.surfaces.mcp.server import OVERSIZED

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server

MAX_MESSAGE: Final = DEFAULT_MAX_REQUEST_BODY_SIZE
"""Bytes of a message: what the SDK allows over HTTP, so that both transports refuse the same."""

_EDGE: Final = 65_536
"""Bytes at both ends of an oversized message in which its id is looked for."""

_ID: Final = re.compile(rb'"id"\s*:\s*(\d{1,18}|"[^"\\]{1,128}")')


class Lines:
    """The messages on a stream, as lines of text. One that is too large is read over, and a small one that says so
    takes its place, so that whoever sent it is answered.

    Args:
        stream: Where they come from.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readline(self) -> str:
        """Return the next message; empty at the end."""
        line = self._stream.readline(MAX_MESSAGE + 1)
        if len(line) <= MAX_MESSAGE:
            return line.decode("utf-8", "replace")
        head, tail = line[:_EDGE], line[-_EDGE:]
        while line and not line.endswith(b"\n"):
            line = self._stream.readline(MAX_MESSAGE)
            tail = (tail + line)[-_EDGE:]
        return _stand_in(head, tail)

    def close(self) -> None:
        """Leave the stream open: it is not ours."""


def _stand_in(head: bytes, tail: bytes) -> str:
    """Return a request with the id of one that was too large; without an id, a blank line, which nobody answers."""
    found = _ID.search(head) or _ID.search(tail)
    if found is None:
        return "\n"
    params: dict[str, Any] = {}
    if PROTOCOL_VERSION_META_KEY.encode() in head + tail:
        params = {"_meta": {PROTOCOL_VERSION_META_KEY: LATEST_MODERN_VERSION, CLIENT_CAPABILITIES_META_KEY: {}}}
    request = {"jsonrpc": "2.0", "id": json.loads(found[1]), "method": OVERSIZED, "params": params}
    return json.dumps(request) + "\n"


async def serve(server: Server[Any]) -> None:
    """Serve until standard input ends. Whatever else writes to standard output meanwhile writes to standard error."""
    import anyio
    from mcp.server.stdio import stdio_server

    # A thread waits for the next message and cannot be woken, so an interruption ends the process, as SIGTERM does: what
    # was acknowledged is on the disk.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    lines: Any = Lines(io.BytesIO() if sys.stdin is None else sys.stdin.buffer)  # None: it was closed by whoever began
    async with stdio_server(stdin=anyio.wrap_file(lines)) as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
