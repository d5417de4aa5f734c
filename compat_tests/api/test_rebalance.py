"""How a group goes from one generation to the next, told as conversations, for clients of every age on both brokers."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api import groups, topics
from compat_tests.api.conftest import Compare
from compat_tests.api.party import ID_FIRST_SINCE, REBALANCE_IN_PROGRESS, Member, ages, alone, pair
from compat_tests.api.raw import RawClient, unordered
from kafkacompat.protocol.messages import describe_groups, join_group, offset_commit

pytestmark = pytest.mark.api("JoinGroup", "SyncGroup", "Heartbeat")
REBALANCE_TIMEOUT_SINCE = 1  # before, the session timeout is the rebalance timeout as well, which is long for a test
SHORT_MS = 1_000
"""How long a group waits for who does not come. All others have to come within it, also to a broker that is starved."""


def described(client: RawClient, group: str) -> Any:
    """What an administrator sees of the group."""
    answer = client.ask(describe_groups, 5, describe_groups.DescribeGroupsRequest([group]))
    return unordered(answer, "members")


@pytest.mark.api("LeaveGroup")
@pytest.mark.parametrize("version", ages())
def test_second_member_comes_and_goes(compare: Compare, group: str, version: int) -> None:
    """The first member hears of the second by its heartbeat, and joins again; so it does when the second has left."""

    def script(client: RawClient) -> list[Any]:
        with client.another() as newcomer:
            first, second = alone(client, group, version), Member(newcomer, group, version)
            second.start_join()
            said = [first.beat_until(REBALANCE_IN_PROGRESS), first.sync((first, b"too early")), first.join()]
            said += [second.joined(), first.beat(), second.beat()]
            second.start_sync()
            said += [first.sync((first, b"1"), (second, b"2")), second.synced(), first.beat(), second.beat()]
            said += [second.sync(), second.leave(), second.beat(), first.beat(), first.join(), first.sync()]
            return [*said, first.leave(), described(client, group)]

    compare(script)


@pytest.mark.parametrize("version", ages())
def test_most_votes_choose_the_protocol(compare: Compare, group: str, version: int) -> None:
    """Not the leader's first choice, but that of the two who came after it."""

    def script(client: RawClient) -> list[Any]:
        with client.another() as one, client.another() as two:
            members = [Member(connection, group, version) for connection in (client, one, two)]
            choices = [("range", "roundrobin"), ("roundrobin", "range"), ("roundrobin", "range")]
            leader, second, third = members
            subscribed = groups.subscription()
            leader.join(*choices[0], metadata=subscribed)
            leader.sync((leader, b"all"))
            second.start_join(*choices[1], metadata=subscribed)
            leader.beat_until(REBALANCE_IN_PROGRESS)
            leader.join(*choices[0], metadata=subscribed)
            second.joined()  # one vote each: which of the two is chosen is left open
            second.start_sync()
            leader.sync((leader, b"1"), (second, b"2"))
            second.synced()
            third.start_join(*choices[2], metadata=subscribed)
            leader.beat_until(REBALANCE_IN_PROGRESS)
            leader.start_join(*choices[0], metadata=subscribed)
            second.start_join(*choices[1], metadata=subscribed)
            answers = [member.joined() for member in members]
            return [{**answer, "leader": "", "members": len(answer["members"])} for answer in answers]

    chosen = compare(script)
    assert {answer["protocol_name"] for answer in chosen} == {"roundrobin"}


@pytest.mark.api("LeaveGroup")
@pytest.mark.parametrize("version", ages())
def test_leader_leaves(compare: Compare, group: str, version: int) -> None:
    """The member that stays is called to join, and leads."""

    def script(client: RawClient) -> list[Any]:
        with client.another() as other:
            leader, follower = pair(client, other, group, version)
            said = [
                leader.leave(),
                follower.beat(),
                follower.sync(),
                follower.join(),
                follower.sync((follower, b"all")),
            ]
            return [*said, follower.beat(), leader.beat(), leader.sync(), leader.leave()]

    compare(script)


@pytest.mark.api("LeaveGroup")
@pytest.mark.parametrize("version", ages())
def test_follower_syncs_before_the_leader_who_leaves(compare: Compare, group: str, version: int) -> None:
    """A follower that waits for its share is sent back to join when the leader goes without having given any."""

    def script(client: RawClient) -> list[Any]:
        with client.another() as other:
            leader, follower = pair(client, other, group, version)
            leader.start_join()
            said = [follower.beat_until(REBALANCE_IN_PROGRESS), follower.join(), leader.joined()]
            follower.start_sync()
            said += [leader.beat(), described(client, group), leader.leave(), follower.synced()]
            return [*said, follower.join(), follower.sync((follower, b"all"))]

    compare(script)


@pytest.mark.parametrize("version", ages())
def test_metadata_changes(compare: Compare, group: str, version: int) -> None:
    """A follower that joins with other protocols sets off a rebalance; one that repeats itself is told what is."""

    def script(client: RawClient) -> list[Any]:
        with client.another() as other:
            leader, follower = pair(client, other, group, version)
            said = [follower.join(), follower.beat(), follower.sync()]
            follower.start_join("range", "sticky")
            said += [leader.beat_until(REBALANCE_IN_PROGRESS), leader.join(), follower.joined()]
            said += [leader.join(), leader.sync((leader, b"1"), (follower, b"2")), follower.sync()]
            return said

    compare(script)


