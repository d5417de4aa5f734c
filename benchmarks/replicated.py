"""`python -m benchmarks.replicated`: three nodes with replication factor 3, this broker and Apache Kafka in one run.

Brokers take turns: a round is a new cluster of each, from its first start to its stop, one cluster at a time, so that
no paused node misses a heartbeat. Before anything is counted a cluster writes and reads for a while, so that a JVM is
warm. Each node is a process of its own with the same server.properties for both.
"""

from __future__ import annotations

import argparse
import datetime
import itertools
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kafkacompat
from benchmarks.cases import PING_BYTES, Rows, per_gb, per_request
from benchmarks.gotools import BenchmarkError, Client, build
from benchmarks.measure import cpu_seconds, facts, keep_bytecode, memory_mb
from benchmarks.table import Samples, add, store
from benchmarks.warm_memory import WarmMemory
from compat_tests.apache_kafka import DEFAULT_JVM_OPTIONS
from compat_tests.artifacts import KAFKA_VERSION, MissingToolError
from compat_tests.broker_process import BrokerError
from compat_tests.chaos import view
from compat_tests.chaos.nodes import KafkacompatNodes, KafkaNodes, Nodes

RESULTS = Path(__file__).parent / "results"
CONFIG = {"log.segment.delete.delay.ms": "1000"}
MAKERS: dict[str, Callable[[], Nodes]] = {
    "kafkacompat": lambda: KafkacompatNodes(config=CONFIG),
    "kafka": lambda: KafkaNodes(config=CONFIG, jvm_options=DEFAULT_JVM_OPTIONS),
}
SETTLE_S = 2.0
SHORT_SCALE = 0.1
READY_TIMEOUT_S = 60.0
POLL_S = 0.01
WARM_UPS = 2
MANY_PARTITIONS = 1_000
_topics = itertools.count(1)


def seconds_to_ready(nodes: Nodes) -> float:
    """Start all nodes; the seconds until each of them answers and knows of all brokers."""
    since, brokers = time.monotonic(), set(nodes.brokers)

    def is_ready() -> bool:
        try:
            return all(set(view.question_to(nodes, node_id, view.brokers)) == brokers for node_id in brokers)
        except OSError:
            return False

    nodes.start()
    if view.wait(is_ready, READY_TIMEOUT_S, POLL_S) is None:
        raise BrokerError("the brokers do not find each other")
    return time.monotonic() - since


class Cluster:
    """One cluster under measurement, and the load generator that it is measured with."""

    def __init__(self, nodes: Nodes, client: Client, scale: float, seconds: float) -> None:
        self.nodes = nodes
        self.seconds = seconds
        self.scale = scale
        self._client = client

    def run(self, mode: str, **flags: object) -> dict[str, Any]:
        """One run of the load generator."""
        return self._client.run(mode, self.nodes.bootstrap_servers, list(self.nodes.pids.values()), **flags)

    def new_topic(self, partitions: int = 1) -> str:
        """A topic whose replicas are all in sync."""
        topic = f"replicated-{next(_topics)}"
        self.run("create", topic=topic, partitions=partitions, replicas=len(self.nodes.brokers))
        return topic

    def memory_mb(self) -> float:
        """Resident memory of all nodes."""
        return sum(memory_mb(pid)[0] for pid in self.nodes.pids.values())

    def idle_cpu(self) -> float:
        """Cores that all nodes use while nobody asks for anything."""
        time.sleep(SETTLE_S)
        pids = list(self.nodes.pids.values())
        before, since = sum(map(cpu_seconds, pids)), time.monotonic()
        time.sleep(self.seconds)
        return (sum(map(cpu_seconds, pids)) - before) / (time.monotonic() - since)


def bulk(cluster: Cluster, label: str, size: int, records: int, **flags: object) -> Rows:
    """Write and read back."""
    count, topic = int(records * cluster.scale), cluster.new_topic()
    wrote = cluster.run("produce", topic=topic, size=size, records=count, **flags)
    expected = {"count": wrote["count"], "checksum": wrote["checksum"]}
    read = cluster.run("consume", topic=topic, size=size, **expected)
    cluster.run("delete", topic=topic)
    return {f"produce-{label}": per_gb(wrote), f"consume-{label}": per_gb(read)}


def through(cluster: Cluster, label: str, size: int, records: int) -> Rows:
    """Write while a consumer reads."""
    topic = cluster.new_topic()
    found = cluster.run("through", topic=topic, size=size, records=int(records * cluster.scale))
    cluster.run("delete", topic=topic)
    return {f"through-{label}": per_gb(found)}


def ping(cluster: Cluster, clients: int) -> Rows:
    """One record a request."""
    topic = cluster.new_topic()
    found = cluster.run("ping", topic=topic, size=PING_BYTES, clients=clients, seconds=cluster.seconds)
    cluster.run("consume", topic=topic, size=PING_BYTES, count=found["count"], checksum=found["checksum"])
    cluster.run("delete", topic=topic)
    return {f"ping-{clients}": per_request(found)}


def many_partitions(cluster: Cluster) -> Rows:
    """A thousand partitions: how long until all are in sync, and what they cost while nothing happens."""
    since = time.monotonic()
    topic = cluster.new_topic(MANY_PARTITIONS)
    took = time.monotonic() - since
    rows = {"1,000 partitions": {"created_ms": took * 1000, "idle_cores": cluster.idle_cpu()}}
    records = int(100_000 * cluster.scale)  # leaders may not know yet that they lead, so records are sent again
    wrote = cluster.run("produce", topic=topic, size=1024, records=records, retries=20)
    rows["1,000 partitions"] |= {"mb_s": per_gb(wrote)["mb_s"], "rss_mb": cluster.memory_mb()}
    return rows


