"""A broker in memory with a coordinator of transactions. Its markers go to a receiver that tests may hold up."""

from typing import Any

from kafkacompat.broker.coordinator.coordinators import TRANSACTION
from kafkacompat.now import Now
from kafkacompat.protocol.api_keys import WRITE_TXN_MARKERS
from kafkacompat.protocol.error_codes import NONE
from kafkacompat.protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from kafkacompat.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from kafkacompat.protocol.messages.describe_transactions import DescribeTransactionsRequest
from kafkacompat.protocol.messages.end_txn import EndTxnRequest
from kafkacompat.protocol.messages.find_coordinator import FindCoordinatorRequest
from kafkacompat.protocol.messages.init_producer_id import InitProducerIdRequest
from kafkacompat.protocol.messages.write_txn_markers import (
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)
from tests.broker.harness import BrokerHarness


class Receiver:
    """Stands for the leaders of partitions: what it is asked to write, and what it answers.

    holds: nothing is answered until `answer`. codes: the error code by partition, else NONE.
    """

    def __init__(self, call_here: Any) -> None:
        self._call_here = call_here
        self.requests: list[WriteTxnMarkersRequest] = []
        self.holds = False
        self.codes: dict[tuple[str, int], int] = {}
        self._held: list[tuple[WriteTxnMarkersRequest, Any]] = []

    def call(self, api_key: int, version: int, request: Any, now: Now, done: Any) -> None:
        if api_key != WRITE_TXN_MARKERS:
            self._call_here(api_key, version, request, now, done)
            return
        assert version == 2
        self.requests.append(request)
        self._held.append((request, done))
        if not self.holds:
            self.answer(now)

    def answer(self, now: Now, *, lost: bool = False) -> None:
        """Answer what is held; `lost`: the connection is."""
        held, self._held = self._held, []
        for request, done in held:
            done(None if lost else self._response(request), now)

    def _response(self, request: WriteTxnMarkersRequest) -> WriteTxnMarkersResponse:
        return WriteTxnMarkersResponse(
            markers=[
                WritableTxnMarkerResult(
                    marker.producer_id,
                    [
                        WritableTxnMarkerTopicResult(
                            topic.name,
                            [
                                WritableTxnMarkerPartitionResult(index, self.codes.get((topic.name, index), NONE))
                                for index in topic.partition_indexes
                            ],
                        )
                        for topic in marker.topics
                    ],
                )
                for marker in request.markers
            ]
        )

    @property
    def written(self) -> list[tuple[int, int, bool, tuple[str, int]]]:
        """Each marker that was asked for: producer id, epoch, whether it commits, partition."""
        return [
            (marker.producer_id, marker.producer_epoch, marker.transaction_result, (topic.name, index))
            for request in self.requests
            for marker in request.markers
            for topic in marker.topics
            for index in topic.partition_indexes
        ]


class Transactions(BrokerHarness):
    """The broker; topic `a` has two partitions, and __transaction_state is loaded."""

    def __init__(self, **config: str) -> None:
        super().__init__(**{"transaction_state_log_num_partitions": "2"} | config)
        self.receiver = Receiver(self.broker.call_here)
        self.broker.call_here = self.receiver.call
        self.create_topic("a", 2)
        found = self.ask(FindCoordinatorRequest("t", TRANSACTION.key_type), 2)
        assert (found.error_code, found.node_id) == (NONE, 1)

    def settle(self) -> None:
        """Let background work end, and send the markers that wait until the response has left."""
        super().settle()
        if any(context._notices for context in self.broker.transactions._contexts.values()):
            self.broker.timers.run(self.now)
            super().settle()

    def init(self, transactional_id: str = "t", version: int = 5, **fields: Any) -> Any:
        timeout_ms = fields.pop("timeout_ms", 60_000)
        return self.ask(InitProducerIdRequest(transactional_id, timeout_ms, **fields), version)

    def add(self, pair: tuple[int, int], *partitions: tuple[str, int], version: int = 3, name: str = "t") -> list[int]:
        """The error codes, in order."""
        topics: dict[str, list[int]] = {}
        for topic, index in partitions:
            topics.setdefault(topic, []).append(index)
        asked = [AddPartitionsToTxnTopic(topic, indexes) for topic, indexes in topics.items()]
        if version < 4:
            response = self.ask(AddPartitionsToTxnRequest((), name, *pair, asked), version)
            return _codes(response.results_by_topic_v3_and_below)
        response = self.ask(
            AddPartitionsToTxnRequest([AddPartitionsToTxnTransaction(name, *pair, False, asked)]), version
        )
        return _codes(response.results_by_transaction[0].topic_results)

    def verify(self, pair: tuple[int, int], topic: str, *indexes: int, version: int = 5, name: str = "t") -> list[int]:
        asked = [AddPartitionsToTxnTopic(topic, indexes)]
        response = self.ask(
            AddPartitionsToTxnRequest([AddPartitionsToTxnTransaction(name, *pair, True, asked)]), version
        )
        return _codes(response.results_by_transaction[0].topic_results)

    def add_offsets(self, pair: tuple[int, int], group: str = "g", version: int = 4, name: str = "t") -> int:
        return self.ask(AddOffsetsToTxnRequest(name, *pair, group), version).error_code

    def end(self, pair: tuple[int, int], *, commit: bool = True, version: int = 5, name: str = "t") -> Any:
        return self.ask(EndTxnRequest(name, *pair, commit), version)

    def describe(self, *names: str) -> Any:
        return self.ask(DescribeTransactionsRequest(list(names) or ["t"]), 0).transaction_states


def pair_of(response: Any) -> tuple[int, int]:
    """Producer id and epoch of a response without error."""
    assert response.error_code == NONE, response
    return response.producer_id, response.producer_epoch


def _codes(topics: Any) -> list[int]:
    return [partition.partition_error_code for topic in topics for partition in topic.results_by_partition]
