"""Requests of thousands of partitions are answered in several turns: work is counted, not timed."""

from collections.abc import Iterator

import pytest

from kafkacompat.broker import long_answers
from kafkacompat.broker.handlers import list_offsets as list_offsets_handler
from kafkacompat.broker.handlers.delete_records import UNITS_PER_DELETION
from kafkacompat.broker.handlers.produce import PARTITIONS_AT_ONCE_MAX
from kafkacompat.broker.pipeline import APART_FRAME_BYTES
from kafkacompat.broker.replicas.replica_manager import ReplicaManager
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import alter_partition_reassignments as alter
from kafkacompat.protocol.messages import alter_replica_log_dirs as alter_log_dirs
from kafkacompat.protocol.messages import delete_records, find_coordinator, list_offsets, metadata, produce
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.steps import UNITS_PER_ITERATION
from tests.broker.harness import Answer, BrokerHarness

MANY = 9 * PARTITIONS_AT_ONCE_MAX - 20
ALL = range(MANY)
NAMED = range(UNITS_PER_ITERATION + 200)
"""Named in a request, whether they exist or not."""
FEW = range(PARTITIONS_AT_ONCE_MAX)
MAX_UNITS = UNITS_PER_ITERATION + 100
ACKS_NONE, ACKS_LEADER = 0, 1


@pytest.fixture
def kafka() -> Iterator[BrokerHarness]:
    """A broker with one topic of many partitions, and another topic."""
    harness = BrokerHarness()
    for name, count in (("wide", MANY), ("other", 1)):
        answer = harness.begin(_created(name, count), 7)
        _finish(harness, answer)
        assert answer.message.topics[0].error_code == errors.NONE
    yield harness
    harness.close()


def _created(name: str, count: int) -> object:
    from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest

    return CreateTopicsRequest(topics=[CreatableTopic(name, count, 1)], timeout_ms=60_000)


