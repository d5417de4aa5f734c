"""Snapshot files of the metadata log: bootstrap.checkpoint and <end offset>-<epoch>.checkpoint (KIP-630, KIP-853)."""

from kafkacompat.protocol.internal.control_records import (
    Endpoint,
    KRaftVersionFeature,
    KRaftVersionRecord,
    SnapshotFooterRecord,
    SnapshotHeaderRecord,
    VotersRecord,
    VotersRecordVoter,
)
from kafkacompat.protocol.records.batch import RecordBatchError
from kafkacompat.replication.raft.batches import DamagedLogError, control_batch, decode, encode_record, metadata_batch
from kafkacompat.replication.raft.voters import Voter
from kafkacompat.storage import scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kafkacompat.protocol.primitives import Message
    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.replication.raft.batches import MetadataBatch
    from kafkacompat.storage.fs import File, Fs

    Found = tuple[int, BatchHeader, memoryview | None]

SUFFIX = ".checkpoint"
BOOTSTRAP_NAME = "bootstrap.checkpoint"
VOTERS_NAME = f"{0:020d}-{0:010d}{SUFFIX}"
KRAFT_LEVEL = 1


def voters_record(voters: "Sequence[Voter]") -> VotersRecord:
    """The control record of a voter set."""
    return VotersRecord(
        voters=[
            VotersRecordVoter(
                voter.id,
                voter.directory_id,
                [Endpoint(*endpoint) for endpoint in voter.endpoints],
                KRaftVersionFeature(*voter.levels),
            )
            for voter in voters
        ]
    )


def voters_of(record: VotersRecord) -> tuple[Voter, ...]:
    """The voter set of a control record."""
    return tuple(
        Voter(
            voter.voter_id,
            bytes(voter.voter_directory_id),
            tuple((endpoint.name, endpoint.host, endpoint.port) for endpoint in voter.endpoints),
            (voter.kraft_version_feature.min_supported_version, voter.kraft_version_feature.max_supported_version),
        )
        for voter in record.voters
    )


def write_bootstrap(fs: "Fs", log_dir: str, records: "Sequence[Message]", now_ms: int) -> None:
    """Write bootstrap.checkpoint, the records with which the first controller begins the log. Raises OSError."""
    values = [encode_record(record) for record in records]
    data = control_batch([SnapshotHeaderRecord()], now_ms, base_offset=0, epoch=0)
    data += metadata_batch(values, now_ms, base_offset=1, epoch=0)
    data += control_batch([SnapshotFooterRecord()], now_ms, base_offset=1 + len(values), epoch=0)
    fs.write_atomic(f"{log_dir}/{BOOTSTRAP_NAME}", data, sync=True)


def write_voters(fs: "Fs", directory: str, voters: "Sequence[Voter]", now_ms: int) -> None:
    """Write the bootstrap snapshot 0-0 with the first voter set. Raises OSError."""
    header = [
        SnapshotHeaderRecord(last_contained_log_timestamp=now_ms),
        KRaftVersionRecord(kraft_version=KRAFT_LEVEL),
        voters_record(voters),
    ]
    data = control_batch(header, now_ms, base_offset=0, epoch=0)
    data += control_batch([SnapshotFooterRecord()], now_ms, base_offset=len(header), epoch=0)
    fs.write_atomic(f"{directory}/{VOTERS_NAME}", data, sync=True)


def newest(fs: "Fs", directory: str) -> tuple[int, int, str] | None:
    """End offset, epoch and path of the newest snapshot in the directory of the log; None if there is none."""
    found = []
    for name in fs.listdir(directory):
        offset, dash, epoch = name.removesuffix(SUFFIX).partition("-")
        if name.endswith(SUFFIX) and dash and (offset + epoch).isdecimal() and len(offset) == 20:
            found.append((int(offset), int(epoch), f"{directory}/{name}"))
    return max(found, default=None)


def read(fs: "Fs", path: str) -> "Iterator[MetadataBatch]":
    """The batches of a snapshot, read in pieces of a megabyte or one batch. Raises OSError, DamagedLogError."""
    return _read(fs, path, scan.batches)


def read_control(fs: "Fs", path: str) -> "Iterator[MetadataBatch]":
    """The control batches of a snapshot, which contain the voters. Other batches are skipped by their headers. Raises
    OSError, DamagedLogError.
    """

    def control_batches(file: "File", position: int, end: int) -> "Iterator[Found]":
        for at, header in scan.headers(file, position, end):
            yield at, header, memoryview(file.pread(at, header.size_bytes)) if header.is_control else None

    return _read(fs, path, control_batches)


def _read(fs: "Fs", path: str, batches: "Callable[[File, int, int], Iterator[Found]]") -> "Iterator[MetadataBatch]":
    """Decode the batches found by `batches`, which must cover the whole file."""
    file = fs.open(path)
    try:
        at, end = 0, file.size()
        for position, header, batch in batches(file, 0, end):
            at = position + header.size_bytes
            if batch is not None:
                yield decode(header, batch)
        if at < end:
            raise DamagedLogError(f"it ends within the batch at position {at}")
    except RecordBatchError as error:
        raise DamagedLogError(str(error)) from error
    finally:
        file.close()
