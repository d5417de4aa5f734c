"""The state of the cluster's metadata at one offset of the metadata log (Kafka's MetadataImage). Immutable.

Only `delta.apply` makes the next image, from records.
"""

from types import MappingProxyType

from kafkacompat.protocol.constants import NO_PARTITION_LEADER_EPOCH, UNKNOWN_OFFSET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Self

    from kafkacompat.protocol.primitives import Message

NO_LEADER = -1
RECOVERED = 0
RECOVERING = 1

# Reserved directory ids (Kafka's DirectoryId).
DIRECTORY_MIGRATING = bytes(16)
DIRECTORY_UNASSIGNED = bytes(15) + b"\x01"
DIRECTORY_LOST = bytes(15) + b"\x02"

# Types of config resources (Kafka's ConfigResource.Type).
TOPIC_RESOURCE = 2
BROKER_RESOURCE = 4
BROKER_LOGGER_RESOURCE = 8
CLIENT_METRICS_RESOURCE = 16
GROUP_RESOURCE = 32

_NOTHING: "Mapping[Any, Any]" = MappingProxyType({})


class Value:
    """Base of the immutable parts of an image: they compare by content, and `but` makes a changed copy."""

    __slots__: tuple[str, ...] = ()

    def but(self, **changes: object) -> "Self":
        """A copy with some fields changed."""
        copy = object.__new__(type(self))
        for name in self.__slots__:
            setattr(copy, name, changes[name] if name in changes else getattr(self, name))
        return copy

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self.__slots__)})"


class PartitionImage(Value):
    """One partition. Brokers are ids; `leader` is NO_LEADER if there is none; `directories` correspond to `replicas`.

    unclean_epoch: the newest leader epoch in which `recovery_state` was RECOVERING, whose leader may lack committed
    records; NO_PARTITION_LEADER_EPOCH if none is known. A snapshot of Apache Kafka does not contain it.
    """

    __slots__ = (
        "adding", "directories", "elr", "isr", "last_known_elr", "leader", "leader_epoch", "partition_epoch",
        "recovery_state", "removing", "replicas", "unclean_epoch",
    )  # fmt: skip

    def __init__(
        self,
        replicas: tuple[int, ...],
        isr: tuple[int, ...],
        leader: int,
        leader_epoch: int = 0,
        partition_epoch: int = 0,
        *,
        elr: tuple[int, ...] = (),
        last_known_elr: tuple[int, ...] = (),
        adding: tuple[int, ...] = (),
        removing: tuple[int, ...] = (),
        recovery_state: int = RECOVERED,
        directories: tuple[bytes, ...] = (),
    ) -> None:
        self.replicas = replicas
        self.isr = isr
        self.leader = leader
        self.leader_epoch = leader_epoch
        self.partition_epoch = partition_epoch
        self.elr = elr
        self.last_known_elr = last_known_elr
        self.adding = adding
        self.removing = removing
        self.recovery_state = recovery_state
        self.unclean_epoch = leader_epoch if recovery_state == RECOVERING else NO_PARTITION_LEADER_EPOCH
        self.directories = directories

    def directory(self, broker_id: int) -> bytes:
        """The log directory of a replica; UNASSIGNED for other brokers."""
        if broker_id not in self.replicas or not self.directories:
            return DIRECTORY_UNASSIGNED
        return self.directories[self.replicas.index(broker_id)]


class TopicImage(Value):
    """A topic. A partition's index is its place in `partitions`."""

    __slots__ = ("name", "partitions", "topic_id")

    def __init__(self, name: str, topic_id: bytes, partitions: tuple[PartitionImage, ...] = ()) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = partitions


