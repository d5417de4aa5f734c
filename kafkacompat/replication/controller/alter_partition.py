"""AlterPartition (56): a leader proposes another ISR (KIP-497, rule C1; Kafka's ReplicationControlManager).

This is a compare-and-set on leader epoch and partition epoch. Each partition succeeds or fails by itself; accepted
changes form one atomic batch, and the answer waits until that is committed.
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
    """Change ISRs as their leaders propose. A request of a broker's previous incarnation is STALE_BROKER_EPOCH as a
    whole; an empty request is not checked (Kafka's QuorumController).
    """
    if not request.topics:
        return Result([], AlterPartitionResponse())
    sender = image.brokers.get(request.broker_id)
    if sender is None or sender.epoch != request.broker_epoch:
        return Result([], AlterPartitionResponse(error_code=errors.STALE_BROKER_EPOCH))
    change_set = _Changes(request.broker_id, image, settings)
    topics = []
    for topic_data in request.topics:
        topic = image.topics_by_id.get(bytes(topic_data.topic_id))
        answers = [change_set.decide(topic, partition) for partition in topic_data.partitions]
        topics.append(AlterPartitionResponseTopicData(topic_data.topic_id, answers))
    return Result(change_set.records, AlterPartitionResponse(topics=topics))


class _Changes:
    """The changes of one request. A partition listed twice is decided the second time on the result of the first."""

    def __init__(self, sender_id: int, image: "MetadataImage", settings: "Settings") -> None:
        self.records: list[Message] = []
        self._sender_id = sender_id
        self._image = image
        self._settings = settings
        self._changed: dict[tuple[bytes, int], PartitionImage] = {}

    def decide(
        self, topic: "TopicImage | None", proposal: "AlterPartitionRequestPartitionData"
    ) -> AlterPartitionResponsePartitionData:
        """Decide on one partition, and add its record if the proposal is accepted. Returns the answer."""
        index = proposal.partition_index
        if topic is None:
            return AlterPartitionResponsePartitionData(index, errors.UNKNOWN_TOPIC_ID)
        if not 0 <= index < len(topic.partitions):
            return AlterPartitionResponsePartitionData(index, errors.UNKNOWN_TOPIC_OR_PARTITION)
        partition = self._changed.get((topic.topic_id, index), topic.partitions[index])
        members = _members(proposal)
        error = self._error(partition, proposal, members)
        if error == errors.INELIGIBLE_REPLICA:
            self._supersede(topic, index, partition)
        if error != errors.NONE:
            return AlterPartitionResponsePartitionData(index, error)
        after = self._accept(topic, index, partition, tuple(broker_id for broker_id, _ in members), proposal)
        if after.leader not in (partition.leader, NO_LEADER):
            # the change completed a reassignment and moved the leadership: the sender must refresh its metadata
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
        proposal: "AlterPartitionRequestPartitionData",
    ) -> "PartitionImage":
        context = election_context(self._settings, self._image, topic, partition)
        recovered = proposal.leader_recovery_state == RECOVERED
        record = change(partition, topic.topic_id, index, context, isr=isr, recovered=recovered)
        return partition if record is None else self._changed_by(record, topic, index, partition)

    def _supersede(self, topic: "TopicImage", index: int, partition: "PartitionImage") -> None:
        """Raise the partition epoch. A leader withdraws a proposal with an ineligible replica and stops waiting for it
        to commit. So no late copy of the request may be accepted once that replica is active again. Kafka only refuses
        the request, and would accept such a copy.
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
        self,
        partition: "PartitionImage",
        proposal: "AlterPartitionRequestPartitionData",
        members: list[tuple[int, int]],
    ) -> int:
        """The first of these errors that applies to a proposal."""
        for error, applies in (
            # the leader has newer metadata than this node, which is no longer the controller
            (errors.NOT_CONTROLLER, proposal.leader_epoch > partition.leader_epoch),
            (errors.NOT_CONTROLLER, proposal.partition_epoch > partition.partition_epoch),
            (errors.FENCED_LEADER_EPOCH, proposal.leader_epoch < partition.leader_epoch),
            (errors.INVALID_REQUEST, self._sender_id != partition.leader),
            (errors.INVALID_UPDATE_VERSION, proposal.partition_epoch < partition.partition_epoch),
            (errors.INVALID_REQUEST, not _is_possible_isr(partition, [broker_id for broker_id, _ in members])),
            (errors.INVALID_REQUEST, not _is_possible_state(partition, proposal.leader_recovery_state, len(members))),
            (errors.INELIGIBLE_REPLICA, any(not self._is_eligible(*member) for member in members)),
        ):
            if applies:
                return error
        return errors.NONE

    def _is_eligible(self, broker_id: int, broker_epoch: int) -> bool:
        """Whether an ISR member is active in the incarnation that the leader has seen (KIP-841, KIP-903); −1 matches
        any.
        """
        broker = self._image.brokers.get(broker_id)
        if broker is None or not broker.is_active:
            return False
        return broker_epoch in (NO_BROKER_EPOCH, broker.epoch)


def _members(proposal: "AlterPartitionRequestPartitionData") -> list[tuple[int, int]]:
    """Ids and broker epochs of the proposed ISR; version 2 has no epochs."""
    if proposal.new_isr_with_epochs:
        return [(member.broker_id, member.broker_epoch) for member in proposal.new_isr_with_epochs]
    return [(broker_id, NO_BROKER_EPOCH) for broker_id in proposal.new_isr]


def _is_possible_isr(partition: "PartitionImage", isr: "Sequence[int]") -> bool:
    """Whether the ISR consists of replicas, each once, including the leader."""
    return len(set(isr)) == len(isr) and set(isr) <= set(partition.replicas) and partition.leader in isr


def _is_possible_state(partition: "PartitionImage", wanted: int, isr_size: int) -> bool:
    """Whether the leader recovery state is valid: while RECOVERING the leader is the only ISR member, and RECOVERED is
    final (KIP-704).
    """
    if wanted == RECOVERING:
        return partition.recovery_state == RECOVERING and isr_size <= 1
    return wanted == RECOVERED
