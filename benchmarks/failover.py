"""`python -m benchmarks.failover`: what clients notice while nodes of a cluster of three die, stop and come back.

Each broker gets a cluster of its own, one after the other. The same clients run all the time: raw ones that measure a
partition and a coordinator alone, librdkafka's producer plain and idempotent, librdkafka's consumer that commits to a
coordinator that goes away, and an admin. A number is the longest time in which a client had no success.
"""

from __future__ import annotations

import argparse
import datetime
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kafkacompat
from benchmarks.measure import facts, memory_mb
from benchmarks.stock_clients import STOCK_CLIENTS, StockClients
from benchmarks.watchers import (
    AdminWatcher,
    CoordinatorWatcher,
    GroupWatcher,
    IdempotentWatcher,
    PartitionWatcher,
    ProducerWatcher,
    Watcher,
)
from compat_tests.apache_kafka import DEFAULT_JVM_OPTIONS
from compat_tests.api.raw import RawClient
from compat_tests.broker_process import BrokerError
from compat_tests.chaos import view
from compat_tests.chaos.nodes import KafkacompatNodes, KafkaNodes, Nodes
from kafkacompat.protocol.messages import create_topics, find_coordinator

RESULTS = Path(__file__).parent / "results"
TOPIC = "failover"
SETTLE_S = 2.0
AGED_S = 12.0
"""So long stock clients work before the kill: franz-go asks for metadata again 5 s after its last question, not before,
and some of the time asks twice at its start; what a younger client sees depends on its age.
"""
CALM_S = 3.0
"""So long every client has to have worked again before a measurement ends."""
MOST_S = 60.0
COORDINATOR_VERSION = 2
MAKERS: dict[str, Callable[[], Nodes]] = {
    "kafkacompat": KafkacompatNodes,
    "kafka": lambda: KafkaNodes(jvm_options=DEFAULT_JVM_OPTIONS),
}
Samples = dict[str, dict[str, dict[str, list[float]]]]
"""measurement → what → broker → one value a round, in seconds or MB"""


