"""The verification of transactions: whether their coordinator knows that they are open (Kafka's
AddPartitionsToTxnManager, KIP-890).

Before the first batch of a transaction enters a log, its coordinator is asked whether the partition belongs to the
transaction, or to add it. The coordinator's broker gets the questions of all transactional ids that wait, in one
request at a time, as AddPartitionsToTxn v5; if that is this broker, its handler is called.
"""

from itertools import islice

from kafkacompat.broker.coordinator.coordinators import TRANSACTION
from kafkacompat.broker.network import TRANSACTIONS
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.api_keys import ADD_PARTITIONS_TO_TXN
from kafkacompat.protocol.constants import NO_NODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    from kafkacompat.broker import services
    from kafkacompat.broker.control.controller_channel import LocalCall
    from kafkacompat.broker.coordinator.coordinators import Coordinators
    from kafkacompat.broker.network import Address
    from kafkacompat.now import Now
    from kafkacompat.protocol.messages.add_partitions_to_txn import (
        AddPartitionsToTxnRequest,
        AddPartitionsToTxnResponse,
        AddPartitionsToTxnResult,
    )

    PartitionKey = tuple[str, int]
    Done = Callable[[dict[PartitionKey, int], Now], None]

    class Node(services.Identity, services.Metadata, services.Waiting, services.ControllerCalls, Protocol):
        """What this uses of its node."""

        @property
        def coordinators(self) -> Coordinators: ...
        def address_of(self, broker_id: int, /) -> Address | None: ...


VERSION = 5
"""Of the requests between brokers: an answer may be TRANSACTION_ABORTABLE from this version on."""
MAX_TRANSACTIONS = 500
"""Transactions in one request; others wait for the next."""


