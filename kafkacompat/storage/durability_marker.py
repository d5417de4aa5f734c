"""The durability marker ``session.json``: proof that a data directory still holds all that was acknowledged (§2.8).

Kafka cannot tell ``kill -9`` from a power loss, and treats both as a loss of data. The kernel's boot id tells them
apart: as long as it is the same, everything that was written is still there. The marker is written, durably, once a
registration was accepted. A start that cannot prove anything removes the proof before it writes anything else, so that
no later start can prove it either.
"""

from functools import cache

from kafkacompat.protocol.constants import NO_BROKER_EPOCH
from kafkacompat.protocol.primitives import uuid_from_text, uuid_to_text
from kafkacompat.protocol.records.crc32c import crc32c
from kafkacompat.storage.reserve import is_out_of_descriptors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.storage.data_dir import DataDir
    from kafkacompat.storage.fs import Fs

FILE_NAME = "session.json"
BOOT_ID_PATH = "/proc/sys/kernel/random/boot_id"
UNPROVED = NO_BROKER_EPOCH
_VERSION = 1
_BOOT_ID_CHARACTERS = frozenset("0123456789abcdef-")


class MarkerContent:
    """What the file says of one incarnation of a broker.

    ``boot_id`` is "" where the system has none. With ``is_group_commit`` nothing was acknowledged before it was synced.
    """

    __slots__ = ("boot_id", "broker_epoch", "directory_id", "incarnation_id", "is_group_commit")

    def __init__(
        self, boot_id: str, directory_id: bytes, broker_epoch: int, incarnation_id: bytes, *, is_group_commit: bool
    ) -> None:
        self.boot_id = boot_id
        self.directory_id = directory_id
        self.broker_epoch = broker_epoch
        self.incarnation_id = incarnation_id
        self.is_group_commit = is_group_commit

    def proves(self, directory_id: bytes, boot_id: str) -> bool:
        """Whether all that this incarnation acknowledged is in the directory, if recovery finds no loss (§2.8)."""
        if directory_id != self.directory_id:
            return False
        return self.is_group_commit or (bool(boot_id) and boot_id == self.boot_id)

    def has_lost_power(self, directory_id: bytes, boot_id: str) -> bool:
        """Whether the machine may have gone down since: its boot id is another one now, or unknown."""
        return directory_id == self.directory_id and not (boot_id and boot_id == self.boot_id)

    def encode(self) -> bytes:
        body = (
            f'{{"version":{_VERSION},"boot_id":"{self.boot_id}","directory_ids":["{uuid_to_text(self.directory_id)}"],'
            f'"broker_epoch":{self.broker_epoch},"incarnation":"{uuid_to_text(self.incarnation_id)}",'
            f'"group_commit":{"true" if self.is_group_commit else "false"}'
        )
        return f'{body},"crc":{crc32c(body.encode())}}}\n'.encode()


def decode(data: bytes) -> MarkerContent | None:
    """The content of a file; None unless it is, byte for byte, what ``encode`` wrote."""
    from json import loads

    try:
        found = loads(data)
        (directory,) = found["directory_ids"]
        content = MarkerContent(
            found["boot_id"], uuid_from_text(directory), int(found["broker_epoch"]),
            uuid_from_text(found["incarnation"]), is_group_commit=found["group_commit"],
        )  # fmt: skip
        return content if content.encode() == data else None
    except (ValueError, KeyError, TypeError):
        return None


