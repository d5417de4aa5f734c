"""`python -m benchmarks.fault_rules`: what fault rules cost a request that none of them matches.

One broker without sockets; bursts alternate between no rules, ten rules for other APIs, ten rules for the API that name
other topics, clients or versions, and one that observes. CPU time of the process, the median of the bursts.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from typing import Any

from benchmarks.small_requests import FRAMES
from kafkacompat.broker.faults.gate import LOOKED_AT
from kafkacompat.broker.faults.rule import parse_rule
from kafkacompat.broker.faults.rules import FaultRules
from kafkacompat.protocol.headers import RequestHeader, encode_request_header
from kafkacompat.protocol.messages import heartbeat
from tests.broker.harness import BrokerHarness

DROP = {"drop": {}}
OTHER_APIS: list[dict[str, Any]] = [{"when": {"api": "list_groups"}, "then": DROP} for _ in range(10)]
BUDGET_US = 2.0
WARM_UP = LOOKED_AT + 2
"""Requests before each burst: the first ones of a client are looked at in full."""


def _ten(api: str) -> list[dict[str, Any]]:
    """Rules as tests have them; none matches."""
    names = [{"topic": f"orders-{number}"} for number in range(4)] if api != "heartbeat" else [{"group": "h"}] * 4
    others = [{"client_id": "billing"}, {"client_id": "audit-*"}, {"version": "0-2" if api != "fetch" else "4"},
              {"listener": "INTERNAL"}, {"broker": 7}, {"connection": 999_999_999_999}]  # fmt: skip
    return [{"when": {"api": api, **when}, "then": DROP} for when in [*names, *others]]


def _heartbeat() -> bytes:
    parts: list[Any] = [encode_request_header(RequestHeader(heartbeat.API_KEY, 4, 1, "bench"))]
    heartbeat.encode_request(heartbeat.HeartbeatRequest("g", 1, "m"), 4, parts)
    return b"".join(map(bytes, parts))


CASES = {**{name: frame[4:] for name, frame in FRAMES.items()}, "heartbeat": _heartbeat()}
APIS = {"produce by shape": "produce", "produce to two": "produce", "fetch": "fetch", "heartbeat": "heartbeat"}


class Bench:
    """A broker with a topic, and its rules."""

    def __init__(self) -> None:
        self.kafka = BrokerHarness(log_segment_bytes=str(1 << 30))
        self.kafka.create_topic("t", 2)
        self.rules = FaultRules(self.kafka.broker)

    def burst(self, frame: bytes, count: int, rules: list[dict[str, Any]]) -> float:
        """CPU time of a request in µs."""
        for rule in rules:
            self.rules.add(parse_rule(rule), self.kafka.now)
        broker, connection, now = self.kafka.broker, self.kafka.connection, self.kafka.now
        answers: list[Any] = []
        dispatch, reply = broker.dispatch, answers.append
        for _ in range(WARM_UP):
            dispatch(frame, connection, now, reply)
        began = time.process_time()
        for _ in range(count):
            dispatch(frame, connection, now, reply)
        took = time.process_time() - began
        self.rules.clear()
        return took * 1e6 / count


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fault_rules", description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="of bursts (default: %(default)s)")
    parser.add_argument("--count", type=int, default=1_000, help="requests in a burst (default: %(default)s)")
    options = parser.parse_args()
    for name, frame in CASES.items():
        bench = Bench()
        ways = {"none": [], "ten for others": OTHER_APIS, "ten": _ten(APIS[name]),
                "observing": [{"when": {"api": APIS[name]}, "observe": True}]}  # fmt: skip
        took: dict[str, list[float]] = {way: [] for way in ways}
        for number in range(options.rounds + 1):
            for way, rules in list(ways.items()) if number % 2 else reversed(ways.items()):
                found = bench.burst(frame, options.count, rules)
                if number:  # the first one warms up
                    took[way].append(found)
        none = statistics.median(took["none"])
        costs = ", ".join(
            f"{way} {statistics.median(a - b for a, b in zip(took[way], took['none'], strict=True)):+.2f}"
            for way in list(ways)[1:]
        )
        print(f"{name}: {none:.2f} µs without rules; {costs} µs")
    print(f"the budget is {BUDGET_US} µs for ten rules")
    return 0


if __name__ == "__main__":
    sys.exit(main())
