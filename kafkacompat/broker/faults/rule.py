"""A fault rule: when it applies, what happens then, how often and how long."""

from itertools import count
from random import Random

from kafkacompat.broker.faults.action import Match
from kafkacompat.broker.faults.actions import read_action
from kafkacompat.broker.faults.near_misses import NearMisses
from kafkacompat.broker.faults.reading import Reader
from kafkacompat.broker.faults.routing import is_misrouted
from kafkacompat.broker.faults.selectors import Selectors
from kafkacompat.protocol.api_keys import ADD_PARTITIONS_TO_TXN, WRITE_TXN_MARKERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol

    from kafkacompat.broker.faults.action import Action
    from kafkacompat.broker.faults.turn import Turn

    class SharedCounts(Protocol):
        """Counts of several processes."""

        def draw(self, what: str) -> int:
            """The next number of "skipped" or "hit", which no other process gets, from 1 on."""


LABEL_MAX = 200
DURATION_MAX_MS = 7 * 24 * 3_600_000
OF_NODES_TOO = (ADD_PARTITIONS_TO_TXN, WRITE_TXN_MARKERS)  # clients and brokers send them, each for reasons of its own
OF_ENTITIES = ("error", "hide")  # the actions that may answer some entities only
_numbers = count(1)


class Rule:
    """One rule with its counts. The nodes of a cluster in one process share it, so `times` holds for all of them.

    hits: the requests on which it acted, or that it observed. left: how many more; None without a limit. has_ended: it
    was used up, has expired or was removed. on_hit, on_end: called on the event loop. shared: where nodes in several
    processes, each with a rule of its own, count `times` and `skip` together; None if no other process has it.
    """

    __slots__ = (
        "_rng",
        "_skip_left",
        "action",
        "duration_ms",
        "ends_at_ms",
        "has_ended",
        "hits",
        "id",
        "label",
        "left",
        "near_misses",
        "observe",
        "on_end",
        "on_hit",
        "probability",
        "seed",
        "selectors",
        "shared",
        "skip",
        "times",
    )  # fmt: skip

    def __init__(self, reader: "Reader") -> None:
        when = reader.take("when")
        if callable(when):
            when = {"predicate": when}
        self.selectors = Selectors(reader.inner("when", when))
        self.observe = reader.flag("observe")
        then = reader.take("then")
        self.action: Action | None = None
        if then is not None:
            self.action = read_action(reader, then, self.selectors)
        elif not self.observe:
            reader.mistake("then", "say what happens to matching requests, or set observe to only count them")
        self.times = self.left = reader.whole("times", low=1)
        self.skip = self._skip_left = reader.whole("skip") or 0
        duration = reader.whole("duration_ms", low=1, high=DURATION_MAX_MS)
        other = reader.whole("for_ms", low=1, high=DURATION_MAX_MS)
        self.duration_ms = duration if duration is not None else other
        if duration is not None and other is not None:
            reader.mistake("for_ms", "this is another name of duration_ms: give one of them")
        self.probability = reader.number("probability", low=0, high=1)
        self.seed = reader.whole("seed", low=-(2**53))
        label = reader.text("label") or ""
        if len(label) > LABEL_MAX:
            reader.mistake("label", f"give at most {LABEL_MAX} characters")
        self.label = label
        reader.end()
        self.id = next(_numbers)
        self.ends_at_ms: int | None = None  # monotonic, set by the node that has it first
        self._rng = None if self.seed is None else Random(self.seed)
        self.shared: SharedCounts | None = None
        self.hits = 0
        self.has_ended = False
        self.near_misses = NearMisses()
        self.on_hit: list[Callable[[], None]] = []
        self.on_end: dict[int, Callable[[], None]] = {}  # by node

    def __repr__(self) -> str:
        return f"fault rule {self.id}" + (f" ({self.label})" if self.label else "")

    def match(self, turn: "Turn") -> Match | None:
        """What of a request this rule matches; None if nothing."""
        selectors = self.selectors
        for rank, (name, test) in enumerate(selectors.of_request):
            if not test(turn):
                if not self.hits:
                    self.near_misses.note(turn, name, rank)
                return None
        if not self._may_match(turn):
            return None
        kind = "" if self.action is None else self.action.kind
        entities = turn.entities if selectors.of_entity or kind in OF_ENTITIES else []
        was_misrouted = False
        if kind == "error" and not selectors.names_broker:
            entities = [entity for entity in entities if not is_misrouted(entity, turn)]
            was_misrouted = len(entities) < len(turn.entities)
        if not selectors.of_entity:
            if was_misrouted and not entities:
                self.near_misses.note(turn, "broker")
                return None
            return Match(self, entities)
        return self._match_entities(turn, entities, was_misrouted=was_misrouted)

    def _may_match(self, turn: "Turn") -> bool:
        """Requests of nodes match if their client id, or an API that only they use or of transactions, is named; what
        another node forwards matched there already, unless the rule names this broker.
        """
        selectors = self.selectors
        if turn.connection.is_forwarded:
            return selectors.names_broker
        if not turn.is_of_node or selectors.names_client:
            return True
        return selectors.names_api and (turn.api.is_of_peers or turn.api.key in OF_NODES_TOO)

    def _match_entities(self, turn: "Turn", entities: "list[Any]", *, was_misrouted: bool) -> Match | None:
        tests = self.selectors.of_entity
        shape = turn.shape
        if shape.asks_for_all(turn.request):
            whole = shape.whole(turn.request)
            is_listing = not all(test(whole) for _, test in tests)
            return Match(self, [], is_listing=is_listing)
        deep = shape.deeper.roles if shape.deeper is not None else frozenset()
        in_answer = [
            name for name, _ in tests if name in deep and not any(name in level.roles for level in shape.levels)
        ]
        found, missed, best = [], "broker" if was_misrouted else "", 0
        for entity in entities:
            for rank, (name, test) in enumerate(tests):
                if name not in in_answer and not test(entity):
                    if rank >= best:
                        best, missed = rank, name
                    break
            else:
                found.append(entity)
        if found:
            return Match(self, found, is_listing=bool(in_answer))
        if not self.hits:
            self.near_misses.note(turn, missed or tests[0][0], len(self.selectors.of_request) + best)
        return None

    def take(self, turn: "Turn") -> bool:
        """Count a match. Returns whether the rule acts on it: it may be skipped, left to chance, or used up."""
        if self.has_ended:
            return False
        if self._skip_left and self._is_skipped():
            return False
        if self.probability is not None and self.rng(turn).random() >= self.probability:
            return False
        if self.left is not None and not self._has_one_left():
            return False
        self.hits += 1
        journal = turn.context.services.journal
        if journal is not None and not self.observe:
            journal.met_fault(turn.frame, turn.connection, self.label or f"fault rule {self.id}")
        for call in list(self.on_hit):
            call()
        return True

    def _is_skipped(self) -> bool:
        if self.shared is None:
            self._skip_left -= 1
            return True
        if self.shared.draw("skipped") <= self.skip:
            return True
        self._skip_left = 0
        return False

    def _has_one_left(self) -> bool:
        """Whether `times` allows one more hit; the last one ends the rule."""
        assert self.times is not None
        assert self.left is not None
        left = self.left - 1 if self.shared is None else self.times - self.shared.draw("hit")
        self.left = max(0, left)
        if left <= 0:
            self.end()
        return left >= 0

    def rng(self, turn: "Turn") -> Random:
        """Where its chance comes from: its seed, or the node."""
        node: Random = turn.context.services.rng
        return self._rng or node

    def end(self) -> None:
        """It applies to no more requests."""
        if not self.has_ended:
            self.has_ended = True
            for call in list(self.on_end.values()):
                call()

    def as_dict(self) -> "dict[str, Any]":
        """The rule with its counts, in plain values."""
        limits = {
            name: getattr(self, name)
            for name in ("times", "duration_ms", "probability", "seed")
            if getattr(self, name) is not None
        }
        then = {} if self.action is None else {"then": {self.action.kind: self.action.as_dict()}}
        return {
            "id": self.id, "label": self.label, "when": self.selectors.as_dict(), **then, **limits,
            **({"skip": self.skip} if self.skip else {}), "observe": self.observe, "hits": self.hits, "left": self.left,
            "has_ended": self.has_ended, "near_misses": self.near_misses.as_dicts(),
        }  # fmt: skip


def parse_rule(rule: "Mapping[str, Any]") -> Rule:
    """Make a rule of a plain dict. Raises FaultRuleError with all mistakes, or UnmatchableRuleError if it can never
    act.
    """
    reader = Reader(dict(rule) if hasattr(rule, "keys") else rule)
    made = Rule(reader)
    reader.finish()
    return made
