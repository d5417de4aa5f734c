"""A member of a group, and a producer, as requests on sockets of their own."""

from __future__ import annotations

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import find_coordinator, heartbeat, join_group, metadata, produce, sync_group
from kafkacompat.protocol.messages import offset_commit as commits
from kafkacompat.protocol.messages import offset_fetch as fetches
from tests.asking import ask
from tests.robustness.client import batch_of
from tests.waiting import wait_until


class Member:
    """A consumer that follows its coordinator as clients do."""

    def __init__(self, bootstrap: str, group: str, *, client_session_ms: int = 60_000) -> None:
        self.bootstrap = bootstrap
        self.group = group
        self.session_ms = client_session_ms
        self.id = ""
        self.generation = -1

    def coordinator(self) -> tuple[int, str]:
        """(id, address), once there is one."""
        found: list = []

        def is_known() -> bool:
            answer = ask(self.bootstrap, find_coordinator.FindCoordinatorRequest(key=self.group), 2)
            found[:] = [answer.node_id, f"{answer.host}:{answer.port}"]
            return answer.error_code == errors.NONE

        wait_until(is_known, what="a coordinator")
        return found[0], found[1]

    def join(self) -> None:
        """Join and sync, until that succeeds."""
        wait_until(self._joined, what="the group")

    def _joined(self) -> bool:
        _, address = self.coordinator()
        protocol = join_group.JoinGroupRequestProtocol("range", b"")
        joining = join_group.JoinGroupRequest(
            self.group, self.session_ms, 5_000, self.id, None, "consumer", [protocol], None
        )
        joined = ask(address, joining, 3)
        if joined.error_code != errors.NONE:
            self.id = "" if joined.error_code == errors.UNKNOWN_MEMBER_ID else self.id
            return False
        self.id, self.generation = joined.member_id, joined.generation_id
        assignment = sync_group.SyncGroupRequestAssignment(self.id, b"part")
        request = sync_group.SyncGroupRequest(self.group, self.generation, self.id, assignments=[assignment])
        return ask(address, request, 1).error_code == errors.NONE

    def heartbeat(self, address: str | None = None) -> int:
        """The error code of a heartbeat, of the coordinator or of this address."""
        request = heartbeat.HeartbeatRequest(self.group, self.generation, self.id)
        return ask(address or self.coordinator()[1], request, 2).error_code

    def commit(self, topic: str, offset: int) -> int:
        """The error code of a commit for partition 0."""
        partition = commits.OffsetCommitRequestPartition(0, offset, -1, "")
        wanted = [commits.OffsetCommitRequestTopic(topic, partitions=[partition])]
        request = commits.OffsetCommitRequest(self.group, self.generation, self.id, topics=wanted)
        return ask(self.coordinator()[1], request, 6).topics[0].partitions[0].error_code

    def committed(self, topic: str) -> int:
        """The committed offset of partition 0."""
        wanted = [fetches.OffsetFetchRequestTopic(topic, [0])]
        answer = ask(self.coordinator()[1], fetches.OffsetFetchRequest(self.group, wanted), 5)
        return answer.topics[0].partitions[0].committed_offset


def send(
    address: str, topic: str, *, acks: int = -1, timeout_ms: int = 30_000, value: bytes = b"v", patience_s: float = 60,
    index: int = 0,
) -> int:  # fmt: skip
    """Produce a record to a broker; the error code."""
    data = produce.PartitionProduceData(index, batch_of(value))
    request = produce.ProduceRequest(None, acks, timeout_ms, [produce.TopicProduceData(topic, partition_data=[data])])
    return ask(address, request, 9, timeout_s=patience_s).responses[0].partition_responses[0].error_code


def partition(address: str, topic: str, index: int = 0) -> metadata.MetadataResponsePartition:
    """A partition as a broker describes it to clients."""
    wanted = [metadata.MetadataRequestTopic(name=topic)]
    found = ask(address, metadata.MetadataRequest(topics=wanted, allow_auto_topic_creation=False), 9).topics[0]
    return next(each for each in found.partitions if each.partition_index == index)
