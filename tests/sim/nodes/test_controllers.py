"""Controllers that change: who was active gives it up, and who follows is soon as well informed as the one before."""

from __future__ import annotations

from tests.sim.nodes.test_lag import active, whole_cluster
from tests.sim.world import MS, SECOND

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
