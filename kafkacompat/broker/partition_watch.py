"""Which fetches are to look at a partition again when it moves. What has not moved costs a fetch nothing."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from kafkacompat.broker.fetch_session import CachedPartition, FetchSession
    from kafkacompat.now import Now

    WatchKey = tuple[str, int]


class PartitionWatch:
    """By partition, the wanted partitions of sessions that are at its end and wait for it to move.

    A watch is good for one move: the partition is due in its session from then on, until a fetch finds again that there
    is nothing more to tell. So a session that nobody uses any more costs a partition one step, not one for each append.
    `wake(session, now)` asks the fetch that waits in a session, if there is one. Bounded by the partitions of sessions.
    """

    __slots__ = ("_wake", "_watching")

    def __init__(self, wake: "Callable[[FetchSession, Now], None]") -> None:
        self._wake = wake
        # most partitions are watched by one session: that needs no dict of its own
        self._watching: dict[WatchKey, CachedPartition | dict[CachedPartition, None]] = {}

    def __len__(self) -> int:
        return len(self._watching)

    def watch(self, session: "FetchSession", some: "Iterable[CachedPartition]") -> None:
        """Make each due in its session when its partition (`wanted.key`) moves."""
        watching = self._watching
        for wanted in some:
            if wanted.watched is not None:
                continue
            wanted.session = session
            key = wanted.watched = wanted.key
            assert key is not None, "a partition is watched that was not found"
            known = watching.setdefault(key, wanted)
            if known is wanted:
                continue
            if isinstance(known, dict):
                known[wanted] = None
            else:
                watching[key] = {known: None, wanted: None}

    def forget(self, wanted: "CachedPartition") -> None:
        """It is asked for no more."""
        key, wanted.watched, wanted.session = wanted.watched, None, None
        if key is None:
            return
        known = self._watching[key]
        if isinstance(known, dict):
            del known[wanted]
        if known is wanted or not known:
            del self._watching[key]

    def moved(self, key: "WatchKey", now: "Now") -> None:
        """A fetch of this partition would find something else than before: wake who waits for that."""
        known = self._watching.pop(key, None)
        if known is None:
            return
        watching: Collection[CachedPartition] = known if isinstance(known, dict) else (known,)
        sessions: list[FetchSession] = []
        for wanted in watching:
            session, wanted.watched, wanted.session = wanted.session, None, None
            assert session is not None
            session.due[wanted] = None
            sessions.append(session)
        for session in sessions:
            self._wake(session, now)
