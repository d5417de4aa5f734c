"""Fault rules of a whole cluster, for Python: `Cluster.faults`."""

from __future__ import annotations

import threading
from contextlib import suppress

from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping
    from types import TracebackType
    from typing import Any, TypeAlias

    from kafkacompat.broker.faults.near_misses import NearMiss
    from kafkacompat.broker.faults.rule import Rule
    from kafkacompat.server.broker_server import BrokerServer

    OnNodes: TypeAlias = Callable[[Callable[[BrokerServer], None]], None]
    Forget: TypeAlias = Callable[["Fault"], None]
    Find: TypeAlias = Callable[[Mapping[int, "Fault"], Container[int], Forget], dict[int, "Fault"]]
    Make: TypeAlias = Callable[[Rule, Callable[["Fault"], None], Mapping[str, Any], bool], "Fault"]

DEFAULT_TIMEOUT_S = 10.0


class Fault:
    """One fault rule, on every node of the cluster. As a context manager it is removed at the end of the block."""

    def __init__(self, rule: Rule, forget: Callable[[Fault], None], *, must_hit: bool) -> None:
        self._forget = forget
        self._rule = rule
        self._changed = threading.Condition()
        self.must_hit = must_hit
        rule.on_hit.append(self._wake)

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    @property
    def id(self) -> int:
        """The number of the rule."""
        return self._rule.id

    @property
    def label(self) -> str:
        """The label that it was given, "" without one."""
        return self._rule.label

    @property
    def hits(self) -> int:
        """The requests on which it acted, or which it observed, on all nodes together."""
        return self._rule.hits

    @property
    def near_misses(self) -> list[NearMiss]:
        """Requests that failed one of the rule's selectors, the nearest first; at most five kinds."""
        return self._rule.near_misses.best()

    def wait_for_hits(self, n: int = 1, timeout_s: float = DEFAULT_TIMEOUT_S) -> int:
        """Wait until it has at least `n` hits, and return them. Raises AssertionError with near misses if time runs
        out.
        """
        __tracebackhide__ = True  # pytest shows the line of the test
        with self._changed:
            if not self._changed.wait_for(lambda: self.hits >= n, timeout_s):
                raise AssertionError(f"after {timeout_s:g} s {self._sentence(n)}")
        return self.hits

    def remove(self) -> None:
        """End the rule, and forget it. A second call does nothing."""
        self._forget(self)

    def install(self, server: BrokerServer) -> None:
        """Apply the rule on a node, unless it has ended. Called on the node's loop."""
        if not self._rule.has_ended:
            _install(server, self._rule)

    def end(self, on_nodes: OnNodes) -> None:
        """Remove the rule from all nodes. on_nodes: calls a function on each node of this process."""
        rule_id = self.id
        with suppress(KafkaCompatError):  # the cluster has stopped, and its rules with it
            on_nodes(lambda server: _remove(server, rule_id))

    def check(self) -> None:
        """Raises AssertionError with the near misses if it must hit and never did."""
        __tracebackhide__ = True
        if self.must_hit and not self.hits:
            raise AssertionError(self._sentence(1))

    def _sentence(self, wanted: int) -> str:
        lines = [f"{self._rule!r} had {self.hits} of {wanted} hits; when: {self._rule.selectors.as_dict()}"]
        misses = self.near_misses
        lines += [f"  nearly: {miss}" for miss in misses]
        if not misses and not self.hits:
            lines.append("  no request of its APIs came")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """The rule with its counts, in plain values."""
        return self._rule.as_dict()

    def __enter__(self) -> Fault:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        __tracebackhide__ = True
        self.remove()
        if kind is None:
            self.check()

    def __repr__(self) -> str:
        return f"<{self._rule!r}: {self.hits} hits>"

    def __str__(self) -> str:
        """For the report of a failed test: the rule, its hits, the nearest requests if there were none."""
        if not self.hits:
            return self._sentence(1)
        return f"{self._rule!r}: {self.hits} hits; when: {self._rule.selectors.as_dict()}"


