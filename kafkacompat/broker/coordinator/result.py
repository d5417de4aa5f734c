"""What a coordinator shard answers to an event, and the only things it can ask of its surroundings.

Each kind of effect says in `waits_for_commit` whether it is carried out at once, or when all records that the shard has
seen by then are committed: what others are told must not be lost any more.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator
    from typing import Any, TypeAlias

    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message

    Effect: TypeAlias = "Reply | SetTimer | CancelTimer"

    #: Begins something long, which makes result after result.
    Job = Callable[[Now], Iterator["Result"]]


class Reply:
    """Answer a request that was left waiting under `token`."""

    __slots__ = ("response", "token")

    waits_for_commit = True

    def __init__(self, token: "Hashable", response: "Message") -> None:
        self.token = token
        self.response = response

    def __repr__(self) -> str:
        return f"Reply({self.token!r}, {self.response!r})"


class SetTimer:
    """Call the shard's `timer_fired(key)` once the monotonic clock reaches `deadline_ms`; replaces an earlier one."""

    __slots__ = ("deadline_ms", "key")

    waits_for_commit = False

    def __init__(self, key: "tuple[str, ...]", deadline_ms: int) -> None:
        self.key = key
        self.deadline_ms = deadline_ms

    def __repr__(self) -> str:
        return f"SetTimer({self.key!r}, {self.deadline_ms})"


class CancelTimer:
    """Forget the timer `key`; it may be unknown."""

    __slots__ = ("key",)

    waits_for_commit = False

    def __init__(self, key: "tuple[str, ...]") -> None:
        self.key = key

    def __repr__(self) -> str:
        return f"CancelTimer({self.key!r})"


class Result:
    """Records to append and replay at once, then effects in order, and the response to the event's own request.

    The response waits until the records are committed, and so do effects that say so. `response` None: the request
    waits for a Reply. The records are one batch, or, where each stands for itself (not `is_atomic`), as many as are
    needed.

    Records that cannot be appended are not replayed, and nothing of the result is carried out. An event that has
    changed more than records hold says what to do then: `otherwise` is called with the error that its client is told,
    and its result, which has no records, is carried out.

    What takes longer than a turn of the loop may is left to `steps`, which makes more results, each carried out before
    the next is asked for: it sees what happens meanwhile. `work` counts what was looked at for a result, in places that
    take about as long as a record that is read.
    """

    __slots__ = ("cost", "effects", "is_atomic", "job", "otherwise", "records", "response")

    def __init__(self, response: "Any" = None) -> None:
        self.records: list[tuple[Message, Message | None]] = []
        self.effects: list[Effect] = []
        self.response = response
        self.is_atomic = True
        self.otherwise: Callable[[int], Result] | None = None
        self.job: Job | None = None
        self.cost = 0

    def __repr__(self) -> str:
        return f"Result(response={self.response!r}, records={self.records!r}, effects={self.effects!r})"
