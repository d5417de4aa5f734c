"""Offsets by time: what is opened on the loop, and what beside it."""

import pytest

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from kafkacompat.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.compression import GZIP, LZ4, NONE, SNAPPY, ZSTD
from kafkacompat.storage import lookup
from kafkacompat.storage.log import Log
from tests.broker.harness import BrokerHarness

START_MS = 1_700_000_000_000
MAX_TIMESTAMP = -3


def _records(count: int, size_bytes: int = 0) -> list[Record]:
    return [Record(n, START_MS + n, None, bytes(size_bytes)) for n in range(count)]


def _broker(*batches: bytes | bytearray, partitions: int = 1, **config: str) -> BrokerHarness:
    broker = BrokerHarness(**config)
    broker.create_topic("t", partitions, max_message_bytes="20000000")
    for batch in batches:
        data = TopicProduceData("t", partition_data=[PartitionProduceData(0, bytes(batch))])
        answer = broker.ask(ProduceRequest(acks=1, timeout_ms=1000, topic_data=[data]), 9)
        assert answer.responses[0].partition_responses[0].error_code == 0
    return broker


def _request(timestamp_ms: int, partitions: int = 1) -> ListOffsetsRequest:
    parts = [ListOffsetsPartition(index, -1, timestamp_ms) for index in range(partitions)]
    return ListOffsetsRequest(-1, 0, [ListOffsetsTopic("t", parts)])


def _ask(broker: BrokerHarness, timestamp_ms: int) -> tuple[int, int, int]:
    (found,) = broker.ask(_request(timestamp_ms), 7).topics[0].partitions
    return found.error_code, found.offset, found.timestamp


