"""Which fetches read a partition again when it changes. Unchanged partitions cost a fetch nothing."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from kafkacompat.broker.fetch_session import CachedPartition, FetchSession
    from kafkacompat.now import Now

    WatchKey = tuple[str, int]


class PartitionWatch:
    """By partition, the sessions' partitions that are at its end and wait for a change.

    A watch ends with the first change: the partition is due in its session from then on, until a fetch has read it to
    the end again. So an unused session costs a partition one step, not one for each append. `wake(session, now)` tries
    to complete the delayed fetch of a session, if there is one. Bounded by the number of partitions in sessions.
    """

    __slots__ = ("_wake", "_watching")

    def __init__(self, wake: "Callable[[FetchSession, Now], None]") -> None:
        self._wake = wake
        # most partitions are watched by one session: that needs no dict of its own
        self._watching: dict[WatchKey, CachedPartition | dict[CachedPartition, None]] = {}

    def __len__(self) -> int:
        return len(self._watching)

    def watch(self, session: "FetchSession", some: "Iterable[CachedPartition]") -> None:
        """Make each due in its session when its partition (`cached.key`) changes."""
        watching = self._watching
        for cached in some:
            if cached.watched is not None:
                continue
            cached.session = session
            key = cached.watched = cached.key
            assert key is not None, "a partition that was not found cannot be watched"
            known = watching.setdefault(key, cached)
            if known is cached:
                continue
            if isinstance(known, dict):
                known[cached] = None
            else:
                watching[key] = {known: None, cached: None}

    def forget(self, cached: "CachedPartition") -> None:
        """Stop watching for it."""
        key, cached.watched, cached.session = cached.watched, None, None
        if key is None:
            return
        known = self._watching[key]
        if isinstance(known, dict):
            del known[cached]
        if known is cached or not known:
            del self._watching[key]

    def moved(self, key: "WatchKey", now: "Now") -> None:
        """The partition has changed: make it due in the sessions that watch it, and wake their fetches."""
        known = self._watching.pop(key, None)
        if known is None:
            return
        watching: Collection[CachedPartition] = known if isinstance(known, dict) else (known,)
        sessions: list[FetchSession] = []
        for cached in watching:
            session, cached.watched, cached.session = cached.session, None, None
            assert session is not None
            session.due.pop(cached, None)
            session.due[cached] = None  # behind those that did not change
            sessions.append(session)
        for session in sessions:
            self._wake(session, now)
