"""Fetch sessions (KIP-227): a client names its partitions once, then only what changes. Pure: time and randomness come
in.

| request (id, epoch) | what it means | answered with |
|---|---|---|
| (any, -1)     | no session; an old one is dropped       | every partition, session 0 |
| (0, 0)        | make a session of these partitions      | every partition, its id, or 0 when the cache is full |
| (id, 0)       | drop the old session, make a new one    | the same |
| (id, n > 0)   | the changes since request n - 1         | the partitions that have something to say |

Unknown ids get FETCH_SESSION_ID_NOT_FOUND, other epochs INVALID_FETCH_SESSION_EPOCH, a change between topic names and
topic ids FETCH_SESSION_TOPIC_ID_ERROR. Source: Kafka's FetchManager and FetchSession, org.apache.kafka.server.
"""

from kafkacompat.protocol import error_codes as errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Iterable

    from kafkacompat.broker.replicas.held_fetches import FollowerState
    from kafkacompat.now import Now
    from kafkacompat.protocol.messages.fetch import FetchPartition, FetchRequest, PartitionData

NO_SESSION = 0
FINAL_EPOCH, INITIAL_EPOCH = -1, 0
MAX_EPOCH = 0x7FFFFFFF
EVICTION_MS = 120_000  # a session unused for so long gives way to a new one, as in Kafka
MAX_CACHED_PARTITIONS = 500_000  # in all sessions together, about 150 MB; beyond, clients go without a session
UNKNOWN_OFFSET = -1
NO_EPOCH = -1  # and so is every other negative one
NO_REPLICA = -1

SessionKey = tuple[str | bytes, int]


class Wanted:
    """One partition of a fetch: what was asked, and, in a session, what the client was last told.

    `known_as` is the name that its topic id once stood for: a session remembers it when the topic is gone.
    """

    __slots__ = (
        "current_leader_epoch", "fetch_offset", "index", "known_as", "last_fetched_epoch", "log_start_offset",
        "max_bytes", "told_high_watermark", "told_log_start_offset", "topic", "topic_id",
    )  # fmt: skip

    def __init__(self, topic: str, topic_id: bytes, asked: "FetchPartition") -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.index = asked.partition
        self.known_as = topic
        self.told_high_watermark = UNKNOWN_OFFSET
        self.told_log_start_offset = UNKNOWN_OFFSET
        self.update(asked)

    def update(self, asked: "FetchPartition") -> None:
        """Take over what a newer request of the session asks."""
        self.fetch_offset = asked.fetch_offset
        self.max_bytes = asked.partition_max_bytes
        self.current_leader_epoch = max(asked.current_leader_epoch, NO_EPOCH)
        self.last_fetched_epoch = max(asked.last_fetched_epoch, NO_EPOCH)
        self.log_start_offset = asked.log_start_offset

    def is_news(self, answer: "PartitionData") -> bool:
        """Whether the answer says something that the client has not been told, records aside."""
        return (
            answer.error_code != errors.NONE
            or answer.high_watermark != self.told_high_watermark
            or answer.log_start_offset != self.told_log_start_offset
            or answer.diverging_epoch.epoch != NO_EPOCH
            or answer.preferred_read_replica != NO_REPLICA
        )

    def must_tell(self, answer: "PartitionData", has_records: bool) -> bool:
        """Whether an incremental answer has to name this partition; remembers what is told."""
        news = has_records or self.is_news(answer)
        # after an error the client's view is unknown: the next good answer must name the partition again
        self.told_high_watermark = answer.high_watermark if answer.error_code == errors.NONE else UNKNOWN_OFFSET
        self.told_log_start_offset = answer.log_start_offset
        return news


class FetchSession:
    """The partitions that one client follows, in the order in which they are served next.

    `named` are those that the last request named. `follower` is what a leader remembers of a follower's session.
    """

    __slots__ = (
        "created_ms", "epoch", "follower", "id", "is_privileged", "last_used_ms", "named", "partitions",
        "uses_topic_ids",
    )  # fmt: skip

    def __init__(
        self,
        session_id: int,
        partitions: dict[SessionKey, Wanted],
        now_ms: int,
        *,
        uses_topic_ids: bool,
        is_privileged: bool,
    ) -> None:
        self.id = session_id
        self.epoch = 1
        self.partitions = partitions
        self.uses_topic_ids = uses_topic_ids
        self.is_privileged = is_privileged
        self.named: list[Wanted] = list(partitions.values())
        self.follower: FollowerState | None = None
        self.created_ms = now_ms
        self.last_used_ms = now_ms

    def update(self, request: "FetchRequest") -> None:
        """Apply the changes of an incremental request; what it both names and forgets is forgotten."""
        named: list[Wanted] = []
        for topic in request.topics:
            for asked in topic.partitions:
                key = (topic.topic_id if self.uses_topic_ids else topic.topic, asked.partition)
                known = self.partitions.get(key)
                if known is None:
                    known = self.partitions[key] = Wanted(topic.topic, topic.topic_id, asked)
                else:
                    known.update(asked)
                named.append(known)
        for forgotten in request.forgotten_topics_data:
            for index in forgotten.partitions:
                self.partitions.pop((forgotten.topic_id if self.uses_topic_ids else forgotten.topic, index), None)
        self.named = [wanted for wanted in named if self.has(wanted)]

    def has(self, wanted: Wanted) -> bool:
        """Whether it is still asked for."""
        return self.partitions.get((wanted.topic_id if self.uses_topic_ids else wanted.topic, wanted.index)) is wanted

    def served(self, wanted: Wanted) -> None:
        """This partition had data: it goes to the end, so that one busy partition cannot starve the others."""
        key = (wanted.topic_id if self.uses_topic_ids else wanted.topic, wanted.index)
        if key in self.partitions:
            self.partitions[key] = self.partitions.pop(key)


