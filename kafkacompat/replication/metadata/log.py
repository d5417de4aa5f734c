"""The metadata log on disk: format the directory, open and replay it, append to it."""

import logging

from kafkacompat.config import TopicConfig
from kafkacompat.errors import StartupError
from kafkacompat.protocol.error_codes import KAFKA_STORAGE_ERROR
from kafkacompat.protocol.internal.cluster_metadata import FeatureLevelRecord
from kafkacompat.protocol.internal.control_records import VotersRecord
from kafkacompat.replication.metadata.delta import InvalidMetadataError, apply
from kafkacompat.replication.metadata.image import EMPTY_IMAGE
from kafkacompat.replication.raft import checkpoint, damage, election_state
from kafkacompat.replication.raft.batches import DamagedLogError, decode, encode_record
from kafkacompat.replication.raft.flush_mark import FlushMark
from kafkacompat.replication.raft.messages import TOPIC_ID
from kafkacompat.replication.raft.voters import VoterHistory
from kafkacompat.storage.data_dir import METADATA_DIRECTORY
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.files import FileCache
from kafkacompat.storage.log import Log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from kafkacompat.config import BrokerConfig
    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.metadata.image import MetadataImage
    from kafkacompat.replication.raft.batches import MetadataBatch
    from kafkacompat.replication.raft.snapshots import SnapshotId, Snapshots
    from kafkacompat.replication.raft.voters import Voter
    from kafkacompat.storage.flush import Flusher
    from kafkacompat.storage.fs import Fs

RESTORE = "Restore the data directory from a copy"
_LEVEL_RECORD = encode_record(FeatureLevelRecord())[:3]
"""How a FeatureLevelRecord begins: the version of its frame, its kind, its version."""
MAX_BATCH_BYTES = 8 * 1024 * 1024  #: Kafka's limit on a batch of the metadata log
_log = logging.getLogger(__name__)


def format_if_new(
    fs: "Fs", log_dir: str, voters: "Sequence[Voter]", bootstrap: "Sequence[Message]", now: "Now"
) -> None:
    """Format a directory without a metadata log, as Kafka's `format` does. Raises OSError.

    voters: the first voter set (`--standalone`, `--initial-controllers`); empty for static voters and for an observer.
    An interrupted formatting is completed. Once there is a record or a vote, nothing is written.
    """
    directory = f"{log_dir}/{METADATA_DIRECTORY}"
    fs.mkdir(directory)
    names = fs.listdir(directory)
    has_records = any(name.endswith(damage.LOG_SUFFIX) and fs.size(f"{directory}/{name}") for name in names)
    if has_records or election_state.FILE_NAME in names:
        return
    if not fs.exists(f"{log_dir}/{checkpoint.BOOTSTRAP_NAME}"):
        checkpoint.write_bootstrap(fs, log_dir, bootstrap, now.wall_ms)
    if voters and checkpoint.VOTERS_NAME not in names:
        checkpoint.write_voters(fs, directory, voters, now.wall_ms)


def open_log(
    fs: "Fs",
    log_dir: str,
    config: "BrokerConfig",
    flusher: "Flusher | None",
    now: "Now",
    *,
    clean: bool,
    may_vote: bool = True,
) -> Log:
    """Open the log, and truncate a torn tail after an unclean stop. Raises StartupError for damage, OSError.

    may_vote: whether other replicas may rely on this log; an observer fetches lost records again.
    """
    directory = f"{log_dir}/{METADATA_DIRECTORY}"
    overrides = {
        "segment.bytes": str(config.get_int("metadata.log.segment.bytes")),
        "segment.ms": str(max(1, config.get_int("metadata.log.segment.ms"))),
        "max.message.bytes": str(2 * MAX_BATCH_BYTES),
        "cleanup.policy": "delete",
        "preallocate": "false",
    }
    resolved = TopicConfig.resolve(overrides, config)
    files = FileCache(fs)
    try:
        is_kept = may_vote and not fs.is_temporary and not damage.is_single_voter(fs, directory)
        mark = FlushMark(fs, directory, is_kept=is_kept)
        if may_vote and not clean:
            damage.check(fs, directory, mark.offset)
        log = _open(fs, files, directory, resolved, flusher, now, mark.offset, clean=clean, may_cut=not may_vote)
        mark.begin(log.flushed_offset)
        log.hand_to(mark)
    except BaseException as error:
        files.close()
        if isinstance(error, DamagedLogError):
            raise StartupError(str(error)) from None
        if isinstance(error, LogError):
            raise _refusal(error) from None
        raise
    return log


def _open(
    fs: "Fs",
    files: FileCache,
    directory: str,
    config: TopicConfig,
    flusher: "Flusher | None",
    now: "Now",
    mark: int | None,
    *,
    clean: bool,
    may_cut: bool,
) -> Log:
    """Open the log. A torn end after a clean stop is damage: it is truncated if that is allowed, else DamagedLogError
    is raised.
    """

    def opened(*, clean: bool) -> Log:
        return Log.open(
            fs, directory, config, topic_id=TOPIC_ID, recovery_point=0, log_start_offset=0, clean=clean, now=now,
            flusher=flusher, files=files,
        )  # fmt: skip

    if not clean:
        return opened(clean=False)
    try:
        log = opened(clean=True)
        damage.check_end(log, mark)
    except (DamagedLogError, LogError) as error:
        if not may_cut or (isinstance(error, LogError) and error.error_code == KAFKA_STORAGE_ERROR):
            raise
        _log.warning("%s; the records from there on are fetched again", error)
        return opened(clean=False)
    return log


