"""What an action of a fault rule is. The actions are listed in `actions.py`."""

from typing import Any, ClassVar, Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.faults.reading import Reader
    from kafkacompat.broker.faults.selectors import Selectors
    from kafkacompat.broker.faults.shapes import Entity
    from kafkacompat.broker.faults.turn import Turn

BEFORE, AFTER = "before", "after"


class Match:
    """A rule that matches a request. entities: those that it matches. is_listing: the request asks for all entities
    without naming them, or the rule selects what only the answer names; the answer decides.
    """

    __slots__ = ("entities", "is_listing", "rule")

    def __init__(self, rule: "Any", entities: "list[Entity]", *, is_listing: bool = False) -> None:
        self.rule = rule
        self.entities = entities
        self.is_listing = is_listing


class Action(Protocol):
    """One kind of `then`. `shorthand` is the member that a plain value in place of an object stands for, or ""."""

    kind: ClassVar[str]
    shorthand: ClassVar[str]

    @classmethod
    def read(cls, reader: "Reader") -> "Action":
        """Make it from its object in the rule, and note mistakes."""

    def check(self, reader: "Reader", selectors: "Selectors") -> None:
        """Note with `reader.cannot` if it can never act on what these selectors match."""

    def is_of_entities(self, turn: "Turn", match: "Match") -> bool:
        """Whether it answers the matched entities of this request only, so that other rules may have the others."""

    def act(self, turn: "Turn", match: Match) -> None:
        """Carry it out for a whole request. Not called if `is_of_entities`: see `entity_answers.py`."""

    def as_dict(self) -> dict[str, Any]:
        """Its members, as they would be written in a rule."""