class FetchContext:
    """One fetch: which partitions to read, and how to answer.

    `session_id` is what the answer carries; `session` is set where told values are remembered; `incremental` answers
    leave out what has not changed; `error_code` refuses the whole request.
    """

    __slots__ = ("error_code", "incremental", "partitions", "session", "session_id")

    def __init__(
        self,
        partitions: "Iterable[Wanted]" = (),
        *,
        session: FetchSession | None = None,
        incremental: bool = False,
        error_code: int = errors.NONE,
    ) -> None:
        self.partitions = list(partitions)
        self.session = session
        self.session_id = session.id if session is not None else NO_SESSION
        self.incremental = incremental
        self.error_code = error_code


class FetchSessionCache:
    """At most `max_slots` sessions (max.incremental.fetch.session.cache.slots); the least recently used gives way
    once idle, and any consumer's to a follower's (which is privileged).
    """

    def __init__(self, max_slots: int, rng: "random.Random") -> None:
        self._max_slots = max_slots
        self._rng = rng
        self._sessions: dict[int, FetchSession] = {}  # least recently used first

    def __len__(self) -> int:
        return len(self._sessions)

    def open(
        self, request: "FetchRequest", now: "Now", *, uses_topic_ids: bool, is_privileged: bool = False
    ) -> FetchContext:
        """What this request asks for, in its session if it has one."""
        if request.session_epoch == FINAL_EPOCH:
            self._sessions.pop(request.session_id, None)
            return FetchContext(_wanted(request, uses_topic_ids=uses_topic_ids).values())
        if request.session_epoch == INITIAL_EPOCH:
            self._sessions.pop(request.session_id, None)
            partitions = _wanted(request, uses_topic_ids=uses_topic_ids)
            session = self._make(partitions, now, uses_topic_ids=uses_topic_ids, is_privileged=is_privileged)
            return FetchContext(partitions.values(), session=session)
        return self._continue(request, now, uses_topic_ids=uses_topic_ids)

    def _continue(self, request: "FetchRequest", now: "Now", *, uses_topic_ids: bool) -> FetchContext:
        session = self._sessions.get(request.session_id)
        if session is None:
            return FetchContext(error_code=errors.FETCH_SESSION_ID_NOT_FOUND)
        if session.epoch != request.session_epoch:
            return FetchContext(error_code=errors.INVALID_FETCH_SESSION_EPOCH)
        if session.uses_topic_ids != uses_topic_ids:
            return FetchContext(error_code=errors.FETCH_SESSION_TOPIC_ID_ERROR)
        session.update(request)
        if request.topics and self._cached_partitions() > MAX_CACHED_PARTITIONS:
            del self._sessions[session.id]  # the client starts anew, and is then served without a session
            return FetchContext(error_code=errors.FETCH_SESSION_ID_NOT_FOUND)
        if not session.partitions:  # all were forgotten: the session ends, and what was named is served without one
            del self._sessions[session.id]
            return FetchContext(_wanted(request, uses_topic_ids=uses_topic_ids).values())
        session.epoch = 1 if session.epoch == MAX_EPOCH else session.epoch + 1
        session.last_used_ms = now.monotonic_ms
        self._sessions[session.id] = self._sessions.pop(session.id)
        return FetchContext(session.partitions.values(), session=session, incremental=True)

    def _make(
        self, partitions: dict[SessionKey, Wanted], now: "Now", *, uses_topic_ids: bool, is_privileged: bool
    ) -> FetchSession | None:
        if len(self._sessions) >= self._max_slots and not self._evict(now, for_follower=is_privileged):
            return None
        if self._cached_partitions() + len(partitions) > MAX_CACHED_PARTITIONS:
            return None
        session_id = NO_SESSION
        while session_id == NO_SESSION or session_id in self._sessions:
            session_id = self._rng.randint(1, MAX_EPOCH)
        session = FetchSession(
            session_id, partitions, now.monotonic_ms, uses_topic_ids=uses_topic_ids, is_privileged=is_privileged
        )
        self._sessions[session_id] = session
        return session

    def _cached_partitions(self) -> int:
        return sum(len(session.partitions) for session in self._sessions.values())

    def _evict(self, now: "Now", *, for_follower: bool) -> bool:
        oldest = next(iter(self._sessions.values()), None)
        if oldest is not None and now.monotonic_ms - oldest.last_used_ms < EVICTION_MS:
            consumers = (session for session in self._sessions.values() if not session.is_privileged)
            oldest = next(consumers, None) if for_follower else None
        if oldest is None:
            return False
        del self._sessions[oldest.id]
        return True


def _wanted(request: "FetchRequest", *, uses_topic_ids: bool) -> dict[SessionKey, Wanted]:
    """What is asked for, in order; of a partition that is named twice, what is asked last."""
    return {
        (topic.topic_id if uses_topic_ids else topic.topic, asked.partition): Wanted(topic.topic, topic.topic_id, asked)
        for topic in request.topics
        for asked in topic.partitions
    }
