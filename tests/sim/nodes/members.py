"""Members of a group in the simulation of whole nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import (
    find_coordinator,
    heartbeat,
    join_group,
    offset_commit,
    offset_fetch,
    sync_group,
)
from tests.sim.invariants import must
from tests.sim.nodes.clients import RETRY_MS, TOPIC, Client, NoAnswerError

if TYPE_CHECKING:
    from tests.sim.nodes.cluster import Cluster

GROUP = "g"
SESSION_MS, HEARTBEAT_MS = 6_000, 300
JOIN_TIMEOUT_MS = 3 * SESSION_MS


class Commits:
    """What the members of the group know together."""

    def __init__(self) -> None:
        self.acknowledged = -1
        self.next = 0
        self.owners: dict[int, set[str]] = {}  # by generation


class Member(Client):
    """A member: it joins, syncs, sends heartbeats, and commits an ever larger offset while it owns the partition.

    What was acknowledged must be there for whoever comes next; one member owns the partition in a generation.
    """

    def __init__(self, cluster: Cluster, name: str, commits: Commits) -> None:
        self.commits = commits
        self.generations: set[int] = set()
        self._member_id = ""
        super().__init__(cluster, name)

    async def go(self) -> None:
        coordinator = -1
        while not self.cluster.is_over:
            try:
                if coordinator < 0:
                    coordinator = await self._find()
                generation = await self._join(coordinator)
                if generation is not None:
                    await self._work(coordinator, *generation)
            except (NoAnswerError, LookupError):  # another coordinator
                coordinator = -1
            await self.pause(RETRY_MS)

    async def _find(self) -> int:
        answer = await self.ask(self.any_node(), find_coordinator, 2, find_coordinator.FindCoordinatorRequest(GROUP))
        return int(answer.node_id) if answer.error_code == errors.NONE else -1

    async def _join(self, node_id: int) -> tuple[int, bool] | None:
        request = join_group.JoinGroupRequest(
            GROUP, SESSION_MS, SESSION_MS, self._member_id, protocol_type="consumer",
            protocols=[join_group.JoinGroupRequestProtocol("range")],
        )  # fmt: skip
        joined = await self.ask(node_id, join_group, 5, request, JOIN_TIMEOUT_MS)
        if joined.error_code in (errors.MEMBER_ID_REQUIRED, errors.UNKNOWN_MEMBER_ID):
            self._member_id = joined.member_id if joined.error_code == errors.MEMBER_ID_REQUIRED else ""
            return None
        self._must_be_fine(joined.error_code)
        assigned = []
        if joined.leader == joined.member_id:
            owner = sorted(each.member_id for each in joined.members)[0]
            assigned = [sync_group.SyncGroupRequestAssignment(owner, b"all")]
        sync = sync_group.SyncGroupRequest(GROUP, joined.generation_id, self._member_id, assignments=assigned)
        synced = await self.ask(node_id, sync_group, 3, sync, JOIN_TIMEOUT_MS)
        if synced.error_code in (errors.REBALANCE_IN_PROGRESS, errors.UNKNOWN_MEMBER_ID, errors.ILLEGAL_GENERATION):
            return None
        self._must_be_fine(synced.error_code)
        self.generations.add(joined.generation_id)
        if synced.assignment:
            owners = self.commits.owners.setdefault(joined.generation_id, set())
            owners.add(self._member_id)
            must(len(owners) == 1, f"generation {joined.generation_id} has owners {owners}")
        return joined.generation_id, bool(synced.assignment)

    async def _work(self, node_id: int, generation: int, owns: bool) -> None:
        if owns:
            before = self.commits.acknowledged
            topics = [offset_fetch.OffsetFetchRequestTopic(TOPIC, [0])]
            answer = await self.ask(node_id, offset_fetch, 5, offset_fetch.OffsetFetchRequest(GROUP, topics))
            self._must_be_fine(answer.error_code)
            found = answer.topics[0].partitions[0].committed_offset
            must(found >= before, f"the group committed {before} and finds {found}")
        while not self.cluster.is_over:
            request = heartbeat.HeartbeatRequest(GROUP, generation, self._member_id)
            beat = await self.ask(node_id, heartbeat, 3, request)
            if beat.error_code == errors.UNKNOWN_MEMBER_ID:
                self._member_id = ""
            if beat.error_code in (errors.UNKNOWN_MEMBER_ID, errors.REBALANCE_IN_PROGRESS, errors.ILLEGAL_GENERATION):
                return
            self._must_be_fine(beat.error_code)
            if owns and await self._commit(node_id, generation) is False:
                return
            await self.pause(HEARTBEAT_MS)

    async def _commit(self, node_id: int, generation: int) -> bool:
        offset = self.commits.next
        self.commits.next += 1
        partitions = [offset_commit.OffsetCommitRequestPartition(0, offset)]
        topics = [offset_commit.OffsetCommitRequestTopic(TOPIC, partitions=partitions)]
        request = offset_commit.OffsetCommitRequest(GROUP, generation, self._member_id, topics=topics)
        answer = await self.ask(node_id, offset_commit, 7, request)
        code = answer.topics[0].partitions[0].error_code
        if code in (errors.UNKNOWN_MEMBER_ID, errors.REBALANCE_IN_PROGRESS, errors.ILLEGAL_GENERATION):
            self._member_id = "" if code == errors.UNKNOWN_MEMBER_ID else self._member_id
            return False
        self._must_be_fine(code)
        self.commits.acknowledged = max(self.commits.acknowledged, offset)
        return True

    @staticmethod
    def _must_be_fine(code: int) -> None:
        """Raises LookupError for errors after which the coordinator is looked for again."""
        if code != errors.NONE:
            raise LookupError(errors.name(code))
