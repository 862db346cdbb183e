"""Settings: the one place that reads the environment. Each value knows which rule gave it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Final

from muniment.errors import ValidationError
from muniment.paths import absolute, here
from muniment.quick import dataclass

PREFIX: Final = "MUNIMENT_"

SETTINGS: Final[dict[str, str]] = {
    "PATH": "The store: a file, or :memory:",
    "NAMESPACE": "The namespace to open (default: default)",
    "AUTHOR": "Who writes, as recorded with every claim (default: local)",
    "CHANNEL": "The highest channel a caller may use: user, tool, agent, model or document",
    "KEY_HOME": "Where log keys lie, outside the folder of the store",
    "ECHO": "0 switches the echo rule off for the whole process",
    "BOUNDARY": "0 switches the injection boundary off for the whole process",
    "HOOKS": "0 switches the hooks of editors off: they read nothing and write nothing",
    "HOOK_SECONDS": "After how long a hook gives up, so that a session never waits (default: 1)",
    "ADJUDICATOR": "Contests become requests that claim-request hands out; the rank of the answers: user, tool or agent",
    "EMBED_URL": "An OpenAI-compatible endpoint that makes vectors of texts, as http://localhost:11434/v1",
    "EMBED_MODEL": "The model there; without a URL an embedder on this machine: minilm, onnx:/folder, …",
    "EMBED_KEY": "The key of the endpoint; shown nowhere",
    "VECTOR_MB": "Megabytes of vectors that are kept in memory (default: 512)",
    "MAX_K": "The most hits that a recall through MCP gives (default: 50, and never more)",
    "SNIPPET_CHARS": "Characters of a hit's text that an MCP tool gives (default: 0, the whole text)",
    "BUSY_SECONDS": "How long a writer waits for another one (default: 10)",
}
"""Every setting, without the prefix, and what it means."""

ADJUDICATORS: Final = ("user", "tool", "agent")
"""The ranks at which an adjudicator may decide."""

DEFAULT_FILE: Final = "memory.muniment"

DAY: Final = 86_400
"""Seconds that nobody waits longer than; what waits for a thread takes no number of any size."""

BOUNDS: Final = {
    "BUSY_SECONDS": (0, DAY),
    "HOOK_SECONDS": (0, DAY),
    "VECTOR_MB": (0, 1 << 20),  # a terabyte
    "MAX_K": (1, 1_000),  # what recall takes
    "SNIPPET_CHARS": (0, 1 << 20),  # no text is longer
}
"""The least and the largest value of every setting that is a number: those of the argument, where it is one too."""

WHOLE: Final = frozenset({"VECTOR_MB", "MAX_K", "SNIPPET_CHARS"})
"""Settings that count something."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A value and the rule that gave it."""

    name: str
    value: str
    rule: str


def environment(name: str, environ: Mapping[str, str] | None = None) -> str | None:
    """Return one setting from the environment; an empty value counts as not set.

    Args:
        name: Without the prefix.
        environ: Where to look; the process's environment if not given.
    """
    value = (os.environ if environ is None else environ).get(PREFIX + name)
    return value or None


def switched_off(name: str, environ: Mapping[str, str] | None = None) -> bool:
    """Say whether a guard is switched off by the environment (``0``, ``off``, ``false`` or ``no``)."""
    value = environment(name, environ)
    if value is None:
        return False
    if value.lower() in ("0", "off", "false", "no"):
        return True
    if value.lower() in ("1", "on", "true", "yes"):
        return False
    raise ValidationError(f"{PREFIX}{name} must be 0 or 1.", advice="Unset it to use the default.")


def number(name: str, default: float, environ: Mapping[str, str] | None = None) -> float:
    """Return a numeric setting.

    Args:
        name: Without the prefix; one of ``BOUNDS``.
        default: What it is where nothing is set.
        environ: Where to look.

    Raises:
        ValidationError: If it is no number within the bounds, or not whole where something is counted.
    """
    value = environment(name, environ)
    if value is None:
        return default
    try:
        found = float(value)
    except ValueError:
        found = float("nan")
    low, high = BOUNDS[name]
    if not low <= found <= high or (name in WHOLE and found != int(found)):
        kind = "a whole number" if name in WHOLE else "a number"
        raise ValidationError(
            f"{PREFIX}{name} must be {kind} from {low} to {high}.", advice="Unset it to use the default."
        )
    return found


def adjudicator(environ: Mapping[str, str] | None = None) -> str | None:
    """Return the rank at which whoever polls the queue of contests decides; None where there is no such queue."""
    rank = environment("ADJUDICATOR", environ)
    if rank is None or rank in ADJUDICATORS:
        return rank
    raise ValidationError(
        f"{PREFIX}ADJUDICATOR must be one of: {', '.join(ADJUDICATORS)}.",
        advice="It is the rank at which the queue of contests is answered; unset it for no queue.",
    )


