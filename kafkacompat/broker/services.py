"""Small protocols for the services of a node. Each part of a node declares the two or three that it uses.

Imported for type checking only. `Broker` implements all of them; only the server's runtime imports that class.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Protocol

from kafkacompat.broker.control.controller_channel import ControllerChannel
from kafkacompat.broker.long_answers import LongAnswers
from kafkacompat.broker.network import Address, Network
from kafkacompat.broker.purgatory import Purgatory
from kafkacompat.broker.replicas.replica_manager import ReplicaManager
from kafkacompat.broker.timers import LifeTimers, Timers
from kafkacompat.config import BrokerConfig
from kafkacompat.now import Now
from kafkacompat.protocol.primitives import Message
from kafkacompat.replication.metadata.image import MetadataImage
from kafkacompat.replication.metadata.quorum import MetadataQuorum
from kafkacompat.replication.partition import Partition
from kafkacompat.storage.manager import LogManager


class Identity(Protocol):
    """The ids of this node."""

    @property
    def node_id(self) -> int: ...
    @property
    def cluster_id(self) -> str: ...
    @property
    def incarnation_id(self) -> bytes:
        """A random id for each start of the process (KIP-631)."""

    @property
    def broker_epoch(self) -> int:
        """The epoch of this broker's registration; −1 while it is not registered."""


class Configured(Protocol):
    """The configuration of this node."""

    @property
    def config(self) -> BrokerConfig:
        """Static settings, overridden by the dynamic ones of this broker and of the cluster."""


class Metadata(Protocol):
    """The metadata of the cluster (Kafka's MetadataCache)."""

    @property
    def image(self) -> MetadataImage:
        """The newest image."""


class Waiting(Protocol):
    """Timers, and requests that wait."""

    @property
    def timers(self) -> Timers: ...
    @property
    def life_timers(self) -> LifeTimers: ...
    @property
    def purgatory(self) -> Purgatory: ...
    @property
    def long_answers(self) -> LongAnswers:
        """Also work that no client waits for."""


class ControllerCalls(Protocol):
    """Requests to the active controller and to other nodes."""

    @property
    def channel(self) -> ControllerChannel: ...
    @property
    def network(self) -> Network | None:
        """None in a single-node cluster."""

    @property
    def request_timeout_ms(self) -> int: ...


class Quorum(Protocol):
    """This node's replica of the metadata quorum."""

    @property
    def quorum(self) -> MetadataQuorum: ...


class Partitions(Protocol):
    """The replicas that live on this broker."""

    @property
    def partitions(self) -> ReplicaManager: ...


class Storage(Protocol):
    """The logs of this node."""

    @property
    def logs(self) -> LogManager: ...
    def request_flush(self, partition: Partition) -> None:
        """Have the partition's log synced, then re-check the requests that wait for the partition."""


class ProducerIdBlock(Protocol):
    """The unused producer ids of this broker."""

    @property
    def is_empty(self) -> bool: ...
    def next_id(self) -> int | None: ...


class Verifier(Protocol):
    """Asks whether a transaction is open (`broker/replicas/verification.py`)."""

    def verify(
        self,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        partitions: Sequence[tuple[str, int]],
        *,
        adds: bool,
        now: Now,
        done: Callable[[dict[tuple[str, int], int], Now], None],
    ) -> None: ...


class TailBound(Protocol):
    """Bounds what a coordinator loads (`Compaction`)."""

    def bound_tail(self, partition: Partition, now: Now) -> None: ...


class Compacting(Protocol):
    """The compaction of this node's logs."""

    @property
    def compaction(self) -> TailBound: ...


class Coordinating(Compacting, Configured, ControllerCalls, Identity, Metadata, Partitions, Storage, Waiting, Protocol):
    """What coordinators use of their node."""

    @property
    def producer_ids(self) -> ProducerIdBlock: ...
    def request_producer_ids(self, now: Now) -> None: ...
    def address_of(self, broker_id: int, /) -> Address | None: ...
    def call_here(
        self, api_key: int, version: int, request: Message, now: Now, done: Callable[[object | None, Now], None]
    ) -> None:
        """Call an API of this node (`LocalCalls.call`)."""

    @property
    def is_ready(self) -> bool: ...
    @property
    def rng(self) -> Random: ...
    @property
    def transaction_verifier(self) -> Verifier: ...
