"""The timer, the dials and the connections that go with the active controller."""

from collections.abc import Callable
from typing import Any

import pytest

from kafkacompat.broker.connection import CONTROLLER, Connection
from kafkacompat.broker.control.controller_server import ControllerServer
from kafkacompat.broker.control.reached_brokers import DIALS_MAX
from kafkacompat.broker.network import Address
from kafkacompat.broker.timers import Timers
from kafkacompat.now import Now
from kafkacompat.protocol.error_codes import DUPLICATE_BROKER_REGISTRATION
from kafkacompat.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest
from kafkacompat.protocol.messages.broker_registration import BrokerRegistrationRequest
from kafkacompat.protocol.messages.unregister_broker import UnregisterBrokerRequest
from kafkacompat.replication.controller.failure_detector import GRACE_MS
from kafkacompat.replication.metadata.image import PartitionImage, TopicImage
from tests.replication.controller.active_world import FEATURES, ID, MemoryQuorum
from tests.replication.quorum_world import image_with, settings

SESSION_MS = 9000
SILENCE_MS = 4000
"""Two heartbeats."""


class Dials:
    """A network that dials: `answer` says what came of the oldest dial."""

    def __init__(self) -> None:
        self.open: list[tuple[Address, Callable[[str, Now], None]]] = []

    def dial(self, to: Address, done: Callable[[str, Now], None]) -> None:
        self.open.append((to, done))

    def answer(self, outcome: str, ms: int) -> None:
        self.open.pop(0)[1](outcome, Now(ms, ms))


class Node:
    """A node that is the active controller of brokers 1 to 3 from 0 ms on; broker n listens on port 9000 + n.

    reached: what the dials of each broker have shown when it was let in, some time before.
    """

    def __init__(self, reached: str = "open") -> None:
        topic = TopicImage("t", ID, (PartitionImage((1, 2, 3), (1, 2, 3), 1),))
        image = image_with(1, 2, 3).but(topics={"t": topic}, topics_by_id={ID: topic}, offset=50, features=FEATURES)
        self.quorum = MemoryQuorum(image)
        self.timers = Timers()
        self.dials = Dials()
        quorum: Any = self.quorum
        self.controller_server = ControllerServer(quorum, settings(), self.timers, cluster_id="cluster")
        network: Any = self.dials
        self.controller_server.network = network
        self.controller_server.address_of = lambda broker_id: Address("host", 9000 + broker_id)
        self.controller_server.metadata_applied(image, Now(-10_000, 0))
        while self.pass_to(-1) or self.dials.open:
            self.dials.answer(reached, -8_000)
        self.controller_server.on_active(Now(0, 0))

    @property
    def fenced(self) -> list[int]:
        return [broker.id for broker in self.quorum.image.brokers.values() if broker.fenced]

    def pass_to(self, ms: int) -> None:
        """Run what is due until then."""
        while (deadline := self.timers.next_deadline_ms()) is not None and deadline <= ms:
            self.timers.run(Now(deadline, deadline))

    def beat_all(self, ms: int) -> None:
        for broker_id in (1, 2, 3):
            self.beat(broker_id, connection(broker_id), ms)

    def beat(self, broker_id: int, connection: Connection, ms: int) -> None:
        assert self.controller_server.active is not None
        request = BrokerHeartbeatRequest(broker_id, 10 + broker_id, self.quorum.image.offset)
        self.controller_server.active.heartbeat(request, Now(ms, ms))
        self.controller_server.heard(broker_id, connection, Now(ms, ms))


def connection(number: int) -> Connection:
    return Connection(number, "127.0.0.1", "CONTROLLER", CONTROLLER)


def node_that_has_dialed_all() -> Node:
    """It is new, and no dial has shown anything."""
    node = Node()
    node.pass_to(0)
    node.dials.open.clear()
    return node


def test_a_new_controller_dials_everybody() -> None:
    node = Node()
    node.pass_to(0)
    assert [address.port for address, _ in node.dials.open] == [9001, 9002, 9003]
    node.dials.answer("refused", 3)
    assert node.fenced == [1]
    node.dials.answer("open", 4)
    node.dials.answer("unknown", 5)
    node.pass_to(SESSION_MS - 1)
    assert node.fenced == [1]
    node.pass_to(SESSION_MS)
    assert node.fenced == [1, 2, 3]


