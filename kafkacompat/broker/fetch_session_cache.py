"""Fetch sessions (KIP-227): a client names its partitions once, then only changes. Time and randomness are arguments.

| request (id, epoch) | meaning | response |
|---|---|---|
| (any, -1)     | no session; an old one is closed        | every partition, session 0 |
| (0, 0)        | create a session of these partitions    | every partition, its id, or 0 when the cache is full |
| (id, 0)       | close the session, create a new one     | the same |
| (id, n > 0)   | the changes since request n - 1         | the partitions that changed |

Unknown ids get FETCH_SESSION_ID_NOT_FOUND, other epochs INVALID_FETCH_SESSION_EPOCH, a change between topic names and
topic ids FETCH_SESSION_TOPIC_ID_ERROR. Source: Kafka's FetchManager and FetchSession, org.apache.kafka.server.
"""

from kafkacompat.broker.fetch_session import CachedPartition, FetchSession
from kafkacompat.broker.partition_watch import PartitionWatch
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import FINAL_EPOCH, INITIAL_EPOCH, INVALID_SESSION_ID

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

    from kafkacompat.now import Now
    from kafkacompat.protocol.messages.fetch import FetchRequest

MAX_EPOCH = 0x7FFFFFFF
EVICTION_MS = 120_000  # a session unused for this long may be evicted, as in Kafka
MAX_CACHED_PARTITIONS = 500_000  # in all sessions, about 150 MB; beyond that clients get no session


class FetchContext:
    """One fetch: which partitions to read, and how to respond.

    `session_id` is that of the response; `session` is set if a session is kept, and `asked` is that one or a temporary
    one for this fetch; `incremental` responses leave out unchanged partitions; `error_code` refuses the whole request.
    `epoch` is that of the session when this fetch began.
    """

    __slots__ = ("asked", "epoch", "error_code", "incremental", "session", "session_id")

    def __init__(
        self,
        asked: FetchSession,
        *,
        is_kept: bool = True,
        incremental: bool = False,
        error_code: int = errors.NONE,
    ) -> None:
        self.asked = asked
        self.session = asked if is_kept else None
        self.session_id = asked.id if is_kept else INVALID_SESSION_ID
        self.epoch = asked.epoch
        self.incremental = incremental
        self.error_code = error_code

    @property
    def partitions(self) -> list[CachedPartition]:
        """All requested partitions, in read order."""
        return self.asked.in_order(self.asked.partitions.values())

    @property
    def is_empty(self) -> bool:
        """Whether no partition is requested."""
        return not self.asked.partitions

    @property
    def is_overtaken(self) -> bool:
        """Whether a later request of the same session arrived before this one was answered."""
        return self.incremental and self.asked.epoch != self.epoch


class FetchSessionCache:
    """At most `max_slots` sessions (max.incremental.fetch.session.cache.slots); the least recently used is
    evicted once idle, and any consumer's for a follower's (which is privileged).

    `wake(session, now)` tries to complete the delayed fetch of a session. `watch` marks partitions that change as due
    in their sessions; sessions are removed from it when they end.
    """

    def __init__(
        self, max_slots: int, rng: "random.Random", wake: "Callable[[FetchSession, Now], None]" = lambda *_: None
    ) -> None:
        self._max_slots = max_slots
        self._rng = rng
        self._sessions: dict[int, FetchSession] = {}  # least recently used first
        self._partition_count = 0
        self.watch = PartitionWatch(wake)

    def __len__(self) -> int:
        return len(self._sessions)

    def __iter__(self) -> "Iterator[FetchSession]":
        return iter(self._sessions.values())

    def get(self, session_id: int) -> FetchSession | None:
        """The session with this id."""
        return self._sessions.get(session_id)

    def open(
        self, request: "FetchRequest", now: "Now", *, uses_topic_ids: bool, is_privileged: bool = False
    ) -> FetchContext:
        """The fetch of this request, in its session if it has one."""
        if request.session_epoch not in (FINAL_EPOCH, INITIAL_EPOCH):
            return self._continue(request, now, uses_topic_ids=uses_topic_ids)
        if request.session_id in self._sessions:
            self._end(self._sessions[request.session_id])
        asked = FetchSession(
            request.topics, now.monotonic_ms, uses_topic_ids=uses_topic_ids, is_privileged=is_privileged
        )
        is_kept = request.session_epoch == INITIAL_EPOCH and self._keep(asked, now)
        return FetchContext(asked, is_kept=is_kept)

    def _continue(self, request: "FetchRequest", now: "Now", *, uses_topic_ids: bool) -> FetchContext:
        session = self._sessions.get(request.session_id)
        if session is None:
            return _refused(errors.FETCH_SESSION_ID_NOT_FOUND)
        if session.epoch != request.session_epoch:
            return _refused(errors.INVALID_FETCH_SESSION_EPOCH)
        if session.uses_topic_ids != uses_topic_ids:
            return _refused(errors.FETCH_SESSION_TOPIC_ID_ERROR)
        before = len(session.partitions)
        for cached in session.update(request):
            self.watch.forget(cached)
        self._partition_count += len(session.partitions) - before
        if request.topics and self._partition_count > MAX_CACHED_PARTITIONS:
            self._end(session)  # the client starts over, and is then served without a session
            return _refused(errors.FETCH_SESSION_ID_NOT_FOUND)
        if not session.partitions:  # all were forgotten: the session ends, and named partitions are served without it
            self._end(session)
            last = FetchSession(
                request.topics, now.monotonic_ms, uses_topic_ids=uses_topic_ids, is_privileged=session.is_privileged
            )
            return FetchContext(last, is_kept=False)
        session.epoch = 1 if session.epoch == MAX_EPOCH else session.epoch + 1
        session.last_used_ms = now.monotonic_ms
        self._sessions[session.id] = self._sessions.pop(session.id)
        return FetchContext(session, incremental=True)

    def _keep(self, session: FetchSession, now: "Now") -> bool:
        """Keep a session under a new id, if there is room."""
        if len(self._sessions) >= self._max_slots and not self._evict(now, for_follower=session.is_privileged):
            return False
        if self._partition_count + len(session.partitions) > MAX_CACHED_PARTITIONS:
            return False
        while session.id == INVALID_SESSION_ID or session.id in self._sessions:
            session.id = self._rng.randint(1, MAX_EPOCH)
        self._sessions[session.id] = session
        self._partition_count += len(session.partitions)
        return True

    def _end(self, session: FetchSession) -> None:
        del self._sessions[session.id]
        self._partition_count -= len(session.partitions)
        self.release(session)

    def release(self, session: FetchSession) -> None:
        """Stop watching for a session that has ended and has no delayed fetch."""
        if not session.waiting and self._sessions.get(session.id) is not session:
            for cached in session.partitions.values():
                self.watch.forget(cached)

    def _evict(self, now: "Now", *, for_follower: bool) -> bool:
        oldest = next(iter(self._sessions.values()), None)
        if oldest is not None and now.monotonic_ms - oldest.last_used_ms < EVICTION_MS:
            consumers = (session for session in self._sessions.values() if not session.is_privileged)
            oldest = next(consumers, None) if for_follower else None
        if oldest is None:
            return False
        self._end(oldest)
        return True


def _refused(error_code: int) -> FetchContext:
    nothing = FetchSession((), 0, uses_topic_ids=False, is_privileged=False)
    return FetchContext(nothing, is_kept=False, error_code=error_code)
