"""Findings in the Static Analysis Results Interchange Format (OASIS SARIF 2.1.0), which code hosts and editors read."""

from __future__ import annotations

import os
from typing import Any, Final
from urllib.parse import quote

from muniment.code.findings import WHOLE, Findings, Use
from muniment.code.words import written_out

VERSION: Final = "2.1.0"
SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
RULE: Final = "replaced-name"


def sarif(findings: Findings, version: str) -> dict[str, Any]:
    """Return findings as a SARIF log of one run.

    Args:
        findings: What was found.
        version: Of this program.

    Example:
        >>> sarif(Findings(()), "1.0")["runs"][0]["results"]
        []
    """
    rule = {
        "id": RULE,
        "name": "ReplacedName",
        "shortDescription": {"text": "A name that was replaced is used."},
        "fullDescription": {"text": "The name was replaced on purpose; the message says by what."},
        "defaultConfiguration": {"level": "error"},
    }
    notices = [
        {"level": "note", "message": {"text": f"Not looked at: {one.why}."}, "locations": [_place(one.file)]}
        for one in findings.skipped
    ] + [{"level": "note", "message": {"text": f"{WHOLE}."}, "locations": [_place(file)]} for file in findings.whole]
    return {
        "$schema": SCHEMA,
        "version": VERSION,
        "runs": [
            {
                "tool": {"driver": {"name": "muniment code check", "version": version, "rules": [rule]}},
                "columnKind": "unicodeCodePoints",
                "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notices}],
                "results": [_result(use) for use in findings.uses],
            }
        ],
    }


def _result(use: Use) -> dict[str, Any]:
    place = _place(use.file or "-")
    place["physicalLocation"]["region"] = {
        "startLine": use.line, "startColumn": use.column, "endLine": use.line, "endColumn": use.end_column,
    }  # fmt: skip
    return {
        "ruleId": RULE,
        "ruleIndex": 0,
        "level": "error" if use.sure else "warning",
        "message": {"text": use.message},
        "locations": [place],
        "properties": {"symbol": use.symbol, "replacement": use.replacement},
    }


def _place(file: str) -> dict[str, Any]:
    path = written_out(file.replace(os.sep, "/"))
    uri = quote(path, safe="/") if not os.path.isabs(file) else "file://" + quote(path, safe="/:")
    return {"physicalLocation": {"artifactLocation": {"uri": uri}}}
