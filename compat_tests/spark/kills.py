"""`python -m compat_tests.spark.kills --job replay --kills 20 --seed 7`: a job on Spark, killed again and again.

The driver, a Python worker or the broker get kill -9 at random moments; then the job is run again until it ends. What
it made is compared with the source by `exceptAll`, empty both ways: keys, values, nulls, headers in their order,
timestamps, offsets (places in the partition, for a replay), in five codecs, behind deleted records and with gaps of
transactions. Then the job begins anew elsewhere, until there were as many kills. Where anything differs the exit status
is 1, and the last line repeats the run. A seed gives the same kills at the same parts of a run; what they hit depends
on the machine, too.

A driver that is to be killed is a command in a process of its own, and is killed when its session has begun. Where
something else is, and to end what was begun, the job runs in this process, whose session is there already.

With `--standalone` all of it runs in a standalone cluster of two workers, whose executors and whole workers ("nodes")
are killed, too: Spark runs a task again by itself there, and executors outlive their driver for a moment.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pyspark
from confluent_kafka import Producer
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from compat_tests.apache_kafka import ApacheKafka
from compat_tests.broker_process import Broker, remove_directory, scratch_directory, tail
from compat_tests.kafkacompat_broker import KafkacompatBroker
from compat_tests.spark.conftest import SETTINGS
from compat_tests.spark.kill_jobs import (
    COMMITTED,
    DRIVER,
    EXECUTOR,
    JOBS,
    NODE,
    TARGETS,
    TOPIC,
    WORKER,
    DifferenceError,
    Job,
    Place,
    targets_of,
)
from compat_tests.spark.standalone import StandaloneCluster, settings_of, standalone_cluster
from compat_tests.spark.test_log_source import fill
from compat_tests.spark.versions import spark_jars
from compat_tests.spark.workbench import Workbench
from kafkacompat.errors import KafkaCompatError
from kafkacompat.spark import ArchiveSpec, archive
from tests.waiting import pause

REMOVED = 100
"""Records deleted at the start of partition 0."""
TRANSACTIONS, OF_TRANSACTION = 20, 30
RUN_MAX_S, RUN_TIMES_MAX = 300.0, 6
"""How long a run may take at least, and how many times as long as the one that was not killed: machines are shared."""
WORKS_S = 1.0
"""A worker is killed at most so long after it was waited for."""
COLD = 3.0
"""How many times as long a job takes in a session that has just begun, until a run shows it."""
WORKERS, EXECUTORS = 2, 2
"""Of a standalone cluster, and of each application there: one on each worker."""
APPLICATIONS = 3
"""That have room there at a time: the session here, a command, and executors whose driver was killed."""
TRIES_MAX = 8
"""Runs in a row that fail without a kill, after which the job has failed."""
ROUNDS_MAX = 10
"""Rounds in a row in which nothing was killed, after which there is nothing to kill."""
BROKERS: dict[str, Callable[[], Broker]] = {"kafkacompat": KafkacompatBroker, "apache-kafka": ApacheKafka}
FAILURES = (KafkaCompatError, PySparkException, Py4JError, OSError)
"""What a job may raise when something of it was killed. Anything else is a mistake."""


class NothingKilledError(Exception):
    """A job that ran again and again, and had nothing that could be killed."""


class Kills:
    """Runs a job and kills it. `struck` counts what was killed while a run was under way.

    took_s: how long a run takes in this process, until one that is not killed shows it; 0: the first one does.
    """

    def __init__(
        self, job: Job, place: Place, chance: random.Random, targets: tuple[str, ...], took_s: float = 0.0,
        cluster: StandaloneCluster | None = None,
    ) -> None:  # fmt: skip
        self._job, self._place, self._chance, self._targets, self._cluster = job, place, chance, targets, cluster
        self._folder = place.folder.resolve()
        self.struck: Counter[str] = Counter()
        self.rounds = self.records = 0
        self._took_s = took_s
        self._driver_took_s = 0.0
        self._kills = self._drivers = 0

    def run(self, kills: int) -> None:
        """Rounds until there were so many kills. Raises DifferenceError; NothingKilledError."""
        self._kills = kills
        place, unharmed = self._place, 0
        while self.struck.total() < kills or not self.rounds:
            before = self.struck.total()
            self._place = place._replace(folder=place.folder / f"round-{self.rounds}", number=self.rounds)
            self._place.folder.mkdir()
            self._round()
            self.records = self._job.check(self._place)
            say(f"round {self.rounds}: {self.records} records, the same both ways; "
                f"{self.struck.total()} of {kills} kills: {dict(self.struck)}")  # fmt: skip
            shutil.rmtree(self._place.folder)
            self.rounds += 1
            unharmed = 0 if self.struck.total() > before else unharmed + 1
            if unharmed >= ROUNDS_MAX:
                raise NothingKilledError(f"nothing was killed in {unharmed} rounds: {', '.join(self._targets)}")

    def _round(self) -> None:
        """Until a run has ended well."""
        failed = 0
        while True:
            before = self.struck.total()
            told = self._run()
            if not told:
                return
            failed = 0 if self.struck.total() > before else failed + 1
            if failed >= TRIES_MAX:
                raise DifferenceError(f"{failed} runs failed without a kill: {told}")

    def _run(self) -> str:
        """Run the job once, and kill something while it runs. Returns why it failed, "" if it did not."""
        is_killed = self._took_s and self.struck.total() < self._kills  # the first run shows how long it takes
        target = self._chance.choice(self._targets) if is_killed else ""
        return self._driver() if target == DRIVER else self._here(target)

    def _driver(self) -> str:
        """As a command, whose driver is killed some time after its session has begun, unless it has ended by then."""
        self._drivers += 1
        folder = self._place.folder.parent
        told, local = folder / "told.log", folder / f"local-{self._drivers}"
        settings = settings_on(self._cluster) | {"spark.local.dir": str(local)}
        own = [f"--conf={name}={value}" for name, value in settings.items()]
        command = [sys.executable, "-m", "kafkacompat", "spark", *self._job.command(self._place), *own]
        with told.open("w") as output:
            process = subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True, cwd=folder)
        try:
            deadline_s = time.monotonic() + RUN_MAX_S
            while process.poll() is None and not any(local.glob("blockmgr-*")) and time.monotonic() < deadline_s:
                pause()
            began_s, took_s = time.monotonic(), self._driver_took_s or COLD * self._took_s
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(self._chance.uniform(0, took_s))
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                self.struck[DRIVER] += 1
            if process.wait() == 0:
                self._driver_took_s = time.monotonic() - began_s
                return ""
            return tail(told)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            shutil.rmtree(local, ignore_errors=True)

    def _here(self, target: str) -> str:
        """In this process. Behind a kill the run may go on, and may be struck again, there or elsewhere."""
        run_max_s, before = max(RUN_MAX_S, RUN_TIMES_MAX * self._took_s), self.struck.total()
        run = _Run(self._job, self._place)
        run.start()
        while target and self.struck.total() < self._kills:
            run.join(self._chance.uniform(0, 1.0) * self._took_s)
            if target == WORKER and self._await_worker(run):
                run.join(self._chance.uniform(0, WORKS_S))
            if not run.is_alive():
                break
            if self._strike(target):
                self.struck[target] += 1
            target = self._chance.choice([each for each in self._targets if each != DRIVER])
        run.join(run_max_s)
        if run.is_alive():
            raise DifferenceError(f"a run has not ended within {run_max_s:.0f} s")
        if isinstance(run.error, FAILURES):
            return f"{type(run.error).__name__}: {run.error}"
        if run.error is not None:
            raise run.error
        if self.struck.total() == before:
            self._took_s = run.took_s  # the first one takes longer than those behind it
        return ""

    def _await_worker(self, run: _Run) -> bool:
        """Wait for a Python worker where there is none, as before a run's first Python task. Whether it had to wait."""
        has_waited = False
        while run.is_alive() and not workers_in(self._folder):
            has_waited = True
            pause()
        return has_waited

    def _strike(self, target: str) -> bool:
        """Whether something was killed."""
        if target == WORKER:
            workers = workers_in(self._folder)
            with contextlib.suppress(psutil.Error, IndexError):
                self._chance.choice(workers).kill()
                return True
            return False
        if target in (EXECUTOR, NODE):
            assert self._cluster is not None
            return (self._cluster.kill_node if target == NODE else self._cluster.kill_executor)(self._chance)
        broker = self._place.broker
        broker.kill()
        time.sleep(self._chance.uniform(0, 2))
        broker.start()
        return True


