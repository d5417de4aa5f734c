"""How tasks of a replay keep their progress, on a broker here."""

from __future__ import annotations

import pytest

from kafkacompat import Cluster
from kafkacompat.client.client import Client
from kafkacompat.client.group_admin import Committed, commit_offsets
from kafkacompat.client.producing import BUFFER_BYTES
from kafkacompat.client.transactional_producer import TransactionalProducer
from kafkacompat.spark.restore import replay_writers
from kafkacompat.spark.restore.packed_batches import LogRecord
from kafkacompat.spark.restore.replay_matching import content_of
from kafkacompat.spark.restore.replay_spec import Replay, ReplayedLog, ReplayError
from kafkacompat.spark.restore.replay_writers import (
    Kept,
    KeptProgress,
    PlainWriter,
    TransactionalWriter,
    kept_of,
    outgoing,
    progress_of,
    settled_progress_of,
)

LOG = ReplayedLog("source", 0, 30, "orders", 0)
REPLAY = Replay("abc", "", (LOG,), is_transactional=True)


def record(n: int) -> LogRecord:
    """The n-th of the source, which has a gap behind each."""
    return LogRecord(10 + 2 * n, 5 + n, 0, None, b"%d" % n, (("h", None),))


def writer_of(client: Client) -> TransactionalWriter:
    return TransactionalWriter(client, REPLAY, "none")


def test_a_run_goes_on_behind_what_was_committed() -> None:
    with Cluster(topics=["orders"]) as kafka, Client(kafka.bootstrap_servers) as client:
        commit_offsets(client, REPLAY.group_id, {("orders", 0): 0})
        writer = writer_of(client)
        progress = writer.open(0)
        for n in (0, 1):
            assert progress.take(record(n))
            writer.send(0, record(n))
        assert progress.take(record(2))
        writer.flush()  # while the third record waits until it is due
        assert writer.buffered_bytes == 0
        assert settled_progress_of(client, REPLAY, REPLAY.logs) == [Kept(13, 2, 1)]
        writer.send(0, record(2))  # and here the task is killed
        second = writer_of(client)
        progress = second.open(0)
        assert [n for n in range(4) if progress.take(record(n))] == [2, 3]
        for n in (2, 3):
            second.send(0, record(n))
        second.flush()
        second.flush()  # nothing more
        progress.finish()
        assert (progress.found, progress.sent) == (2, 2)
        assert settled_progress_of(client, REPLAY, REPLAY.logs) == [Kept(17, 4, 4)], "a marker is at 2"
        there = {each.offset: each.value for each in kafka.records("orders")}
        assert [there[offset] for offset in (0, 1, 3, 4)] == [b"0", b"1", b"2", b"3"]


def test_a_full_buffer_is_a_transaction() -> None:
    with Cluster(topics=["orders"]) as kafka, Client(kafka.bootstrap_servers) as client:
        commit_offsets(client, REPLAY.group_id, {("orders", 0): 0})
        writer = writer_of(client)
        progress = writer.open(0)
        large = record(0)._replace(value=bytes(BUFFER_BYTES // 16))
        for n in range(16):
            assert progress.take(large._replace(offset=n))
            writer.send(0, large._replace(offset=n))
        assert settled_progress_of(client, REPLAY, REPLAY.logs) == [Kept(16, 16, 15)]


def test_a_plain_writer_counts() -> None:
    with Cluster(topics=["orders"]) as kafka, Client(kafka.bootstrap_servers) as client:
        for expected in (0, 1):
            writer = PlainWriter(client, REPLAY, "none")
            progress = writer.open(0)
            assert progress.found == expected
            writer.send(0, record(expected))
            assert writer.buffered_bytes > 0
            writer.flush()
        assert [each.value for each in kafka.records("orders")] == [b"0", b"1"]


def test_what_cannot_be_matched_is_an_error() -> None:
    kept = Kept(13, 2, 7)
    with pytest.raises(ReplayError, match="the record at offset 7, the last one that was replayed, is not there"):
        KeptProgress(LOG, kept, None)
    progress = KeptProgress(LOG, kept, content_of(record(3)))
    assert not progress.take(record(0))
    with pytest.raises(ReplayError, match="the record at offset 7 is not that of source-0, offset 12"):
        progress.take(record(1))
    progress = KeptProgress(LOG, kept, content_of(record(1)))
    assert not progress.take(record(1))
    with pytest.raises(ReplayError, match="has 2 records of the runs before, and the archive has 1 up to there"):
        progress.finish()


def test_progress_that_is_lost_or_of_others_is_an_error() -> None:
    assert kept_of(REPLAY, LOG, {("orders", 0): Committed(0, -1, "")}) == Kept(0)
    assert kept_of(REPLAY, LOG, {("orders", 0): Committed(13, -1, Kept(13, 2, 7).to_metadata())}) == Kept(13, 2, 7)
    with pytest.raises(ReplayError, match="orders-0 at the target has no progress in group kafkacompat-replay-abc"):
        kept_of(REPLAY, LOG, {})
    for metadata in ("{", "[]", '{"x": 1}'):
        with pytest.raises(ReplayError, match="is no progress of ours"):
            kept_of(REPLAY, LOG, {("orders", 0): Committed(3, -1, metadata)})
    with Cluster() as kafka, Client(kafka.bootstrap_servers) as client, pytest.raises(ReplayError, match="no progress"):
        progress_of(client, REPLAY)


def test_a_transaction_that_a_killed_task_left_open_is_no_lost_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    logs = (LOG, ReplayedLog("source", 1, 30, "orders", 1))
    replay = Replay("abc", "", logs, is_transactional=True)
    with Cluster(topics={"orders": 2}) as kafka, Client(kafka.bootstrap_servers) as client:
        commit_offsets(client, replay.group_id, {("orders", 0): 0, ("orders", 1): 0})
        killed = TransactionalProducer(client, f"{replay.group_id}-1")
        killed.start()
        killed._add_offsets(replay.group_id)
        killed._commit_offsets(replay.group_id, {("orders", 1): (17, Kept(17, 4, 4).to_metadata())})
        assert progress_of(client, replay) == [Kept(0), Kept(0)]
        with monkeypatch.context() as patch:
            patch.setattr(replay_writers, "pauses_s", lambda _deadline_s: [None])
            with pytest.raises(ReplayError, match="orders-1 at the target has an open transaction"):
                settled_progress_of(client, replay, logs)
        writer = TransactionalWriter(client, replay, "none")
        assert writer.open(0).found == 0
        assert writer.open(1).found == 0  # this ends it
        assert settled_progress_of(client, replay, logs) == [Kept(0), Kept(0)]


def test_a_record_is_sent_as_it_is() -> None:
    sent = outgoing(LOG, record(1))
    assert (sent.key, sent.value, sent.headers, sent.timestamp, sent.partition) == (None, b"1", (("h", None),), 6, 0)