def store_path(argument: str | os.PathLike[str] | None = None, environ: Mapping[str, str] | None = None) -> Setting:
    """Decide where the store lies: argument, variable, a repository's ``.muniment`` folder, platform data folder.

    Args:
        argument: What the caller passed. ``:memory:`` is a store in RAM.
        environ: Where to look for variables.
    """
    if argument is not None:
        return Setting("path", _expanded(os.fspath(argument)), "argument")
    variable = environment("PATH", environ)
    if variable is not None:
        return Setting("path", _expanded(variable), f"variable {PREFIX}PATH")
    folder = _repository_folder(here())
    if folder is not None:
        return Setting("path", os.path.join(folder, DEFAULT_FILE), "folder .muniment of the repository")
    return Setting("path", os.path.join(data_folder(), DEFAULT_FILE), "platform data folder")


def _expanded(path: str) -> str:
    if path == ":memory:" or "://" in path:
        return path
    return absolute(path)


def _repository_folder(start: str) -> str | None:
    """Return ``.muniment`` beside the nearest ``.git``, if there is one that a store may lie in.

    A clone brings the folder along if it holds the repository's symbols file; nobody chose it for a store by that.
    """
    folder, above = start, os.path.dirname(start)
    while not os.path.exists(os.path.join(folder, ".git")):
        if above == folder:
            return None
        folder, above = above, os.path.dirname(above)
    found = os.path.join(folder, ".muniment")
    symbols, store = (os.path.exists(os.path.join(found, name)) for name in ("symbols.jsonl", DEFAULT_FILE))
    return found if os.path.isdir(found) and (store or not symbols) else None


_USUAL: Final = {"linux": ".local/share", "darwin": "Library/Application Support"}
"""Where a user's data lies in their home if they say nothing else. ``platformdirs`` says so too, and takes ten milliseconds."""


def data_folder() -> str:
    """Return the platform's folder for a user's data."""
    home, said = os.environ.get("HOME", ""), os.environ.get("XDG_DATA_HOME") or os.environ.get("ANDROID_DATA")
    if sys.platform in _USUAL and os.path.isabs(home) and not said:
        return os.path.join(home, _USUAL[sys.platform], "muniment")
    from platformdirs import user_data_dir

    try:
        return user_data_dir("muniment", appauthor=False)
    except RuntimeError:  # a user whom nobody knows
        raise ValidationError(
            "There is no home folder that a store could lie in.", advice="Set MUNIMENT_PATH and MUNIMENT_KEY_HOME."
        ) from None


def key_home(environ: Mapping[str, str] | None = None) -> Setting:
    """Decide where log keys lie: variable, or the platform data folder."""
    variable = environment("KEY_HOME", environ)
    if variable is not None:
        return Setting("key_home", _expanded(variable), f"variable {PREFIX}KEY_HOME")
    return Setting("key_home", f"{data_folder()}-keys", "platform data folder")  # beside it: the store lies in that


def foreign(name: str, environ: Mapping[str, str] | None = None) -> str | None:
    """Return a variable of another program (``CLAUDE_PROJECT_DIR``, ``CODEX_HOME`` …); an empty one is not set."""
    return (os.environ if environ is None else environ).get(name) or None


def settings(environ: Mapping[str, str] | None = None) -> list[Setting]:
    """Return every setting with the rule that won, for ``where`` and ``doctor``."""
    found = [store_path(None, environ), key_home(environ)]
    defaults = {
        "NAMESPACE": "default", "AUTHOR": "local", "CHANNEL": "by door", "ECHO": "1", "BOUNDARY": "1", "HOOKS": "1",
        "HOOK_SECONDS": "1", "ADJUDICATOR": "none", "EMBED_URL": "none", "EMBED_MODEL": "none", "EMBED_KEY": "none",
        "VECTOR_MB": "512", "MAX_K": "50", "SNIPPET_CHARS": "0", "BUSY_SECONDS": "10",
    }  # fmt: skip
    for name, default in defaults.items():
        value = environment(name, environ)
        rule = "default" if value is None else f"variable {PREFIX}{name}"
        found.append(Setting(name.lower(), default if value is None else _shown(name, value), rule))
    return found


def _shown(name: str, value: str) -> str:
    """Return what may be shown of a setting: of a key that there is one, of an address no password in it."""
    if name == "EMBED_KEY":
        return "set"
    return f"…@{value.rpartition('@')[2]}" if name == "EMBED_URL" and "@" in value else value