class _Run(threading.Thread):
    """A job in this process. `error`: what it has raised."""

    def __init__(self, job: Job, place: Place) -> None:
        super().__init__(daemon=True)
        self._job, self._place = job, place
        self.error: Exception | None = None
        self.took_s = 0.0

    def run(self) -> None:
        began_s = time.monotonic()
        try:
            self._job.run(self._place)
        except Exception as error:  # noqa: BLE001 -- whoever waits for the thread says what it means
            self.error = error
        self.took_s = time.monotonic() - began_s


def workers_in(folder: Path) -> list[psutil.Process]:
    """Spark's Python workers of sessions that run in a folder or below it, and the process that they are forked from.

    Once that one was killed they are nobody's children, and Spark goes on with them.
    """
    found = []
    for each in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            is_worker = any("pyspark.daemon" in part or "pyspark/daemon.py" in part for part in each.cmdline())
            if is_worker and Path(each.cwd()).is_relative_to(folder):
                found.append(each)
    return found


def say(text: str) -> None:
    """A line of progress."""
    print(text, flush=True)


def source(spark: SparkSession, broker: Broker, folder: Path, per_codec: int) -> None:
    """The topic: five codecs, nulls, headers, deleted records at the start, transactions of which some are aborted."""
    bench = Workbench(spark, broker.bootstrap_servers, folder, _seen_nowhere)  # type: ignore[arg-type]
    fill(bench, TOPIC, per_codec)
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers, "transactional.id": "source"})
    producer.init_transactions(60)
    for number in range(TRANSACTIONS):
        producer.begin_transaction()
        for n in range(OF_TRANSACTION):
            producer.produce(TOPIC, None if n % 4 == 0 else b"%d" % n, b"k%d" % n, n % 2)
        if number % 3:
            producer.commit_transaction(60)
        else:
            producer.flush(60)
            producer.abort_transaction(60)
    bench.delete_records_before(TOPIC, 0, REMOVED)


