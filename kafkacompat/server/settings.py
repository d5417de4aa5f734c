"""From what a user gave to a broker's configuration; the same for the command line and for `Cluster`."""

from __future__ import annotations

from kafkacompat.config import BrokerConfig, ConfigError, development_defaults
from kafkacompat.config.properties import apply_file_and_flags
from kafkacompat.config.protection import check_start
from kafkacompat.errors import StartupError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kafkacompat.storage.fs import Fs

FIRST_NODE_ID = 1
"""As Apache Kafka's container image numbers a single broker."""


def broker_config(flags: Mapping[str, str], file: Mapping[str, str] | None = None) -> tuple[BrokerConfig, list[str]]:
    """The configuration of one node, and lines of warning: settings that are not known, or that do not fit together.

    Who gives `process.roles` describes a node as Kafka does: what is not given has Kafka's default, and what Kafka
    demands has to be there. Otherwise this is a broker on its own, with development defaults.
    Raises StartupError with the reason for what cannot be taken.
    """
    known_file, known_flags, warnings = _known(file or {}, flags)
    if "process.roles" in known_file or "process.roles" in known_flags:
        config = _from_sources(known_file, known_flags, {})
        _check_node(config)
        return config, warnings + _misfits(config)
    development = {"node.id": str(FIRST_NODE_ID), **development_defaults(1)}
    if "broker.id" in known_file or "broker.id" in known_flags:
        del development["node.id"]
    config = _from_sources(known_file, known_flags, development)
    _check_ids(config)
    return config, warnings


def checked_settings(
    flags: Mapping[str, str], file: Mapping[str, str], listeners: Iterable[str]
) -> tuple[dict[str, str], list[str]]:
    """What is known of flags and file, the flags going before, and lines of warning: settings that are not known, or
    that have no effect.

    listeners: names of those that the nodes will have. Raises StartupError with the reason for what cannot be taken.
    """
    known_file, known_flags, warnings = _known(file, flags, listeners)
    _from_sources(known_file, known_flags, {})
    return {**known_file, **known_flags}, warnings


def _known(
    file: Mapping[str, str], flags: Mapping[str, str], listeners: Iterable[str] = ()
) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """What is known of file and flags, and lines of warning. Raises StartupError for what would protect a broker of
    Kafka's and does nothing here, known or not.
    """
    try:
        warnings = check_start({**file, **flags}, listeners)
    except ConfigError as error:
        raise StartupError(str(error)) from None
    known_file, known_flags, unknown = apply_file_and_flags(file, flags)
    return known_file, known_flags, unknown + warnings


def _from_sources(file: Mapping[str, str], flags: Mapping[str, str], development: Mapping[str, str]) -> BrokerConfig:
    try:
        return BrokerConfig.from_sources(file, flags, development)
    except ConfigError as error:
        raise StartupError(str(error)) from None


def _check_ids(config: BrokerConfig) -> None:
    if config.static.get("node.id") != config.static.get("broker.id"):
        one, other = config.static["node.id"], config.static["broker.id"]
        raise StartupError(f"node.id={one} and broker.id={other} are two names of one thing: leave one of them out")


def _check_node(config: BrokerConfig) -> None:
    """Refuse what Kafka refuses of a node's id; roles and listeners are judged in `roles` and `endpoints`."""
    if "node.id" not in config.static:
        raise StartupError("process.roles is given, so node.id has to be given too: another number for each node")
    _check_ids(config)


def _misfits(config: BrokerConfig) -> list[str]:
    """What Kafka logs and takes."""
    misfits = []
    if "controller" not in config.get_list("process.roles") and len(config.get_list("controller.listener.names")) > 1:
        misfits.append("controller.listener.names has several names: a node without a controller uses the first one")
    if config.get_int("broker.heartbeat.interval.ms") * 2 > config.get_int("broker.session.timeout.ms"):
        misfits.append(
            "broker.heartbeat.interval.ms is more than half of broker.session.timeout.ms: one late heartbeat fences a "
            "broker"
        )
    return misfits


def check_formatted(config: BrokerConfig, files: Fs, directory: str | None, cluster_id: str | None) -> None:
    """Whether a node that is described as for Kafka may start in its directory as it is (None: a temporary one).

    A new directory gets what the node itself can know. Who else votes it cannot, nor which cluster its peers are of.
    Raises StartupError with a line that says how to format it.
    """
    if "process.roles" not in config.static:
        return
    voters = [voter.partition("@")[0] for voter in config.get_list("controller.quorum.voters")]
    is_controller = "controller" in config.get_list("process.roles")
    is_alone = is_controller and voters in ([], [config.static["node.id"]])
    is_dynamic = not voters and config.get_list("controller.quorum.bootstrap.servers") != ()
    if is_alone and not is_dynamic:
        return
    if directory is None:
        raise StartupError("a node that is one of several needs a directory of its own: set log.dirs")
    if files.exists(f"{directory}/meta.properties"):
        return
    if is_controller and is_dynamic:
        raise StartupError(
            f"{directory} is not formatted: say who votes with kafkacompat format --properties FILE --cluster-id ID "
            "and --standalone, --initial-controllers or --no-initial-controllers"
        )
    if cluster_id is None:
        raise StartupError(
            f"{directory} is not formatted: name the cluster of this node with --cluster-id ID, the same for each node"
        )


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