class _Opened:
    """Counts the batches that are opened beside the loop; `on_open` is called before each, `on_opened` behind it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        run = lookup.Opening.run

        def counted(opening: lookup.Opening) -> object:
            self.count += 1
            self.on_open()
            found = run(opening)
            self.on_opened()
            return found

        self.on_open = self.on_opened = lambda: None
        monkeypatch.setattr(lookup.Opening, "run", counted)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> _Opened:
    return _Opened(monkeypatch)


@pytest.mark.parametrize("codec", [GZIP, SNAPPY, LZ4, ZSTD])
def test_a_sound_batch_that_unfolds_far_is_opened_beside_the_loop(opened: _Opened, codec: int) -> None:
    batch = build_batch(_records(10, 1_000_000), compression=codec)
    assert len(batch) < 1_000_000
    broker = _broker(batch)
    assert _ask(broker, START_MS + 7) == (errors.NONE, 7, START_MS + 7)
    assert _ask(broker, MAX_TIMESTAMP) == (errors.NONE, 9, START_MS + 9)
    assert opened.count == 2


def test_many_records_are_read_beside_the_loop(opened: _Opened) -> None:
    broker = _broker(build_batch(_records(150_000), compression=ZSTD))
    assert _ask(broker, START_MS + 149_999) == (errors.NONE, 149_999, START_MS + 149_999)
    assert opened.count == 1


def test_a_large_batch_without_compression_is_read_beside_the_loop(opened: _Opened) -> None:
    broker = _broker(build_batch(_records(3, 100_000), compression=NONE))
    assert _ask(broker, START_MS + 1) == (errors.NONE, 1, START_MS + 1)
    assert opened.count == 1


@pytest.mark.parametrize("codec", [NONE, GZIP, SNAPPY, LZ4, ZSTD])
def test_a_small_batch_is_opened_at_once(opened: _Opened, codec: int) -> None:
    broker = _broker(build_batch(_records(1000, 200), compression=codec))
    assert _ask(broker, START_MS + 700) == (errors.NONE, 700, START_MS + 700)
    assert opened.count == 0


def test_beyond_the_cap_the_beginning_of_the_batch_answers() -> None:
    first = build_batch(_records(2), compression=ZSTD)
    large = build_batch([Record(n, START_MS + 100 + n, None, bytes(34_000_000)) for n in range(2)], compression=ZSTD)
    broker = _broker(first, large)
    assert _ask(broker, START_MS + 101) == (errors.NONE, 2, START_MS + 100)
    assert _ask(broker, MAX_TIMESTAMP) == (errors.NONE, 2, START_MS + 100)
    partition = broker.broker.partitions.get("t", 0)
    assert partition is not None
    partition.log.delete_records_before(3, broker.now)
    assert _ask(broker, START_MS + 101) == (errors.NONE, 3, START_MS + 100)  # never before the log start


def test_the_search_goes_on_behind_a_batch_that_holds_no_answer(opened: _Opened) -> None:
    times = (START_MS + 50, START_MS, START_MS + 1)
    large = [Record(n, time_ms, None, bytes(100_000)) for n, time_ms in enumerate(times)]
    broker = _broker(build_batch(large), build_batch(_records(3)), build_batch(large))
    partition = broker.broker.partitions.get("t", 0)
    assert partition is not None
    partition.log.delete_records_before(1, broker.now)
    assert _ask(broker, START_MS + 20) == (errors.NONE, 6, START_MS + 50)
    assert opened.count == 2


def _broker_that_searches_on(**config: str) -> BrokerHarness:
    """The first of three large batches has the time in its header, and no record that is still there."""
    times = (START_MS + 50, START_MS, START_MS + 1)
    large = [Record(n, time_ms, None, bytes(300_000)) for n, time_ms in enumerate(times)]
    broker = _broker(*[build_batch(large)] * 3, **config)
    _log(broker).delete_records_before(1, broker.now)
    return broker


def _log(broker: BrokerHarness) -> Log:
    partition = broker.broker.partitions.get("t", 0)
    assert partition is not None
    return partition.log


def test_files_may_be_closed_while_a_batch_is_opened(opened: _Opened) -> None:
    broker = _broker_that_searches_on()
    files = broker.broker.logs.metadata_directory.files

    def close_files() -> None:
        while len(files):
            files._evict()

    opened.on_open = close_files
    assert _ask(broker, START_MS + 20) == (errors.NONE, 3, START_MS + 50)
    assert not broker.view.offline_directories


def test_segments_may_be_deleted_while_a_batch_is_opened(opened: _Opened) -> None:
    broker = _broker_that_searches_on(**{"log.segment.bytes": str(1 << 20)})
    log = _log(broker)
    opened.on_opened = lambda: log.delete_records_before(6, broker.now)
    assert _ask(broker, START_MS + 20) == (errors.NONE, 6, START_MS + 50)
    assert not broker.view.offline_directories
    logs = [name for name in broker.fs.listdir("/data/t-0") if name.endswith(".log")]
    assert logs == [f"{6:020d}.log"]


def test_a_log_that_is_cut_meanwhile_sends_the_client_to_look_for_the_leader(opened: _Opened) -> None:
    broker = _broker(build_batch(_records(3, 100_000)), build_batch(_records(3, 100_000)))
    partition = broker.broker.partitions.get("t", 0)
    assert partition is not None
    log = partition.log
    opened.on_open = lambda: log.truncate_to(3)
    assert _ask(broker, START_MS + 1)[0] == errors.NOT_LEADER_OR_FOLLOWER


def test_a_file_that_is_removed_meanwhile_sends_the_client_to_ask_again(opened: _Opened) -> None:
    broker = _broker(build_batch(_records(3, 100_000)))
    opened.on_open = lambda: broker.fs.remove(f"/data/t-0/{0:020d}.log")
    assert _ask(broker, START_MS + 1)[0] == errors.NOT_LEADER_OR_FOLLOWER


def test_many_partitions_are_answered_in_steps() -> None:
    count = 100
    broker = _broker(build_batch(_records(3)), partitions=count)
    answer = broker.begin(_request(START_MS, count), 7)
    turns = 0
    while not answer.is_there:
        broker.advance(0)
        turns += 1
    assert turns >= 3
    found = answer.message.topics[0].partitions
    assert [part.partition_index for part in found] == list(range(count))
    assert [part.offset for part in found] == [0] + [-1] * (count - 1)


def test_who_goes_away_has_nothing_looked_up_for_it(opened: _Opened) -> None:
    broker = _broker(build_batch(_records(3, 100_000)), partitions=100)
    answer = broker.begin(_request(START_MS, 100), 7)
    broker.broker.disconnected(broker.connection, broker.now)
    for _ in range(10):
        broker.advance(0)
    assert not answer.is_there
    assert broker.view.waiting_count == 0


def test_who_waits_too_long_hears_what_was_found() -> None:
    broker = _broker(build_batch(_records(3)), partitions=100)
    broker.broker.timers.run = lambda _now: None  # type: ignore[method-assign]
    answer = broker.begin(_request(START_MS, 100), 7)
    del broker.broker.timers.run  # type: ignore[method-assign]
    assert not answer.is_there
    (pending,) = broker.connection.waiting
    broker.broker.purgatory.expire(pending, broker.now)
    found = answer.message.topics[0].partitions
    assert found[0].error_code == errors.NONE
    assert found[-1].error_code == errors.REQUEST_TIMED_OUT
