"""``muniment reviewer-key``: a key for a reviewer. It opens no store: the private half stays with the reviewer."""

from __future__ import annotations

import os
from typing import Any, Final

from muniment.errors import ValidationError
from muniment.surfaces.cli import output
from muniment.surfaces.cli.doors import Doors
from muniment.surfaces.cli.parameters import Form, Parameter
from muniment.surfaces.cli.signature import Callback, callback

PARAMETERS: Final = (
    Parameter(
        "name", "name", Form.ARGUMENT, "NAME", required=True, help="The key's name: no spaces and no plus signs."
    ),
    Parameter(
        "out", "out", Form.OPTION, "FILE", required=True, help="Where the private key goes; only its owner may read it."
    ),
)


def build() -> Callback:
    """Return the command."""
    return callback(PARAMETERS, lambda doors, typed: lambda: run(doors, typed))


def run(options: Doors, typed: dict[str, Any]) -> int:
    """Make a key, keep the private half, and print the public one."""
    from muniment.defaults import SystemEntropy
    from muniment.ledger.keys import signing_key
    from muniment.verbs import checks

    key = signing_key(checks.short(typed["name"], "NAME"), SystemEntropy().token(32))
    try:
        handle = os.open(typed["out"], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError:
        raise ValidationError(
            "The file of the private key cannot be made.", advice="Name a new file in a folder that can be written."
        ) from None
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(key.private_text + "\n")
    output.fields({"key": key.verifying.vkey, "private": typed["out"]}, as_json=options.json)
    return 0
