"""A node's settings in the container: `KAFKA_*` variables on top of a mounted file on top of defaults.

In Apache Kafka's image a single variable replaces all defaults, and the start fails (KAFKA-17953). Here a default that
is missing is filled in, as long as it fits what was given.
"""

from __future__ import annotations

import os

from kafkacompat.cli.options import read_properties_file
from kafkacompat.config import development_defaults
from kafkacompat.config.environment import LISTENERS, read_environment
from kafkacompat.config.properties import write_properties
from kafkacompat.errors import StartupError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_CLUSTER_ID = "5L6g3nShT-eMCtK--X86sw"
"""The cluster id of Apache Kafka's image, without CLUSTER_ID."""

TEMPORARY_LOG_DIR = "/tmp/kraft-combined-logs"  # noqa: S108 (the default of Apache Kafka's image)
"""The default of log.dirs. Data there is never synced to disk: it goes with the container."""
DATA_VOLUME = "/var/lib/kafka/data"
BITNAMI_VOLUME = "/bitnami/kafka"
"""Data is kept in one of these, and synced, if the user has mounted a volume or a directory there."""
MOUNTS = "/proc/self/mountinfo"

ROLES, NODE_ID, BROKER_ID, LOG_DIRS = "process.roles", "node.id", "broker.id", "log.dirs"
VOTERS, CONTROLLER_NAMES = "controller.quorum.voters", "controller.listener.names"
CONTROLLER_PORT = 9093
OF_A_NODE = frozenset((
    ROLES, NODE_ID, BROKER_ID, LOG_DIRS, VOTERS, CONTROLLER_NAMES, LISTENERS, "advertised.listeners", "log.dir",
    "controller.quorum.bootstrap.servers", "inter.broker.listener.name", "listener.security.protocol.map",
))  # fmt: skip
"""Settings that each node of a cluster in one container gets from the cluster."""
ZOOKEEPER = "zookeeper."
VERSION = "KAFKACOMPAT_VERSION"
"""The release to stand for, such as 3.9.1 or Confluent's 7.9.0; the image is built with it, or has none."""


def container_settings(
    environ: Mapping[str, str], mounted: str | None = None, *, mounts: str = MOUNTS
) -> dict[str, str]:
    """The settings of the node of this container.

    mounted: the path of a server.properties file, which may be missing. mounts: the file with the mount points of this
    process, to find out whether the data volume is the user's. Raises ConfigError and StartupError.
    """
    settings = with_defaults(_given(environ, mounted))
    if LOG_DIRS not in settings and "log.dir" not in settings:
        settings[LOG_DIRS] = _own_log_dir(mounts)
    return settings


def cluster_settings(environ: Mapping[str, str], mounted: str | None = None, *, mounts: str = MOUNTS) -> dict[str, str]:
    """The settings of every broker of a cluster in one container, and `log.dirs`, the directory of the whole.

    What belongs to one node, such as its listeners, is settled by the cluster. Raises ConfigError and StartupError.
    """
    given = _given(environ, mounted)
    settings = {name: value for name, value in given.items() if name not in OF_A_NODE}
    settings[LOG_DIRS] = given.get(LOG_DIRS) or _own_log_dir(mounts)
    return settings


