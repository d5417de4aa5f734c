"""Members with a name of their own (group.instance.id): they come back, they are fenced, they are sent away."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api import groups
from compat_tests.api.conftest import Compare
from compat_tests.api.party import REBALANCE_IN_PROGRESS, STATIC_SINCE, Member, ages, alone, at_age, pair
from compat_tests.api.raw import RawClient, unordered
from kafkacompat.protocol.messages import describe_groups, join_group, leave_group, sync_group

pytestmark = [
    pytest.mark.api("JoinGroup", "SyncGroup"),
    pytest.mark.parametrize("version", ages(STATIC_SINCE)),
]
INSTANCES = ("one", "two")


def described(client: RawClient, group: str) -> Any:
    """What an administrator sees of the group."""
    answer = client.ask(describe_groups, 5, describe_groups.DescribeGroupsRequest([group]))
    return unordered(answer, "members")


def back_again(client: RawClient, group: str, version: int, instance: str) -> Member:
    """The process behind a static member after a restart: it knows nothing but its name."""
    return Member(client, group, version, instance)


@pytest.mark.api("Heartbeat")
@pytest.mark.parametrize("who", [0, 1], ids=["leader", "follower"])
def test_restart(compare: Compare, group: str, version: int, who: int) -> None:
    """A member that restarts gets a new id and its old assignment, nobody joins anew, and its old id is fenced."""

    def script(client: RawClient) -> list[Any]:
        with client.another() as other, client.another() as third:
            members = pair(client, other, group, version, instances=INSTANCES)
            old = members[who]
            new = back_again(third, group, version, INSTANCES[who])
            said = [new.join(), old.beat(), members[1 - who].beat(), old.sync(), new.sync(), new.beat()]
            said += [old.join(), new.beat(), members[1 - who].beat(), described(client, group)]
            return said

    compare(script)


@pytest.mark.api("Heartbeat")
def test_restart_with_other_protocols(compare: Compare, group: str, version: int) -> None:
    """A member that comes back with another protocol in front: does the choice of the group change?"""

    def script(client: RawClient) -> list[Any]:
        with client.another() as other:
            # Kafka reads what is subscribed to, and stumbles over what is no subscription.
            reads = groups.subscription("a")
            old = alone(client, group, version, "range", "sticky", instance="one", metadata=reads)
            new = back_again(other, group, version, "one")
            said = [new.join("sticky", "range", metadata=reads), old.beat(), new.sync((new, b"all")), new.beat()]
            return [*said, described(client, group)]

    compare(script)


def test_restart_while_joining(compare: Compare, group: str, version: int) -> None:
    """The member's JoinGroup waits while its successor comes: the first is fenced, the second takes its place."""

    def script(client: RawClient) -> list[Any]:
        with client.another() as other, client.another() as third:
            leader, follower = pair(client, other, group, version, instances=INSTANCES)
            follower.start_join("range", "sticky")
            said = [leader.beat_until(REBALANCE_IN_PROGRESS)]
            new = back_again(third, group, version, "two")
            new.start_join("range", "sticky")
            said += [follower.joined(), leader.join(), new.joined()]
            new.start_sync()
            return [*said, leader.sync((leader, b"1"), (new, b"2")), new.synced()]

    compare(script)


def test_restart_while_syncing(compare: Compare, group: str, version: int) -> None:
    """The member's SyncGroup waits for the leader while its successor comes: all join anew."""

    def script(client: RawClient) -> list[Any]:
        with client.another() as other, client.another() as third:
            leader, follower = pair(client, other, group, version, instances=INSTANCES)
            leader.start_join()
            said = [follower.beat_until(REBALANCE_IN_PROGRESS), follower.join(), leader.joined()]
            follower.start_sync()
            leader.beat()
            new = back_again(third, group, version, "two")
            new.start_join()
            said += [follower.synced(), leader.beat_until(REBALANCE_IN_PROGRESS), leader.join(), new.joined()]
            new.start_sync()
            return [*said, leader.sync((leader, b"1"), (new, b"2")), new.synced()]

    compare(script)


def test_mistaken_identity(compare: Compare, group: str, version: int) -> None:
    """Joins and syncs under a name that is someone else's, unknown, or with an id that was given to a nameless one."""

    def script(client: RawClient) -> dict[str, Any]:
        with client.another() as other:
            one = alone(client, group, version, instance="one")
            stranger = Member(other, group, version, "one")
            stranger.id, stranger.generation = "raw-00000000-0000-0000-0000-000000000000", one.generation
            said = {"stranger": [stranger.join(), stranger.sync(), stranger.beat(), stranger.leave()]}
            stranger.instance = "nobody"
            said["unknown name"] = [stranger.join(), stranger.sync(), stranger.beat(), stranger.leave()]
            given = other.ask(join_group, version, groups.join_request(group))
            stranger.id, stranger.instance = other.id_called(given["member_id"]), "new"
            said |= {"id without a name": given, "that id with a name": stranger.join()}
            return {**said, "the true one": one.beat(), "described": described(client, group)}

    compare(script)


@pytest.mark.api("Heartbeat", "LeaveGroup")
def test_sent_away(compare: Compare, group: str, version: int) -> None:
    """An administrator removes a member by its name alone, and the rest join anew."""

    def script(client: RawClient) -> list[Any]:
        with client.another() as other:
            leader, follower = pair(client, other, group, version, instances=INSTANCES)
            removed = [leave_group.MemberIdentity("", "two"), leave_group.MemberIdentity("", "three")]
            request = leave_group.LeaveGroupRequest(group, members=removed)
            said = [client.ask(leave_group, at_age(leave_group, version), request)]
            said += [follower.beat(), leader.beat(), leader.join(), leader.sync((leader, b"all"))]
            new = back_again(other, group, version, "two")
            new.start_join()
            said += [leader.beat_until(REBALANCE_IN_PROGRESS), leader.join(), new.joined(), new.beat()]
            return said

    compare(script)


def test_leaves_and_comes_back(compare: Compare, group: str, version: int) -> None:
    """A static member that leaves of its own will, without its name, is gone too."""

    def script(client: RawClient) -> list[Any]:
        member = alone(client, group, version, instance="one")
        identity = leave_group.MemberIdentity(member.id)
        request = leave_group.LeaveGroupRequest(group, members=[identity])
        said = [client.ask(leave_group, at_age(leave_group, version), request), member.beat()]
        new = back_again(client, group, version, "one")
        said += [new.join(), new.sync((new, b"all"))]
        kept = sync_group.SyncGroupRequest(group, new.generation, new.id, None, "consumer", "range")
        return [*said, client.ask(sync_group, at_age(sync_group, version), kept), described(client, group)]

    compare(script)
