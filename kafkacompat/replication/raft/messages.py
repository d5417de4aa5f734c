"""The requests and answers between quorum replicas, without the topic lists of Kafka's messages.

Kafka's Vote, BeginQuorumEpoch, EndQuorumEpoch and Fetch wrap this one partition in lists of topics; `wire.py`
translates. End offsets are exclusive. NO_NODE means no known leader. A replica's key is its id and its directory id
(Kafka's ReplicaKey, KIP-853); an unknown directory id is zero.
"""

from kafkacompat.protocol.constants import NO_NODE, UNKNOWN_OFFSET
from kafkacompat.protocol.error_codes import INVALID_REQUEST, INVALID_VOTER_KEY, NONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

Key = tuple[int, bytes]  #: replica id, directory id
NO_DIRECTORY_ID = bytes(16)
# The metadata log is the one partition of a topic whose id is fixed.
TOPIC_NAME, TOPIC_ID, PARTITION = "__cluster_metadata", bytes(15) + b"\x01", 0
MAX_FETCH_BYTES = 1024 * 1024
"""The size of a fetch, and of its answer (Kafka's KafkaRaftClient)."""

MAX_EPOCH = 2**31 - 2
"""The largest valid epoch: the next one, for which a candidate stands, must still fit into an int32."""


def matches(key: Key, replica: Key) -> bool:
    """Whether `key` identifies this replica. An unknown directory id matches any directory (Kafka's ReplicaKey)."""
    return key[0] == replica[0] and key[1] in (NO_DIRECTORY_ID, replica[1])


def address_error(meant: Key | None, replica: Key) -> int:
    """INVALID_VOTER_KEY if a request was meant for another voter or another directory of this one (KIP-853)."""
    return NONE if meant is None or matches(meant, replica) else INVALID_VOTER_KEY


def is_voter(voters: "Mapping[int, bytes]", replica: Key) -> bool:
    """Whether this replica, with its present directory, is a voter."""
    return replica[0] in voters and matches((replica[0], voters[replica[0]]), replica)


def error_of_vote(vote: "Vote") -> int:
    """The validity checks that Kafka's KafkaRaftClient makes first.

    The last epoch in a candidate's log is smaller than the epoch that it stands for; for a pre-vote it may be equal.
    """
    last_possible = vote.epoch if vote.pre_vote else vote.epoch - 1
    is_valid = vote.last_offset >= 0 and 0 <= vote.last_epoch <= last_possible and vote.epoch <= MAX_EPOCH
    return NONE if is_valid else INVALID_REQUEST


def error_of_fetch(fetch: "Fetch") -> int:
    """The last epoch in a replica's log is not larger than its current epoch."""
    is_valid = fetch.max_wait_ms >= 0 and fetch.offset >= 0 and 0 <= fetch.last_epoch <= fetch.epoch
    return NONE if is_valid else INVALID_REQUEST


class Vote:
    """A candidate asks for a vote, or with `pre_vote` for a pre-vote (KIP-996). Kafka's Vote v2.

    `voter` is the key of the voter asked; None if the message does not contain it.
    """

    __slots__ = ("candidate_directory_id", "candidate_id", "epoch", "last_epoch", "last_offset", "pre_vote", "voter")

    def __init__(
        self, epoch: int, candidate_id: int, candidate_directory_id: bytes, last_epoch: int, last_offset: int,
        *, pre_vote: bool, voter: Key | None = None,
    ) -> None:  # fmt: skip
        self.epoch = epoch
        self.candidate_id = candidate_id
        self.candidate_directory_id = candidate_directory_id
        self.last_epoch = last_epoch
        self.last_offset = last_offset
        self.pre_vote = pre_vote
        self.voter = voter


class BeginEpoch:
    """A leader announces its epoch to a voter. Kafka's BeginQuorumEpoch; `voter` as in Vote."""

    __slots__ = ("epoch", "leader_id", "voter")

    def __init__(self, epoch: int, leader_id: int, voter: Key | None = None) -> None:
        self.epoch = epoch
        self.leader_id = leader_id
        self.voter = voter


class EndEpoch:
    """A leader resigns; `successors` are its preferred successors, best first. Kafka's EndQuorumEpoch."""

    __slots__ = ("epoch", "leader_id", "successors")

    def __init__(self, epoch: int, leader_id: int, successors: tuple[Key, ...]) -> None:
        self.epoch = epoch
        self.leader_id = leader_id
        self.successors = successors


