"""The requests and answers between replicas of the quorum, without the lists of topics that Kafka's messages have.

Kafka's Vote, BeginQuorumEpoch, EndQuorumEpoch and Fetch each carry lists of topics for one partition; `wire.py`
translates. An offset is exclusive where it is called an end. NO_NODE stands for no leader. A replica's key is its id
and the id of its directory (KIP-853), which is zero where it is not known.
"""

from kafkacompat.replication.raft.election_state import NO_NODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

Key = tuple[int, bytes]  #: replica id, directory id
NO_DIRECTORY_ID = bytes(16)
# The metadata log is the one partition of a topic whose id is fixed.
TOPIC_NAME, TOPIC_ID, PARTITION = "__cluster_metadata", bytes(15) + b"\x01", 0
MAX_FETCH_BYTES = 1024 * 1024
"""So much of the log one fetch asks for, and one answer carries (Kafka's KafkaRaftClient)."""

MAX_EPOCH = 2**31 - 2
"""The last epoch that anybody may claim: a candidate of the next one has to fit into the message still."""

NONE = 0
NOT_LEADER_OR_FOLLOWER = 6
BROKER_NOT_AVAILABLE = 8
REQUEST_TIMED_OUT = 7
UNSUPPORTED_VERSION = 35
INVALID_REQUEST = 42
FENCED_LEADER_EPOCH = 74
UNKNOWN_LEADER_EPOCH = 75
INVALID_UPDATE_VERSION = 95
SNAPSHOT_NOT_FOUND = 98
POSITION_OUT_OF_RANGE = 99
INVALID_VOTER_KEY = 125
DUPLICATE_VOTER = 126
VOTER_NOT_FOUND = 127


def names(key: Key, replica: Key) -> bool:
    """Whether `key` is meant for this replica: where no directory is known, any is (Kafka's ReplicaKey)."""
    return key[0] == replica[0] and key[1] in (NO_DIRECTORY_ID, replica[1])


def address_error(meant: Key | None, replica: Key) -> int:
    """What a replica answers that is asked as a voter: one that has another directory now is not meant (KIP-853)."""
    return NONE if meant is None or names(meant, replica) else INVALID_VOTER_KEY


def is_voter(voters: "Mapping[int, bytes]", replica: Key) -> bool:
    """Whether this replica is one of the voters: one that has another directory now is not the voter it was."""
    return replica[0] in voters and names((replica[0], voters[replica[0]]), replica)


def error_of_vote(vote: "Vote") -> int:
    """Whether a request can be true at all, as Kafka's KafkaRaftClient checks first.

    A candidate's log ends before the epoch that it stands for; a pre-vote asks in the epoch that it is in.
    """
    last_possible = vote.epoch if vote.pre_vote else vote.epoch - 1
    is_valid = vote.last_offset >= 0 and 0 <= vote.last_epoch <= last_possible and vote.epoch <= MAX_EPOCH
    return NONE if is_valid else INVALID_REQUEST


def error_of_fetch(fetch: "Fetch") -> int:
    """A replica's log has no epoch that it has not heard of."""
    is_valid = fetch.max_wait_ms >= 0 and fetch.offset >= 0 and 0 <= fetch.last_epoch <= fetch.epoch
    return NONE if is_valid else INVALID_REQUEST


class Vote:
    """A candidate asks for a vote; with `pre_vote` it asks whether it would get one (KIP-996). Kafka's Vote v2.

    `voter` is whom it means to ask; None where the message does not say.
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
    """A leader tells a voter of its epoch. Kafka's BeginQuorumEpoch; `voter` as in Vote."""

    __slots__ = ("epoch", "leader_id", "voter")

    def __init__(self, epoch: int, leader_id: int, voter: Key | None = None) -> None:
        self.epoch = epoch
        self.leader_id = leader_id
        self.voter = voter


class EndEpoch:
    """A leader goes; `successors` are the voters it would like to see next, best first. Kafka's EndQuorumEpoch."""

    __slots__ = ("epoch", "leader_id", "successors")

    def __init__(self, epoch: int, leader_id: int, successors: tuple[Key, ...]) -> None:
        self.epoch = epoch
        self.leader_id = leader_id
        self.successors = successors


class Fetch:
    """A replica asks for the log from `offset`, and says with it that it holds everything below, durably.

    It waits for at most `max_wait_ms` when there is nothing new.
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
        """Of the replica."""
        return self.replica_id, self.directory_id


class FetchSnapshot:
    """A replica asks for bytes of a snapshot, from `position` on. Kafka's FetchSnapshot."""

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
        """Of the replica."""
        return self.replica_id, self.directory_id


class Answer:
    """What every answer has: an error, and the leader and epoch that the answering member knows."""

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
    """Records, or the (epoch, end offset) to which the replica's log agrees with ours, or a snapshot to load first."""

    __slots__ = ("diverging", "high_watermark", "log_start_offset", "records", "snapshot_id")

    def __init__(
        self,
        error_code: int,
        leader_id: int = NO_NODE,
        epoch: int = 0,
        *,
        high_watermark: int = -1,
        log_start_offset: int = -1,
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
    """The bytes of a snapshot from `position` on; it has `size_bytes` of them."""

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
    """Effect: say something to a member; the answer comes back under `token`, or the news that none will come."""

    __slots__ = ("message", "node_id", "token")

    def __init__(self, node_id: int, token: int, message: object) -> None:
        self.node_id = node_id
        self.token = token
        self.message = message


class Reply:
    """Effect: answer what came in under `token`."""

    __slots__ = ("answer", "token")

    def __init__(self, token: object, answer: Answer) -> None:
        self.token = token
        self.answer = answer


class Sync:
    """Effect: make the log durable, then say `flushed`."""

    __slots__ = ()
