"""A fetch session (KIP-227, Kafka's FetchSession): the partitions of one client, and what it was last told of each.

`fetch_session_cache.py` keeps the sessions, and says how a request continues one.
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
    """One partition of a fetch: what was asked, and, in a session, what the client was last told.

    `known_as` is the name that its topic id once stood for: a session remembers it when the topic is gone. `turn`: the
    lower, the earlier it is read. `key` names the partition that was found, `watched` the one that is watched
    for `session`.
    """

    __slots__ = (
        "current_leader_epoch", "fetch_offset", "index", "key", "known_as", "last_fetched_epoch", "log_start_offset",
        "max_bytes", "session", "told_high_watermark", "told_log_start_offset", "topic", "topic_id", "turn", "watched",
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
        self.told_high_watermark = UNKNOWN_OFFSET
        self.told_log_start_offset = UNKNOWN_OFFSET
        self.update(asked)

    def update(self, asked: "FetchPartition") -> None:
        """Take over what a newer request of the session asks."""
        self.fetch_offset = asked.fetch_offset
        self.max_bytes = asked.partition_max_bytes
        epoch, fetched_epoch = asked.current_leader_epoch, asked.last_fetched_epoch
        none = NO_PARTITION_LEADER_EPOCH  # and so is every other negative one
        self.current_leader_epoch = epoch if epoch > none else none
        self.last_fetched_epoch = fetched_epoch if fetched_epoch > none else none
        self.log_start_offset = asked.log_start_offset

    def has_changes(self, answer: "PartitionData") -> bool:
        """Whether the answer, its records aside, has something that the client was not sent before."""
        return (
            answer.error_code != errors.NONE
            or answer.high_watermark != self.told_high_watermark
            or answer.log_start_offset != self.told_log_start_offset
            or answer.diverging_epoch.epoch != NO_PARTITION_LEADER_EPOCH
            or answer.preferred_read_replica != INVALID_PREFERRED_REPLICA_ID
        )

    def tell(self, answer: "PartitionData") -> None:
        """Remember what the client is told."""
        # after an error the client's view is unknown: the next good answer must name the partition again
        self.told_high_watermark = answer.high_watermark if answer.error_code == errors.NONE else UNKNOWN_OFFSET
        self.told_log_start_offset = answer.log_start_offset


class FetchSession:
    """The partitions that one client fetches; a session with the id INVALID_SESSION_ID lasts for one fetch.

    `named` are the partitions that the last request named. `due` are the partitions that the next fetch reads: all
    others are watched and have not moved. `terms` is how the client reads: when it changes, all partitions are due.
    `follower` is what a leader remembers of a follower's session. `waiting` counts the consumers' fetches that wait.
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
            for asked in topic.partitions:  # of one that is named twice, what is asked last counts
                self.partitions[place, asked.partition] = CachedPartition(turn, name, topic_id, asked)
                turn += 1
        if turn > len(self.partitions):
            for turn, wanted in enumerate(self.partitions.values()):
                wanted.turn = turn
        self.next_turn = turn + 1
        self.named: list[CachedPartition] = []
        self.due: dict[CachedPartition, None] = dict.fromkeys(self.partitions.values())
        self.terms: tuple[object, ...] | None = None
        self.follower: FollowerState | None = None
        self.waiting = 0
        self.last_used_ms = now_ms

    def update(self, request: "FetchRequest") -> list[CachedPartition]:
        """Apply the changes of an incremental request; what it both names and forgets is forgotten. Returns the
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
                wanted = self.partitions.pop((gone.topic_id if self.uses_topic_ids else gone.topic, index), None)
                if wanted is not None:
                    self.due.pop(wanted, None)
                    forgotten.append(wanted)
        self.named = [wanted for wanted in named if self.has(wanted)] if forgotten else named
        return forgotten

    def has(self, wanted: CachedPartition) -> bool:
        """Whether it is still asked for."""
        return self.partitions.get((wanted.topic_id if self.uses_topic_ids else wanted.topic, wanted.index)) is wanted

    def agree(self, terms: tuple[object, ...]) -> None:
        """Read on these terms from now on; when they differ from the last ones, all partitions are due."""
        if terms != self.terms:
            if self.terms is not None:
                self.due = dict.fromkeys(self.partitions.values())
            self.terms = terms

    def in_order(self, some: "Iterable[CachedPartition]") -> list[CachedPartition]:
        """Some of its partitions in the order in which they are read."""
        return sorted(some, key=_turn)

    def goes_last(self, wanted: CachedPartition) -> None:
        """This partition had data: it goes to the end, so that one busy partition cannot starve the others."""
        wanted.turn = self.next_turn
        self.next_turn += 1


class FollowerState:
    """One session of a follower; the key of its held fetch in the purgatory.

    wanted: the partitions of the session. moved: those that are not idle. is_urgent: whether the held fetch is to be
    answered even without records. fetch_ms: when the last fetch came (monotonic).
    """

    __slots__ = (
        "_by_id",
        "broker_epoch",
        "fetch_ms",
        "is_held",
        "is_urgent",
        "looked_ms",
        "moved",
        "replica_id",
        "wanted",
    )

    def __init__(self, replica_id: int, wanted: "Mapping[SessionKey, CachedPartition]", *, by_id: bool) -> None:
        self.replica_id = replica_id
        self.wanted = wanted
        self.broker_epoch = NO_BROKER_EPOCH
        self.moved: dict[CachedPartition, None] = {}
        self.is_held = False
        self.is_urgent = False
        self.fetch_ms = LONG_AGO
        self.looked_ms = LONG_AGO
        self._by_id = by_id

    def note(self, partition: "Partition") -> bool:
        """The partition moves. Whether it is asked for here; if it was idle, its follower was caught up until now."""
        wanted = self.wanted.get((partition.topic_id if self._by_id else partition.topic, partition.index))
        if wanted is None:
            return False
        if wanted not in self.moved:
            self.moved[wanted] = None
            follower = partition.in_sync.followers.get(self.replica_id)
            if follower is not None:
                follower.caught_up_ms = max(follower.caught_up_ms, self.fetch_ms)
        return True