def test_a_broker_that_was_never_reached_is_not_fenced_by_a_refusal() -> None:
    node = Node(reached="refused")
    node.pass_to(0)
    for _ in range(3):
        node.dials.answer("refused", 3)
    assert node.fenced == []
    node.beat_all(10)
    node.pass_to(SESSION_MS - 1)
    assert node.dials.open == []
    assert node.fenced == []


def test_a_broker_that_was_never_reached_is_dead_when_it_is_silent_as_well() -> None:
    node = Node(reached="refused")
    node.pass_to(0)
    for _ in range(3):
        node.dials.answer("refused", 3)
    node.beat(2, connection(2), 10)
    node.pass_to(SILENCE_MS - 1)
    assert node.dials.open == []
    node.pass_to(SILENCE_MS)
    assert [address.port for address, _ in node.dials.open] == [9001, 9003]
    node.dials.answer("refused", SILENCE_MS + 1)
    node.dials.answer("open", SILENCE_MS + 1)
    assert node.fenced == [1]


def test_a_broker_is_dialed_when_it_is_let_in_until_it_answers_and_a_few_times_at_most() -> None:
    node = Node()
    node.controller_server.on_inactive(Now(0, 0))  # also where this node is not the active controller
    image = node.quorum.image
    again = image.brokers[2].but(incarnation_id=b"n" * 16, fenced=True)
    node.controller_server.metadata_applied(image.but(brokers={**image.brokers, 2: again}), Now(1000, 0))
    node.pass_to(2000)
    assert node.dials.open == [], "it may not listen yet"
    let_in = image.but(brokers={**image.brokers, 2: again.but(fenced=False)})
    node.controller_server.metadata_applied(let_in, Now(2000, 0))
    counts = []
    while node.pass_to(60_000) or node.dials.open:
        assert [address.port for address, _ in node.dials.open] == [9002]
        node.controller_server.metadata_applied(let_in, Now(2000, 0))
        node.dials.answer("refused", 2100)
        counts.append(1)
    assert len(counts) == DIALS_MAX


def test_a_heartbeat_that_is_decided_when_its_connection_is_closed_hides_no_death() -> None:
    node = node_that_has_dialed_all()
    node.beat_all(10)
    last = connection(2)
    node.beat(2, last, 20)
    node.controller_server.disconnected(last, Now(30, 0))
    node.beat(2, last, 40)  # a large change was decided first
    node.pass_to(40 + GRACE_MS)
    assert [address.port for address, _ in node.dials.open] == [9002]
    node.dials.answer("refused", 41 + GRACE_MS)
    assert node.fenced == [2]


def test_a_closed_connection_is_looked_into_after_a_while() -> None:
    node = node_that_has_dialed_all()
    connections = {broker_id: connection(broker_id) for broker_id in (1, 2, 3)}
    for broker_id, of in connections.items():
        node.beat(broker_id, of, 10)
    node.controller_server.disconnected(connections[2], Now(1000, 1000))
    node.controller_server.disconnected(connection(77), Now(1000, 1000))
    node.pass_to(1000 + GRACE_MS - 1)
    assert node.dials.open == []
    node.pass_to(1000 + GRACE_MS)
    assert [address.port for address, _ in node.dials.open] == [9002]
    node.dials.answer("refused", 1001 + GRACE_MS)
    assert node.fenced == [2]


def test_only_the_newest_connection_counts() -> None:
    node = node_that_has_dialed_all()
    old, new = connection(1), connection(2)
    for broker_id in (2, 3):
        node.beat(broker_id, connection(10 + broker_id), 10)
    node.beat(1, old, 10)
    node.beat(1, new, 20)
    node.controller_server.disconnected(old, Now(30, 30))
    node.pass_to(1000)
    assert node.dials.open == []


@pytest.mark.parametrize("is_known", [False, True])
def test_without_an_address_or_a_network_a_broker_is_left_to_its_session(is_known: bool) -> None:
    node = Node()
    if is_known:
        node.controller_server.network = None
    else:
        node.controller_server.address_of = lambda _broker_id: None
    node.pass_to(SESSION_MS - 1)
    assert node.dials.open == []
    assert node.fenced == []
    node.pass_to(SESSION_MS)
    assert node.fenced == [1, 2, 3]