CASES: dict[str, Callable[[Cluster], Rows]] = {
    "idle": lambda cluster: {"idle": {"idle_cores": cluster.idle_cpu(), "rss_mb": cluster.memory_mb()}},
    "1k": lambda cluster: bulk(cluster, "1k", 1024, 300_000),
    "1k-16kb": lambda cluster: bulk(cluster, "1k-16kb-batches", 1024, 150_000, batch_bytes=16_384),
    "1k-acks-1": lambda cluster: bulk(cluster, "1k-acks-1", 1024, 300_000, acks=1),
    "100b": lambda cluster: bulk(cluster, "100b", 100, 1_000_000),
    "through": lambda cluster: through(cluster, "1k", 1024, 200_000),
    "ping-1": lambda cluster: ping(cluster, 1),
    "ping-50": lambda cluster: ping(cluster, 50),
    "memory": lambda cluster: {"memory after the load": {"rss_mb": cluster.memory_mb()}},
    "partitions": many_partitions,
}


class Rounds:
    """All measurements, kept by row and broker; one that fails is told and the others go on."""

    def __init__(self, client: Client, scale: float, seconds: float, cases: list[str], memory: WarmMemory) -> None:
        self.samples: Samples = {}
        self.failures: list[str] = []
        self._client = client
        self._scale = scale
        self._seconds = seconds
        self._cases = cases
        self._memory = memory

    def run(self, kind: str) -> None:
        """One cluster, from its first start to its stop."""
        nodes = MAKERS[kind]()
        try:
            self._say(kind, "start")
            self._add(kind, {"start of three": {"ready_ms": seconds_to_ready(nodes) * 1000}})
            cluster = Cluster(nodes, self._client, self._scale, self._seconds)
            if "idle" in self._cases:
                self._case(kind, "idle", cluster)
            for _ in range(WARM_UPS):
                self._say(kind, "warm-up")
                bulk(cluster, "warm-up", 1024, 100_000)
                ping(cluster, 1)
            for name in self._cases:
                if name != "idle":
                    self._case(kind, name, cluster)
            self._say(kind, "stop")
            self._add(kind, {"stop of three": {"stopped_ms": nodes.shut_down() * 1000}})
        except (BenchmarkError, BrokerError, OSError) as error:
            self._failed(kind, error)
        finally:
            nodes.close()

    def _case(self, kind: str, name: str, cluster: Cluster) -> None:
        self._say(kind, name)
        self._memory.fill()
        try:
            self._add(kind, CASES[name](cluster))
        except BenchmarkError as error:
            self._failed(f"{kind} {name}", error)

    def _failed(self, what: str, error: Exception) -> None:
        why = str(error).partition("\n")[0]
        self.failures.append(f"{what}: {why}")
        self._say(what, f"does not count: {why}")

    def _add(self, kind: str, rows: Rows) -> None:
        add(self.samples, kind, rows)

    def _say(self, kind: str, line: str) -> None:
        print(f"{time.strftime('%H:%M:%S')} {kind}: {line}", file=sys.stderr, flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.replicated", description=__doc__)
    parser.add_argument("--brokers", default=",".join(MAKERS), help="with commas between (default: %(default)s)")
    parser.add_argument("--cases", default=",".join(CASES), help="with commas between (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="clusters of each broker (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=4.0, help="counted time of a timed run (default: %(default)s)")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the data (default: %(default)s)")
    parser.add_argument(
        "--warm-memory", action="store_true", help="on a virtual machine whose host takes back free memory: see docs"
    )
    parser.add_argument("--short", action="store_true", help="one round with a tenth of the data: a smoke test")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the results (default: %(default)s)")
    options = parser.parse_args()
    options.kinds, options.chosen = options.brokers.split(","), options.cases.split(",")
    for given, known in ((options.kinds, MAKERS), (options.chosen, CASES)):
        if unknown := [name for name in given if name not in known]:
            parser.error(f"no {', '.join(unknown)}: use {', '.join(known)}")
    if options.short:
        options.rounds, options.seconds, options.scale = 1, 1.0, SHORT_SCALE
    return options


def main() -> int:
    """0 when every run counted."""
    options = _options()
    keep_bytecode()
    try:
        client = Client(build())
    except (BenchmarkError, MissingToolError) as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as scratch:
        memory = WarmMemory(Path(scratch), enabled=options.warm_memory)
        return _measure(options, Rounds(client, options.scale, options.seconds, options.chosen, memory))


def _measure(options: argparse.Namespace, rounds: Rounds) -> int:
    about = _facts(options)
    name = f"replicated-{datetime.datetime.now(datetime.UTC):%Y-%m-%d}-{kafkacompat.__version__}"
    name += "-short" if options.short else ""
    for number in range(options.rounds):
        first = number % len(options.kinds)
        for kind in options.kinds[first:] + options.kinds[:first]:  # who comes first must not always be the same
            rounds.run(kind)
            path = store(options.out, name, about, rounds.samples, rounds.failures)  # an interrupted run keeps it
    print(path.read_text())
    print(f"{len(rounds.failures)} runs do not count; stored in {path}")
    return 1 if rounds.failures else 0


def _facts(options: argparse.Namespace) -> dict[str, Any]:
    return {
        **facts(),
        "rounds": options.rounds,
        "warm_memory": options.warm_memory,
        "scale": f"{options.scale:g} of the data, {options.seconds:g} s for what is timed",
        "clusters": "three nodes, each broker and controller, replication factor 3; CPU and memory are of all three",
        "kafka": f"{KAFKA_VERSION} with {' '.join(DEFAULT_JVM_OPTIONS)}",
        "client": "franz-go, no compression; acks=all and idempotent where a row does not say acks-1",
    }


if __name__ == "__main__":
    sys.exit(main())
