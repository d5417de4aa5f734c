"""Fetches at the step of fault rules: a session's partitions count, and a refused one ends the long poll."""

from kafkacompat.broker.faults.hints import hint_leaders
from kafkacompat.broker.faults.joining import changed
from kafkacompat.broker.faults.session_entities import path_of
from kafkacompat.broker.faults.unsent import release_records
from kafkacompat.broker.fetch_response import refuse
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.protocol.messages.fetch import FetchableTopicResponse
from kafkacompat.protocol.primitives import ZERO_UUID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from kafkacompat.broker.answers import Response
    from kafkacompat.broker.faults.action import Match
    from kafkacompat.broker.faults.shapes import Entity
    from kafkacompat.broker.faults.turn import Turn
    from kafkacompat.broker.fetch_session import FetchSession


def answer_fetch(turn: "Turn", matches: "Sequence[Match]") -> None:
    """Fail or hide partitions of a fetch. Reading is no work, so this always overwrites what was read."""
    if any(match.rule.action.kind == "error" for match in matches):
        turn.passage.request = changed(turn.request, "max_wait_ms", 0)

    def answered(response: "Response") -> None:
        message: Any = response
        if message.error_code != errors.NONE:
            turn.answer(response)
            return
        session = turn.context.services.fetch_sessions.get(message.session_id)
        for match in matches:
            _overwrite(message, match, session)
            if match.rule.action.kind == "error":
                action = match.rule.action
                only = type(message)(responses=_only(message, match))
                hint_leaders(turn, only, action)
                message.node_endpoints = [*message.node_endpoints, *only.node_endpoints]
        turn.answer(message)

    turn.proceed(answered)


def _only(message: "Any", match: "Match") -> "list[Any]":
    paths = {entity.path for entity in match.entities}
    return [
        FetchableTopicResponse(
            topic.topic, topic.topic_id,
            [each for each in topic.partitions if path_of(topic.topic, topic.topic_id, each.partition_index) in paths],
        )
        for topic in message.responses
    ]  # fmt: skip


def _overwrite(message: "Any", match: "Match", session: "FetchSession | None") -> None:
    action = match.rule.action
    left = {entity.path: entity for entity in match.entities}
    for topic in message.responses:
        kept = []
        for answer in topic.partitions:
            path = path_of(topic.topic, topic.topic_id, answer.partition_index)
            if path not in left:
                kept.append(answer)
                continue
            release_records([answer])
            if action.kind == "error":
                del left[path]
                kept.append(refuse(answer.partition_index, action.code))
        topic.partitions = kept
    message.responses = [topic for topic in message.responses if topic.partitions]
    for path, entity in left.items() if action.kind == "error" else ():
        _add(message, path, refuse(entity.partition or 0, action.code))
    for entity in match.entities if session is not None else ():
        _tell_again(session, entity)


def _add(message: "Any", path: "tuple[Any, ...]", answer: "Any") -> None:
    ((role, value),) = path[0]
    name, topic_id = ("", value) if role == "topic_id" else (value, ZERO_UUID)
    for topic in message.responses:
        if (topic.topic, topic.topic_id) == (name, topic_id) or (topic_id != ZERO_UUID and topic.topic_id == topic_id):
            topic.partitions.append(answer)
            return
    message.responses.append(FetchableTopicResponse(name, topic_id, [answer]))


def _tell_again(session: "Any", entity: "Entity") -> None:
    """The session's client was not told what the session believes: its next fetch reads the partition again."""
    ((_, place),), ((_, index),) = entity.path
    cached = session.partitions.get((place, index))
    if cached is not None:
        cached.last_sent_high_watermark = UNKNOWN_OFFSET
        session.due[cached] = None
