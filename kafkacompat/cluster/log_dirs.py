"""The log directories of a broker of `Cluster`: one, or several of which each has faults of its own, as on a disk."""

from __future__ import annotations

import os

from kafkacompat.errors import StartupError

META_PROPERTIES_FILE = "meta.properties"
LOG_DIRS_MAX = 100


def log_dirs_of(data_dir: str, count: int) -> tuple[str, ...]:
    """The log directories of a broker, that of the metadata log first: its data directory itself, or several in it."""
    return (data_dir,) if count == 1 else tuple(f"{data_dir}/disk-{number}" for number in range(1, count + 1))


def is_formatted(directory: str) -> bool:
    """Whether it belongs to a node."""
    return os.path.exists(f"{directory}/{META_PROPERTIES_FILE}")  # noqa: PTH110 (pathlib costs start-up time)


def check_log_dirs(data_dir: str, count: int) -> None:
    """Raises StartupError if a broker with another number of log directories has written there; one with several may
    get more.
    """
    found = 1 if is_formatted(data_dir) else sum(map(is_formatted, log_dirs_of(data_dir, LOG_DIRS_MAX)))
    may_grow = found > 1 and count > found
    if found not in (0, count) and not may_grow:
        raise StartupError(
            f"{data_dir} has {found} log director{'y' if found == 1 else 'ies'}: give log_dirs={found}, or choose "
            "another directory"
        )
