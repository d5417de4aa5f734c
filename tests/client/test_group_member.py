"""Members of classic groups: one alone, two that share, commits, and the range assignor."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from kafkacompat import Cluster
from kafkacompat.client.client import Client
from kafkacompat.client.errors import BrokerError
from kafkacompat.client.group_admin import committed_offsets, describe_group
from kafkacompat.client.group_member import GroupMember, range_assignment
from tests.waiting import wait_until


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with Cluster(
        topics={"orders": 3, "audit": 1}, config={"group.initial.rebalance.delay.ms": "0"}
    ) as kafka:  # fmt: skip
        yield kafka.bootstrap_servers


def test_a_member_alone_has_everything_commits_and_leaves(servers: str) -> None:
    with Client(servers) as client:
        member = GroupMember(client, "alone", ["orders", "audit", "missing"])
        assert member.poll()
        assert not member.poll()
        assert sorted(member.assignment) == [("audit", 0), ("orders", 0), ("orders", 1), ("orders", 2)]
        found = describe_group(client, "alone")
        assert (found.state, found.protocol) == ("Stable", "range")
        assert sorted(found.members[0].assignment or ()) == sorted(member.assignment)
        member.commit({("orders", 1): 0})
        assert list(committed_offsets(client, "alone")) == [("orders", 1)]
        member.leave()
        assert describe_group(client, "alone").state == "Empty"
        member.leave()


def test_two_members_share_and_one_that_leaves_gives_back(servers: str) -> None:
    with Client(servers) as one, Client(servers) as two:
        first, second = GroupMember(one, "shared", ["orders"]), GroupMember(two, "shared", ["orders"])
        first.poll()
        joining = threading.Thread(target=second.poll)
        joining.start()

        def shares() -> bool:
            first._heartbeat_at_s = 0.0
            return first.poll() and len(first.assignment) < 3

        wait_until(shares)
        joining.join(20)
        assert sorted(first.assignment + second.assignment) == [("orders", number) for number in range(3)]
        second.leave()

        def has_all() -> bool:
            first._heartbeat_at_s = 0.0
            first.poll()
            return len(first.assignment) == 3

        wait_until(has_all)
        first.leave()


def test_a_commit_after_a_rebalance_that_was_missed_changes_nothing(servers: str) -> None:
    with Client(servers) as client:
        member = GroupMember(client, "late", ["orders"])
        member.poll()
        member.generation = 99
        member.commit({("orders", 0): 1})
        assert member.generation is None
        assert committed_offsets(client, "late") == {}
        assert member.poll()
        member.leave()


def test_a_group_that_refuses_is_an_error(servers: str) -> None:
    with Client(servers) as client, pytest.raises(BrokerError, match="INVALID_SESSION_TIMEOUT"):
        GroupMember(client, "refused", ["orders"], session_timeout_ms=1).poll()


def test_ranges_are_those_of_kafkas_assignor() -> None:
    topics = {"b": ["x", "y"], "a": ["x"], "c": ["x", "y"]}
    assert range_assignment(topics, {"x": range(4), "y": [1, 0], "z": [0]}) == {
        "a": [("x", 0), ("x", 1)],
        "b": [("x", 2), ("y", 0)],
        "c": [("x", 3), ("y", 1)],
    }
