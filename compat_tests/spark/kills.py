"""`python -m compat_tests.spark.kills --job replay --kills 20 --seed 7`: a job on Spark, killed again and again.

The driver, a Python worker or the broker get kill -9 at random moments; then the job is run again until it ends. What
it made is compared with the source by `exceptAll`, empty both ways: keys, values, nulls, headers in their order,
timestamps, offsets (places in the partition, for a replay), in five codecs, behind deleted records and with gaps of
transactions. Then the job begins anew elsewhere, until there were as many kills. Where anything differs the exit status
is 1, and the last line repeats the run. A seed gives the same kills at the same parts of a run; what they hit depends
on the machine, too.
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
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import psutil
import pyspark
from confluent_kafka import Producer
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812 (the usual name)

from compat_tests.apache_kafka import ApacheKafka
from compat_tests.broker_process import Broker, remove_directory, scratch_directory, tail
from compat_tests.kafkacompat_broker import KafkacompatBroker
from compat_tests.spark.archives.test_archive_writer import settings
from compat_tests.spark.conftest import SETTINGS
from compat_tests.spark.test_log_source import fill
from compat_tests.spark.versions import spark_jars
from compat_tests.spark.workbench import Workbench
from kafkacompat import Cluster
from kafkacompat.spark import ArchiveSpec, archive, read_archive, verify_archive

TOPIC = "killed"
REMOVED = 100
"""Records deleted at the start of partition 0."""
TRANSACTIONS, OF_TRANSACTION = 20, 30
DRIVER, WORKER, BROKER = "driver", "worker", "broker"
RUN_MAX_S, RUN_TIMES_MAX = 300.0, 6
"""How long a run may take at least, and how many times as long as the one that was not killed: machines are shared."""
TRIES_MAX = 8
"""Runs in a row that fail without a kill, after which the job has failed."""
ROUNDS_MAX = 10
"""Rounds in a row in which nothing was killed, after which there is nothing to kill."""
BROKERS: dict[str, Callable[[], Broker]] = {"kafkacompat": KafkacompatBroker, "apache-kafka": ApacheKafka}
COLUMNS = ("key", "value", "partition", "offset", "timestamp", "timestampType", "headers")


class Place(NamedTuple):
    """Where a job reads and writes. number: of the round, so that each has targets of its own."""

    broker: Broker
    spark: SparkSession
    archive: Path
    folder: Path
    number: int

    def read(self, servers: str, topic: str) -> DataFrame:
        """What a reader of committed records sees."""
        reader = self.spark.read.format("kafka").options(subscribe=topic, includeHeaders="true")
        reader = reader.option("kafka.bootstrap.servers", servers).option("kafka.isolation.level", "read_committed")
        return reader.load().select(*COLUMNS)


class DifferenceError(Exception):
    """What a job has made is not what was to be made."""


class NothingKilledError(Exception):
    """A job that ran again and again, and had nothing that could be killed."""


def compare(found: DataFrame, expected: DataFrame) -> int:
    """How many records there are. Raises DifferenceError."""
    found, expected = found.cache(), expected.cache()
    extra, missing = found.exceptAll(expected).count(), expected.exceptAll(found).count()
    count = int(found.count())
    found.unpersist()
    expected.unpersist()
    if extra or missing:
        raise DifferenceError(f"{missing} records are missing, and {extra} are there that should not be, of {count}")
    return count


class Archive:
    """The topic is archived; each round into another archive. A job from Kafka to Parquet has no Python workers."""

    kills = (DRIVER, BROKER)

    def command(self, at: Place) -> list[str]:
        return ["archive", "-b", at.broker.bootstrap_servers, "--topics", TOPIC, "--to", str(at.folder / "made"),
                "--max-records", "700", "--isolation", "read_committed", "--allow-gaps"]  # fmt: skip

    def check(self, at: Place) -> int:
        path = str(at.folder / "made")
        verdict = verify_archive(at.spark, path)
        if verdict.findings:
            raise DifferenceError("; ".join(verdict.findings))
        found = read_archive(at.spark, path).select(*COLUMNS)
        return compare(found, at.read(at.broker.bootstrap_servers, TOPIC))


class Capture:
    """A fixture of the topic is written; a cluster that starts with it must have the same."""

    kills = (DRIVER, WORKER, BROKER)

    def command(self, at: Place) -> list[str]:
        return ["capture", "-b", at.broker.bootstrap_servers, "--topics", TOPIC, "--out", str(at.folder / "made.kcf"),
                "--isolation", "read_committed"]  # fmt: skip

    def check(self, at: Place) -> int:
        with Cluster(fixture=str(at.folder / "made.kcf")) as kafka:
            return compare(at.read(kafka.bootstrap_servers, TOPIC), at.read(at.broker.bootstrap_servers, TOPIC))


class Import:
    """The archive becomes the directory of a new broker of the same kind, which must serve the same."""

    kills = (DRIVER, WORKER)

    def command(self, at: Place) -> list[str]:
        return ["import", "--from", str(at.archive), "--log-dir", str(at.folder / "made"), "--chunk-offsets", "500"]

    def check(self, at: Place) -> int:
        target = type(at.broker)()
        try:
            target.start()
            target.stop()
            (directory,) = target.data_dirs
            shutil.rmtree(directory)
            shutil.move(at.folder / "made", directory)
            target.start()
            return compare(at.read(target.bootstrap_servers, TOPIC), at.read(at.broker.bootstrap_servers, TOPIC))
        finally:
            target.close()


class Replay:
    """The archive is replayed in transactions; each round into another topic."""

    kills = (DRIVER, WORKER, BROKER)

    def command(self, at: Place) -> list[str]:
        target = f"target-{at.number}"
        common = ["replay", "--from", str(at.archive), "-b", at.broker.bootstrap_servers]
        begun = sorted(at.archive.glob("replays/*.json"), key=lambda path: path.stat().st_mtime)
        for path in reversed(begun):
            if f'"{target}"' in path.read_text():
                return [*common, "--resume", path.stem]
        return [*common, "--topic-map", f"{TOPIC}={target}", "--transactional"]

    def check(self, at: Place) -> int:
        servers = at.broker.bootstrap_servers
        return compare(_numbered(at.read(servers, f"target-{at.number}")), _numbered(at.read(servers, TOPIC)))


Job = Archive | Capture | Import | Replay
JOBS: dict[str, Callable[[], Job]] = {"archive": Archive, "capture": Capture, "import": Import, "replay": Replay}


def targets_of(job: str, given: str | None) -> tuple[str, ...]:
    """What is killed, of names with commas between them; all that the job has, if None.

    Raises ValueError for what this job does not have.
    """
    can = JOBS[job]().kills
    wanted = can if given is None else tuple(given.split(","))
    if unknown := sorted({*wanted} - {*can}):
        raise ValueError(f"{job} has no {', '.join(unknown)} to kill: {', '.join(can)}")
    return wanted


def _numbered(frame: DataFrame) -> DataFrame:
    """With the place in the partition instead of the offset: markers take offsets."""
    place = F.row_number().over(Window.partitionBy("partition").orderBy("offset"))
    return frame.withColumn("place", place).drop("offset")


class Kills:
    """Runs a job and kills it. `struck` counts what was killed while a run was under way.

    took_s: how long a run takes, 0: the first one shows it, and is not killed.
    """

    def __init__(
        self, job: Job, place: Place, chance: random.Random, targets: tuple[str, ...], took_s: float = 0.0
    ) -> None:
        self._job, self._place, self._chance, self._targets = job, place, chance, targets
        self.struck: Counter[str] = Counter()
        self.rounds = self.records = 0
        self._took_s = took_s
        self._kills = 0

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
            kill = bool(self._took_s)  # the first run shows how long it takes
            before = self.struck.total()
            began_s = time.monotonic()
            if self._run(kill) == 0:
                if self.struck.total() == before:
                    self._took_s = time.monotonic() - began_s
                return
            failed = 0 if self.struck.total() > before else failed + 1
            if failed >= TRIES_MAX:
                raise DifferenceError(f"{failed} runs failed without a kill: {tail(self._told)}")

    @property
    def _run_max_s(self) -> float:
        return max(RUN_MAX_S, RUN_TIMES_MAX * self._took_s)

    @property
    def _told(self) -> Path:
        return self._place.folder.parent / "told.log"

    def _run(self, kill: bool) -> int:
        """Start the job, kill something if asked to, and return its exit status."""
        command = [sys.executable, "-m", "kafkacompat", "spark", *self._job.command(self._place), *settings()]
        with self._told.open("w") as output:
            process = subprocess.Popen(
                command, stdout=output, stderr=output, start_new_session=True, cwd=self._place.folder.parent
            )
        try:
            while kill and self.struck.total() < self._kills:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(self._chance.uniform(0.2, 1.0) * self._took_s)
                if process.poll() is not None:
                    break
                struck = self._strike(process)
                self.struck.update([struck] if struck else [])
            with contextlib.suppress(subprocess.TimeoutExpired):
                return process.wait(self._run_max_s)
            raise DifferenceError(f"a run has not ended within {self._run_max_s:.0f} s: {tail(self._told)}")
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _strike(self, process: subprocess.Popen[bytes]) -> str:
        """What was killed, if anything. Behind that of a broker or a worker the run goes on, and may be struck again.

        Workers are there for a part of the run.
        """
        workers = _workers(process)
        targets = [each for each in self._targets if each != WORKER or workers]
        target = self._chance.choice(targets) if targets else ""
        if target == WORKER:
            with contextlib.suppress(psutil.Error):
                self._chance.choice(workers).kill()
        elif target == BROKER:
            broker = self._place.broker
            broker.kill()
            time.sleep(self._chance.uniform(0, 2))
            broker.start()
        elif target == DRIVER:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return target


def _workers(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """Spark's Python workers, and the process that they are forked from."""
    with contextlib.suppress(psutil.Error):
        return [
            each for each in psutil.Process(process.pid).children(recursive=True)
            if "pyspark.daemon" in each.cmdline() or "pyspark/daemon.py" in " ".join(each.cmdline())
        ]  # fmt: skip
    return []


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