@pytest.fixture
def appended(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The partitions of a topic that were appended to, in order."""
    found, append = [], ReplicaManager.append

    def counted(self, partition, *args, **kwargs):
        if partition.topic == "wide":
            found.append(partition.index)
        return append(self, partition, *args, **kwargs)

    monkeypatch.setattr(ReplicaManager, "append", counted)
    return found


def _turn(kafka: BrokerHarness) -> None:
    kafka.broker.timers.run(kafka.now)
    kafka.settle()


def _finish(kafka: BrokerHarness, answer: Answer) -> int:
    """Run turns until it is answered; returns how many."""
    for count in range(1_000):
        if answer.is_there:
            return count
        _turn(kafka)
    raise AssertionError("no answer")


def _produced(topic: str, indexes: range, *, acks: int = ACKS_LEADER, records: bytes | None = None) -> object:
    batch = records or bytes(build_batch([Record(0, 1_700_000_000_000, None, bytes(100))], base_offset=0))
    data = [produce.PartitionProduceData(index, batch) for index in indexes]
    topics = [produce.TopicProduceData(name=topic, partition_data=data)]
    return produce.ProduceRequest(acks=acks, timeout_ms=60_000, topic_data=topics)


def _offsets(answer: Answer) -> list[tuple[int, int, int]]:
    (topic,) = answer.message.responses
    return [(each.index, each.error_code, each.base_offset) for each in topic.partition_responses]


def test_a_wide_produce_appends_to_some_partitions_in_each_turn(kafka, appended):
    answer = kafka.begin(_produced("wide", ALL), 9)
    assert not appended  # in this turn it was decoded
    per_turn = []
    while not answer.is_there:
        before = len(appended)
        _turn(kafka)
        per_turn.append(len(appended) - before)
    assert max(per_turn) == PARTITIONS_AT_ONCE_MAX
    assert per_turn[-1] == 0  # its answer is encoded in a turn of its own
    assert appended == list(ALL)
    assert _offsets(answer) == [(index, errors.NONE, 0) for index in ALL]


def test_few_partitions_are_appended_to_at_once(kafka, appended):
    answer = kafka.begin(_produced("wide", FEW), 9)
    assert answer.is_there
    assert appended == list(FEW)


def test_others_are_served_while_a_wide_produce_is_appended(kafka):
    answer = kafka.begin(_produced("wide", ALL), 9)
    _turn(kafka)
    _turn(kafka)
    last = range(MANY - 1, MANY)
    between = kafka.begin(_produced("wide", last), 9, kafka.connect())
    assert _offsets(between) == [(MANY - 1, errors.NONE, 0)]
    assert not answer.is_there
    _finish(kafka, answer)
    assert _offsets(answer)[-1] == (MANY - 1, errors.NONE, 1)


def test_no_request_of_the_connection_overtakes_a_wide_produce(kafka):
    answer = kafka.begin(_produced("wide", ALL), 9)
    frame = b"\0\0" + bytes(10)
    kafka.connection.waiting.append(_written())
    while not answer.is_there:
        assert not kafka.broker.complete_early(frame, kafka.connection, kafka.now)
        _turn(kafka)
    assert kafka.broker.complete_early(frame, kafka.connection, kafka.now)
    kafka.connection.waiting.clear()


def _written() -> object:
    from kafkacompat.broker.purgatory import Pending

    return Pending([], 0, lambda _now, _expired: None, is_written=True)


@pytest.mark.parametrize("acks", [ACKS_NONE, ACKS_LEADER])
def test_a_wide_produce_is_appended_though_its_client_goes(kafka, appended, acks):
    answer = kafka.begin(_produced("wide", ALL, acks=acks), 9)
    _turn(kafka)
    kafka.broker.disconnected(kafka.connection, kafka.now)
    for _ in range(2 * MANY // PARTITIONS_AT_ONCE_MAX):
        _turn(kafka)
    assert appended == list(ALL)
    assert not answer.is_there
    assert not len(kafka.broker.long_answers)


def test_work_of_clients_that_have_gone_is_limited(kafka, appended, monkeypatch, caplog):
    request = _produced("wide", ALL)
    connections = [kafka.connect() for _ in range(2)]
    for connection in connections:
        kafka.begin(request, 9, connection)
    (_, second) = kafka.broker.long_answers._waiting
    monkeypatch.setattr(long_answers, "LEFT_BYTES_MAX", int(1.5 * second.written_bytes))
    for connection in connections:
        kafka.broker.disconnected(connection, kafka.now)
    assert len(kafka.broker.long_answers) == 1
    assert "is not written to its end: its client has gone" in caplog.text
    while len(kafka.broker.long_answers):
        _turn(kafka)
    assert appended == list(ALL)


def test_records_that_a_client_deletes_before_it_goes_are_deleted(kafka):
    asked = [delete_records.DeleteRecordsPartition(index, 0) for index in NAMED]
    kafka.begin(delete_records.DeleteRecordsRequest([delete_records.DeleteRecordsTopic("wide", asked)], 60_000), 2)
    assert len(kafka.broker.long_answers) == 1
    kafka.broker.disconnected(kafka.connection, kafka.now)
    assert kafka.broker.long_answers.is_writing
    while len(kafka.broker.long_answers):
        _turn(kafka)


def test_a_wide_produce_without_answer_closes_the_connection_if_it_fails(kafka):
    said: list[str] = []
    kafka.connection.drop = said.append
    answer = kafka.begin(_produced("wide", range(MANY + 1), acks=ACKS_NONE), 9)
    for _ in range(2 * MANY // PARTITIONS_AT_ONCE_MAX):
        _turn(kafka)
    assert not answer.is_there
    assert said == [f"produce with acks=0 to 'wide'-{MANY} failed with UNKNOWN_TOPIC_OR_PARTITION"]


def test_records_get_the_time_of_the_turn_that_appends_them(kafka):
    kafka.create_topic("stamped", 2 * PARTITIONS_AT_ONCE_MAX, message_timestamp_type="LogAppendTime")
    answer = kafka.begin(_produced("stamped", range(2 * PARTITIONS_AT_ONCE_MAX)), 9)
    while not answer.is_there:
        kafka.advance(10)
    (topic,) = answer.message.responses
    times_ms = [each.log_append_time_ms for each in topic.partition_responses]
    assert times_ms == sorted(times_ms)
    assert len(set(times_ms)) == 2


WIDE_REQUESTS = {
    "reassignments": (
        alter.AlterPartitionReassignmentsRequest(
            timeout_ms=60_000,
            topics=[alter.ReassignableTopic("wide", [alter.ReassignablePartition(index, [1]) for index in NAMED])],
        ), 0,
    ),
    "delete records": (
        delete_records.DeleteRecordsRequest(
            [delete_records.DeleteRecordsTopic("wide", [delete_records.DeleteRecordsPartition(n, 0) for n in NAMED])],
            60_000,
        ), 2,
    ),
    "moves between log directories": (
        alter_log_dirs.AlterReplicaLogDirsRequest(
            [
                alter_log_dirs.AlterReplicaLogDir(
                    "/nowhere", [alter_log_dirs.AlterReplicaLogDirTopic("wide", list(NAMED))]
                )
            ],
        ), 2,
    ),
    "find coordinators": (
        find_coordinator.FindCoordinatorRequest(
            key_type=0, coordinator_keys=[f"group-{n}" for n in NAMED]
        ), 4,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WIDE_REQUESTS)
def test_a_wide_request_takes_many_turns(kafka, steps, name):
    kafka.create_topic("__consumer_offsets", 1)
    request, version = WIDE_REQUESTS[name]
    answer = kafka.begin(request, version)
    assert not answer.is_there
    other = kafka.begin(metadata.MetadataRequest(topics=[]), 12, kafka.connect())
    assert other.is_there
    assert _finish(kafka, answer) >= 1
    assert max(steps) <= MAX_UNITS
    assert sum(steps) >= len(NAMED)


def test_a_large_request_is_decoded_worked_on_and_answered_in_turns_of_their_own(kafka, steps):
    keys = [str(n) + "k" * 600 for n in range(110)]
    assert sum(map(len, keys)) > APART_FRAME_BYTES
    kafka.create_topic("__consumer_offsets", 1)
    answer = kafka.begin(find_coordinator.FindCoordinatorRequest(key_type=0, coordinator_keys=keys), 4)
    assert _finish(kafka, answer) == 2


def test_wide_produces_of_two_connections_are_appended_by_turns(kafka, appended):
    answers = [kafka.begin(_produced("wide", ALL), 9, kafka.connect()) for _ in range(2)]
    for answer in answers:
        _finish(kafka, answer)
    assert sorted(_offsets(answers[0]) + _offsets(answers[1])) == sorted(
        (index, errors.NONE, offset) for index in ALL for offset in (0, 1)
    )
    at_once = [ALL[place : place + PARTITIONS_AT_ONCE_MAX] for place in range(0, MANY, PARTITIONS_AT_ONCE_MAX)]
    assert appended == [index for indexes in at_once for _ in answers for index in indexes]


@pytest.mark.parametrize(("offset", "partitions_at_once"), [(-1, UNITS_PER_ITERATION // UNITS_PER_DELETION), (0, MANY)])
def test_partitions_whose_records_stay_cost_a_deletion_of_records_little(
    kafka, monkeypatch, offset, partitions_at_once
):
    deleted, delete = [], ReplicaManager.delete_records_before

    def counted(self, partition, *args):
        deleted.append(partition.index)
        delete(self, partition, *args)

    monkeypatch.setattr(ReplicaManager, "delete_records_before", counted)
    _finish(kafka, kafka.begin(_produced("wide", ALL), 9))
    entries = [delete_records.DeleteRecordsPartition(index, offset) for index in ALL]
    request = delete_records.DeleteRecordsRequest([delete_records.DeleteRecordsTopic("wide", entries)], 60_000)
    answer = kafka.begin(request, 2)
    per_turn = [len(deleted)]
    while not answer.is_there:
        before = len(deleted)
        _turn(kafka)
        per_turn.append(len(deleted) - before)
    assert deleted == list(ALL)
    assert max(per_turn) in {partitions_at_once, partitions_at_once + 1}


class Looked:
    """The partitions that ListOffsets looked up in each turn."""

    def __init__(self) -> None:
        self.per_turn = [0]

    def turn(self, kafka: BrokerHarness) -> None:
        self.per_turn.append(0)
        _turn(kafka)


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> Looked:
    found, answer = Looked(), list_offsets_handler._answer

    def counted(*args):
        found.per_turn[-1] += 1
        return answer(*args)

    monkeypatch.setattr(list_offsets_handler, "_answer", counted)
    return found


def _offsets_of(topic: str, timestamps: "list[int]") -> object:
    wanted = [list_offsets.ListOffsetsPartition(index, -1, timestamp) for index, timestamp in enumerate(timestamps)]
    return list_offsets.ListOffsetsRequest(-1, 0, [list_offsets.ListOffsetsTopic(topic, wanted)])


def test_list_offsets_of_many_partitions_is_decoded_looked_up_and_answered_in_turns(kafka, looked):
    count = APART_FRAME_BYTES // 17 + 1  # the size of a partition in v7
    answer = kafka.begin(_offsets_of("wide", [-1] * count), 7)
    assert looked.per_turn == [0]  # in this turn it was decoded
    while not answer.is_there:
        looked.turn(kafka)
    assert max(looked.per_turn) == list_offsets_handler.NAMED_PER_ITERATION
    assert sum(looked.per_turn) == count
    assert looked.per_turn[-1] == 0  # its answer is encoded in a turn of its own
    found = answer.message.topics[0].partitions
    assert [each.partition_index for each in found] == list(range(count))
    assert {each.error_code for each in found[:MANY]} == {errors.NONE}
    assert {each.error_code for each in found[MANY:]} == {errors.UNKNOWN_TOPIC_OR_PARTITION}


def test_list_offsets_of_many_partitions_waits_for_batches_that_are_opened_beside_the_loop(kafka, looked):
    records = bytes(build_batch([Record(n, 1_700_000_000_000 + n, None, bytes(200_000)) for n in range(3)]))
    _finish(kafka, kafka.begin(_produced("wide", range(1), records=records), 9))
    count = len(NAMED)
    answer = kafka.begin(_offsets_of("wide", [1_700_000_000_001] + [-1] * (count - 1)), 7)
    while not answer.is_there:
        looked.turn(kafka)
    assert looked.per_turn[-1] == 0  # its answer is built and encoded in a turn of its own
    found = answer.message.topics[0].partitions
    assert [each.partition_index for each in found] == list(range(count))
    assert found[0].offset == 1
    assert {each.error_code for each in found[:MANY]} == {errors.NONE}


def test_nothing_more_is_looked_up_for_who_goes_away(kafka, looked):
    kafka.begin(_offsets_of("wide", [-1] * (3 * UNITS_PER_ITERATION)), 7)
    kafka.broker.disconnected(kafka.connection, kafka.now)
    for _ in range(10):
        looked.turn(kafka)
    assert sum(looked.per_turn) == list_offsets_handler.NAMED_PER_ITERATION


def test_list_offsets_of_many_partitions_waits_no_longer_than_a_request_may_from_its_arrival_on(kafka, monkeypatch):
    records = bytes(build_batch([Record(n, 1_700_000_000_000 + n, None, bytes(200_000)) for n in range(3)]))
    _finish(kafka, kafka.begin(_produced("wide", range(1), records=records), 9))
    opened = []
    monkeypatch.setattr(list_offsets_handler._Lookups, "_open", lambda *work: opened.append(work))
    request = _offsets_of("wide", [-1] * len(NAMED))
    entries = request.topics[0].partitions
    entries.append(entries.pop(0))  # it is looked up in the last turn
    entries[-1].timestamp = 1_700_000_000_001
    answer = kafka.begin(request, 7)
    for _ in range(3):
        kafka.advance(5_000)
    assert len(opened) == 1
    kafka.advance(kafka.broker.request_timeout_ms - 3 * 5_000 - 1)
    _turn(kafka)
    assert not answer.is_there
    kafka.advance(1)
    assert not answer.is_there  # it is built and encoded in a turn of its own
    _finish(kafka, answer)
    found = {each.partition_index: each.error_code for each in answer.message.topics[0].partitions}
    assert list(found)[-1] == 0
    assert found.pop(0) == errors.REQUEST_TIMED_OUT
    assert errors.REQUEST_TIMED_OUT not in found.values()
