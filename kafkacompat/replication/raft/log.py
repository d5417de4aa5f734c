"""The metadata log on disk: format the directory, open and replay it, append to it."""

from kafkacompat.config import TopicConfig
from kafkacompat.errors import StartupError
from kafkacompat.protocol.internal.control_records import VotersRecord
from kafkacompat.replication.metadata.changes import InvalidMetadataError, apply
from kafkacompat.replication.metadata.image import EMPTY_IMAGE
from kafkacompat.replication.raft import checkpoint, damage, quorum_state
from kafkacompat.replication.raft.batches import DamagedLogError, decode
from kafkacompat.storage.errors import KAFKA_STORAGE_ERROR, LogError
from kafkacompat.storage.log import Log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.config import BrokerConfig
    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.metadata.image import MetadataImage
    from kafkacompat.replication.raft.batches import MetadataBatch
    from kafkacompat.replication.raft.raft import Voter
    from kafkacompat.storage.flush import Flusher
    from kafkacompat.storage.fs import Fs

DIRECTORY_NAME = "__cluster_metadata-0"
RESTORE = "Restore the data directory from a copy"
TOPIC_ID = bytes(15) + b"\x01"
MAX_BATCH_BYTES = 8 * 1024 * 1024  #: Kafka's limit on a batch of the metadata log


def format_if_new(fs: "Fs", log_dir: str, voter: "Voter", bootstrap: "Sequence[Message]", now: "Now") -> None:
    """Make a directory that has no metadata log what Kafka's `format --standalone` makes of it. Raises OSError.

    What an interrupted formatting has left out is written again; once there is a record or a vote, nothing is.
    """
    directory = f"{log_dir}/{DIRECTORY_NAME}"
    fs.mkdir(directory)
    names = fs.listdir(directory)
    has_records = any(name.endswith(damage.LOG_SUFFIX) and fs.size(f"{directory}/{name}") for name in names)
    if has_records or quorum_state.FILE_NAME in names:
        return
    if not fs.exists(f"{log_dir}/{checkpoint.BOOTSTRAP_NAME}"):
        checkpoint.write_bootstrap(fs, log_dir, bootstrap, now.wall_ms)
    if checkpoint.VOTERS_NAME not in names:
        checkpoint.write_voters(fs, directory, [voter], now.wall_ms)


def open_log(
    fs: "Fs", log_dir: str, config: "BrokerConfig", flusher: "Flusher | None", now: "Now", *, clean: bool
) -> Log:
    """Open the log; after an unclean stop a torn last batch is cut. Raises StartupError for damage, OSError."""
    directory = f"{log_dir}/{DIRECTORY_NAME}"
    overrides = {
        "segment.bytes": str(config.get_int("metadata.log.segment.bytes")),
        "max.message.bytes": str(2 * MAX_BATCH_BYTES),
        "cleanup.policy": "delete",
    }
    try:
        if not clean:
            damage.check(fs, directory)
        log = Log.open(
            fs,
            directory,
            TopicConfig.resolve(overrides, config),
            topic_id=TOPIC_ID,
            recovery_point=0,
            log_start_offset=0,
            clean=clean,
            now=now,
            flusher=flusher,
        )
        if clean and not log.log_end_offset:  # who stops cleanly has registered before
            raise DamagedLogError(f"{directory}/{0:020d}.log is missing or empty: all metadata is lost. {RESTORE}")
        return log
    except DamagedLogError as error:
        raise StartupError(str(error)) from None
    except LogError as error:  # after a clean stop, where nobody looks for a torn tail
        raise _refusal(error) from None


class Replay:
    """What the snapshot and the log say, together: the image, and the newest voter set (None: there never was one)."""

    __slots__ = ("image", "voters")

    def __init__(self) -> None:
        self.image: MetadataImage = EMPTY_IMAGE
        self.voters: tuple[Voter, ...] | None = None

    def take(self, batch: "MetadataBatch") -> None:
        """Apply one batch. Raises InvalidMetadataError."""
        if not batch.is_control:
            self.image = apply(self.image, batch.records, batch.last_offset, batch.epoch)
            return
        self.image = self.image.but(offset=batch.last_offset, epoch=batch.epoch)
        for record in batch.records:
            if isinstance(record, VotersRecord):
                self.voters = checkpoint.voters_of(record)


def replay(fs: "Fs", log: Log) -> Replay:
    """Read the newest snapshot and what the log holds behind it. Raises StartupError, which names the file; OSError."""
    done = Replay()
    path = log.path
    try:
        found = checkpoint.newest(fs, log.path)
        if found is not None:
            end_offset, epoch, path = found
            for batch in checkpoint.read(fs, path):
                done.take(batch)
            done.image = done.image.but(offset=end_offset - 1, epoch=epoch)
        path = log.path
        for header, data in log.batches(done.image.offset + 1, log.log_end_offset):
            if header.base_offset != done.image.offset + 1:
                raise DamagedLogError(f"offset {done.image.offset + 1} is missing")
            done.take(decode(header, data))
    except (DamagedLogError, InvalidMetadataError) as error:
        if path == log.path:
            path = next((segment.file.path for segment in log.segments.from_offset(done.image.offset + 1)), path)
        raise StartupError(f"{path} is damaged: {error}. {RESTORE}") from None
    except LogError as error:
        raise _refusal(error) from None
    return done


def _refusal(error: LogError) -> Exception:
    """What to tell the user: a disk that fails now may be fine at the next start, damage stays."""
    if error.error_code == KAFKA_STORAGE_ERROR:
        return OSError(str(error))
    return StartupError(f"{error}: the file is damaged. {RESTORE}")
