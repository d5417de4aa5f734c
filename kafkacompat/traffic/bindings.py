"""Values that brokers invent: which one a replay got in the place of which captured one."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Value: TypeAlias = str | bytes | int
    Scope: TypeAlias = tuple[object, ...]

MEMBER_ID, TOPIC_ID, PRODUCER_ID, PRODUCER_EPOCH = "member id", "topic id", "producer id", "producer epoch"
SESSION_ID, GENERATION, LEADER_EPOCH = "fetch session id", "generation", "leader epoch"
"""Kinds of values."""
ONE_TO_ONE = frozenset((MEMBER_ID, TOPIC_ID, PRODUCER_ID))
"""Kinds of which two captured values never become the same one."""
LOOSE = frozenset((LEADER_EPOCH, SESSION_ID))
"""Kinds of which a value may become another one later on: leaders move, and sessions end, when brokers want."""
VALUES_MAX = 1_000_000


class Bindings:
    """The values of one replay. A scope is what a value is told apart within, a group for its generations."""

    def __init__(self) -> None:
        self._replayed: dict[tuple[str, Scope, Value], Value] = {}
        self._taken: dict[tuple[str, Value], Value] = {}  # of ONE_TO_ONE: the captured value of a replayed one

    def replayed(self, kind: str, scope: Scope, captured: Value) -> Value:
        """What stands for a captured value in the replay; the same if it is not known."""
        return self._replayed.get((kind, scope, captured), captured)

    def is_known(self, kind: str, scope: Scope, captured: Value) -> bool:
        """Whether a captured value has been seen in an answer."""
        return (kind, scope, captured) in self._replayed

    def is_taken(self, kind: str, replayed: Value) -> bool:
        """Whether a value of the replay stands for some captured one."""
        return (kind, replayed) in self._taken

    def captured_topic(self, replayed: bytes) -> bytes:
        """The captured id of a topic of the replay; the same if it is not known."""
        found = self._taken.get((TOPIC_ID, replayed), replayed)
        assert isinstance(found, bytes)
        return found

    def bind(self, kind: str, scope: Scope, captured: Value, replayed: Value) -> bool:
        """An answer had `replayed` where the captured one had `captured`. Returns whether that fits what is known."""
        if is_nothing(captured) or is_nothing(replayed):
            return captured == replayed
        place = (kind, scope, captured)
        known = self._replayed.get(place)
        if known is not None and kind not in LOOSE:
            return known == replayed
        if kind in ONE_TO_ONE and self._taken.setdefault((kind, replayed), captured) != captured:
            return False
        if known is not None or len(self._replayed) < VALUES_MAX:
            self._replayed[place] = replayed
        return True


def is_nothing(value: object) -> bool:
    """Whether it stands for no value: an empty text, an id of zeros, a negative number, or session 0."""
    return not any(value) if isinstance(value, (str, bytes)) else isinstance(value, int) and value < 0
