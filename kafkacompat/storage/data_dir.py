"""Lock and identity of a data directory: ``.lock``, ``meta.properties``, clean-shutdown marker."""

import os

from kafkacompat.errors import StartupError
from kafkacompat.protocol.constants import NO_BROKER_EPOCH
from kafkacompat.protocol.primitives import uuid_to_text
from kafkacompat.storage.checkpoints import (
    CLEAN_SHUTDOWN_FILE,
    META_PROPERTIES_FILE,
    CheckpointError,
    MetaProperties,
    OwnerlessError,
    read_clean_shutdown,
    read_meta_properties,
    write_clean_shutdown,
    write_meta_properties,
)
from kafkacompat.storage.reserve import is_out_of_space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random

    from kafkacompat.now import Now
    from kafkacompat.storage.fs import File, Fs
    from kafkacompat.storage.log import Log

LOCK_FILE = ".lock"
METADATA_DIRECTORY = "__cluster_metadata-0"
RESERVED_IDS = 100
"""The first ids are none of directories."""


class UnusableDirectoryError(StartupError):
    """The disk of a log directory fails, or its meta.properties cannot be read. A broker with other log directories can
    do without it.
    """


def random_uuid(rng: "Random") -> bytes:
    """A uuid of version 4 whose text does not begin with a dash, as Kafka's ``Uuid`` makes them."""
    while True:
        raw = bytearray(rng.randbytes(16))
        raw[6] = raw[6] & 0x0F | 0x40
        raw[8] = raw[8] & 0x3F | 0x80
        if not uuid_to_text(bytes(raw)).startswith("-"):
            return bytes(raw)


def is_reserved_id(directory_id: bytes) -> bool:
    """Whether it stands for something else than a directory, such as one that is lost (Kafka's ``DirectoryId``)."""
    return directory_id[:8] == bytes(8) and int.from_bytes(directory_id[8:], "big", signed=True) < RESERVED_IDS


class LogDirDescription:
    """A log directory for DescribeLogDirs: error code, bytes of its disk (−1: unknown), its logs, future replicas."""

    __slots__ = ("error_code", "futures", "logs", "path", "total_bytes", "usable_bytes")

    def __init__(
        self,
        path: str,
        error_code: int,
        total_bytes: int,
        usable_bytes: int,
        logs: "dict[tuple[str, int], Log]",
        futures: "dict[tuple[str, int], Log]",
    ) -> None:
        self.path = path
        self.error_code = error_code
        self.total_bytes = total_bytes
        self.usable_bytes = usable_bytes
        self.logs = logs
        self.futures = futures


