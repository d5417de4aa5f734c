"""Kill a broker, and the process that compacts for it, while compacted topics are written, compacted and deleted."""

from __future__ import annotations

import os
import signal
import struct
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import delete_topics, produce
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.reader import read_records
from tests.robustness.client import Client, produce_request
from tests.robustness.killing import KilledBroker
from tests.waiting import pause, wait_until

TOPICS, LARGE = 20, 3
"""The logs of the large ones are compacted in a process of their own, of the others in a thread."""
KEYS, SMALL_BYTES, LARGE_BYTES = 200, 200, 30_000
PER_BATCH = 8
TOMBSTONES = 0.1
FIRST_MS = 1_700_000_000_000
CHILD_WITHIN_S = 30.0
"""On a loaded machine: the next one comes as soon as enough was written."""
BROKER = ("--config", "log.cleaner.backoff.ms=20", "--config", "log.segment.delete.delay.ms=100")
CONFIGS = {"cleanup_policy": "compact", "min_cleanable_dirty_ratio": "0.01", "delete_retention_ms": "50"}
UNFINISHED = ("*.cleaned", "*.swap")


class Writes:
    """What a reader must find in one topic: of each key its newest acknowledged number, or one that was sent later
    without an answer. Numbers of tombstones are negative.
    """

    def __init__(self) -> None:
        self.acknowledged: dict[bytes, int] = {}
        self.unanswered: dict[bytes, set[int]] = {}

    def sent(self, numbers: dict[bytes, int]) -> None:
        for key, number in numbers.items():
            self.unanswered.setdefault(key, set()).add(number)

    def answered(self, numbers: dict[bytes, int]) -> None:
        self.acknowledged |= numbers
        for key in numbers:
            del self.unanswered[key]

    def check(self, name: str, found: dict[bytes, int]) -> None:
        """`found`: the last number of each key; a key may be missing if it was deleted."""
        for key, newest in self.acknowledged.items():
            allowed = {newest} | self.unanswered.get(key, set())
            number = found.get(key)
            is_gone = number is None and any(each < 0 for each in allowed)
            assert is_gone or number in allowed, (
                f"{name}, {key!r}: {number} is there, and it should be one of {allowed}"
            )


class Writer(threading.Thread):
    """Writes to all topics, one request after the other, and goes on after each kill."""

    def __init__(self, port: int, rng: Random) -> None:
        super().__init__(name="writer")
        self._port = port
        self._rng = rng
        self._number = 0
        self._stop_asked = threading.Event()
        self.writes = {f"compacted-{index}": Writes() for index in range(TOPICS)}
        self.failure: BaseException | None = None

    def create(self, client: Client, name: str) -> None:
        is_large = int(name.rpartition("-")[2]) < LARGE
        size = {"segment_bytes": str(1 << 20)} if is_large else {"internal_segment_bytes": "20000"}
        client.create_topic(name, **CONFIGS, **size)

    def fill(self, client: Client) -> None:
        """Every key of the large topics."""
        for name in list(self.writes)[:LARGE]:
            for first in range(0, KEYS, PER_BATCH):
                self._write(client, name, [b"key-%d" % key for key in range(first, min(KEYS, first + PER_BATCH))])

    def stop(self) -> None:
        self._stop_asked.set()
        self.join(60)
        assert not self.is_alive()
        if self.failure is not None:
            raise self.failure

    def run(self) -> None:
        while not self._stop_asked.is_set():
            try:
                with Client(self._port) as client:
                    while not self._stop_asked.is_set():
                        self._step(client)
            except OSError:
                pause()
            except BaseException as error:  # noqa: BLE001 (told by stop)
                self.failure = error
                return

    def _step(self, client: Client) -> None:
        name = self._rng.choice(list(self.writes))
        if self._rng.random() < 0.3:
            name = f"compacted-{self._rng.randrange(LARGE)}"
        keys = {b"key-%d" % self._rng.randrange(KEYS) for _ in range(PER_BATCH)}
        self._write(client, name, sorted(keys))

    def _write(self, client: Client, name: str, keys: list[bytes]) -> None:
        padding = bytes(LARGE_BYTES if int(name.rpartition("-")[2]) < LARGE else SMALL_BYTES)
        records, numbers = [], {}
        for place, key in enumerate(keys):
            self._number += 1
            is_tombstone = self._rng.random() < TOMBSTONES
            numbers[key] = -self._number if is_tombstone else self._number
            value = None if is_tombstone else struct.pack(">q", self._number) + padding
            header = (("number", struct.pack(">q", numbers[key])),)
            records.append(Record(place, FIRST_MS + self._number, key, value, header))
        self.writes[name].sent(numbers)
        client.send(produce_request(name, build_batch(records)), 9)
        answer: produce.PartitionProduceResponse = client.receive().responses[0].partition_responses[0]
        assert answer.error_code == errors.NONE, answer
        self.writes[name].answered(numbers)


