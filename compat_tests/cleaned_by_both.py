"""`python -m compat_tests.cleaned_by_both --seeds 1-20`: random logs, cleaned by Apache Kafka and by this broker.

Each seed is a topic: several producers, plain, idempotent and transactional, write keys and tombstones with all codecs.
What both cleaners leave is compared batch by batch. Then each broker serves both results, and readers with both
isolation levels start anywhere and search by time: all see the same. More is written behind what this broker has left,
and both clean that twice with `delete.retention.ms=0`, so that tombstones and markers go, too. Exit status 1 with the
seeds that differ.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, NewTopic

from compat_tests.apache_kafka import ApacheKafka
from compat_tests.api.raw import RawClient
from compat_tests.hand_over.walk import serve_directory_of
from kafkacompat.now import Now
from kafkacompat.protocol.messages import list_offsets
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.log import Log
from tests.storage.compaction.logs import batches, compact
from tests.storage.support import START_MS, topic_config

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from random import Random

    from kafkacompat.protocol.records.builder import Record

SETTLED_S = 120
SETTLED_S_EACH = 5
"""So much longer for each topic."""
TIMEOUT_S = 60
BASE_MS = int(time.time() * 1000) - 60_000
"""Not long ago: of producers that wrote last a day ago the last batches are not kept."""
ROUNDS = 6
LATER_MS = (20_000, 25_000)
"""What is written later begins so long after the rest, which takes less than half of that. A marker goes in the pass
after the one that found its transaction gone.
"""
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
ISOLATION_LEVELS = (0, 1)
STARTS = 4
"""Random offsets at which readers of a topic begin, besides the first one."""
KEPT_WHOLE = {"cleanup.policy": "delete", "retention.ms": "-1"}
SMALL_SEGMENTS = {"segment.ms": "500"}
NOTHING_STAYS = {"delete.retention.ms": "0"}
FIELDS = ("base_offset", "last_offset", "record_count", "attributes", "max_timestamp", "producer_id", "producer_epoch",
          "base_sequence", "leader_epoch")  # fmt: skip
WRITERS = 8
"""Topics that are written side by side: a writer of transactions waits most of the time."""
Left = list[tuple[list[object], "list[Record]"]]
Reads = dict[tuple[str, int], list[object]]


def write(servers: str, topic: str, rng: Random, *, rounds: int = ROUNDS, at_ms: int = BASE_MS) -> None:
    """Keys that come again, in many segments; a round ends with a jump of the time."""
    ids = [f"{topic}-t{number}" for number in range(rng.choice((1, 2, 3)))]
    for _ in range(rounds):
        settings = {"bootstrap.servers": servers, "compression.type": rng.choice(CODECS), "linger.ms": 50}
        plain = Producer(settings | {"enable.idempotence": rng.random() < 0.5})
        at_ms = _send(plain, topic, rng, at_ms, rng.randint(1, 15))
        plain.flush()
        for transactional_id in rng.sample(ids, k=rng.randint(0, len(ids))):
            writer = Producer(settings | {"transactional.id": transactional_id})
            writer.init_transactions(TIMEOUT_S)
            for _ in range(rng.choice((1, 2))):
                writer.begin_transaction()
                for _ in range(rng.choice((1, 2))):
                    at_ms = _send(writer, topic, rng, at_ms, rng.randint(1, 6))
                    writer.flush()
                writer.commit_transaction() if rng.random() < 0.5 else writer.abort_transaction()
        at_ms += 1_000  # the next batch begins a segment


def _send(producer: Producer, topic: str, rng: Random, at_ms: int, count: int) -> int:
    for _ in range(count):
        at_ms += rng.choice((1, 5))
        value = None if rng.random() < 0.2 else rng.randbytes(rng.choice((0, 5, 200)))
        headers = [("h", rng.randbytes(3))] * rng.choice((0, 1))
        producer.produce(topic, key=b"k%d" % rng.randrange(12), value=value, timestamp=at_ms, headers=headers)
    return at_ms


def create(servers: str, topics: Iterable[str]) -> None:
    """Topics with small segments that nobody cleans yet."""
    news = [NewTopic(topic, 1, 1, config=SMALL_SEGMENTS | KEPT_WHOLE) for topic in topics]
    admin = AdminClient({"bootstrap.servers": servers})
    for future in admin.create_topics(news).values():
        future.result(TIMEOUT_S)


def alter(servers: str, topics: Iterable[str], configs: dict[str, str]) -> None:
    """Set configs of topics."""
    entries = [ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET) for name, value in configs.items()]
    resources = [ConfigResource(ConfigResource.Type.TOPIC, each, incremental_configs=entries) for each in topics]
    admin = AdminClient({"bootstrap.servers": servers})
    for future in admin.incremental_alter_configs(resources).values():
        future.result(TIMEOUT_S)


def opened(path: Path, delete_retention_ms: int = 86_400_000) -> Log:
    """A partition's directory, as the broker opens it."""
    metadata = path / "partition.metadata"
    content = metadata.read_bytes()
    metadata.unlink()
    log = Log.open(
        RealFs(temporary=True), str(path), topic_config(delete_retention_ms=delete_retention_ms), topic_id=bytes(16),
        recovery_point=0, log_start_offset=0, clean=True, now=Now(0, int(time.time() * 1000)),
    )  # fmt: skip
    metadata.write_bytes(content)
    log.producers.replicated_to(log.log_end_offset)
    return log


