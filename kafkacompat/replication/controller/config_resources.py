"""The rules for altering the configs of each type of resource, and the records of an allowed alteration."""

from kafkacompat.config.alter import (
    apply_operation,
    check_broker_change,
    check_broker_config,
    check_group_configs,
    check_topic_configs,
)
from kafkacompat.config.definitions import CLIENT_METRICS_CONFIGS, GROUP_CONFIGS, TOPIC_CONFIGS, broker_key
from kafkacompat.config.listeners import ADVERTISED_LISTENERS, advertised
from kafkacompat.config.protection import check_alteration
from kafkacompat.protocol.error_codes import INVALID_CONFIG, INVALID_REQUEST, UNKNOWN_TOPIC_OR_PARTITION
from kafkacompat.protocol.internal.cluster_metadata import ConfigRecord
from kafkacompat.replication.controller.client_metrics import check_client_metrics
from kafkacompat.replication.controller.election_context import election_context, min_isr_of
from kafkacompat.replication.controller.topics import check_topic_name
from kafkacompat.replication.election import change
from kafkacompat.replication.metadata.delta import apply
from kafkacompat.replication.metadata.features import has_cordoned_directories
from kafkacompat.replication.metadata.image import (
    BROKER_RESOURCE,
    CLIENT_METRICS_RESOURCE,
    GROUP_RESOURCE,
    TOPIC_RESOURCE,
)
from kafkacompat.replication.metadata.result import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kafkacompat.config.values import ConfigKey
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.metadata.image import MetadataImage, TopicImage
    from kafkacompat.replication.metadata.settings import Settings

MIN_ISR = "min.insync.replicas"
CORDONED = "cordoned.log.dirs"


class Operation:
    """An operation on one config of a resource: a kind of `config.alter`, and the value."""

    __slots__ = ("kind", "name", "value")

    def __init__(self, name: str, kind: int, value: str | None) -> None:
        self.name = name
        self.kind = kind
        self.value = value


def checker(
    resource: tuple[int, str],
    image: "MetadataImage",
    settings: "Settings",
    *,
    any_broker: bool = False,
    is_direct: bool = False,
) -> "_Checker":
    """The rules for one resource. Raises RefusedError for an unknown type.

    any_broker: whether the resource may be a broker other than this node. is_direct: whether a client has asked the
    controller itself, so that no broker has validated the change.
    """
    checkers = _CHECKERS_OF_ANY_BROKER if any_broker else _CHECKERS
    if is_direct and resource[0] == BROKER_RESOURCE:
        return _DirectChecker(resource[1], image, settings)
    found = checkers.get(resource[0])
    if found is None:
        raise RefusedError(INVALID_REQUEST, f"Unknown resource type {resource[0]}")
    return found(resource[1], image, settings)


class _Checker:
    """The rules that all types of resource share."""

    resource_type: int
    #: Write a record even if the value does not change: brokers reload the file at a path (KAFKA-14136).
    repeats = False

    def __init__(self, name: str, image: "MetadataImage", settings: "Settings") -> None:
        self.name = name
        self.image = image
        self.settings = settings
        self.present = image.config(self.resource_type, name)

    def records(self, operations: list[Operation]) -> "list[Message]":
        """The records of an alteration. Raises RefusedError or ConfigError."""
        self.check_name()
        altered: dict[str, str | None] = {}
        for operation in operations:
            key = self.key(operation.name)
            present = self.present.get(operation.name)
            base = key.default if present is None and key is not None else present
            altered[operation.name] = apply_operation(key, operation.name, base, operation.kind, operation.value)
        wanted = {**self.present, **altered}
        self.check(altered, {name: value for name, value in wanted.items() if value is not None})
        changes = [
            ConfigRecord(self.resource_type, self.name, name, value)
            for name, value in altered.items()
            if self.repeats or value != self.present.get(name)
        ]
        return [*changes, *self.consequences(changes)]

    def key(self, name: str) -> "ConfigKey | None":
        """The definition of a config; None if it is unknown."""
        raise NotImplementedError

    def check_name(self) -> None:
        """Raises RefusedError if the resource's name is invalid."""

    def check(self, altered: "Mapping[str, str | None]", wanted: "Mapping[str, str]") -> None:
        """Raises RefusedError or ConfigError if the resource cannot have the wanted configs."""
        raise NotImplementedError

    def consequences(self, changes: list[ConfigRecord]) -> "Iterable[Message]":  # noqa: ARG002
        """Further records of the same change."""
        return ()