class Failover:
    """All measurements on one cluster."""

    def __init__(self, kind: str, samples: Samples) -> None:
        self._kind = kind
        self._samples = samples
        self._nodes = MAKERS[kind]()
        self._topics = 0
        self.errors: dict[str, Counter[str]] = {}

    def run(self, rounds: int) -> None:
        """Raises BrokerError when the cluster does not come back."""
        nodes = self._nodes
        try:
            self._start_up()
            for number in range(rounds):
                self._say(f"round {number + 1}")
                self._measure_all("kill -9 of the leader", self._other_than_controller, nodes.kill, comes_back=True)
                self._measure_all("clean stop of the leader", self._other_than_controller, nodes.stop)
                self._measure_all(
                    "kill -9 of leader and active controller", self._controller, nodes.kill, comes_back=True
                )
                self._measure_all("clean stop of leader and active controller", self._controller, nodes.stop)
                self._restart_at_once()
            self._add("clean stop of all", "seconds", nodes.shut_down())
            self._add("start again of all", "seconds", self._ready_after(nodes.start))
        finally:
            nodes.close()

    def run_by_client(self, kills: int) -> None:
        """kill -9 of a leader, seen by stock clients that have run for a while. Raises BrokerError as `run` does."""
        stock_clients = StockClients()
        try:
            self._start_up()
            for number in range(kills):
                self._say(f"kill {number + 1}")
                target = self._other_than_controller()
                watchers = self._stock_watchers(stock_clients, target)
                self._measure("kill -9 of the leader, by client", target, watchers, self._nodes.kill, AGED_S)
        finally:
            stock_clients.close()
            self._nodes.close()

    def _stock_watchers(self, stock_clients: StockClients, target: int) -> list[Watcher]:
        topics = [self._topic_led_by(target) for _ in range(len(STOCK_CLIENTS) + 1)]
        watchers = stock_clients.watchers(self._nodes.bootstrap_servers, topics[1:])
        return [PartitionWatcher(self._nodes, topics[0]), *watchers]

    def _start_up(self) -> None:
        nodes = self._nodes
        self._add("first start of all", "seconds", self._ready_after(nodes.start))
        view.create(nodes, TOPIC, 1, 3)
        time.sleep(SETTLE_S)
        memory = [memory_mb(pid)[0] for pid in nodes.pids.values()]
        self._add("memory after the start", "MB a process", statistics.mean(memory))
        self._add("memory after the start", "MB of three", sum(memory))

    def _ready_after(self, start: Callable[[], float]) -> float:
        """Seconds until every broker answers and knows of all brokers."""
        since = time.monotonic()
        start()
        brokers = set(self._nodes.brokers)

        def ready() -> bool:
            try:
                seen = [view.question_to(self._nodes, node_id, view.brokers) for node_id in brokers]
            except OSError:
                return False
            return all(set(each) == brokers for each in seen)

        if view.wait(ready, MOST_S, 0.01) is None:
            raise BrokerError("the brokers do not find each other")
        return time.monotonic() - since

    def _measure_all(
        self, name: str, choose: Callable[[], int], act: Callable[[int], None], *, comes_back: bool = False
    ) -> None:
        target = choose()
        back_s = self._measure(name, target, self._watchers(target), act)
        if comes_back:
            self._add("start of a dead node, when others know that it is", "in sync", back_s)

    def _measure(
        self,
        name: str,
        target: int,
        watchers: list[Watcher],
        act: Callable[[int], None],
        settle_s: float = SETTLE_S,
    ) -> float:
        """Let all clients work, take the node away, and wait until all work again. Returns the seconds that the node,
        started again, needs until it is in sync.
        """
        for watcher in watchers:
            watcher.start()
        try:
            if view.wait(lambda: all(len(each.successes) > 20 for each in watchers), MOST_S) is None:
                raise BrokerError(f"{name}: {[each.name for each in watchers if not each.successes]} cannot work")
            time.sleep(settle_s)
            since = time.monotonic()
            act(target)
            went = view.wait(lambda: all(each.has_gone_on(since, CALM_S) for each in watchers), MOST_S)
            for watcher in watchers:
                self._add(name, watcher.name, watcher.gap_s(since))
            if went is None:
                self._say(f"{name}: not all clients worked again after {MOST_S} s")
        finally:
            for watcher in watchers:
                watcher.finish()
                self.errors.setdefault(f"{name}, {watcher.name}", Counter()).update(watcher.errors)
        since = time.monotonic()
        self._nodes.begin(target)
        self._nodes.wait(target)
        self._wait_until_well()
        return time.monotonic() - since

    def _restart_at_once(self) -> None:
        """kill -9, and start again without a pause, before anybody can have noticed by the clock."""
        target = self._other_than_controller()
        watcher = PartitionWatcher(self._nodes, self._topic_led_by(target))
        watcher.start()
        try:
            view.wait(lambda: len(watcher.successes) > 20, MOST_S)
            since = time.monotonic()
            self._nodes.kill(target)
            self._nodes.begin(target)
            self._nodes.wait(target)
            self._add("kill -9 and start at once", "accepts clients", time.monotonic() - since)
            view.wait(lambda: view.is_well(self._nodes) and watcher.has_gone_on(since, 0.2), MOST_S, 0.01)
            self._add("kill -9 and start at once", "in sync", time.monotonic() - since)
            self._add("kill -9 and start at once", watcher.name, watcher.gap_s(since))
        finally:
            watcher.finish()
        self._wait_until_well()

    def _watchers(self, target: int) -> list[Watcher]:
        """All clients, each with what it needs on the node that goes away."""
        servers = self._nodes.bootstrap_servers
        return [
            PartitionWatcher(self._nodes, self._topic_led_by(target)),
            ProducerWatcher(servers, self._topic_led_by(target)),
            IdempotentWatcher(servers, self._topic_led_by(target)),
            CoordinatorWatcher(self._nodes, TOPIC, self._group_of(target, "raw")),
            GroupWatcher(servers, TOPIC, self._group_of(target)),
            AdminWatcher(self._nodes, TOPIC),
        ]

    def _topic_led_by(self, target: int) -> str:
        """A new topic with one partition, in sync on all brokers, of which the node is the leader."""
        self._topics += 1
        name = f"{TOPIC}-{self._topics}"
        replicas = [target, *(each for each in self._nodes.brokers if each != target)]
        wanted = create_topics.CreatableTopic(
            name, -1, -1, [create_topics.CreatableReplicaAssignment(0, replicas)],
            [create_topics.CreatableTopicConfig("min.insync.replicas", "2")],
        )  # fmt: skip
        request = create_topics.CreateTopicsRequest([wanted], 10_000, validate_only=False)
        answer = view.ask(self._nodes, lambda client: client.call(create_topics.API_KEY, 7, request)).topics[0]
        if answer.error_code:
            raise BrokerError(f"{name}: {answer.error_message}")
        if view.wait(lambda: view.is_well(self._nodes), MOST_S) is None:
            raise BrokerError(f"{name} does not get in sync")
        return name

    def _group_of(self, target: int, prefix: str = "group") -> str:
        """A group whose coordinator is the node."""

        def search(client: RawClient) -> str:
            for number in range(200):
                name = f"{prefix}-{self._topics}-{number}"
                request = find_coordinator.FindCoordinatorRequest(name)
                answer = client.call(find_coordinator.API_KEY, COORDINATOR_VERSION, request)
                if answer.error_code == 0 and answer.node_id == target:
                    return name
            return ""

        found = ""

        def is_found() -> bool:
            nonlocal found
            found = view.ask(self._nodes, search)
            return bool(found)

        if view.wait(is_found, MOST_S) is None:
            raise BrokerError(f"node {target} coordinates no group")
        return found

    def _controller(self) -> int:
        if view.wait(lambda: view.controller(self._nodes) != view.NONE, MOST_S) is None:
            raise BrokerError("there is no active controller")
        return view.controller(self._nodes)

    def _other_than_controller(self) -> int:
        controller = self._controller()
        return next(each for each in self._nodes.brokers if each != controller)

    def _wait_until_well(self) -> None:
        if view.wait(lambda: view.is_well(self._nodes), MOST_S, 0.02) is None:
            raise BrokerError(f"not all replicas are in sync after {MOST_S} s")
        view.ask(self._nodes, view.elect_preferred)

    def _add(self, name: str, what: str, value: float) -> None:
        self._samples.setdefault(name, {}).setdefault(what, {}).setdefault(self._kind, []).append(round(value, 3))
        self._say(f"{name}: {what} {value:.2f}")

    def _say(self, line: str) -> None:
        print(f"{time.strftime('%H:%M:%S')} {self._kind}: {line}", file=sys.stderr, flush=True)