def with_defaults(given: Mapping[str, str]) -> dict[str, str]:
    """The given settings, and the defaults of a node that is broker and controller where nothing says otherwise.

    Without `process.roles` but with listeners, as in ZooKeeper's times, it is a single broker of one listener or more.
    """
    settings = dict(given)
    if ROLES not in settings:
        if LISTENERS in settings:
            return settings
        settings[ROLES] = "broker,controller"
    roles = {role.strip() for role in settings[ROLES].split(",")}
    node_id = settings.get(NODE_ID) or settings.get(BROKER_ID) or "1"
    settings.setdefault(NODE_ID, node_id)
    settings.setdefault(CONTROLLER_NAMES, "CONTROLLER")
    controller = settings[CONTROLLER_NAMES].split(",")[0].strip()
    listeners = [entry.strip() for entry in settings.get(LISTENERS, "").split(",") if entry.strip()]
    if "broker" in roles and not listeners:
        listeners.append("PLAINTEXT://:9092")
    if "controller" in roles and not any(entry.upper().startswith(f"{controller.upper()}://") for entry in listeners):
        listeners.append(f"{controller}://:{CONTROLLER_PORT}")
    settings[LISTENERS] = ",".join(listeners)
    if "controller" not in roles:
        return settings
    if VOTERS not in settings and "controller.quorum.bootstrap.servers" not in settings:
        settings[VOTERS] = f"{node_id}@localhost:{_controller_port(listeners, controller)}"
    if "broker" in roles and [_voter_id(voter) for voter in settings.get(VOTERS, "").split(",")] == [node_id]:
        for name, value in development_defaults(1).items():
            settings.setdefault(name, value)
    return settings


def is_mounted_by_user(path: str, mounts: str = MOUNTS) -> bool:
    """Whether a volume or directory of the user's is mounted at `path`.

    The image declares the volume, so an engine mounts an anonymous one, which has a hash for its name and is removed
    with the container: that one does not count.
    """
    try:
        with open(mounts, encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            entries = [line.split() for line in file]
    except OSError:
        return False
    roots = [entry[3] for entry in entries if len(entry) > 4 and entry[4] == path]
    return bool(roots) and not _is_anonymous(roots[-1])


def is_temporary(settings: Mapping[str, str]) -> bool:
    """Whether the data goes with the container, so that nothing has to be synced."""
    return settings.get(LOG_DIRS, settings.get("log.dir")) == TEMPORARY_LOG_DIR


def write_settings(path: str, settings: Mapping[str, str]) -> None:
    """Write a server.properties file. Raises StartupError with one line."""
    text = "# From KAFKA_* variables, a mounted file and defaults; written anew at each start.\n"
    try:
        with open(path, "w", encoding="ascii") as file:  # noqa: PTH123
            file.write(text + write_properties(dict(sorted(settings.items()))))
    except OSError as error:
        raise StartupError(f"{path} cannot be written: {error.strerror}") from None


def _given(environ: Mapping[str, str], mounted: str | None) -> dict[str, str]:
    """The settings of variables and file; ZooKeeper's are left out, as there is none, whatever a module believes."""
    given = {}
    if mounted is not None and os.path.exists(mounted):  # noqa: PTH110 (pathlib costs start-up time)
        given = read_properties_file(mounted)
    given = _of_release(environ.get(VERSION, "").strip()) | given | read_environment(environ)
    return {name: value for name, value in given.items() if not name.startswith(ZOOKEEPER)}


def _own_log_dir(mounts: str) -> str:
    """Where data is kept unless settings say so."""
    if is_mounted_by_user(DATA_VOLUME, mounts):
        return DATA_VOLUME
    return f"{BITNAMI_VOLUME}/data" if is_mounted_by_user(BITNAMI_VOLUME, mounts) else TEMPORARY_LOG_DIR


def _of_release(version: str) -> dict[str, str]:
    if not version:
        return {}
    from kafkacompat.config.releases import release_of, settings_of

    try:
        return settings_of(release_of(version))
    except ValueError as error:
        raise StartupError(f"{VERSION}: {error}") from None


def _controller_port(listeners: list[str], controller: str) -> str:
    for entry in listeners:
        if entry.upper().startswith(f"{controller.upper()}://"):
            return entry.rpartition(":")[2]
    return str(CONTROLLER_PORT)


def _voter_id(voter: str) -> str:
    return voter.partition("@")[0].strip()


def _is_anonymous(root: str) -> bool:
    """Whether the source of a mount ends in 64 hexadecimal digits, as engines name volumes that nobody has named."""
    parts = [part for part in root.split("/") if part and part != "_data"]
    return bool(parts) and len(parts[-1]) == 64 and all(digit in "0123456789abcdef" for digit in parts[-1])
