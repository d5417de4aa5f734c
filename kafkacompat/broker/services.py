"""What parts of a node use of each other, in small pieces: a part declares the two or three that it takes.

For types alone. `Broker` has all of them, and only the server's runtime knows that class.
"""

from typing import Protocol

from kafkacompat.broker.control.controller_channel import ControllerChannel
from kafkacompat.broker.network import Network
from kafkacompat.broker.purgatory import Purgatory
from kafkacompat.broker.timers import Timers
from kafkacompat.config import BrokerConfig
from kafkacompat.replication.metadata.image import MetadataImage
from kafkacompat.replication.metadata.quorum import MetadataQuorum
from kafkacompat.replication.partition import Partition
from kafkacompat.storage.manager import LogManager


class Identity(Protocol):
    """Who this node is."""

    @property
    def node_id(self) -> int: ...
    @property
    def cluster_id(self) -> str: ...
    @property
    def incarnation_id(self) -> bytes:
        """Of this process (KIP-631)."""

    @property
    def broker_epoch(self) -> int:
        """Of this broker's registration, −1 without one."""


class Configured(Protocol):
    """What it was told."""

    @property
    def config(self) -> BrokerConfig:
        """With what the metadata says of this broker and of all."""


class Metadata(Protocol):
    """What the cluster looks like (Kafka's MetadataCache)."""

    @property
    def image(self) -> MetadataImage:
        """The newest one."""


class Waiting(Protocol):
    """What comes later."""

    @property
    def timers(self) -> Timers: ...
    @property
    def purgatory(self) -> Purgatory: ...


class ControllerCalls(Protocol):
    """Requests to the active controller and to other nodes."""

    @property
    def channel(self) -> ControllerChannel: ...
    @property
    def network(self) -> Network | None:
        """None where this node is alone."""

    @property
    def request_timeout_ms(self) -> int: ...


class Quorum(Protocol):
    """This node's part in the metadata quorum."""

    @property
    def quorum(self) -> MetadataQuorum: ...


class Storage(Protocol):
    """The logs on its disk."""

    @property
    def logs(self) -> LogManager: ...
    def request_flush(self, partition: Partition) -> None:
        """Have the partition's log synced; whoever waits for it is asked again then."""