class _TopicChecker(_Checker):
    resource_type = TOPIC_RESOURCE

    def key(self, name: str) -> "ConfigKey | None":
        return TOPIC_CONFIGS.get(name)

    def check_name(self) -> None:
        if not self.name:
            raise RefusedError(INVALID_REQUEST, "Default topic resources are not allowed.")
        check_topic_name(self.name)

    def check(self, altered: "Mapping[str, str | None]", wanted: "Mapping[str, str]") -> None:  # noqa: ARG002
        check_topic_configs(wanted, self.settings.broker_config(self.image))
        if self.name not in self.image.topics:
            raise RefusedError(UNKNOWN_TOPIC_OR_PARTITION, f"The topic '{self.name}' does not exist.")

    def consequences(self, changes: list[ConfigRecord]) -> "Iterable[Message]":
        if any(record.name == MIN_ISR for record in changes):
            return _eligible_again(self.image, self.settings, changes, [self.image.topics[self.name]])
        return ()


class _BrokerChecker(_Checker):
    resource_type = BROKER_RESOURCE
    repeats = True

    def key(self, name: str) -> "ConfigKey | None":
        return broker_key(name)

    def check_name(self) -> None:
        if not self.name:
            return
        broker_id = _integer(self.name)
        if broker_id is None:
            raise RefusedError(INVALID_REQUEST, f"Node id must be an integer, but it is: {self.name}")
        if broker_id != self.settings.node_id:
            message = f"Unexpected broker id, expected {self.settings.node_id}, but received {self.name}"
            raise RefusedError(INVALID_REQUEST, message)

    def check(self, altered: "Mapping[str, str | None]", wanted: "Mapping[str, str]") -> None:
        present = self.settings.broker_config(self.image)
        for name, value in altered.items():
            if value is not None:
                check_alteration(name, value, present)
            if name == ADVERTISED_LISTENERS and self.name:
                self.check_advertised(value)
                continue
            check_broker_config(name, value, per_broker=bool(self.name))
        self.check_change(wanted)
        # Kafka's controller makes this check, after its broker has made the others.
        if MIN_ISR in altered and self.name:
            raise RefusedError(INVALID_CONFIG, f"Broker-level {MIN_ISR} cannot be altered while ELR is enabled.")
        if CORDONED in altered and not has_cordoned_directories(self.image):
            message = (
                f"The {CORDONED} configuration value cannot be set because it requires metadata.version >= 4.3-IV0"
            )
            raise RefusedError(INVALID_CONFIG, message)
        if MIN_ISR in altered and altered[MIN_ISR] is None:
            raise RefusedError(INVALID_CONFIG, f"Cluster-level {MIN_ISR} cannot be removed while ELR is enabled.")

    def check_advertised(self, value: str | None) -> None:
        """Unlike Apache Kafka since 4.0, a running broker takes other advertised listeners. Raises ConfigError."""
        if value is not None:
            present = self.settings.broker_config(self.image)
            is_own = self.name == str(self.settings.node_id)
            names = {text.partition("://")[0].strip().upper() for text in present.get_list("listeners")}
            advertised(value, names if is_own else None)

    def check_change(self, wanted: "Mapping[str, str]") -> None:
        """Raises ConfigError if this running node cannot apply the wanted configs."""
        old = self.settings.broker_config(self.image)
        new = old.with_dynamic(old.cluster, wanted) if self.name else old.with_dynamic(wanted, old.broker)
        check_broker_change(old, new)

    def consequences(self, changes: list[ConfigRecord]) -> "Iterable[Message]":
        if any(record.name == MIN_ISR for record in changes):
            return _eligible_again(self.image, self.settings, changes, self.image.topics.values())
        return ()


