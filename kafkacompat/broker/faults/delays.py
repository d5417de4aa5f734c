"""`delay`: requests or their answers wait."""

from typing import ClassVar

from kafkacompat.broker.faults.action import AFTER, BEFORE
from kafkacompat.broker.faults.unsent import release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random
    from typing import Any

    from kafkacompat.broker.answers import Response
    from kafkacompat.broker.faults.action import Match
    from kafkacompat.broker.faults.reading import Reader
    from kafkacompat.broker.faults.selectors import Selectors
    from kafkacompat.broker.faults.turn import Turn

DELAY_MAX_MS = 3_600_000


class Delay:
    """ms: a fixed delay. uniform: [low, high] in ms. lognormal: {median_ms, sigma}: most are near the median, a few
    much longer. at: `before` the request is carried out, or `after`, before its answer is sent. No delay exceeds an
    hour.
    """

    kind: ClassVar[str] = "delay"
    shorthand: ClassVar[str] = "ms"

    def __init__(self, members: "dict[str, Any]", at: str) -> None:
        self._members = members
        self.at = at

    @classmethod
    def read(cls, reader: "Reader") -> "Delay":
        """Its members."""
        members: dict[str, Any] = {}
        milliseconds = reader.number("ms", high=DELAY_MAX_MS)
        if milliseconds is not None:
            members["ms"] = milliseconds
        uniform = reader.take("uniform")
        if uniform is not None:
            members["uniform"] = _range(reader, uniform)
        if reader.take("lognormal") is not None:
            inner = reader.inner("lognormal")
            median = inner.number("median_ms", low=0.001, high=DELAY_MAX_MS)
            members["lognormal"] = {"median_ms": median, "sigma": inner.number("sigma", 0.5, high=10)}
            if median is None and not inner.mistakes:
                inner.mistake("median_ms", "say which delay half of the requests get at most")
            inner.end()
        if len(members) != 1 and not reader.mistakes:
            reader.mistake("", "give one of ms, uniform and lognormal")
        return cls(members, reader.choice("at", (BEFORE, AFTER), BEFORE))

    def check(self, reader: "Reader", selectors: "Selectors") -> None:
        """Every request can be delayed."""

    def is_of_entities(self, turn: "Turn", match: "Match") -> bool:  # noqa: ARG002 (as Action)
        """The whole request waits."""
        return False

    def act(self, turn: "Turn", match: "Match") -> None:
        """Wait, then go on."""
        delay_ms = self.draw(match.rule.rng(turn))
        if self.at == BEFORE:
            turn.later(delay_ms, turn.proceed, _nothing)
            return

        def answered(response: "Response") -> None:
            turn.later(delay_ms, lambda: turn.answer(response), lambda: release(response))

        turn.proceed(answered)

    def draw(self, rng: "Random") -> float:
        """The delay of one request, in ms."""
        if "ms" in self._members:
            return float(self._members["ms"])
        if "uniform" in self._members:
            return rng.uniform(*self._members["uniform"])
        from math import log

        members = self._members["lognormal"]
        return min(rng.lognormvariate(log(members["median_ms"]), members["sigma"]), DELAY_MAX_MS)

    def as_dict(self) -> "dict[str, Any]":
        """As written in a rule."""
        return {**self._members, "at": self.at}


def _nothing() -> None:
    """A request that has not been carried out leaves nothing."""


def _range(reader: "Reader", given: object) -> "list[float]":
    is_range = (
        isinstance(given, list | tuple)
        and len(given) == 2
        and all(isinstance(each, int | float) and not isinstance(each, bool) for each in given)
        and 0 <= given[0] <= given[1] <= DELAY_MAX_MS
    )
    if not is_range:
        reader.mistake("uniform", f"give [low, high] in milliseconds, at most {DELAY_MAX_MS}")
        return [0, 0]
    return list(given)  # type: ignore[call-overload, no-any-return] # checked above
