"""An image survives the records of a snapshot unchanged, our own and that of Apache Kafka's log."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkacompat.now import Now
from kafkacompat.protocol.internal import cluster_metadata as records
from kafkacompat.replication.metadata.delta import apply
from kafkacompat.replication.metadata.image import EMPTY_IMAGE, MetadataImage
from kafkacompat.replication.metadata.quorum import MetadataQuorum
from kafkacompat.replication.metadata.snapshot_records import snapshot_records
from kafkacompat.replication.metadata.snapshot_writer import timestamp_of
from kafkacompat.replication.raft.batches import encode_record
from kafkacompat.replication.raft.snapshots import BOOTSTRAP_ID, Snapshots
from kafkacompat.storage.background import METADATA_SYNC
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.memfs import MemFs
from tests.replication.decoding import decode_all
from tests.replication.quorum_world import LOG_DIR, NOW, dump, kill, names, open_quorum, start, stop, submit_topic
from tests.replication.quorum_world import config as broker_config

DIRECTORY = f"{LOG_DIR}/__cluster_metadata-0"


def read_back(image: MetadataImage) -> MetadataImage:
    """The image from a snapshot's records, encoded and decoded."""
    found = [records.decode_metadata_record(encode_record(record)) for record in snapshot_records(image)]
    return apply(EMPTY_IMAGE, found, image.offset, image.epoch)


def test_apache_kafkas_metadata_goes_through_a_snapshot_unchanged() -> None:
    image = EMPTY_IMAGE
    data = (Path(__file__).parent / "kafka-4.3.1-metadata.log").read_bytes()
    for batch in decode_all(data):
        if not batch.is_control:
            image = apply(image, batch.records, batch.last_offset, batch.epoch)
    assert len(image.brokers) >= 1
    assert len(image.topics) >= 1
    assert read_back(image) == image


def test_what_is_rare_goes_through_too() -> None:
    topic_id = b"t" * 16
    image = apply(
        EMPTY_IMAGE,
        [
            records.TopicRecord("t", topic_id),
            records.PartitionRecord(
                0, topic_id, [1, 2, 3], [1], [3], [2], -1, 1, 7, 9, [b"a" * 16, b"b" * 16, b"c" * 16], [2], [3]
            ),
            records.ConfigRecord(2, "t", "retention.ms", "1"),
            records.ConfigRecord(4, "", "min.insync.replicas", "2"),
            records.ProducerIdsRecord(1, 5, 3000),
            records.UserScramCredentialRecord("u", 1, b"s", b"k", b"v", 4096),
            records.RegisterBrokerRecord(1, False, b"i" * 16, 3, rack="r", fenced=False, cordoned_log_dirs=[b"c" * 16]),
        ],
        20,
        4,
    )
    assert read_back(image) == image


def test_the_epoch_of_an_unclean_election_goes_through() -> None:
    """Whoever comes back behind the snapshot may have to give up what was lost by that election."""
    topic_id = b"t" * 16
    image = apply(
        EMPTY_IMAGE,
        [
            records.TopicRecord("t", topic_id),
            records.PartitionRecord(0, topic_id, [1, 2, 3], [2], leader=2, leader_epoch=4, leader_recovery_state=1),
            records.PartitionChangeRecord(0, topic_id, leader_recovery_state=0),
            records.PartitionChangeRecord(0, topic_id, leader=3),
        ],
        20,
        4,
    )
    (partition,) = read_back(image).topics["t"].partitions
    assert (partition.leader, partition.leader_epoch, partition.unclean_epoch) == (3, 5, 4)
    assert read_back(read_back(image)) == image


def grown(fs: MemFs, topics: int, **static: str) -> tuple[object, Now]:
    """A lone voter whose log has grown, and the moment at which it has written its snapshot."""
    quorum = start(fs, config=broker_config(metadata_log_max_record_bytes_between_snapshots="2000", **static))
    now = NOW
    for n in range(topics):
        submit_topic(quorum, f"t{n}")
        for _ in range(4):
            now = Now(now.monotonic_ms + 1, now.wall_ms + 1)
            quorum.tick(now)
    while quorum.deadline_ms <= now.monotonic_ms:
        quorum.tick(now)
    return quorum, now


def test_a_restart_begins_with_the_newest_snapshot() -> None:
    fs = MemFs()
    quorum, _ = grown(fs, 40)
    before = quorum.image  # type: ignore[attr-defined]
    snapshots = Snapshots(fs, DIRECTORY)
    newest = snapshots.newest
    assert newest is not None
    assert newest[0] > 40
    assert snapshots.all[0] == BOOTSTRAP_ID
    batches = list(decode_all(fs.read_bytes(snapshots.path(newest))))
    assert names(batches[0].records) == ["SnapshotHeaderRecord", "KRaftVersionRecord", "VotersRecord"]
    assert names(batches[-1].records) == ["SnapshotFooterRecord"]
    kill(quorum, fs)  # type: ignore[arg-type]
    again = open_quorum(fs)
    again.flush(NOW)
    assert again.image.topics == before.topics
    assert again.image.brokers == before.brokers
    assert names(dump(again))[-1] == "RegisterControllerRecord"
    stop(again)


