"""The fault rules of one node."""

from kafkacompat.broker.faults.stale import Stale
from kafkacompat.broker.faults.step import FaultStep
from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol

    from kafkacompat.broker import services
    from kafkacompat.broker.faults.rule import Rule
    from kafkacompat.broker.pipeline import Pipeline
    from kafkacompat.now import Now

    class Node(services.Identity, services.Waiting, Protocol):
        """The services that rules use."""

        @property
        def pipeline(self) -> Pipeline: ...


RULES_MAX = 1_000


class FaultRules:
    """The rules of one node, in the order in which they were added. The step exists while there are any."""

    def __init__(self, node: "Node") -> None:
        self._node = node
        self._rules: dict[int, Rule] = {}
        self._step: FaultStep | None = None

    def __iter__(self) -> "Iterator[Rule]":
        return iter(list(self._rules.values()))

    def __len__(self) -> int:
        return len(self._rules)

    def get(self, rule_id: int) -> "Rule | None":
        """The rule with this id."""
        return self._rules.get(rule_id)

    def add(self, rule: "Rule", now: "Now") -> None:
        """Apply a rule to requests that arrive from now on. Nodes of one process may share it.

        Raises KafkaCompatError if there are RULES_MAX rules.
        """
        if len(self._rules) >= RULES_MAX:
            raise KafkaCompatError(f"there are {RULES_MAX} fault rules already: remove some first")
        self._rules[rule.id] = rule
        rule.on_end[self._node.node_id] = self._refresh
        if isinstance(rule.action, Stale):
            rule.action.added_to(self._node)
        if rule.duration_ms is not None:
            if rule.ends_at_ms is None:
                rule.ends_at_ms = now.monotonic_ms + rule.duration_ms
            self._node.timers.set(rule, rule.ends_at_ms, lambda _now: rule.end())
        self._refresh()

    def remove(self, rule_id: int) -> "Rule | None":
        """End and forget a rule; None if there is none with this id."""
        rule = self._rules.pop(rule_id, None)
        if rule is not None:
            self._node.timers.cancel(rule)
            rule.end()  # which makes the step anew
            rule.on_end.pop(self._node.node_id, None)
        return rule

    def clear(self) -> None:
        """End and forget all rules."""
        for rule_id in list(self._rules):
            self.remove(rule_id)

    def _refresh(self) -> None:
        """Put a step with the rules that still apply in the place of the last one; none if there are none."""
        if self._step is not None:
            self._node.pipeline.remove(self._step)
            self._step = None
        live = [rule for rule in self._rules.values() if not rule.has_ended]
        if live:
            self._step = FaultStep(live, self._node.node_id)
            self._node.pipeline.add(self._step)
