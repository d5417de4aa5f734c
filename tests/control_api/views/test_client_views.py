"""Fetch sessions and delayed requests are shown with what they wait for."""

from types import SimpleNamespace
from typing import Any

from kafkacompat.control_api.views.views import connections, fetch_sessions
from kafkacompat.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from tests.control_api.node import Node


def fetch(**fields: int) -> FetchRequest:
    topics = [FetchTopic("t", partitions=[FetchPartition(0, fetch_offset=0, partition_max_bytes=1000)])]
    return FetchRequest(min_bytes=1, max_bytes=1000, topics=topics, **fields)  # type: ignore[arg-type]


def connected(node: Node) -> Any:
    connection = SimpleNamespace(
        state=node.kafka.connection, peer="127.0.0.1:5", request_count=2, in_flight_count=1, received_bytes=100,
        unsent_bytes=0, used_ms=node.now().monotonic_ms - 40,
    )  # fmt: skip
    node.connections.append(connection)
    return connection


def test_a_connection_is_shown_with_what_it_waits_for() -> None:
    node = Node()
    node.kafka.create_topic("t")
    connected(node)
    node.kafka.begin(fetch(session_epoch=-1, max_wait_ms=1_000), 11)
    (connection,) = node.look(connections)
    assert (connection["broker"], connection["peer"], connection["listener"]) == (1, "127.0.0.1:5", "PLAINTEXT")
    assert (connection["in_flight"], connection["idle_ms"], connection["received_bytes"]) == (1, 40, 100)
    assert connection["waits"] == [{"keys": ["fetch of t"], "left_ms": 1_000}]
    node.kafka.advance(400)
    assert node.look(connections)[0]["waits"][0]["left_ms"] == 600


def test_a_fetch_session_is_shown_with_its_client_while_it_waits() -> None:
    node = Node()
    node.kafka.create_topic("t")
    connected(node)
    made = node.kafka.ask(fetch(session_epoch=0, max_wait_ms=0), 11)
    (session,) = node.look(fetch_sessions)
    assert (session["session_id"], session["epoch"], session["is_follower"]) == (made.session_id, 1, False)
    assert (session["client_id"], session["connection"], session["partition_count"]) == (None, None, 1)
    assert session["partitions"] == [{"topic": "t", "partition": 0, "fetch_offset": 0, "last_sent_high_watermark": 0}]
    node.kafka.begin(FetchRequest(max_wait_ms=1_000, min_bytes=1, session_id=made.session_id, session_epoch=1), 11)
    (session,) = node.look(fetch_sessions)
    assert (session["epoch"], session["connection"]) == (2, node.kafka.connection.id)
    assert node.look(connections)[0]["waits"][0]["keys"] == [f"fetch session {made.session_id}"]
