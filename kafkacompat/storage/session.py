"""``session.json``: the proof that a start finds all that the last life of this broker acknowledged (§2.8).

Kafka cannot tell ``kill -9`` from a power loss, and takes both for a loss of data. The kernel's boot id tells them
apart: as long as it is the same, all that was written is there. Written, durably, once a registration was accepted;
removed before anything else is written by a start that cannot prove, so that no later start of that life can either.
"""

from kafkacompat.protocol.primitives import uuid_from_text, uuid_to_text
from kafkacompat.protocol.records.crc32c import crc32c

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.storage.fs import Fs

FILE_NAME = "session.json"
BOOT_ID_PATH = "/proc/sys/kernel/random/boot_id"
UNPROVED = -1
_VERSION = 1
_BOOT_ID_CHARACTERS = frozenset("0123456789abcdef-")


class Session:
    """One life of a broker. ``boot_id`` is "" where the system has none; with ``is_group_commit`` nothing is
    acknowledged before it is synced.
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
        """Whether what this life acknowledged is still in the directory, if recovery finds no loss (§2.8)."""
        if directory_id != self.directory_id:
            return False
        return self.is_group_commit or (bool(boot_id) and boot_id == self.boot_id)

    def has_lost_power(self, directory_id: bytes, boot_id: str) -> bool:
        """Whether the machine may have gone down since: it has another boot id now, or says none."""
        return directory_id == self.directory_id and not (boot_id and boot_id == self.boot_id)

    def encode(self) -> bytes:
        body = (
            f'{{"version":{_VERSION},"boot_id":"{self.boot_id}","directory_ids":["{uuid_to_text(self.directory_id)}"],'
            f'"broker_epoch":{self.broker_epoch},"incarnation":"{uuid_to_text(self.incarnation_id)}",'
            f'"group_commit":{"true" if self.is_group_commit else "false"}'
        )
        return f'{body},"crc":{crc32c(body.encode())}}}\n'.encode()


def decode(data: bytes) -> Session | None:
    """The session in a file, None when it is not, byte for byte, what ``encode`` wrote."""
    from json import loads

    try:
        found = loads(data)
        (directory,) = found["directory_ids"]
        session = Session(
            found["boot_id"], uuid_from_text(directory), int(found["broker_epoch"]),
            uuid_from_text(found["incarnation"]), is_group_commit=found["group_commit"],
        )  # fmt: skip
        return session if session.encode() == data else None
    except (ValueError, KeyError, TypeError):
        return None


def load(fs: "Fs", directory: str) -> Session | None:
    """The session in a data directory, None without a sound one. Raises OSError."""
    try:
        return decode(fs.read_bytes(f"{directory}/{FILE_NAME}"))
    except FileNotFoundError:
        return None


def store(fs: "Fs", directory: str, session: Session) -> None:
    """Write the file, durably. Raises OSError."""
    fs.write_atomic(f"{directory}/{FILE_NAME}", session.encode(), sync=True)


def remove(fs: "Fs", directory: str) -> None:
    """Take the proof away, durably. Raises OSError."""
    path = f"{directory}/{FILE_NAME}"
    if fs.exists(path):
        fs.remove(path)
        fs.fsync_dir(directory)


def current_boot_id(fs: "Fs") -> str:
    """What Linux calls this boot; "" on systems that do not say."""
    try:
        text = fs.read_bytes(BOOT_ID_PATH).decode("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
    return text if _BOOT_ID_CHARACTERS.issuperset(text) else ""
