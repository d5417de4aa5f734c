"""Where our broker is meant to answer otherwise than Apache Kafka, and why. Any other difference fails a test."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from compat_tests.api.raw import Difference


class Decision(NamedTuple):
    """A difference that is meant: in the tests `where`, at paths that match `path`, between the two values."""

    name: str
    where: str
    """Pattern of the test modules' names, without `test_`."""
    path: str
    ours: str
    """Pattern of our value's repr; `theirs` likewise."""
    theirs: str
    why: str

    def covers(self, module: str, found: Difference) -> bool:
        """Whether the difference is the one that is meant."""
        return bool(
            re.fullmatch(self.where, module)
            and re.search(self.path, found.path)
            and re.fullmatch(self.ours, repr(found.ours), re.S)
            and re.fullmatch(self.theirs, repr(found.theirs), re.S)
        )


TEXT = r"[\'\"].+[\'\"]"

DECISIONS = (
    Decision(
        "messages in our own words", ".*", r"error_message$", TEXT, TEXT,
        "Text for people: both say something or neither does. Clients decide by the error code.",
    ),
    Decision(
        "transactions are not implemented", "find_coordinator", r"^\.transaction", ".*", ".*",
        "There is no transaction coordinator: INVALID_REQUEST and a message that says so, which clients take as final.",
    ),
    Decision(
        "where the broker runs", "describe_configs",
        r"^\.(process\.roles|log\.dirs|listeners|listener\.security\.protocol\.map|controller\.quorum\.bootstrap\.servers"
        r"|controller\.listener\.names|advertised\.listeners)\.",
        ".*", ".*",
        "Each runs at an address and in a directory of its own; a lone voter needs no settings to find its controller.",
    ),
    Decision(
        "an unknown topic's configs", "describe_configs", r"^\.unknown topic\..*error_message$", TEXT, "''",
        "Text for people where Kafka has an empty one.",
    ),
    Decision(
        "a topic without a name is described", "describe_cluster", r"^\.no name\.topics\[0\]", ".*", ".*",
        "INVALID_TOPIC_EXCEPTION names what is wrong; Kafka stumbles and answers UNKNOWN_SERVER_ERROR.",
    ),
    Decision(
        "an unknown operation on a config", "alter_configs", r"^\.unknown operation\..*error_message$", TEXT, "None",
        "Text for people where Kafka has none.",
    ),
    Decision(
        "text that is not UTF-8", "malformed", r"^\.said$", ".*closed.*", r"\{.*",
        "Such a frame is malformed and its connection is closed; Kafka replaces what it cannot read and goes on.",
    ),
    Decision(
        "share groups are not implemented", "find_coordinator", r"^\.share group", ".*", ".*",
        "There is no share coordinator: INVALID_REQUEST and a message that says so.",
    ),
    Decision(
        "unknown compression codec", "produce", r"^\.unknown codec\.", ".*", ".*",
        "UNSUPPORTED_COMPRESSION_TYPE names what is wrong; Kafka stumbles and answers UNKNOWN_SERVER_ERROR.",
    ),
    Decision(
        "unknown magic has no message", "produce", r"^\.unknown magic\..*error_message$", "None", TEXT,
        "Text for people, which Kafka gives for this one malformed batch and not for the others.",
    ),
)  # fmt: skip


class Ledger:
    """What was compared in a run, and which decisions it met."""

    def __init__(self) -> None:
        self.conversations = 0
        self.answers = 0
        self.met: dict[str, int] = {}

    def undecided(self, module: str, found: Iterable[Difference]) -> list[Difference]:
        """The differences that no decision covers."""
        rest = []
        for difference in found:
            decision = next((one for one in DECISIONS if one.covers(module, difference)), None)
            if decision is None:
                rest.append(difference)
            else:
                self.met[decision.name] = self.met.get(decision.name, 0) + 1
        return rest

    def lines(self) -> list[str]:
        """A summary for people."""
        counted: Mapping[str, Any] = dict(sorted(self.met.items()))
        return [
            f"{self.conversations} conversations with both brokers, {self.answers} pairs of answers compared",
            *(f"meant to differ, {count} fields: {name}" for name, count in counted.items()),
        ]
