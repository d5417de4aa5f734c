"""`python -m benchmarks.transactions`: transactions on this broker and on Apache Kafka, in one run.

One transactional producer (franz-go, the protocol of KIP-890 where the broker has it) writes transactions of 1, 100 and
10,000 records to 1 and 10 partitions, to one broker and to three with replication factor 3. A latency is that of the
end of a transaction alone; beside it is that of the first record, with which the partition is added. Then logs without,
with a tenth and with half of their transactions aborted are read by a consumer that leaves out what was aborted, and by
one that reads all, and compared. Whatever was committed is read back with its count and checksum. Brokers take turns,
one cluster at a time.
"""

from __future__ import annotations

import argparse
import datetime
import itertools
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import kafkacompat
from benchmarks.bars import PARTITIONS, PER_TRANSACTION, reading_row, transactions_row
from benchmarks.cases import Rows, per_gb
from benchmarks.gotools import BenchmarkError, Client, build
from benchmarks.measure import facts, keep_bytecode
from benchmarks.peers import Kafka, Kafkacompat
from benchmarks.replicated import MAKERS, seconds_to_ready
from benchmarks.table import Samples, add, store
from compat_tests.apache_kafka import DEFAULT_JVM_OPTIONS
from compat_tests.artifacts import KAFKA_VERSION, MissingToolError
from compat_tests.broker_process import BrokerError

RESULTS = Path(__file__).parent / "results"
KINDS = ("kafkacompat", "kafka")
SIZE = 100
READ_BYTES = 200_000_000
READ_PASSES = 3
READ_TURNS = 4
"""Of each kind of consumer; who begins alternates, too. A broker's CPU time for the same reads differs by a tenth from
one second to the next.
"""
ISOLATIONS = ("uncommitted", "committed")
SUMMED = ("bytes", "seconds", "broker_cpu_s", "broker_user_s", "client_cpu_s")
ONE_EACH_RECORDS = 8_000
"""Records of a log whose transactions have one record each: Apache Kafka takes two minutes to write that many."""
ONE_EACH_PASSES = 60
"""Through this small log: CPU time is counted in 10 ms."""
WARM_UP_S = 5.0
_topics = itertools.count(1)


@dataclass(frozen=True)
class Target:
    """Brokers under measurement, and the load generator."""

    bootstrap_servers: str
    pids: list[int]
    replicas: int
    client: Client
    seconds: float
    scale: float

    def run(self, mode: str, **flags: object) -> dict[str, Any]:
        """One run of the load generator."""
        return self.client.run(mode, self.bootstrap_servers, self.pids, size=SIZE, **flags)

    @contextmanager
    def topic(self, partitions: int) -> Iterator[str]:
        """A topic that is deleted afterwards; its name is the transactional id, too."""
        name = f"transactions-{next(_topics)}"
        self.run("create", topic=name, partitions=partitions, replicas=self.replicas)
        yield name
        self.run("delete", topic=name)


def write(target: Target, partitions: int, per_transaction: int) -> Rows:
    """Transactions of one size, as many as fit into the time."""
    flags = {"partitions": partitions, "per_transaction": per_transaction}
    with target.topic(partitions) as topic:
        found = target.run("transact", topic=topic, seconds=target.seconds, **flags)
        read_back(target, topic, found, partitions, "committed", passes=1)
    metrics = {
        "commits_s": found["transactions"] / found["seconds"],
        "mb_s": found["bytes"] / found["seconds"] / 1e6,
        "p50_us": found["p50_us"],
        "p99_us": found["p99_us"],
        "first_p50_us": found["first_p50_us"],
        "cpu_us_txn": found["broker_cpu_s"] * 1e6 / found["transactions"],
        "cpu_us_record": found["broker_cpu_s"] * 1e6 / found["records"],
        "client_cores": found["client_cpu_s"] / found["seconds"],
    }
    return {transactions_row(per_transaction, partitions, target.replicas): metrics}


def read(target: Target, per_transaction: int, abort_every: int) -> Rows:
    """One log, read by both kinds of consumers. Rates are of the log's bytes, which both of them fetch."""
    records, passes = READ_BYTES // SIZE, READ_PASSES
    if per_transaction == 1:
        records, passes = ONE_EACH_RECORDS, ONE_EACH_PASSES
    records = int(records * target.scale)
    flags = {"per_transaction": per_transaction, "abort_every": abort_every, "records": records, "partitions": 1}
    rows: Rows = {}
    measured = {}
    with target.topic(1) as topic:
        wrote = target.run("transact", topic=topic, **flags)
        totals = {isolation: Counter[str]() for isolation in ISOLATIONS}
        for isolation in ISOLATIONS:
            read_back(target, topic, wrote, 1, isolation, passes=1)
        for turn in range(READ_TURNS):
            for isolation in ISOLATIONS[:: -1 if turn % 2 else 1]:
                found = read_back(target, topic, wrote, 1, isolation, passes)
                found["bytes"] = wrote["all_count"] * SIZE * passes
                totals[isolation].update({name: found[name] for name in SUMMED})
    aborted = f"{100 // abort_every} % aborted" if abort_every else "none aborted"
    for isolation, total in totals.items():
        row = f"read_{isolation}, {per_transaction:,} a transaction, {aborted}, RF {target.replicas}"
        measured[isolation] = rows[row] = per_gb(total)
    committed, uncommitted = measured["committed"], measured["uncommitted"]
    rows[reading_row(per_transaction, abort_every)] = {
        "mb_s_ratio": committed["mb_s"] / uncommitted["mb_s"],
        "cpu_ratio": committed["cpu_s_gb"] / uncommitted["cpu_s_gb"],
    }
    return rows