class Endpoint(Value):
    """The address of a listener. `security_protocol` is Kafka's number: 0 PLAINTEXT, 1 SSL, 2 and 3 with SASL."""

    __slots__ = ("host", "name", "port", "security_protocol")

    def __init__(self, name: str, host: str, port: int, security_protocol: int = 0) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.security_protocol = security_protocol

    @property
    def address(self) -> str:
        """host:port, an IPv6 address in brackets."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class BrokerImage(Value):
    """A broker's registration. `features` are ranges: name -> (lowest, highest) level that it supports."""

    __slots__ = (
        "cordoned_log_dirs", "endpoints", "epoch", "features", "fenced", "id", "in_controlled_shutdown",
        "incarnation_id", "log_dirs", "rack",
    )  # fmt: skip

    def __init__(
        self,
        broker_id: int,
        epoch: int,
        incarnation_id: bytes,
        endpoints: tuple[Endpoint, ...] = (),
        rack: str | None = None,
        *,
        fenced: bool = True,
        in_controlled_shutdown: bool = False,
        features: "Mapping[str, tuple[int, int]]" = _NOTHING,
        log_dirs: tuple[bytes, ...] = (),
        cordoned_log_dirs: tuple[bytes, ...] | None = None,
    ) -> None:
        self.id = broker_id
        self.epoch = epoch
        self.incarnation_id = incarnation_id
        self.endpoints = endpoints
        self.rack = rack
        self.fenced = fenced
        self.in_controlled_shutdown = in_controlled_shutdown
        self.features = features
        self.log_dirs = log_dirs
        self.cordoned_log_dirs = cordoned_log_dirs

    @property
    def is_active(self) -> bool:
        """Whether it may lead partitions and join ISRs: unfenced, and not in controlled shutdown."""
        return not self.fenced and not self.in_controlled_shutdown

    @property
    def is_cordoned(self) -> bool:
        """Whether all its log directories are cordoned (KIP-1066): it gets no new replicas."""
        return bool(self.cordoned_log_dirs) and set(self.log_dirs) <= set(self.cordoned_log_dirs or ())

    @property
    def full_log_dirs(self) -> set[bytes]:
        """The log directories whose disks are full: our brokers name each of them twice among the cordoned ones."""
        cordoned = self.cordoned_log_dirs
        return {each for each in cordoned if cordoned.count(each) > 1} if cordoned else set()

    @property
    def is_full(self) -> bool:
        """Whether the disks of all its log directories are full: it takes no new records."""
        return bool(self.cordoned_log_dirs) and set(self.log_dirs) <= self.full_log_dirs

    def lacks_room(self, directory: bytes) -> bool:
        """Whether one of its directories takes no new records."""
        return directory in self.full_log_dirs or self.is_full


class ControllerImage(Value):
    """A controller's registration."""

    __slots__ = ("endpoints", "features", "id", "incarnation_id")

    def __init__(
        self,
        controller_id: int,
        incarnation_id: bytes,
        endpoints: tuple[Endpoint, ...],
        features: "Mapping[str, tuple[int, int]]",
    ) -> None:
        self.id = controller_id
        self.incarnation_id = incarnation_id
        self.endpoints = endpoints
        self.features = features


class MetadataImage(Value):
    """The state after the record at `offset`, whose leader epoch is `epoch`; −1 and 0 for the empty image.

    `topics` by name and `topics_by_id` hold the same TopicImages. `configs` is by (resource type, resource name);
    resources without configs are absent. `features` are the finalized levels. `transaction` has the records of an
    unfinished metadata transaction (KIP-868), which are not in effect yet. `kept` has the unchanged records of features
    that are not implemented yet (access control, quotas, …), for snapshots.
    """

    __slots__ = (
        "brokers", "configs", "controllers", "epoch", "features", "kept", "next_producer_id", "offset", "topics",
        "topics_by_id", "transaction",
    )  # fmt: skip

    def __init__(
        self,
        *,
        offset: int = UNKNOWN_OFFSET,
        epoch: int = 0,
        topics: "Mapping[str, TopicImage]" = _NOTHING,
        topics_by_id: "Mapping[bytes, TopicImage]" = _NOTHING,
        configs: "Mapping[tuple[int, str], Mapping[str, str]]" = _NOTHING,
        brokers: "Mapping[int, BrokerImage]" = _NOTHING,
        controllers: "Mapping[int, ControllerImage]" = _NOTHING,
        features: "Mapping[str, int]" = _NOTHING,
        next_producer_id: int = 0,
        transaction: "tuple[Message, ...] | None" = None,
        kept: "tuple[Message, ...]" = (),
    ) -> None:
        self.offset = offset
        self.epoch = epoch
        self.topics = topics
        self.topics_by_id = topics_by_id
        self.configs = configs
        self.brokers = brokers
        self.controllers = controllers
        self.features = features
        self.next_producer_id = next_producer_id
        self.transaction = transaction
        self.kept = kept

    def partition(self, topic: str, index: int) -> PartitionImage | None:
        """A partition by name and index."""
        found = self.topics.get(topic)
        if found is None or not 0 <= index < len(found.partitions):
            return None
        return found.partitions[index]

    def topic_name(self, topic_id: bytes) -> str | None:
        """The name of the topic with this id."""
        found = self.topics_by_id.get(topic_id)
        return None if found is None else found.name

    def offline_replicas(self, partition: PartitionImage) -> list[int]:
        """The replicas on brokers that are fenced or not registered."""
        return [
            broker_id
            for broker_id in partition.replicas
            if (broker := self.brokers.get(broker_id)) is None or broker.fenced
        ]

    def config(self, resource_type: int, resource_name: str) -> "Mapping[str, str]":
        """The configs set on a resource."""
        return self.configs.get((resource_type, resource_name), _NOTHING)

    def is_active(self, broker_id: int) -> bool:
        """Whether the broker is registered, unfenced and not in controlled shutdown."""
        broker = self.brokers.get(broker_id)
        return broker is not None and broker.is_active


EMPTY_IMAGE = MetadataImage()
