"""AlterPartition (56): a leader proposes another in-sync set (KIP-497, rule C1; Kafka's ReplicationControlManager).

A compare-and-set on leader epoch and partition epoch. Each partition is decided alone; what is accepted is one atomic
batch, and the answer is given once that is committed.
"""

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import NO_BROKER_EPOCH
from kafkacompat.protocol.messages.alter_partition import (
    AlterPartitionResponse,
    AlterPartitionResponsePartitionData,
    AlterPartitionResponseTopicData,
)
from kafkacompat.replication.controller.election_context import election_context
from kafkacompat.replication.election import change
from kafkacompat.replication.metadata.delta import changed_partition
from kafkacompat.replication.metadata.image import NO_LEADER, RECOVERED, RECOVERING
from kafkacompat.replication.metadata.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.internal.cluster_metadata import PartitionChangeRecord
    from kafkacompat.protocol.messages.alter_partition import (
        AlterPartitionRequest,
        AlterPartitionRequestPartitionData,
    )
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.metadata.image import MetadataImage, PartitionImage, TopicImage
    from kafkacompat.replication.metadata.settings import Settings


def alter_partition(request: "AlterPartitionRequest", image: "MetadataImage", settings: "Settings") -> Result:
    """Change in-sync sets as their leaders ask. The whole request of a broker's past life is STALE_BROKER_EPOCH, unless
    it asks for nothing, which nobody looks at (Kafka's QuorumController).
    """
    if not request.topics:
        return Result([], AlterPartitionResponse())
    sender = image.brokers.get(request.broker_id)
    if sender is None or sender.epoch != request.broker_epoch:
        return Result([], AlterPartitionResponse(error_code=errors.STALE_BROKER_EPOCH))
    change_set = _Changes(request.broker_id, image, settings)
    topics = []
    for asked in request.topics:
        topic = image.topics_by_id.get(bytes(asked.topic_id))
        answers = [change_set.decide(topic, partition) for partition in asked.partitions]
        topics.append(AlterPartitionResponseTopicData(asked.topic_id, answers))
    return Result(change_set.records, AlterPartitionResponse(topics=topics))