def read_back(
    target: Target, topic: str, wrote: dict[str, Any], partitions: int, isolation: str, passes: int
) -> dict[str, Any]:
    """Read all that the isolation shows. Raises BenchmarkError for another count or checksum."""
    prefix = "all_" if isolation == "uncommitted" else ""
    return target.run(
        "consume", topic=topic, isolation=isolation, partitions=partitions, passes=passes,
        count=wrote[f"{prefix}count"], checksum=wrote[f"{prefix}checksum"],
    )  # fmt: skip


CASES: dict[str, Callable[[Target], Rows]] = {
    **{
        f"write-{count}-{partitions}": lambda target, p=partitions, n=count: write(target, p, n)  # type: ignore[misc]
        for count in PER_TRANSACTION
        for partitions in PARTITIONS
    },
    "read-none": lambda target: read(target, 1_000, 0),
    "read-tenth": lambda target: read(target, 1_000, 10),
    "read-half": lambda target: read(target, 1_000, 2),
    "read-single": lambda target: read(target, 1, 0),
}


class Rounds:
    """All measurements, kept by row and broker; one that fails is told and the others go on."""

    def __init__(self, client: Client, options: argparse.Namespace) -> None:
        self.samples: Samples = {}
        self.failures: list[str] = []
        self._client = client
        self._options = options

    def run(self, kind: str, replicas: int) -> None:
        """One cluster of a broker, or of three."""
        with self._counts(f"{kind} RF {replicas}"), _started(kind, replicas) as (servers, pids):
            target = Target(servers, pids, replicas, self._client, self._options.seconds, self._options.scale)
            warm = Target(servers, pids, replicas, self._client, min(WARM_UP_S, target.seconds), target.scale)
            write(warm, 1, 100)
            for name in self._options.chosen:
                if name.startswith("read") and replicas > 1:
                    continue  # followers do not take part in it
                self._say(f"{kind} RF {replicas}: {name}")
                with self._counts(f"{kind} RF {replicas} {name}"):
                    add(self.samples, kind, CASES[name](target))

    @contextmanager
    def _counts(self, what: str) -> Iterator[None]:
        try:
            yield
        except (BenchmarkError, BrokerError, OSError) as error:
            why = str(error).partition("\n")[0]
            self.failures.append(f"{what}: {why}")
            self._say(f"does not count: {what}: {why}")

    def _say(self, line: str) -> None:
        print(f"{time.strftime('%H:%M:%S')} {line}", file=sys.stderr, flush=True)


@contextmanager
def _started(kind: str, replicas: int) -> Iterator[tuple[str, list[int]]]:
    if replicas == 1:
        peer = Kafkacompat("uvloop") if kind == "kafkacompat" else Kafka(pausable=False)
        try:
            peer.start()
            yield peer.bootstrap_servers, peer.pids
        finally:
            peer.close()
        return
    nodes = MAKERS[kind]()
    try:
        seconds_to_ready(nodes)
        yield nodes.bootstrap_servers, list(nodes.pids.values())
    finally:
        nodes.close()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.transactions", description=__doc__)
    parser.add_argument("--brokers", default=",".join(KINDS), help="with commas between (default: %(default)s)")
    parser.add_argument("--cases", default=",".join(CASES), help="with commas between (default: %(default)s)")
    parser.add_argument("--replicas", default="1,3", help="1, 3 or both (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="clusters of each broker (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=4.0, help="counted time of a timed run (default: %(default)s)")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the logs that are read")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the results (default: %(default)s)")
    options = parser.parse_args()
    options.kinds, options.chosen = options.brokers.split(","), options.cases.split(",")
    for given, known in ((options.kinds, KINDS), (options.chosen, CASES), (options.replicas.split(","), ("1", "3"))):
        if unknown := [name for name in given if name not in known]:
            parser.error(f"no {', '.join(unknown)}: use {', '.join(known)}")
    return options


def main() -> int:
    """0 when every run counted."""
    options = _options()
    keep_bytecode()
    try:
        rounds = Rounds(Client(build()), options)
    except (BenchmarkError, MissingToolError) as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 1
    name = f"transactions-{datetime.datetime.now(datetime.UTC):%Y-%m-%d}-{kafkacompat.__version__}"
    about = _facts(options)
    for number in range(options.rounds):
        first = number % len(options.kinds)
        for replicas, kind in itertools.product(
            map(int, options.replicas.split(",")), options.kinds[first:] + options.kinds[:first]
        ):
            rounds.run(kind, replicas)
            path = store(options.out, name, about, rounds.samples, rounds.failures)  # an interrupted run keeps it
    print(path.read_text())
    print(f"{len(rounds.failures)} runs do not count; stored in {path}")
    return 1 if rounds.failures else 0


def _facts(options: argparse.Namespace) -> dict[str, Any]:
    return {
        **facts(),
        "rounds": options.rounds,
        "scale": f"{options.scale:g} of the logs that are read, {options.seconds:g} s for what is timed",
        "records": f"{SIZE} B",
        "kafka": f"{KAFKA_VERSION} with {' '.join(DEFAULT_JVM_OPTIONS)}",
        "client": "franz-go, one transactional producer, no compression",
    }


if __name__ == "__main__":
    sys.exit(main())