@contextlib.contextmanager
def session(folder: Path) -> Iterator[SparkSession]:
    """Spark for the comparisons."""
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    builder = SparkSession.builder.master("local[2]").appName("kills")
    more = {"spark.local.dir": str(folder / "local"), "spark.jars": ",".join(map(str, spark_jars(pyspark.__version__)))}
    for name, value in (SETTINGS | more).items():
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
    targets: tuple[str, ...], per_codec: int, took_s: float = 0.0,
) -> Kills:  # fmt: skip
    """All of it, on a broker that is started. Raises DifferenceError; NothingKilledError."""
    source(spark, broker, folder, per_codec)
    broker.stop()  # Kafka writes down where logs start once a minute: a kill before would bring back deleted records
    broker.start()
    lake, servers = folder / "lake", broker.bootstrap_servers
    archive(spark, ArchiveSpec(str(lake), servers, topics=TOPIC, isolation="read_committed", allow_gaps=True))
    place = Place(broker, spark, lake, folder, 0)
    killer = Kills(JOBS[job_name](), place, random.Random(seed), targets, took_s)
    killer.run(kills)
    return killer


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(prog="python -m compat_tests.spark.kills", description=__doc__)
    parser.add_argument("--job", choices=JOBS, required=True)
    parser.add_argument("--broker", choices=BROKERS, default="kafkacompat")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=None, help="of a run before (default: a new one)")
    parser.add_argument("--targets", help=f"of {DRIVER},{WORKER},{BROKER} (default: all that the job has)")
    parser.add_argument("--per-codec", type=int, default=1500, help="records of each codec (default: %(default)s)")
    given = parser.parse_args()
    try:
        targets = targets_of(given.job, given.targets)
    except ValueError as error:
        parser.error(str(error))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that nothing is left behind
    seed = random.randrange(1 << 31) if given.seed is None else given.seed
    again = (
        f"python -m compat_tests.spark.kills --job {given.job} --broker {given.broker} --kills {given.kills} "
        f"--seed {seed} --targets {','.join(targets)} --per-codec {given.per_codec}"
    )
    say(f"seed {seed}; again: {again}")
    folder, broker = scratch_directory("spark-kills-"), BROKERS[given.broker]()
    try:
        with session(folder) as spark:
            broker.start()
            killer = torment(
                spark, folder, given.job, broker, kills=given.kills, seed=seed, targets=targets,
                per_codec=given.per_codec,
            )  # fmt: skip
    except Exception as error:  # noqa: BLE001 -- whatever it was, the run can be repeated
        if not isinstance(error, DifferenceError):
            traceback.print_exc()
        say(f"FAILED: {error}\nagain: {again}")
        return 1
    finally:
        broker.close()
        remove_directory(folder)
    say(f"{given.job} on {given.broker}: survived {killer.struck.total()} kills in {killer.rounds} rounds, "
        f"{dict(killer.struck)}; {killer.records} records, the same both ways each time")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
