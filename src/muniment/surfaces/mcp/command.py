"""``muniment mcp``: the command that starts a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from muniment.errors import CapabilityError, ValidationError
from muniment.operation import PROFILES
from muniment.surfaces.cli import reading
from muniment.surfaces.cli.doors import Doors
from muniment.surfaces.cli.parameters import Form, Parameter
from muniment.surfaces.cli.signature import Callback, callback

if TYPE_CHECKING:
    from muniment.surfaces.mcp import http

_FURTHER: Final = ", ".join(name for name in PROFILES if name != "core")
_PROFILE: Final = f"A further set of tools: {_FURTHER}; or memory-server, alone."

PARAMETERS: Final = (
    Parameter("profile", "profile", Form.REPEATED, "NAME", help=_PROFILE),
    Parameter("http", "http", Form.FLAG, help="Serve Streamable HTTP instead of standard input and output."),
    Parameter("host", "host", Form.OPTION, "ADDRESS", help="Where HTTP listens. Default: this machine only."),
    Parameter("port", "port", Form.OPTION, "NUMBER", help="Default 8765."),
    Parameter("tokens", "tokens", Form.OPTION, "FILE", help="The bearer tokens that are let in, as muniment mcp-token wrote them."),
    Parameter("allow_host", "allow_host", Form.REPEATED, "NAME:PORT", help="A name under which clients reach the server."),
    Parameter("allow_origin", "allow_origin", Form.REPEATED, "URL", help="A web page that may call the server."),
    Parameter("issuer", "issuer", Form.OPTION, "URL", help="OAuth: the authorization server whose tokens are let in."),
    Parameter("resource", "resource", Form.OPTION, "URL", help="OAuth: this server, as tokens name it."),
    Parameter("jwks", "jwks", Form.OPTION, "URL", help="OAuth: where the authorization server publishes its keys."),
)  # fmt: skip

_WEB: Final = ("host", "port", "tokens", "allow_host", "allow_origin", "issuer", "resource", "jwks")


def build() -> Callback:
    """Return the command ``mcp``."""
    return callback(PARAMETERS, lambda doors, typed: lambda: run(doors, typed))


def run(options: Doors, typed: dict[str, Any]) -> int:
    """Start a server and serve until its client leaves.

    Raises:
        CapabilityError: If the SDK is not installed.
        ValidationError: If it is to listen where it may not.
    """
    from muniment.surfaces.mcp import callers, extra, tools

    profiles = tools.chosen(typed.get("profile") or ())
    given = {name: typed[name] for name in _WEB if typed.get(name)}
    if given and not typed.get("http"):
        raise ValidationError("Only HTTP has an address and tokens.", advice="Add --http, or leave them out.")
    at = _listening(given) if typed.get("http") else None
    handles = callers.Handles(options.path, options.namespace, options.scope)
    beside = callers.beside(callers.highest(options.channel))
    absent = extra.missing()
    if absent is not None:
        raise CapabilityError(
            f"The server needs the extra mcp: the package {absent} is not installed.", advice=extra.advice()
        )
    from muniment.surfaces.mcp import server, stdio

    if at is not None:
        from muniment.surfaces.mcp import http

        http.serve(server.build(profiles, handles, http.caller_of if at.guarded else lambda ctx: beside), at)
        return 0
    import anyio

    anyio.run(stdio.serve, server.build(profiles, handles, lambda ctx: beside))
    return 0


def _listening(given: dict[str, Any]) -> http.Listening:
    from muniment.surfaces.mcp import http, tokens

    port = reading.whole(given["port"], "--port") if "port" in given else http.PORT
    if not 0 < port < 65_536:
        raise ValidationError("--port must be 1 to 65535.", advice="Leave it out for the usual one.")
    at = http.Listening(
        host=given.get("host", "127.0.0.1"), port=port,
        known=tokens.read(given["tokens"]) if "tokens" in given else (),
        hosts=tuple(given.get("allow_host", ())), origins=tuple(given.get("allow_origin", ())),
        issuer=given.get("issuer"), resource=given.get("resource"), keys=given.get("jwks"),
    )  # fmt: skip
    at.check()
    return at