class Replay:
    """The state replayed from snapshot and log: the image, and the voter sets by offset. ``log_bytes`` is the size of
    the applied batches of the log. ``snapshot_ms``: of the snapshot that is all that `replay_dry` has read.
    """

    __slots__ = ("history", "image", "log_bytes", "snapshot_ms")

    def __init__(self) -> None:
        self.image: MetadataImage = EMPTY_IMAGE
        self.log_bytes = 0
        self.history = VoterHistory()
        self.snapshot_ms: int | None = None

    def apply(self, batch: "MetadataBatch") -> None:
        """Apply one batch. Raises InvalidMetadataError."""
        if not batch.is_control:
            self.image = apply(self.image, batch.records, batch.last_offset, batch.epoch)
            return
        self.image = self.image.but(offset=batch.last_offset, epoch=batch.epoch)
        self.apply_voters(batch)

    def apply_voters(self, batch: "MetadataBatch") -> None:
        """Add the voter set of a control batch, if it has one."""
        base_offset = batch.last_offset + 1 - len(batch.records)
        for n, record in enumerate(batch.records):
            if isinstance(record, VotersRecord):
                self.history.add(base_offset + n, checkpoint.voters_of(record))


def refuse_empty(log: Log) -> None:
    """Check that a single voter's log is not empty after a clean stop. Raises StartupError."""
    if not log.log_end_offset:
        raise StartupError(f"{log.path}/{0:020d}.log is missing or empty: all metadata is lost. {RESTORE}")


def load_snapshot(done: Replay, snapshots: "Snapshots", snapshot_id: "SnapshotId") -> None:
    """Restart from a snapshot. Raises DamagedLogError, InvalidMetadataError, OSError."""
    done.image, done.history = EMPTY_IMAGE, VoterHistory()
    for batch in checkpoint.read(snapshots.fs, snapshots.path(snapshot_id)):
        done.apply(batch)
    behind_snapshot(done, snapshot_id)


def behind_snapshot(done: Replay, snapshot_id: "SnapshotId") -> None:
    """All batches of the snapshot are applied; the log continues after it."""
    end_offset, epoch = snapshot_id
    if done.history.newest is not None:
        done.history = VoterHistory([(end_offset - 1, done.history.newest)])
    done.image = done.image.but(offset=end_offset - 1, epoch=epoch)


def restart_after_snapshot(log: Log, snapshots: "Snapshots") -> None:
    """Restart the log at the end of a snapshot, if the process ended after fetching it and before that. Raises
    LogError.
    """
    newest = snapshots.newest
    if newest is None or log.log_start_offset == newest[0]:
        return
    if log.log_end_offset < newest[0] or log.epochs.latest < newest[1]:
        log.truncate_fully_and_start_at(newest[0])


def replay(snapshots: "Snapshots", log: Log, *, control_only: bool = False) -> Replay:
    """Replay the newest snapshot and the log after it. Raises StartupError, which names the file; OSError.

    control_only: whether to read only the voter sets of the log, as other records may be uncommitted. The image is then
    that of the snapshot.
    """
    done = Replay()
    path = log.path
    try:
        if snapshots.all:
            path = snapshots.path(snapshots.all[-1])
            load_snapshot(done, snapshots, snapshots.all[-1])
        path = log.path
        next_offset = done.image.offset + 1
        for header, data in log.batches(next_offset, log.log_end_offset):
            if header.base_offset != next_offset:
                raise DamagedLogError(f"offset {next_offset} is missing")
            next_offset = header.next_offset
            if not control_only:
                done.apply(decode(header, data))
                done.log_bytes += header.size_bytes
            elif header.is_control:
                done.apply_voters(decode(header, data))
    except (DamagedLogError, InvalidMetadataError) as error:
        if path == log.path:
            path = next((segment.file.path for segment in log.segments.from_offset(done.image.offset + 1)), path)
        raise StartupError(f"{path} is damaged: {error}. {RESTORE}") from None
    except LogError as error:
        raise _refusal(error) from None
    return done


def with_levels(image: "MetadataImage", log: Log) -> "MetadataImage":
    """An image with the feature levels that the log has behind it, committed or not. Only batches with the beginning of
    such a record are decoded. Raises StartupError.
    """
    try:
        for header, data in log.batches(image.offset + 1, log.log_end_offset):
            if header.is_control or _LEVEL_RECORD not in bytes(data):
                continue
            levels = [each for each in decode(header, data).records if isinstance(each, FeatureLevelRecord)]
            image = apply(image, levels, header.last_offset, header.leader_epoch)
    except (DamagedLogError, InvalidMetadataError) as error:
        raise StartupError(f"{log.path} is damaged: {error}. {RESTORE}") from None
    except LogError as error:
        raise _refusal(error) from None
    return image


def mentioned(log: Log, end_offset: int, ids: "Set[bytes]") -> set[bytes]:
    """The uuids that occur in the batches below `end_offset`. The batches are searched as bytes without decoding: they
    are not compressed, and other bytes do not match a uuid by chance. Raises LogError.
    """
    found: set[bytes] = set()
    for _header, data in log.batches(log.log_start_offset, end_offset):
        whole = bytes(data)
        found.update(each for each in ids if each not in found and each in whole)
    return found


def _refusal(error: LogError) -> Exception:
    """The error with advice for the user if it is damage, which stays, unlike a disk error."""
    if error.error_code == KAFKA_STORAGE_ERROR:
        return OSError(str(error))
    return StartupError(f"{error}: the file is damaged. {RESTORE}")
