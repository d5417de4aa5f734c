"""Actions on the bytes of a response: `cut`, `corrupt`, `limit` and `drip`. The work is done, and the answer arrives in
part, changed, or slowly. The shell writes what `pieces` yields (`server/faulty_sender.py`).
"""

from typing import ClassVar

from kafkacompat.broker.answers import NO_RESPONSE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from kafkacompat.broker.answers import Response
    from kafkacompat.broker.faults.action import Match
    from kafkacompat.broker.faults.reading import Reader
    from kafkacompat.broker.faults.selectors import Selectors
    from kafkacompat.broker.faults.turn import Turn

INT32_MIN, INT32_MAX = -(1 << 31), (1 << 31) - 1
SIZE_BYTES = 4
"""The announced size, before each response; the correlation id follows it."""
LIMIT_INTERVAL_MS = 20
"""How often a limited response continues, unless a single byte takes longer."""
EVERY_MAX_MS = 3_600_000


class _Bytes:
    """What the four actions share. `closes`: whether the connection is closed after the last piece."""

    shorthand: ClassVar[str] = ""
    closes: ClassVar[bool] = False

    def __init__(self, **members: "Any") -> None:
        self._members = {name: value for name, value in members.items() if value is not None}

    def check(self, reader: "Reader", selectors: "Selectors") -> None:
        """Every response can have it."""

    def is_of_entities(self, turn: "Turn", match: "Match") -> bool:  # noqa: ARG002 (as Action)
        """It is for whole responses."""
        return False

    def act(self, turn: "Turn", match: "Match") -> None:  # noqa: ARG002 (as Action)
        """Carry the request out, and have the shell treat the bytes of its response."""

        def answered(response: "Response") -> None:
            if response is not NO_RESPONSE:
                turn.connection.treat_bytes(turn.context.header.correlation_id, self)
            turn.answer(response)

        turn.proceed(answered)

    def pieces(self, frame: bytes) -> "Iterator[tuple[float, bytes]]":
        """(pause before it in ms, bytes) of a whole response, its size included."""
        raise NotImplementedError

    def as_dict(self) -> "dict[str, Any]":
        """As written in a rule."""
        return dict(self._members)


class Cut(_Bytes):
    """Send the first `after_bytes` of the response, its size included, then close the connection."""

    kind: ClassVar[str] = "cut"
    shorthand: ClassVar[str] = "after_bytes"
    closes: ClassVar[bool] = True

    @classmethod
    def read(cls, reader: "Reader") -> "Cut":
        """Its members."""
        return cls(after_bytes=reader.whole("after_bytes", 0))

    def pieces(self, frame: bytes) -> "Iterator[tuple[float, bytes]]":
        """The beginning."""
        yield 0, frame[: self._members["after_bytes"]]


class Corrupt(_Bytes):
    """bit: the number of a bit that is flipped, from the first after the size; beyond the end it is counted from the
    beginning again. length: what is added to the announced size. correlation_id: the one to send in place of the
    request's.
    """

    kind: ClassVar[str] = "corrupt"

    @classmethod
    def read(cls, reader: "Reader") -> "Corrupt":
        """Its members."""
        found = cls(
            bit=reader.whole("bit"),
            length=reader.whole("length", low=INT32_MIN, high=INT32_MAX),
            correlation_id=reader.whole("correlation_id", low=INT32_MIN, high=INT32_MAX),
        )
        if len(found._members) != 1 and not reader.mistakes:
            reader.mistake("", "give one of bit, length and correlation_id")
        return found

    def pieces(self, frame: bytes) -> "Iterator[tuple[float, bytes]]":
        """The changed response."""
        data, members = bytearray(frame), self._members
        if "bit" in members:
            at = members["bit"] % (8 * (len(data) - SIZE_BYTES))
            data[SIZE_BYTES + at // 8] ^= 0x80 >> at % 8
        elif "length" in members:
            size = len(data) - SIZE_BYTES + members["length"]
            data[:SIZE_BYTES] = max(INT32_MIN, min(size, INT32_MAX)).to_bytes(4, "big", signed=True)
        else:
            data[SIZE_BYTES : SIZE_BYTES + 4] = members["correlation_id"].to_bytes(4, "big", signed=True)
        yield 0, bytes(data)


class Limit(_Bytes):
    """Send the response no faster than `bytes_per_s`."""

    kind: ClassVar[str] = "limit"
    shorthand: ClassVar[str] = "bytes_per_s"

    @classmethod
    def read(cls, reader: "Reader") -> "Limit":
        """Its members."""
        rate = reader.number("bytes_per_s", low=0.001)
        if rate is None and not reader.mistakes:
            reader.mistake("bytes_per_s", "say how many bytes are sent in a second")
        return cls(bytes_per_s=rate)

    def pieces(self, frame: bytes) -> "Iterator[tuple[float, bytes]]":
        """As many bytes as the rate allows in an interval, one at least."""
        rate = self._members["bytes_per_s"]
        size = max(1, int(rate * LIMIT_INTERVAL_MS / 1000))
        return _in_pieces(frame, size, 1000 * size / rate)


class Drip(_Bytes):
    """Send the response in pieces of `piece` bytes, one `every_ms`."""

    kind: ClassVar[str] = "drip"

    @classmethod
    def read(cls, reader: "Reader") -> "Drip":
        """Its members."""
        return cls(piece=reader.whole("piece", 1, low=1), every_ms=reader.number("every_ms", 10, high=EVERY_MAX_MS))

    def pieces(self, frame: bytes) -> "Iterator[tuple[float, bytes]]":
        """Pieces of one size."""
        return _in_pieces(frame, self._members["piece"], self._members["every_ms"])


def _in_pieces(frame: bytes, size_bytes: int, pause_ms: float) -> "Iterator[tuple[float, bytes]]":
    for start in range(0, len(frame), size_bytes):
        yield (pause_ms if start else 0), frame[start : start + size_bytes]
