"""Requests of nodes, made a little truer: nonsense all through is refused by the first check that it meets."""

from random import Random
from typing import TYPE_CHECKING, Any

from kafkacompat.protocol.messages.broker_registration import Feature
from kafkacompat.replication.metadata.features import SUPPORTED_FEATURES
from kafkacompat.replication.raft.messages import TOPIC_ID

if TYPE_CHECKING:
    from kafkacompat.broker.broker import Broker

METADATA = "__cluster_metadata"
FIRST_FETCH_OF_THE_QUORUM = 13
OF_THE_QUORUM = ("vote", "begin_quorum_epoch", "end_quorum_epoch", "fetch_snapshot", "fetch")


def tell_some_truth(stem: str, request: Any, version: int, broker: "Broker", rng: Random) -> None:
    """Put in what the cluster really has; each thing more often than not."""
    if hasattr(request, "cluster_id") and rng.random() < 0.8:
        request.cluster_id = broker.cluster_id
    if stem == "fetch" and version < FIRST_FETCH_OF_THE_QUORUM:
        return
    if stem in OF_THE_QUORUM:
        _of_the_quorum(request, broker, rng)
    elif stem == "broker_registration":
        _registration(request, rng)
    elif hasattr(request, "broker_epoch") and rng.random() < 0.8:
        names = [name for name in ("broker_id", "leader_id") if hasattr(request, name)]
        if names and broker.image.brokers:
            present = rng.choice(list(broker.image.brokers.values()))
            setattr(request, names[0], present.id)
            request.broker_epoch = present.epoch
            if stem == "broker_heartbeat" and present.id == broker.node_id:  # it is believed that it goes
                request.want_shut_down, request.offline_log_dirs = False, []
    if stem == "alter_partition":
        _proposal(request, broker, rng)


def _of_the_quorum(request: Any, broker: "Broker", rng: Random) -> None:
    """One topic with one partition, in an epoch that may be."""
    if rng.random() < 0.1 or not request.topics or not request.topics[0].partitions:
        return
    topic = request.topics[0]
    request.topics = [topic]
    topic.partitions = [topic.partitions[0]]
    for name, value in (("topic_name", METADATA), ("topic_id", TOPIC_ID)):
        if hasattr(topic, name):
            setattr(topic, name, value)
    if hasattr(topic, "name") and not hasattr(topic, "topic_id"):
        topic.name = METADATA
    (data,) = topic.partitions
    epoch, log = broker.quorum.raft.leader_epoch, broker.quorum.raft.log
    truths = {
        "partition_index": (0,), "partition": (0,), "replica_epoch": (epoch, epoch + 1, epoch + 5),
        "leader_epoch": (epoch, epoch + 1, epoch + 5), "current_leader_epoch": (epoch,),
        "last_offset_epoch": (0, epoch), "last_offset": (log.log_end_offset, 1 << 40), "last_fetched_epoch": (epoch, 0),
        "fetch_offset": (log.log_end_offset, 0, 3), "leader_id": (2, 3),
    }  # fmt: skip
    for name, values in truths.items():
        if hasattr(data, name) and rng.random() < 0.8:
            setattr(data, name, rng.choice(values))
    if hasattr(request, "voter_id") and rng.random() < 0.8:
        request.voter_id = -1


def _registration(request: Any, rng: Random) -> None:
    if rng.random() < 0.7:
        request.features = [Feature(name, low, high) for name, (low, high) in SUPPORTED_FEATURES.items()]
        request.is_migrating_zk_broker = False
        request.log_dirs = [rng.randbytes(16)]
        request.broker_id = rng.choice((1, 2, 3, 2**31 - 1))


def _proposal(request: Any, broker: "Broker", rng: Random) -> None:
    topics = list(broker.image.topics.values())
    for topic in request.topics:
        known = rng.choice(topics)
        topic.topic_id = known.topic_id
        for data in topic.partitions:
            data.partition_index = rng.randrange(len(known.partitions))
            image = known.partitions[data.partition_index]
            if rng.random() < 0.8:
                data.leader_epoch, data.partition_epoch = image.leader_epoch, image.partition_epoch
