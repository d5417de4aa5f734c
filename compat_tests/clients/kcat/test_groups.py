"""kcat as a member of consumer groups."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from compat_tests.clients.kcat.test_records import lines
from compat_tests.clients.kcat.using import FAST_GROUP, Background, Kcat

NewTopic = Callable[..., str]
EARLIEST = ("-X", "auto.offset.reset=earliest")

pytestmark = pytest.mark.api("FindCoordinator", "JoinGroup", "SyncGroup")


def assigned(member: Background) -> list[str]:
    """The partitions that it was given last, all of them at once."""
    told = [line for line in member.words.splitlines() if "assigned: " in line]
    return told[-1].partition("assigned: ")[2].split(", ") if told else []


def moved(member: Background, what: str) -> list[str]:
    """The partitions that cooperative rebalances have given to it, or taken from it, so far."""
    told = [line for line in member.words.splitlines() if f"incremental {what} of " in line]
    lists = [line.partition("COOPERATIVE rebalance protocol): ")[2] for line in told]
    return sorted(part for parts in lists if parts for part in parts.split(", "))


def drained(kcat: Kcat, group: str, topic: str) -> list[str]:
    """What a member that ends at the end of the topic is given."""
    return kcat("-G", group, *EARLIEST, *FAST_GROUP, "-e", "-q", topic).lines


@pytest.mark.api("OffsetCommit", "OffsetFetch", "LeaveGroup")
def test_a_group_goes_on_where_it_was(kcat: Kcat, new_topic: NewTopic, group: str) -> None:
    topic = new_topic()
    kcat.send(topic, lines(20))
    assert drained(kcat, group, topic) == lines(20)
    kcat.send(topic, lines(5, "more"))
    assert drained(kcat, group, topic) == lines(5, "more")
    assert drained(kcat, group, topic) == []


@pytest.mark.api("Heartbeat", "LeaveGroup")
@pytest.mark.parametrize("assignor", ["range", pytest.param("roundrobin", marks=pytest.mark.full)])
def test_two_members_share(assignor: str, kcat: Kcat, new_topic: NewTopic, group: str) -> None:
    topic = new_topic(4)
    options = ("-G", group, *FAST_GROUP, "-X", f"partition.assignment.strategy={assignor}", topic)
    parts = {f"{topic} [{n}]" for n in range(4)}
    with kcat.start(*options) as first:
        first.wait(lambda member: set(assigned(member)) == parts)
        with kcat.start(*options) as second:
            second.wait(lambda member: len(assigned(member)) == 2)
            first.wait(lambda member: len(assigned(member)) == 2)
            assert {*assigned(first), *assigned(second)} == parts
            assert second.stop() == 0
        first.wait(lambda member: set(assigned(member)) == parts)
        assert first.stop() == 0


@pytest.mark.full
@pytest.mark.api("Heartbeat", "LeaveGroup")
def test_partitions_move_one_by_one(kcat: Kcat, new_topic: NewTopic, group: str) -> None:
    """The cooperative protocol: who loses partitions is told of these alone, and keeps the others."""
    topic = new_topic(4)
    options = ("-G", group, *FAST_GROUP, "-X", "partition.assignment.strategy=cooperative-sticky", topic)
    with kcat.start(*options) as first:
        first.wait(lambda member: len(moved(member, "assignment")) == 4)
        with kcat.start(*options) as second:
            second.wait(lambda member: len(moved(member, "assignment")) == 2)
            assert moved(first, "revoke") == moved(second, "assignment")
            assert second.stop() == 0
        first.wait(lambda member: len(moved(member, "assignment")) == 6)
        assert first.stop() == 0


@pytest.mark.full
@pytest.mark.api("Heartbeat")
def test_a_static_member_comes_back_unnoticed(kcat: Kcat, new_topic: NewTopic, group: str) -> None:
    topic = new_topic(2)
    options = ("-G", group, *FAST_GROUP, "-X", "group.instance.id={}", topic)

    def member(name: str) -> Background:
        return kcat.start(*(option.format(name) for option in options))

    with member("one") as other:
        with member("two") as first:
            first.wait(lambda member: len(assigned(member)) == 1)
            other.wait(lambda member: len(assigned(member)) == 1)
            owned, told = assigned(first), other.words
            assert first.stop() == 0
        with member("two") as again:
            again.wait(lambda member: assigned(member) == owned)
            assert other.words == told


@pytest.mark.full
def test_topics_by_pattern(kcat: Kcat, new_topic: NewTopic, group: str) -> None:
    topic = new_topic()
    kcat.send(topic, lines(5))
    assert drained(kcat, group, f"^{topic[:-2]}.*") == lines(5)
