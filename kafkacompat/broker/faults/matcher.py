"""Finds the rules that match a request, in the order in which they were added."""

from kafkacompat.broker.faults.turn import Turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkacompat.broker.faults.action import Match
    from kafkacompat.broker.faults.rule import Rule
    from kafkacompat.broker.faults.shapes import Entity
    from kafkacompat.broker.pipeline import Passage


class Matcher:
    """The rules by API key. `by_key` has no entry for an API that no rule can match."""

    __slots__ = ("by_key",)

    def __init__(self, rules: "Iterable[Rule]") -> None:
        found: dict[int, list[Rule]] = {}
        for rule in rules:
            for key in rule.selectors.keys:
                found.setdefault(key, []).append(rule)
        self.by_key = {key: tuple(each) for key, each in found.items()}

    def plan(self, passage: "Passage") -> "Plan | None":
        """What the rules do with a request; None if no rule acts on it. Counts those that act or observe."""
        rules = self.by_key.get(passage.api.key)
        if not rules:
            return None
        turn = Turn(passage)
        plan: Plan | None = None
        for rule in rules:
            match = rule.match(turn)
            if match is None:
                continue
            if plan is None:
                plan = Plan(turn)
            if plan.add(match):
                break
        return plan if plan is not None and not plan.is_empty else None


class Plan:
    """The matches of one request. Either `whole`, or entities of `shared`, each of which belongs to the first rule that
    matches it, and `listings`, which look at the answer.
    """

    __slots__ = ("_claimed", "listings", "shared", "turn", "whole")

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.whole: Match | None = None
        self.shared: list[Match] = []
        self.listings: list[Match] = []
        self._claimed: set[tuple[object, ...]] = set()

    @property
    def is_empty(self) -> bool:
        """Whether no rule acts."""
        return self.whole is None and not self.shared and not self.listings

    def add(self, match: "Match") -> bool:
        """Take a match in. Returns whether the request is decided, so that later rules do not matter."""
        rule, turn = match.rule, self.turn
        if rule.observe or rule.action is None:
            if not rule.has_ended:
                rule.take(turn)
            return False
        if not rule.action.is_of_entities(turn, match):
            if self.shared or self.listings or not rule.take(turn):
                return False
            self.whole = match
            return True
        if match.is_listing:
            self.listings.append(match)
            return False
        free = self._free(match.entities)
        if free and rule.take(turn):
            match.entities = free
            self._claimed.update(entity.path for entity in free)
            self.shared.append(match)
            return len(self._claimed) == len(turn.entities)
        return False

    def _free(self, entities: "list[Entity]") -> "list[Entity]":
        """Those that no earlier rule has, each once."""
        return list({entity.path: entity for entity in entities if entity.path not in self._claimed}.values())
