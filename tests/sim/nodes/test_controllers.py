"""Controllers that change: who was active gives it up, and who follows is soon as well informed as the one before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import create_topics, unregister_broker
from tests.sim.nodes.clients import Client
from tests.sim.nodes.test_lag import active, partition_led_beside, whole_cluster
from tests.sim.world import MS, SECOND

if TYPE_CHECKING:
    from kafkacompat.now import Now
    from tests.sim.nodes.cluster import Cluster

SLOW_HEARTBEAT = {"broker.heartbeat.interval.ms": "20000", "broker.session.timeout.ms": "60000"}
"""What has to come sooner than in 20 s comes for a better reason than time."""


def test_who_loses_the_quorum_is_no_active_controller_any_more() -> None:
    with whole_cluster() as cluster:
        world = cluster.world
        before = active(cluster)
        others = [f"n{node_id}" for node_id in cluster.node_ids if node_id != before.node_id]
        name = f"n{before.node_id}"
        cluster.internet.cut |= {(name, other) for other in others} | {(other, name) for other in others}
        assert world.run_while(lambda: before.quorum.is_active, 20 * SECOND, 10 * MS)
        assert before.controller is None
        cluster.internet.cut.clear()
        assert world.run_while(lambda: not cluster.is_whole(), 30 * SECOND, 50 * MS)
        assert sum(broker.controller is not None for broker in cluster.brokers) == 1


def test_who_stops_cleanly_hands_the_quorum_over_before_it_is_gone() -> None:
    slow = {"controller.quorum.fetch.timeout.ms": "10000", "controller.quorum.election.timeout.ms": "1000"}
    with whole_cluster(slow) as cluster:
        before = active(cluster).node_id
        cluster.nodes[before].stop()

        def is_led_by_another() -> bool:
            return any(broker.quorum.is_active for broker in cluster.brokers if broker.node_id != before)

        assert cluster.world.run_while(lambda: not is_led_by_another(), 3 * SECOND, MS)
        assert cluster.nodes[before].loop is not None, "it was not resigned: its closed connections have told"


def test_a_new_controller_hears_at_once_of_brokers_and_so_sees_one_die() -> None:
    with whole_cluster(SLOW_HEARTBEAT) as cluster:
        world = cluster.world
        first = active(cluster).node_id
        cluster.nodes[first].kill()
        assert world.run_while(lambda: not any(b.quorum.is_active for b in cluster.brokers), 20 * SECOND, 10 * MS)
        second = active(cluster).node_id
        (third,) = set(cluster.node_ids) - {first, second}
        world.run_for(SECOND)
        cluster.nodes[first].start()
        assert world.run_while(lambda: not cluster.nodes[first].is_ready, 10 * SECOND, 50 * MS)
        assert active(cluster).node_id == second
        cluster.nodes[third].kill()
        assert world.run_while(lambda: not active(cluster).image.brokers[third].fenced, 5 * SECOND, 50 * MS)


class TopicCreator(Client):
    """Asks one node for a topic, once."""

    def __init__(self, cluster: Cluster, node_id: int) -> None:
        self._node_id = node_id
        self.error_code: int | None = None
        super().__init__(cluster, "creator")

    async def go(self) -> None:
        request = create_topics.CreateTopicsRequest([create_topics.CreatableTopic("late", 1, 3)], 60_000)
        answer = await self.ask(self._node_id, create_topics, 7, request, 60_000)
        self.error_code = answer.topics[0].error_code


def test_who_waits_for_a_controller_that_loses_the_quorum_is_told_at_once() -> None:
    with whole_cluster() as cluster:
        node_id = active(cluster).node_id
        others = [other for other in cluster.node_ids if other != node_id]
        cluster.internet.cut |= {pair for n in others for pair in ((f"n{n}", f"n{node_id}"), (f"n{node_id}", f"n{n}"))}
        creator = TopicCreator(cluster, node_id)
        assert cluster.world.run_while(lambda: not creator.is_done, 15 * SECOND, 50 * MS)
        assert creator.error_code == errors.NOT_CONTROLLER


class Unregisterer(Client):
    """Has a broker unregistered that is there."""

    def __init__(self, cluster: Cluster, broker_id: int) -> None:
        self._broker_id = broker_id
        super().__init__(cluster, "unregisterer")

    async def go(self) -> None:
        request = unregister_broker.UnregisterBrokerRequest(self._broker_id)
        answer = await self.ask(self._broker_id, unregister_broker, 0, request)
        assert answer.error_code == errors.NONE


def test_who_has_to_register_again_leads_nothing_until_then() -> None:
    led: list[int] = []
    with whole_cluster() as cluster:
        _, partition = partition_led_beside(active(cluster))
        node_id = partition.leader
        epoch = active(cluster).image.brokers[node_id].epoch
        broker = next(broker for broker in cluster.brokers if broker.node_id == node_id)
        assert broker.lifecycle is not None
        events, registered = broker.lifecycle.events, broker.lifecycle.events.registered

        def look(broker_epoch: int, now: Now) -> None:
            led.append(sum(each.is_leader for each in broker.partitions))
            registered(broker_epoch, now)

        events.registered = look
        Unregisterer(cluster, node_id)

        def is_registered_again() -> bool:
            known = active(cluster).image.brokers.get(node_id)
            return known is not None and known.epoch > epoch and not known.fenced

        assert cluster.world.run_while(lambda: not is_registered_again(), 20 * SECOND, 50 * MS)
        assert led == [0]