class Fetch:
    """A replica fetches from `offset`, and thereby acknowledges everything below as durable.

    Without new records the leader delays the answer by at most `max_wait_ms`.
    """

    __slots__ = (
        "directory_id", "epoch", "high_watermark", "last_epoch", "max_bytes", "max_wait_ms", "offset", "replica_id",
    )  # fmt: skip

    def __init__(
        self, replica_id: int, directory_id: bytes, epoch: int, offset: int, last_epoch: int, high_watermark: int,
        *, max_wait_ms: int = 500, max_bytes: int = MAX_FETCH_BYTES,
    ) -> None:  # fmt: skip
        self.replica_id = replica_id
        self.directory_id = directory_id
        self.epoch = epoch
        self.offset = offset
        self.last_epoch = last_epoch
        self.high_watermark = high_watermark
        self.max_wait_ms = max_wait_ms
        self.max_bytes = max_bytes

    @property
    def key(self) -> Key:
        """The replica's key."""
        return self.replica_id, self.directory_id


class FetchSnapshot:
    """A replica fetches bytes of a snapshot from `position` on. Kafka's FetchSnapshot."""

    __slots__ = ("directory_id", "epoch", "max_bytes", "position", "replica_id", "snapshot_id")

    def __init__(
        self, replica_id: int, directory_id: bytes, epoch: int, snapshot_id: tuple[int, int], position: int,
        *, max_bytes: int = MAX_FETCH_BYTES,
    ) -> None:  # fmt: skip
        self.replica_id = replica_id
        self.directory_id = directory_id
        self.epoch = epoch
        self.snapshot_id = snapshot_id
        self.position = position
        self.max_bytes = max_bytes

    @property
    def key(self) -> Key:
        """The replica's key."""
        return self.replica_id, self.directory_id


class Answer:
    """The fields of every answer: the error, and the epoch and leader known to the answering replica."""

    __slots__ = ("epoch", "error_code", "leader_id")

    def __init__(self, error_code: int, leader_id: int, epoch: int) -> None:
        self.error_code = error_code
        self.leader_id = leader_id
        self.epoch = epoch


class VoteAnswer(Answer):
    """Whether the vote is granted."""

    __slots__ = ("granted",)

    def __init__(self, error_code: int, leader_id: int, epoch: int, *, granted: bool) -> None:
        super().__init__(error_code, leader_id, epoch)
        self.granted = granted


class FetchAnswer(Answer):
    """Records, or the diverging (epoch, end offset), or the id of the snapshot to fetch first."""

    __slots__ = ("diverging", "high_watermark", "log_start_offset", "records", "snapshot_id")

    def __init__(
        self,
        error_code: int,
        leader_id: int = NO_NODE,
        epoch: int = 0,
        *,
        high_watermark: int = UNKNOWN_OFFSET,
        log_start_offset: int = UNKNOWN_OFFSET,
        diverging: tuple[int, int] | None = None,
        records: "Any" = None,
        snapshot_id: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(error_code, leader_id, epoch)
        self.snapshot_id = snapshot_id
        self.high_watermark = high_watermark
        self.log_start_offset = log_start_offset
        self.diverging = diverging
        self.records = records


class SnapshotAnswer(Answer):
    """Bytes of a snapshot from `position` on. `size_bytes` is the size of the whole snapshot."""

    __slots__ = ("data", "position", "size_bytes", "snapshot_id")

    def __init__(
        self, error_code: int, leader_id: int, epoch: int, snapshot_id: tuple[int, int],
        *, size_bytes: int = 0, position: int = 0, data: "Any" = b"",
    ) -> None:  # fmt: skip
        super().__init__(error_code, leader_id, epoch)
        self.snapshot_id = snapshot_id
        self.size_bytes = size_bytes
        self.position = position
        self.data = data


class Send:
    """Effect: send a request to a node. Its answer or its failure is reported with `token`."""

    __slots__ = ("message", "node_id", "token")

    def __init__(self, node_id: int, token: int, message: object) -> None:
        self.node_id = node_id
        self.token = token
        self.message = message


class Reply:
    """Effect: answer the request `token`."""

    __slots__ = ("answer", "token")

    def __init__(self, token: object, answer: Answer) -> None:
        self.token = token
        self.answer = answer


class Sync:
    """Effect: make the log durable, then call `flushed`."""

    __slots__ = ()
