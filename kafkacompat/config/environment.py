"""Reads configuration from `KAFKA_*` variables, as Apache Kafka's container image does (KafkaDockerWrapper.scala).

Only `kafkacompat serve --from-env` reads them: on many machines such variables belong to an installation of Kafka.
"""

from __future__ import annotations

import re

from kafkacompat.config.definitions import broker_key
from kafkacompat.config.listeners import ADVERTISED_LISTENERS
from kafkacompat.config.values import TYPE_CHECKING, ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

PREFIX = "KAFKA_"
NO_CONFIGS = frozenset(
    PREFIX + name
    for name in (
        "CREATE_TOPICS", "GC_LOG_OPTS", "HEAP_OPTS", "JMX_HOSTNAME", "JMX_OPTS", "JVM_PERFORMANCE_OPTS",
        "LOG4J_LOGGERS", "LOG4J_OPTS", "LOG4J_ROOT_LOGLEVEL", "OPTS", "TOOLS_LOG4J_LOGLEVEL", "VERSION",
    )
)  # fmt: skip
"""Variables of Kafka's scripts that name no config (KafkaDockerWrapper.ExcludeServerPropsEnv), and
KAFKA_CREATE_TOPICS, which other images know: the container's hooks read it."""

BITNAMI_PREFIX = "KAFKA_CFG_"
BITNAMIS = frozenset(
    PREFIX + name
    for name in (
        "DATA_DIR", "ENABLE_KRAFT", "EXTRA_FLAGS", "INITIAL_CONTROLLERS", "KRAFT_BOOTSTRAP_SCRAM_USERS",
        "KRAFT_CLUSTER_ID", "SKIP_KRAFT_STORAGE_INIT", "VOLUME_DIR", "ZOOKEEPER_PROTOCOL",
    )
)  # fmt: skip
"""Variables of bitnami's image that name no config: only those that start with KAFKA_CFG_ do."""

LISTENERS = "listeners"
_HOST_OF_SEVERAL = re.compile(r"://(\S+)( \S+)+:(?=\d+$)")
_ANY_HOST = re.compile(r"://.*:(?=\d+$)")


def read_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The settings in the `KAFKA_*` variables.

    KAFKA_X wins over bitnami's KAFKA_CFG_X. Without `KAFKA_LISTENERS` a broker listens at the ports of
    `KAFKA_ADVERTISED_LISTENERS`, on all addresses. Raises ConfigError for advertised listeners of a node that is only a
    controller.
    """
    settings = {
        config_name(variable): value
        for variable, value in sorted(environ.items(), key=_precedence)
        if variable.startswith(PREFIX) and variable not in NO_CONFIGS and variable not in BITNAMIS
    }
    for name in (LISTENERS, ADVERTISED_LISTENERS):
        if name in settings:
            settings[name] = _clean(settings[name])
    advertised = settings.get(ADVERTISED_LISTENERS)
    if advertised and settings.get("process.roles", "").strip() == "controller":
        raise ConfigError(ADVERTISED_LISTENERS, advertised, "a node that is only a controller advertises no listeners")
    if advertised and LISTENERS not in settings:
        settings[LISTENERS] = ",".join(_ANY_HOST.sub("://0.0.0.0:", entry) for entry in advertised.split(","))
    return settings


def _precedence(item: tuple[str, str]) -> tuple[bool, str]:
    """Later ones win."""
    return not item[0].startswith(BITNAMI_PREFIX), item[0]


def config_name(variable: str) -> str:
    """The config that a variable stands for: KAFKA_LOG_DIRS is log.dirs, and so is bitnami's KAFKA_CFG_LOG_DIRS.

    In the images of Apache Kafka `__` is an underscore and `___` a dash, in Confluent's it is the other way round. The
    reading of a known config is taken, and Apache Kafka's if neither or both are.
    """
    text = variable.removeprefix(BITNAMI_PREFIX).removeprefix(PREFIX).lower()
    name = _replaced(text, dash="___", underscore="__")
    if broker_key(name) is not None:
        return name
    confluents = _replaced(text, dash="__", underscore="___")
    return name if broker_key(confluents) is None else confluents


def _replaced(text: str, *, dash: str, underscore: str) -> str:
    marks = {dash: "-", underscore: "_", "_": "."}
    return re.sub("_{1,3}", lambda found: marks[found[0]], text)


def _clean(listeners: str) -> str:
    """Without the comma that testcontainers for .NET leaves at the end, and with the first of several addresses, as
    `hostname -i` prints them in a container on two networks.
    """
    entries = (entry.strip() for entry in listeners.split(","))
    return ",".join(_HOST_OF_SEVERAL.sub(r"://\1:", entry) for entry in entries if entry)
