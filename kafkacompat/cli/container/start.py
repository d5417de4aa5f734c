"""Serves inside the container: hooks first, then the lines that modules and people wait for."""

from __future__ import annotations

import os
import sys

from kafkacompat.cli.container.settings import (
    DEFAULT_CLUSTER_ID,
    TEMPORARY_LOG_DIR,
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


def run_apache() -> int:
    """The end of `/etc/kafka/docker/launch`: write server.properties and serve. Returns the exit status."""

    def settings() -> Mapping[str, str]:
        made = container_settings(os.environ, MOUNTED_SETTINGS)
        try:
            write_settings(APACHE_SETTINGS, made)
        except StartupError as error:  # a read-only root is fine: the file is for people to look at
            print(f"kafkacompat: {error}", file=sys.stderr)  # noqa: T201 (for the user)
        return made

    return _run(settings)


def run_file(path: str, overrides: Sequence[str] = ()) -> int:
    """`kafka-server-start FILE [--override KEY=VALUE ...]`. Returns the exit status."""
    return _run(lambda: {**read_properties_file(path), **read_flags(overrides)})


def setup(mounted: str | None, path: str) -> None:
    """Write the settings of this container's node to a file, without a start. Raises ConfigError, StartupError."""
    write_settings(path, container_settings(os.environ, mounted))


def _run(make: Callable[[], Mapping[str, str]]) -> int:
    try:
        settings = make()
    except (ConfigError, KafkaCompatError) as error:
        print(f"kafkacompat: {error}", file=sys.stderr)  # noqa: T201 (for the user)
        return 1
    from kafkacompat.cli.container.ready import Announcement

    directory = settings.get("log.dirs") or settings.get("log.dir") or TEMPORARY_LOG_DIR
    options = ServeOptions(
        configs=[f"{name}={value}" for name, value in settings.items()],
        cluster_id=_cluster_id(directory),
        data_dir=None if "," in directory else directory,
        never_sync=is_temporary(settings),
        addresses_by_peer="advertised.listeners" not in settings
        and "broker" in settings.get("process.roles", "broker"),
        log_level=os.environ.get("KAFKACOMPAT_LOG_LEVEL", "info").lower(),
    )
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
    return os.environ.get("CLUSTER_ID") or DEFAULT_CLUSTER_ID
