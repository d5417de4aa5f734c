"""The log directories of a broker of `Cluster`: one, or several of which each has faults of its own, as on a disk."""

from __future__ import annotations

import os

from kafkacompat.errors import StartupError
from kafkacompat.storage.data_dir import disk_name

META_PROPERTIES_FILE = "meta.properties"
LOG_DIRS_MAX = 100


def log_dirs_of(data_dir: str, count: int) -> tuple[str, ...]:
    """The log directories of a broker, that of the metadata log first: its data directory itself, or several in it,
    whose names are none of partitions.
    """
    return (data_dir,) if count == 1 else tuple(f"{data_dir}/{disk_name(number)}" for number in range(1, count + 1))


def is_formatted(directory: str) -> bool:
    """Whether it belongs to a node."""
    return os.path.exists(f"{directory}/{META_PROPERTIES_FILE}")  # noqa: PTH110 (pathlib costs start-up time)


def check_log_dirs(data_dir: str, count: int) -> None:
    """Raises StartupError if a broker with another number of log directories has written there. One with several may
    get more, and some may be missing: the rules of a start with several say whether the broker can do without. It
    cannot without the first: the metadata log would begin anew.
    """
    is_one, fewest = is_formatted(data_dir), _fewest(data_dir)
    if is_one and fewest:
        raise StartupError(
            f"{data_dir} is a log directory itself, and others are in it: keep what is of this broker, and move the "
            "rest elsewhere"
        )
    if is_one and count > 1:
        raise StartupError(f"{data_dir} has 1 log directory: give log_dirs=1, or choose another directory")
    if count < fewest:
        raise StartupError(
            f"{data_dir} has several log directories: give log_dirs={fewest} or more, or choose another directory"
        )
    if count > 1 and not is_formatted(log_dirs_of(data_dir, count)[0]):
        from kafkacompat.storage.fs import RealFs
        from kafkacompat.storage.log_dir_rules import check_metadata_directory

        first, *others = log_dirs_of(data_dir, count)
        check_metadata_directory(RealFs(), first, others, remedy="bring back what was in it, or empty the others, too")


def check_is_one(data_dir: str) -> None:
    """Raises StartupError if a broker with several log directories has written there, for a command line that names
    one.
    """
    fewest = _fewest(data_dir)
    if fewest:
        raise StartupError(
            f"{data_dir} has several log directories: name them with --config "
            f"log.dirs={','.join(log_dirs_of(data_dir, fewest))} in place of --data-dir, or choose another directory"
        )


def _fewest(data_dir: str) -> int:
    """The lowest number of log directories in a data directory that fits those that are formatted; 0 for none."""
    formatted = [number for number, path in enumerate(log_dirs_of(data_dir, LOG_DIRS_MAX), 1) if is_formatted(path)]
    return max(2, *formatted) if formatted else 0