def left(log: Log) -> Left:
    """What is compared of each batch, empty ones included, and its records."""
    return [([getattr(header, name) for name in FIELDS], records) for header, records in batches(log)]


def data_of(found: Left) -> list[Record]:
    """All records but those of markers."""
    return [record for fields, records in found if not int(str(fields[3])) & 0x20 for record in records]


def markers_of(found: Left) -> list[Record]:
    """The markers of transactions."""
    return [record for fields, records in found if int(str(fields[3])) & 0x20 for record in records]


def keys_of(found: Left) -> set[bytes | None]:
    return {record.key for record in data_of(found)}


def read_all(servers: str, starts: Mapping[str, Sequence[int]]) -> dict[str, Reads]:
    """What readers of the topics see who begin at these offsets, by isolation level and start; and where times are.

    Each reader reads all topics at once: what it waits for at the end of one it would wait for at each.
    """
    seen: dict[str, Reads] = {topic: {} for topic in starts}
    for isolation in ("read_committed", "read_uncommitted"):
        consumer = Consumer({
            "bootstrap.servers": servers, "group.id": "looks", "enable.auto.commit": False, "check.crcs": True,
            "isolation.level": isolation, "enable.partition.eof": True, "fetch.wait.max.ms": 10,
        })  # fmt: skip
        try:
            for place in range(1 + STARTS):
                at = {topic: offsets[place] for topic, offsets in starts.items() if place < len(offsets)}
                for topic, found in _read_from(consumer, at).items():
                    seen[topic][isolation, at[topic]] = found
        finally:
            consumer.close()
    with RawClient(servers) as client:
        for level in ISOLATION_LEVELS:
            for ms in range(0, 7 * ROUNDS * 200, 97):
                for topic, answer in _offsets_at(client, list(starts), level, BASE_MS + ms).items():
                    seen[topic][f"time at level {level}", ms] = [answer]
    return seen


def _offsets_at(client: RawClient, topics: Sequence[str], isolation_level: int, at_ms: int) -> dict[str, object]:
    partition = list_offsets.ListOffsetsPartition(0, -1, at_ms)
    wanted = [list_offsets.ListOffsetsTopic(topic, [partition]) for topic in topics]
    answer = client.ask(list_offsets, 7, list_offsets.ListOffsetsRequest(-1, isolation_level, wanted))
    return {each["name"]: each for each in answer["topics"]}


def _read_from(consumer: Consumer, starts: Mapping[str, int]) -> dict[str, list[object]]:
    consumer.assign([TopicPartition(topic, 0, start) for topic, start in starts.items()])
    found: dict[str, list[object]] = {topic: [] for topic in starts}
    left = set(starts)
    while left:
        message = consumer.poll(TIMEOUT_S)
        assert message is not None, f"{sorted(left)} have no end within {TIMEOUT_S} s"
        topic, error = message.topic() or "", message.error()
        seen: tuple[object, ...] = "end", message.offset()
        if error is None:
            seen = (message.offset(), message.timestamp(), message.key(), message.value(), message.headers())
        else:
            assert error.name() == "_PARTITION_EOF", error
            left.discard(topic)
        found[topic].append(seen)
    return found


