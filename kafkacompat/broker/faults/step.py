"""The step of the pipeline that carries out fault rules. It is there while a node has rules."""

from kafkacompat.broker.faults.entity_answers import answer_entities
from kafkacompat.broker.faults.gate import Gate
from kafkacompat.broker.faults.matcher import Matcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkacompat.broker.faults.rule import Rule
    from kafkacompat.broker.pipeline import Passage
    from kafkacompat.broker.registry import Api


class FaultStep:
    """Sees the requests of APIs that a rule can match."""

    __slots__ = ("_matcher", "gate")

    def __init__(self, rules: "Iterable[Rule]", node_id: int) -> None:
        self._matcher = Matcher(rules)
        self.gate = Gate(self._matcher.by_key, node_id)

    def sees(self, api: "Api") -> bool:
        """Whether a rule can match this API."""
        return api.key in self._matcher.by_key

    def on_request(self, passage: "Passage") -> None:
        """Do what the first rule that matches says, or pass the request on."""
        plan = self._matcher.plan(passage)
        if plan is None:
            passage.proceed()
        elif plan.whole is not None:
            plan.whole.rule.action.act(plan.turn, plan.whole)
        else:
            answer_entities(plan.turn, plan.shared, plan.listings)
