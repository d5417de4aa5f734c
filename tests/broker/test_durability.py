"""What was acknowledged stays, and stays readable: after a kill, beside a deletion, when a disk fails."""

import pytest

from kafkacompat.errors import StartupError
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import delete_records, list_offsets
from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from kafkacompat.storage.background import METADATA_SYNC
from kafkacompat.storage.memfs import MemFs
from tests.broker.handlers.test_produce_fetch import (
    ALL,
    LEADER,
    batch,
    fetch_request,
    only,
    produce_request,
    values,
)
from tests.broker.harness import BrokerHarness

METADATA_LOG = "/data/__cluster_metadata-0/00000000000000000000.log"


def restart(harness: BrokerHarness, **config: str) -> BrokerHarness:
    """The broker after a kill -9."""
    harness.fs.restart()
    return BrokerHarness(harness.fs, **config)


def produce_unsettled(harness: BrokerHarness, records: bytearray, acks: int = ALL):
    """Produce, and leave the syncs that it asks for waiting."""
    harness.settle = lambda: None  # type: ignore[method-assign]
    try:
        return harness.begin(produce_request((0, records), acks=acks), 9)
    finally:
        del harness.settle


def delete_topic(harness: BrokerHarness, name: str = "t") -> None:
    answer = harness.ask(DeleteTopicsRequest(topics=[DeleteTopicState(name)], timeout_ms=1000), 6)
    assert answer.responses[0].error_code == errors.NONE


def test_after_a_kill_a_topic_that_syncs_each_message_can_be_read():
    harness = BrokerHarness(log_flush_interval_messages="1")
    harness.create_topic("t")
    assert only(harness.ask(produce_request((0, batch(b"a", b"b"))), 9)).error_code == errors.NONE
    again = restart(harness, log_flush_interval_messages="1")
    again.settle()
    assert values(again.ask(fetch_request((0, 0)), 11)) == [b"a", b"b"]
    latest = list_offsets.ListOffsetsPartition(0, timestamp=-1)
    asked = list_offsets.ListOffsetsRequest(topics=[list_offsets.ListOffsetsTopic("t", [latest])])
    answer = again.ask(asked, 7).topics[0].partitions[0]
    assert (answer.error_code, answer.offset) == (errors.NONE, 2)


def test_a_topic_made_anew_does_not_start_where_its_predecessor_did():
    harness = BrokerHarness()
    harness.create_topic("t")
    harness.ask(produce_request((0, batch(b"a", b"b", b"c"))), 9)
    partition = delete_records.DeleteRecordsPartition(0, 3)
    topic = delete_records.DeleteRecordsTopic("t", [partition])
    harness.ask(delete_records.DeleteRecordsRequest(topics=[topic]), 2)
    harness.advance(60_000)  # the checkpoints know of it
    delete_topic(harness)
    harness.create_topic("t")
    assert only(harness.ask(produce_request((0, batch(b"new"))), 9)).error_code == errors.NONE
    again = restart(harness)
    assert values(again.ask(fetch_request((0, 0)), 11)) == [b"new"]


def test_a_topic_made_anew_at_once_waits_for_the_checkpoints_and_the_loop_does_not():
    harness = BrokerHarness()
    harness.create_topic("t")
    harness.ask(produce_request((0, batch(b"a", b"b", b"c"))), 9)
    harness.advance(60_000)  # the checkpoints know of it
    delete_topic(harness)
    harness.broker.background.run_inline(harness.now)
    operations = harness.fs.record()
    harness.settle = lambda: harness.broker.background.run_inline(harness.now, (METADATA_SYNC,))  # type: ignore[method-assign]
    created = harness.begin(CreateTopicsRequest(topics=[CreatableTopic("t", 1, 1)], timeout_ms=1000), 7)
    del harness.settle
    assert not created.is_there
    assert {path for name, path, *_ in operations if name == "fsync"} == {METADATA_LOG}
    refused = harness.ask(produce_request((0, batch(b"early"))), 9)  # which lets the checkpoints be written
    assert only(refused).error_code == errors.NOT_LEADER_OR_FOLLOWER
    assert created.message.topics[0].error_code == errors.NONE
    assert "t 0" not in harness.fs.read_bytes("/data/replication-offset-checkpoint").decode()
    assert only(harness.ask(produce_request((0, batch(b"new"))), 9)).base_offset == 0


def test_a_topic_made_anew_that_is_deleted_while_it_waits_is_not_opened():
    harness = BrokerHarness()
    harness.create_topic("t")
    harness.advance(60_000)
    delete_topic(harness)
    harness.settle = lambda: harness.broker.background.run_inline(harness.now, (METADATA_SYNC,))  # type: ignore[method-assign]
    harness.begin(CreateTopicsRequest(topics=[CreatableTopic("t", 1, 1)], timeout_ms=1000), 7)
    harness.begin(DeleteTopicsRequest(topics=[DeleteTopicState("t")], timeout_ms=1000), 6)
    del harness.settle
    harness.settle()
    assert not harness.broker.partitions.is_behind
    assert harness.broker.partitions.get("t", 0) is None
    assert "t-0" not in harness.fs.listdir("/data")


def delete_before_the_sync(harness: BrokerHarness, acks: int = ALL):
    """A produce to `t` whose sync waits behind that of the topic's own deletion; the produce is answered or not."""
    harness.settle = lambda: None  # type: ignore[method-assign]
    deletion = harness.begin(DeleteTopicsRequest(topics=[DeleteTopicState("t")], timeout_ms=1000), 6)
    job = harness.broker.flusher.next_job()
    waiting = harness.begin(produce_request((0, batch(b"a")), acks=acks), 9, harness.connect())
    del harness.settle
    job.run()
    harness.broker.flusher.finish(job, None, harness.now)
    assert deletion.is_there
    return waiting


