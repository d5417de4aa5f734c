"""The last epochs of a producer id, 32764 to 32767, at each step of a transaction, under both protocols.

Compared are the answers, the row after each, the records in `__transaction_state`, and the markers in the topic.
Producer ids are told by the order in which they come up.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.conftest import Compare
from compat_tests.api.last_epochs.conftest import (
    COMPLETE_ABORT,
    COMPLETE_COMMIT,
    EMPTY,
    EPOCHS,
    LONG_MS,
    ONGOING,
    PRODUCER_IDS,
    SHORT_MS,
    STATE_TOPIC,
    STATES,
    Seeded,
    finalize,
)
from compat_tests.api.raw import TIMEOUT_S, RawClient, facts, unordered
from compat_tests.api.transaction_cells import OWN, produce_request
from compat_tests.api.transactional import Producer
from kafkacompat.protocol.internal import transaction_state
from kafkacompat.protocol.messages import describe_transactions, end_txn, init_producer_id, produce
from kafkacompat.protocol.records.batch import read_header, split
from kafkacompat.protocol.records.reader import read_records

TV1, TV2 = 4, 5
"""The versions of EndTxn that stand for the protocols."""
LAST_GIVEN, LAST_OF_ALL = 32_766, 32_767
"""The last epoch that a client is given, and the one of the coordinator's own marker."""
PRODUCE_VERSION = {TV1: 11, TV2: 12}
ROUNDS = 4
SERVERS = {
    "TV2": (2, TV2), "TV1-on-2": (2, TV1), "TV1-on-1": (1, TV1), "TV1-on-0": (0, TV1), "TV2-on-1": (1, TV2),
}  # fmt: skip
"""transaction.version of the brokers, and the protocol of the client."""
EVERY_DAY = {*product(["TV2"], EPOCHS), ("TV1-on-2", LAST_GIVEN)}
CASES = [
    pytest.param(*SERVERS[name], epoch, id=f"{name}-{epoch}", marks=() if case in EVERY_DAY else pytest.mark.full)
    for case in product(SERVERS, EPOCHS)
    for name, epoch in (case,)
]
NEVER_MIND = ("transaction_last_update_timestamp_ms", "transaction_start_timestamp_ms")


