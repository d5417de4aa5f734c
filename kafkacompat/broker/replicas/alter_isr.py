"""Sends proposed ISR changes to the controller (KIP-497, Kafka's AlterPartitionManager)."""

import logging

from kafkacompat.broker.network import ALTER_ISR
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.api_keys import ALTER_PARTITION
from kafkacompat.protocol.constants import NO_BROKER_EPOCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from kafkacompat.broker.timers import Timers
    from kafkacompat.now import Now
    from kafkacompat.protocol.messages.alter_partition import (
        AlterPartitionRequest,
        AlterPartitionResponse,
        AlterPartitionResponsePartitionData,
    )
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.in_sync import Proposal
    from kafkacompat.replication.partition import Partition

    class Channel(Protocol):
        """As `ControllerChannel`."""

        def request(
            self,
            channel: str,
            api_key: int,
            version: int,
            request: Message,
            done: Callable[[object | None, Now], None],
            *,
            timeout_ms: int,
            now: Now,
        ) -> object: ...


log = logging.getLogger(__name__)

ALTER_PARTITION_VERSION = 3
RETRY_MS = 50
"""Pause before an undecided proposal is sent again, as in Kafka."""
MAX_PARTITIONS = 5_000
"""Per request; the others go with the next one."""


class AlterIsr:
    """One AlterPartition in flight at a time, with the proposals of all partitions.

    broker_epoch: of this incarnation of the broker, -1 while it is not registered and proposes nothing. A proposal is
    valid while it is its partition's open one; for a new one, call `submit` again.
    """

    def __init__(
        self,
        node_id: int,
        timers: "Timers",
        channel: "Channel | None",
        broker_epoch: "Callable[[], int]",
        timeout_ms: int,
        carry_out: "Callable[[Partition, Now], None]",
    ) -> None:
        self.channel = channel
        self._node_id = node_id
        self._timers = timers
        self._broker_epoch = broker_epoch
        self._timeout_ms = timeout_ms
        self._carry_out = carry_out
        self._waiting: dict[Partition, None] = {}
        self._sent: dict[tuple[bytes, int], tuple[Partition, Proposal]] = {}
        self.shrink_count = self.expand_count = 0  # accepted proposals, for metrics

    def submit(self, partition: "Partition", now: "Now") -> None:
        """The partition has a proposal; it is sent at the end of this loop iteration, with all others."""
        self._waiting[partition] = None
        if not self._sent:
            self._timers.set(self, now.monotonic_ms, self._send)

    def resume(self, now: "Now") -> None:
        """This broker is registered (again)."""
        self._send(now)

    def close(self) -> None:
        """Stop proposing."""
        self._timers.cancel(self)
        self._waiting.clear()
        self._sent = {}

    def _send(self, now: "Now") -> None:
        broker_epoch = self._broker_epoch()
        if self._sent or not self._waiting or self.channel is None or broker_epoch == NO_BROKER_EPOCH:
            return
        request = self._request(broker_epoch)
        if request is not None:
            sent = self._sent
            self.channel.request(
                ALTER_ISR, ALTER_PARTITION, ALTER_PARTITION_VERSION, request,
                lambda response, at: self._on_answer(sent, response, at), timeout_ms=self._timeout_ms, now=now,
            )  # fmt: skip

    def _request(self, broker_epoch: int) -> "AlterPartitionRequest | None":
        from kafkacompat.protocol.messages.alter_partition import AlterPartitionRequest, AlterPartitionRequestTopicData

        topics: dict[bytes, AlterPartitionRequestTopicData] = {}
        self._sent = {}
        while self._waiting and len(self._sent) < MAX_PARTITIONS:
            partition = next(iter(self._waiting))
            del self._waiting[partition]
            proposal = partition.take_proposal()
            if proposal is None:
                continue  # decided meanwhile
            self._sent[partition.topic_id, partition.index] = partition, proposal
            topic = topics.setdefault(partition.topic_id, AlterPartitionRequestTopicData(partition.topic_id, []))
            assert isinstance(topic.partitions, list)
            topic.partitions.append(proposal.request(partition.index))
        if not self._sent:
            return None
        return AlterPartitionRequest(self._node_id, broker_epoch, list(topics.values()))

    def _on_answer(
        self, sent: "dict[tuple[bytes, int], tuple[Partition, Proposal]]", response: object | None, now: "Now"
    ) -> None:
        if sent is not self._sent:
            return  # closed
        self._sent = {}
        again: list[Partition] = []
        answer: AlterPartitionResponse | None = response  # type: ignore[assignment]
        if answer is not None and answer.error_code == errors.NONE:
            for topic in answer.topics:
                for data in topic.partitions:
                    entry = sent.pop((topic.topic_id, data.partition_index), None)
                    if entry is not None and not self._decided(*entry, data, now):
                        again.append(entry[0])
        for partition, proposal in sent.values():  # undecided: NOT_CONTROLLER, STALE_BROKER_EPOCH, no response
            if partition.in_sync.pending is proposal:
                partition.in_sync.failed(proposal)
                again.append(partition)
        self._waiting.update(dict.fromkeys(again))
        if self._waiting:
            self._timers.set(self, now.monotonic_ms + (RETRY_MS if again else 0), self._send)

    def _decided(
        self, partition: "Partition", proposal: "Proposal", data: "AlterPartitionResponsePartitionData", now: "Now"
    ) -> bool:
        """Have the partition process the decision; False if the proposal must be sent again."""
        try:
            partition.proposal_answered(proposal, data, now)
            if data.error_code == errors.NONE and proposal.added:
                self.expand_count += 1
            elif data.error_code == errors.NONE:
                self.shrink_count += 1
            self._carry_out(partition, now)
        except Exception:  # other partitions are in the same response
            log.exception(
                "a bug: handling the response to an ISR proposal of %s-%d failed", partition.topic, partition.index
            )
            partition.in_sync.failed(proposal)
        return partition.in_sync.pending is not proposal or not proposal.must_send