def test_the_log_goes_as_far_as_retention_says() -> None:
    fs = MemFs()
    quorum, _ = grown(fs, 40, metadata_max_retention_bytes="1000")
    snapshots = Snapshots(fs, DIRECTORY)
    assert len(snapshots.all) == 1
    assert quorum.raft.log.log_start_offset == snapshots.all[0][0]  # type: ignore[attr-defined]
    before = quorum.image  # type: ignore[attr-defined]
    kill(quorum, fs)  # type: ignore[arg-type]
    assert open_quorum(fs).image.topics == before.topics


def test_a_snapshot_that_was_not_finished_is_removed() -> None:
    fs = MemFs()
    stop(start(fs))
    path = f"{DIRECTORY}/{9:020d}-{1:010d}.checkpoint.part"
    fs.write_atomic(path, b"half", sync=True)
    open_quorum(fs)
    assert not fs.exists(path)


def test_a_disk_that_fails_costs_the_snapshot_alone() -> None:
    fs = MemFs()
    quorum = start(fs, config=broker_config(metadata_log_max_record_bytes_between_snapshots="2000"))
    for n in range(30):
        submit_topic(quorum, f"t{n}")
    fs.fail_next(lambda operation: operation[0] == "rename" and "checkpoint" in operation[1])
    for _ in range(5):
        quorum.tick(NOW)
    assert quorum.failure is None
    assert not [name for name in fs.listdir(DIRECTORY) if name.endswith(".part")]
    assert submit_topic(quorum, "more").committed


def due(fs: MemFs) -> tuple[MetadataQuorum, Flusher]:
    """A lone voter with a flusher, which has written all of a snapshot and waits for its sync."""
    flusher = Flusher(fs)
    quorum = start(fs, flusher=flusher, config=broker_config(metadata_log_max_record_bytes_between_snapshots="2000"))
    flusher.background.run_inline(NOW)
    for n in range(30):
        submit_topic(quorum, f"t{n}")
        flusher.background.run_inline(NOW)
    operations = fs.record()
    while quorum.deadline_ms <= NOW.monotonic_ms:
        quorum.tick(NOW)
    assert not [name for name, *_ in operations if name in ("fsync", "fsync_dir", "rename")]
    return quorum, flusher


def test_a_snapshot_is_synced_beside_the_loop() -> None:
    fs = MemFs()
    quorum, flusher = due(fs)
    (part,) = [name for name in fs.listdir(DIRECTORY) if name.endswith(".part")]
    for n in range(30):
        submit_topic(quorum, f"more{n}")
    flusher.background.run_inline(NOW, (METADATA_SYNC,))
    assert quorum.deadline_ms > NOW.monotonic_ms  # one at a time
    flusher.background.run_inline(NOW)
    assert part.removesuffix(".part") in fs.listdir(DIRECTORY)
    assert quorum.deadline_ms <= NOW.monotonic_ms  # the next one is due by now


def test_a_sync_of_a_snapshot_that_fails_leaves_nothing() -> None:
    for operation in ("fsync", "rename", "fsync_dir"):
        fs = MemFs()
        quorum, flusher = due(fs)
        before = Snapshots(fs.copy(), DIRECTORY).all
        fs.fail_next(lambda found, operation=operation: found[0] == operation)
        flusher.background.run_inline(NOW)
        assert Snapshots(fs.copy(), DIRECTORY).all == before
        assert not [name for name in fs.listdir(DIRECTORY) if name.endswith(".part")]
        submission = submit_topic(quorum, "more")
        flusher.background.run_inline(NOW)
        assert submission.committed


def test_the_age_of_a_snapshot_is_in_its_header() -> None:
    fs = MemFs()
    quorum, _ = grown(fs, 40)
    kill(quorum, fs)  # type: ignore[arg-type]
    snapshots = Snapshots(fs, DIRECTORY)
    newest = snapshots.newest
    assert newest is not None
    assert NOW.wall_ms <= timestamp_of(snapshots, newest, 0) < NOW.wall_ms + 1000
    fs.set_byte(snapshots.path(newest), 30, 1)
    assert timestamp_of(snapshots, newest, 7) == 7


def test_who_takes_no_part_any_more_is_not_called_for_a_snapshot() -> None:
    fs = MemFs()
    quorum = start(fs, config=broker_config(metadata_log_max_record_bytes_between_snapshots="2000"))
    for n in range(30):
        submit_topic(quorum, f"t{n}")
    assert quorum.deadline_ms <= NOW.monotonic_ms  # a snapshot is due
    fs.fail_next(lambda operation: operation[0] in ("write", "writev", "append", "fsync") and ".log" in operation[1])
    with pytest.raises(LogError):
        submit_topic(quorum, "last")
    assert quorum.failure is not None
    assert quorum.deadline_ms > NOW.monotonic_ms + 3_600_000
