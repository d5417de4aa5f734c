"""The requests that a rule nearly matched: they show a mistake in a rule that never did."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.broker.faults.turn import Turn

NEAR_MISSES_MAX = 5
TEXT_MAX = 200


class NearMiss:
    """A request, the selector that it failed, and what the request has there. `count` similar ones came."""

    __slots__ = ("api", "client_id", "count", "failed", "has", "rank", "version")

    def __init__(self, turn: "Turn", failed: str, rank: int) -> None:
        self.api = turn.api.stem
        self.version = turn.version
        self.client_id = turn.client_id
        self.failed = failed
        self.rank = rank
        self.has = _value(turn, failed)[:TEXT_MAX]
        self.count = 1

    def as_dict(self) -> "dict[str, Any]":
        """Plain values."""
        return {"api": self.api, "version": self.version, "client_id": self.client_id, "failed": self.failed,
                "has": self.has, "count": self.count}  # fmt: skip

    def __str__(self) -> str:
        times = f", {self.count} times" if self.count > 1 else ""
        return f"{self.api} v{self.version} of client {self.client_id!r}: {self.failed} is {self.has}{times}"

    def __repr__(self) -> str:
        return f"<near miss: {self}>"


def near_miss_of(plain: "dict[str, Any]") -> NearMiss:
    """The near miss that `as_dict` made these values of, on another node."""
    miss = NearMiss.__new__(NearMiss)
    for name, value in plain.items():
        setattr(miss, name, value)
    miss.rank = 0
    return miss


class NearMisses:
    """At most NEAR_MISSES_MAX of a rule, those that failed the latest selector; `seen` counts all requests."""

    __slots__ = ("_kept", "seen")

    def __init__(self) -> None:
        self._kept: dict[tuple[object, ...], NearMiss] = {}
        self.seen = 0

    def note(self, turn: "Turn", failed: str, rank: int = 0) -> None:
        """A request of an API of the rule failed this selector, after `rank` others matched."""
        self.seen += 1
        key = (turn.api.key, turn.version, turn.client_id, failed)
        known = self._kept.get(key)
        if known is not None:
            known.count += 1
            return
        if len(self._kept) >= NEAR_MISSES_MAX:
            worst = min(self._kept, key=lambda each: self._kept[each].rank)
            if self._kept[worst].rank >= rank:
                return
            del self._kept[worst]
        self._kept[key] = NearMiss(turn, failed, rank)

    def __len__(self) -> int:
        return len(self._kept)

    def best(self) -> "list[NearMiss]":
        """The nearest first."""
        return sorted(self._kept.values(), key=lambda miss: -miss.rank)

    def as_dicts(self) -> "list[dict[str, Any]]":
        """Plain values, the nearest first."""
        return [miss.as_dict() for miss in self.best()]


def _value(turn: "Turn", failed: str) -> str:
    """What the request has where the selector looks."""
    if failed == "version":
        return str(turn.version)
    if failed == "broker":
        return str(turn.node_id)
    if failed == "listener":
        return turn.connection.listener
    if failed == "client_id":
        return repr(turn.client_id)
    if failed == "connection":
        return str(turn.connection.id)
    if failed in ("request", "predicate"):
        return "not so"
    name = "resources" if failed == "resource" else failed
    values = {repr(getattr(entity, name)) for entity in turn.entities[:20]}
    return ", ".join(sorted(values)) or "in nothing that the request names"
