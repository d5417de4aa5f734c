"""Each request in each state of a transactional id, reached by either protocol: the same answer, the same row then.

PrepareCommit and PrepareAbort pass in a moment. They stay where a partition refuses the marker because it knows a newer
coordinator: then neither broker sends it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, unordered
from compat_tests.api.transaction_cells import (
    LISTS,
    OWN,
    Choose,
    all_versions,
    changed_versions,
    error_codes,
    questions,
)
from compat_tests.api.transactional import Producer
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import describe_transactions, end_txn, write_txn_markers

TV1, TV2 = 4, 5
"""The versions of EndTxn that stand for the protocols."""
ADDED_BY = {TV1: 3, TV2: 5}
"""The version of AddPartitionsToTxn that goes with each."""
NEWER_COORDINATOR = 1_000
LONGEST_MS = 900_000
"""The longest time-out: nothing is to be aborted while questions are asked."""
READERS = ("describe", "list", "verify 0", "verify 1")


def empty(it: Producer, _topic: str, _protocol: int) -> None:
    it.start()
    for _ in range(2):  # so that there are epochs before its own
        it.init(4, ms=LONGEST_MS)


def ongoing(it: Producer, topic: str, protocol: int) -> None:
    empty(it, topic, protocol)
    it.add(ADDED_BY[protocol], (topic, 0))


def complete(it: Producer, topic: str, protocol: int, *, commit: bool) -> None:
    ongoing(it, topic, protocol)
    it.end(protocol, commit=commit)
    it.settle()


def prepared(it: Producer, topic: str, protocol: int, *, commit: bool) -> None:
    empty(it, topic, protocol)
    of = write_txn_markers.WritableTxnMarkerTopic(topic, [0])
    marker = write_txn_markers.WritableTxnMarker(*it.pair, True, [of], NEWER_COORDINATOR, 0)
    request = write_txn_markers.WriteTxnMarkersRequest([marker])
    answer = it.client.call(write_txn_markers.API_KEY, 2, request)
    assert answer.markers[0].topics[0].partitions[0].error_code == 0, answer
    it.add(ADDED_BY[protocol], (topic, 0))
    it.end(protocol, commit=commit)


STATES: dict[str, Callable[[Producer, str, int], None]] = {
    "Empty": empty,
    "Ongoing": ongoing,
    "PrepareCommit": lambda it, topic, protocol: prepared(it, topic, protocol, commit=True),
    "PrepareAbort": lambda it, topic, protocol: prepared(it, topic, protocol, commit=False),
    "CompleteCommit": lambda it, topic, protocol: complete(it, topic, protocol, commit=True),
    "CompleteAbort": lambda it, topic, protocol: complete(it, topic, protocol, commit=False),
}


def row_of(client: RawClient, transactional_id: str) -> Any:
    request = describe_transactions.DescribeTransactionsRequest([transactional_id])
    return unordered(client.ask(describe_transactions, 0, request, OWN), *LISTS)


class Cells:
    """The answers in one state. An id is used again as long as it was only asked in vain."""

    def __init__(self, client: RawClient, topic: str, state: str, protocol: int) -> None:
        self._client, self._topic, self._state, self._protocol = client, topic, state, protocol
        self._made = 0
        self.it = self._another()

    def _another(self) -> Producer:
        self._made += 1
        it = Producer(self._client, f"{self._topic}-{self._made}")
        STATES[self._state](it, self._topic, self._protocol)
        return it

    def answers(self, group: str, choose: Choose) -> Iterator[tuple[str, Any]]:
        """Each question by name, with its answer and the row that it leaves behind."""
        is_held = self._state.startswith("Prepare")
        for at in range(len(list(questions(self.it, self._topic, group, choose)))):
            question = list(questions(self.it, self._topic, group, choose))[at]
            before = row_of(self._client, self.it.id)
            answer = self._client.ask(question.api, question.version, question.request, OWN)
            if not is_held:
                self.it.settle()
            then = row_of(self._client, self.it.id)
            told = {"answer": unordered(answer, *LISTS), "before": before, "then": then}
            yield f"{question.name} v{question.version}", told
            is_refused = question.name.startswith(READERS) or any(error_codes(answer))
            if before != then or not is_refused:
                self.it = self._another()


@pytest.mark.api(
    "InitProducerId", "AddPartitionsToTxn", "AddOffsetsToTxn", "EndTxn", "Produce", "TxnOffsetCommit",
    "DescribeTransactions", "ListTransactions",
)  # fmt: skip
@pytest.mark.parametrize("choose", [changed_versions, pytest.param(all_versions, marks=pytest.mark.full)])
@pytest.mark.parametrize("protocol", [TV1, TV2], ids=["TV1", "TV2"])
@pytest.mark.parametrize("state", STATES)
def test_a_state(compare: Compare, topic: str, group: str, state: str, protocol: int, choose: Choose) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 2)
        return dict(Cells(client, topic, state, protocol).answers(group, choose))

    told = compare(script)
    held = {each["before"]["transaction_states"][0]["transaction_state"] for each in told.values()}
    assert held == {state}


@pytest.mark.api(
    "AddPartitionsToTxn", "AddOffsetsToTxn", "EndTxn", "Produce", "TxnOffsetCommit", "DescribeTransactions",
    "ListTransactions",
)  # fmt: skip
def test_an_id_that_nobody_has(compare: Compare, topic: str, group: str) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 2)
        it = Producer(client, topic)
        it.find()
        it.pair = (7_000_000, 2)
        unknown = end_txn.EndTxnRequest(it.id, *it.pair, True)
        client.ask_until(end_txn, TV2, unknown, errors.INVALID_PRODUCER_ID_MAPPING)  # the coordinator has loaded
        asked = [each for each in questions(it, topic, group, all_versions) if not each.name.startswith("init")]
        return {
            f"{each.name} v{each.version}": unordered(client.ask(each.api, each.version, each.request, OWN), *LISTS)
            for each in asked
        }

    compare(script)
