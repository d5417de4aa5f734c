"""Delayed requests: long polls, acks=all, joins (Kafka's DelayedOperationPurgatory)."""

from functools import partial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
    from typing import Any

    from kafkacompat.broker.timers import Timers
    from kafkacompat.now import Now

METADATA_KEY = "metadata"  # touched when the metadata log commits
PRODUCER_IDS_KEY = "producer ids"  # touched when a block of ids arrives, or may be requested again


class Pending:
    """A delayed response (Kafka's DelayedOperation).

    `finish(now, expired)` returns the response, or None to keep waiting; when `expired` it must return one. It is
    called each time one of `keys` is touched and at `deadline_ms` (monotonic). `completes_early`: it expires as soon as
    the client sends another request. `is_written`: all records of this produce request are in the logs. `on_end` is
    called once when the wait ends, with a response or without. `touched`: the key because of which `finish` is called;
    None if there is none.
    """

    __slots__ = (
        "completes_early", "deadline_ms", "finish", "is_written", "keys", "on_bug", "on_end", "reply", "touched",
    )  # fmt: skip

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
        self.touched: Hashable = None


class OpenParts:
    """The parts of a delayed response that are not complete, with the keys that each waits for.

    The touch of a key costs as much as the parts that wait for it, so that a response with thousands of them costs as
    much as what moves.
    """

    __slots__ = ("_by_key", "_open")

    def __init__(self, keys_of: "Mapping[Any, Sequence[Hashable]]") -> None:
        self._open = dict.fromkeys(keys_of)
        self._by_key: dict[Hashable, list[Any]] = {}
        for part, keys in keys_of.items():
            for key in keys:
                self._by_key.setdefault(key, []).append(part)

    def __iter__(self) -> "Iterator[Any]":
        return iter(self._open)

    @property
    def keys(self) -> "list[Hashable]":
        """What the response waits for."""
        return list(self._by_key)

    def try_complete(self, touched: "Hashable", complete: "Callable[[Any], bool]") -> bool:
        """Ask the parts that wait for the touched key; all, if none waits for it. Returns whether none is left."""
        for part in self._by_key.get(touched) or list(self._open):
            if part in self._open and complete(part):
                del self._open[part]
        return not self._open


class Purgatory:
    """Delayed responses by the keys they wait for; bounded by the number of requests in flight per connection."""

    def __init__(self, timers: "Timers", is_long: "Callable[[Now], bool]" = lambda _now: False) -> None:
        """``is_long``: whether the turn of the event loop has taken long."""
        self._timers = timers
        self._is_long = is_long
        self._watchers: dict[Hashable, dict[Pending, None]] = {}
        self._to_ask: dict[Hashable, list[Pending]] = {}  # in later turns, the last one first

    def add(
        self, pending: Pending, reply: "Callable[[Any, Now], None]", on_bug: "Callable[[], object] | None" = None
    ) -> None:
        """Keep it until it finishes; `reply(response, now)` is then called exactly once, unless it is discarded before.

        `on_bug` makes the response when `finish` raises, so that the caller of `touch` does not fail.
        """
        pending.reply = reply
        pending.on_bug = on_bug
        for key in pending.keys:
            self._watchers.setdefault(key, {})[pending] = None
        self._timers.set(pending, pending.deadline_ms, lambda now: self.expire(pending, now))

    def touch(self, key: "Hashable", now: "Now") -> None:
        """Try to complete everything that waits for the key, in order of arrival: in later turns of the event loop what
        would make this one long.
        """
        watchers = self._watchers.get(key)
        if not watchers:
            return
        if key in self._to_ask:
            self._ask_later(key, list(reversed(watchers)))  # also those that were asked before this touch
        else:
            self._ask_all(key, list(reversed(watchers)), now)

    def _ask_all(self, key: "Hashable", rest: list[Pending], now: "Now") -> None:
        while rest:
            pending = rest.pop()
            if pending.reply is None:
                continue
            pending.touched = key
            self._complete(pending, _ask(pending, now, expired=False), now)
            if rest and self._is_long(now):
                self._ask_later(key, rest)
                self._timers.set(("touched", key), now.monotonic_ms, partial(self._go_on, key))
                return

    def _ask_later(self, key: "Hashable", some: list[Pending]) -> None:
        rest = self._to_ask.setdefault(key, [])
        are_there = set(rest)
        rest[:0] = [pending for pending in some if pending not in are_there]

    def _go_on(self, key: "Hashable", now: "Now") -> None:
        self._ask_all(key, self._to_ask.pop(key), now)

    def discard(self, pending: Pending) -> None:
        """Drop it: the response is no longer needed."""
        pending.reply = None
        self._timers.cancel(pending)
        for key in pending.keys:
            watchers = self._watchers.get(key)
            if watchers is not None:
                watchers.pop(pending, None)
                if not watchers:
                    del self._watchers[key]
        # its timer's entry may stay in the heap up to the deadline, and must not keep the data of a large fetch alive
        pending.keys, pending.finish, pending.on_bug, pending.touched = (), _has_ended, None, None
        on_end, pending.on_end = pending.on_end, None
        if on_end is not None:
            on_end()

    def expire(self, pending: Pending, now: "Now") -> None:
        """Complete it now: at its deadline, or because the client sent another request."""
        if pending.reply is not None:
            pending.touched = None
            self._complete(pending, _ask(pending, now, expired=True), now)

    def __len__(self) -> int:
        """The number of delayed responses; each may wait for several keys, so they are counted here."""
        return len({pending for watchers in self._watchers.values() for pending in watchers})

    def _complete(self, pending: Pending, response: object | None, now: "Now") -> None:
        if response is not None and pending.reply is not None:
            reply = pending.reply
            self.discard(pending)
            reply(response, now)


def _has_ended(_now: "Now", _expired: bool) -> object | None:
    raise AssertionError("a delayed response was requested again after its end")


def _ask(pending: Pending, now: "Now", *, expired: bool) -> object | None:
    try:
        response: object | None = pending.finish(now, expired)
        assert response is not None or not expired, "a delayed response must be complete at its deadline"
    except Exception:
        if pending.on_bug is None:
            raise
        return pending.on_bug()
    return response
