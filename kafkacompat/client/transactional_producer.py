"""Transactions of a producer: InitProducerId, AddPartitionsToTxn, AddOffsetsToTxn, TxnOffsetCommit, EndTxn.

The requests are those from before KIP-890, which brokers know since Kafka 2.5: partitions are added before they are
written to, and the epoch stays the same from one transaction to the next.
"""

from __future__ import annotations

import time
from operator import attrgetter

from kafkacompat.client.client import GROUP_KEY, TRANSACTION_KEY, pauses_s
from kafkacompat.client.errors import BrokerError
from kafkacompat.client.producing import Producer
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import NO_PRODUCER_ID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from types import ModuleType
    from typing import Any

    from kafkacompat.client.client import Client, Place
    from kafkacompat.client.producing import Delivered

TIMEOUT_MS = 60_000
"""After which the coordinator aborts a transaction that nobody ends; as in Kafka's producer."""
_INIT_VERSION, _ADD_VERSION, _ADD_OFFSETS_VERSION, _OFFSETS_VERSION, _END_VERSION, _PRODUCE_VERSION = 4, 3, 3, 4, 4, 11
"""The last versions before KIP-890."""
_AGAIN = frozenset({errors.CONCURRENT_TRANSACTIONS, errors.UNKNOWN_TOPIC_OR_PARTITION})
"""Errors that end by themselves: the transaction before is being ended, a broker does not know a topic yet."""


class TransactionalProducer(Producer):
    """Writes records in transactions, which begin by themselves, together with committed offsets.

    After a ClientError it is of no more use: whether the transaction counts is known from the offsets that another
    producer of the same id finds behind its `start`, which fences this one.
    """

    def __init__(self, client: Client, transactional_id: str, *, compression: str = "none") -> None:
        super().__init__(client, compression=compression)
        self._transactional_id = transactional_id
        self._produce_version = _PRODUCE_VERSION
        self._added: set[Place] = set()

    def start(self) -> None:
        """Get a producer id, which fences older producers and aborts what they have open. Raises ClientError."""
        if self._producer_id == NO_PRODUCER_ID:
            self._start()

    def flush(self) -> list[Delivered]:
        """Send what is buffered, within the transaction. See Producer."""
        self.start()
        self._add([place for place in self._batches if place not in self._added])
        return super().flush()

    def commit(self, group_id: str, offsets: Mapping[Place, tuple[int, str]]) -> None:
        """Send what is buffered, and commit it and the offsets (with metadata) of a group without members, both or
        none. Raises ClientError.
        """
        self.flush()
        self._add_offsets(group_id)
        self._commit_offsets(group_id, offsets)
        from kafkacompat.protocol.messages import end_txn as messages

        request = messages.EndTxnRequest(self._id, self._producer_id, self._producer_epoch, committed=True)
        self._ask_coordinator(messages, request, _END_VERSION)
        self._added.clear()

    @property
    def _id(self) -> str:
        assert self._transactional_id is not None
        return self._transactional_id

    def _start(self) -> None:
        from kafkacompat.protocol.messages import init_producer_id as messages

        self._is_started = True
        answer = self._ask_coordinator(messages, messages.InitProducerIdRequest(self._id, TIMEOUT_MS), _INIT_VERSION)
        self._producer_id, self._producer_epoch = answer.producer_id, answer.producer_epoch

    def _add(self, places: list[Place]) -> None:
        if not places:
            return
        from kafkacompat.protocol.messages import add_partitions_to_txn as messages

        topics: dict[str, list[int]] = {}
        for topic, partition in places:
            topics.setdefault(topic, []).append(partition)
        request = messages.AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=self._id, v3_and_below_producer_id=self._producer_id,
            v3_and_below_producer_epoch=self._producer_epoch,
            v3_and_below_topics=[messages.AddPartitionsToTxnTopic(*each) for each in topics.items()],
        )  # fmt: skip

        def error_of(answer: messages.AddPartitionsToTxnResponse) -> int:
            results = (each for topic in answer.results_by_topic_v3_and_below for each in topic.results_by_partition)
            return _first_error(each.partition_error_code for each in results)

        self._ask_coordinator(messages, request, _ADD_VERSION, error_of)
        self._added.update(places)

    def _add_offsets(self, group_id: str) -> None:
        from kafkacompat.protocol.messages import add_offsets_to_txn as messages

        request = messages.AddOffsetsToTxnRequest(self._id, self._producer_id, self._producer_epoch, group_id)
        self._ask_coordinator(messages, request, _ADD_OFFSETS_VERSION)

    def _commit_offsets(self, group_id: str, offsets: Mapping[Place, tuple[int, str]]) -> None:
        from kafkacompat.protocol.messages import txn_offset_commit as messages

        topics: dict[str, list[messages.TxnOffsetCommitRequestPartition]] = {}
        for (topic, partition), (offset, metadata) in offsets.items():
            row = messages.TxnOffsetCommitRequestPartition(partition, offset, committed_metadata=metadata)
            topics.setdefault(topic, []).append(row)
        request = messages.TxnOffsetCommitRequest(
            self._id, group_id, self._producer_id, self._producer_epoch,
            topics=[messages.TxnOffsetCommitRequestTopic(name, partitions=rows) for name, rows in topics.items()],
        )  # fmt: skip

        def error_of(answer: messages.TxnOffsetCommitResponse) -> int:
            return _first_error(each.error_code for topic in answer.topics for each in topic.partitions)

        self._ask_coordinator(messages, request, _OFFSETS_VERSION, error_of, group_id)

    def _ask_coordinator(
        self, messages: ModuleType, request: object, max_version: int,
        error_of: Callable[[Any], int] = attrgetter("error_code"), group_id: str | None = None,
    ) -> Any:  # fmt: skip
        """Ask the coordinator of the transactional id, or of the group, until it has no reason to wait. Raises
        ClientError.
        """
        key, kind = (self._id, TRANSACTION_KEY) if group_id is None else (group_id, GROUP_KEY)
        for pause_s in pauses_s(time.monotonic() + self._client.timeout_s):
            answer = self._client.call_coordinator(
                key, messages, request, error_of, key_type=kind, max_version=max_version
            )
            code = error_of(answer)
            if code == errors.NONE:
                return answer
            if pause_s is None or code not in _AGAIN:
                raise BrokerError(code, f"transactional id {self._id!r}")
            time.sleep(pause_s)
        raise AssertionError


def _first_error(codes: Iterable[int]) -> int:
    """The reason; partitions that were not looked at because of another one have none of their own."""
    failed = [code for code in codes if code != errors.NONE]
    return min(failed, key=lambda code: code == errors.OPERATION_NOT_ATTEMPTED, default=errors.NONE)
