"""A fault rule on nodes in other processes: each has one of its own, and their counts are added."""

from __future__ import annotations

from kafkacompat.broker.faults.near_misses import near_miss_of
from kafkacompat.broker.faults.rule import parse_rule
from kafkacompat.cluster.faults import DEFAULT_TIMEOUT_S, Fault
from kafkacompat.control_api.faults.moves import NotInTimeError
from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping
    from typing import Any

    from kafkacompat.broker.faults.near_misses import NearMiss
    from kafkacompat.broker.faults.rule import Rule
    from kafkacompat.cluster.faults import OnNodes
    from kafkacompat.cluster.joined_processes import JoinedProcesses

    Plain = dict[str, Any]


COUNTS = ("id", "hits", "left", "has_ended", "near_misses")
"""What the view of a rule has beside what was given."""


class ProcessFault(Fault):
    """A rule of all nodes. After the end of the cluster it shows the counts of before."""

    def __init__(
        self, rule: Rule, forget: Callable[[Fault], None], joined: JoinedProcesses, given: Mapping[str, Any], *,
        must_hit: bool, seen: Plain | None = None,
    ) -> None:  # fmt: skip
        """seen: the rule, if the nodes have it already."""
        self._joined = joined
        self._is_forgotten = False
        self._last: Plain = joined.ask("fault_resources:add", body=dict(given)) if seen is None else seen
        rule.id = self._last["id"]
        super().__init__(rule, forget, must_hit=must_hit)

    @property
    def hits(self) -> int:
        return int(self.as_dict()["hits"])

    @property
    def near_misses(self) -> list[NearMiss]:
        return [near_miss_of(each) for each in self.as_dict()["near_misses"]]

    def wait_for_hits(self, n: int = 1, timeout_s: float = DEFAULT_TIMEOUT_S) -> int:
        __tracebackhide__ = True
        query = {"hits": n, "timeout_ms": round(timeout_s * 1000)}
        try:
            self._last = self._joined.ask("fault_resources:get", path={"fault_id": self.id}, query=query)
        except NotInTimeError:
            raise AssertionError(f"after {timeout_s:g} s {self._sentence(n)}") from None
        return int(self._last["hits"])

    def as_dict(self) -> Plain:
        if not self._is_forgotten:
            try:
                self._last = self._joined.ask("fault_resources:get", path={"fault_id": self.id})
            except KafkaCompatError:  # the cluster has stopped
                self._last = next((each for each in self._joined.last_faults() if each["id"] == self.id), self._last)
        return self._last

    def end(self, on_nodes: OnNodes) -> None:  # noqa: ARG002 (as Fault)
        try:
            self._last = self._joined.ask("fault_resources:remove", path={"fault_id": self.id})
        except KafkaCompatError:  # the cluster has stopped, and its rules with it
            self._last = self.as_dict()
        self._is_forgotten = True


def add_to(
    joined: JoinedProcesses, rule: Rule, forget: Callable[[Fault], None], given: Mapping[str, Any], must_hit: bool
) -> ProcessFault:  # fmt: skip
    """Add a rule to all nodes. Raises KafkaCompatError for what cannot be sent to other processes."""
    when = given.get("when")
    if callable(when) or (isinstance(when, dict) and callable(when.get("predicate"))):
        raise KafkaCompatError(
            "a function of yours cannot be called in other processes: use selectors, or brokers in this process"
        )
    return ProcessFault(rule, forget, joined, given, must_hit=must_hit)


def found_in(
    joined: JoinedProcesses, known: Mapping[int, Fault], own: Container[int], forget: Callable[[Fault], None]
) -> dict[int, Fault]:
    """The rules that were added at the joined port, by id. known: those of before. Raises KafkaCompatError."""
    found: dict[int, Fault] = {}
    for seen in joined.ask("fault_resources:list_all")["faults"]:
        if seen["id"] not in own:
            given = {name: value for name, value in seen.items() if name not in COUNTS and value is not None}
            found[seen["id"]] = known.get(seen["id"]) or ProcessFault(
                parse_rule(given), forget, joined, given, must_hit=False, seen=seen
            )
    return found
