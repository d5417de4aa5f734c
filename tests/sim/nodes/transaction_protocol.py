"""The requests of a transactional producer in simulated time, with the retries of Kafka's Java client.

Protocol 1 (TV1) adds partitions and offsets by requests of their own, and keeps its epoch from one transaction to the
next; protocol 2 (TV2, KIP-890) leaves both to the brokers, and gets a new epoch at each end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import (
    add_offsets_to_txn,
    add_partitions_to_txn,
    api_versions,
    end_txn,
    find_coordinator,
    init_producer_id,
    metadata,
    produce,
    txn_offset_commit,
)
from kafkacompat.protocol.records.builder import Record, build_batch
from tests.sim.invariants import must
from tests.sim.nodes.clients import RETRY_MS, TIMEOUT_MS, TOPIC, Client, NoAnswerError
from tests.sim.nodes.machine import WALL_MS
from tests.sim.nodes.transaction_story import EMPTY, ONGOING, PREPARE_ABORT, PREPARE_COMMIT
from tests.sim.world import MS

if TYPE_CHECKING:
    from tests.sim.nodes.cluster import Cluster
    from tests.sim.nodes.transaction_ledger import Ledger, Told

GROUP_TYPE, TRANSACTION_TYPE = 0, 1
OFFSETS_TOPIC = "__consumer_offsets"
DOOMED = "doomed"
"""A topic of one partition that may be deleted at any moment: what is in it is not checked."""
PATIENCE_S = 12.0
"""How long one step is tried."""
MOVED = frozenset({errors.COORDINATOR_NOT_AVAILABLE, errors.NOT_COORDINATOR})
LATER = frozenset({
    errors.COORDINATOR_LOAD_IN_PROGRESS, errors.CONCURRENT_TRANSACTIONS, errors.UNKNOWN_TOPIC_OR_PARTITION,
})  # fmt: skip
ELSEWHERE = frozenset({
    errors.UNKNOWN_TOPIC_OR_PARTITION, errors.NOT_LEADER_OR_FOLLOWER, errors.LEADER_NOT_AVAILABLE,
    errors.REQUEST_TIMED_OUT, errors.NOT_ENOUGH_REPLICAS, errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    errors.KAFKA_STORAGE_ERROR, errors.NETWORK_EXCEPTION, errors.CONCURRENT_TRANSACTIONS, *MOVED,
    errors.COORDINATOR_LOAD_IN_PROGRESS,
})  # fmt: skip
"""Errors of Produce after which the batch is sent again."""
FENCING = frozenset({errors.PRODUCER_FENCED, errors.INVALID_PRODUCER_ID_MAPPING})
ABORTING = frozenset({
    errors.TRANSACTION_ABORTABLE, errors.INVALID_PRODUCER_EPOCH, errors.INVALID_TXN_STATE,
    errors.OUT_OF_ORDER_SEQUENCE_NUMBER, errors.UNKNOWN_PRODUCER_ID,
})  # fmt: skip


class FencedError(Exception):
    """Another instance has the transactional id, or the coordinator does not know this one any more."""


class AbortError(Exception):
    """The transaction has to be aborted."""


class GiveUpError(Exception):
    """A step was tried for too long: its outcome stays unknown."""


class TransactionalClient(Client):
    """One instance of a transactional id. timeout_ms: of its transactions (`transaction.timeout.ms`)."""

    def __init__(
        self, cluster: Cluster, ledger: Ledger, name: str, transactional_id: str, *, protocol: int, timeout_ms: int
    ) -> None:
        self.ledger = ledger
        self.transactional_id = transactional_id
        self.protocol = protocol
        self.timeout_ms = timeout_ms
        self.producer_id, self.epoch = -1, -1
        self.life = 0
        self.is_unsure = False
        """Whether a request had no answer: a late copy of it may still arrive (protocol 1 needs a new epoch then)."""
        self.last_number = 0  # of the transaction that ended last
        self._sequences: dict[int, int] = {}
        self._added: set[int] = set()
        self._doomed_sequence: int | None = 0
        """The sequence of the next batch in DOOMED; None when it is not known."""
        self._features_epoch = -1
        self._coordinators: dict[int, int] = {}  # by type: node
        super().__init__(cluster, name)

    # --- finding the coordinator, and asking it ---

    async def find(self, key_type: int) -> int:
        """The coordinator of the id, or of the group of the same name. Raises GiveUpError."""

        async def ask() -> int | None:
            request = find_coordinator.FindCoordinatorRequest(self.transactional_id, key_type)
            answer = await self.ask(self.any_node(), find_coordinator, 2, request)
            return int(answer.node_id) if answer.error_code == errors.NONE else None

        if key_type not in self._coordinators:
            self._coordinators[key_type] = await self.persist(ask)
        return self._coordinators[key_type]

    async def persist(self, ask: Callable[[], Any]) -> Any:
        """Ask until there is an answer that is not None. Raises GiveUpError."""
        assert self.loop is not None
        end_s = self.loop.time() + PATIENCE_S
        while not self.cluster.is_over and self.loop.time() < end_s:
            try:
                found = await ask()
            except NoAnswerError:
                self.is_unsure = True
                self._coordinators.clear()
                found = None
            if found is not None:
                return found
            await self.pause(RETRY_MS)
        raise GiveUpError

    async def coordinated(
        self, key_type: int, api: Any, version: int, request: object, code_of: Callable[[Any], int]
    ) -> tuple[int, Any]:
        """Ask the coordinator until it is there and has time. Returns the error code and the answer."""

        async def ask() -> tuple[int, Any] | None:
            answer = await self.ask(await self.find(key_type), api, version, request)
            code = code_of(answer)
            if code in MOVED:
                self._coordinators.pop(key_type, None)
            if code == errors.CONCURRENT_TRANSACTIONS and api is init_producer_id:
                self.ledger.met["a new instance met an open transaction"] += 1
            return None if code in MOVED or code in LATER else (code, answer)

        found: tuple[int, Any] = await self.persist(ask)
        return found

    async def follow_version(self) -> None:
        """Between transactions, take the protocol of the newest finalized transaction.version that is known, as Java's
        client does: to go from 1 to 2 it gets a new epoch. Raises FencedError, GiveUpError.
        """
        try:
            answer = await self.ask(self.any_node(), api_versions, 3, api_versions.ApiVersionsRequest("sim", "1"))
        except NoAnswerError:
            return
        if answer.finalized_features_epoch <= self._features_epoch:
            return
        self._features_epoch = answer.finalized_features_epoch
        levels = {each.name: each.max_version_level for each in answer.finalized_features}
        former, self.protocol = self.protocol, 2 if levels.get("transaction.version", 0) >= 2 else 1
        if self.producer_id >= 0 and former < self.protocol:
            await self.begin_life(keeps_producer=True)

    # --- the steps ---

    async def begin_life(self, *, keeps_producer: bool = False) -> None:
        """InitProducerId; with `keeps_producer` as KIP-360 for another epoch. Raises FencedError, GiveUpError."""
        producer_id, epoch = (self.producer_id, self.epoch) if keeps_producer else (-1, -1)
        self.life += 0 if keeps_producer else 1
        request = init_producer_id.InitProducerIdRequest(self.transactional_id, self.timeout_ms, producer_id, epoch)
        code, answer = await self.coordinated(
            TRANSACTION_TYPE, init_producer_id, 4, request, lambda answer: int(answer.error_code)
        )
        is_used_up = keeps_producer and self.ledger.is_used_up(self.transactional_id, producer_id, epoch)
        if code == errors.UNKNOWN_SERVER_ERROR and is_used_up:
            raise GiveUpError
        self._refuse(code, "InitProducerId")
        self.ledger.must_have_had(self.transactional_id, answer.producer_id, answer.producer_epoch, EMPTY)
        self._is_given(answer.producer_id, answer.producer_epoch)

    def _is_given(self, producer_id: int, epoch: int) -> None:
        self.ledger.given(producer_id, epoch, f"{self.name}/{self.life}")
        if (producer_id, epoch) != (self.producer_id, self.epoch):
            self._sequences, self._doomed_sequence = {}, 0
        self.producer_id, self.epoch = producer_id, epoch
        self.is_unsure = False

    def _refuse(self, code: int, what: str) -> None:
        if code in FENCING or (code == errors.INVALID_PRODUCER_EPOCH and what not in ("Produce", "TxnOffsetCommit")):
            raise FencedError
        if code in ABORTING:
            raise AbortError
        must(code == errors.NONE, f"{self.name}: {what} is answered {errors.name(code)}")

    async def add_partition(self, partition: int) -> None:
        """AddPartitionsToTxn, which protocol 2 does not need."""
        if self.protocol == 2 or partition in self._added:
            return
        topics = [add_partitions_to_txn.AddPartitionsToTxnTopic(TOPIC, [partition])]
        request = add_partitions_to_txn.AddPartitionsToTxnRequest(
            (), self.transactional_id, self.producer_id, self.epoch, topics
        )
        code, _ = await self.coordinated(
            TRANSACTION_TYPE, add_partitions_to_txn, 3, request,
            lambda answer: int(answer.results_by_topic_v3_and_below[0].results_by_partition[0].partition_error_code),
        )  # fmt: skip
        self._refuse(code, "AddPartitionsToTxn")
        self.ledger.must_have_had(self.transactional_id, self.producer_id, self.epoch, ONGOING)
        self._added.add(partition)

    async def write(self, told: Told, partition: int, values: list[str]) -> None:
        """Append one batch. Raises AbortError, FencedError."""
        await self.add_partition(partition)
        sequence = self._sequences.get(partition, 0)
        self._sequences[partition] = sequence + len(values)
        now_ms = WALL_MS + self.cluster.world.now_us // MS  # so that segments are rolled
        records = [Record(at, now_ms, None, value.encode()) for at, value in enumerate(values)]
        batch = build_batch(
            records, producer_id=self.producer_id, producer_epoch=self.epoch, base_sequence=sequence,
            is_transactional=True,
        )  # fmt: skip
        told.sent.update((value, f"{TOPIC}-{partition}") for value in values)
        try:
            code = await self.persist(lambda: self._produced(partition, bytes(batch)))
        except GiveUpError:
            self.is_unsure = True
            raise AbortError from None
        if code != errors.DUPLICATE_SEQUENCE_NUMBER:
            self._refuse(code, "Produce")
        told.acknowledged.update((value, f"{TOPIC}-{partition}") for value in values)

    async def _produced(self, partition: int, batch: bytes) -> int | None:
        """One Produce: its error code; None if the batch is to be sent again."""
        leader, _ = await self.leader_of(partition)
        data = produce.TopicProduceData(TOPIC, partition_data=[produce.PartitionProduceData(partition, batch)])
        request = produce.ProduceRequest(self.transactional_id, -1, TIMEOUT_MS - 500, [data])
        try:
            answer = await self.ask(leader, produce, 12 if self.protocol == 2 else 11, request)
        except NoAnswerError:
            self.forget_leader(partition)
            raise
        code = int(answer.responses[0].partition_responses[0].error_code)
        if code in ELSEWHERE:
            self.forget_leader(partition)
            return None
        return code

    async def write_to_doomed(self, value: str) -> None:
        """Append to a topic that may be gone, once, whatever comes of it."""
        sequence, self._doomed_sequence = self._doomed_sequence, None
        if sequence is None:
            return
        try:
            if await self._is_doomed_added() and await self._is_in_doomed(sequence, value):
                self._doomed_sequence = sequence + 1
        except NoAnswerError:
            self.is_unsure = True

    async def _is_doomed_added(self) -> bool:
        if self.protocol == 2:
            return True
        topics = [add_partitions_to_txn.AddPartitionsToTxnTopic(DOOMED, [0])]
        request = add_partitions_to_txn.AddPartitionsToTxnRequest(
            (), self.transactional_id, self.producer_id, self.epoch, topics
        )
        answer = await self.ask(await self.find(TRANSACTION_TYPE), add_partitions_to_txn, 3, request)
        code = answer.results_by_topic_v3_and_below[0].results_by_partition[0].partition_error_code
        return bool(code == errors.NONE)

    async def _is_in_doomed(self, sequence: int, value: str) -> bool:
        wanted = metadata.MetadataRequest([metadata.MetadataRequestTopic(name=DOOMED)], False)
        found = await self.ask(self.any_node(), metadata, 12, wanted)
        leaders = [each.leader_id for topic in found.topics for each in topic.partitions if each.leader_id >= 0]
        if not leaders:
            return False
        now_ms = WALL_MS + self.cluster.world.now_us // MS
        batch = build_batch(
            [Record(0, now_ms, None, value.encode())], producer_id=self.producer_id, producer_epoch=self.epoch,
            base_sequence=sequence, is_transactional=True,
        )  # fmt: skip
        data = produce.TopicProduceData(DOOMED, partition_data=[produce.PartitionProduceData(0, bytes(batch))])
        request = produce.ProduceRequest(self.transactional_id, -1, TIMEOUT_MS - 500, [data])
        answer = await self.ask(leaders[0], produce, 12 if self.protocol == 2 else 11, request)
        return bool(answer.responses[0].partition_responses[0].error_code == errors.NONE)

    async def commit_offset(self, told: Told) -> None:
        """Commit the transaction's number as the offset of partition 0 in the id's group."""
        if self.protocol == 1:
            ask = add_offsets_to_txn.AddOffsetsToTxnRequest(
                self.transactional_id, self.producer_id, self.epoch, self.transactional_id
            )
            code, _ = await self.coordinated(
                TRANSACTION_TYPE, add_offsets_to_txn, 3, ask, lambda answer: int(answer.error_code)
            )
            self._refuse(code, "AddOffsetsToTxn")
        value = f"{told.name}.offset"
        told.sent[value] = f"{OFFSETS_TOPIC}-0"
        partitions = [txn_offset_commit.TxnOffsetCommitRequestPartition(0, told.number)]
        request = txn_offset_commit.TxnOffsetCommitRequest(
            self.transactional_id, self.transactional_id, self.producer_id, self.epoch,
            topics=[txn_offset_commit.TxnOffsetCommitRequestTopic(TOPIC, partitions=partitions)],
        )  # fmt: skip
        code, _ = await self.coordinated(
            GROUP_TYPE, txn_offset_commit, 5 if self.protocol == 2 else 4, request,
            lambda answer: int(answer.topics[0].partitions[0].error_code),
        )  # fmt: skip
        self._refuse(code, "TxnOffsetCommit")
        told.acknowledged[value] = told.sent[value]

    async def end(self, told: Told, *, commits: bool) -> None:
        """EndTxn until it is answered. Raises FencedError, AbortError, GiveUpError: the outcome is unknown then."""
        told.asked = commits
        request = end_txn.EndTxnRequest(self.transactional_id, self.producer_id, self.epoch, commits)
        code, answer = await self.coordinated(
            TRANSACTION_TYPE, end_txn, 5 if self.protocol == 2 else 4, request, lambda answer: int(answer.error_code)
        )
        self._refuse(code, "EndTxn")
        epoch = self.epoch + 1 if self.protocol == 2 else self.epoch
        state = PREPARE_COMMIT if commits else PREPARE_ABORT
        self.ledger.must_have_had(self.transactional_id, self.producer_id, epoch, state)
        self.ledger.ended(told)
        self._added = set()
        if self.protocol == 2 and self.ledger.is_told_the_fence(self.epoch, answer.producer_epoch):
            raise GiveUpError
        if self.protocol == 2:
            self._is_given(answer.producer_id, answer.producer_epoch)

    def forget_transaction(self) -> None:
        self._added = set()
