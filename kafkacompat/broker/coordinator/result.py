"""The result of a coordinator shard's event: records, effects and a response. A shard acts through these alone.

An effect with `waits_for_commit` is carried out once all records that the shard has replayed are committed, any other
at once. Effects that clients or other nodes see wait.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator
    from typing import Any, TypeAlias

    from kafkacompat.broker.coordinator.producer_batches import TransactionalProducer
    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message

    Effect: TypeAlias = "Reply | Notify | SetTimer | CancelTimer"

    #: Starts long work that yields result after result.
    Job = Callable[[Now], Iterator["Result"]]


class Reply:
    """Answer the request that waits under `token`."""

    __slots__ = ("response", "token")

    waits_for_commit = True

    def __init__(self, token: "Hashable", response: "Message") -> None:
        self.token = token
        self.response = response

    def __repr__(self) -> str:
        return f"Reply({self.token!r}, {self.response!r})"


class Notify:
    """Give `notice` to the coordinator's service, which acts on other parts of the node, such as sending markers.

    It waits, because other nodes must not see what could still be lost.
    """

    __slots__ = ("notice",)

    waits_for_commit = True

    def __init__(self, notice: object) -> None:
        self.notice = notice

    def __repr__(self) -> str:
        return f"Notify({self.notice!r})"


class SetTimer:
    """Call the shard's `timer_fired(key)` once the life clock reaches `deadline_ms`; replaces an earlier one.

    is_periodic: it looks for what has become old, and is set again each time (`LifeTimers`).
    """

    __slots__ = ("deadline_ms", "is_periodic", "key")

    waits_for_commit = False

    def __init__(self, key: "tuple[str, ...]", deadline_ms: int, *, is_periodic: bool = False) -> None:
        self.key = key
        self.deadline_ms = deadline_ms
        self.is_periodic = is_periodic

    def __repr__(self) -> str:
        return f"SetTimer({self.key!r}, {self.deadline_ms})"


class CancelTimer:
    """Cancel the timer `key`; an unknown key is ignored."""

    __slots__ = ("key",)

    waits_for_commit = False

    def __init__(self, key: "tuple[str, ...]") -> None:
        self.key = key

    def __repr__(self) -> str:
        return f"CancelTimer({self.key!r})"


class Result:
    """Records to append and replay, then effects in order, and the response to the event's own request.

    The response and the effects with `waits_for_commit` wait until the records are committed. `response` None: the
    request waits for a Reply. The records form one batch, or several if they are independent (not `is_atomic`).

    If the append fails, no record is replayed and no effect is carried out. An event that has changed more than its
    records do sets `otherwise`: it is called with the error that the client receives, and returns a result without
    records, which is carried out instead.

    `producer`: the records are part of this producer's transaction, and form one batch.

    `job` does what takes too long for one iteration of the event loop. It yields further results; each is carried out
    before the next is built, so a job sees all changes in between. `cost`: the items checked for a result, in units of
    about the time of one record read.
    """

    __slots__ = ("cost", "effects", "is_atomic", "job", "otherwise", "producer", "records", "response")

    def __init__(self, response: "Any" = None) -> None:
        self.records: list[tuple[Message, Message | None]] = []
        self.effects: list[Effect] = []
        self.response = response
        self.is_atomic = True
        self.producer: TransactionalProducer | None = None
        self.otherwise: Callable[[int], Result] | None = None
        self.job: Job | None = None
        self.cost = 0

    def __repr__(self) -> str:
        return f"Result(response={self.response!r}, records={self.records!r}, effects={self.effects!r})"
