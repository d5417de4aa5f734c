"""`python -m benchmarks.scrapes`: the longest turn of the event loop while the control API answers, by what is asked.

A callback on the loop notes the CPU time of the loop's thread in each of its turns, which other processes do not
lengthen.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from http.client import HTTPConnection
from statistics import median

from kafkacompat import Cluster
from kafkacompat.client.client import Client
from kafkacompat.protocol.messages import add_partitions_to_txn as add
from kafkacompat.protocol.messages import init_producer_id as init
from kafkacompat.server.broker_server import BrokerServer

TARGETS = ("/metrics?partitions=true", "/v1/topics", "/v1/groups", "/v1/transactions", "/readyz")
PARTITIONS_OF_TOPIC = 1_000
ROUNDS = 5
TRANSACTION_KEY = 1  # FindCoordinator's key type


class Turns:
    """The CPU time of each turn of a node's loop while it is on, in ms."""

    def __init__(self) -> None:
        self.ms: list[float] = []
        self._is_on = False
        self._last_s = 0.0

    def start(self, _server: BrokerServer) -> None:
        """Called on the loop."""
        self.ms.clear()
        self._is_on, self._last_s = True, time.thread_time()
        self._loop = asyncio.get_running_loop()
        self._loop.call_soon(self._turn)

    def stop(self, _server: BrokerServer) -> None:
        """Called on the loop."""
        self._is_on = False

    def _turn(self) -> None:
        now_s = time.thread_time()
        self.ms.append((now_s - self._last_s) * 1000)
        self._last_s = now_s
        if self._is_on:
            self._loop.call_soon(self._turn)


def make_ids(kafka: Cluster, count: int) -> None:
    """So many transactional ids, each with an open transaction of one partition of the first topic."""
    with Client(kafka.bootstrap_servers) as client:
        client.coordinator("any", TRANSACTION_KEY)
        connection = client.any_connection()
        for number in range(count):
            name = f"transactional-id-{number}"
            born = connection.call(init, init.InitProducerIdRequest(name, 600_000), timeout_s=30, max_version=4)
            topics = [add.AddPartitionsToTxnTopic("topic-0", [0])]
            asked = add.AddPartitionsToTxnRequest((), name, born.producer_id, born.producer_epoch, topics)
            connection.call(add, asked, timeout_s=30, max_version=3)


def measure(partition_count: int, id_count: int) -> None:
    """Print a line for each target."""
    with Cluster() as kafka:
        connection = HTTPConnection(kafka.control_url.removeprefix("http://"))
        for number in range(max(1, partition_count // PARTITIONS_OF_TOPIC)):
            topic = {"name": f"topic-{number}", "partitions": min(PARTITIONS_OF_TOPIC, partition_count)}
            connection.request("POST", "/v1/topics", json.dumps(topic), {"content-type": "application/json"})
            connection.getresponse().read()
        make_ids(kafka, id_count)
        turns = Turns()
        for target in TARGETS:
            longest = []
            for _ in range(ROUNDS):
                kafka._call(1, turns.start)  # noqa: SLF001
                connection.request("GET", target)
                size = len(connection.getresponse().read())
                kafka._call(1, turns.stop)  # noqa: SLF001
                longest.append(max(turns.ms))
            print(f"{partition_count} partitions, {target}: longest turn {median(longest):.1f} ms, {size / 1e6:.2f} MB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("partitions", type=int, nargs="*", default=[1_000, 10_000])
    parser.add_argument("--ids", type=int, default=10_000, help="Transactional ids, each with an open transaction.")
    options = parser.parse_args()
    for count in options.partitions:
        measure(count, options.ids)
