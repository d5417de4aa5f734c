"""Sends requests to the active controller, with retries until one answers (Kafka's NodeToControllerChannelManager)."""

from kafkacompat.protocol.error_codes import NOT_CONTROLLER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from random import Random

    from kafkacompat.broker.network import Address, Network
    from kafkacompat.broker.timers import Timers
    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message

    Done = Callable[[object | None, Now], None]
    LocalCall = Callable[[int, int, Message, Now, Done], None]

RETRY_MIN_MS = 50
RETRY_MAX_MS = 100
"""The pause after a node that is not the active controller, or is not reachable, is between these two, as in Kafka."""
MAX_OPEN = 2_000
"""The limit of unanswered requests in each channel; further ones fail at once. Clients' forwarded requests have a
channel of their own, so they take no room from this node's.
"""


class Call:
    """One request. `to` is the node that it was sent to, if any; `pauses` is true while it waits for the next try, and
    `is_open` until `done` was called.
    """

    __slots__ = ("api_key", "channel", "deadline_ms", "done", "is_open", "pauses", "request", "to", "version")

    def __init__(
        self, channel: str, api_key: int, version: int, request: "Message", deadline_ms: int, done: "Done"
    ) -> None:
        self.channel = channel
        self.api_key = api_key
        self.version = version
        self.request = request
        self.deadline_ms = deadline_ms
        self.done = done
        self.to: Address | None = None
        self.pauses = False
        self.is_open = True


class ControllerChannel:
    """The controller channel of one node.

    find: the address of the active controller's listener; None while no controller is known.
    is_here: whether this node is the active controller; then `call_here(api_key, version, request, now, done)` answers,
    now or later.
    client_id: the node id as text, as in Kafka.
    """

    def __init__(
        self,
        *,
        client_id: str,
        timers: "Timers",
        rng: "Random",
        find: "Callable[[], Address | None]",
        is_here: "Callable[[], bool]",
        call_here: "LocalCall",
    ) -> None:
        self.network: Network | None = None  # None in a single-node cluster
        self._client_id = client_id
        self._timers = timers
        self._rng = rng
        self._find = find
        self._is_here = is_here
        self._call_here = call_here
        self._open: dict[Call, None] = {}  # oldest first
        self._channels: dict[str, int] = {}  # channel -> number of open calls

    def request(
        self, channel: str, api_key: int, version: int, request: "Message", done: "Done", *, timeout_ms: int, now: "Now"
    ) -> Call:
        """Ask the active controller; `done(response, now)` is called once, with None if none answered in time.

        `done` is called during this call only if this node is the active controller and answers at once. A request
        whose answer was lost is sent again, so the controller may see it twice.
        """
        call = Call(channel, api_key, version, request, now.monotonic_ms + timeout_ms, done)
        self._open[call] = None
        count = self._channels[channel] = self._channels.get(channel, 0) + 1
        if count > MAX_OPEN:
            self._timers.set(_key(call), now.monotonic_ms, lambda at: self._finish(call, None, at))  # never in here
        else:
            self._send(call, now)
        return call

    def drop(self, call: Call) -> None:
        """Abandon a call: `done` is not called. The controller may have received the request."""
        if call.is_open:
            self._forget(call)

    def leader_changed(self, now: "Now") -> None:
        """The active controller changed: requests that were sent elsewhere or wait for a retry are sent to the new one
        at once.
        """
        there = None if self._is_here() else self._find()
        stale = dict.fromkeys((call.to, call.channel) for call in self._open if call.to not in (None, there))
        for to, channel in stale:
            assert self.network is not None
            assert to is not None
            self.network.close_channel(to, channel)  # fails the requests in flight, which are then retried
        for call in list(self._open):
            if call.pauses and call.is_open:  # an answer in this loop may have dropped another call
                self._send(call, now)

    def close(self) -> None:
        """Abandon all open calls; no callback is called any more."""
        for call in list(self._open):
            self._forget(call)

    def __len__(self) -> int:
        """The number of unanswered requests."""
        return len(self._open)

    def _send(self, call: Call, now: "Now") -> None:
        self._timers.cancel(_key(call))
        call.pauses = False
        left_ms = call.deadline_ms - now.monotonic_ms
        if left_ms <= 0:
            self._finish(call, None, now)
            return
        if self._is_here():
            self._call_here(
                call.api_key, call.version, call.request, now, lambda response, at: self._answered(call, response, at)
            )
            return
        to = self._find()
        if to is None or self.network is None:
            self._try_later(call, now)
            return
        call.to = to
        self.network.send(
            to, call.channel, self._client_id, call.api_key, call.version, call.request, left_ms,
            lambda response, at: self._answered(call, response, at),
        )  # fmt: skip

    def _answered(self, call: Call, response: object | None, now: "Now") -> None:
        if not call.is_open:
            return
        to, call.to = call.to, None
        if response is not None and not _is_refused(response):
            self._finish(call, response, now)
            return
        if to is not None and response is not None and self.network is not None:
            self.network.close_channel(to, call.channel)
        self._try_later(call, now)

    def _try_later(self, call: Call, now: "Now") -> None:
        call.pauses = True
        pause_ms = self._rng.randint(RETRY_MIN_MS, RETRY_MAX_MS)
        at_ms = min(now.monotonic_ms + pause_ms, call.deadline_ms)
        self._timers.set(_key(call), at_ms, lambda at: self._send(call, at))

    def _finish(self, call: Call, response: object | None, now: "Now") -> None:
        self._forget(call)
        call.done(response, now)

    def _forget(self, call: Call) -> None:
        del self._open[call]
        call.is_open = False
        self._channels[call.channel] -= 1
        self._timers.cancel(_key(call))


def _key(call: Call) -> "Hashable":
    return "controller channel", call


def _is_refused(response: object) -> bool:
    """Whether the response has NOT_CONTROLLER, at the top level or in a topic."""
    code = getattr(response, "error_code", None)
    if code is not None:
        return bool(code == NOT_CONTROLLER)
    return any(getattr(each, "error_code", 0) == NOT_CONTROLLER for each in getattr(response, "topics", ()))
