"""A topic is copied in transactions while brokers and the copying program are killed: each record arrives once.

Killed at any moment, in turn with a broker, a program that reads, processes and writes with its offsets in the
transaction goes on where its last committed transaction ended.
"""

from __future__ import annotations

import random
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from compat_tests.clients.exactly_once.cluster import Cluster
from compat_tests.clients.exactly_once.copying import RECONNECT_MS, Job
from compat_tests.clients.exactly_once.programs import PROGRAMS
from compat_tests.clients.exactly_once.reading import committed, ends, values
from compat_tests.clients.java_tools.tools import FEATURES
from compat_tests.clients.samples import Patience
from compat_tests.tool_jvm.tools import run as run_tool

PER_TRANSACTION = 10
FEED_S = 0.02
"""The time between two records that are fed to the source."""
PATIENCE_TIMES = 6
"""How many waits of a client a whole step may take: a program starts, its old self is thrown out of the group, …"""
TRANSACTION_TIMEOUT_MS = 10_000
KAFKAS_TRANSACTION_TIMEOUT_MS = 60_000
"""Longer than Apache Kafka 4.3.1 takes to start after kill -9. Otherwise its coordinator ends the transaction while the
partitions have no leader yet: it takes them for deleted and skips their markers. Their records are then committed with
the next transaction, and the group's offsets stay unstable."""


@dataclass(frozen=True)
class Plan:
    """Who copies, how often something is killed, and the seed of when and what.

    With `upgrades` transaction.version is 0 at the start, 1 after a third of the kills, 2 after two thirds.
    """

    client: str
    kills: int
    seed: int
    replicas: int = 1
    upgrades: bool = False
    transaction_timeout_ms: int = TRANSACTION_TIMEOUT_MS


@dataclass(frozen=True)
class Finding:
    """What came of a loop: records that were sent, those that are missing or too many in the target, and starts."""

    sent: int
    missing: Counter[bytes]
    doubled: Counter[bytes]
    starts: int

    def __str__(self) -> str:
        wrong = f", {self.missing.total()} missing {_few(self.missing)}" if self.missing else ""
        wrong += f", {self.doubled.total()} too many {_few(self.doubled)}" if self.doubled else ""
        return f"{self.sent} records, {self.starts} starts of the program{wrong or ', each arrived once'}"


def _few(found: Counter[bytes]) -> str:
    return " ".join(value.decode() for value in sorted(found)[:10])


class Copier:
    """The program, started again whenever it has ended. Its output is in a file."""

    def __init__(self, command: Callable[[int], tuple[Sequence[str], str]], log: Path) -> None:
        self._command, self._log = command, log
        self._process: subprocess.Popen[str] | None = None
        self.starts = 0

    def keep_running(self) -> None:
        """Start it if it does not run."""
        if self._process is None or self._process.poll() is not None:
            command, told = self._command(self.starts)
            with self._log.open("a") as out:
                self._process = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT, text=True
                )
            assert self._process.stdin is not None
            self._process.stdin.write(told)
            self._process.stdin.close()
            self.starts += 1

    def kill(self) -> None:
        """kill -9."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def words(self) -> str:
        """The end of what it wrote."""
        return self._log.read_text()[-4_000:] if self._log.exists() else ""


def transaction_timeout_ms(broker_kind: str) -> int:
    """What a loop on a kind of broker may use."""
    return KAFKAS_TRANSACTION_TIMEOUT_MS if broker_kind == "kafka" else TRANSACTION_TIMEOUT_MS


def run(plan: Plan, cluster: Cluster, name: str, folder: Path, say: Callable[[str], None] = print) -> Finding:
    """Run one loop with topics and a group of that name. Raises AssertionError when the program no longer comes on."""
    program = PROGRAMS[plan.client]
    job = Job(
        cluster.bootstrap_servers, name + "-source", name + "-target", name, name + "-copier", PER_TRANSACTION,
        plan.transaction_timeout_ms,
    )  # fmt: skip
    _create(job, program.partitions, plan.replicas)
    copier = Copier(lambda starts: program.command(job, starts), folder / "copier.log")
    rng = random.Random(plan.seed)
    place = job.bootstrap_servers, job.group, job.source, program.partitions
    try:
        if plan.upgrades:
            say(_set_version(job.bootstrap_servers, 0))
        with feeding(job.bootstrap_servers, job.source, program.partitions):
            for kill in range(plan.kills):
                if plan.upgrades and kill in (plan.kills // 3, plan.kills * 2 // 3):
                    say(_set_version(job.bootstrap_servers, 1 if kill == plan.kills // 3 else 2))
                since = time.monotonic()
                before = _next_commit(place, copier)
                time.sleep(rng.random())
                killed = _kill(cluster, copier, job, rng, of_the_broker=bool(kill % 2))
                say(f"kill {kill + 1} of {plan.kills}: {killed}; {before} copied, {time.monotonic() - since:.1f} s")
        _until(lambda: committed(*place) == ends(job.bootstrap_servers, job.source, program.partitions), copier)
        return _finding(job, plan.client, copier)
    finally:
        copier.kill()


def _next_commit(place: tuple[str, str, str, int], copier: Copier) -> int:
    """Wait until more is committed than now; how many records that is now."""
    seen: list[int] = []

    def is_more() -> bool:
        if (found := committed(*place)) is not None:
            seen.append(sum(found))
        return bool(seen) and seen[-1] > seen[0]

    _until(is_more, copier)
    return seen[0]


def _create(job: Job, partitions: int, replicas: int) -> None:
    admin = AdminClient({"bootstrap.servers": job.bootstrap_servers})
    topics = [NewTopic(topic, partitions, replicas) for topic in (job.source, job.target)]
    for future in admin.create_topics(topics).values():
        future.result(Patience.wait_s)


def _set_version(servers: str, version: int) -> str:
    """Finalize a `transaction.version` by Kafka's own tool; what the brokers then say of it."""
    at = ("--bootstrap-server", servers)
    done = run_tool(FEATURES, *at, "upgrade" if version else "downgrade", "--feature", f"transaction.version={version}")
    assert done.status == 0, done
    features = run_tool(FEATURES, *at, "describe").stdout
    (line,) = [line for line in features.splitlines() if "transaction.version" in line]
    assert f"FinalizedVersionLevel: {version}" in line, features
    return " ".join(line.split())


