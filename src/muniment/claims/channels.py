"""Channels: how a statement reached us, what it ranks, and who vouches for it (semantics §3)."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import Final


class Channel(StrEnum):
    """How a statement reached the memory. Fixed when it is written."""

    USER = "user"
    TOOL = "tool"
    AGENT = "agent"
    MODEL = "model"
    DOCUMENT = "document"
    RECALL = "recall"


class Rank(IntEnum):
    """What a channel weighs against another. ``DOCUMENT`` stands behind the injection boundary."""

    RECALL = -1
    DOCUMENT = 0
    MODEL = 1
    AGENT = 2
    TOOL = 3
    USER = 4


RANK: Final[dict[Channel, Rank]] = {
    Channel.USER: Rank.USER,
    Channel.TOOL: Rank.TOOL,
    Channel.AGENT: Rank.AGENT,
    Channel.MODEL: Rank.MODEL,
    Channel.DOCUMENT: Rank.DOCUMENT,
    Channel.RECALL: Rank.RECALL,
}

CHANNEL_OF: Final[dict[Rank, Channel]] = {rank: channel for channel, rank in RANK.items()}

VOUCHED_FROM: Final = Rank.AGENT
"""The lowest rank whose word counts as vouched for: user, tool and agent."""


def weakest(channels: tuple[Channel, ...]) -> Channel:
    """Return the channel of lowest rank.

    Args:
        channels: One or more channels.

    Example:
        >>> weakest((Channel.USER, Channel.MODEL))
        <Channel.MODEL: 'model'>
    """
    return min(channels, key=lambda channel: RANK[channel])
