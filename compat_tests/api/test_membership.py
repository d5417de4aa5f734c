"""JoinGroup, SyncGroup, Heartbeat and LeaveGroup in every version, on both brokers."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api import groups
from compat_tests.api.combined import together
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, unordered, versions
from kafkacompat.protocol.messages import heartbeat, join_group, leave_group, sync_group

STRANGER = "raw-00000000-0000-0000-0000-000000000000"


@pytest.mark.api("JoinGroup")
@pytest.mark.parametrize("version", versions(join_group))
def test_join(compare: Compare, group: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        def ask(of: str, member_id: str = "", protocols: tuple[str, ...] = ("range",), **more: Any) -> Any:
            request = groups.join_request(of, member_id, protocols, rebalance_timeout_ms=500, **more)
            return unordered(client.ask(join_group, version, request), "members")

        member_id, _ = groups.stable(client, group)
        answers = {
            "first": ask(group + "-a"),
            "no group": ask(""),
            "session too short": ask(group + "-b", session_timeout_ms=5),
            "session too long": ask(group + "-c", session_timeout_ms=10_000_000),
            "unknown member": ask(group, STRANGER),
            "unknown member of an unknown group": ask(group + "-d", STRANGER),
            "no protocols": ask(group + "-e", "", ()),
            "no protocol type": ask(group + "-f", "", protocol_type=""),
            "other protocol type": ask(group, member_id, protocol_type="connect"),
            "other protocols": ask(group, member_id, ("sticky",)),
            "no protocol in common": ask(group, "", ("sticky",)),
            "the leader again": ask(group, member_id),
        }
        if version >= 5:
            answers["static"] = ask(group + "-g", instance="one")
            answers["static again"] = ask(group + "-g", instance="one")
            answers["static with a strange id"] = ask(group + "-g", STRANGER, instance="one")
            answers["no instance of that name"] = ask(group + "-g", STRANGER, instance="two")
            answers["empty instance"] = ask(group + "-g", instance="")
        return answers

    compare(script)


@pytest.mark.api("SyncGroup")
@pytest.mark.parametrize("version", versions(sync_group))
def test_sync(compare: Compare, group: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        static = group + "-static"
        member_id, generation = groups.new_member(client, group)
        static_id, static_generation = groups.new_member(client, static, "one")
        sync = groups.sync_request
        requests: dict[str, Any] = {
            "stranger": sync(group, STRANGER, generation),
            "old generation": sync(group, member_id, generation - 1),
            "generation to come": sync(group, member_id, generation + 1),
            "no group": sync("", member_id, generation),
            "unknown group": sync(group + "-not", member_id, generation),
            "other type": sync(group, member_id, generation, protocol_type="connect"),
            "other protocol": sync(group, member_id, generation, protocol_name="sticky"),
            "good": sync(group, member_id, generation),
            "again": sync(group, member_id, generation),
        }
        if version >= 3:
            requests |= {
                "no such instance": sync(static, static_id, static_generation, "two"),
                "fenced instance": sync(static, STRANGER, static_generation, "one"),
                "static": sync(static, static_id, static_generation, "one"),
            }
        return client.ask_all(sync_group, version, requests)

    compare(script)


@pytest.mark.api("Heartbeat")
@pytest.mark.parametrize("version", versions(heartbeat))
def test_heartbeat(compare: Compare, group: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        unsynced, static = group + "-unsynced", group + "-static"
        member_id, generation = groups.stable(client, group)
        unsynced_id, unsynced_generation = groups.new_member(client, unsynced)
        static_id, static_generation = groups.stable(client, static, "one")
        beat = heartbeat.HeartbeatRequest
        requests = {
            "good": beat(group, generation, member_id),
            "stranger": beat(group, generation, STRANGER),
            "nobody": beat(group, generation, ""),
            "old generation": beat(group, generation - 1, member_id),
            "generation to come": beat(group, generation + 1, member_id),
            "no group": beat("", generation, member_id),
            "unknown group": beat(group + "-not", generation, member_id),
            "before the sync": beat(unsynced, unsynced_generation, unsynced_id),
            "static, without saying so": beat(static, static_generation, static_id),
        }
        if version >= 3:
            requests |= {
                "static": beat(static, static_generation, static_id, "one"),
                "no such instance": beat(static, static_generation, static_id, "two"),
                "fenced instance": beat(static, static_generation, STRANGER, "one"),
            }
        return client.ask_all(heartbeat, version, requests)

    compare(script)


@pytest.mark.api("LeaveGroup")
@pytest.mark.parametrize("version", versions(leave_group))
def test_leave(compare: Compare, group: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        static = group + "-static"
        member_id, _ = groups.stable(client, group)
        static_id, _ = groups.stable(client, static, "one")
        member = leave_group.MemberIdentity

        def leave(of: str, *members: leave_group.MemberIdentity) -> leave_group.LeaveGroupRequest:
            if version >= 3:
                return leave_group.LeaveGroupRequest(of, members=members)
            return leave_group.LeaveGroupRequest(of, members[0].member_id)

        requests = {
            "stranger": leave(group, member(STRANGER)),
            "no group": leave("", member(member_id)),
            "unknown group": leave(group + "-not", member(member_id)),
            "good": leave(group, member(member_id)),
            "again": leave(group, member(member_id)),
        }
        if version >= 3:
            requests |= {
                "nobody": leave(group),
                "no such instance": leave(static, member("", "two")),
                "fenced instance": leave(static, member(STRANGER, "one")),
                "several": leave(
                    static, member(STRANGER), member("", "two"), member("", "one"), member(static_id, "one")
                ),
            }
        return client.ask_all(leave_group, version, requests)

    compare(script)


@pytest.mark.api("LeaveGroup")
@pytest.mark.parametrize("version", versions(leave_group, since=3))
def test_leave_together(compare: Compare, group: str, version: int) -> None:
    """A mistake of each kind beside another, and beside one who may leave: its id is given, but it has not joined."""

    def script(client: RawClient) -> dict[str, Any]:
        groups.stable(client, group, "one")
        member = leave_group.MemberIdentity
        kinds = {
            "stranger": member(STRANGER),
            "no such instance": member("", "two"),
            "fenced instance": member(STRANGER, "one"),
            "neither": member(""),
        }
        answers = {}
        for what, several in together(kinds).items():
            pending = client.call(join_group.API_KEY, groups.JOIN_VERSION, groups.join_request(group)).member_id
            for name, members in {what: several, what + ", good": [*several, member(pending)]}.items():
                answers[name] = client.ask(leave_group, version, leave_group.LeaveGroupRequest(group, members=members))
        return answers

    compare(script)
