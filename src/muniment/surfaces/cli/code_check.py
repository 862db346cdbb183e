"""``muniment code check``: names that were replaced, in files, folders or standard input.

Hooks and CI call it for every change, so it opens no store where the repository has a symbols file, and what is typed
most is read without the machinery of the other commands.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from muniment.code import symbolsfile
from muniment.code.findings import WHOLE, Findings
from muniment.code.symbols import Symbol
from muniment.code.words import written_out
from muniment.errors import NotFoundError, ValidationError
from muniment.paths import here
from muniment.surfaces.cli import doors, failures, output
from muniment.surfaces.cli.doors import Doors
from muniment.surfaces.cli.failures import Exit
from muniment.surfaces.cli.parameters import Form, Parameter
from muniment.surfaces.cli.progress import progress_bar

if TYPE_CHECKING:
    from muniment.surfaces.cli.signature import Callback

FORMATS: Final = ("text", "json", "sarif")

PARAMETERS: Final = (
    Parameter("paths", "paths", Form.ARGUMENTS, "PATH", required=True,
              help="Files and folders; - alone is standard input."),
    Parameter("format", "format", Form.OPTION, "|".join(FORMATS),
              help="How to answer: a line for each use, one JSON document, or SARIF 2.1.0 for a code host."),
    Parameter("symbols", "symbols", Form.OPTION, "FILE",
              help="The symbols file; - is standard input. Default: .muniment/symbols.jsonl of the repository; where there is none,"
              " the store."),
    Parameter("file", "file", Form.OPTION, "NAME",
              help="What standard input is called: it tells the language. It is not read."),
    Parameter("language", "language", Form.OPTION, "TEXT",
              help="The language of standard input. Default: what --file tells, else Python."),
    Parameter("comments", "comments", Form.FLAG, help="Look in comments as well, docstrings too."),
    Parameter("strings", "strings", Form.FLAG, help="Look in strings as well."),
)  # fmt: skip

NOTHING: Final = NotFoundError(
    "There is nothing to check against: no .muniment/symbols.jsonl in this repository, and no store.",
    advice="muniment code deprecate OLD NEW says what was replaced; muniment code sync writes the file.",
)
"""Nothing was checked, which is neither success nor failure."""

Given = dict[str, Any]


def build() -> Callback:
    """Return the command."""
    from muniment.surfaces.cli.signature import callback

    return callback(PARAMETERS, lambda options, typed: lambda: run(options, typed))


def quickly(argv: Sequence[str]) -> Callable[[], int] | None:
    """Return the call that was typed, if it is one that can be read at a glance; None leaves it to the program.

    Args:
        argv: What stands behind ``code check``.
    """
    flags = {one.flag: one.name for one in PARAMETERS if one.form is Form.FLAG}
    options = {one.flag: one.name for one in PARAMETERS if one.form is Form.OPTION}
    given: Given = {"paths": []}
    json, words = False, iter(argv)
    for word in words:
        if word == "--json":
            json = True
        elif word in flags:
            given[flags[word]] = True
        elif word in options:
            given[options[word]] = next(words, None)
            if given[options[word]] is None:
                return None
        elif word.startswith("-") and word != "-":
            return None
        else:
            given["paths"].append(word)
    return (lambda: run(Doors(json=json), given)) if given["paths"] else None


def run(options: Doors, given: Given) -> int:
    """Check, print what was found, and return the exit code."""
    form = given.get("format") or "text"
    if form not in FORMATS:
        raise ValidationError("There is no such format.", advice=f"Use one of: {', '.join(FORMATS)}.")
    if given.get("symbols") == "-" and "-" in given["paths"]:
        raise ValidationError("Standard input holds the code or the symbols, not both.", advice="Name a file for one.")
    try:
        symbols = _symbols(options, given.get("symbols"))
        if symbols is None:
            raise NOTHING
        found = _found(list(given["paths"]), symbols, given)
    except NotFoundError as error:  # whoever asks whether there is a use must not take this for one
        failures.report(error.diagnostics(), as_json=options.json or form != "text")
        return Exit.PARTIAL
    if form == "sarif":
        from muniment import __version__
        from muniment.code.sarif import sarif

        output.document(sarif(found, __version__))
    elif form == "json" or options.json:
        output.document(found.to_dict())
    else:
        _tell(found)
    if found.uses:
        return Exit.FAIL
    return Exit.PARTIAL if any(one.why == "not readable" for one in found.skipped) else Exit.PASS


def _symbols(options: Doors, named: str | None) -> Sequence[Symbol] | None:
    """Return the names to look for: of the file or the store that was named, of the repository, of the usual store; None
    where there is none of them."""
    if named == "-":
        return symbolsfile.parse(_input("symbols").read(symbolsfile.SIZE_LIMIT + 1))
    if named is not None:
        return symbolsfile.read(named)
    file = None if options.path is not None else symbolsfile.find(Path(here()))
    if file is not None:
        return symbolsfile.read(file)
    if doors.store_is_missing(options):
        return None
    with doors.open_memory(options, doors.speaking(options.channel)[0], create=False) as memory:
        return memory.code.symbols()


def _found(paths: list[str], symbols: Sequence[Symbol], given: Given) -> Findings:
    from muniment.code.checking import check_files, check_text
    from muniment.code.texts import text_of

    wanted = {name: bool(given.get(name)) for name in ("comments", "strings")}
    if "-" not in paths:
        for name in ("file", "language"):
            if given.get(name) is not None:
                raise ValidationError(f"--{name} is about standard input.", advice="Leave it out, or read from -.")
        with progress_bar("code check", True) as progress:
            return check_files(paths, symbols, progress=progress, **wanted)
    if paths != ["-"]:
        raise ValidationError("Standard input is checked alone.", advice="Leave the other paths out, or the -.")
    text = text_of(_input("code").read())
    if text is None:
        raise ValidationError("Standard input is no text.", advice="Pass source code.")
    return check_text(text, symbols, language=given.get("language"), file=given.get("file"), **wanted)


def _input(what: str) -> BinaryIO:
    """Return standard input, which is to hold something."""
    if sys.stdin is None:
        raise NotFoundError(f"There is no standard input to read {what} from.", advice="Name a file.")
    return sys.stdin.buffer


def _tell(found: Findings) -> None:
    """Print a line for each use, as compilers do, and the sum; what was passed over goes to standard error."""
    for use in found.uses:
        print(use)
    for one in found.skipped:
        print(one, file=sys.stderr)
    for file in found.whole:
        print(f"{written_out(file)}: {WHOLE}", file=sys.stderr)
    print(found.summary)
