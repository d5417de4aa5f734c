"""The entities of a fetch are those of its session."""

from __future__ import annotations

from kafkacompat.broker.faults.session_entities import fetched, path_of
from kafkacompat.broker.faults.shapes import shape_of
from kafkacompat.protocol.api_keys import FETCH
from kafkacompat.protocol.messages.fetch import ForgottenTopic
from tests.broker.faults.rules import Faulty, poll


def test_a_session_has_more_than_its_request_names() -> None:
    kafka = Faulty()
    kafka.create_topic("t", 3)
    first = kafka.ask(poll(session=(0, 0), partitions=(0, 1)), 11)
    request = poll(session=(first.session_id, 1), partitions=(2,))
    request.forgotten_topics_data = [ForgottenTopic("t", partitions=[0])]
    shape, broker = shape_of(FETCH, 11), kafka.broker
    found = fetched(shape, request, broker.image, broker.fetch_sessions)
    assert sorted((entity.topic, entity.partition) for entity in found) == [("t", 1), ("t", 2)]
    assert {entity.path for entity in found} == {path_of("t", bytes(16), index) for index in (1, 2)}
    request.session_epoch = 7  # which the broker refuses: only what it names counts
    found = fetched(shape, request, broker.image, broker.fetch_sessions)
    assert [entity.partition for entity in found] == [2]


def test_a_session_by_ids_has_names_too() -> None:
    kafka = Faulty()
    kafka.create_topic("t")
    topic_id = kafka.broker.image.topics["t"].topic_id
    request = poll(session=(0, 0), partitions=(0,))
    request.topics[0].topic_id = topic_id
    first = kafka.ask(request, 17)
    shape, broker = shape_of(FETCH, 17), kafka.broker
    again = poll(session=(first.session_id, 1), partitions=())
    (entity,) = fetched(shape, again, broker.image, broker.fetch_sessions)
    assert (entity.topic, entity.topic_id, entity.path) == ("t", topic_id, path_of("", topic_id, 0))
