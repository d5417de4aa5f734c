"""What a handler may return: a response, or an object that says how the response is made later."""

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

RESPONSE_BYTES_MAX = 100 << 20
"""About the largest response that names things again and again: it can be thousands of times larger than its request.
INVALID_REQUEST for the rest. As much as a request may have (`socket.request.max.bytes`).
"""


class Encoded:
    """A response that is already encoded, without its header."""

    __slots__ = ("parts",)

    def __init__(self, parts: list[object]) -> None:
        self.parts = parts


NO_RESPONSE = Encoded([])
"""Nothing is sent (produce with acks=0)."""


class Failed:
    """The whole request failed with one error; the handler's `failed` makes the response."""

    __slots__ = ("error_code",)

    def __init__(self, error_code: int) -> None:
        self.error_code = error_code


class Deferred:
    """A response that another part of the node completes: `complete` is called once, before or after `then`.

    Unlike a request in the purgatory it has no deadline of its own: the part that completes it enforces one.
    """

    __slots__ = ("_receive", "_response")

    def __init__(self) -> None:
        self._response: Settled | None = None
        self._receive: Callable[[Settled], None] | None = None

    def complete(self, response: "Settled") -> None:
        """Deliver the response."""
        assert self._response is None, "a deferred response was completed twice"
        self._response = response
        if self._receive is not None:
            self._receive(response)

    def then(self, receive: "Callable[[Settled], None]") -> None:
        """Call `receive(response)` when the response is there, which may be now."""
        self._receive = receive
        if self._response is not None:
            receive(self._response)