class Story:
    """What one transactional id goes through; `told` is all that the broker answered."""

    def __init__(self, client: RawClient, seeded: Seeded, topic: str, protocol: int) -> None:
        self._client, self._topic, self._protocol = client, topic, protocol
        self._ids: dict[int, str] = {-1: "none"}
        self._sequences: dict[tuple[int, int], int] = {}
        self.it = Producer(client, seeded.name)
        self.it.find()
        self.it.pair = PRODUCER_IDS[seeded.name], seeded.epoch
        self.told: list[Any] = []
        self._row("at first")

    def _tell(self, what: str, answer: Any) -> Any:
        self.told.append({what: self._named(unordered(answer, "topics", "partitions", "partition_responses"))})
        self._row(what)
        return answer

    def _row(self, what: str) -> None:
        self.it.settle()
        request = describe_transactions.DescribeTransactionsRequest([self.it.id])
        answer = self._client.ask(describe_transactions, 0, request, ["transaction_start_time_ms"])
        self.told.append({f"row, {what}": self._named(unordered(answer, "topics", "partitions"))})

    def _named(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {
                name: self._name(item) if name.endswith("producer_id") else self._named(item)
                for name, item in value.items()
            }
        return [self._named(item) for item in value] if isinstance(value, list) else value

    def _name(self, producer_id: int) -> str:
        return self._ids.setdefault(producer_id, f"id {len(self._ids)}")

    def init(self, pair: tuple[int, int] = (-1, -1)) -> None:
        request = init_producer_id.InitProducerIdRequest(self.it.id, LONG_MS, *pair)
        answer = self._client.call(init_producer_id.API_KEY, 5, request)
        if answer.error_code == 0:
            self.it.pair = answer.producer_id, answer.producer_epoch
        self._tell("init" if pair[0] < 0 else "init of a pair", facts(answer))

    def add(self, pair: tuple[int, int] | None = None) -> None:
        self._tell("add", self.it.add(3, (self._topic, 0), pair=pair))

    def write(self, pair: tuple[int, int] | None = None) -> None:
        """Produce one record, which with TV2 adds the partition."""
        pair = pair or self.it.pair
        sequence = self._sequences.get(pair, 0)
        request = produce_request(self.it.id, pair, self._topic, 0, sequence)
        answer = self._client.ask(produce, PRODUCE_VERSION[self._protocol], request, OWN)
        if answer["responses"][0]["partition_responses"][0]["error_code"] == 0:
            self._sequences[pair] = sequence + 1
        self._tell("write", answer)

    def begin(self) -> None:
        if self._protocol == TV1:
            self.add()
        self.write()

    def end(self, *, commit: bool, pair: tuple[int, int] | None = None) -> None:
        request = end_txn.EndTxnRequest(self.it.id, *(pair or self.it.pair), commit)
        answer = self._client.call(end_txn.API_KEY, self._protocol, request)
        if answer.error_code == 0 and self._protocol == TV2:
            self.it.pair = answer.producer_id, answer.producer_epoch
        self._tell("commit" if commit else "abort", facts(answer))

    def wait_for_the_time_out(self) -> None:
        deadline = time.monotonic() + TIMEOUT_S
        while self.it.state.transaction_state == "Ongoing":
            assert time.monotonic() < deadline
            time.sleep(0.05)
        self._row("timed out")

    def close(self) -> list[Any]:
        """All that was told, and what the logs have."""
        return [*self.told, self._named(list(self._rows())), self._named(list(self._batches()))]

    def _rows(self) -> Any:
        data = topics.stored(self._client, STATE_TOPIC)
        for at, header in split(data):
            for record in read_records(data, at, header):
                kind, key = transaction_state.decode_key(record.key or b"")
                if getattr(key, "transactional_id", None) == self.it.id and record.value is not None:
                    yield facts(transaction_state.decode_value(kind, record.value), NEVER_MIND)

    def _batches(self) -> Any:
        data = topics.stored(self._client, self._topic)
        for at, _ in split(data):
            header = read_header(data, at)
            keys = [bytes(record.key or b"") for record in read_records(data, at, header)]
            yield {
                "producer_id": header.producer_id, "epoch": header.producer_epoch, "sequence": header.base_sequence,
                "is_control": header.is_control, "keys": keys if header.is_control else len(keys),
            }  # fmt: skip


def other_instances(story: Story) -> None:
    """One instance after the other, none of which begins anything."""
    for _ in range(ROUNDS):
        story.init()


def same_instance(story: Story) -> None:
    """One instance that asks for the next epoch again and again (KIP-360), each time twice."""
    for _ in range(ROUNDS):
        pair = story.it.pair
        story.init(pair)
        story.init(pair)


def names_another(story: Story) -> None:
    """Epochs that are not its own."""
    producer_id, epoch = story.it.pair
    for named in (epoch - 1, min(32_767, epoch + 1), 3):
        story.init((producer_id, named))
    story.init((producer_id + 1_000_000, epoch))


def commits(story: Story) -> None:
    for _ in range(ROUNDS):
        pair = story.it.pair
        story.begin()
        story.end(commit=True)
        story.end(commit=True, pair=pair)
        story.write(pair)


def aborts(story: Story) -> None:
    for _ in range(ROUNDS):
        pair = story.it.pair
        story.begin()
        story.end(commit=False)
        story.end(commit=False, pair=pair)


def aborts_nothing(story: Story) -> None:
    for _ in range(ROUNDS):
        story.end(commit=False)
    story.end(commit=True)


def times_out(story: Story) -> None:
    """The coordinator aborts; then the producer goes on, and at last another one comes."""
    pair = story.it.pair
    story.begin()
    story.wait_for_the_time_out()
    story.write(pair)
    story.add(pair)
    story.end(commit=True, pair=pair)
    story.end(commit=False, pair=pair)
    story.begin()
    story.wait_for_the_time_out()
    story.init(story.it.pair)
    story.init()
    story.begin()
    story.end(commit=True)


def goes_on(story: Story) -> None:
    """A transaction that was open before the restart."""
    pair = story.it.pair
    story.write()
    story.end(commit=True)
    story.begin()
    story.end(commit=False)
    story.init(pair)


def is_fenced(story: Story) -> None:
    """Another instance comes while a transaction is open; the first one goes on, in vain."""
    story.begin()
    pair = story.it.pair
    story.init()
    story.init()
    story.write(pair)
    story.add(pair)
    story.end(commit=True, pair=pair)
    story.init(pair)
    story.begin()
    story.end(commit=True)


Tale = Callable[[Story], None]
STATE_NAMES = {EMPTY: "Empty", ONGOING: "Ongoing", COMPLETE_COMMIT: "CompleteCommit", COMPLETE_ABORT: "CompleteAbort"}
OF_INSTANCES: list[tuple[Tale, int, int]] = [
    (tale, state, LONG_MS) for tale in (other_instances, same_instance, names_another) for state in STATES
]
OF_TRANSACTIONS: list[tuple[Tale, int, int]] = [
    (commits, EMPTY, LONG_MS), (commits, COMPLETE_ABORT, LONG_MS), (aborts, COMPLETE_COMMIT, LONG_MS),
    (aborts_nothing, EMPTY, LONG_MS), (aborts_nothing, COMPLETE_COMMIT, LONG_MS), (times_out, EMPTY, SHORT_MS),
    (times_out, COMPLETE_COMMIT, SHORT_MS), (is_fenced, EMPTY, LONG_MS), (is_fenced, COMPLETE_ABORT, LONG_MS),
    (goes_on, ONGOING, LONG_MS),
]  # fmt: skip
"""Tales with the state and the time-out that they begin with."""
FAILS_IN_KAFKA = (commits, goes_on)
"""With protocol 2 and epoch 32767, which no client is given, Apache Kafka answers a commit UNKNOWN_SERVER_ERROR and
leaves the transaction open. This broker ends it and gives the client another producer id. With transaction.version 1 a
time-out leaves the epoch as it is, so that the producer may commit afterwards: `times_out` is left out there, too."""


@pytest.mark.api("InitProducerId", "DescribeTransactions")
@pytest.mark.parametrize(
    "tales",
    [
        pytest.param(OF_INSTANCES, id="instances"),
        pytest.param(
            OF_TRANSACTIONS, id="transactions", marks=pytest.mark.api("EndTxn", "AddPartitionsToTxn", "Produce")
        ),
    ],
)
@pytest.mark.parametrize(("server", "protocol", "epoch"), CASES)
def test_tales(
    compare: Compare, topic: str, server: int, protocol: int, epoch: int, tales: list[tuple[Tale, int, int]]
) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        finalize(client, server)
        told = {}
        before = [*OF_INSTANCES, *OF_TRANSACTIONS] * server + (OF_INSTANCES if tales is OF_TRANSACTIONS else [])
        for at, (tale, state, timeout_ms) in enumerate(tales):
            fails_in_kafka = FAILS_IN_KAFKA if server == 2 else (*FAILS_IN_KAFKA, times_out)
            if protocol == TV2 and epoch == LAST_OF_ALL and tale in fails_in_kafka:
                continue
            name = f"{tale.__name__} from {STATE_NAMES[state]}"
            topics.create(client, f"{topic}-{at}")
            of = Seeded(state, epoch, 2 if protocol == TV2 else 0, timeout_ms, len(before) + at)
            story = Story(client, of, f"{topic}-{at}", protocol)
            tale(story)
            told[name] = story.close()
        return told

    compare(script)
