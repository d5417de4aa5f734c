"""AssignReplicasToDirs (73): a broker reports which of its directories holds each replica (KIP-858)."""

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.internal.cluster_metadata import PartitionChangeRecord
from kafkacompat.protocol.messages.assign_replicas_to_dirs import (
    AssignReplicasToDirsResponse,
    AssignReplicasToDirsResponseDirectoryData,
    AssignReplicasToDirsResponsePartitionData,
    AssignReplicasToDirsResponseTopicData,
)
from kafkacompat.replication.controller.election_context import election_context
from kafkacompat.replication.election import change
from kafkacompat.replication.metadata.delta import changed_partition
from kafkacompat.replication.metadata.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.protocol.messages.assign_replicas_to_dirs import AssignReplicasToDirsRequest
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.metadata.image import BrokerImage, MetadataImage, PartitionImage, TopicImage
    from kafkacompat.replication.metadata.settings import Settings


def assign_directories(request: "AssignReplicasToDirsRequest", image: "MetadataImage", settings: "Settings") -> Result:
    """Record the directories of replicas. Each partition succeeds or fails by itself; a request of a previous
    incarnation of the broker is refused as a whole.
    """
    broker = image.brokers.get(request.broker_id)
    if broker is None or broker.epoch != request.broker_epoch:
        return Result([], AssignReplicasToDirsResponse(error_code=errors.STALE_BROKER_EPOCH))
    moves = _Moves(broker, image, settings)
    answers = []
    for directory in request.directories:
        topics = [
            AssignReplicasToDirsResponseTopicData(
                asked.topic_id,
                [
                    AssignReplicasToDirsResponsePartitionData(
                        each.partition_index,
                        moves.move(bytes(asked.topic_id), each.partition_index, bytes(directory.id)),
                    )
                    for each in asked.partitions
                ],
            )
            for asked in directory.topics
        ]
        answers.append(AssignReplicasToDirsResponseDirectoryData(directory.id, topics))
    return Result(moves.records, AssignReplicasToDirsResponse(directories=answers))


class _Moves:
    """The changes of one request. A partition listed twice is moved from the result of its first change."""

    def __init__(self, broker: "BrokerImage", image: "MetadataImage", settings: "Settings") -> None:
        self.records: list[Message] = []
        self._broker = broker
        self._image = image
        self._settings = settings
        self._changed: dict[tuple[bytes, int], PartitionImage] = {}

    def move(self, topic_id: bytes, index: int, directory: bytes) -> int:
        """Assign one replica to a directory. Returns the error code."""
        topic = self._image.topics_by_id.get(topic_id)
        if topic is None:
            return errors.UNKNOWN_TOPIC_ID
        if not 0 <= index < len(topic.partitions):
            return errors.UNKNOWN_TOPIC_OR_PARTITION
        partition = self._changed.get((topic_id, index), topic.partitions[index])
        if self._broker.id not in partition.replicas:
            return errors.NOT_LEADER_OR_FOLLOWER
        if partition.directory(self._broker.id) != directory:
            record = self._record(topic, index, partition, directory)
            self.records.append(record)
            self._changed[topic_id, index] = changed_partition(partition, record)
        return errors.NONE

    def _record(
        self, topic: "TopicImage", index: int, partition: "PartitionImage", directory: bytes
    ) -> PartitionChangeRecord:
        """The record that assigns the replica. It also leaves the ISR if the directory is not online."""
        broker_id = self._broker.id
        directories = [
            directory if replica == broker_id else partition.directory(replica) for replica in partition.replicas
        ]
        moved = partition.but(directories=tuple(directories))
        isr = partition.isr
        if directory not in self._broker.log_dirs:
            isr = tuple(replica for replica in isr if replica != broker_id)
        context = election_context(self._settings, self._image, topic, moved)
        record = change(moved, topic.topic_id, index, context, isr=isr)
        record = record or PartitionChangeRecord(partition_id=index, topic_id=topic.topic_id)
        record.directories = directories
        return record