class Faults:
    """The fault rules of a cluster, in the order in which they were added: the first that matches a request decides.
    Those that were added over HTTP are among them; none of those must hit.

    elsewhere: adds a rule to nodes in other processes, and `found` lists theirs; None for nodes in this one.
    """

    def __init__(self, on_nodes: OnNodes, elsewhere: Make | None = None, found: Find | None = None) -> None:
        self._on_nodes = on_nodes
        self._elsewhere = elsewhere
        self._found = self._found_here if found is None else found
        self._faults: list[Fault] = []
        self._by_http: dict[int, Fault] = {}

    def add(
        self,
        when: Mapping[str, Any] | Callable[[Any], object] | None = None,
        then: Mapping[str, Any] | str | None = None,
        *,
        times: int | None = None,
        skip: int = 0,
        duration_ms: int | None = None,
        probability: float | None = None,
        seed: int | None = None,
        observe: bool = False,
        label: str = "",
        must_hit: bool = False,
    ) -> Fault:
        """Add a rule on every node; docs/faults.md has its grammar. Without `times` and `duration_ms` it applies until
        it is removed.

        must_hit: leaving the `with` block without a hit raises AssertionError, which shows the near misses.
        Raises FaultRuleError with all mistakes, UnmatchableRuleError if the rule can never act, KafkaCompatError if the
        cluster does not run, and for functions if its nodes run in processes of their own.
        """
        from kafkacompat.broker.faults.rule import parse_rule

        given = {
            "when": when, "then": then, "times": times, "skip": skip or None, "duration_ms": duration_ms,
            "probability": probability, "seed": seed, "observe": observe or None, "label": label or None,
        }  # fmt: skip
        given = {name: value for name, value in given.items() if value is not None}
        rule = parse_rule(given)
        if self._elsewhere is not None:
            fault = self._elsewhere(rule, self._forget, given, must_hit)
        else:
            fault = Fault(rule, self._forget, must_hit=must_hit)
            try:
                self._on_nodes(fault.install)
            except BaseException:  # the nodes before have it already
                fault.end(self._on_nodes)
                raise
        self._faults.append(fault)
        return fault

    def install_all(self, server: BrokerServer) -> None:
        """Give a node that starts the rules that still apply. Called on its loop."""
        for fault in self._faults:
            fault.install(server)

    def clear(self) -> None:
        """Remove all rules."""
        for fault in self._all():
            fault.remove()

    def unmet(self) -> list[Fault]:
        """The rules that must hit and never did."""
        return [fault for fault in self._faults if fault.must_hit and not fault.hits]

    def __iter__(self) -> Iterator[Fault]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def _all(self) -> list[Fault]:
        own = {fault.id for fault in self._faults}
        found: dict[int, Fault] = {}
        with suppress(KafkaCompatError):  # the cluster has stopped, and rules over HTTP with it
            found = self._found(self._by_http, own, self._forget)
        self._by_http = found
        return sorted([*self._faults, *found.values()], key=lambda fault: fault.id)

    def _found_here(self, known: Mapping[int, Fault], own: Container[int], forget: Forget) -> dict[int, Fault]:
        """The rules over HTTP of the nodes in this process, by id."""
        rules: dict[int, Rule] = {}
        self._on_nodes(lambda server: rules.update((rule.id, rule) for rule in server.broker.fault_rules or ()))
        return {
            number: known.get(number) or Fault(rule, forget, must_hit=False)
            for number, rule in rules.items()
            if number not in own
        }

    def _forget(self, fault: Fault) -> None:
        is_known = fault in self._faults
        if is_known:
            self._faults.remove(fault)
        if is_known or self._by_http.pop(fault.id, None) is fault:
            fault.end(self._on_nodes)


def _install(server: BrokerServer, rule: Rule) -> None:
    from kafkacompat.control_api.faults import faults

    faults.install(server, rule)


def _remove(server: BrokerServer, rule_id: int) -> None:
    if server.broker.fault_rules is not None:
        server.broker.fault_rules.remove(rule_id)
