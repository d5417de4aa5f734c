"""Nodes on a disk that takes seconds for one class of work: other classes of work are not delayed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import create_topics
from kafkacompat.storage.background import ACKNOWLEDGED_SYNC, OTHER_WORK, SEGMENT_SYNC
from kafkacompat.storage.flush import Flusher
from tests.sim.nodes.clients import TOPIC, Client, NoAnswerError, Producer
from tests.sim.nodes.cluster import Cluster
from tests.sim.world import MS, SECOND, World

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkacompat.storage.flush import OnDone
    from kafkacompat.storage.log import Log

SLOW_US = 6 * SECOND
ANSWERED_WITHIN_US = 500 * MS
ELECTION_MS = 300


class TopicCreator(Client):
    """Creates one topic after the other, and records the time of each."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self.took_us: list[int] = []
        super().__init__(cluster, name)

    async def go(self) -> None:
        while not self.cluster.is_over:
            name, began_us = f"other-{len(self.took_us)}", self.cluster.world.now_us
            topic = create_topics.CreatableTopic(name, 1, 3)
            try:
                answer = await self.ask(1, create_topics, 7, create_topics.CreateTopicsRequest([topic], 20_000), 20_000)
            except NoAnswerError:
                self.took_us.append(20 * SECOND)
                continue
            assert answer.topics[0].error_code == errors.NONE
            self.took_us.append(self.cluster.world.now_us - began_us)
            await self.pause(300)


@pytest.fixture
def partition_0_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """All its syncs are of the class of large segments, also those that somebody waits for."""
    request = Flusher.request

    def request_by_path(flusher: Flusher, log: Log, on_done: OnDone | None = None, work_class: str = "") -> None:
        is_large = log.path.endswith(f"/{TOPIC}-0")
        request(flusher, log, on_done, SEGMENT_SYNC if is_large else work_class or ACKNOWLEDGED_SYNC)

    monkeypatch.setattr(Flusher, "request", request_by_path)


@pytest.fixture(params=[SEGMENT_SYNC, OTHER_WORK])
def cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    world = World(1)
    config = {
        "controller.quorum.election.timeout.ms": str(ELECTION_MS),
        "controller.quorum.fetch.timeout.ms": str(2 * ELECTION_MS),
        "log.flush.interval.messages": "1",
        "replica.lag.time.max.ms": "3000",
        "broker.session.timeout.ms": "3000",
        "broker.heartbeat.interval.ms": "500",
    }
    cluster = Cluster(world, 4, config)
    with cluster.invariants.watching():
        for node in cluster.nodes.values():
            node.slow_work_us = {request.param: SLOW_US}
            node.start()
        yield cluster
        cluster.bury()


@pytest.mark.usefixtures("partition_0_is_large")
def test_a_sync_of_seconds_is_noticed_by_nobody_who_does_not_wait_for_it(cluster: Cluster) -> None:
    world = cluster.world
    cluster.add_clients(1, 0, 100, acks1=False)  # of partition 0
    assert world.run_while(lambda: not cluster.is_whole(), 20 * SECOND)
    epochs = {broker.quorum.raft.leader_epoch for broker in cluster.brokers}
    partitions = cluster.brokers[0].image.topics[TOPIC].partitions
    index = next(index for index in range(1, 4) if partitions[index].leader == partitions[0].leader)
    other = Producer(cluster, "p1", index, -1, 100)
    creator = TopicCreator(cluster, "creator")
    cluster.clients += [other, creator]
    gaps_us, end_us = [], world.now_us + 20 * SECOND
    world.run_for(2 * SECOND)
    while world.now_us < end_us:
        world.run_for(100 * MS)
        gaps_us.append(world.now_us - cluster.last_acknowledged_us.get(f"{TOPIC}/{index}", 0))
    assert max(gaps_us) < ANSWERED_WITHIN_US
    assert max(creator.took_us) < ANSWERED_WITHIN_US
    assert {broker.quorum.raft.leader_epoch for broker in cluster.brokers} == epochs
    for broker in cluster.brokers:
        assert len(broker.image.topics[TOPIC].partitions[index].isr) == 3
    assert not cluster.failures()
