"""What a hook says, and where the editor says that the session began."""

from __future__ import annotations

import json
from typing import Any, Final

MAX_CONTEXT: Final = 9_500
"""Characters of context in an answer; Claude Code puts more than 10,000 into a file instead of the prompt."""

PROJECT: Final = "CLAUDE_PROJECT_DIR"
"""The variable in which Claude Code says where the session began, to hooks and to MCP servers alike."""


class Answer:
    """What a hook says: context for the model, and a line for the person about the health of the hook."""

    def __init__(self, event: str) -> None:
        self.event, self.context, self.health = event, "", ""

    def to_json(self) -> str:
        """Return the answer as one line of ASCII; empty where there is nothing to say."""
        said: dict[str, Any] = {}
        if self.context:
            context = self.context if len(self.context) <= MAX_CONTEXT else ""
            said["hookSpecificOutput"] = {"hookEventName": self.event, "additionalContext": context}
        if self.health:
            said["systemMessage"] = f"Muniment: {self.health}"
        return json.dumps(said) if said else ""
