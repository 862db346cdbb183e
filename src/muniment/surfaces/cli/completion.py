"""``muniment completion``: the few lines by which a shell asks this program what may stand next.

Nothing of it is loaded when the program starts: the shell calls ``muniment completion --words …`` when Tab is pressed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from muniment.errors import ReadOnlyError, ValidationError
from muniment.surfaces.cli import output
from muniment.surfaces.cli.blocks import Line
from muniment.surfaces.cli.doors import Doors
from muniment.surfaces.cli.failures import Exit
from muniment.surfaces.cli.parameters import Form, Parameter
from muniment.surfaces.cli.signature import Callback, callback

_BASH: Final = """\
_muniment() {
    local IFS=$'\\n'
    COMPREPLY=($("$1" completion --words "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _muniment muniment
"""

_ZSH: Final = """\
#compdef muniment
_muniment() {
    local -a found
    found=("${(@f)$(${words[1]} completion --words "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n "${found[1]}" ]]; then compadd -Q -- "${found[@]}"; else _files; fi
}
if [[ "${funcstack[1]}" = _muniment ]]; then _muniment "$@"; else compdef _muniment muniment; fi
"""

_FISH: Final = """\
function __muniment_words
    set -l typed (commandline -opc) (commandline -ct)
    muniment completion --words $typed[2..-1] 2>/dev/null
end
complete -c muniment -a '(__muniment_words)'
"""

_POWERSHELL: Final = """\
Register-ArgumentCompleter -Native -CommandName muniment -ScriptBlock {
    param($word, $ast, $position)
    $typed = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
    if (-not $word) { $typed += '""' }
    & muniment completion --words @typed 2>$null | ForEach-Object {
        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
    }
}
"""

SCRIPTS: Final[Mapping[str, str]] = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH, "powershell": _POWERSHELL}
"""What each shell has to run."""

_LEFT: Final = {
    "bash": "New shells complete from now on, if the package bash-completion is there.",
    "zsh": "Put this into ~/.zshrc, before compinit: fpath+=({folder})",
    "fish": "New shells complete from now on.",
    "powershell": "Put this into your $PROFILE: . '{file}'",
}

PARAMETERS: Final = (
    Parameter("shell", "shell", Form.ARGUMENT, "|".join(SCRIPTS), required=True, help="The shell."),
    Parameter("install", "install", Form.FLAG, help="Put the script where the shell looks for it."),
)


def build() -> Callback:
    """Return the command."""
    return callback(PARAMETERS, lambda doors, typed: lambda: run(doors, typed))


def run(doors: Doors, typed: Mapping[str, Any]) -> int:
    """Print the script of a shell, or put it in its place."""
    shell = typed["shell"]
    if shell not in SCRIPTS:
        raise ValidationError("There is no such shell here.", advice=f"Use one of: {', '.join(SCRIPTS)}.")
    if not typed.get("install"):
        if doors.json:
            output.document({"shell": shell, "script": SCRIPTS[shell]})
        else:
            output.show([Line(SCRIPTS[shell].rstrip("\n"))])
        return Exit.PASS
    file = place(shell, os.environ)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(SCRIPTS[shell], "utf-8")
    except OSError as error:
        raise ReadOnlyError(
            f"The script cannot be written: {error.strerror or 'not writable'}.",
            advice=f"Write it yourself: muniment completion {shell} > FILE",
        ) from None
    left = _LEFT[shell].format(folder=file.parent, file=file)
    if doors.json:
        output.document({"shell": shell, "file": str(file), "left_to_do": left})
    else:
        output.show([Line(f"Written to {file}", "good"), Line(left)])
    return Exit.PASS


def place(shell: str, environment: Mapping[str, str]) -> Path:
    """Return where the script of a shell belongs.

    Args:
        shell: One of :data:`SCRIPTS`.
        environment: The variables that say where things of a user lie.
    """
    home = Path(environment.get("HOME") or environment.get("USERPROFILE") or "~").expanduser()
    data = Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share")
    config = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    return {
        "bash": data / "bash-completion" / "completions" / "muniment",
        "zsh": data / "zsh" / "site-functions" / "_muniment",
        "fish": config / "fish" / "completions" / "muniment.fish",
        "powershell": config / "powershell" / "muniment-completion.ps1",
    }[shell]
