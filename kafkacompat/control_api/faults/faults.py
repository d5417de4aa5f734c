"""Fault rules of a running node: add, list, remove, wait for hits. Rules are plain dicts, as in docs/faults.md."""

from __future__ import annotations

from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from kafkacompat.broker.faults.rule import Rule
    from kafkacompat.broker.faults.rules import FaultRules
    from kafkacompat.server.broker_server import BrokerServer

WAIT_MAX_MS = 600_000


class UnknownFaultError(KafkaCompatError):
    """There is no fault rule with this id (HTTP 404)."""


class FaultWaitTimeoutError(KafkaCompatError):
    """A rule had too few hits when the time ran out (HTTP 408). `seen` is the rule, as `get` returns it."""

    def __init__(self, message: str, seen: dict[str, Any]) -> None:
        super().__init__(message)
        self.seen = seen


def add(server: BrokerServer, rule: Mapping[str, Any]) -> dict[str, Any]:
    """Add a rule and return it with its id and counts.

    Raises FaultRuleError with all mistakes (HTTP 400), UnmatchableRuleError if it can never act (HTTP 422).
    """
    from kafkacompat.broker.faults.rule import parse_rule

    made = parse_rule(rule)
    install(server, made)
    return made.as_dict()


def install(server: BrokerServer, rule: Rule) -> None:
    """Add a rule that other nodes of this process may share; its counts are then those of all."""
    _rules(server).add(rule, server.now())


def get(server: BrokerServer, rule_id: int) -> dict[str, Any]:
    """One rule with its counts and near misses. Raises UnknownFaultError."""
    return _rule(server, rule_id).as_dict()


def list_all(server: BrokerServer) -> list[dict[str, Any]]:
    """All rules in the order in which they were added, also those that have ended."""
    rules = server.broker.fault_rules
    return [] if rules is None else [rule.as_dict() for rule in rules]


def remove(server: BrokerServer, rule_id: int) -> dict[str, Any]:
    """Remove a rule and return its last counts. Raises UnknownFaultError."""
    rule = _rule(server, rule_id)
    _rules(server).remove(rule_id)
    return rule.as_dict()


def clear(server: BrokerServer) -> None:
    """Remove all rules."""
    if server.broker.fault_rules is not None:
        server.broker.fault_rules.clear()


async def wait(server: BrokerServer, rule_id: int, *, hits: int = 1, timeout_ms: int) -> dict[str, Any]:
    """Wait until a rule has this many hits, and return it. It is woken by hits. Call it on the node's loop.

    Raises UnknownFaultError, FaultWaitTimeoutError after `timeout_ms`, KafkaCompatError for a time-out out of limits.
    """
    import asyncio

    if not 0 <= timeout_ms <= WAIT_MAX_MS:
        raise KafkaCompatError(f"timeout_ms={timeout_ms}: give 0 to {WAIT_MAX_MS}")
    rule = _rule(server, rule_id)
    if rule.hits >= hits:
        return rule.as_dict()
    enough: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def hit() -> None:
        if rule.hits >= hits and not enough.done():
            enough.set_result(None)

    rule.on_hit.append(hit)
    try:
        await asyncio.wait_for(enough, timeout_ms / 1000)
    except TimeoutError:
        raise FaultWaitTimeoutError(
            f"{rule} had {rule.hits} of {hits} hits after {timeout_ms} ms", rule.as_dict()
        ) from None
    finally:
        rule.on_hit.remove(hit)
    return rule.as_dict()


def _rules(server: BrokerServer) -> FaultRules:
    broker = server.broker
    if broker.fault_rules is None:
        from kafkacompat.broker.faults.rules import FaultRules

        broker.fault_rules = FaultRules(broker)
    return broker.fault_rules


def _rule(server: BrokerServer, rule_id: int) -> Rule:
    rules = server.broker.fault_rules
    rule = None if rules is None else rules.get(rule_id)
    if rule is None:
        raise UnknownFaultError(f"there is no fault rule {rule_id}: the list of rules has their ids")
    return rule