def test_who_is_no_longer_the_controller_decides_nothing() -> None:
    node = Node()
    node.pass_to(0)
    node.controller_server.on_inactive(Now(1, 1))
    assert node.controller_server.active is None
    node.dials.answer("refused", 2)
    node.controller_server.disconnected(connection(1), Now(2, 2))
    node.pass_to(2 * SESSION_MS)
    assert node.fenced == []
    node.controller_server.on_active(Now(20_000, 0))
    node.dials.answer("refused", 20_001)
    node.pass_to(20_000 + SESSION_MS - 1)
    assert node.fenced == [], "an answer of an earlier term counts for nothing, and sessions begin anew"


def test_sessions_end_one_after_the_other() -> None:
    node = node_that_has_dialed_all()
    for broker_id in (1, 2, 3):
        node.beat(broker_id, connection(broker_id), 1000 * broker_id)
    node.pass_to(1000 + SESSION_MS)
    assert node.fenced == [1]
    node.pass_to(2000 + SESSION_MS)
    assert node.fenced == [1, 2]


def test_brokers_that_refuse_and_say_nothing_are_dialed_again_before_their_sessions_end() -> None:
    node = Node(reached="refused")
    node.pass_to(0)
    for _ in range(3):
        node.dials.answer("refused", 3)
    node.pass_to(SILENCE_MS)
    assert [address.port for address, _ in node.dials.open] == [9001, 9002, 9003]


def test_a_broker_that_answered_the_active_controller_was_reached() -> None:
    node = Node(reached="refused")
    node.pass_to(0)
    for _ in range(3):
        node.dials.answer("open", 3)
    node.beat_all(10)
    node.controller_server.disconnected(connection(2), Now(20, 0))
    node.pass_to(20 + GRACE_MS)
    node.dials.answer("refused", 21 + GRACE_MS)
    assert node.fenced == [2]


def test_a_broker_that_could_not_be_dialed_is_dialed_when_another_process_wants_its_place() -> None:
    node = Node()
    network, node.controller_server.network = node.controller_server.network, None
    node.pass_to(0)
    node.controller_server.network = network
    assert node.controller_server.active is not None
    another = BrokerRegistrationRequest(2, "cluster", b"n" * 16)
    assert (
        node.controller_server.active.register(another, Now(10, 0)).response.error_code == DUPLICATE_BROKER_REGISTRATION
    )
    node.controller_server.moved(Now(10, 0))
    node.pass_to(10)
    assert [address.port for address, _ in node.dials.open] == [9002]


def test_connections_of_an_earlier_term_do_not_hide_a_death() -> None:
    node = node_that_has_dialed_all()
    node.beat_all(10)
    node.controller_server.on_inactive(Now(20, 0))
    node.controller_server.on_active(Now(1000, 0))
    node.pass_to(1000)
    node.dials.open.clear()
    last = connection(22)
    node.controller_server.disconnected(last, Now(1010, 0))
    node.beat(2, last, 1020)  # it was decided when its connection was closed
    node.pass_to(1020 + GRACE_MS)
    assert [address.port for address, _ in node.dials.open] == [9002]


def test_a_broker_that_has_left_the_cluster_is_not_dialed_for_what_it_was() -> None:
    node = Node()
    node.controller_server.on_inactive(Now(0, 0))
    node.pass_to(0)
    node.dials.open.clear()
    image = node.quorum.image
    again = image.but(brokers={**image.brokers, 2: image.brokers[2].but(incarnation_id=b"n" * 16)})
    node.controller_server.metadata_applied(again, Now(1000, 0))
    without = {broker_id: broker for broker_id, broker in image.brokers.items() if broker_id != 2}
    node.controller_server.metadata_applied(image.but(brokers=without), Now(1001, 0))
    node.pass_to(10_000)
    assert node.dials.open == []
    node.controller_server.metadata_applied(again, Now(20_000, 0))
    node.pass_to(30_000)
    assert [address.port for address, _ in node.dials.open] == [9002], "and anew when it comes back"


def test_a_broker_that_is_unregistered_is_no_suspect() -> None:
    node = Node()
    assert node.controller_server.active is not None
    node.controller_server.active.unregister(UnregisterBrokerRequest(2), Now(0, 0))
    node.pass_to(0)
    assert 9002 not in [address.port for address, _ in node.dials.open]
