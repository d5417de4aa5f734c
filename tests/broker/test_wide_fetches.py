"""Fetches of thousands of partitions read some of them in each turn: what is read is counted, not timed."""

from collections.abc import Iterator
from typing import Any

import pytest

from kafkacompat.broker import consumer_fetch
from kafkacompat.broker.handlers.produce import PARTITIONS_AT_ONCE_MAX as WRITTEN_AT_ONCE
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import fetch, produce
from kafkacompat.protocol.records.builder import Record, build_batch
from tests.broker.harness import Answer, BrokerHarness

MANY = 450
ALL = range(MANY)
AT_ONCE = 100
"""Partitions that are read in a turn, here."""
LONG_MS = 60_000
RECORD_BYTES = 100


@pytest.fixture
def kafka() -> Iterator[BrokerHarness]:
    """A broker with one topic of many partitions."""
    harness = BrokerHarness()
    harness.create_topic("wide", MANY)
    yield harness
    harness.close()


@pytest.fixture(autouse=True)
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The partitions that consumers have read."""
    found, serve = [], consumer_fetch.serve_consumer

    def counted(partition, *args, **kwargs):
        found.append(partition.index)
        return serve(partition, *args, **kwargs)

    monkeypatch.setattr(consumer_fetch, "serve_consumer", counted)
    monkeypatch.setattr(consumer_fetch, "PARTITIONS_AT_ONCE_MAX", AT_ONCE)
    return found


def turn(kafka: BrokerHarness) -> None:
    kafka.broker.timers.run(kafka.now)
    kafka.settle()


def finish(kafka: BrokerHarness, answer: Answer, read: list[int]) -> list[int]:
    """Run turns until it is answered; how many partitions each has read."""
    counts = []
    while not answer.is_there:
        assert len(counts) < 1_000
        read.clear()
        turn(kafka)
        counts.append(len(read))
    return counts


def write(kafka: BrokerHarness, indexes: range | list[int]) -> None:
    """A record to each of these partitions, by another client."""
    batch = bytes(build_batch([Record(0, 1_700_000_000_000, None, bytes(RECORD_BYTES))], base_offset=0))
    indexes = list(indexes)
    for begin in range(0, len(indexes), WRITTEN_AT_ONCE):
        data = [produce.PartitionProduceData(index, batch) for index in indexes[begin : begin + WRITTEN_AT_ONCE]]
        topics = [produce.TopicProduceData(name="wide", partition_data=data)]
        answer = kafka.ask(produce.ProduceRequest(acks=1, timeout_ms=LONG_MS, topic_data=topics), 9, kafka.connect())
        assert not any(each.error_code for each in answer.responses[0].partition_responses)


def fetched(
    indexes: range, *, max_wait_ms: int = 0, session: tuple[int, int] = (0, -1), min_bytes: int = 1, offset: int = 0
) -> fetch.FetchRequest:
    wanted = [fetch.FetchPartition(index, -1, offset, -1, -1, 1_000) for index in indexes]
    return fetch.FetchRequest(
        max_wait_ms=max_wait_ms, min_bytes=min_bytes, max_bytes=1 << 20, session_id=session[0],
        session_epoch=session[1], topics=[fetch.FetchTopic("wide", partitions=wanted)] if wanted else [],
    )  # fmt: skip


def partitions_of(answer: Answer) -> list[Any]:
    assert answer.message.error_code == errors.NONE
    return [each for topic in answer.message.responses for each in topic.partitions]


def with_records(answer: Answer) -> list[int]:
    return [each.partition_index for each in partitions_of(answer) if each.records]


def session_of(kafka: BrokerHarness, read: list[int]) -> int:
    """A session of all partitions, which has been told of all."""
    answer = kafka.begin(fetched(ALL, session=(0, 0)), 12)
    finish(kafka, answer, read)
    return answer.message.session_id


@pytest.mark.parametrize("session_epoch", [-1, 0])
def test_a_wide_fetch_is_decoded_read_and_answered_in_turns(kafka, read, session_epoch):
    write(kafka, range(1))
    few = kafka.begin(fetched(range(AT_ONCE)), 12)
    assert few.is_there
    read.clear()
    answer = kafka.begin(fetched(ALL, session=(0, session_epoch)), 12)
    assert not read
    assert finish(kafka, answer, read) == [100, 100, 100, 100, 50, 0]
    assert [each.partition_index for each in partitions_of(answer)] == list(ALL)
    assert with_records(answer) == [0]


def test_a_wide_fetch_that_begins_to_wait_tells_its_connection(kafka, read):
    told: list[str] = []
    kafka.connection.resumed = lambda: told.append("resumed")
    answer = kafka.begin(fetched(ALL, max_wait_ms=LONG_MS), 12)
    assert not told
    for _ in range(6):
        turn(kafka)
    assert told == ["resumed"]
    assert not answer.is_there
    assert not kafka.broker.complete_early(b"\0\3" + bytes(10), kafka.connection, kafka.now)  # it is answered early
    assert answer.is_there
    assert len(partitions_of(answer)) == MANY


@pytest.mark.parametrize("session_epoch", [-1, 0])
@pytest.mark.parametrize("turns", range(8))
@pytest.mark.parametrize("index", [0, MANY - 1])
def test_a_wide_fetch_that_waits_is_told_of_records_that_come(kafka, read, session_epoch, turns, index):
    answer = kafka.begin(fetched(ALL, max_wait_ms=LONG_MS, session=(0, session_epoch)), 12)
    for _ in range(turns):
        turn(kafka)
    write(kafka, [index])
    finish(kafka, answer, read)
    assert with_records(answer) == [index]


@pytest.mark.parametrize("turns", range(8))
@pytest.mark.parametrize("index", [0, MANY - 1])
def test_what_comes_while_a_session_is_read_is_in_this_answer_or_the_next_one(kafka, read, turns, index):
    session_id = session_of(kafka, read)
    write(kafka, range(1, MANY - 1))
    answer = kafka.begin(fetched(range(0), session=(session_id, 1)), 12)
    for _ in range(turns):
        turn(kafka)
    write(kafka, [index])
    written, seen = {*range(1, MANY - 1), index}, set()
    for epoch in range(2, 20):
        finish(kafka, answer, read)
        now = with_records(answer)
        assert now
        seen |= set(now)
        if seen == written:
            return
        answer = kafka.begin(_next(session_id, epoch, now, max_wait_ms=LONG_MS), 12)
    raise AssertionError(f"{sorted(written - seen)} are never read")


def _next(session_id: int, epoch: int, read: list[int], *, max_wait_ms: int) -> fetch.FetchRequest:
    """The next fetch of a client that has got a record of each of these partitions."""
    wanted = [fetch.FetchPartition(index, -1, 1, -1, -1, 1_000) for index in read]
    return fetch.FetchRequest(
        max_wait_ms=max_wait_ms, min_bytes=1, max_bytes=1 << 20, session_id=session_id, session_epoch=epoch,
        topics=[fetch.FetchTopic("wide", partitions=wanted)],
    )  # fmt: skip


def test_a_session_of_which_many_have_records_is_read_until_there_is_enough(kafka, read):
    session_id = session_of(kafka, read)
    write(kafka, ALL)
    answer = kafka.begin(fetched(range(0), session=(session_id, 1)), 12)
    assert finish(kafka, answer, read) == [100, 0]
    assert with_records(answer) == list(range(100))
    answer = kafka.begin(_next(session_id, 2, list(range(100)), max_wait_ms=0), 12)
    finish(kafka, answer, read)
    assert with_records(answer) == list(range(100, 200))  # the others come first


def test_partitions_with_errors_keep_no_others_from_their_turn(kafka, read):
    session_id = session_of(kafka, read)
    write(kafka, [MANY - 1])
    wrong = [fetch.FetchPartition(index, 1_000, 0, -1, -1, 1_000) for index in range(2 * AT_ONCE)]
    request = fetched(range(0), session=(session_id, 1))
    request.topics = [fetch.FetchTopic("wide", partitions=wrong)]
    answer = kafka.begin(request, 12)
    finish(kafka, answer, read)
    assert with_records(answer) == [MANY - 1]
    assert sum(each.error_code == errors.UNKNOWN_LEADER_EPOCH for each in partitions_of(answer)) == 2 * AT_ONCE


def test_of_a_fetch_that_waits_for_many_bytes_each_record_is_looked_at_once(kafka, read):
    session_id = session_of(kafka, read)
    enough = 300 * RECORD_BYTES
    answer = kafka.begin(fetched(range(0), session=(session_id, 1), max_wait_ms=LONG_MS, min_bytes=enough), 12)
    looked_at = []
    for index in ALL:
        read.clear()
        write(kafka, [index])
        looked_at.append(len(read))
        if len(kafka.broker.long_answers):
            break
    assert max(looked_at[AT_ONCE + 1 :]) == 1
    finish(kafka, answer, read)
    assert sum(len(each.records) for each in partitions_of(answer)) >= enough


def test_a_fetch_that_waits_for_many_bytes_is_answered_at_its_deadline(kafka, read):
    session_id = session_of(kafka, read)
    answer = kafka.begin(fetched(range(0), session=(session_id, 1), max_wait_ms=LONG_MS, min_bytes=1 << 20), 12)
    write(kafka, ALL)
    assert not answer.is_there
    kafka.advance(LONG_MS)
    counts = finish(kafka, answer, read)
    assert max(counts) == AT_ONCE
    assert with_records(answer) == list(ALL)


def test_what_was_read_for_a_client_that_goes_is_released(kafka, read):
    write(kafka, range(1))
    (partition,) = (each for each in kafka.broker.partitions if each.watch_key == ("wide", 0))
    answer = kafka.begin(fetched(ALL, session=(0, 0)), 12)
    turn(kafka)
    assert len(read) == AT_ONCE
    assert partition.traffic.bytes_out > 0
    kafka.broker.disconnected(kafka.connection, kafka.now)
    assert partition.traffic.bytes_out == 0
    turn(kafka)
    assert not answer.is_there
    (session,) = kafka.broker.fetch_sessions
    assert not session.waiting


def test_a_session_that_goes_on_on_another_connection_ends_a_fetch_that_is_read(kafka, read):
    session_id = session_of(kafka, read)
    write(kafka, ALL)
    answer = kafka.begin(fetched(range(0), session=(session_id, 1)), 12)
    turn(kafka)
    other = kafka.begin(fetched(range(0), session=(session_id, 2)), 12, kafka.connect())
    while not (answer.is_there and other.is_there):
        turn(kafka)
    assert answer.message.error_code == errors.INVALID_FETCH_SESSION_EPOCH
    assert with_records(other)