def newest(client: Client, topic: str) -> dict[bytes, int]:
    """The number of the last record of each key, from the headers of the records. Offsets ascend."""
    found: dict[bytes, int] = {}
    offset, last = 0, -1
    while True:
        answer = client.fetch(topic, offset, max_bytes=8 << 20)
        assert answer.error_code == errors.NONE, answer
        data, position = bytes(answer.records), 0
        if not data:
            return found
        while position + 61 <= len(data):
            base, size = struct.unpack_from(">qi", data, position)
            if position + size + 12 > len(data):
                break
            for record in read_records(data, position):
                assert record.offset > last
                last = record.offset
                assert record.key is not None
                assert record.headers[0][1] is not None
                found[record.key] = struct.unpack(">q", record.headers[0][1])[0]
            offset = base + struct.unpack_from(">i", data, position + 23)[0] + 1
            position += size + 12


def children(pid: int) -> list[int]:
    """Processes that it has started."""
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += map(int, path.read_text().split())
        except OSError:  # the thread has ended
            continue
    return found


def kill_child(broker: KilledBroker, rng: Random) -> bool:
    """kill -9 of the process that compacts, at a random moment of its life. False: none was there in time."""
    deadline_s = time.monotonic() + CHILD_WITHIN_S
    while time.monotonic() < deadline_s:
        for pid in children(broker.child.process.pid):
            time.sleep(rng.uniform(0, 0.15))
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:  # it was done
                continue
            return True
        pause()
    return False


def delete_and_create(port: int, writer: Writer, name: str) -> None:
    """A topic that nobody writes now goes, and comes back empty."""
    with Client(port) as client:
        request = delete_topics.DeleteTopicsRequest(topic_names=[name], timeout_ms=10_000)
        answer = client.ask(request, 4).responses[0]
        assert answer.error_code == errors.NONE, answer
        writer.create(client, name)


def kill_while_compacting(broker: KilledBroker, data_dir: Path, cycles: int, rng: Random) -> Counter[str]:
    """What was done how often. Fails at a key whose newest record is not what was acknowledged."""
    writer, seen = Writer(broker.port, rng), Counter[str]()
    deleted = f"compacted-{TOPICS}"
    with Client(broker.port) as client:
        for name in (*writer.writes, deleted):
            writer.create(client, name)
        writer.fill(client)
        assert client.produce(deleted, build_batch([Record(0, FIRST_MS, b"k", b"v")])).error_code == errors.NONE
    writer.start()
    try:
        for cycle in range(cycles):
            if cycle % 3:
                seen["kills of the child"] += kill_child(broker, rng)
            else:
                time.sleep(rng.uniform(0.05, 0.4))
                seen["passes"] += broker.child.stderr.count("bytes stayed")
                broker.kill()
                seen["kills of the broker"] += 1
                delete_and_create(broker.port, writer, deleted)
        wait_until(lambda: seen["passes"] or "bytes stayed" in broker.child.stderr, what=lambda: "no pass ended")
    finally:
        writer.stop()
    wait_until(lambda: not unfinished(data_dir), what=lambda: unfinished(data_dir))
    with Client(broker.port) as client:
        for name, writes in writer.writes.items():
            writes.check(name, newest(client, name))
            seen["keys"] += len(writes.acknowledged)
        assert client.read_all(deleted) == []
    seen["passes"] += broker.child.stderr.count("bytes stayed")
    return seen


def unfinished(data_dir: Path) -> list[str]:
    """Results of passes that were not put in the place of what they replace, or not completely."""
    return [str(path) for pattern in UNFINISHED for path in data_dir.rglob(pattern)]


def run(cycles: int, seed: int) -> Iterator[str]:
    """What was seen."""
    with tempfile.TemporaryDirectory() as path:
        broker = KilledBroker(Path(path) / "data", *BROKER)
        try:
            seen = kill_while_compacting(broker, Path(path) / "data", cycles, Random(seed))
            broker.stop()
        finally:
            broker.child.process.kill()
    yield (
        ", ".join(f"{count} {what}" for what, count in sorted(seen.items()))
        + ": the newest record of each key is there"
    )
