"""``muniment mcp-token``: a bearer token for a server that listens on the network. It opens no store."""

from __future__ import annotations

from typing import Any, Final

from muniment.surfaces.cli.doors import Doors
from muniment.surfaces.cli.parameters import Form, Parameter
from muniment.surfaces.cli.signature import Callback, callback

USUAL: Final = ("reader", "writer")
"""Roles of a token for which none are named."""

_ROLES: Final = "What they may do: reader, writer, reviewer, eraser, auditor or admin. Default: reader and writer."

PARAMETERS: Final = (
    Parameter("name", "name", Form.ARGUMENT, "NAME", required=True, help="Who bears it: the author of what they say."),
    Parameter("file", "file", Form.OPTION, "FILE", required=True, help="The file of tokens, where its hash is added."),
    Parameter("role", "role", Form.REPEATED, "ROLE", help=_ROLES),
)  # fmt: skip


def build() -> Callback:
    """Return the command."""
    return callback(PARAMETERS, lambda doors, typed: lambda: run(doors, typed))


def run(options: Doors, typed: dict[str, Any]) -> int:
    """Make a token, keep its hash, and print it once."""
    from muniment.defaults import SystemEntropy
    from muniment.surfaces.cli import output
    from muniment.surfaces.mcp import callers, tokens
    from muniment.verbs import checks

    roles = tokens.checked_roles(typed.get("role") or list(USUAL))
    channel = callers.highest(options.channel)
    caller = callers.Caller(channel, roles, checks.short(typed["name"], "NAME"), options.namespace, options.scope)
    token = tokens.PREFIX + SystemEntropy().token(tokens.SIZE).hex()
    tokens.made(typed["file"], token, caller)
    made = {"token": token, "name": caller.author, "roles": ", ".join(roles), "channel": channel, "file": typed["file"]}
    output.fields(made, as_json=options.json)
    return 0
