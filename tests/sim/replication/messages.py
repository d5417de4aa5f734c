"""The messages of brokers, controller and clients: Kafka's own, with a line for the trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkacompat.protocol.messages.alter_partition import AlterPartitionRequest, AlterPartitionResponse
    from kafkacompat.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest, BrokerHeartbeatResponse
    from kafkacompat.protocol.messages.broker_registration import BrokerRegistrationRequest, BrokerRegistrationResponse
    from kafkacompat.protocol.messages.fetch import FetchPartition, PartitionData
    from kafkacompat.replication.metadata.image import MetadataImage
    from tests.sim.replication.memory_log import Batch


class Said:
    """`line` is its text in the trace."""

    __slots__ = ("line",)

    def __init__(self, line: str) -> None:
        self.line = line


class Fetch(Said):
    """A follower's fetch; with replica −1 a consumer's."""

    def __init__(self, replica_id: int, broker_epoch: int, asked: FetchPartition) -> None:
        super().__init__(f"{asked.fetch_offset}@{asked.last_fetched_epoch} in {asked.current_leader_epoch}")
        self.replica_id = replica_id
        self.broker_epoch = broker_epoch
        self.asked = asked


class Fetched(Said):
    """The answer to a fetch."""

    def __init__(self, data: PartitionData) -> None:
        count = len(data.records[1]) if data.records else 0  # type: ignore[index]
        where = data.diverging_epoch
        diverging = f" diverging {where.epoch}/{where.end_offset}" if where.epoch != -1 else ""
        super().__init__(f"error {data.error_code} +{count} hw {data.high_watermark}{diverging}")
        self.data = data


class Produce(Said):
    """A producer's batch."""

    def __init__(self, batch: Batch, acks: int) -> None:
        super().__init__(f"{batch.value} acks {acks}")
        self.batch = batch
        self.acks = acks


class Produced(Said):
    """The answer to a batch."""

    def __init__(self, error_code: int, offset: int = -1, leader_epoch: int = -1) -> None:
        super().__init__(f"error {error_code} at {offset}")
        self.leader_epoch = leader_epoch
        self.error_code = error_code
        self.offset = offset


class MetadataFetch(Said):
    """A broker fetches the metadata log after `offset`."""

    def __init__(self, offset: int) -> None:
        super().__init__(f"after {offset}")
        self.offset = offset


class Metadata(Said):
    """The committed state at some later offset."""

    def __init__(self, image: MetadataImage | None) -> None:
        super().__init__("nothing" if image is None else f"{image.offset}")
        self.image = image


class ToController(Said):
    """A request for the active controller."""

    def __init__(
        self, request: AlterPartitionRequest | BrokerHeartbeatRequest | BrokerRegistrationRequest, line: str
    ) -> None:
        super().__init__(f"{type(request).__name__} {line}")
        self.request = request


class FromController(Said):
    """Its answer."""

    def __init__(self, response: AlterPartitionResponse | BrokerHeartbeatResponse | BrokerRegistrationResponse) -> None:
        partitions = [each for topic in getattr(response, "topics", ()) for each in topic.partitions]
        codes = [response.error_code, *(each.error_code for each in partitions)]
        super().__init__(f"{type(response).__name__} {codes} {getattr(response, 'broker_epoch', '')}")
        self.response = response
