"""Makes a broker's configuration from a user's settings, for the command line and for `Cluster`."""

from __future__ import annotations

import os

from kafkacompat.config import BrokerConfig, ConfigError, development_defaults
from kafkacompat.config.broker_rules import check_broker_rules
from kafkacompat.config.properties import apply_file_and_flags
from kafkacompat.config.protection import check_start
from kafkacompat.errors import StartupError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FIRST_NODE_ID = 1
"""The id of a single broker, as in Apache Kafka's container image."""


def broker_config(flags: Mapping[str, str], file: Mapping[str, str] | None = None) -> tuple[BrokerConfig, list[str]]:
    """The configuration of one node, and warnings about settings that are unknown or do not fit together.

    With `process.roles` Kafka's rules apply: its defaults, and its required settings. Without it the node is a single
    broker with development defaults. Raises StartupError with the reason for an invalid setting.
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
    """The known settings of flags and file (flags take precedence), and warnings about those that are unknown or have
    no effect.

    listeners: the listener names of the nodes. Raises StartupError with the reason for an invalid setting.
    """
    known_file, known_flags, warnings = _known(file, flags, listeners)
    _from_sources(known_file, known_flags, {})
    return {**known_file, **known_flags}, warnings


def _known(
    file: Mapping[str, str], flags: Mapping[str, str], listeners: Iterable[str] = ()
) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """The known settings of file and flags, and warnings. Raises StartupError for a setting that would protect Apache
    Kafka but protects nothing here.
    """
    try:
        warnings = check_start({**file, **flags}, listeners)
    except ConfigError as error:
        raise StartupError(str(error)) from None
    known_file, known_flags, unknown = apply_file_and_flags(file, flags)
    return known_file, known_flags, unknown + warnings


def _from_sources(file: Mapping[str, str], flags: Mapping[str, str], development: Mapping[str, str]) -> BrokerConfig:
    try:
        config = BrokerConfig.from_sources(file, flags, development)
        check_broker_rules(config)
        return config
    except ConfigError as error:
        raise StartupError(str(error)) from None


def _check_ids(config: BrokerConfig) -> None:
    if config.static.get("node.id") != config.static.get("broker.id"):
        one, other = config.static["node.id"], config.static["broker.id"]
        raise StartupError(f"node.id={one} and broker.id={other} differ, but mean the same: leave one of them out")


def _check_node(config: BrokerConfig) -> None:
    """Check the node id as Kafka does; `roles` and `endpoints` check roles and listeners."""
    if "node.id" not in config.static:
        raise StartupError("process.roles requires node.id: set it, to another number for each node")
    _check_ids(config)


def _misfits(config: BrokerConfig) -> list[str]:
    """Warnings about settings that Kafka accepts with a warning."""
    misfits = []
    if "controller" not in config.get_list("process.roles") and len(config.get_list("controller.listener.names")) > 1:
        misfits.append("controller.listener.names has several names: a node without a controller uses the first one")
    if config.get_int("broker.heartbeat.interval.ms") * 2 > config.get_int("broker.session.timeout.ms"):
        misfits.append(
            "broker.heartbeat.interval.ms is more than half of broker.session.timeout.ms: one late heartbeat fences a "
            "broker"
        )
    return misfits


def data_dir(config: BrokerConfig, chosen: str | None) -> str | None:
    """The directory of the metadata log: `chosen`, which holds everything, else `metadata.log.dir`, else the first of
    `log_dirs`; None for a temporary one.
    """
    if chosen is not None:
        return chosen
    dirs = log_dirs(config, chosen)
    text = config.static.get("metadata.log.dir", "").strip()
    if text and not dirs:
        raise StartupError(f"metadata.log.dir={text} needs directories for the other logs, too: set log.dirs")
    if not text:
        return dirs[0] if dirs else None
    real = os.path.realpath(text)  # one directory goes by one name: see `log_dirs`
    return next((each for each in dirs if os.path.realpath(each) == real), text)


def log_dirs(config: BrokerConfig, chosen: str | None) -> tuple[str, ...]:
    """The log directories: `chosen`, else those of `log.dirs` or `log.dir`; none for a temporary one.

    Raises StartupError if two paths lead to the same directory.
    """
    if chosen is not None:
        return (chosen,)
    for name in ("log.dirs", "log.dir"):
        if name in config.static:
            text = config.static[name]
            dirs = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
            if not dirs:
                raise StartupError(f"{name}={text}: give a directory")
            if len(dirs) > 1:
                _check_apart(name, dirs)
            return dirs
    return ()


def _check_apart(name: str, dirs: tuple[str, ...]) -> None:
    real: dict[str, str] = {}
    for each in dirs:
        other = real.setdefault(os.path.realpath(each), each)
        if other is not each:
            raise StartupError(f"{name}: {other} and {each} are the same directory: leave one of them out")
