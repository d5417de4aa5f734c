"""Requests that wait: long polls, acks=all, joins. Kafka's name for the place
(kafka.server.DelayedOperationPurgatory).
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from typing import Any

    from kafkacompat.broker.timers import Timers
    from kafkacompat.now import Now

METADATA_KEY = "metadata"  # moves when the metadata log commits
PRODUCER_IDS_KEY = "producer ids"  # moves when a block of ids has come, or may be asked for again


class Pending:
    """An answer that is not there yet.

    `finish(now, expired)` returns the response, or None to wait on; when `expired` it must answer. It is asked each
    time one of `keys` moves and at `deadline_ms` (monotonic). `completes_early`: it answers before its deadline when
    the client asks for something else meanwhile. `is_written`: it is of a produce request, all of which is in the logs.
    `on_end` is called once, when it waits no longer, whether it is answered or not.
    """

    __slots__ = ("completes_early", "deadline_ms", "finish", "is_written", "keys", "on_bug", "on_end", "reply")

    def __init__(
        self,
        keys: "Sequence[Hashable]",
        deadline_ms: int,
        finish: "Callable[[Now, bool], Any]",
        *,
        completes_early: bool = False,
        is_written: bool = False,
        on_end: "Callable[[], None] | None" = None,
    ) -> None:
        self.keys = keys
        self.deadline_ms = deadline_ms
        self.finish = finish
        self.completes_early = completes_early
        self.is_written = is_written
        self.on_end = on_end
        self.reply: Callable[[Any, Now], None] | None = None
        self.on_bug: Callable[[], object] | None = None


class Purgatory:
    """Holds pending answers by the keys that they wait for; bounded by the few requests in flight on a connection."""

    def __init__(self, timers: "Timers") -> None:
        self._timers = timers
        self._watchers: dict[Hashable, dict[Pending, None]] = {}

    def add(
        self, pending: Pending, reply: "Callable[[Any, Now], None]", on_bug: "Callable[[], object] | None" = None
    ) -> None:
        """Keep it until it finishes; `reply(response, now)` is then called exactly once, unless it is discarded before.

        `on_bug` makes the response when `finish` raises: whoever moved a key must not suffer for it.
        """
        pending.reply = reply
        pending.on_bug = on_bug
        for key in pending.keys:
            self._watchers.setdefault(key, {})[pending] = None
        self._timers.set(pending, pending.deadline_ms, lambda now: self.expire(pending, now))

    def touch(self, key: "Hashable", now: "Now") -> None:
        """The key moved: ask everything that waits for it, in order of arrival."""
        watchers = self._watchers.get(key)
        if watchers:
            for pending in list(watchers):
                if pending.reply is not None:
                    self._settle(pending, _ask(pending, now, expired=False), now)

    def discard(self, pending: Pending) -> None:
        """Nobody waits for this answer any more."""
        pending.reply = None
        self._timers.cancel(pending)
        for key in pending.keys:
            watchers = self._watchers.get(key)
            if watchers is not None:
                watchers.pop(pending, None)
                if not watchers:
                    del self._watchers[key]
        # its timer's entry may stay in the heap up to the deadline, and must not keep what a fetch of thousands holds
        pending.keys, pending.finish, pending.on_bug = (), _has_ended, None
        on_end, pending.on_end = pending.on_end, None
        if on_end is not None:
            on_end()

    def expire(self, pending: Pending, now: "Now") -> None:
        """It waits no longer: its deadline has come, or something else is more urgent."""
        if pending.reply is not None:
            self._settle(pending, _ask(pending, now, expired=True), now)

    def __len__(self) -> int:
        """How many answers wait; counted anew, as each may wait for several keys."""
        return len({pending for watchers in self._watchers.values() for pending in watchers})

    def _settle(self, pending: Pending, response: object | None, now: "Now") -> None:
        if response is not None and pending.reply is not None:
            reply = pending.reply
            self.discard(pending)
            reply(response, now)


def _has_ended(_now: "Now", _expired: bool) -> object | None:
    raise AssertionError("a pending answer was asked for again after its end")


def _ask(pending: Pending, now: "Now", *, expired: bool) -> object | None:
    try:
        response: object | None = pending.finish(now, expired)
        assert response is not None or not expired, "a pending answer must answer at its deadline"
    except Exception:
        if pending.on_bug is None:
            raise
        return pending.on_bug()
    return response
