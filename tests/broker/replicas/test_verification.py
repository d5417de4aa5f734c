"""Questions to the coordinators of transactions: who is asked, what waits, and what the answer means."""

from types import SimpleNamespace

import pytest

from kafkacompat.broker.coordinator.coordinators import TRANSACTION
from kafkacompat.broker.network import TRANSACTIONS, Address
from kafkacompat.broker.replicas.verification import MAX_TRANSACTIONS, VERSION, TransactionVerifier
from kafkacompat.broker.timers import Timers
from kafkacompat.now import Now
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.api_keys import ADD_PARTITIONS_TO_TXN
from kafkacompat.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult,
    AddPartitionsToTxnTopicResult,
)

HERE, THERE, FENCED = 1, 2, 3
START = Now(1_000, 1_000)
A, B = ("a", 0), ("b", 3)


class World:
    """A node, and the requests that it has sent: id "here" is coordinated by itself, "there" by broker 2."""

    def __init__(self):
        self.node_id = HERE
        self.request_timeout_ms = 30_000
        self.timers = Timers()
        self.now = START
        self.here, self.sent, self.answers = [], [], []
        leaders = [HERE, THERE, FENCED, -1]
        self.image = SimpleNamespace(
            topics={TRANSACTION.topic: None},
            partition=lambda _topic, index: SimpleNamespace(leader=leaders[index]),
            brokers={n: SimpleNamespace(id=n, fenced=n == FENCED) for n in (HERE, THERE, FENCED)},
        )
        places = {"here": 0, "there": 1, "fenced": 2, "nowhere": 3}
        self.coordinators = SimpleNamespace(partition_for=lambda _row, key: places.get(key.partition("-")[0], 1))
        self.network = self
        self.verifier = TransactionVerifier(self, self._call_here)

    def address_of(self, broker_id):
        return Address("broker", broker_id)

    def _call_here(self, api_key, version, request, _now, done):
        assert (api_key, version) == (ADD_PARTITIONS_TO_TXN, VERSION)
        self.here.append((request, done))

    def send(self, to, channel, client_id, api_key, version, request, timeout_ms, done):
        assert (to.port, channel, client_id, timeout_ms) == (THERE, TRANSACTIONS, "1", 30_000)
        assert (api_key, version) == (ADD_PARTITIONS_TO_TXN, VERSION)
        self.sent.append((request, done))

    def verify(self, transactional_id, epoch=0, partitions=(A, B), *, adds=True):
        self.verifier.verify(
            transactional_id, 7, epoch, partitions, adds=adds, now=self.now,
            done=lambda codes, _now: self.answers.append((transactional_id, epoch, codes)),
        )  # fmt: skip

    def asked(self, requests):
        """(id, epoch, verify only, topics) of each transaction in the newest request."""
        return [
            (
                each.transactional_id,
                each.producer_epoch,
                each.verify_only,
                [(t.name, *t.partitions) for t in each.topics],
            )
            for each in requests[-1][0].transactions
        ]

    def answer(self, requests, results, error_code=0):
        """Answer the oldest request: codes by id, then by partition."""
        _, done = requests.pop(0)
        done(
            AddPartitionsToTxnResponse(
                error_code=error_code,
                results_by_transaction=[
                    AddPartitionsToTxnResult(
                        transactional_id,
                        [
                            AddPartitionsToTxnTopicResult(name, [AddPartitionsToTxnPartitionResult(index, code)])
                            for (name, index), code in codes.items()
                        ],
                    )
                    for transactional_id, codes in results.items()
                ],
            ),
            self.now,
        )


@pytest.fixture
def world():
    return World()


