"""What a loop runs on: one broker or three, of which one is killed at a time and started again."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Protocol

from confluent_kafka.admin import AdminClient

from compat_tests.broker_process import Broker, StandIn, itself
from compat_tests.chaos.nodes import KINDS, Nodes
from compat_tests.clients.samples import Patience
from kafkacompat.broker.coordinator.coordinators import java_hash

CONFIG = {
    "group.min.session.timeout.ms": "500",
    "group.initial.rebalance.delay.ms": "0",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "1000",
}
COORDINATED = 50
"""Partitions of `__consumer_offsets` and of `__transaction_state`, Kafka's defaults."""


class Cluster(Protocol):
    """`kill` ends one broker with kill -9 and says which; `start` brings back what does not run."""

    @property
    def bootstrap_servers(self) -> str: ...
    def kill(self, rng: random.Random, group: str, transactional_id: str, source: str) -> str: ...
    def start(self) -> None: ...
    def close(self) -> None: ...
    def log_tail(self) -> str: ...


class OneBroker:
    """A broker alone."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self.start, self.close, self.log_tail = broker.start, broker.close, broker.log_tail

    @property
    def bootstrap_servers(self) -> str:
        return self._broker.bootstrap_servers

    def kill(self, _rng: random.Random, _group: str, _transactional_id: str, _source: str) -> str:
        self._broker.kill()
        return "the broker"


class Replicated:
    """Brokers with a process each, which are the controllers, too.

    The one that is killed is the coordinator of the transactions or of the group, or the source's leader.
    """

    def __init__(self, kind: str, brokers: int, config: Mapping[str, str], stand_in: StandIn = itself) -> None:
        self._nodes: Nodes = KINDS[kind](brokers, config={**config, "min.insync.replicas": "2"}, stand_in=stand_in)
        self._nodes.start()

    @property
    def bootstrap_servers(self) -> str:
        return self._nodes.bootstrap_servers

    def kill(self, rng: random.Random, group: str, transactional_id: str, source: str) -> str:
        what, topic, partition = rng.choice((
            ("the transactions' coordinator", "__transaction_state", java_hash(transactional_id) % COORDINATED),
            ("the group's coordinator", "__consumer_offsets", java_hash(group) % COORDINATED),
            ("the source's leader", source, 0),
        ))  # fmt: skip
        topics = AdminClient({"bootstrap.servers": self.bootstrap_servers}).list_topics(timeout=Patience.wait_s).topics
        leader = topics[topic].partitions[partition].leader if topic in topics else -1
        node_id = leader if leader in self._nodes.pids else rng.choice(self._nodes.brokers)
        self._nodes.kill(node_id)
        return f"{what} (broker {node_id})"

    def start(self) -> None:
        self._nodes.start()

    def close(self) -> None:
        self._nodes.close()

    def log_tail(self) -> str:
        return "\n".join(self._nodes.log_tail(node_id) for node_id in self._nodes.brokers)
