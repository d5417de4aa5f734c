"""A data directory with something of everything in it, ways to damage its files, and what a broker makes of that."""

from random import Random
from typing import Any

from kafkacompat.errors import StartupError
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import fetch, find_coordinator, init_producer_id, offset_commit, produce
from kafkacompat.protocol.records.batch import RecordBatchError, check_crc, read_header
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.storage.fs import Fs
from kafkacompat.storage.memfs import MemFs
from tests.broker.harness import BrokerHarness

ROOT = "/data"
TOPIC = "orders"
PARTITIONS = 2
BATCHES = 12
ROLLS_EVERY = 4
SEGMENT_MS = 10_000

Files = dict[str, bytes]
Records = dict[int, dict[int, bytes]]
"""By partition and offset."""


def make(*, clean: bool) -> tuple[Files, Records]:
    """The files of a broker that stopped, and the records that it acknowledged."""
    broker = BrokerHarness(offsets_topic_num_partitions="2")
    broker.create_topic(TOPIC, PARTITIONS, segment_ms=str(SEGMENT_MS))
    producer = broker.ask(init_producer_id.InitProducerIdRequest(None, 1000), 2)
    assert producer.error_code == errors.NONE
    records: Records = {partition: {} for partition in range(PARTITIONS)}
    for number in range(BATCHES):
        for partition in range(PARTITIONS):
            values = [f"{partition}-{number}-{index}".encode() * 5 for index in range(3)]
            first = _produce(broker, partition, values, producer.producer_id, number * len(values))
            records[partition] |= dict(enumerate(values, first))
        if number % ROLLS_EVERY == ROLLS_EVERY - 1 and number < BATCHES - 1:
            broker.advance(2 * SEGMENT_MS)
    broker.begin(find_coordinator.FindCoordinatorRequest("g"), 1)
    broker.advance(100)
    topic = offset_commit.OffsetCommitRequestTopic(
        TOPIC, partitions=[offset_commit.OffsetCommitRequestPartition(0, BATCHES)]
    )
    committed = broker.ask(offset_commit.OffsetCommitRequest("g", topics=[topic]), 8)
    assert committed.topics[0].partitions[0].error_code == errors.NONE
    broker.advance(120_000)  # checkpoints are written
    if clean:
        broker.close()
    return read_files(broker.fs, ROOT), records


def _produce(broker: BrokerHarness, partition: int, values: list[bytes], producer_id: int, sequence: int) -> int:
    batch = build_batch(
        [Record(index, broker.now.wall_ms, b"k", value) for index, value in enumerate(values)],
        producer_id=producer_id, producer_epoch=0, base_sequence=sequence,
    )  # fmt: skip
    topic = produce.TopicProduceData(TOPIC, partition_data=[produce.PartitionProduceData(partition, batch)])
    response = broker.ask(produce.ProduceRequest(acks=-1, timeout_ms=1000, topic_data=[topic]), 9)
    answer = response.responses[0].partition_responses[0]
    assert answer.error_code == errors.NONE, answer
    offset: int = answer.base_offset
    return offset


def read_files(fs: Fs, path: str) -> Files:
    """The content of every file under `path`."""
    files: Files = {}
    for name in fs.listdir(path):
        inner = f"{path}/{name}"
        if fs.is_dir(inner):
            files |= read_files(fs, inner)
        else:
            files[inner] = fs.read_bytes(inner)
    return files


def write_files(files: Files) -> MemFs:
    """A file system with these files."""
    fs = MemFs()
    for path, content in files.items():
        directory = path.rpartition("/")[0]
        if not fs.exists(directory):
            fs.mkdir(directory)
        fs.write_atomic(path, content, sync=True)
    return fs


def damages(content: bytes, rng: Random, flips: int) -> dict[str, bytes | None]:
    """Ways in which a file may be found; None is for gone."""
    found: dict[str, bytes | None] = {
        "gone": None,
        "empty": b"",
        "cut in half": content[: len(content) // 2],
        "one byte short": content[:-1],
        "garbage behind": content + rng.randbytes(40),
        "zeros behind": content + bytes(4096),
        "all zeros": bytes(len(content)),
        "all garbage": rng.randbytes(max(len(content), 1)),
    }
    for _ in range(flips if content else 0):
        at = rng.randrange(len(content))
        mask = rng.choice((1 << rng.randrange(8), 0xFF))
        found[f"byte {at} xor {mask:#x}"] = content[:at] + bytes((content[at] ^ mask,)) + content[at + 1 :]
    return found


class Outcome:
    """What came of a start: `refusal` is the line for the user, or "" and then the records that are served."""

    def __init__(self) -> None:
        self.refusal = ""
        self.errors: set[int] = set()
        self.bad_batches = 0
        self.records: Records = {}


def start(files: Files) -> Outcome:
    """Start a broker on these files and read all that it serves."""
    outcome = Outcome()
    try:
        broker = BrokerHarness(write_files(files))
    except StartupError as error:
        outcome.refusal = str(error)
        return outcome
    for partition in range(PARTITIONS):
        outcome.records[partition] = _read_all(broker, partition, outcome)
    broker.close()
    return outcome


def _read_all(broker: BrokerHarness, partition: int, outcome: Outcome) -> dict[int, bytes]:
    records: dict[int, bytes] = {}
    offset = 0
    while True:
        answer = _fetch(broker, partition, offset)
        if answer.error_code == errors.OFFSET_OUT_OF_RANGE and offset < answer_start(broker, partition):
            offset = answer_start(broker, partition)
            continue
        if answer.error_code != errors.NONE:
            outcome.errors.add(answer.error_code)
            return records
        data, position = bytes(answer.records or b""), 0
        while position < len(data):
            try:
                header = read_header(data, position)
                if not check_crc(data, position, header.size_bytes):
                    raise RecordBatchError
                batch = {record.offset: record.value or b"" for record in read_records(data, position, header)}
            except RecordBatchError:  # what a client would see, and stop at
                outcome.bad_batches += 1
                return records
            records |= {at: value for at, value in batch.items() if at >= offset}
            position += header.size_bytes
        if not data or header.next_offset <= offset:
            return records
        offset = header.next_offset


def answer_start(broker: BrokerHarness, partition: int) -> int:
    """The log start offset, as ListOffsets would tell it."""
    found = broker.broker.partitions.get(TOPIC, partition)
    return 0 if found is None else found.log_start_offset


def _fetch(broker: BrokerHarness, partition: int, offset: int) -> Any:
    wanted = [fetch.FetchPartition(partition, fetch_offset=offset, partition_max_bytes=1 << 20)]
    topic = fetch.FetchTopic(TOPIC, partitions=wanted)
    return (
        broker.ask(fetch.FetchRequest(max_wait_ms=0, max_bytes=1 << 20, topics=[topic]), 12).responses[0].partitions[0]
    )
