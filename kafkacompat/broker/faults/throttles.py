"""`throttle`: a client is told to send less (throttle_time_ms), and its connection is muted meanwhile (KIP-219)."""

from typing import ClassVar

from kafkacompat.broker.answers import NO_RESPONSE
from kafkacompat.broker.faults.delays import DELAY_MAX_MS
from kafkacompat.broker.faults.joining import decoded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.broker.answers import Response
    from kafkacompat.broker.faults.action import Match
    from kafkacompat.broker.faults.reading import Reader
    from kafkacompat.broker.faults.selectors import Selectors
    from kafkacompat.broker.faults.turn import Turn


class Throttle:
    """ms: the throttle time. tell: whether the response has it; versions without the field are muted only."""

    kind: ClassVar[str] = "throttle"
    shorthand: ClassVar[str] = "ms"

    def __init__(self, duration_ms: int, *, tells: bool) -> None:
        self._duration_ms = duration_ms
        self._tells = tells

    @classmethod
    def read(cls, reader: "Reader") -> "Throttle":
        """Its members."""
        duration_ms = reader.whole("ms", low=1, high=DELAY_MAX_MS)
        if duration_ms is None and not reader.mistakes:
            reader.mistake("ms", "say for how many milliseconds")
        return cls(duration_ms or 1, tells=reader.flag("tell", default=True))

    def check(self, reader: "Reader", selectors: "Selectors") -> None:
        """Every client can be muted."""

    def is_of_entities(self, turn: "Turn", match: "Match") -> bool:  # noqa: ARG002 (as Action)
        """It is for the whole connection."""
        return False

    def act(self, turn: "Turn", match: "Match") -> None:  # noqa: ARG002 (as Action)
        """Answer at once, then take no request from the connection for the throttle time."""

        def answered(response: "Response") -> None:
            if self._tells and turn.shape.has_throttle_time and response is not NO_RESPONSE:
                message: Any = decoded(turn.shape, response)
                message.throttle_time_ms = self._duration_ms
                response = message
            turn.answer(response)
            turn.connection.mute(self._duration_ms)

        turn.proceed(answered)

    def as_dict(self) -> "dict[str, Any]":
        """As written in a rule."""
        return {"ms": self._duration_ms, "tell": self._tells}