class _Question:
    """One transaction's partitions, and who is told of the answer."""

    __slots__ = ("adds", "done", "partitions", "producer_epoch", "producer_id", "transactional_id")

    def __init__(
        self,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        partitions: "Sequence[PartitionKey]",
        done: "Done",
        *,
        adds: bool,
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.partitions = partitions
        self.adds = adds
        self.done = done

    def fail(self, error_code: int, now: "Now") -> None:
        """Answer all partitions with one error."""
        self.done(dict.fromkeys(self.partitions, error_code), now)


class TransactionVerifier:
    """Asks the coordinators of transactions; `call_here` calls a handler of this broker. Bounded by the requests of
    clients in flight: each has one question.
    """

    def __init__(self, node: "Node", call_here: "LocalCall") -> None:
        self._node = node
        self._call_here = call_here
        self._waiting: dict[int, dict[str, _Question]] = {}  # by broker, then by transactional id
        self._in_flight: dict[int, list[_Question]] = {}  # by broker
        self.answer_count = 0
        """Questions that are answered, be it with errors."""
        self.failure_count = 0
        """Partitions that were answered with an error."""

    def verify(
        self,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        partitions: "Sequence[PartitionKey]",
        *,
        adds: bool,
        now: "Now",
        done: "Done",
    ) -> None:
        """Ask whether the partitions belong to the producer's open transaction; with `adds` (transaction version 2)
        they are added to it. `done(errors, now)` is called once, during this call or later, with an error code for each
        partition: those of Kafka's coordinator, but INVALID_PRODUCER_EPOCH in place of PRODUCER_FENCED;
        NETWORK_EXCEPTION if no answer came. Old clients do not know TRANSACTION_ABORTABLE: the caller translates it.

        A transactional id has one question that waits: a later one with the same epoch fails the earlier one with
        NETWORK_EXCEPTION, as its client tries again, and one with a higher epoch fences it.
        """

        def counted(codes: "dict[PartitionKey, int]", at: "Now") -> None:
            self.answer_count += 1
            self.failure_count += sum(code != errors.NONE for code in codes.values())
            done(codes, at)

        question = _Question(transactional_id, producer_id, producer_epoch, partitions, counted, adds=adds)
        broker_id = self._coordinator_of(transactional_id)
        if broker_id == NO_NODE:
            question.fail(errors.COORDINATOR_NOT_AVAILABLE, now)
            return
        waiting = self._waiting.setdefault(broker_id, {})
        earlier = waiting.get(transactional_id)
        if earlier is not None:
            if earlier.producer_epoch > producer_epoch:
                question.fail(errors.INVALID_PRODUCER_EPOCH, now)
                return
            del waiting[transactional_id]
        waiting[transactional_id] = question
        if earlier is not None:
            is_fenced = earlier.producer_epoch < producer_epoch
            earlier.fail(errors.INVALID_PRODUCER_EPOCH if is_fenced else errors.NETWORK_EXCEPTION, now)
        self._send(broker_id, now)

    def _coordinator_of(self, transactional_id: str) -> int:
        """The live broker that leads the id's partition of the transaction log; −1 without one."""
        node = self._node
        image = node.image
        if TRANSACTION.topic not in image.topics:
            return NO_NODE
        partition = image.partition(TRANSACTION.topic, node.coordinators.partition_for(TRANSACTION, transactional_id))
        broker = None if partition is None else image.brokers.get(partition.leader)
        return NO_NODE if broker is None or broker.fenced else broker.id

    def _send(self, broker_id: int, now: "Now") -> None:
        """Send what waits for a broker, unless a request to it is in flight."""
        node, waiting = self._node, self._waiting.get(broker_id)
        if broker_id in self._in_flight or not waiting:
            return
        questions = list(islice(waiting.values(), MAX_TRANSACTIONS))
        for question in questions:
            del waiting[question.transactional_id]
        if not waiting:
            del self._waiting[broker_id]
        self._in_flight[broker_id] = questions
        request, timeout_ms = _request(questions), node.request_timeout_ms

        def answered(response: object | None, at: "Now") -> None:
            self._answered(broker_id, questions, response, at)

        if broker_id == node.node_id:
            self._call_here(ADD_PARTITIONS_TO_TXN, VERSION, request, now, answered)
            if self._in_flight.get(broker_id) is questions:  # its records wait for followers
                node.timers.set((self, broker_id), now.monotonic_ms + timeout_ms, lambda at: answered(None, at))
            return
        address = node.address_of(broker_id)
        if address is None or node.network is None:
            answered(None, now)
            return
        node.network.send(
            address, TRANSACTIONS, str(node.node_id), ADD_PARTITIONS_TO_TXN, VERSION, request, timeout_ms, answered
        )

    def _answered(self, broker_id: int, questions: list[_Question], response: object | None, now: "Now") -> None:
        if self._in_flight.get(broker_id) is not questions:
            return  # it came after the time-out
        del self._in_flight[broker_id]
        self._node.timers.cancel((self, broker_id))
        answers: AddPartitionsToTxnResponse | None = response  # type: ignore[assignment] # of the API that was sent
        found: dict[str, AddPartitionsToTxnResult] = {}
        failure = errors.NETWORK_EXCEPTION
        if answers is not None:
            failure = _failure(answers.error_code)
            found = {each.transactional_id: each for each in answers.results_by_transaction}
        for question in questions:
            result = None if answers is None or answers.error_code else found.get(question.transactional_id)
            if result is None:
                question.fail(failure, now)
            else:
                question.done(_codes(question, result), now)
        self._send(broker_id, now)


def _request(questions: list[_Question]) -> "AddPartitionsToTxnRequest":
    from kafkacompat.protocol.messages.add_partitions_to_txn import (
        AddPartitionsToTxnRequest,
        AddPartitionsToTxnTopic,
        AddPartitionsToTxnTransaction,
    )

    transactions = []
    for question in questions:
        topics: dict[str, list[int]] = {}
        for name, index in question.partitions:
            topics.setdefault(name, []).append(index)
        transactions.append(
            AddPartitionsToTxnTransaction(
                question.transactional_id, question.producer_id, question.producer_epoch, not question.adds,
                [AddPartitionsToTxnTopic(name, indexes) for name, indexes in topics.items()],
            )
        )  # fmt: skip
    return AddPartitionsToTxnRequest(transactions=transactions)


def _failure(error_code: int) -> int:
    """What clients are told of an error of the whole request."""
    if error_code == errors.CLUSTER_AUTHORIZATION_FAILED:
        return errors.INVALID_TXN_STATE
    return error_code or errors.UNKNOWN_SERVER_ERROR  # an answer that lacks a transaction


def _codes(question: _Question, result: "AddPartitionsToTxnResult") -> "dict[PartitionKey, int]":
    """The error code of each partition; UNKNOWN_SERVER_ERROR for one that the answer lacks."""
    codes: dict[PartitionKey, int] = dict.fromkeys(question.partitions, errors.UNKNOWN_SERVER_ERROR)
    for topic in result.topic_results:
        for partition in topic.results_by_partition:
            code = partition.partition_error_code
            fenced = code == errors.PRODUCER_FENCED
            codes[topic.name, partition.partition_index] = errors.INVALID_PRODUCER_EPOCH if fenced else code
    return codes
