"""From what a user gave to a broker's configuration; the same for the command line and for `Cluster`."""

from __future__ import annotations

from kafkacompat.config import BrokerConfig, ConfigError, development_defaults
from kafkacompat.config.properties import apply_file_and_flags
from kafkacompat.errors import StartupError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FIRST_NODE_ID = 1
"""As Apache Kafka's container image numbers a single broker."""


def broker_config(
    flags: Mapping[str, str], file: Mapping[str, str] | None = None, *, broker_count: int = 1
) -> tuple[BrokerConfig, list[str]]:
    """The configuration, and a line of warning for each setting that is not known.

    Raises StartupError with the reason for a value that cannot be taken.
    """
    known_file, known_flags, warnings = apply_file_and_flags(file or {}, flags)
    development = {"node.id": str(FIRST_NODE_ID), **development_defaults(broker_count)}
    if "broker.id" in known_file or "broker.id" in known_flags:
        del development["node.id"]
    try:
        return BrokerConfig.from_sources(known_file, known_flags, development), warnings
    except ConfigError as error:
        raise StartupError(str(error)) from None


def data_dir(config: BrokerConfig, chosen: str | None) -> str | None:
    """Where the data goes: what was chosen, else `log.dirs` or `log.dir` where they are set, else None: temporary."""
    if chosen is not None:
        return chosen
    for name in ("log.dirs", "log.dir"):
        if name in config.static:
            dirs = [part.strip() for part in config.static[name].split(",") if part.strip()]
            if len(dirs) != 1:
                raise StartupError(f"{name}={config.static[name]}: give one directory, several do not work yet")
            return dirs[0]
    return None
