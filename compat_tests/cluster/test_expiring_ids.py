"""Each request about an id while it expires: two of three brokers are paused, so that its tombstone is not committed.

Kafka's coordinator keeps the row as it was until then, with Dead as its pending state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from compat_tests.api.transactional import Producer
from compat_tests.chaos import view
from compat_tests.chaos.nodes import KINDS, Nodes
from compat_tests.cluster.conftest import READY_TIMEOUT_S, SETTINGS, Compare
from compat_tests.cluster.party import Party
from compat_tests.cluster.pending_ids import LEADER, OTHERS, answers, names, wait_until_pending
from compat_tests.report.collector import RECORDER
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import describe_transactions, end_txn, init_producer_id

pytestmark = pytest.mark.full  # clusters of its own, of which two brokers are paused

EXPIRES_MS = 10_000
"""Long enough to pause the others before."""
EXPIRING = {
    "transactional.id.expiration.ms": str(EXPIRES_MS),
    "transaction.remove.expired.transaction.cleanup.interval.ms": "500",
}
TV1, TV2 = 4, 5
"""The versions of EndTxn that stand for the protocols."""
ADDED_BY = {TV1: 3, TV2: 5}


@pytest.fixture
def shared_broker(request: pytest.FixtureRequest) -> Iterator[Callable[[str], Nodes]]:
    """A cluster of each kind whose ids expire within seconds."""
    recorder = request.config.stash[RECORDER]
    made: dict[str, Nodes] = {}

    def running(kind: str) -> Nodes:
        if kind not in KINDS:
            pytest.skip(f"{kind} is no cluster whose brokers may be paused")
        if kind not in made:
            made[kind] = KINDS[kind](
                3, config={**SETTINGS, **EXPIRING}, stand_in=lambda port: recorder.listen("127.0.0.1", port)
            )
            made[kind].start()
            view.create(made[kind], "is-ready", 1, 3)
            view.wait(lambda: view.is_well(made[kind]), READY_TIMEOUT_S)
            recorder.take()
        return made[kind]

    yield running
    for nodes in made.values():
        nodes.close()


def _empty(it: Producer, _topic: str, _protocol: int) -> None:
    for _ in range(3):
        it.init(4)


def _ended(*, commit: bool) -> Callable[[Producer, str, int], None]:
    def prepare(it: Producer, topic: str, protocol: int) -> None:
        _empty(it, topic, protocol)
        it.add(ADDED_BY[protocol], (topic, 0))
        it.end(protocol, commit=commit)
        it.settle()

    return prepare


STATES = {
    "Empty": (_empty, TV2),
    "CompleteCommit, TV1": (_ended(commit=True), TV1),
    "CompleteCommit, TV2": (_ended(commit=True), TV2),
    "CompleteAbort, TV2": (_ended(commit=False), TV2),
}


def _is_gone(party: Party, it: Producer) -> bool:
    request = describe_transactions.DescribeTransactionsRequest([it.id])
    answer = party.on(LEADER).call(describe_transactions.API_KEY, 0, request).transaction_states[0]
    return bool(answer.error_code == errors.TRANSACTIONAL_ID_NOT_FOUND)


@pytest.mark.api("InitProducerId", "AddPartitionsToTxn", "EndTxn", "DescribeTransactions", "ListTransactions")
def test_an_id_whose_tombstone_is_not_committed(compare: Compare) -> None:
    def script(party: Party) -> dict[str, Any]:
        topic = party.create([[LEADER], [LEADER]])
        group = party.group_of(LEADER)
        ids = names(party, len(STATES))
        client = party.on(LEADER)
        client.ask_until(init_producer_id, 4, init_producer_id.InitProducerIdRequest(None, 60_000), errors.NONE)
        producers = {what: Producer(client, name) for name, what in zip(ids, STATES, strict=True)}
        for it in producers.values():
            unknown = end_txn.EndTxnRequest(it.id, 1, 0, True)
            client.ask_until(end_txn, TV2, unknown, errors.INVALID_PRODUCER_ID_MAPPING)  # its partition is loaded
            it.find()
        told = {}
        for what, it in producers.items():
            prepare, protocol = STATES[what]
            prepare(it, topic, protocol)
        try:
            for node_id in OTHERS:
                party.nodes.pause(node_id)
            for what, it in producers.items():
                wait_until_pending(client, it)
                told[what] = dict(answers(party, it, topic, group))
        finally:
            party.restore()
        for it in producers.values():
            party.wait(lambda it=it: _is_gone(party, it), f"{it.id} does not expire")  # type: ignore[misc]
        return told

    compare(script)