def table(samples: Samples, kinds: list[str]) -> str:
    """The medians, with the lowest and the highest."""
    lines = [f"| measurement | | {' | '.join(kinds)} |", f"|---|---|{'--:|' * len(kinds)}"]
    for name, found in samples.items():
        for what, values in found.items():
            cells = [_spread(values.get(kind, [])) for kind in kinds]
            lines.append(f"| {name} | {what} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _spread(values: list[float]) -> str:
    if not values:
        return ""
    middle = f"{statistics.median(values):.2f}"
    return middle if len(values) == 1 else f"{middle} ({min(values):.2f}–{max(values):.2f})"


def main() -> int:
    """0 when every cluster went through all measurements."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.failover", description=__doc__)
    parser.add_argument("--brokers", default=",".join(MAKERS), help="with commas between (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="on one cluster each (default: %(default)s)")
    parser.add_argument("--kills", type=int, default=0, help="only the gaps that stock clients see, at so many kills")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the results (default: %(default)s)")
    options = parser.parse_args()
    kinds = options.brokers.split(",")
    if unknown := sorted(set(kinds) - MAKERS.keys()):
        parser.error(f"no broker {', '.join(unknown)}: use {', '.join(MAKERS)}")
    samples: Samples = {}
    errors: dict[str, Any] = {}
    failures = []
    for kind in kinds:
        failover = Failover(kind, samples)
        try:
            if options.kills:
                failover.run_by_client(options.kills)
            else:
                failover.run(options.rounds)
        except BrokerError as error:
            failures.append(f"{kind}: {error}")
        errors[kind] = {name: dict(found) for name, found in failover.errors.items() if found}
    print(table(samples, kinds))
    print("\n".join(f"does not count further: {failure}" for failure in failures))
    about = {**facts(), "rounds": options.kills or options.rounds}
    what = "clients" if options.kills else "failover"
    name = f"{what}-{datetime.datetime.now(datetime.UTC):%Y-%m-%d}-{kafkacompat.__version__}.json"
    options.out.mkdir(parents=True, exist_ok=True)
    data = {"facts": about, "samples": samples, "errors": errors, "failures": failures}
    (options.out / name).write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n")
    print(f"errors that clients showed: {json.dumps(errors)}\nstored in {options.out / name}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