class DurabilityMarker:
    """The marker of one data directory: what it proves of the previous incarnation, and what it will of this one.

    ``previous_broker_epoch``: the broker epoch of the previous incarnation if all that it acknowledged is still here,
    else −1. It is final once all logs are open. ``is_missing``: room or descriptors were short to write the marker.
    ``has_lost_power``: the machine may have gone down since the marker was written.
    """

    __slots__ = ("_boot_id", "_content", "_directory_id", "_fs", "_has_unsynced_removal", "_is_loss_known", "_path",
                 "has_lost_power", "is_missing", "last_broker_epoch", "previous_broker_epoch")  # fmt: skip

    def __init__(self, fs: "Fs", directory: "DataDir", *, has_recovery_points: bool) -> None:
        """Read the marker, and remove the proof from it if it proves nothing. Raises OSError.

        Where the recovery points cannot be read nothing is known of gaps, and a loss of power is not looked for.
        """
        self._fs = fs
        self._path = directory.path
        self._directory_id = directory.directory_id
        self._boot_id = current_boot_id(fs)
        self.is_missing = self._has_unsynced_removal = False
        self._is_loss_known: bool | None = None  # None before the first registration
        content = self._content = _load(fs, directory.path)
        is_ours = content is not None and content.directory_id == directory.directory_id
        self.has_lost_power = (
            content is not None and has_recovery_points and content.has_lost_power(self._directory_id, self._boot_id)
        )
        known_epoch = content.broker_epoch if content is not None and is_ours else UNPROVED
        self.last_broker_epoch = max(known_epoch, directory.previous_broker_epoch)
        if directory.was_clean_shutdown:
            self.previous_broker_epoch = directory.previous_broker_epoch
        elif content is not None and content.proves(self._directory_id, self._boot_id):
            self.previous_broker_epoch = content.broker_epoch
        else:
            self.previous_broker_epoch = UNPROVED
        if self.previous_broker_epoch == UNPROVED:
            self.disprove()

    @property
    def is_proved(self) -> bool:
        """Whether everything that the previous incarnation acknowledged is still here."""
        return self.previous_broker_epoch != UNPROVED

    def disprove(self) -> None:
        """Acknowledged records may be missing: the directory proves nothing any more. Raises OSError.

        The file still tells which boot it was, and that it was ours.
        """
        self.previous_broker_epoch = UNPROVED
        content = self._content
        if content is None:
            self._remove_file()
        elif content.broker_epoch != UNPROVED:
            broker_epoch, content.broker_epoch = content.broker_epoch, UNPROVED
            try:
                self._store(content)
            except OSError:
                content.broker_epoch = broker_epoch  # until the disk tells another one
                self._remove_file()  # that takes no space
                self._content = None
                self.is_missing = False  # there is nothing to write

    def disprove_previous(self) -> None:
        """Records of earlier incarnations may be missing. Raises OSError.

        That is known where this one has registered without a proof: it has left every in-sync set and ELR, and nothing
        is missing of what it acknowledges itself.
        """
        if not self._is_loss_known:
            self.disprove()

    def renew(self, broker_epoch: int, incarnation_id: bytes, *, is_group_commit: bool) -> None:
        """The content is this incarnation's from now on; ``write`` writes it."""
        if self._is_loss_known is None:
            self._is_loss_known = not self.is_proved
        elif not (self._is_loss_known or self.is_proved):
            broker_epoch = UNPROVED  # a loss was found since, and no registration has told it
        self._content = MarkerContent(
            self._boot_id, self._directory_id, broker_epoch, incarnation_id, is_group_commit=is_group_commit
        )

    def write(self) -> None:
        """Write the marker, durably. Raises OSError."""
        assert self._content is not None
        self._store(self._content)
        self.is_missing = False

    def remove(self) -> None:
        """Room or descriptors are short for the marker: remove the file, as it may speak of an earlier incarnation.
        Raises OSError.

        To make that durable takes a descriptor. Without one a power loss may bring back the earlier marker or this one.
        They prove something then by group commit alone, which holds as long as it is not withdrawn; and the controller
        believes no earlier epoch.
        """
        self.is_missing = True
        try:
            self._remove_file()
        except OSError as error:
            if not (self._has_unsynced_removal and is_out_of_descriptors(error)):
                raise

    def withdraw_group_commit(self) -> None:
        """Records are about to be acknowledged before they are synced. Raises OSError; then it is asked for again.

        A marker that is missing is not written for that: checkpoints that it relies on may be missing as well.
        """
        if self._has_unsynced_removal:
            self._remove_file()  # it may have spoken of group commit
        content = self._content
        if content is None or not content.is_group_commit:
            return
        content.is_group_commit = False
        try:
            if not self.is_missing:
                self._store(content)
        except OSError:
            content.is_group_commit = True
            raise

    def _store(self, content: MarkerContent) -> None:
        self._fs.write_atomic(f"{self._path}/{FILE_NAME}", content.encode(), sync=True)
        self._has_unsynced_removal = False

    def _remove_file(self) -> None:
        """Remove the file, durably, also if it went before and that could not be synced. Raises OSError."""
        path = f"{self._path}/{FILE_NAME}"
        if self._fs.exists(path):
            self._fs.remove(path)
            self._has_unsynced_removal = True
        if self._has_unsynced_removal:
            self._fs.fsync_dir(self._path)
            self._has_unsynced_removal = False


def _load(fs: "Fs", directory: str) -> MarkerContent | None:
    """The content in a data directory, None without a sound file. Raises OSError."""
    try:
        return decode(fs.read_bytes(f"{directory}/{FILE_NAME}"))
    except FileNotFoundError:
        return None


def current_boot_id(fs: "Fs") -> str:
    """Linux's id of this boot; "" on systems without one. Files that end with the process cannot see another boot: for
    them it is read once.
    """
    return _read_once() if fs.ends_with_process else _read_boot_id(fs)


@cache
def _read_once() -> str:
    from kafkacompat.storage.fs import RealFs

    return _read_boot_id(RealFs())


def _read_boot_id(fs: "Fs") -> str:
    try:
        text = fs.read_bytes(BOOT_ID_PATH).decode("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
    return text if _BOOT_ID_CHARACTERS.issuperset(text) else ""
