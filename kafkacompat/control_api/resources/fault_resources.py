"""`/v1/faults`: fault rules, on all nodes here; they share the counts of a rule."""

from __future__ import annotations

from kafkacompat.broker.faults.rule import parse_rule
from kafkacompat.broker.faults.rule_errors import FaultRuleError, UnmatchableRuleError
from kafkacompat.control_api.faults import faults
from kafkacompat.control_api.http.problems import FieldError, ProblemError
from kafkacompat.server.shared_counts import SharedCounts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.control_api.http.calls import Call

    Plain = dict[str, Any]

DEFAULT_TIMEOUT_MS = 10_000
SHARED_COUNTS = "shared_counts"
"""Where the nodes of several processes count a rule together, see `server/shared_counts.py`."""


def add(call: Call) -> Plain:
    """POST /v1/faults: 400 with all mistakes, 422 for a rule that can never act."""
    spec = dict(call.body)
    place = spec.pop(SHARED_COUNTS, None)
    try:
        rule = parse_rule(spec)
        rule.shared = None if place is None else SharedCounts(place)
    except FaultRuleError as error:
        never = isinstance(error, UnmatchableRuleError)
        mistakes = [FieldError(each.pointer, each.message, each.did_you_mean or None) for each in error.mistakes]
        status, name = (422, "never-matches") if never else (400, "fault-rule")
        raise ProblemError(status, name, str(error), errors=mistakes) from None
    except ValueError as error:
        raise ProblemError(400, "fault-rule", f"{SHARED_COUNTS}: {error}: leave it out") from None
    for server in call.servers.values():
        faults.install(server, rule)
    return rule.as_dict()


def list_all(call: Call) -> Plain:
    """GET /v1/faults."""
    return {"faults": list(_rules(call).values())}


async def get(call: Call) -> Plain:
    """GET /v1/faults/{fault_id}, with `hits` once it has so many; 408 if that takes too long."""
    fault_id, hits = call.path["fault_id"], call.query.get("hits")
    found = _found(call, fault_id)
    if hits is None:
        return found
    timeout_ms = call.query.get("timeout_ms", DEFAULT_TIMEOUT_MS)
    try:
        return await faults.wait(call.server, fault_id, hits=hits, timeout_ms=timeout_ms)
    except faults.FaultWaitTimeoutError as error:
        raise ProblemError(408, "time-out", str(error), members={"seen": error.seen}) from None


def remove(call: Call) -> Plain:
    """DELETE /v1/faults/{fault_id}; returns its last counts."""
    fault_id = call.path["fault_id"]
    found = _found(call, fault_id)
    for server in call.servers.values():
        if any(each["id"] == fault_id for each in faults.list_all(server)):
            faults.remove(server, fault_id)
    return {**found, "has_ended": True}


def clear(call: Call) -> Plain:
    """DELETE /v1/faults."""
    for server in call.servers.values():
        faults.clear(server)
    return {"faults": []}


def near_misses(call: Call) -> Plain:
    """GET /v1/near_misses: for each rule without hits the requests that came nearest."""
    return {
        "near_misses": [
            {"fault_id": rule["id"], "label": rule["label"], "requests": rule["near_misses"]}
            for rule in _rules(call).values()
            if not rule["hits"]
        ]
    }


def _rules(call: Call) -> dict[int, Plain]:
    return {rule["id"]: rule for server in call.servers.values() for rule in faults.list_all(server)}


def _found(call: Call, fault_id: int) -> Plain:
    rules = _rules(call)
    if fault_id not in rules:
        raise ProblemError(404, "no-fault", f"there is no fault rule {fault_id}: GET /v1/faults lists them")
    return rules[fault_id]
