"""Transactional ids whose newest record is not committed: the brokers that do not coordinate them are paused."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from compat_tests.api.raw import TIMEOUT_S, RawClient, unordered
from compat_tests.api.transaction_cells import LISTS, OWN, changed_versions, questions
from compat_tests.api.transactional import TRANSACTIONS, Producer
from compat_tests.cluster.party import Party
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import end_txn, find_coordinator

LEADER, OTHERS = 3, (1, 2)
LAST_VERSION = 5
"""Of EndTxn."""
TRIED = 100
"""So many names are tried until there are enough whose coordinator is LEADER."""


def names(party: Party, count: int) -> list[str]:
    """Transactional ids that LEADER coordinates."""
    request = find_coordinator.FindCoordinatorRequest("any", TRANSACTIONS)
    party.wait(
        lambda: party.quietly(lambda client: client.call(find_coordinator.API_KEY, 2, request)).error_code == 0,
        "nobody coordinates transactions",
    )
    keys = [f"{party.topic}-{n}" for n in range(TRIED)]
    wanted = find_coordinator.FindCoordinatorRequest(key_type=TRANSACTIONS, coordinator_keys=keys)
    answer = party.quietly(lambda client: client.call(find_coordinator.API_KEY, 4, wanted))
    return [each.key for each in answer.coordinators if each.node_id == LEADER][:count]


def named(value: Any, name: str, called: str = "ID") -> Any:
    """Facts in which a name that was found by trying is called the same on both sides."""
    if isinstance(value, dict):
        return {key: named(item, name, called) for key, item in value.items()}
    if isinstance(value, list):
        return [named(item, name, called) for item in value]
    return value.replace(name, called) if isinstance(value, str) else value


def wait_until_pending(client: RawClient, it: Producer) -> None:
    """By what nobody gets anything from: the end of another producer's transaction."""
    request = end_txn.EndTxnRequest(it.id, *it.other(), True)
    deadline = time.monotonic() + TIMEOUT_S
    while client.call(end_txn.API_KEY, LAST_VERSION, request).error_code != errors.CONCURRENT_TRANSACTIONS:
        assert time.monotonic() < deadline, f"{it.id} is not pending"
        time.sleep(0.02)


def answers(party: Party, it: Producer, topic: str, group: str) -> Iterator[tuple[str, Any]]:
    client = party.on(LEADER)
    for each in questions(it, topic, group, changed_versions):
        answer = client.ask(each.api, each.version, each.request, OWN)
        yield f"{each.name} v{each.version}", named(unordered(party.plain(answer), *LISTS), party.plain(it.id))