def _kill(cluster: Cluster, copier: Copier, job: Job, rng: random.Random, *, of_the_broker: bool) -> str:
    if not of_the_broker:
        copier.kill()
        return "the program"
    killed = cluster.kill(rng, job.group, job.transactional_id, job.source)
    time.sleep(rng.random() / 2)
    cluster.start()
    return killed


def _until(is_so: Callable[[], bool], copier: Copier) -> None:
    """Wait, with the copier running. Raises AssertionError when the time is over."""
    deadline = time.monotonic() + PATIENCE_TIMES * Patience.wait_s
    while True:
        copier.keep_running()
        if is_so():
            return
        assert time.monotonic() < deadline, copier.words()
        time.sleep(0.1)


def _finding(job: Job, client: str, copier: Copier) -> Finding:
    """Compare both topics. The program goes on until what it still has to do is there, and its last markers are."""
    program = PROGRAMS[client]
    sent = values(job.bootstrap_servers, job.source, program.partitions)
    assert len(set(sent)) == len(sent)
    expected, arrived = program.expected(sent), Counter[bytes]()

    def whole() -> bool:
        arrived.clear()
        arrived.update(values(job.bootstrap_servers, job.target, program.partitions))
        return arrived.total() >= expected.total()

    with suppress(AssertionError):  # what is missing is the finding
        _until(whole, copier)
    return Finding(len(sent), expected - arrived, arrived - expected, copier.starts)


@contextmanager
def feeding(servers: str, topic: str, partitions: int) -> Iterator[list[int]]:
    """Numbered records come into the topic while this lasts; yields the count of those that were acknowledged."""
    producer = Producer({
        "bootstrap.servers": servers, "enable.idempotence": True, "delivery.timeout.ms": 120_000,
        "reconnect.backoff.max.ms": RECONNECT_MS,
    })  # fmt: skip
    acknowledged, over, number = [0], threading.Event(), 0

    def count(error: object, _message: object) -> None:
        assert error is None, error
        acknowledged[0] += 1

    def feed() -> None:
        nonlocal number
        while not over.wait(FEED_S):
            producer.produce(topic, str(number).encode(), partition=number % partitions, on_delivery=count)
            number += 1
            producer.poll(0)

    thread = threading.Thread(target=feed, daemon=True)
    thread.start()
    try:
        yield acknowledged
    finally:
        over.set()
        thread.join()
        assert producer.flush(120) == 0
    assert acknowledged[0] == number
