"""Groups that are full, and members whose time is over."""

from __future__ import annotations

import time
from typing import Any

import pytest

from compat_tests.api import groups, topics
from compat_tests.api.conftest import Compare
from compat_tests.api.party import REBALANCE_IN_PROGRESS, STATIC_SINCE, Member, alone, pair
from compat_tests.api.raw import TIMEOUT_S, RawClient, unordered, versions
from kafkacompat.protocol.messages import describe_groups, heartbeat, join_group, offset_commit, offset_fetch

pytestmark = pytest.mark.full  # two brokers more
UNKNOWN_MEMBER, GROUP_MAX_SIZE_REACHED = 25, 81
SHORT_MS = 1_500
OUTLIVED_S = 2.5


def described(client: RawClient, group: str) -> Any:
    """What an administrator sees of the group."""
    answer = client.ask(describe_groups, 5, describe_groups.DescribeGroupsRequest([group]))
    return unordered(answer, "members")


@pytest.mark.api("JoinGroup")
@pytest.mark.parametrize("version", versions(join_group))
def test_full_group(compare: Compare, group: str, version: int) -> None:
    """A third member has no room, whether it has an id already or not; one of the two has when it comes back."""

    def script(client: RawClient) -> list[Any]:
        with client.another() as other, client.another() as third:
            leader, follower = pair(client, other, group, version)
            said = [third.ask(join_group, version, groups.join_request(group))]
            if version >= STATIC_SINCE:
                said.append(third.ask(join_group, version, groups.join_request(group, instance="one")))
            leader.start_join("range", "sticky")
            said += [follower.beat_until(REBALANCE_IN_PROGRESS), follower.join(), leader.joined()]
            return [*said, described(client, group)]

    compare(script)


@pytest.mark.api("JoinGroup")
@pytest.mark.parametrize("version", versions(join_group))
def test_session_timeouts(compare: Compare, group: str, version: int) -> None:
    """Which session timeouts the broker allows: from the least to the most, and not beyond."""

    def script(client: RawClient) -> dict[str, Any]:
        requests = {
            str(timeout_ms): groups.join_request(f"{group}-{timeout_ms}", session_timeout_ms=timeout_ms)
            for timeout_ms in (-1, 0, 99, 100, 60_000, 60_001)
        }
        return client.ask_all(join_group, version, requests)

    compare(script)


@pytest.mark.api("JoinGroup", "Heartbeat")
@pytest.mark.parametrize("version", versions(heartbeat))
def test_session_is_over(compare: Compare, group: str, version: int) -> None:
    """A member that was silent for too long is gone, and the other one joins anew."""

    def script(client: RawClient) -> list[Any]:
        with client.another() as other:
            leader, follower = pair(client, other, group, version)
            follower.start_join("range", "sticky", session_timeout_ms=SHORT_MS)
            said = [leader.beat_until(REBALANCE_IN_PROGRESS), leader.join(), follower.joined()]
            follower.start_sync()
            said += [leader.sync((leader, b"1"), (follower, b"2")), follower.synced()]
            said += [leader.beat_until(REBALANCE_IN_PROGRESS), follower.beat(), leader.join()]
            return [*said, follower.sync(), follower.join(), described(client, group)]

    compare(script)


@pytest.mark.api("Heartbeat")
def test_last_session_is_over(compare: Compare, group: str) -> None:
    """The last member of a group goes: the group is empty, and its id is not known any more."""

    def script(client: RawClient) -> list[Any]:
        member = alone(client, group, 9, session_timeout_ms=SHORT_MS)
        said = []
        for _ in range(4):  # longer than a session, kept alive
            time.sleep(SHORT_MS / 2000)
            said.append(member.beat())
        time.sleep(OUTLIVED_S)
        return [*said, member.beat(), member.sync(), described(client, group), member.join()]

    compare(script)


@pytest.mark.api("Heartbeat", "JoinGroup")
def test_static_member_is_awaited(compare: Compare, group: str) -> None:
    """A static member that is away keeps its place for as long as its session, and loses it then."""

    def script(client: RawClient) -> list[Any]:
        with client.another() as other:
            old = alone(client, group, 9, instance="one", session_timeout_ms=SHORT_MS)
            new = Member(other, group, 9, "one")
            said = [new.join(session_timeout_ms=SHORT_MS), old.beat(), new.beat()]
            time.sleep(OUTLIVED_S)
            said += [new.beat(), described(client, group)]
            late = Member(other, group, 9, "one")
            return [*said, late.join(session_timeout_ms=SHORT_MS)]

    compare(script)


@pytest.mark.api("OffsetCommit")
@pytest.mark.parametrize("version", versions(offset_commit))
def test_metadata(compare: Compare, topic: str, group: str, version: int) -> None:
    """How long a commit's metadata may be, in characters."""

    def script(client: RawClient) -> dict[str, Any]:
        topic_id = topics.create(client, topic)

        def commit(metadata: str | None) -> offset_commit.OffsetCommitRequest:
            part = offset_commit.OffsetCommitRequestPartition(0, 5, committed_metadata=metadata)
            name = "" if version >= 10 else topic
            wanted = offset_commit.OffsetCommitRequestTopic(name, topic_id, [part])
            return offset_commit.OffsetCommitRequest(group, topics=[wanted])

        notes = (None, "", "x" * 10, "x" * 11, "\N{SNOWMAN}" * 10, "\N{SNOWMAN}" * 11, "\N{PILE OF POO}" * 6)
        requests = {ascii(note): commit(note) for note in notes}
        return client.ask_all(offset_commit, version, requests, ["topic_id"])

    compare(script)


@pytest.mark.api("OffsetCommit", "OffsetFetch")
def test_offsets_expire(compare: Compare, topic: str, group: str) -> None:
    """An offset that was committed for a while is gone after it, one that was not stays."""

    def script(client: RawClient) -> list[Any]:
        topics.create(client, topic, 2)

        def commit(part: int, retention_ms: int) -> Any:
            part_ = offset_commit.OffsetCommitRequestPartition(part, 5)
            wanted = offset_commit.OffsetCommitRequestTopic(topic, partitions=[part_])
            request = offset_commit.OffsetCommitRequest(group, retention_time_ms=retention_ms, topics=[wanted])
            return client.ask(offset_commit, 4, request)

        def fetched() -> Any:
            return client.ask(offset_fetch, 5, offset_fetch.OffsetFetchRequest(group, None))

        said = [commit(0, 1), commit(1, -1)]
        deadline = time.monotonic() + TIMEOUT_S
        while len((found := fetched())["topics"][0]["partitions"]) > 1:
            assert time.monotonic() < deadline, found
            time.sleep(0.1)
        return [*said, found]

    compare(script)
