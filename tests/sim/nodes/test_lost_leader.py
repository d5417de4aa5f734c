"""A leader is killed, and whoever asks who leads is told the next one: the first answer is the right one. Nobody waits
while all leaders live.
"""

from __future__ import annotations

import pytest

from kafkacompat.broker.replicas.fetchers import ELECTION_WAIT_MS
from kafkacompat.protocol.messages import metadata
from tests.sim.nodes.clients import TOPIC, Client, NoAnswerError
from tests.sim.nodes.cluster import Cluster
from tests.sim.nodes.test_lag import active, partition_led_beside, whole_cluster
from tests.sim.world import MS, SECOND

ASKED_AT_MS = 20
"""After the kill: by then all who were connected to the dead node know of it, and nobody is elected."""
FAST_MS = 60
EVERY_MS = 50


class Asker(Client):
    """Asks one node for the leaders of the topic, every so often or once. `answers`: how long each took, ms, and whom
    it named by partition.
    """

    def __init__(self, cluster: Cluster, name: str, node_id: int, times: int) -> None:
        self._node_id = node_id
        self._times = times
        self.answers: list[tuple[int, list[int]]] = []
        super().__init__(cluster, name)

    async def go(self) -> None:
        request = metadata.MetadataRequest([metadata.MetadataRequestTopic(name=TOPIC)], False)
        for _ in range(self._times):
            since_us = self.cluster.world.now_us
            try:
                answer = await self.ask(self._node_id, metadata, 12, request)
            except NoAnswerError:
                return
            took_ms = (self.cluster.world.now_us - since_us) // MS
            self.answers.append((took_ms, [each.leader_id for each in answer.topics[0].partitions]))
            await self.pause(EVERY_MS)


def test_the_first_answer_after_a_leaders_death_names_the_next_one() -> None:
    with whole_cluster() as cluster:
        index, before = partition_led_beside(active(cluster))
        world = cluster.world
        cluster.nodes[before.leader].kill()
        world.run_for(ASKED_AT_MS * MS)
        for broker in cluster.brokers:
            assert broker.image.topics[TOPIC].partitions[index].leader == before.leader, "it has to be asked too early"
        askers = [
            Asker(cluster, f"asker{node_id}", node_id, 1) for node_id in before.replicas if node_id != before.leader
        ]
        cluster.clients += askers
        world.run_for(ELECTION_WAIT_MS * MS)
        for asker in askers:
            ((took_ms, leaders),) = asker.answers
            assert leaders[index] not in (before.leader, -1)
            assert FAST_MS < took_ms < ELECTION_WAIT_MS
        cluster.nodes[before.leader].start()
        assert world.run_while(lambda: not cluster.is_whole(), 20 * SECOND, 50 * MS)


@pytest.mark.parametrize("loses_a_connection", [False, True])
def test_nobody_waits_while_all_leaders_live(loses_a_connection: bool) -> None:
    with whole_cluster() as cluster:
        askers = [Asker(cluster, f"asker{node_id}", node_id, 100) for node_id in cluster.node_ids]
        cluster.clients += askers
        for _ in range(10):
            cluster.world.run_for(SECOND // 2)
            if loses_a_connection:
                cluster.internet.reset_some("n1", "n2")
        for asker in askers:
            assert len(asker.answers) == 100
            assert max(took_ms for took_ms, _ in asker.answers) < (
                ELECTION_WAIT_MS // 2 if loses_a_connection else FAST_MS
            )
