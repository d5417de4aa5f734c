"""Requests made a little truer, as nonsense is refused by the first check: what a node shows of itself is put in."""

from random import Random
from typing import TYPE_CHECKING, Any

from kafkacompat.protocol.messages.broker_registration import Feature
from kafkacompat.replication.metadata.features import SUPPORTED_FEATURES
from kafkacompat.replication.raft.messages import TOPIC_ID

if TYPE_CHECKING:
    from kafkacompat.broker.inspect import Inspection

METADATA = "__cluster_metadata"
FIRST_FETCH_OF_THE_QUORUM = 13
FIRST_FETCH_WITH_SESSIONS = 7
INSTANCE_IDS_SINCE = {"heartbeat": 3, "join_group": 5, "leave_group": 3, "offset_commit": 7, "sync_group": 3}
"""What members of groups ask, and the version from which they may be static (KIP-345)."""
OF_THE_QUORUM = ("vote", "begin_quorum_epoch", "end_quorum_epoch", "fetch_snapshot", "fetch")


def tell_clients_truth(stem: str, request: Any, version: int, view: "Inspection", rng: Random) -> None:
    """Put in what a client would say: its group and itself, or its fetch session; more often than not."""
    if stem in INSTANCE_IDS_SINCE and rng.random() < 0.8:
        _of_a_member(stem, request, version, view, rng)
    elif stem == "fetch" and version >= FIRST_FETCH_WITH_SESSIONS and rng.random() < 0.5:
        for session in view.fetch_sessions()[-1:]:
            request.session_id, request.session_epoch = session.id, session.epoch


def _of_a_member(stem: str, request: Any, version: int, view: "Inspection", rng: Random) -> None:
    if stem == "join_group":
        request.session_timeout_ms, request.member_id = 30_000, ""
    group = next((group for group in view.groups() if group.members), None)
    if group is None or (stem == "offset_commit" and version == 0):
        return
    request.group_id = group.id
    for name in ("generation_id", "generation_id_or_member_epoch"):
        if hasattr(request, name):
            setattr(request, name, group.generation)
    member = rng.choice(group.members)
    named = request
    if stem == "leave_group" and version >= INSTANCE_IDS_SINCE[stem]:
        if not request.members:
            return
        named = request.members[0]
    if stem != "join_group" or rng.random() < 0.5:
        named.member_id = member.id
        if version >= INSTANCE_IDS_SINCE[stem]:
            named.group_instance_id = member.instance_id


def tell_some_truth(stem: str, request: Any, version: int, view: "Inspection", rng: Random) -> None:
    """Put in what the cluster really has; each thing more often than not."""
    if hasattr(request, "cluster_id") and rng.random() < 0.8:
        request.cluster_id = view.cluster_id
    if stem == "fetch" and version < FIRST_FETCH_OF_THE_QUORUM:
        return
    if stem in OF_THE_QUORUM:
        _of_the_quorum(request, view, rng)
    elif stem == "broker_registration":
        _registration(request, rng)
    elif hasattr(request, "broker_epoch") and rng.random() < 0.8:
        names = [name for name in ("broker_id", "leader_id") if hasattr(request, name)]
        brokers = view.brokers()
        if names and brokers:
            present = rng.choice(brokers)
            setattr(request, names[0], present.id)
            request.broker_epoch = present.epoch
            if stem == "broker_heartbeat" and present.id == view.node_id:  # it is believed that it goes
                request.want_shut_down, request.offline_log_dirs = False, []
    if stem == "alter_partition":
        _proposal(request, view, rng)


def _of_the_quorum(request: Any, view: "Inspection", rng: Random) -> None:
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
    epoch, end_offset = view.quorum.leader_epoch, view.quorum.log_end_offset
    truths = {
        "partition_index": (0,), "partition": (0,), "replica_epoch": (epoch, epoch + 1, epoch + 5),
        "leader_epoch": (epoch, epoch + 1, epoch + 5), "current_leader_epoch": (epoch,),
        "last_offset_epoch": (0, epoch), "last_offset": (end_offset, 1 << 40), "last_fetched_epoch": (epoch, 0),
        "fetch_offset": (end_offset, 0, 3), "leader_id": (2, 3),
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


def _proposal(request: Any, view: "Inspection", rng: Random) -> None:
    topics = list(view.topics().items())
    for topic in request.topics:
        name, topic.topic_id = rng.choice(topics)
        partitions = view.partitions(name)
        for data in topic.partitions:
            data.partition_index = rng.randrange(len(partitions))
            known = partitions[data.partition_index]
            if rng.random() < 0.8:
                data.leader_epoch, data.partition_epoch = known.leader_epoch, known.partition_epoch
