"""Streamable HTTP as a transport: on this machine unless there are tokens, and only for the names it is known by."""

from __future__ import annotations

import ipaddress
import logging
import sys
from typing import TYPE_CHECKING, Any, Final

from muniment.errors import ValidationError
from muniment.quick import dataclass
from muniment.surfaces.mcp import tokens
from muniment.surfaces.mcp.callers import Caller

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server
    from starlette.applications import Starlette

PORT: Final = 8765
PATH: Final = "/mcp"

_LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class Listening:
    """Where a server listens, and for whom.

    Args:
        host, port: The address.
        known: Tokens that the operator gave out.
        hosts: Names under which clients reach it, as in the header Host; the address itself if not given.
        origins: Web pages that may call it, as in the header Origin. None, unless they are named.
        issuer, resource, keys: Of OAuth: the authorization server, this server's own address, and where the keys of the
            former are published. All three or none.
    """

    host: str = "127.0.0.1"
    port: int = PORT
    known: tuple[tokens.Known, ...] = ()
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    issuer: str | None = None
    resource: str | None = None
    keys: str | None = None

    @property
    def guarded(self) -> bool:
        """Whether only those with a token are let in."""
        return bool(self.known) or self.issuer is not None

    def check(self) -> None:
        """Refuse to listen where anybody could come in.

        Raises:
            ValidationError: If the address is not of this machine and there are no tokens, or OAuth is told in part.
        """
        oauth = (self.issuer, self.resource, self.keys)
        if any(oauth) and not all(oauth):
            raise ValidationError("OAuth needs three addresses.", advice="Pass --issuer, --resource and --jwks.")
        if not self.guarded and not is_loopback(self.host):
            raise ValidationError(
                "Without tokens this server listens on this machine only.",
                advice="Make one with muniment mcp-token and pass --tokens FILE, or leave --host out.",
            )
        if ipaddress_of(self.host) in ("0.0.0.0", "::") and not self.hosts:
            raise ValidationError(
                "Listening everywhere, the server has to be told its own name.",
                advice="Pass --allow-host NAME:PORT as clients write it.",
            )


def ipaddress_of(host: str) -> str:
    """Return an address in its usual form; a name as it is."""
    try:
        return str(ipaddress.ip_address(host.strip("[]")))
    except ValueError:
        return host


def is_loopback(host: str) -> bool:
    """Say whether an address is of this machine only."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def caller_of(ctx: Any) -> Caller:
    """Return who makes a request, as its token says."""
    from mcp.server.auth.middleware.auth_context import get_access_token

    found = get_access_token()
    caller: Caller = (found.claims or {})[tokens.CALLER] if found is not None else _nobody()
    return caller


def _nobody() -> Caller:
    from mcp.shared.exceptions import MCPError
    from mcp_types import INVALID_REQUEST

    raise MCPError(INVALID_REQUEST, "No token came with the request.")


def application(server: Server[Any], at: Listening) -> Starlette:
    """Return a server as an ASGI application.

    Args:
        server: What to serve.
        at: Where, and for whom.
    """
    from mcp.server.auth.settings import AuthSettings
    from mcp.server.transport_security import TransportSecuritySettings

    hosts = [f"{name}:{at.port}" for name in (_LOOPBACK if is_loopback(at.host) else (_bracketed(at.host),))]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True, allowed_hosts=[*hosts, *at.hosts], allowed_origins=list(at.origins)
    )
    verifier: Any = None
    auth = None
    if at.guarded:
        own = f"http://{hosts[0]}{PATH}" if at.resource is None else at.resource
        verifier = tokens.Verifier(at.known, own)
        if at.issuer is not None and at.keys is not None:
            from muniment.surfaces.mcp.oauth import JwtVerifier

            verifier = JwtVerifier(at.issuer, own, at.keys, [verifier])
        auth = AuthSettings(
            issuer_url=at.issuer or own,  # type: ignore[arg-type]  # pydantic reads it
            resource_server_url=at.resource,  # type: ignore[arg-type]  # only with OAuth is there an issuer to tell of
            validate_token_resource=True if at.resource else None,
        )  # fmt: skip
    return server.streamable_http_app(
        streamable_http_path=PATH, transport_security=security, host=at.host, auth=auth, token_verifier=verifier
    )


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def serve(server: Server[Any], at: Listening) -> None:
    """Serve until the process is told to end. What there is to say goes to standard error."""
    import uvicorn

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    host = at.host.strip("[]")
    config = uvicorn.Config(
        application(server, at), host=host, port=at.port, log_config=None, access_log=False, server_header=False,
        timeout_graceful_shutdown=3,
    )  # fmt: skip
    print(f"Listening on http://{_bracketed(host)}:{at.port}{PATH}", file=sys.stderr, flush=True)
    uvicorn.Server(config).run()
