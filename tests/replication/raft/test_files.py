"""quorum-state, the checkpoint files, and the machine of a lone voter."""

from pathlib import Path

import pytest

from kafkacompat.errors import StartupError
from kafkacompat.protocol.internal.cluster_metadata import FeatureLevelRecord
from kafkacompat.protocol.internal.control_records import SnapshotFooterRecord, SnapshotHeaderRecord
from kafkacompat.replication.raft import checkpoint, election_state
from kafkacompat.replication.raft.batches import DamagedLogError, control_batch, encode_record, metadata_batch
from kafkacompat.replication.raft.election_state import ElectionState
from kafkacompat.storage.memfs import MemFile, MemFs
from tests.replication.decoding import decode_all

HERE = Path(__file__).parent


def test_quorum_state_as_kafka_writes_it() -> None:
    fs = MemFs()
    fs.mkdir("/q")
    fs.fsync_dir("/")
    assert election_state.load(fs, "/q") is None
    election_state.store(fs, "/q", ElectionState(2, leader_id=1))
    expected = (
        b'{"leaderId":1,"leaderEpoch":2,"votedId":-1,"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA","data_version":1}'
    )
    assert fs.read_bytes("/q/quorum-state") == expected
    fs.crash()
    found = election_state.load(fs, "/q")
    assert found is not None
    assert (found.leader_epoch, found.leader_id, found.voted_id, found.voted_directory_id) == (2, 1, -1, bytes(16))


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"data_version":1}', '{"data_version":7}', '{"leaderId":1,"leaderEpoch":"x","data_version":1}',
     '{"clusterId":"","leaderId":1,"leaderEpoch":5,"votedId":"-","currentVoters":[],"data_version":0}'],
)  # fmt: skip
def test_damaged_or_foreign_quorum_state_refuses(text: str) -> None:
    fs = MemFs()
    fs.mkdir("/q")
    fs.write_atomic("/q/quorum-state", text.encode(), sync=True)
    with pytest.raises(StartupError, match="/q/quorum-state"):
        election_state.load(fs, "/q")


def test_quorum_state_of_static_voters_as_kafka_writes_it() -> None:
    fs = MemFs()
    fs.mkdir("/q")
    election_state.store_static(fs, "/q", ElectionState(5, voted_id=2, voted_directory_id=b"x" * 16), [1, 2])
    assert fs.read_bytes("/q/quorum-state") == (
        b'{"clusterId":"","leaderId":-1,"leaderEpoch":5,"votedId":2,"appliedOffset":0,'
        b'"currentVoters":[{"voterId":1},{"voterId":2}],"data_version":0}'
    )
    found = election_state.load(fs, "/q")
    assert found is not None
    assert (found.leader_epoch, found.leader_id, found.voted_id, found.voted_directory_id) == (5, -1, 2, bytes(16))


def kafka_bootstrap() -> bytes:
    return (HERE / "kafka-4.3.1-bootstrap.checkpoint").read_bytes()


def test_bootstrap_checkpoint_has_kafkas_layout() -> None:
    theirs = list(decode_all(kafka_bootstrap()))
    assert [batch.is_control for batch in theirs] == [True, False, True]
    features = [record for record in theirs[1].records if isinstance(record, FeatureLevelRecord)]
    assert len(features) == 6
    fs = MemFs()
    fs.mkdir("/d")
    checkpoint.write_bootstrap(fs, "/d", features, 0)
    ours = fs.read_bytes("/d/bootstrap.checkpoint")
    assert len(ours) == len(kafka_bootstrap()) == 411
    assert [batch.records for batch in decode_all(ours)] == [batch.records for batch in theirs]


def test_voters_checkpoint_has_kafkas_layout() -> None:
    data = (HERE / "kafka-4.3.1-voters.checkpoint").read_bytes()
    theirs = list(decode_all(data))
    voters = checkpoint.voters_of(theirs[0].records[2])  # type: ignore[arg-type]
    assert [(voter.id, voter.endpoints) for voter in voters] == [(1, (("CONTROLLER", "127.0.0.1", 22338),))]
    fs = MemFs()
    fs.mkdir("/d")
    checkpoint.write_voters(fs, "/d", voters, 5)
    assert fs.size(f"/d/{checkpoint.VOTERS_NAME}") == len(data) == 241
    assert checkpoint.newest(fs, "/d") == (0, 0, "/d/00000000000000000000-0000000000.checkpoint")
    again = list(checkpoint.read(fs, f"/d/{checkpoint.VOTERS_NAME}"))
    assert [type(record) for batch in again for record in batch.records] == [
        type(record) for batch in theirs for record in batch.records
    ]


def test_a_large_snapshot_is_read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """And of who votes nothing but the control batches."""
    values = [encode_record(FeatureLevelRecord(name="f" * 2000, feature_level=1))] * 600
    data = control_batch([SnapshotHeaderRecord()], 0, base_offset=0, epoch=1)
    for n in range(3):
        data += metadata_batch(values, 0, base_offset=1 + 600 * n, epoch=1)
    data += control_batch([SnapshotFooterRecord()], 0, base_offset=1801, epoch=1)
    fs = MemFs()
    fs.write_atomic("f", data, sync=False)
    sizes: list[int] = []
    pread = MemFile.pread

    def counted(file: MemFile, offset: int, size_bytes: int) -> bytes:
        sizes.append(size_bytes)
        return pread(file, offset, size_bytes)

    monkeypatch.setattr(MemFile, "pread", counted)
    assert [len(batch.records) for batch in checkpoint.read(fs, "f")] == [1, 600, 600, 600, 1]
    assert max(sizes) < len(data) / 2
    sizes.clear()
    assert [len(batch.records) for batch in checkpoint.read_control(fs, "f")] == [1, 1]
    assert sum(sizes) < len(data) / 50
    fs.write_atomic("f", data[:-1], sync=False)
    for read in (checkpoint.read, checkpoint.read_control):
        with pytest.raises(DamagedLogError, match="it ends within the batch at position"):
            list(read(fs, "f"))


def test_every_flipped_byte_of_a_checkpoint_is_seen_or_harmless() -> None:
    """The checksum covers all but base offset, length, epoch and magic of a batch."""
    fs = MemFs()
    good = [batch.records for batch in decode_all(kafka_bootstrap())]
    for at in range(len(kafka_bootstrap())):
        data = bytearray(kafka_bootstrap())
        data[at] ^= 0x41
        try:
            fs.write_atomic("f", data, sync=False)
            found = [batch.records for batch in checkpoint.read(fs, "f")]
        except DamagedLogError:
            continue
        assert found == good, at
