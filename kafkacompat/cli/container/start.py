"""Serves inside the container: hooks first, then the lines that modules and people wait for."""

from __future__ import annotations

import os
import sys
from functools import partial

from kafkacompat.cli.container.settings import (
    DEFAULT_CLUSTER_ID,
    TEMPORARY_LOG_DIR,
    cluster_settings,
    container_settings,
    is_temporary,
    write_settings,
)
from kafkacompat.cli.options import ServeOptions, read_properties_file
from kafkacompat.config.properties import read_flags
from kafkacompat.config.values import ConfigError
from kafkacompat.errors import KafkaCompatError, StartupError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

MOUNTED_SETTINGS = "/mnt/shared/config/server.properties"
APACHE_SETTINGS = "/opt/kafka/config/server.properties"
BROKERS, LOG_LEVEL = "KAFKACOMPAT_BROKERS", "KAFKACOMPAT_LOG_LEVEL"
ALLOW_FAULTS = "KAFKACOMPAT_ALLOW_FAULTS"
"""With `true` the control API may change a broker whose data are kept; without data of the user it may anyway."""
BROKERS_MAX = 9
FIRST_PORT = 9092
BITNAMIS_CLUSTER_ID = "KAFKA_KRAFT_CLUSTER_ID"
LOG4J_LEVEL = "KAFKA_LOG4J_ROOT_LOGLEVEL"
LOG4J_LEVELS = {"all": "debug", "trace": "debug", "warn": "warning", "fatal": "error", "off": "error"}
"""Levels of log4j that are named otherwise here."""
LOG_LEVELS = ("debug", "info", "warning", "error")


def run_apache() -> int:
    """The end of `/etc/kafka/docker/launch`: write server.properties and serve. Returns the exit status."""
    brokers = os.environ.get(BROKERS, "1").strip()
    if not brokers.isdecimal() or not 1 <= int(brokers) <= BROKERS_MAX:
        return _fail(StartupError(f"{BROKERS}={brokers}: give a number of brokers from 1 to {BROKERS_MAX}"))
    if int(brokers) > 1:
        return _run(partial(_cluster, int(brokers)))
    return _run(_node)


def run_file(path: str, overrides: Sequence[str] = ()) -> int:
    """`kafka-server-start FILE [--override KEY=VALUE ...]`. Returns the exit status."""
    return _run(lambda: _options({**read_properties_file(path), **read_flags(overrides)}))


def setup(mounted: str | None, path: str) -> None:
    """Write the settings of this container's node to a file, without a start. Raises ConfigError, StartupError."""
    write_settings(path, container_settings(os.environ, mounted))


def _node() -> ServeOptions:
    made = container_settings(os.environ, MOUNTED_SETTINGS)
    try:
        write_settings(APACHE_SETTINGS, made)
    except StartupError as error:  # a read-only root is fine: the file is for people to look at
        _say(error)
    return _options(made)


def _options(settings: Mapping[str, str]) -> ServeOptions:
    """The options of a single node with these settings."""
    directory = settings.get("log.dirs") or settings.get("log.dir") or TEMPORARY_LOG_DIR
    has_several = "," in directory or bool(settings.get("metadata.log.dir"))
    if has_several:
        settings = {**settings, "log.dirs": directory}
    is_broker = "broker" in settings.get("process.roles", "broker")
    return ServeOptions(
        configs=[f"{name}={value}" for name, value in settings.items()],
        cluster_id=_cluster_id((settings.get("metadata.log.dir") or directory).partition(",")[0].strip()),
        data_dir=None if has_several else directory,
        never_sync=is_temporary(settings),
        addresses_by_peer=is_broker and "advertised.listeners" not in settings,
        log_level=_log_level(),
        control_anywhere=True,
        allow_faults=is_temporary(settings) or _allows_faults(),
    )


def _cluster(brokers: int) -> ServeOptions:
    """The options of a cluster in this container: a process for each broker, at ports 9092, 9093 and so on."""
    settings = cluster_settings(os.environ, MOUNTED_SETTINGS)
    directory = settings.pop("log.dirs")
    is_durable = directory != TEMPORARY_LOG_DIR
    is_new = not is_durable or not os.path.isdir(directory) or not os.listdir(directory)  # noqa: PTH112, PTH208
    return ServeOptions(
        brokers=brokers,
        host="0.0.0.0",  # noqa: S104 (the container's interfaces)
        port=FIRST_PORT,
        data_dir=directory if is_durable else None,
        configs=[f"{name}={value}" for name, value in settings.items()],
        cluster_id=_new_cluster_id() if is_new else None,
        addresses_by_peer=True,
        log_level=_log_level(),
        control_anywhere=True,
        allow_faults=not is_durable or _allows_faults(),
    )


def _run(make: Callable[[], ServeOptions]) -> int:
    from kafkacompat.cli.container.ready import Announcement

    try:
        options = make()
    except (ConfigError, KafkaCompatError) as error:
        return _fail(error)
    announcement = Announcement()
    options.on_ready = announcement.on_ready
    try:
        if options.is_for_a_cluster():
            from kafkacompat.cli.serve_cluster import run
        else:
            from kafkacompat.cli.serve import run

        return run(options)
    finally:
        announcement.withdraw()


def _cluster_id(directory: str) -> str | None:
    """The cluster id for a new directory; None for one that is formatted, whose own id counts."""
    if os.path.exists(f"{directory}/meta.properties"):  # noqa: PTH110 (pathlib costs start-up time)
        return None
    return _new_cluster_id()


def _new_cluster_id() -> str:
    return os.environ.get("CLUSTER_ID") or os.environ.get(BITNAMIS_CLUSTER_ID) or DEFAULT_CLUSTER_ID


def _allows_faults() -> bool:
    return os.environ.get(ALLOW_FAULTS, "").strip().lower() in ("1", "true", "yes")


def _log_level() -> str:
    log4j = os.environ.get(LOG4J_LEVEL, "info").strip().lower()
    level = os.environ.get(LOG_LEVEL) or LOG4J_LEVELS.get(log4j, log4j if log4j in LOG_LEVELS else "info")
    level = level.lower()
    if level not in LOG_LEVELS:
        raise StartupError(f"{LOG_LEVEL}={level}: choose one of {', '.join(LOG_LEVELS)}")
    return level


def _fail(error: Exception) -> int:
    _say(error)
    return 1


def _say(error: Exception) -> None:
    print(f"kafkacompat: {error}", file=sys.stderr)  # noqa: T201 (for the user)
