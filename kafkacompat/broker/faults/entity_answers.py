"""Answers for some entities of a request: errors before or after the work, and entities left out of answers."""

from kafkacompat.broker.connection import CloseConnection
from kafkacompat.broker.faults.action import BEFORE
from kafkacompat.broker.faults.hints import hint_leaders
from kafkacompat.broker.faults.joining import decoded, errors_of, join, part, without
from kafkacompat.broker.faults.shapes import Entity, name_entity
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.api_keys import FETCH, PRODUCE
from kafkacompat.protocol.constants import ACKS_NONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from kafkacompat.broker.answers import Response
    from kafkacompat.broker.faults.action import Match
    from kafkacompat.broker.faults.shapes import Level
    from kafkacompat.broker.faults.turn import Turn


def answer_entities(turn: "Turn", matches: "Sequence[Match]", listings: "Sequence[Match]") -> None:
    """Answer a request whose entities belong to rules. matches: with the entities of each; every entity occurs once.
    listings: rules that look at the answer, where it names what the request does not.
    """
    if is_unanswered(turn):
        _refuse_unanswered(turn, matches)
        return
    if turn.api.key == FETCH:
        from kafkacompat.broker.faults.fetches import answer_fetch

        answer_fetch(turn, matches)
        return
    shape, request = turn.shape, turn.request
    refused: list[Entity] = []
    others: Any = None  # the errors, as a response
    overwritten: set[Any] = set()
    for match in matches:
        action = match.rule.action
        if action.kind == "error":
            found = errors_of(shape, request, match.entities, action.code)
            hint_leaders(turn, found, action)
            if others is None:
                others = found
            else:
                join(shape, request, others, found)
        if action.kind == "error" and action.work_for(turn) == BEFORE:
            refused += match.entities
        else:
            overwritten |= {entity.path for entity in match.entities}

    def answered(response: "Response") -> None:
        turn.answer(_joined(turn, request, response, overwritten, others, listings))

    if not refused:
        turn.proceed(answered)
        return
    paths = {entity.path for entity in refused}
    rest = part(shape, request, lambda path: path not in paths)
    if len(refused) == len(turn.entities):
        turn.answer(others)
    else:
        turn.replace_request(rest)
        turn.proceed(answered)


def _joined(
    turn: "Turn", request: "Any", response: "Response", overwritten: "set[Any]", others: "Any",
    listings: "Sequence[Match]",
) -> "Response":  # fmt: skip
    shape = turn.shape
    message = decoded(shape, response)
    if shape.has_top_error and message.error_code != errors.NONE:
        return response  # an error for the whole request goes first
    if overwritten:
        without(shape, message, overwritten)
    if others is not None:
        join(shape, request, message, others)
        if getattr(others, "node_endpoints", None):
            known = {each.node_id for each in message.node_endpoints}
            more = [each for each in others.node_endpoints if each.node_id not in known]
            message.node_endpoints = [*message.node_endpoints, *more]
    is_changed = bool(overwritten or others is not None)
    for match in listings:
        is_changed |= look_at_answer(turn, message, match)
    return message if is_changed else response


# What only the answer names


def look_at_answer(turn: "Turn", message: "Any", match: "Match") -> bool:
    """Apply a rule to the items of an answer: a listed entity is left out, one inside of an entity gets its error.

    Returns whether anything was changed; the rule is then counted.
    """
    shape = turn.shape
    found = _items(turn, message, match)
    if not found or not match.rule.take(turn):
        return False
    action = match.rule.action
    for holder, level, item in found:
        if action.kind == "error" and level is shape.deeper:
            item.error_code = action.code
        else:
            name = level.answers or ""
            setattr(holder, name, [each for each in getattr(holder, name) if each is not item])
    return True


def _items(turn: "Turn", message: "Any", match: "Match") -> "list[tuple[Any, Level, Any]]":
    """The items of an answer that a rule selects, each with the message that has it."""
    shape, image = turn.shape, turn.context.services.image
    levels = [shape.listed] if shape.listed is not None else [level for level in shape.levels if level.answers]
    tests = match.rule.selectors.of_entity
    if shape.deeper is not None and any(name in shape.deeper.roles for name, _ in tests):
        levels = [*levels, shape.deeper]
    found = []

    def walk(holder: "Any", depth: int, outer: Entity) -> None:
        level = levels[depth]
        for item in getattr(holder, level.answers or "") or ():
            entity = Entity(())
            for name in ("topic", "topic_id", "partition", "group", "txn_id", "resources"):
                setattr(entity, name, getattr(outer, name))
            name_entity(entity, {role: getattr(item, field) for role, field in level.answered.items()}, None, image)
            if depth + 1 < len(levels):
                walk(item, depth + 1, entity)
            elif all(test(entity) for _, test in tests):
                found.append((holder, level, item))

    walk(message, 0, shape.whole(turn.request))
    return found


# Requests that are not answered (produce with acks=0)


def is_unanswered(turn: "Turn") -> bool:
    """Whether the client waits for no answer."""
    return turn.api.key == PRODUCE and turn.request.acks == ACKS_NONE


def fail_unanswered(turn: "Turn", error_code: int, *, does_work: bool) -> None:
    """Without an answer the only way to report an error is to close the connection, as a broker does."""
    reason = f"produce with acks=0 failed with {errors.name(error_code)}, by a fault rule"
    if not does_work:
        raise CloseConnection(reason)
    turn.proceed(lambda _response: turn.connection.drop(reason))


def _refuse_unanswered(turn: "Turn", matches: "Sequence[Match]") -> None:
    failing = [match for match in matches if match.rule.action.kind == "error"]  # an answer has nothing to hide
    if not failing:
        turn.proceed()
        return
    code = failing[0].rule.action.code
    refused = {
        entity.path for match in failing for entity in match.entities if match.rule.action.work_for(turn) == BEFORE
    }
    if len(refused) == len(turn.entities):
        fail_unanswered(turn, code, does_work=False)
    if refused:
        turn.replace_request(part(turn.shape, turn.request, lambda path: path not in refused))
    fail_unanswered(turn, code, does_work=True)
