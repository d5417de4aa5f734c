"""Mistakes in fault rules, as exceptions with a list of all of them."""

from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Mistake:
    """One mistake. `pointer` is a JSON pointer into the rule; `did_you_mean` is a near name, "" if there is none."""

    __slots__ = ("did_you_mean", "message", "pointer")

    def __init__(self, pointer: str, message: str, did_you_mean: str = "") -> None:
        self.pointer = pointer
        self.message = message
        self.did_you_mean = did_you_mean

    def as_dict(self) -> dict[str, str]:
        """Plain values, for HTTP. `did_you_mean` is left out if it is empty."""
        found = {"pointer": self.pointer, "message": self.message}
        return {**found, "did_you_mean": self.did_you_mean} if self.did_you_mean else found

    def __str__(self) -> str:
        hint = f" (did you mean {self.did_you_mean!r}?)" if self.did_you_mean else ""
        return f"{self.pointer or '/'}: {self.message}{hint}"


class FaultRuleError(KafkaCompatError):
    """A fault rule cannot be read. `mistakes` are all that were found (HTTP 400)."""

    def __init__(self, mistakes: "Sequence[Mistake]") -> None:
        self.mistakes = list(mistakes)
        super().__init__("this fault rule cannot be used: " + "; ".join(map(str, mistakes)))


class UnmatchableRuleError(FaultRuleError):
    """The rule is well formed but can never match or act: a topic on Heartbeat, for example (HTTP 422)."""


def near(name: str, known: "Iterable[str]") -> str:
    """The known name that is most like this one, "" if none is."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name.lower(), list(known), 1, 0.6)), "")