class DataDir:
    """A locked data directory. ``directory_id`` and ``cluster_id`` are what ``meta.properties`` says.

    ``previous_broker_epoch`` is that of the last broker here when it stopped cleanly, else −1.
    """

    __slots__ = ("_fs", "_lock", "cluster_id", "directory_id", "path", "previous_broker_epoch", "was_clean_shutdown")

    def __init__(self, fs: "Fs", path: str, *, node_id: int, cluster_id: str | None, now: "Now", rng: "Random") -> None:
        """Lock ``path`` (made when missing), check or write its ``meta.properties``, remove the clean-shutdown marker.

        Without a ``cluster_id`` the directory's own is taken, or a new one is made. Raises StartupError.
        """
        self._fs = fs
        self.path = path
        self._lock = self._take_lock()
        try:
            meta = self._identify(node_id, cluster_id, now, rng)
            self.cluster_id = meta.cluster_id
            assert meta.directory_id is not None
            self.directory_id: bytes = meta.directory_id
            epoch = read_clean_shutdown(fs, self._file(CLEAN_SHUTDOWN_FILE))
            self.was_clean_shutdown = epoch is not None
            self.previous_broker_epoch = NO_BROKER_EPOCH if epoch is None else epoch
            if self.was_clean_shutdown:
                fs.remove(self._file(CLEAN_SHUTDOWN_FILE))
                fs.fsync_dir(path)
        except OSError as error:
            self._lock.close()
            raise unusable(path, error) from error
        except BaseException:
            self._lock.close()
            raise

    def _file(self, name: str) -> str:
        return f"{self.path}/{name}"

    def _take_lock(self) -> "File":
        lock_path = self._file(LOCK_FILE)
        try:
            self._fs.mkdir(self.path)
            lock = self._fs.lock(lock_path)
        except BlockingIOError:
            raise StartupError(
                f"data directory {self.path} is locked by another broker{self._holder(lock_path)}: "
                "stop it or choose another (--data-dir, log.dirs)"
            ) from None
        except OSError as error:
            raise unusable(self.path, error) from error
        try:
            lock.truncate(0)
            lock.write([str(os.getpid()).encode()])
        except OSError as error:
            if not is_out_of_space(error):  # else the lock does not name its holder
                lock.close()
                raise unusable(self.path, error) from error
        return lock

    def _holder(self, lock_path: str) -> str:
        """The process that holds the lock, if the lock file names it. Apache Kafka leaves it empty."""
        try:
            pid = self._fs.read_bytes(lock_path)
        except OSError:
            return ""
        return f" (pid {int(pid)})" if pid.isdigit() else ""

    def _identify(self, node_id: int, cluster_id: str | None, now: "Now", rng: "Random") -> MetaProperties:
        path = self._file(META_PROPERTIES_FILE)
        try:
            meta = read_meta_properties(self._fs, path)
        except OwnerlessError as error:
            raise StartupError(f"{error}: add the line, with the id that other directories of this node have") from None
        except CheckpointError as error:
            raise UnusableDirectoryError(f"{error}: repair the file or choose another directory (--data-dir)") from None
        if meta is None:
            check_metadata_log(self._fs, self.path)
            meta = MetaProperties(cluster_id or uuid_to_text(random_uuid(rng)), node_id, None)
        if meta.node_id != node_id:
            raise StartupError(
                f"data directory {self.path} belongs to broker {meta.node_id}, not to {node_id}: "
                f"set node.id={meta.node_id} or choose another directory with --data-dir, or mend its meta.properties"
            )
        if cluster_id is not None and meta.cluster_id != cluster_id:
            raise StartupError(
                f"data directory {self.path} belongs to cluster {meta.cluster_id}, not to {cluster_id}: "
                "choose another (--data-dir, log.dirs), or mend its meta.properties"
            )
        if meta.directory_id is not None and is_reserved_id(meta.directory_id):
            raise StartupError(f"{path}: its directory.id is reserved: remove the line, and a start makes a new one")
        if meta.directory_id is None:
            meta.directory_id = random_uuid(rng)
            write_meta_properties(self._fs, path, meta, wall_ms=now.wall_ms)
            parent, slash, _ = self.path.rpartition("/")
            self._fs.fsync_dir(parent or slash or ".")
        return meta

    def close(self, *, clean: bool, broker_epoch: int) -> None:
        """Unlock the directory; with ``clean`` write the clean-shutdown marker first. Raises OSError."""
        try:
            if clean:
                write_clean_shutdown(self._fs, self._file(CLEAN_SHUTDOWN_FILE), broker_epoch)
                self._fs.remove(self._file(LOCK_FILE))
        finally:
            self._lock.close()

    def unlock(self) -> None:
        """Unlock the directory without having used it."""
        self._lock.close()


def check_metadata_log(fs: "Fs", path: str) -> None:
    """Raises StartupError if a directory without ``meta.properties`` holds files of a metadata log, as after a restore
    that was interrupted: a start, or a formatting, would begin a new cluster over them. OSError.
    """
    directory = f"{path}/{METADATA_DIRECTORY}"
    if fs.exists(directory) and fs.listdir(directory):
        raise StartupError(
            f"{path} holds a metadata log and no {META_PROPERTIES_FILE}: after a restore or a formatting that was "
            "interrupted, empty the data directory and do it again; if the file was lost, bring it back"
        )


def absolute_path(path: str) -> str:
    """As Java's ``File.getAbsolutePath``, by which Apache Kafka tells of its directories: ``.`` and ``..`` stay."""
    full = path if os.path.isabs(path) else f"{os.getcwd()}/{path}"  # noqa: PTH109, PTH117 (pathlib costs start-up time)
    while "//" in full:
        full = full.replace("//", "/")
    return full.rstrip("/") or "/"


def disk_name(number: int) -> str:
    """The folder of one of several log directories in the data directory of a broker, and in a snapshot: from 1 on,
    that of the metadata log first. No partition has such a name.
    """
    return f"disk{number}"


def unusable(path: str, error: OSError) -> UnusableDirectoryError:
    """The error for a directory that cannot be read or written."""
    reason = error.strerror or str(error)
    return UnusableDirectoryError(
        f"data directory {path} cannot be used ({reason}): choose another (--data-dir, log.dirs)"
    )
