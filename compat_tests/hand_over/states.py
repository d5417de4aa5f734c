"""What brokers know beside records and offsets: producers, transactions, members of groups, configs of brokers.

Each node is asked for what it leads or coordinates, as Apache Kafka's own admin client does.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from compat_tests.api.raw import facts
from kafkacompat.broker.coordinator.coordinators import java_hash
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from kafkacompat.protocol.messages.describe_groups import DescribeGroupsRequest
from kafkacompat.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from kafkacompat.protocol.messages.describe_transactions import DescribeTransactionsRequest
from kafkacompat.protocol.messages.list_groups import ListGroupsRequest
from kafkacompat.protocol.messages.list_transactions import ListTransactionsRequest
from kafkacompat.protocol.messages.metadata import MetadataRequest
from kafkacompat.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from tests.asking import Asking

States = dict[str, Any]
NOT_YET = {
    errors.COORDINATOR_LOAD_IN_PROGRESS, errors.COORDINATOR_NOT_AVAILABLE, errors.NOT_COORDINATOR,
    errors.NOT_LEADER_OR_FOLLOWER, errors.UNKNOWN_TOPIC_OR_PARTITION, errors.LEADER_NOT_AVAILABLE,
}  # fmt: skip
"""Answers of a broker that has just started."""
NO_LEADER = -1
GROUPS, TRANSACTIONS = "__consumer_offsets", "__transaction_state"
ENDING = ("PrepareCommit", "PrepareAbort")
BROKER, ALL_BROKERS = 4, ""
DYNAMIC = (2, 3)
"""Config sources (KIP-226): set for a broker, set for all brokers."""
DAY_MS = 86_400_000
TIMEOUT_S = 60.0
RETRY_S = 0.1


class NotYetError(Exception):
    """A broker still loads, or a transaction is about to end."""


def states(bootstrap_servers: str) -> States:
    """All of it, by a name that says what it is, once every node has loaded and no transaction is about to end."""
    deadline_s = time.monotonic() + TIMEOUT_S
    while True:
        try:
            return dict(_all(bootstrap_servers))
        except NotYetError:
            if time.monotonic() > deadline_s:
                raise
            time.sleep(RETRY_S)


def _all(bootstrap_servers: str) -> Iterator[tuple[str, object]]:
    with Asking(bootstrap_servers.partition(",")[0]) as client:
        found = client.ask(MetadataRequest(None), 12)
    led: dict[int, dict[str, list[int]]] = {broker.node_id: {} for broker in found.brokers}
    for topic in found.topics:
        for one in topic.partitions:
            if one.leader_id == NO_LEADER:
                raise NotYetError(topic.name, one.partition_index)
            led[one.leader_id].setdefault(topic.name, []).append(one.partition_index)
    counts = {topic.name: len(topic.partitions) for topic in found.topics}
    for broker in found.brokers:
        with Asking(f"{broker.host}:{broker.port}") as client:
            _check_loaded(client, led[broker.node_id], counts)
            yield from _configs(client, (str(broker.node_id), ALL_BROKERS))
            yield from _producers(client, led[broker.node_id])
            yield from _transactions(client)
            yield from _members(client)


def _check_loaded(client: Asking, led: Mapping[str, Sequence[int]], counts: Mapping[str, int]) -> None:
    """Raises NotYetError. A node that has not yet begun to load a partition lists what is in the others, and no error;
    asked for a name that belongs into the partition it says so.
    """
    groups = [OffsetFetchRequestGroup(name) for name in _names(led, counts, GROUPS)]
    for each in client.ask(OffsetFetchRequest(groups=groups), 9).groups if groups else ():
        _check(each)
    names = _names(led, counts, TRANSACTIONS)
    for each in client.ask(DescribeTransactionsRequest(names), 0).transaction_states if names else ():
        if each.error_code != errors.TRANSACTIONAL_ID_NOT_FOUND:
            _check(each)


def _names(led: Mapping[str, Sequence[int]], counts: Mapping[str, int], topic: str) -> list[str]:
    """One for each partition of a coordinator that the node leads."""
    wanted, found = set(led.get(topic, ())), []
    for number in count():
        if not wanted:
            return found
        name = f"nobody-{number}"
        if (partition := java_hash(name) % counts[topic]) in wanted:
            wanted.remove(partition)
            found.append(name)
    raise AssertionError  # it goes on for ever


def _producers(client: Asking, led: Mapping[str, Sequence[int]]) -> Iterator[tuple[str, object]]:
    """Those that wrote within a day of now: older ones expire, at a start or ten minutes later (KIP-854)."""
    wanted = [TopicRequest(name, partitions) for name, partitions in led.items()]
    since_ms = time.time_ns() // 1_000_000 - DAY_MS
    for topic in client.ask(DescribeProducersRequest(wanted), 0).topics:
        for one in topic.partitions:
            _check(one)
            recent = [facts(each) for each in one.active_producers if each.last_timestamp > since_ms]
            if recent:
                yield (
                    f"producers of {topic.name}-{one.partition_index}",
                    sorted(recent, key=lambda each: each["producer_id"]),
                )


def _transactions(client: Asking) -> Iterator[tuple[str, object]]:
    listed = client.ask(ListTransactionsRequest(), 1)
    _check(listed)
    wanted = [each.transactional_id for each in listed.transaction_states]
    for each in client.ask(DescribeTransactionsRequest(wanted), 0).transaction_states:
        _check(each)
        if each.transaction_state in ENDING:
            raise NotYetError(each)
        found = facts(each)
        found["topics"] = sorted((topic["topic"], sorted(topic["partitions"])) for topic in found["topics"])
        yield f"transaction of {each.transactional_id}", found


def _members(client: Asking) -> Iterator[tuple[str, object]]:
    """State, protocol and members of classic groups: the kind that both brokers have."""
    listed = client.ask(ListGroupsRequest(types_filter=["classic"]), 5)
    _check(listed)
    for each in client.ask(DescribeGroupsRequest([one.group_id for one in listed.groups]), 5).groups:
        _check(each)
        yield f"members of {each.group_id}", facts(each)


def _configs(client: Asking, names: Sequence[str]) -> Iterator[tuple[str, object]]:
    """Those that were set at run time."""
    wanted = [DescribeConfigsResource(BROKER, name, None) for name in names]
    for each in client.ask(DescribeConfigsRequest(wanted), 4).results:
        _check(each)
        found = sorted((one.name, one.value) for one in each.configs if one.config_source in DYNAMIC)
        yield f"configs of broker {each.resource_name}", found


def _check(answer: Any) -> None:
    """Raises NotYetError, or AssertionError for another error."""
    if answer.error_code in NOT_YET:
        raise NotYetError(answer)
    assert answer.error_code == errors.NONE, answer
