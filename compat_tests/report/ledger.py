"""What was compared in a run: pairs of answers, the differences in them, and the decisions that cover those."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from compat_tests.api.outcomes import Exchange
from compat_tests.api.raw import Difference
from compat_tests.artifacts import KAFKA_VERSION
from compat_tests.decisions import DECISIONS, Decision
from compat_tests.decisions_by_release import BY_RELEASE
from kafkacompat.protocol.api_keys import NAMES

EQUAL = "equal"
DECIDED = "decided"


class Kind(NamedTuple):
    """One API in one version with one kind of answer: what the suite counts."""

    api: str
    version: int
    outcome: str


class Met:
    """A decision that a run met: how often, and the first place."""

    def __init__(self, decision: Decision, test: str, example: Difference) -> None:
        self.decision = decision
        self.test = test
        self.example = example
        self.fields = 0


class Ledger:
    """Filled by each conversation that two brokers had."""

    def __init__(self, release: str = KAFKA_VERSION) -> None:
        self.release = release
        """Of Apache Kafka."""
        self.advertised: Mapping[int, range] | None = None
        """What that release offers, by API key; not asked of the usual one."""
        self.conversations = 0
        self.pairs = 0
        self.kinds: dict[Kind, str] = {}
        """Each kind of answer that was compared, and whether both gave it (EQUAL) or a decision says why not."""
        self.met: dict[str, Met] = {}

    def undecided(self, test: str, module: str, found: Iterable[Difference]) -> list[Difference]:
        """The differences that no decision covers."""
        rest = []
        for difference in found:
            decision = next(
                (one for one in (*DECISIONS, *BY_RELEASE) if one.covers(module, difference, self.release)), None
            )
            if decision is None:
                rest.append(difference)
            else:
                self.met.setdefault(decision.name, Met(decision, test, difference)).fields += 1
        return rest

    def conversation(self, ours: Sequence[Exchange], theirs: Sequence[Exchange]) -> int:
        """Enter a conversation that held; returns how many pairs of answers it had.

        Questions that only one side was asked (waiting for something to happen) are no pair.
        """
        self.conversations += 1
        pairs = 0
        for mine, other in zip_longest(ours, theirs):
            if mine is None or other is None or mine[:2] != other[:2]:
                break
            pairs += 1
            kind = Kind(NAMES.get(other.api_key, str(other.api_key)), other.version, other.outcome)
            if mine.outcome == other.outcome:
                self.kinds[kind] = EQUAL
            else:
                self.kinds.setdefault(kind, DECIDED)
        self.pairs += pairs
        return pairs

    def lines(self) -> list[str]:
        """A summary for people."""
        equal = sum(1 for state in self.kinds.values() if state == EQUAL)
        return [
            f"{self.conversations} conversations with both brokers, {self.pairs} pairs of answers compared: "
            f"{len(self.kinds)} different ones by API, version and outcome, {equal} of them equal",
            *(f"meant to differ, {met.fields} fields: {name}" for name, met in sorted(self.met.items())),
        ]
