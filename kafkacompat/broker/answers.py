"""What a handler may answer with: a response, or a word on where it comes from."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from kafkacompat.broker.purgatory import Pending
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.steps import Steps

    Response: TypeAlias = "Message | Encoded"
    Settled: TypeAlias = "Response | Failed"
    Late: TypeAlias = "Settled | Pending | Deferred"
    Answer: TypeAlias = "Late | Steps[Late]"


class Encoded:
    """A response that is already encoded (without its header): cached answers, and those built by hand."""

    __slots__ = ("parts",)

    def __init__(self, parts: list[object]) -> None:
        self.parts = parts


NO_RESPONSE = Encoded([])
"""The answer to a client that asked for none (produce with acks=0)."""


class Failed:
    """The whole request failed with one error; its handler's `failed` words the response."""

    __slots__ = ("error_code",)

    def __init__(self, error_code: int) -> None:
        self.error_code = error_code


class Deferred:
    """A response that another part of the node brings: `complete` is called once, before or after `then`.

    Unlike what waits in the purgatory it has no deadline of its own; whoever completes it has one.
    """

    __slots__ = ("_response", "_take")

    def __init__(self) -> None:
        self._response: Settled | None = None
        self._take: Callable[[Settled], None] | None = None

    def complete(self, response: "Settled") -> None:
        """The response is there."""
        assert self._response is None, "a deferred response was completed twice"
        self._response = response
        if self._take is not None:
            self._take(response)

    def then(self, take: "Callable[[Settled], None]") -> None:
        """Who takes the response, now or later."""
        self._take = take
        if self._response is not None:
            take(self._response)
