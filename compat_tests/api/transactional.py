"""A transactional producer that is only requests, for tests that compare the answers of two brokers."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from compat_tests.api.raw import TIMEOUT_S, RawClient
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import (
    add_offsets_to_txn,
    add_partitions_to_txn,
    describe_transactions,
    end_txn,
    find_coordinator,
    init_producer_id,
    metadata,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.protocol.primitives import Message

OWN = ["producer_id", "transaction_start_time_ms"]
"""What each broker makes up."""
TRANSACTIONS = 1
PREPARED = ("PrepareCommit", "PrepareAbort")


class Producer:
    """One transactional id. `pair`: the producer id and epoch that it was answered last."""

    def __init__(self, client: RawClient, transactional_id: str) -> None:
        self.client = client
        self.id = transactional_id
        self.pair = (-1, -1)
        self._topic_ids: dict[str, bytes] = {}

    def topic_id(self, topic: str) -> bytes:
        """The id of a topic, which is asked for once and is each broker's own."""
        if topic not in self._topic_ids:
            request = metadata.MetadataRequest([metadata.MetadataRequestTopic(name=topic)], False)
            self._topic_ids[topic] = bytes(self.client.call(metadata.API_KEY, 12, request).topics[0].topic_id)
        return self._topic_ids[topic]

    def find(self) -> None:
        """Wait until its coordinator is there."""
        self._until(find_coordinator.FindCoordinatorRequest(self.id, TRANSACTIONS), 2, find_coordinator)

    def start(self) -> Producer:
        """Find the coordinator and get a producer id."""
        self.find()
        answer = self._until(init_producer_id.InitProducerIdRequest(self.id, 60_000), 4, init_producer_id)
        self.pair = (answer.producer_id, answer.producer_epoch)
        return self

    def _until(self, request: Message, version: int, api: Any) -> Any:
        deadline = time.monotonic() + TIMEOUT_S
        while (answer := self.client.call(api.API_KEY, version, request)).error_code != errors.NONE:
            assert time.monotonic() < deadline, answer
            time.sleep(0.02)
        return answer

    @property
    def state(self) -> Any:
        """Its row, once it is not between two states."""
        request = describe_transactions.DescribeTransactionsRequest([self.id])
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            answer = self.client.call(describe_transactions.API_KEY, 0, request).transaction_states[0]
            if answer.transaction_state not in PREPARED:
                return answer
            assert time.monotonic() < deadline, answer
            time.sleep(0.02)

    def settle(self) -> str:
        """Wait until markers and all are written. Returns the state's name."""
        return str(self.state.transaction_state)

    def init(self, version: int, pair: tuple[int, int] = (-1, -1), *, name: str | None = None, ms: int = 60_000) -> Any:
        """InitProducerId, once nothing is pending."""
        if name is None:
            self.settle()
        request = init_producer_id.InitProducerIdRequest(self.id if name is None else name, ms, *pair)
        answer = self.client.call(init_producer_id.API_KEY, version, request)
        if answer.error_code == errors.NONE:
            self.pair = (answer.producer_id, answer.producer_epoch)
        return self.client.noted(init_producer_id.API_KEY, version, said(answer))

    def add(
        self, version: int, *partitions: tuple[str, int], pair: tuple[int, int] | None = None, name: str | None = None,
        verify: bool = False,
    ) -> Any:  # fmt: skip
        """AddPartitionsToTxn: the error codes by partition."""
        self.settle()
        topics: dict[str, list[int]] = {}
        for topic, index in partitions:
            topics.setdefault(topic, []).append(index)
        asked = [add_partitions_to_txn.AddPartitionsToTxnTopic(topic, indexes) for topic, indexes in topics.items()]
        who = (self.id if name is None else name, *(pair or self.pair))
        if version < 4:
            request = add_partitions_to_txn.AddPartitionsToTxnRequest((), *who, asked)
        else:
            transaction = add_partitions_to_txn.AddPartitionsToTxnTransaction(*who, verify, asked)
            request = add_partitions_to_txn.AddPartitionsToTxnRequest([transaction])
        return self.client.ask(add_partitions_to_txn, version, request)

    def add_offsets(
        self, version: int, group: str, pair: tuple[int, int] | None = None, name: str | None = None
    ) -> Any:
        """AddOffsetsToTxn."""
        self.settle()
        who = (self.id if name is None else name, *(pair or self.pair))
        return self.client.ask(add_offsets_to_txn, version, add_offsets_to_txn.AddOffsetsToTxnRequest(*who, group))

    def end(self, version: int, *, commit: bool, pair: tuple[int, int] | None = None, name: str | None = None) -> Any:
        """EndTxn, once nothing is pending."""
        self.settle()
        request = end_txn.EndTxnRequest(self.id if name is None else name, *(pair or self.pair), commit)
        answer = self.client.call(end_txn.API_KEY, version, request)
        if answer.error_code == errors.NONE and version >= 5:
            self.pair = (answer.producer_id, answer.producer_epoch)
        return self.client.noted(end_txn.API_KEY, version, said(answer))

    def row(self) -> Any:
        """DescribeTransactions, as facts."""
        self.settle()
        request = describe_transactions.DescribeTransactionsRequest([self.id])
        return self.client.ask(describe_transactions, 0, request, OWN)

    def before(self, epochs: int = 1) -> tuple[int, int]:
        """Its pair, some epochs ago."""
        return self.pair[0], self.pair[1] - epochs

    def other(self) -> tuple[int, int]:
        """A pair with another producer id."""
        return self.pair[0] + 500_000, self.pair[1]


def said(answer: Any, masked: Sequence[str] = ("producer_id",)) -> Any:
    """An answer as facts; the producer id is each broker's own."""
    from compat_tests.api.raw import facts

    return facts(answer, masked)
