"""Requests to a coordinator that wait: for the shard, the high watermark, or what a new leader does not know yet."""

from kafkacompat.protocol import error_codes as errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    from kafkacompat.now import Now
    from kafkacompat.replication.partition import Partition

    class Owner(Protocol):
        """What a waiter needs of its CoordinatorContext."""

        @property
        def partition(self) -> Partition: ...
        def forget(self, waiter: "Waiter") -> None: ...
        def answer_early(self, early: "EarlyRead", *, expired: bool) -> object | None: ...


class Waiter:
    """A request without a response yet. It is its own token in the shard and its own key in the purgatory.

    `offset`: the log end when the response was built; the response is sent once the high watermark has reached it.
    """

    __slots__ = ("context", "failed", "offset", "response")

    def __init__(self, context: "Owner", failed: "Callable[[int], object]") -> None:
        self.context = context
        self.failed = failed
        self.offset = 0
        self.response: Any = None

    def finish(self, _now: "Now", expired: bool) -> "Any":
        """The response if it may be sent; None otherwise."""
        if self.response is not None and self.context.partition.high_watermark >= self.offset:
            return self.response
        if not expired:
            return None
        self.context.forget(self)
        return self.failed(errors.COORDINATOR_NOT_AVAILABLE)

    def give_up(self, response: object) -> None:
        """Wait no longer: `response` may be sent, whatever is committed. What was written stays."""
        self.context.forget(self)
        self.response = response
        self.offset = 0


class EarlyRead:
    """A read on a leader that has just been elected. question: what to ask the shard."""

    __slots__ = ("context", "failed", "question")

    def __init__(
        self, context: "Owner", question: "Callable[[Any], object]", failed: "Callable[[int], object]"
    ) -> None:
        self.context = context
        self.question = question
        self.failed = failed

    def finish(self, _now: "Now", expired: bool) -> object | None:
        """The answer if the read may run; None otherwise."""
        return self.context.answer_early(self, expired=expired)