@pytest.mark.parametrize("version", ages())
def test_protocol_upgrade(compare: Compare, group: str, version: int) -> None:
    """Two members change from one protocol to another by way of knowing both."""

    def script(client: RawClient) -> list[Any]:
        with client.another() as other:
            # Kafka reads what the chosen protocol's members subscribe to, and stumbles over what is no subscription.
            reads = groups.subscription("a")
            leader, follower = pair(client, other, group, version, metadata=reads)
            said = []
            for step in (("range", "sticky"), ("sticky", "range"), ("sticky",)):
                other_step = step if len(step) > 1 else ("sticky", "range")  # no tie: Kafka's hash tables decide those
                leader.start_join(*step, metadata=reads)
                said.append(follower.beat_until(REBALANCE_IN_PROGRESS))
                said += [follower.join(*other_step, metadata=reads), leader.joined()]
                follower.start_sync()
                said += [leader.sync((leader, b"1"), (follower, b"2")), follower.synced()]
            return [*said, described(client, group)]

    compare(script)


@pytest.mark.parametrize("version", ages())
def test_member_joins_twice(compare: Compare, group: str, version: int) -> None:
    """A member lost its connection while its JoinGroup waited, and sends another one on a new one.

    What becomes of the first is not compared: Apache Kafka never answers it, we do, and nobody is there to read it.
    """

    def script(client: RawClient) -> list[Any]:
        with client.another() as other, client.another() as again:
            leader, follower = pair(client, other, group, version)
            follower.start_join("range", "sticky")
            said = [leader.beat_until(REBALANCE_IN_PROGRESS)]
            twin = Member(again, group, version)
            twin.id = follower.id
            twin.start_join("range", "sticky")
            said += [leader.join(), twin.joined()]
            twin.start_sync()
            said += [leader.sync((leader, b"1"), (twin, b"2")), twin.synced()]
            return said

    compare(script)


@pytest.mark.api("OffsetCommit")
@pytest.mark.parametrize("version", ages())
def test_commits_meanwhile(compare: Compare, topic: str, group: str, version: int) -> None:
    """Whose commits are taken while the group rebalances, and from outside of it."""

    def script(client: RawClient) -> list[Any]:
        topics.create(client, topic)

        def commit(member: Member | None = None, generation: int | None = None) -> Any:
            wanted = [offset_commit.OffsetCommitRequestTopic(topic, partitions=[partition])]
            request = offset_commit.OffsetCommitRequest(group, topics=wanted)
            if member is not None:
                request.member_id = member.id
                request.generation_id_or_member_epoch = member.generation if generation is None else generation
            return client.ask(offset_commit, max(2, min(version, 9)), request)

        partition = offset_commit.OffsetCommitRequestPartition(0, 5)
        with client.another() as other:
            leader, follower = pair(client, other, group, version)
            said = [commit(), commit(leader), commit(follower)]
            follower.start_join("range", "sticky")
            said += [leader.beat_until(REBALANCE_IN_PROGRESS), commit(), commit(leader), commit(follower)]
            said += [leader.join(), follower.joined(), commit(), commit(leader), commit(leader, leader.generation - 1)]
            said += [leader.sync((leader, b"1"), (follower, b"2")), follower.sync(), commit(leader), commit()]
            return said

    compare(script)


@pytest.mark.parametrize("version", ages(REBALANCE_TIMEOUT_SINCE))
def test_member_that_does_not_rejoin(compare: Compare, group: str, version: int) -> None:
    """It is dropped at the end of the rebalance timeout, which is the longest of the members'."""
    timeouts = {"rebalance_timeout_ms": SHORT_MS}

    def script(client: RawClient) -> list[Any]:
        with client.another() as other:
            leader, follower = pair(client, other, group, version, **timeouts)
            said = [leader.join("range", "sticky", **timeouts), follower.beat()]
            follower.id = ""
            follower.start_join(**timeouts)
            said += [leader.beat_until(REBALANCE_IN_PROGRESS), leader.join(**timeouts), follower.joined()]
            return said

    compare(script)


@pytest.mark.parametrize("version", ages(REBALANCE_TIMEOUT_SINCE))
def test_member_that_does_not_sync(compare: Compare, group: str, version: int) -> None:
    """It is dropped when the rebalance timeout has passed without its SyncGroup, and the others join anew."""

    def script(client: RawClient) -> list[Any]:
        with client.another() as other:
            timeouts = {"rebalance_timeout_ms": SHORT_MS}
            leader, follower = pair(client, other, group, version, **timeouts)
            follower.start_join("range", "sticky", **timeouts)
            said = [leader.beat_until(REBALANCE_IN_PROGRESS), leader.join(**timeouts), follower.joined()]
            said += [leader.sync((leader, b"1"), (follower, b"2")), leader.beat_until(REBALANCE_IN_PROGRESS)]
            return [*said, follower.beat(), leader.join(**timeouts), described(client, group)]

    compare(script)


@pytest.mark.parametrize("version", ages(ID_FIRST_SINCE))
def test_id_that_is_not_used(compare: Compare, group: str, version: int) -> None:
    """A new member gets an id; until it joins with it, the group waits for it when it rebalances."""

    def script(client: RawClient) -> list[Any]:
        with client.another() as other:
            member = alone(client, group, version, rebalance_timeout_ms=SHORT_MS)
            said = [other.ask(join_group, version, groups.join_request(group, rebalance_timeout_ms=SHORT_MS))]
            said += [member.beat(), member.join("range", "sticky", rebalance_timeout_ms=SHORT_MS)]
            return [*said, member.sync((member, b"all")), described(client, group)]

    compare(script)