class Comparison:
    """Topics of seeds, written and cleaned three times. `complaints` name the topics that differ. `markers_gone` and
    `keys_gone`, after the first time: markers of transactions that went, and keys of which not even a tombstone stays.
    """

    def __init__(self, seeds: Sequence[int], folder: Path, say: Callable[[str], None]) -> None:
        self.complaints: list[str] = []
        self.removed = self.emptied = self.markers_gone = self.keys_gone = 0
        self._say = say
        self._folder = folder
        self._topics = {f"seed{seed}": random.Random(f"cleaned {seed}") for seed in seeds}
        self._kafka = ApacheKafka(config={"log.cleaner.backoff.ms": "200"})
        self._starts: dict[str, list[int]] = {}

    def go(self) -> None:
        """Write, clean, compare."""
        kafka, folder = self._kafka, self._folder
        try:
            kafka.start()
            servers = kafka.bootstrap_servers
            create(servers, self._topics)
            with ThreadPoolExecutor(WRITERS) as writers:
                list(writers.map(partial(write, servers), self._topics, self._topics.values()))
            self._say("written")
            kafka.stop()
            self._copy(folder / "ours")
            kafka.start()
            self._let_kafka_clean()
            self._say("cleaned by Apache Kafka")
            kafka.stop()
            self._copy(folder / "theirs")
            self._compare_logs()
            self._say("cleaned by this broker")
            self._compare_reads()
            for later_ms in LATER_MS:
                self._clean_later(later_ms)
        finally:
            kafka.close()

    def _copy(self, target: Path) -> None:
        for topic in self._topics:
            shutil.copytree(self._kafka.data_dirs[0] / f"{topic}-0", target / topic)

    def _let_kafka_clean(self) -> None:
        servers, before = self._kafka.bootstrap_servers, self._first_dirty()
        due = [topic for topic in self._topics if self._active_base(topic) > before.get(topic, 0)]
        cleans = {"cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0.01", "segment.ms": "9999999999"}
        alter(servers, self._topics, cleans)
        settled_s = SETTLED_S + SETTLED_S_EACH * len(self._topics)
        deadline_s = time.monotonic() + settled_s
        while any(self._first_dirty().get(topic, 0) == before.get(topic, 0) for topic in due):
            assert time.monotonic() < deadline_s, f"Apache Kafka has not cleaned everything in {settled_s} s"
            time.sleep(0.2)
        alter(servers, self._topics, KEPT_WHOLE)  # no broker cleans further

    def _active_base(self, topic: str) -> int:
        return max(int(path.stem) for path in (self._kafka.data_dirs[0] / f"{topic}-0").glob("*.log"))

    def _first_dirty(self) -> dict[str, int]:
        """Where the next pass finds the logs dirty, by the cleaner's checkpoint."""
        checkpoint = self._kafka.data_dirs[0] / "cleaner-offset-checkpoint"
        lines = checkpoint.read_text().splitlines()[2:] if checkpoint.exists() else []
        return {topic: int(offset) for topic, _, offset in map(str.split, lines)}

    def _clean_later(self, later_ms: int) -> None:
        """Once more, what one of the brokers has left and more behind it: all horizons are past."""
        kafka, folder = self._kafka, self._folder / f"{later_ms}"
        kafka.start()
        servers = kafka.bootstrap_servers
        alter(servers, self._topics, SMALL_SEGMENTS | KEPT_WHOLE | NOTHING_STAYS)
        later = partial(write, servers, rounds=2, at_ms=BASE_MS + later_ms)
        with ThreadPoolExecutor(WRITERS) as writers:
            list(writers.map(later, self._topics, self._topics.values()))
        kafka.stop()
        self._copy(folder / "ours")
        first_dirty = self._first_dirty()
        kafka.start()
        self._let_kafka_clean()
        kafka.stop()
        self._copy(folder / "theirs")
        for topic in self._topics:
            ours, theirs = (opened(folder / name / topic, delete_retention_ms=0) for name in ("ours", "theirs"))
            before = left(ours)
            compact(ours, first_dirty=first_dirty.get(topic, 0), ms=int(time.time() * 1000) - START_MS)
            mine, reference = left(ours), left(theirs)
            self._compare_batches(f"{topic}, at {later_ms}", mine, reference)
            self.markers_gone += len(markers_of(before)) - len(markers_of(reference))
            self.keys_gone += len(keys_of(before) - keys_of(reference))
            for log in (ours, theirs):
                log.close(clean=False, now=Now(0, 0))
        self._say("cleaned later by both")

    def _compare_batches(self, what: str, mine: Left, reference: Left) -> None:
        if mine != reference:
            at = next((at for at, (one, other) in enumerate(zip(mine, reference, strict=False)) if one != other), -1)
            found = (mine[at], reference[at]) if at >= 0 else (len(mine), len(reference))
            self.complaints.append(f"{what}: {found[0]} is left here, {found[1]} by Apache Kafka")

    def _compare_logs(self) -> None:
        """In one pass all batches are the same; in several small ones the records are."""
        for topic, rng in self._topics.items():
            shutil.copytree(self._folder / "ours" / topic, self._folder / "small" / topic)
            ours, small, theirs = (opened(self._folder / name / topic) for name in ("ours", "small", "theirs"))
            before, now_ms = left(ours), int(time.time() * 1000) - BASE_MS
            compact(ours, ms=now_ms)
            dirty, after = -1, 0
            while after != dirty:
                dirty, after = after, compact(small, first_dirty=after, keys=3, ms=now_ms)
            mine, reference = left(ours), left(theirs)
            self.removed += len(data_of(before)) - len(data_of(reference))
            self.emptied += sum(not records for _, records in reference)
            self._compare_batches(topic, mine, reference)
            if data_of(left(small)) != data_of(reference):
                self.complaints.append(f"{topic}: in small passes other records are left than by Apache Kafka")
            end = theirs.log_end_offset
            self._starts[topic] = [0, *sorted(rng.sample(range(end), k=min(STARTS, end)))]
            for log in (ours, small, theirs):
                log.close(clean=log is ours, now=Now(0, 0))

    def _compare_reads(self) -> None:
        """Both brokers on both results."""
        kafka = self._kafka
        seen = {}
        for result in ("theirs", "ours"):
            for topic in self._topics:
                target = kafka.data_dirs[0] / f"{topic}-0"
                shutil.rmtree(target)
                shutil.copytree(self._folder / result / topic, target)
            kafka.start()
            seen["Apache Kafka", result] = self._read_all()
            kafka.stop()
            ours = serve_directory_of(kafka, self._folder / f"serves-{result}.log")
            try:
                seen["this broker", result] = self._read_all()
            finally:
                ours.stop()
            self._say(f"both have served {result}")
        reference = seen["Apache Kafka", "theirs"]
        for (who, result), found in seen.items():
            for topic, reads in found.items():
                different = [what for what, read_ in reads.items() if read_ != reference[topic][what]]
                if different:
                    self.complaints.append(f"{topic}: {who} serves {result} otherwise: {different[:5]}")

    def _read_all(self) -> dict[str, Reads]:
        return read_all(self._kafka.bootstrap_servers, self._starts)


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(prog="python -m compat_tests.cleaned_by_both", description=__doc__)
    parser.add_argument("--seeds", default="1-20", metavar="A-B")
    first, _, last = parser.parse_args().seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(seeds, Path(folder), _say)
        comparison.go()
    _say("\n".join(comparison.complaints) or f"{len(seeds)} logs: the same")
    _say(f"{comparison.removed} records removed, {comparison.emptied} batches kept empty")
    _say(f"later {comparison.markers_gone} markers and the last of {comparison.keys_gone} keys removed")
    return 1 if comparison.complaints else 0


def _say(line: str) -> None:
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} {line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
