"""Transactions on three brokers: what those answer that do not coordinate an id, and all where nobody can."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from compat_tests.api.raw import RawClient, unordered, versions
from compat_tests.api.transaction_cells import LISTS, OWN, all_versions, questions
from compat_tests.api.transactional import TRANSACTIONS, Producer
from compat_tests.chaos import view
from compat_tests.cluster.conftest import Compare
from compat_tests.cluster.party import Party
from compat_tests.cluster.pending_ids import LEADER, OTHERS, named, names
from kafkacompat.broker.coordinator.coordinators import java_hash
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import end_txn, find_coordinator, init_producer_id

ALL_NODES = (*OTHERS, LEADER)
LONGEST_MS = 900_000
LAST_VERSION = 5
"""Of EndTxn."""
STATE_TOPIC, STATE_PARTITIONS = "__transaction_state", 50
SEVERAL_SINCE = 4
"""The version of FindCoordinator."""


def _begun(party: Party, topic: str) -> tuple[Producer, Producer]:
    """A producer with an open transaction, and one of an id that nobody has. LEADER coordinates both."""
    client = party.on(LEADER)
    client.ask_until(init_producer_id, 4, init_producer_id.InitProducerIdRequest(None, LONGEST_MS), errors.NONE)
    taken, free = (Producer(client, name) for name in names(party, 2))
    for it in (taken, free):
        it.topic_id(topic)  # asked for while the broker is there
        unknown = end_txn.EndTxnRequest(it.id, 7_000_000, 2, True)
        client.ask_until(end_txn, LAST_VERSION, unknown, errors.INVALID_PRODUCER_ID_MAPPING)  # it has loaded
    for _ in range(3):  # so that there are epochs before its own
        taken.init(4, ms=LONGEST_MS)
    taken.add(3, (topic, 0))
    free.pair = (7_000_000, 2)
    return taken, free


def _told(
    party: Party, node_id: int, it: Producer, topic: str, group: str, only: Callable[[str], bool] = bool
) -> dict[str, Any]:
    """What a node answers to all questions. only: to those with such names."""
    told = {}
    for each in questions(it, topic, group, all_versions):
        if only(each.name):
            answer = unordered(party.plain(party.on(node_id).ask(each.api, each.version, each.request, OWN)), *LISTS)
            told[f"{each.name} v{each.version}"] = named(named(answer, party.plain(it.id)), party.plain(group), "GROUP")
    return told


@pytest.mark.api(
    "InitProducerId", "AddPartitionsToTxn", "AddOffsetsToTxn", "EndTxn", "TxnOffsetCommit", "DescribeTransactions",
    "ListTransactions", "Produce",
)  # fmt: skip
def test_the_others_are_not_the_coordinator(compare: Compare) -> None:
    """Of an id with an open transaction, and of one that nobody has: that one the coordinator is asked for, too."""

    def script(party: Party) -> Any:
        topic = party.create([[LEADER], [LEADER]])
        group = party.group_of(LEADER)
        taken, free = _begun(party, topic)
        found = {
            f"{what}, node {node}": _told(party, node, it, topic, group)
            for what, it in (("open", taken), ("unknown", free))
            for node in OTHERS
        }
        found["unknown, its coordinator"] = _told(party, LEADER, free, topic, group, _initializes_nothing)
        found["open in the end"] = named(party.plain(taken.row()), party.plain(taken.id))
        return found

    compare(script)


def _initializes_nothing(name: str) -> bool:
    return not name.startswith("init")


@pytest.mark.api("TxnOffsetCommit")
def test_a_group_and_an_id_that_two_brokers_coordinate(compare: Compare) -> None:
    """The group's coordinator asks that of the transaction."""

    def script(party: Party) -> Any:
        topic = party.create([[LEADER], [LEADER]])
        group = party.group_of(OTHERS[0])
        return {
            f"{it.id == taken.id}, node {node}": _told(party, node, it, topic, group, _commits_offsets)
            for taken, free in (_begun(party, topic),)
            for it in (free, taken)
            for node in OTHERS
        }

    compare(script)


def _commits_offsets(name: str) -> bool:
    return name.startswith("commit offsets")


@pytest.mark.full
@pytest.mark.api("FindCoordinator", "InitProducerId", "EndTxn")
def test_ids_whose_partition_nobody_leads(compare: Compare) -> None:
    """Its only replica is stopped: they have no coordinator, whichever node is asked."""

    def script(party: Party) -> Any:
        topic = party.create([[OTHERS[0]], [OTHERS[0]]])
        group = party.group_of(OTHERS[0])
        taken, _ = _begun(party, topic)
        partition = java_hash(taken.id) % STATE_PARTITIONS
        replicas = party.quietly(lambda client: _part(client, partition)).replicas

        def becomes(is_so: Callable[[view.Part], bool], nodes: tuple[int, ...]) -> None:
            party.wait(
                lambda: all(
                    is_so(view.question_to(party.nodes, node, lambda client: _part(client, partition)))
                    for node in nodes
                ),
                f"partition {partition} stays as it is",
            )

        party.reassign(STATE_TOPIC, partition, [LEADER])
        try:
            becomes(lambda part: part.isr == (LEADER,), ALL_NODES)
            party.stop(LEADER)
            becomes(lambda part: part.leader < 0, OTHERS)
            found: dict[str, Any] = {
                f"find v{version}, node {node}": named(
                    party.ask(find_coordinator, version, _asked(taken.id, version), node), party.plain(taken.id)
                )
                for node in OTHERS
                for version in versions(find_coordinator, 1)
            }
            for node in OTHERS:
                found[f"node {node}"] = _told(party, node, taken, topic, group)
        finally:
            party.restore()
            party.reassign(STATE_TOPIC, partition, list(replicas))
            becomes(lambda part: part.replicas == replicas and part.is_well, ALL_NODES)
            party.restore()
        return found

    compare(script)


def _part(client: RawClient, partition: int) -> view.Part:
    return next(part for part in view.parts(client, STATE_TOPIC) if part.number == partition)


def _asked(transactional_id: str, version: int) -> find_coordinator.FindCoordinatorRequest:
    if version >= SEVERAL_SINCE:
        return find_coordinator.FindCoordinatorRequest(key_type=TRANSACTIONS, coordinator_keys=[transactional_id])
    return find_coordinator.FindCoordinatorRequest(transactional_id, TRANSACTIONS)
