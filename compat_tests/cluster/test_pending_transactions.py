"""Each request while the record before it is not committed: two of three brokers are paused, so that nothing is.

Until then the row is between two states, and the answer is CONCURRENT_TRANSACTIONS or what comes before it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from compat_tests.api.transaction_cells import Question
from compat_tests.api.transactional import Producer
from compat_tests.cluster.conftest import Compare
from compat_tests.cluster.party import Party
from compat_tests.cluster.pending_ids import LEADER, OTHERS, answers, names, wait_until_pending
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import (
    add_partitions_to_txn,
    end_txn,
    init_producer_id,
)
from kafkacompat.protocol.primitives import Message

pytestmark = pytest.mark.full  # two brokers of each cluster are paused

TV1, TV2 = 4, 5
"""The versions of EndTxn that stand for the protocols."""
ADDED_BY = {TV1: 3, TV2: 5}
LONGEST_MS = 900_000


class Change:
    """What makes a row pending: the state before, by requests that are answered, and the one that is not."""

    def __init__(self, prepare: Callable[[Producer, str, int], None], request: Callable[..., Question]) -> None:
        self.prepare, self.request = prepare, request


def _nothing(_it: Producer, _topic: str, _protocol: int) -> None:
    """Nobody has the id."""


def _empty(it: Producer, _topic: str, _protocol: int) -> None:
    for _ in range(3):
        it.init(4, ms=LONGEST_MS)


def _ongoing(it: Producer, topic: str, protocol: int) -> None:
    _empty(it, topic, protocol)
    it.add(ADDED_BY[protocol], (topic, 0))


def _complete(it: Producer, topic: str, protocol: int) -> None:
    _ongoing(it, topic, protocol)
    it.end(protocol, commit=True)
    it.settle()


def _init(it: Producer, _topic: str, _protocol: int) -> Question:
    return Question("", init_producer_id, 4, init_producer_id.InitProducerIdRequest(it.id, LONGEST_MS))


def _add(index: int) -> Callable[[Producer, str, int], Question]:
    def request(it: Producer, topic: str, protocol: int) -> Question:
        asked = [add_partitions_to_txn.AddPartitionsToTxnTopic(topic, [index])]
        wanted: Message
        if protocol == TV1:
            wanted = add_partitions_to_txn.AddPartitionsToTxnRequest((), it.id, *it.pair, asked)
        else:
            transaction = add_partitions_to_txn.AddPartitionsToTxnTransaction(it.id, *it.pair, False, asked)
            wanted = add_partitions_to_txn.AddPartitionsToTxnRequest([transaction])
        return Question("", add_partitions_to_txn, ADDED_BY[protocol], wanted)

    return request


def _end(*, commit: bool) -> Callable[[Producer, str, int], Question]:
    def request(it: Producer, _topic: str, protocol: int) -> Question:
        return Question("", end_txn, protocol, end_txn.EndTxnRequest(it.id, *it.pair, commit))

    return request


CHANGES = {
    "a new id": Change(_nothing, _init),
    "Empty to Empty": Change(_empty, _init),
    "Empty to Ongoing": Change(_empty, _add(0)),
    "Ongoing to Ongoing": Change(_ongoing, _add(1)),
    "Ongoing to PrepareCommit": Change(_ongoing, _end(commit=True)),
    "Ongoing to PrepareAbort": Change(_ongoing, _end(commit=False)),
    "Ongoing, fenced": Change(_ongoing, _init),
    "CompleteCommit to Empty": Change(_complete, _init),
    "CompleteCommit to Ongoing": Change(_complete, _add(0)),
}


@pytest.mark.api("InitProducerId", "AddPartitionsToTxn", "AddOffsetsToTxn", "EndTxn", "Produce", "TxnOffsetCommit")
@pytest.mark.parametrize("protocol", [TV2, TV1], ids=["TV2", "TV1"])
def test_what_is_not_committed(compare: Compare, protocol: int) -> None:
    def script(party: Party) -> dict[str, Any]:
        topic = party.create([[LEADER], [LEADER]])
        group = party.group_of(LEADER)
        ids = names(party, len(CHANGES))
        client = party.on(LEADER)
        client.ask_until(init_producer_id, 4, init_producer_id.InitProducerIdRequest(None, LONGEST_MS), errors.NONE)
        producers = {}
        for name, (what, change) in zip(ids, CHANGES.items(), strict=True):
            producers[what] = it = Producer(client, name)
            unknown = end_txn.EndTxnRequest(name, 1, 0, True)
            client.ask_until(end_txn, TV2, unknown, errors.INVALID_PRODUCER_ID_MAPPING)  # its partition is loaded
            if change.prepare is not _nothing:
                it.find()
                change.prepare(it, topic, protocol)
        told = {}
        try:
            for node_id in OTHERS:
                party.nodes.pause(node_id)
            for what, it in producers.items():
                asked = CHANGES[what].request(it, topic, protocol)
                with client.another() as waiting:
                    waiting.start(asked.api, asked.version, asked.request)
                    wait_until_pending(client, it)
                    told[what] = dict(answers(party, it, topic, group))
        finally:
            party.restore()
        return told

    compare(script)