class _Changes:
    """The changes of one request; a partition that it names twice is decided on what the first has made of it."""

    def __init__(self, sender_id: int, image: "MetadataImage", settings: "Settings") -> None:
        self.records: list[Message] = []
        self._sender_id = sender_id
        self._image = image
        self._settings = settings
        self._changed: dict[tuple[bytes, int], PartitionImage] = {}

    def decide(
        self, topic: "TopicImage | None", asked: "AlterPartitionRequestPartitionData"
    ) -> AlterPartitionResponsePartitionData:
        """The answer for one partition, whose record joins the others if it is accepted."""
        index = asked.partition_index
        if topic is None:
            return AlterPartitionResponsePartitionData(index, errors.UNKNOWN_TOPIC_ID)
        if not 0 <= index < len(topic.partitions):
            return AlterPartitionResponsePartitionData(index, errors.UNKNOWN_TOPIC_OR_PARTITION)
        partition = self._changed.get((topic.topic_id, index), topic.partitions[index])
        members = _members(asked)
        error = self._error(partition, asked, members)
        if error == errors.INELIGIBLE_REPLICA:
            self._supersede(topic, index, partition)
        if error != errors.NONE:
            return AlterPartitionResponsePartitionData(index, error)
        after = self._accept(topic, index, partition, tuple(broker_id for broker_id, _ in members), asked)
        if after.leader not in (partition.leader, NO_LEADER):
            # finishing a reassignment has moved the leadership: the change stands, and the sender must look anew
            return AlterPartitionResponsePartitionData(index, errors.NEW_LEADER_ELECTED)
        return AlterPartitionResponsePartitionData(
            index, errors.NONE, after.leader, after.leader_epoch, list(after.isr), after.recovery_state,
            after.partition_epoch,
        )  # fmt: skip

    def _accept(
        self,
        topic: "TopicImage",
        index: int,
        partition: "PartitionImage",
        isr: tuple[int, ...],
        asked: "AlterPartitionRequestPartitionData",
    ) -> "PartitionImage":
        context = election_context(self._settings, self._image, topic, partition)
        recovered = asked.leader_recovery_state == RECOVERED
        record = change(partition, topic.topic_id, index, context, isr=isr, recovered=recovered)
        return partition if record is None else self._changed_by(record, topic, index, partition)

    def _supersede(self, topic: "TopicImage", index: int, partition: "PartitionImage") -> None:
        """Raise the partition epoch. The leader gives a proposal up that names who may not join, and waits for that
        replica no more: no other copy of the request may be accepted later, when the replica is active again. Kafka
        refuses only, and would accept it.
        """
        context = election_context(self._settings, self._image, topic, partition)
        record = change(partition, topic.topic_id, index, context, bump=True)
        assert record is not None
        self._changed_by(record, topic, index, partition)

    def _changed_by(
        self, record: "PartitionChangeRecord", topic: "TopicImage", index: int, partition: "PartitionImage"
    ) -> "PartitionImage":
        self.records.append(record)
        after = self._changed[topic.topic_id, index] = changed_partition(partition, record)
        return after

    def _error(
        self, partition: "PartitionImage", asked: "AlterPartitionRequestPartitionData", members: list[tuple[int, int]]
    ) -> int:
        """Why a proposal is refused, in this order."""
        for error, is_so in (
            # the leader has seen more than we have: we are the controller no more
            (errors.NOT_CONTROLLER, asked.leader_epoch > partition.leader_epoch),
            (errors.NOT_CONTROLLER, asked.partition_epoch > partition.partition_epoch),
            (errors.FENCED_LEADER_EPOCH, asked.leader_epoch < partition.leader_epoch),
            (errors.INVALID_REQUEST, self._sender_id != partition.leader),
            (errors.INVALID_UPDATE_VERSION, asked.partition_epoch < partition.partition_epoch),
            (errors.INVALID_REQUEST, not _is_possible_isr(partition, [broker_id for broker_id, _ in members])),
            (errors.INVALID_REQUEST, not _is_possible_state(partition, asked.leader_recovery_state, len(members))),
            (errors.INELIGIBLE_REPLICA, any(not self._is_eligible(*member) for member in members)),
        ):
            if is_so:
                return error
        return errors.NONE

    def _is_eligible(self, broker_id: int, broker_epoch: int) -> bool:
        """Whether a member is active, in the life that its leader has seen (KIP-841, KIP-903); −1 does not say."""
        broker = self._image.brokers.get(broker_id)
        if broker is None or not broker.is_active:
            return False
        return broker_epoch in (NO_BROKER_EPOCH, broker.epoch)


def _members(asked: "AlterPartitionRequestPartitionData") -> list[tuple[int, int]]:
    """Ids and broker epochs of the wanted in-sync set; version 2 gives no epochs."""
    if asked.new_isr_with_epochs:
        return [(member.broker_id, member.broker_epoch) for member in asked.new_isr_with_epochs]
    return [(broker_id, NO_BROKER_EPOCH) for broker_id in asked.new_isr]


def _is_possible_isr(partition: "PartitionImage", isr: "Sequence[int]") -> bool:
    """Replicas, each once, with the leader among them."""
    return len(set(isr)) == len(isr) and set(isr) <= set(partition.replicas) and partition.leader in isr


def _is_possible_state(partition: "PartitionImage", wanted: int, isr_size: int) -> bool:
    """Who recovers from an unclean election is in sync alone, and nobody goes back to recovering (KIP-704)."""
    if wanted == RECOVERING:
        return partition.recovery_state == RECOVERING and isr_size <= 1
    return wanted == RECOVERED
