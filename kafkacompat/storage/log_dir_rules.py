"""What several log directories of a broker have to be, so that it starts with them."""

from kafkacompat.errors import StartupError
from kafkacompat.protocol.primitives import uuid_to_text
from kafkacompat.storage.checkpoints import META_PROPERTIES_FILE
from kafkacompat.storage.log_directory import METADATA_TOPIC
from kafkacompat.storage.partition_dir import parse_directory_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.storage.fs import Fs
    from kafkacompat.storage.log_directory import LogDirectory

    TopicPartition = tuple[str, int]


NAME_IT = "bring back what was in it, or name the directory of the metadata log with metadata.log.dir"


def check_metadata_directory(fs: "Fs", path: str, others: "Sequence[str]", remedy: str = NAME_IT) -> None:
    """Raises StartupError if the metadata log is to be in a new directory, while others belong to a cluster already:
    its metadata would be lost. ``remedy``: what to do, in words.
    """
    if fs.exists(f"{path}/{META_PROPERTIES_FILE}"):
        return
    for other in others:
        if fs.exists(f"{other}/{META_PROPERTIES_FILE}"):
            raise StartupError(
                f"{path} is new, but the metadata log is expected there, and {other} belongs to a cluster already: "
                f"{remedy}"
            )


def check_ids(directories: "Sequence[LogDirectory]") -> None:
    """Raises StartupError unless each has an id of its own (``MetaPropertiesEnsemble.verify``)."""
    paths: dict[bytes, str] = {}
    for directory in directories:
        other = paths.setdefault(directory.directory_id, directory.path)
        if other != directory.path:
            text = uuid_to_text(directory.directory_id)
            raise StartupError(
                f"{other} and {directory.path} have the same directory.id, {text}: one is a copy of the other. Leave "
                "the copy out of log.dirs, or empty it"
            )


def doubled_partitions(
    metadata: "LogDirectory", others: "Sequence[LogDirectory]"
) -> "dict[TopicPartition, list[LogDirectory]]":
    """The partitions that are in two directories: see ``DirectoryMoves.doubled``. Raises StartupError if the metadata
    log is in another one than expected.
    """
    places: dict[TopicPartition, list[LogDirectory]] = {}
    for directory in (metadata, *others):
        for name in directory.disk.listdir(directory.path):
            key = parse_directory_name(name)
            if key is None:
                continue
            if key[0] == METADATA_TOPIC:
                if directory is not metadata and not metadata.holds(key):
                    raise StartupError(
                        f"the metadata log is in {directory.path}, but is expected in {metadata.path}: set "
                        f"metadata.log.dir={directory.path}, or name that directory first in log.dirs"
                    )
                continue
            places.setdefault(key, []).append(directory)
    return {key: found for key, found in places.items() if len(found) > 1}