def test_a_sync_that_waits_for_a_deleted_topic_harms_nobody():
    harness = BrokerHarness(log_flush_interval_messages="1")
    harness.create_topic("t")
    harness.create_topic("other")
    delete_before_the_sync(harness)
    harness.settle()
    assert not harness.view.offline_directories
    assert only(harness.ask(produce_request((0, batch(b"a")), topic="other"), 9)).error_code == errors.NONE


def test_a_sync_that_runs_while_its_topic_is_deleted_harms_nobody():
    harness = BrokerHarness(log_flush_interval_messages="1")
    harness.create_topic("t")
    harness.create_topic("other")
    produce_unsettled(harness, batch(b"a"))
    job = harness.broker.flusher.next_job()
    assert job is not None
    delete_topic(harness)
    job.run()
    harness.broker.flusher.finish(job, None, harness.now)
    assert not harness.view.offline_directories
    assert only(harness.ask(produce_request((0, batch(b"a")), topic="other"), 9)).error_code == errors.NONE


@pytest.mark.parametrize("acks", [ALL, LEADER])
def test_every_nth_message_is_acknowledged_when_it_is_synced(acks):
    harness = BrokerHarness()
    harness.create_topic("t", flush_messages="2")
    first = produce_unsettled(harness, batch(b"a"), acks)
    assert first.is_there
    second = produce_unsettled(harness, batch(b"b"), acks)
    assert not second.is_there
    harness.settle()
    assert only(second.message).error_code == errors.NONE


def test_a_duplicate_is_no_more_durable_than_the_first():
    harness = BrokerHarness(log_flush_interval_messages="1")
    harness.create_topic("t")
    sent = {"producer_id": 7, "producer_epoch": 0, "base_sequence": 0}
    first = produce_unsettled(harness, batch(b"a", **sent), LEADER)
    repeated = produce_unsettled(harness, batch(b"a", **sent), LEADER)
    assert not first.is_there
    assert not repeated.is_there
    harness.settle()
    assert only(first.message).base_offset == only(repeated.message).base_offset == 0


@pytest.mark.parametrize("acks", [ALL, LEADER])
def test_a_failed_sync_is_told_at_once(acks):
    harness = BrokerHarness(log_flush_interval_messages="1")
    harness.create_topic("t")
    waiting = produce_unsettled(harness, batch(b"a"), acks)
    harness.fs.fail_next(lambda operation: operation[0] == "fsync" and "/t-0/" in operation[1])
    harness.settle()
    assert waiting.is_there
    assert only(waiting.message).error_code == errors.KAFKA_STORAGE_ERROR


@pytest.mark.parametrize("acks", [ALL, LEADER])
def test_who_waits_for_a_sync_is_told_that_the_topic_is_gone(acks):
    harness = BrokerHarness(log_flush_interval_messages="1")
    harness.create_topic("t")
    waiting = delete_before_the_sync(harness, acks)
    assert waiting.is_there
    assert only(waiting.message).error_code == errors.NOT_LEADER_OR_FOLLOWER


def test_a_start_that_fails_lets_go_of_the_directory():
    harness = BrokerHarness()
    harness.close()
    path = "/data/__cluster_metadata-0/quorum-state"
    good = harness.fs.read_bytes(path)
    harness.fs.write_atomic(path, b"nonsense", sync=True)
    with pytest.raises(StartupError):
        BrokerHarness(harness.fs)
    harness.fs.write_atomic(path, good, sync=True)
    BrokerHarness(harness.fs).close()


def test_a_stop_on_a_failing_disk_lets_go_of_the_directory():
    fs = MemFs()
    harness = BrokerHarness(fs)
    harness.create_topic("t")
    fs.fail_next(lambda operation: operation[0] == "fsync" and "__cluster_metadata" in operation[1])
    harness.close()
    again = BrokerHarness(fs)
    assert not again.broker.logs.metadata_directory.was_clean_shutdown


def test_a_disk_that_fails_while_a_leader_begins_its_epoch_is_told_to_clients():
    fs = MemFs()
    harness = BrokerHarness(fs)
    fs.fail_next(lambda operation: operation[0] == "rename" and "leader-epoch" in operation[1])
    harness.create_topic("t")
    answer = only(harness.ask(produce_request((0, batch(b"a"))), 9))
    assert answer.error_code == errors.KAFKA_STORAGE_ERROR


@pytest.mark.parametrize("nth", range(1, 8))
@pytest.mark.parametrize("call", ["write", "fsync"])
def test_a_broker_that_cannot_write_its_metadata_does_not_start(call, nth):
    fs = MemFs()
    BrokerHarness(fs).close()
    calls = []

    def matches(operation):
        if operation[0] == call and "/__cluster_metadata-0/" in operation[1]:
            calls.append(operation)
        return len(calls) == nth

    fs.fail_next(matches)
    if _starts(fs):
        assert len(calls) < nth
    else:
        assert len(calls) >= nth
        assert _starts(fs)


def _starts(fs: MemFs) -> bool:
    try:
        broker = BrokerHarness(fs)
    except (StartupError, OSError):
        return False
    assert broker.broker.image.brokers[1].fenced is False
    return True