class _AnyBrokerChecker(_BrokerChecker):
    """The active controller's checks for other brokers (Kafka's ControllerConfigurationValidator). The broker that got
    the request has validated the change against its own configuration.
    """

    def check_name(self) -> None:
        if not self.name:
            return
        broker_id = _integer(self.name)
        if broker_id is None:
            raise RefusedError(INVALID_REQUEST, "Unable to parse broker name as a base 10 number.")
        if broker_id < 0:
            raise RefusedError(INVALID_REQUEST, "Invalid negative broker ID.")

    def check_change(self, wanted: "Mapping[str, str]") -> None:
        if not self.name or int(self.name) == self.settings.node_id:
            super().check_change(wanted)


class _DirectChecker(_AnyBrokerChecker):
    """The checks for a client that has asked the controller itself."""

    def check(self, altered: "Mapping[str, str | None]", wanted: "Mapping[str, str]") -> None:
        if CORDONED in altered and has_cordoned_directories(self.image):
            self.check_cordoned(altered[CORDONED] or "")
        super().check(altered, wanted)

    def check_cordoned(self, value: str) -> None:
        """A controller does not know the paths of a broker's directories: entries can only be taken out here
        (``ConfigurationControlManager.isCordonedLogDirsInvalid``). Raises RefusedError.
        """
        present = set(map(str.strip, self.present.get(CORDONED, "").split(",")))
        if value.strip() and not present.issuperset(map(str.strip, value.split(","))):
            message = (
                f"When updating {CORDONED} via controllers,  the new value must be a subset of the current "
                "configuration value."
            )
            raise RefusedError(INVALID_CONFIG, message)


class _GroupChecker(_Checker):
    resource_type = GROUP_RESOURCE

    def key(self, name: str) -> "ConfigKey | None":
        return GROUP_CONFIGS.get(name)

    def check_name(self) -> None:
        if not self.name:
            raise RefusedError(INVALID_REQUEST, "Default group resources are not allowed.")

    def check(self, altered: "Mapping[str, str | None]", wanted: "Mapping[str, str]") -> None:  # noqa: ARG002
        check_group_configs(wanted, self.settings.broker_config(self.image))


class _ClientMetricsChecker(_Checker):
    resource_type = CLIENT_METRICS_RESOURCE

    def key(self, name: str) -> "ConfigKey | None":
        return CLIENT_METRICS_CONFIGS.get(name)

    def check_name(self) -> None:
        if not self.name:
            raise RefusedError(INVALID_REQUEST, "Subscription name can't be empty")

    def check(self, altered: "Mapping[str, str | None]", wanted: "Mapping[str, str]") -> None:  # noqa: ARG002
        check_client_metrics(wanted)


_CHECKERS: dict[int, type[_Checker]] = {
    checker.resource_type: checker for checker in (_TopicChecker, _BrokerChecker, _GroupChecker, _ClientMetricsChecker)
}
_CHECKERS_OF_ANY_BROKER: dict[int, type[_Checker]] = {**_CHECKERS, BROKER_RESOURCE: _AnyBrokerChecker}


def _integer(text: str) -> int | None:
    """A 32-bit integer as Java reads one: no blanks and no underscores."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not digits.isdecimal():
        return None
    number = int(text)
    return number if -(1 << 31) <= number < 1 << 31 else None


def _eligible_again(
    image: "MetadataImage", settings: "Settings", changes: list[ConfigRecord], topics: "Iterable[TopicImage]"
) -> "Iterable[Message]":
    """Rule C5: a new min.insync.replicas recomputes the ELR, in the same batch.

    Kafka clears the ELR here. The partition epoch is raised even if the ELR stays the same, so that a leader that has
    not seen the new minimum cannot shrink its ISR under the old one.
    """
    after = apply(image, changes, image.offset, image.epoch)
    for topic in topics:
        for index, partition in enumerate(topic.partitions):
            if min_isr_of(settings, image, topic, partition) != min_isr_of(settings, after, topic, partition):
                context = election_context(settings, after, topic, partition)
                record = change(partition, topic.topic_id, index, context, bump=True)
                assert record is not None
                yield record
