"""The raft wire codec: translates the requests and answers of `messages.py` to Kafka's messages and back.

Vote v0–2, BeginQuorumEpoch v0–1, EndQuorumEpoch v0–1, Fetch v13–18 and FetchSnapshot v0–1, each for the single
partition of the metadata log. The codec has no state and checks only the form; RaftClient handles the content. A wrong
cluster id or partition is a top-level error without the leader, as in Kafka's KafkaRaftClient. Fetch identifies the log
by its topic id: version 12, which has only the name, is INVALID_REQUEST in Kafka 4 as well.
"""

from kafkacompat.protocol import api_keys
from kafkacompat.protocol.constants import NO_NODE
from kafkacompat.protocol.error_codes import INCONSISTENT_CLUSTER_ID, INVALID_REQUEST, NONE, UNKNOWN_TOPIC_OR_PARTITION
from kafkacompat.protocol.messages import begin_quorum_epoch as begins
from kafkacompat.protocol.messages import end_quorum_epoch as ends
from kafkacompat.protocol.messages import fetch as fetches
from kafkacompat.protocol.messages import fetch_snapshot as snapshots
from kafkacompat.protocol.messages import vote as votes
from kafkacompat.protocol.primitives import ZERO_UUID
from kafkacompat.replication.raft.messages import (
    MAX_EPOCH,
    PARTITION,
    TOPIC_ID,
    TOPIC_NAME,
    Answer,
    BeginEpoch,
    EndEpoch,
    Fetch,
    FetchAnswer,
    FetchSnapshot,
    Key,
    SnapshotAnswer,
    Vote,
    VoteAnswer,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from kafkacompat.protocol.primitives import Message


FIRST_VERSION_WITH_ENDPOINTS = {
    api_keys.VOTE: 1, api_keys.BEGIN_QUORUM_EPOCH: 1, api_keys.END_QUORUM_EPOCH: 1, api_keys.FETCH: 17,
    api_keys.FETCH_SNAPSHOT: 1,
}  # fmt: skip
_FIRST_FETCH_WITH_REPLICA_STATE = 15
_API_KEYS: dict[type, int] = {
    Vote: api_keys.VOTE,
    BeginEpoch: api_keys.BEGIN_QUORUM_EPOCH,
    EndEpoch: api_keys.END_QUORUM_EPOCH,
    Fetch: api_keys.FETCH,
    FetchSnapshot: api_keys.FETCH_SNAPSHOT,
}


class TopLevelError(Exception):
    """A request for another cluster or partition, or a response with a top-level error: `error_code`."""

    def __init__(self, error_code: int) -> None:
        super().__init__(f"error {error_code}")
        self.error_code = error_code


def api_key(message: object) -> int:
    """The API key of Kafka's message for a Vote, BeginEpoch, EndEpoch, Fetch or FetchSnapshot."""
    return _API_KEYS[type(message)]


# --- requests ---


def request(
    message: object, version: int, cluster_id: str, listeners: "Sequence[tuple[str, str, int]]" = ()
) -> "Message":
    """Kafka's request. listeners: the leader's endpoints as (name, host, port), for BeginEpoch and EndEpoch.

    Vote below v2 cannot express a pre-vote: the encoder raises UnsupportedFieldError.
    """
    if isinstance(message, Fetch):
        return _fetch_request(message, version, cluster_id)
    if isinstance(message, FetchSnapshot):
        piece = snapshots.FetchSnapshotRequestPartitionSnapshot(
            PARTITION, message.epoch, snapshots.FetchSnapshotRequestSnapshotId(*message.snapshot_id), message.position,
            message.directory_id,
        )  # fmt: skip
        topic = snapshots.FetchSnapshotRequestTopicSnapshot(TOPIC_NAME, [piece])
        return snapshots.FetchSnapshotRequest(cluster_id, message.replica_id, message.max_bytes, [topic])
    if isinstance(message, Vote):
        return _vote_request(message, cluster_id)
    if isinstance(message, BeginEpoch):
        return _begin_request(message, cluster_id, listeners)
    assert isinstance(message, EndEpoch)
    end = ends.EndQuorumEpochRequestPartitionData(
        PARTITION, message.leader_id, message.epoch,
        [replica_id for replica_id, _ in message.successors], [ends.ReplicaInfo(*key) for key in message.successors],
    )  # fmt: skip
    places = [ends.LeaderEndpoint(*listener) for listener in listeners]
    return ends.EndQuorumEpochRequest(cluster_id, [ends.EndQuorumEpochRequestTopicData(TOPIC_NAME, [end])], places)


def _vote_request(vote: Vote, cluster_id: str) -> "Message":
    voter_id, voter_directory_id = vote.voter or (NO_NODE, ZERO_UUID)
    data = votes.VoteRequestPartitionData(
        PARTITION, vote.epoch, vote.candidate_id, vote.candidate_directory_id, voter_directory_id,
        vote.last_epoch, vote.last_offset, vote.pre_vote,
    )  # fmt: skip
    return votes.VoteRequest(cluster_id, voter_id, [votes.VoteRequestTopicData(TOPIC_NAME, [data])])


def _begin_request(
    begin: BeginEpoch, cluster_id: str, listeners: "Sequence[tuple[str, str, int]]"
) -> begins.BeginQuorumEpochRequest:
    voter_id, directory_id = begin.voter or (NO_NODE, ZERO_UUID)
    data = begins.BeginQuorumEpochRequestPartitionData(PARTITION, directory_id, begin.leader_id, begin.epoch)
    topic = begins.BeginQuorumEpochRequestTopicData(TOPIC_NAME, [data])
    return begins.BeginQuorumEpochRequest(
        cluster_id, voter_id, [topic], [begins.LeaderEndpoint(*listener) for listener in listeners]
    )


def _fetch_request(fetch: Fetch, version: int, cluster_id: str) -> "Message":
    """The Fetch of Kafka's quorum replicas: no session, no min_bytes, no limit per partition."""
    data = fetches.FetchPartition(
        PARTITION, fetch.epoch, fetch.offset, fetch.last_epoch,
        replica_directory_id=fetch.directory_id, high_watermark=fetch.high_watermark,
    )  # fmt: skip
    made = fetches.FetchRequest(
        cluster_id, max_wait_ms=fetch.max_wait_ms, max_bytes=fetch.max_bytes,
        topics=[fetches.FetchTopic(TOPIC_NAME, TOPIC_ID, [data])],
    )  # fmt: skip
    if version < _FIRST_FETCH_WITH_REPLICA_STATE:
        made.replica_id = fetch.replica_id
    else:
        made.replica_state = fetches.ReplicaState(fetch.replica_id)
    return made


def read_request(received: "Message", cluster_id: str) -> Vote | BeginEpoch | EndEpoch | Fetch | FetchSnapshot:
    """Translate Kafka's request. Raises TopLevelError if it is for another cluster or partition."""
    known: Any = received
    if known.cluster_id not in (None, cluster_id):
        raise TopLevelError(INCONSISTENT_CLUSTER_ID)
    if isinstance(received, fetches.FetchRequest):
        data = _only(received.topics, "topic_id", "partition", TOPIC_ID)
        replica_id = received.replica_state.replica_id if received.replica_id == NO_NODE else received.replica_id
        return Fetch(
            replica_id, bytes(data.replica_directory_id), data.current_leader_epoch, data.fetch_offset,
            data.last_fetched_epoch, data.high_watermark,
            max_wait_ms=received.max_wait_ms, max_bytes=received.max_bytes,
        )  # fmt: skip
    if isinstance(received, snapshots.FetchSnapshotRequest):
        data = _only(received.topics, "name", "partition")
        return FetchSnapshot(
            received.replica_id, bytes(data.replica_directory_id), data.current_leader_epoch,
            (data.snapshot_id.end_offset, data.snapshot_id.epoch), data.position, max_bytes=received.max_bytes,
        )  # fmt: skip
    data = _only(known.topics, "topic_name", "partition_index")
    if isinstance(received, votes.VoteRequest):
        return Vote(
            data.replica_epoch, data.replica_id, bytes(data.replica_directory_id), data.last_offset_epoch,
            data.last_offset, pre_vote=data.pre_vote, voter=_key(received.voter_id, data.voter_directory_id),
        )  # fmt: skip
    if isinstance(received, begins.BeginQuorumEpochRequest):
        return BeginEpoch(data.leader_epoch, data.leader_id, _key(received.voter_id, data.voter_directory_id))
    assert isinstance(received, ends.EndQuorumEpochRequest)
    candidates = [(each.candidate_id, bytes(each.candidate_directory_id)) for each in data.preferred_candidates]
    successors = candidates or [(each, ZERO_UUID) for each in data.preferred_successors]
    return EndEpoch(data.leader_epoch, data.leader_id, tuple(successors))


def _key(voter_id: int, directory_id: bytes) -> Key | None:
    return None if voter_id < 0 else (voter_id, bytes(directory_id))


def _only(topics: "Sequence[Any]", topic_field: str, partition_field: str, topic: str | bytes = TOPIC_NAME) -> "Any":
    """The data of the metadata partition, which must be the only one. Raises TopLevelError otherwise."""
    if len(topics) == 1 and getattr(topics[0], topic_field) == topic and len(topics[0].partitions) == 1:
        (data,) = topics[0].partitions
        if getattr(data, partition_field) == PARTITION:
            return data
    raise TopLevelError(INVALID_REQUEST)


# --- answers ---


def refusal(key: int, error_code: int) -> "Message":
    """The answer to a request that raised TopLevelError."""
    made: dict[int, type[Message]] = {
        api_keys.VOTE: votes.VoteResponse,
        api_keys.BEGIN_QUORUM_EPOCH: begins.BeginQuorumEpochResponse,
        api_keys.END_QUORUM_EPOCH: ends.EndQuorumEpochResponse,
        api_keys.FETCH: fetches.FetchResponse,
        api_keys.FETCH_SNAPSHOT: snapshots.FetchSnapshotResponse,
    }
    answer: Any = made[key]()
    answer.error_code = error_code
    return answer  # type: ignore[no-any-return]


def unknown_partition(received: "Message") -> "Message | None":
    """The answer to a FetchSnapshot of one other partition, which Kafka refuses per partition; else None."""
    if not isinstance(received, snapshots.FetchSnapshotRequest) or len(received.topics) != 1:
        return None
    (topic,) = received.topics
    if len(topic.partitions) != 1 or (topic.name, topic.partitions[0].partition) == (TOPIC_NAME, PARTITION):
        return None
    refused = snapshots.FetchSnapshotResponsePartitionSnapshot(
        topic.partitions[0].partition, UNKNOWN_TOPIC_OR_PARTITION, unaligned_records=b""
    )
    return snapshots.FetchSnapshotResponse(topics=[snapshots.FetchSnapshotResponseTopicSnapshot(topic.name, [refused])])


def response(key: int, answer: Answer, version: int, addresses: "Mapping[int, tuple[str, int]]") -> "Message":
    """Kafka's response. addresses: (host, port) by node id, on the listener that received the request."""
    address = addresses.get(answer.leader_id) if version >= FIRST_VERSION_WITH_ENDPOINTS[key] else None
    common = (PARTITION, answer.error_code, answer.leader_id, answer.epoch)
    if key == api_keys.VOTE:
        assert isinstance(answer, VoteAnswer)
        vote = votes.VoteResponseTopicData(TOPIC_NAME, [votes.VoteResponsePartitionData(*common, answer.granted)])
        return votes.VoteResponse(NONE, [vote], [votes.NodeEndpoint(answer.leader_id, *address)] if address else ())
    if key == api_keys.BEGIN_QUORUM_EPOCH:
        begin = begins.BeginQuorumEpochResponsePartitionData(*common)
        begun = begins.BeginQuorumEpochResponseTopicData(TOPIC_NAME, [begin])
        nodes = [begins.NodeEndpoint(answer.leader_id, *address)] if address else ()
        return begins.BeginQuorumEpochResponse(NONE, [begun], nodes)
    if key == api_keys.END_QUORUM_EPOCH:
        end = ends.EndQuorumEpochResponseTopicData(TOPIC_NAME, [ends.EndQuorumEpochResponsePartitionData(*common)])
        return ends.EndQuorumEpochResponse(
            NONE, [end], [ends.NodeEndpoint(answer.leader_id, *address)] if address else ()
        )
    if isinstance(answer, SnapshotAnswer):
        piece = snapshots.FetchSnapshotResponsePartitionSnapshot(
            PARTITION, answer.error_code, snapshots.FetchSnapshotResponseSnapshotId(*answer.snapshot_id),
            snapshots.LeaderIdAndEpoch(answer.leader_id, answer.epoch), answer.size_bytes, answer.position, answer.data,
        )  # fmt: skip
        sent = snapshots.FetchSnapshotResponseTopicSnapshot(TOPIC_NAME, [piece])
        places = [snapshots.NodeEndpoint(answer.leader_id, *address)] if address else ()
        return snapshots.FetchSnapshotResponse(topics=[sent], node_endpoints=places)
    assert isinstance(answer, FetchAnswer)
    topic = fetches.FetchableTopicResponse(TOPIC_NAME, TOPIC_ID, [_partition_data(answer)])
    endpoints = [fetches.NodeEndpoint(answer.leader_id, *address)] if address else ()
    return fetches.FetchResponse(responses=[topic], node_endpoints=endpoints)


def _partition_data(answer: FetchAnswer) -> fetches.PartitionData:
    """The partition's response data. It always contains the leader, also without an error."""
    data = fetches.PartitionData(
        PARTITION, answer.error_code, answer.high_watermark,
        log_start_offset=answer.log_start_offset,
        current_leader=fetches.LeaderIdAndEpoch(answer.leader_id, answer.epoch),
        records=answer.records or b"",
    )  # fmt: skip
    if answer.diverging is not None:
        data.diverging_epoch = fetches.EpochEndOffset(*answer.diverging)
    if answer.snapshot_id is not None:
        data.snapshot_id = fetches.SnapshotId(*answer.snapshot_id)
    return data


def read_response(received: "Message") -> Answer:
    """Translate Kafka's response. Raises TopLevelError for one that is refused or invalid: the request has failed."""
    answer = _read_response(received)
    if answer.epoch > MAX_EPOCH:  # invalid: no leader can have been elected in it
        raise TopLevelError(INVALID_REQUEST)
    return answer


def _read_response(received: "Message") -> Answer:
    known: Any = received
    if known.error_code != NONE:
        raise TopLevelError(known.error_code)
    if isinstance(received, fetches.FetchResponse):
        return _read_fetched(_only(received.responses, "topic_id", "partition_index", TOPIC_ID))
    if isinstance(received, snapshots.FetchSnapshotResponse):
        return _read_snapshot(_only(received.topics, "name", "index"))
    data = _only(known.topics, "topic_name", "partition_index")
    common = (data.error_code, max(data.leader_id, NO_NODE), data.leader_epoch)
    return (
        VoteAnswer(*common, granted=data.vote_granted) if isinstance(received, votes.VoteResponse) else Answer(*common)
    )


def _read_fetched(data: fetches.PartitionData) -> FetchAnswer:
    snapshot, diverging, leader = data.snapshot_id, data.diverging_epoch, data.current_leader
    has_snapshot = snapshot.epoch >= 0 or snapshot.end_offset >= 0
    if has_snapshot and (snapshot.epoch < 0 or snapshot.end_offset < 0):
        raise TopLevelError(INVALID_REQUEST)
    return FetchAnswer(
        data.error_code, max(leader.leader_id, NO_NODE), leader.leader_epoch,
        high_watermark=data.high_watermark, log_start_offset=data.log_start_offset,
        diverging=(diverging.epoch, diverging.end_offset) if diverging.epoch >= 0 else None,
        records=data.records or None, snapshot_id=(snapshot.end_offset, snapshot.epoch) if has_snapshot else None,
    )  # fmt: skip


def _read_snapshot(data: snapshots.FetchSnapshotResponsePartitionSnapshot) -> SnapshotAnswer:
    leader = data.current_leader
    return SnapshotAnswer(
        data.error_code, max(leader.leader_id, NO_NODE), leader.leader_epoch,
        (data.snapshot_id.end_offset, data.snapshot_id.epoch),
        size_bytes=data.size, position=data.position, data=data.unaligned_records or b"",
    )  # fmt: skip


def leader_address(message: "Message") -> tuple[int, str, int] | None:
    """Id, host and port of the leader in a response or a BeginQuorumEpoch request; None if it is absent."""
    if isinstance(message, begins.BeginQuorumEpochRequest):
        leader_id = _only(message.topics, "topic_name", "partition_index").leader_id
        found = ((leader_id, each.host, each.port) for each in message.leader_endpoints)
    else:
        known: Any = message
        found = ((each.node_id, each.host, each.port) for each in known.node_endpoints)
    return next((endpoint for endpoint in found if endpoint[0] >= 0), None)  # ids below 0 are bootstrap addresses