def test_the_coordinators_broker_is_asked_by_wire_or_directly(world):
    world.verify("there")
    assert world.asked(world.sent) == [("there", 0, False, [("a", 0), ("b", 3)])]
    world.verify("here", adds=False)
    assert world.asked(world.here) == [("here", 0, True, [("a", 0), ("b", 3)])]
    world.answer(world.sent, {"there": {A: errors.NONE, B: errors.PRODUCER_FENCED}})
    world.answer(world.here, {"here": {A: errors.TRANSACTION_ABORTABLE, B: errors.NONE}})
    assert world.answers == [
        ("there", 0, {A: errors.NONE, B: errors.INVALID_PRODUCER_EPOCH}),
        ("here", 0, {A: errors.TRANSACTION_ABORTABLE, B: errors.NONE}),
    ]
    assert not len(world.timers)


@pytest.mark.parametrize("transactional_id", ["fenced", "nowhere"])
def test_without_a_live_coordinator_none_is_asked(world, transactional_id):
    world.verify(transactional_id)
    assert world.answers == [(transactional_id, 0, dict.fromkeys((A, B), errors.COORDINATOR_NOT_AVAILABLE))]
    world.image.topics.clear()
    world.verify("here")
    assert world.answers[1][2] == dict.fromkeys((A, B), errors.COORDINATOR_NOT_AVAILABLE)


def test_one_request_a_broker_is_in_flight_and_the_next_takes_all_that_wait(world):
    for n in range(3):
        world.verify(f"there-{n}", partitions=[A])
    assert world.asked(world.sent) == [("there-0", 0, False, [("a", 0)])]
    world.answer(world.sent, {"there-0": {A: errors.NONE}})
    assert [each[0] for each in world.asked(world.sent)] == ["there-1", "there-2"]
    for n in range(MAX_TRANSACTIONS + 1):
        world.verify(f"there-x{n}", partitions=[A])
    world.answer(world.sent, {f"there-{n}": {A: errors.NONE} for n in (1, 2)})
    assert len(world.asked(world.sent)) == MAX_TRANSACTIONS
    world.answer(world.sent, {})
    assert [each[0] for each in world.asked(world.sent)] == [f"there-x{MAX_TRANSACTIONS}"]
    assert [codes[A] for _, _, codes in world.answers[3:]] == [errors.UNKNOWN_SERVER_ERROR] * MAX_TRANSACTIONS


def test_an_id_has_one_question_that_waits(world):
    world.verify("there-0")  # in flight: no later question concerns it
    world.verify("there-1", epoch=4)
    world.verify("there-1", epoch=4, partitions=[A])
    world.verify("there-1", epoch=3)
    world.verify("there-1", epoch=5, partitions=[B])
    assert world.answers == [
        ("there-1", 4, dict.fromkeys((A, B), errors.NETWORK_EXCEPTION)),
        ("there-1", 3, dict.fromkeys((A, B), errors.INVALID_PRODUCER_EPOCH)),
        ("there-1", 4, {A: errors.INVALID_PRODUCER_EPOCH}),
    ]
    world.answer(world.sent, {"there-0": {A: 0, B: 0}})
    assert world.asked(world.sent) == [("there-1", 5, False, [("b", 3)])]


def test_no_answer_is_a_network_exception(world):
    world.verify("there")
    world.sent.pop()[1](None, world.now)
    world.verify("here", partitions=[A])
    (_, late), world.now = world.here.pop(), Now(START.monotonic_ms + 30_000, 0)
    world.timers.run(world.now)
    late(AddPartitionsToTxnResponse(), world.now)
    codes = dict.fromkeys((A, B), errors.NETWORK_EXCEPTION)
    assert [each[2] for each in world.answers] == [codes, {A: errors.NETWORK_EXCEPTION}]
    world.address_of = lambda _broker_id: None
    world.verify("there")
    assert world.answers[2][2] == codes


@pytest.mark.parametrize(
    ("whole", "told"),
    [
        (errors.CLUSTER_AUTHORIZATION_FAILED, errors.INVALID_TXN_STATE),
        (errors.UNSUPPORTED_VERSION, errors.UNSUPPORTED_VERSION),
    ],
)
def test_an_error_of_the_whole_request(world, whole, told):
    world.verify("there", partitions=[A])
    world.answer(world.sent, {}, whole)
    assert world.answers == [("there", 0, {A: told})]
