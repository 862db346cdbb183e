"""``muniment sign-verdict``: a reviewer's token for one verdict. It opens no store and needs no network."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Final

from muniment import settings
from muniment.errors import ValidationError
from muniment.surfaces.cli import output
from muniment.surfaces.cli.doors import Doors
from muniment.surfaces.cli.parameters import Form, Parameter
from muniment.surfaces.cli.signature import Callback, callback

PARAMETERS: Final = (
    Parameter("item", "item", Form.ARGUMENT, "ITEM", required=True, help="The review item."),
    Parameter("verdict", "verdict", Form.ARGUMENT, "VERDICT", required=True, help="The verdict, as for resolve."),
    Parameter(
        "version", "version", Form.OPTION, "VERSION", required=True, help="The line version that the item showed."
    ),
    Parameter("key", "key", Form.OPTION, "FILE", required=True, help="The file of the private key."),
    Parameter("hours", "hours", Form.OPTION, "HOURS", help="How long it may be used. Default 24, at most 8760."),
)

_HOUR: Final = 3_600_000_000


def build() -> Callback:
    """Return the command."""
    return callback(PARAMETERS, lambda doors, typed: lambda: run(doors, typed))


def run(options: Doors, typed: dict[str, Any]) -> int:
    """Sign, and print the token."""
    from muniment.beliefs.verdicts import Verdict
    from muniment.ledger.keys import parse_private_key
    from muniment.ledger.tokens import Statement, key_name, sign_token
    from muniment.verbs import checks
    from muniment.verbs.opening import check_namespace

    verdict = checks.one_of(typed["verdict"], "verdict", tuple(Verdict))
    item, version = (checks.short(typed[name], name) for name in ("item", "version"))
    namespace = check_namespace(options.namespace or settings.environment("NAMESPACE") or "default")
    hours = checks.whole(typed.get("hours") or 24, "hours", 1, 8760)
    try:
        text = Path(typed["key"]).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError, ValueError):
        raise ValidationError(
            "The file of the private key cannot be read.", advice="Name the file that reviewer-key wrote."
        ) from None
    key = parse_private_key(text)
    expires = time.time_ns() // 1000 + hours * _HOUR
    statement = Statement(namespace, item, version, verdict, expires, key_name(key.verifying))
    output.fields({"token": sign_token(statement, key)}, as_json=options.json)
    return 0
