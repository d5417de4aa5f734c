"""`drop` closes the connection; `silence` keeps it open and answers nothing."""

from typing import ClassVar

from kafkacompat.broker.faults.action import AFTER, BEFORE
from kafkacompat.broker.faults.unsent import release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.broker.answers import Response
    from kafkacompat.broker.faults.action import Match
    from kafkacompat.broker.faults.reading import Reader
    from kafkacompat.broker.faults.selectors import Selectors
    from kafkacompat.broker.faults.turn import Turn


class _WholeRequest:
    """An action with only `at`: before the work or after it."""

    shorthand: ClassVar[str] = "at"

    def __init__(self, at: str) -> None:
        self.at = at

    def check(self, reader: "Reader", selectors: "Selectors") -> None:
        """Every request can have it."""

    def is_of_entities(self, turn: "Turn", match: "Match") -> bool:  # noqa: ARG002 (as Action)
        """It is for whole requests."""
        return False

    def as_dict(self) -> "dict[str, Any]":
        """As written in a rule."""
        return {"at": self.at}


class Drop(_WholeRequest):
    """Close the connection `before` the request is carried out, or `after`, when it is done and before the answer."""

    kind: ClassVar[str] = "drop"

    @classmethod
    def read(cls, reader: "Reader") -> "Drop":
        """Its members."""
        return cls(reader.choice("at", (BEFORE, AFTER), BEFORE))

    def act(self, turn: "Turn", match: "Match") -> None:
        """Close the connection."""
        reason = f"{match.rule} drops the connection"
        if self.at == BEFORE:
            turn.drop_connection(reason)
            return

        def answered(response: "Response") -> None:
            release(response)
            turn.drop_connection(reason)

        turn.proceed(answered)


class Silence(_WholeRequest):
    """Never answer, and keep the connection open; requests behind this one wait. `at` says whether the work is done."""

    kind: ClassVar[str] = "silence"

    @classmethod
    def read(cls, reader: "Reader") -> "Silence":
        """Its members."""
        return cls(reader.choice("at", (BEFORE, AFTER), BEFORE))

    def act(self, turn: "Turn", match: "Match") -> None:  # noqa: ARG002 (as Action)
        """Hold the request, or its response, for as long as the connection lives."""
        if self.at == AFTER:
            turn.proceed(release)