def _seen_nowhere(_name: str, _value: object) -> None:
    """Nothing is compared between brokers here."""


def settings_on(cluster: StandaloneCluster | None) -> dict[str, str]:
    """Of each session: in its own process with two tasks at a time, or on the cluster with as many executors."""
    jars = spark_jars(pyspark.__version__)
    if cluster is None:
        return SETTINGS | {"spark.master": "local[2]", "spark.jars": ",".join(map(str, jars))}
    return SETTINGS | settings_of(jars) | {"spark.master": cluster.url, "spark.cores.max": str(EXECUTORS)}


@contextlib.contextmanager
def session(folder: Path, cluster: StandaloneCluster | None = None) -> Iterator[SparkSession]:
    """Spark for the comparisons, and for the runs of which no driver is killed."""
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    builder = SparkSession.builder.appName("kills")
    for name, value in (settings_on(cluster) | {"spark.local.dir": str(folder / "local")}).items():
        builder = builder.config(name, value)
    with contextlib.chdir(folder):
        spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    try:
        yield spark
    finally:
        spark.stop()


def torment(
    spark: SparkSession, folder: Path, job_name: str, broker: Broker, *, kills: int, seed: int,
    targets: tuple[str, ...], per_codec: int, took_s: float = 0.0, cluster: StandaloneCluster | None = None,
) -> Kills:  # fmt: skip
    """All of it, on a broker that is started. Raises DifferenceError; NothingKilledError."""
    source(spark, broker, folder, per_codec)
    broker.stop()  # Kafka writes down where logs start once a minute: a kill before would bring back deleted records
    broker.start()
    lake, servers = folder / "lake", broker.bootstrap_servers
    archive(spark, ArchiveSpec(str(lake), servers, topics=TOPIC, isolation=COMMITTED, allow_gaps=True))
    place = Place(broker, spark, lake, folder, 0)
    killer = Kills(JOBS[job_name](), place, random.Random(seed), targets, took_s, cluster)
    killer.run(kills)
    return killer


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(prog="python -m compat_tests.spark.kills", description=__doc__)
    parser.add_argument("--job", choices=JOBS, required=True)
    parser.add_argument("--broker", choices=BROKERS, default="kafkacompat")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=None, help="of a run before (default: a new one)")
    parser.add_argument("--standalone", action="store_true", help="in a standalone cluster of two workers")
    parser.add_argument("--targets", help=f"of {','.join(TARGETS)} (default: all that the job has)")
    parser.add_argument("--per-codec", type=int, default=1500, help="records of each codec (default: %(default)s)")
    given = parser.parse_args()
    try:
        targets = targets_of(given.job, given.targets, on_cluster=given.standalone)
    except ValueError as error:
        parser.error(str(error))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that nothing is left behind
    seed = random.randrange(1 << 31) if given.seed is None else given.seed
    again = (
        f"python -m compat_tests.spark.kills --job {given.job} --broker {given.broker} --kills {given.kills} "
        f"--seed {seed} --targets {','.join(targets)} --per-codec {given.per_codec}"
        f"{' --standalone' if given.standalone else ''}"
    )
    say(f"seed {seed}; again: {again}")
    folder, broker = scratch_directory("spark-kills-"), BROKERS[given.broker]()
    try:
        with contextlib.ExitStack() as stack:
            cluster = None
            if given.standalone:
                cores = EXECUTORS * APPLICATIONS // WORKERS
                cluster = stack.enter_context(standalone_cluster(folder, WORKERS, cores))
            spark = stack.enter_context(session(folder, cluster))
            broker.start()
            killer = torment(
                spark, folder, given.job, broker, kills=given.kills, seed=seed, targets=targets,
                per_codec=given.per_codec, cluster=cluster,
            )  # fmt: skip
    except Exception as error:  # noqa: BLE001 -- whatever it was, the run can be repeated
        if not isinstance(error, DifferenceError):
            traceback.print_exc()
        say(f"FAILED: {error}\nagain: {again}")
        return 1
    finally:
        broker.close()
        remove_directory(folder)
    where = f"{given.broker}{', in a standalone cluster' if given.standalone else ''}"
    say(f"{given.job} on {where}: survived {killer.struck.total()} kills in {killer.rounds} rounds, "
        f"{dict(killer.struck)}; {killer.records} records, the same both ways each time")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
