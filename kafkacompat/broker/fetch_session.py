"""A fetch session (KIP-227, Kafka's FetchSession): the partitions of one client, and what it was last sent of each.

`fetch_session_cache.py` keeps the sessions, and applies requests to them.
"""

from operator import attrgetter

from kafkacompat.now import LONG_AGO
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import (
    INVALID_PREFERRED_REPLICA_ID,
    INVALID_SESSION_ID,
    NO_BROKER_EPOCH,
    NO_PARTITION_LEADER_EPOCH,
    UNKNOWN_OFFSET,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kafkacompat.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic, PartitionData
    from kafkacompat.replication.partition import Partition

SessionKey = tuple[str | bytes, int]
_turn = attrgetter("turn")


class CachedPartition:
    """One partition of a fetch: what was requested, and, in a session, what the client was last sent.

    `known_as` is the last known name of its topic id: a session keeps it when the topic is deleted. Partitions with a
    lower `turn` are read earlier. `key` is the key of the partition that was found, `watched` of the one that is
    watched for `session`.
    """

    __slots__ = (
        "current_leader_epoch",
        "fetch_offset",
        "index",
        "key",
        "known_as",
        "last_fetched_epoch",
        "last_sent_high_watermark",
        "last_sent_log_start_offset",
        "log_start_offset",
        "max_bytes",
        "session",
        "topic",
        "topic_id",
        "turn",
        "watched",
    )  # fmt: skip

    def __init__(self, turn: int, topic: str, topic_id: bytes, asked: "FetchPartition") -> None:
        self.session: FetchSession | None = None
        self.turn = turn
        self.topic = topic
        self.topic_id = topic_id
        self.index = asked.partition
        self.known_as = topic
        self.key: tuple[str, int] | None = None
        self.watched: tuple[str, int] | None = None
        self.last_sent_high_watermark = UNKNOWN_OFFSET
        self.last_sent_log_start_offset = UNKNOWN_OFFSET
        self.update(asked)

    def update(self, asked: "FetchPartition") -> None:
        """Update from a newer request of the session."""
        self.fetch_offset = asked.fetch_offset
        self.max_bytes = asked.partition_max_bytes
        epoch, fetched_epoch = asked.current_leader_epoch, asked.last_fetched_epoch
        none = NO_PARTITION_LEADER_EPOCH  # every negative epoch means that there is none
        self.current_leader_epoch = epoch if epoch > none else none
        self.last_fetched_epoch = fetched_epoch if fetched_epoch > none else none
        self.log_start_offset = asked.log_start_offset

    def has_changes(self, answer: "PartitionData") -> bool:
        """Whether the answer has anything, apart from records, that the client was not sent before."""
        return (
            answer.error_code != errors.NONE
            or answer.high_watermark != self.last_sent_high_watermark
            or answer.log_start_offset != self.last_sent_log_start_offset
            or answer.diverging_epoch.epoch != NO_PARTITION_LEADER_EPOCH
            or answer.preferred_read_replica != INVALID_PREFERRED_REPLICA_ID
        )

    def note_sent(self, answer: "PartitionData") -> None:
        """Remember what the client is sent."""
        # After an error the client's view is unknown, and a follower whose log diverges truncates and takes nothing
        # else from the answer: the next good answer must name the partition again.
        has_diverged = answer.diverging_epoch.epoch != NO_PARTITION_LEADER_EPOCH
        is_taken = answer.error_code == errors.NONE and not has_diverged
        self.last_sent_high_watermark = answer.high_watermark if is_taken else UNKNOWN_OFFSET
        self.last_sent_log_start_offset = answer.log_start_offset


class FetchSession:
    """The partitions that one client fetches; a session with the id INVALID_SESSION_ID lasts for one fetch.

    `named` are the partitions that the last request named. `due` are the partitions that the next fetch reads: the
    others are watched and have not changed. `terms` is how the client reads (isolation level, rack, …): when it
    changes, all partitions are due. `follower` is the leader's state of a follower's session. `waiting` counts the
    delayed fetches of consumers.
    """

    __slots__ = (
        "due", "epoch", "follower", "id", "is_privileged", "last_used_ms", "named", "next_turn", "partitions", "terms",
        "uses_topic_ids", "waiting",
    )  # fmt: skip

    def __init__(
        self, topics: "Iterable[FetchTopic]", now_ms: int, *, uses_topic_ids: bool, is_privileged: bool
    ) -> None:
        self.id = INVALID_SESSION_ID
        self.epoch = 1
        self.uses_topic_ids = uses_topic_ids
        self.is_privileged = is_privileged
        self.partitions: dict[SessionKey, CachedPartition] = {}
        turn = 0
        for topic in topics:
            name, topic_id = topic.topic, topic.topic_id
            place = topic_id if uses_topic_ids else name
            for asked in topic.partitions:  # if one is named twice, the last entry counts
                self.partitions[place, asked.partition] = CachedPartition(turn, name, topic_id, asked)
                turn += 1
        if turn > len(self.partitions):
            for turn, cached in enumerate(self.partitions.values()):
                cached.turn = turn
        self.next_turn = turn + 1
        self.named: list[CachedPartition] = []
        self.due: dict[CachedPartition, None] = dict.fromkeys(self.partitions.values())
        self.terms: tuple[object, ...] | None = None
        self.follower: FollowerState | None = None
        self.waiting = 0
        self.last_used_ms = now_ms

    def update(self, request: "FetchRequest") -> list[CachedPartition]:
        """Apply an incremental request and return the forgotten partitions. One that it both names and forgets is
        forgotten.
        """
        named: list[CachedPartition] = []
        for topic in request.topics:
            for asked in topic.partitions:
                key = (topic.topic_id if self.uses_topic_ids else topic.topic, asked.partition)
                known = self.partitions.get(key)
                if known is None:
                    known = self.partitions[key] = CachedPartition(self.next_turn, topic.topic, topic.topic_id, asked)
                    self.next_turn += 1
                else:
                    known.update(asked)
                named.append(known)
                self.due[known] = None
        forgotten: list[CachedPartition] = []
        for gone in request.forgotten_topics_data:
            for index in gone.partitions:
                cached = self.partitions.pop((gone.topic_id if self.uses_topic_ids else gone.topic, index), None)
                if cached is not None:
                    self.due.pop(cached, None)
                    forgotten.append(cached)
        self.named = [cached for cached in named if self.has(cached)] if forgotten else named
        return forgotten

    def has(self, cached: CachedPartition) -> bool:
        """Whether the session still has it."""
        return self.partitions.get((cached.topic_id if self.uses_topic_ids else cached.topic, cached.index)) is cached

    def set_terms(self, terms: tuple[object, ...]) -> None:
        """Use these terms from now on; if they differ from the last ones, all partitions are due."""
        if terms != self.terms:
            if self.terms is not None:
                self.due = dict.fromkeys(self.partitions.values())
            self.terms = terms

    def in_order(self, some: "Iterable[CachedPartition]") -> list[CachedPartition]:
        """Some of its partitions, in read order."""
        return sorted(some, key=_turn)

    def move_to_end(self, cached: CachedPartition) -> None:
        """Read this partition last from now on: it had data, and must not starve the others."""
        cached.turn = self.next_turn
        self.next_turn += 1


class FollowerState:
    """One session of a follower; the key of its delayed fetch in the purgatory.

    partitions: those of the session. moved: those that are not idle. is_waiting: whether a fetch is delayed. is_urgent:
    whether it must be answered even without records. was_woken: whether something has moved that may complete it.
    has_more: whether the last answer did not tell of all that have moved.
    fetch_ms: when the last fetch arrived, full_read_ms: when all partitions were read last (monotonic).
    """

    __slots__ = (
        "_by_id",
        "broker_epoch",
        "fetch_ms",
        "full_read_ms",
        "has_more",
        "is_urgent",
        "is_waiting",
        "moved",
        "partitions",
        "replica_id",
        "was_woken",
    )

    def __init__(self, replica_id: int, partitions: "Mapping[SessionKey, CachedPartition]", *, by_id: bool) -> None:
        self.replica_id = replica_id
        self.partitions = partitions
        self.broker_epoch = NO_BROKER_EPOCH
        self.moved: dict[CachedPartition, None] = {}
        self.is_waiting = False
        self.is_urgent = False
        self.was_woken = False
        self.has_more = False
        self.fetch_ms = LONG_AGO
        self.full_read_ms = LONG_AGO
        self._by_id = by_id

    def note(self, partition: "Partition") -> bool:
        """The partition changes. Returns True if the session has it. If idle, its follower was caught up until now."""
        cached = self.partitions.get((partition.topic_id if self._by_id else partition.topic, partition.index))
        if cached is None:
            return False
        if cached not in self.moved:
            self.moved[cached] = None
            follower = partition.in_sync.followers.get(self.replica_id)
            if follower is not None:
                follower.caught_up_ms = max(follower.caught_up_ms, self.fetch_ms)
        return True
