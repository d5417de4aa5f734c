"""The actions that a rule's `then` may name, and how one is read."""

from kafkacompat.broker.faults.byte_actions import Corrupt, Cut, Drip, Limit
from kafkacompat.broker.faults.delays import Delay
from kafkacompat.broker.faults.drops import Drop, Silence
from kafkacompat.broker.faults.error_action import ErrorAction
from kafkacompat.broker.faults.hiding import Hide
from kafkacompat.broker.faults.rule_errors import near
from kafkacompat.broker.faults.stale import Stale
from kafkacompat.broker.faults.throttles import Throttle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.faults.action import Action
    from kafkacompat.broker.faults.reading import Reader
    from kafkacompat.broker.faults.selectors import Selectors

ACTIONS: "dict[str, type[Action]]" = {
    "error": ErrorAction,
    "delay": Delay,
    "drop": Drop,
    "silence": Silence,
    "cut": Cut,
    "corrupt": Corrupt,
    "limit": Limit,
    "drip": Drip,
    "throttle": Throttle,
    "hide": Hide,
    "stale": Stale,
}


def read_action(reader: "Reader", then: object, selectors: "Selectors") -> "Action | None":
    """Read `then`: an object with one member, the kind of the action; or the kind alone, as text."""
    if isinstance(then, str):
        then = {then: {}}
    outer = reader.inner("then", then)
    if len(outer.members) != 1:
        if not reader.mistakes or outer.members:
            kinds = ", ".join(ACTIONS)
            reader.mistake("then", f"give one of {kinds}; for several actions add several rules")
        return None
    ((kind, members),) = outer.members.items()
    if kind not in ACTIONS:
        outer.mistake(str(kind), f"there is no such action: known are {', '.join(ACTIONS)}", near(str(kind), ACTIONS))
        return None
    action_type = ACTIONS[kind]
    if action_type.shorthand and not isinstance(members, dict) and members is not None:
        members = {action_type.shorthand: members}
    inner = outer.inner(kind, members)
    action = action_type.read(inner)
    inner.end()
    if not inner.mistakes:
        action.check(inner, selectors)
    return action
