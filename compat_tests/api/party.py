"""Members of one group that talk with the coordinator, all in the request versions of a client of one age."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from compat_tests.api import groups
from compat_tests.api.combined import every_day
from compat_tests.api.raw import RawClient, unordered, versions
from kafkacompat.protocol.messages import heartbeat, join_group, leave_group, sync_group
from kafkacompat.protocol.primitives import Message

ID_FIRST_SINCE = 4
"""The version of JoinGroup from which on a new member is sent its id before it may join (KIP-394)."""
STATIC_SINCE = 5
SEVERAL_LEAVE_SINCE = 3
REBALANCE_IN_PROGRESS = 27


def ages(since: int = 0) -> list[Any]:
    """The versions of JoinGroup to tell a story in: every day those in which something changed, with --full all."""
    return every_day(versions(join_group, since), ID_FIRST_SINCE, STATIC_SINCE)


def at_age(api: ModuleType, join_version: int) -> int:
    """The version of a group API that goes with a version of JoinGroup: what came together has about one number."""
    known = versions(api)
    return max(known[0], min(join_version, known[-1]))


class Member:
    """One connection to the coordinator and what it knows of itself."""

    def __init__(self, client: RawClient, group: str, join_version: int, instance: str | None = None) -> None:
        self.client, self.group, self.version = client, group, join_version
        self.instance = instance
        self.id = ""
        self.generation = -1
        self.protocol = "range"

    def start_join(self, *protocols: str, **more: Any) -> None:
        """Send JoinGroup, after having asked for an id where that comes first."""
        request = groups.join_request(self.group, self.id, protocols or ("range",), instance=self.instance, **more)
        if self.version >= ID_FIRST_SINCE and not self.id and self.instance is None:
            answer = self.client.ask(join_group, self.version, request)
            assert answer["error_code"] == groups.MEMBER_ID_REQUIRED, answer
            self.id = request.member_id = self.client.id_called(answer["member_id"])
        self.client.start(join_group, self.version, request)

    def joined(self) -> Any:
        """The answer to what `start_join` sent. Id, generation and protocol are kept."""
        answer = self.client.finish(join_group, self.version)
        if answer["error_code"] == 0:
            self.id, self.generation = self.client.id_called(answer["member_id"]), answer["generation_id"]
            self.protocol = answer["protocol_name"]
        return unordered(answer, "members")

    def join(self, *protocols: str, **more: Any) -> Any:
        """Join and wait for the answer."""
        self.start_join(*protocols, **more)
        return self.joined()

    def start_sync(self, *shares: tuple[Member, bytes]) -> None:
        """Send SyncGroup, with everyone's share if this is the leader."""
        self.client.start(sync_group, at_age(sync_group, self.version), self._sync(shares))

    def synced(self) -> Any:
        """The answer to what `start_sync` sent."""
        return self.client.finish(sync_group, at_age(sync_group, self.version))

    def sync(self, *shares: tuple[Member, bytes]) -> Any:
        """Sync and wait for the answer."""
        self.start_sync(*shares)
        return self.synced()

    def _sync(self, shares: tuple[tuple[Member, bytes], ...]) -> Message:
        given = [sync_group.SyncGroupRequestAssignment(member.id, share) for member, share in shares]
        request = groups.sync_request(self.group, self.id, self.generation, self.instance, protocol_name=self.protocol)
        request.assignments = given
        return request

    def beat(self) -> Any:
        """Send a heartbeat."""
        return self.client.ask(heartbeat, at_age(heartbeat, self.version), self._beat())

    def beat_until(self, error_code: int) -> Any:
        """Send heartbeats until one is answered so: when a rebalance has begun, or the session is over."""
        return self.client.ask_until(heartbeat, at_age(heartbeat, self.version), self._beat(), error_code)

    def _beat(self) -> Message:
        return heartbeat.HeartbeatRequest(self.group, self.generation, self.id, self.instance)

    def leave(self) -> Any:
        """Leave the group."""
        version = at_age(leave_group, self.version)
        if version >= SEVERAL_LEAVE_SINCE:
            identity = leave_group.MemberIdentity(self.id, self.instance)
            request = leave_group.LeaveGroupRequest(self.group, members=[identity])
        else:
            request = leave_group.LeaveGroupRequest(self.group, self.id)
        return self.client.ask(leave_group, version, request)


def alone(client: RawClient, group: str, join_version: int, *protocols: str, **more: Any) -> Member:
    """A stable group of one member."""
    instance = more.pop("instance", None)
    member = Member(client, group, join_version, instance)
    assert member.join(*protocols, **more)["error_code"] == 0
    assert member.sync((member, b"all"))["error_code"] == 0
    return member


def pair(first: RawClient, second: RawClient, group: str, join_version: int, **more: Any) -> tuple[Member, Member]:
    """A stable group of two: a leader and one that came later."""
    instances = more.pop("instances", (None, None))
    leader = alone(first, group, join_version, instance=instances[0], **more)
    other = Member(second, group, join_version, instances[1])
    other.start_join(**more)
    leader.beat_until(REBALANCE_IN_PROGRESS)
    leader.join(**more)
    other.joined()
    other.start_sync()
    leader.sync((leader, b"one"), (other, b"two"))
    assert other.synced()["error_code"] == 0
    return leader, other
