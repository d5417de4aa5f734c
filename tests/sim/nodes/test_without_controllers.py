"""All controllers are dead for a minute of simulated time, and clients do not notice it, as in Apache Kafka."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import find_coordinator, offset_commit, offset_fetch
from tests.sim.nodes.clients import RETRY_MS, TOPIC, Client, Consumer, NoAnswerError, Producer
from tests.sim.nodes.cluster import LONE_CONTROLLER, Cluster
from tests.sim.world import MS, SECOND, World

OUTAGE_S = 60
EVERY_S = 5
"""Progress is checked in each interval of this length."""
GROUP = "readers"
PAUSE_MS = 400


class CountingProducer(Producer):
    """It records its answers."""

    def __init__(self, cluster: Cluster, name: str, acks: int, seen: Counter[str]) -> None:
        self._seen = seen
        super().__init__(cluster, name, 0, acks, PAUSE_MS)

    def _said(self, answer: Any) -> tuple[int, int]:  # type: ignore[override]
        error, offset = super()._said(answer)
        self._seen[f"{self.name}: {error}"] += 1
        return error, offset


class CountingConsumer(Consumer):
    def __init__(self, cluster: Cluster, name: str, seen: Counter[str]) -> None:
        self._seen = seen
        super().__init__(cluster, name, 0)

    async def read(self, offset: int, max_wait_ms: int = 300) -> int | None:
        found = await super().read(offset, max_wait_ms)
        self._seen[f"{self.name}: {'nothing' if found in (None, offset) else 'records'}"] += 1
        return found


class Committer(Client):
    """Commits an offset and reads it back, as a consumer without a group of members does."""

    def __init__(self, cluster: Cluster, name: str, seen: Counter[str]) -> None:
        self._seen = seen
        super().__init__(cluster, name)

    async def go(self) -> None:
        count = 0
        while not self.cluster.is_over:
            try:
                found = await self.ask(
                    self.any_node(), find_coordinator, 2, find_coordinator.FindCoordinatorRequest(GROUP)
                )
                error = found.error_code or await self._commit(found.node_id, count)
            except NoAnswerError:
                error = errors.NETWORK_EXCEPTION
            self._seen[f"{self.name}: {error}"] += 1
            count += 1
            await self.pause(RETRY_MS if error else PAUSE_MS)

    async def _commit(self, node_id: int, offset: int) -> int:
        part = offset_commit.OffsetCommitRequestPartition(0, offset)
        topic = offset_commit.OffsetCommitRequestTopic(TOPIC, partitions=[part])
        committed = await self.ask(
            node_id, offset_commit, 7, offset_commit.OffsetCommitRequest(GROUP, -1, "", topics=[topic])
        )
        request = offset_fetch.OffsetFetchRequest(GROUP, [offset_fetch.OffsetFetchRequestTopic(TOPIC, [0])])
        read = await self.ask(node_id, offset_fetch, 5, request)
        error = int(committed.topics[0].partitions[0].error_code)
        assert error or read.topics[0].partitions[0].committed_offset == offset
        return error


@pytest.mark.parametrize("acks1_is_refused", [False, True])
def test_brokers_serve_on_while_no_controller_lives(acks1_is_refused: bool) -> None:
    """With leader.lease.enforce=acks01 alone do writes with acks=1 end."""
    seen: Counter[str] = Counter()
    config = {"leader.lease.enforce": "acks01"} if acks1_is_refused else {}
    cluster = Cluster(World(11), 1, config, has_lone_controller=True)
    world = cluster.world
    with cluster.invariants.watching():
        for node in cluster.nodes.values():
            node.start()
        cluster.add_clients(0, 0, PAUSE_MS, acks1=False)
        cluster.clients += [
            CountingProducer(cluster, "p-all", -1, seen), CountingProducer(cluster, "x-one", 1, seen),
            CountingConsumer(cluster, "consumer", seen), Committer(cluster, "committer", seen),
        ]  # fmt: skip
        goes_on = ["p-all: 0", "consumer: records", "committer: 0"] + ([] if acks1_is_refused else ["x-one: 0"])

        def works() -> bool:
            return cluster.is_whole() and all(seen[each] for each in goes_on)

        assert world.run_while(lambda: not works(), 30 * SECOND, 50 * MS), seen
        cluster.nodes[LONE_CONTROLLER].kill()
        world.run_for(10 * SECOND)  # longer than a session, and than a lease
        for _ in range(OUTAGE_S // EVERY_S):
            seen.clear()
            world.run_for(EVERY_S * SECOND)
            assert all(seen[each] for each in goes_on), seen
            if acks1_is_refused:
                assert seen["x-one: 0"] == 0
                assert seen[f"x-one: {errors.NOT_LEADER_OR_FOLLOWER}"]
            else:
                assert {each for each in seen if not each.startswith("consumer")} <= set(goes_on)
        cluster.nodes[LONE_CONTROLLER].start()
        assert world.run_while(lambda: not cluster.is_whole(), 30 * SECOND, 50 * MS)
        assert {part.leader_epoch for part in cluster.brokers[0].image.topics[TOPIC].partitions} == {0}
    assert cluster.invariants.committed_count > 0
    assert not cluster.failures()
    cluster.bury()
