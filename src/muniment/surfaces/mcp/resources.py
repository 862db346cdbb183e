"""Resources: what a person attaches to a conversation. A belief, a history, a claim, the head of the log."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from muniment.errors import MunimentError
from muniment.operation import operations
from muniment.quick import dataclass
from muniment.surfaces.mcp import callers
from muniment.surfaces.mcp.call import aside, invoke

if TYPE_CHECKING:
    from mcp_types import ListResourcesResult, ListResourceTemplatesResult, ReadResourceResult

JSON: Final = "application/json"


@dataclass(frozen=True, slots=True)
class Place:
    """A resource, or a kind of them.

    Args:
        uri: Its address; a part in braces is the argument of the operation.
        name, description: For people.
        operations: What it is read with, the first that there is.
    """

    uri: str
    name: str
    description: str
    operations: tuple[str, ...]

    @property
    def argument(self) -> str | None:
        """The name of the part in braces."""
        found = re.search(r"{(\w+)}", self.uri)
        return None if found is None else found[1]

    def match(self, uri: str) -> dict[str, str] | None:
        """Return the arguments that an address gives, or None if it is none of these."""
        if self.argument is None:
            return {} if uri == self.uri else None
        before, after = self.uri.split("{" + self.argument + "}")
        if not uri.startswith(before) or not uri.endswith(after) or len(uri) <= len(before) + len(after):
            return None
        return {self.argument: unquote(uri[len(before) : len(uri) - len(after)])}


PLACES: Final = (
    Place("muniment://belief/{key}", "belief", "What is believed of a key, with candidates and markers.", ("believe",)),
    Place("muniment://history/{key}", "history", "Every claim of a key, each with its standing.", ("history",)),
    Place("muniment://claim/{id}", "claim", "One claim, whole.", ("get",)),
    Place("muniment://log/head", "log head", "The head of the log, to be kept elsewhere.",
          ("log.checkpoint", "stats")),
    Place("muniment://digest", "digest", "What a new session has to know.", ("sessions.digest",)),
)  # fmt: skip
"""Every resource; one whose operations are all missing is not offered."""


def there() -> list[tuple[Place, str]]:
    """Return each resource that can be read, with the operation that reads it."""
    import muniment.facade.memory  # noqa: F401  (declares the operations)

    known = operations()
    found = [(place, next((name for name in place.operations if name in known), None)) for place in PLACES]
    return [(place, name) for place, name in found if name is not None]


def handlers(handles: callers.Handles, caller_of: Callable[[Any], callers.Caller]) -> dict[str, Any]:
    """Return the handlers of a server for resources.

    Args:
        handles, caller_of: Of the server.
    """
    import mcp_types as types

    async def listed(ctx: Any, params: Any) -> ListResourcesResult:
        return types.ListResourcesResult(
            resources=[
                types.Resource(uri=place.uri, name=place.name, description=place.description, mime_type=JSON)
                for place, _ in there() if place.argument is None
            ]
        )  # fmt: skip

    async def templates(ctx: Any, params: Any) -> ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(
                    uri_template=place.uri, name=place.name, description=place.description, mime_type=JSON
                )
                for place, _ in there() if place.argument is not None
            ]
        )  # fmt: skip

    async def read(ctx: Any, params: Any) -> ReadResourceResult:
        uri = str(params.uri)
        text = await aside(lambda: _read(uri, handles, caller_of(ctx)), reads=True)
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, mime_type=JSON, text=text)], ttl_ms=0, cache_scope="private"
        )

    return {"on_list_resources": listed, "on_list_resource_templates": templates, "on_read_resource": read}


def _read(uri: str, handles: callers.Handles, caller: callers.Caller) -> str:
    from mcp.shared.exceptions import MCPError
    from mcp_types import INVALID_PARAMS

    from muniment.verbs.plain import plain

    _, name, given = found(uri)
    try:
        result = invoke(handles.of(caller), operations()[name], given)
    except MunimentError as error:
        raise MCPError(INVALID_PARAMS, str(error), error.diagnostics()) from None
    return json.dumps(plain(result), ensure_ascii=False)


def found(uri: str) -> tuple[Place, str, dict[str, str]]:
    """Return the resource at an address, the operation that reads it, and what that takes.

    Raises:
        MCPError: If there is none.
    """
    from mcp.shared.exceptions import MCPError
    from mcp_types import INVALID_PARAMS

    for place, name in there():
        given = place.match(uri)
        if given is not None:
            return place, name, given
    raise MCPError(
        INVALID_PARAMS, "There is no such resource. There are: " + ", ".join(place.uri for place, _ in there()) + ".",
        {"uri": uri},
    )  # fmt: skip
