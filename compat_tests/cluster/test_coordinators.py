"""Groups on three brokers: whose they are, and what becomes of them when that one goes."""

from __future__ import annotations

import time
from typing import Any

import pytest

from compat_tests.api import groups
from compat_tests.api.combined import every_day
from compat_tests.api.raw import versions
from compat_tests.cluster.conftest import Compare
from compat_tests.cluster.party import Party
from kafkacompat.protocol.messages import (
    describe_groups,
    find_coordinator,
    heartbeat,
    incremental_alter_configs,
    join_group,
    list_groups,
    offset_commit,
    offset_fetch,
)

NOT_COORDINATOR, LOADING = 16, 14
AT_ONCE_S = 3.0
"""Less than brokers wait for a commit."""


def commit(group: str, topic: str, offset: int) -> offset_commit.OffsetCommitRequest:
    part = offset_commit.OffsetCommitRequestPartition(0, offset, committed_metadata="m")
    return offset_commit.OffsetCommitRequest(
        group, topics=[offset_commit.OffsetCommitRequestTopic(topic, partitions=[part])]
    )


def committed(group: str, topic: str, *, stable: bool = False) -> offset_fetch.OffsetFetchRequest:
    asked = [offset_fetch.OffsetFetchRequestTopic(topic, [0])]
    return offset_fetch.OffsetFetchRequest(group, asked, require_stable=stable)


@pytest.mark.api("FindCoordinator")
@pytest.mark.parametrize("version", every_day(versions(find_coordinator), 4))
def test_every_node_names_the_same(compare: Compare, version: int) -> None:
    def script(party: Party) -> Any:
        found: dict[Any, Any] = {}
        for node in (1, 2, 3):
            party.coordinator("any", node)
            request = (
                find_coordinator.FindCoordinatorRequest(coordinator_keys=["g1", "g2", "g3"])
                if version >= 4
                else find_coordinator.FindCoordinatorRequest("g1")
            )
            answer = party.ask(find_coordinator, version, request, node)
            for each in (answer, *answer.get("coordinators", ())):
                assert each["node_id"] in (1, 2, 3, 0 if version >= 4 else 1), each
                found.setdefault(each.get("key", ""), set()).add(each.pop("node_id"))
            found[node] = answer
        return {who: len(named) if isinstance(named, set) else named for who, named in found.items()}

    compare(script)


@pytest.mark.api("Heartbeat", "OffsetCommit", "OffsetFetch", "DescribeGroups")
def test_the_others_are_not_the_coordinator(compare: Compare) -> None:
    def script(party: Party) -> Any:
        name = party.create([[1, 2, 3]])
        group = party.group_of(2)
        found = {}
        for node in (2, 1, 3):
            found[node] = {
                "commit": party.ask(offset_commit, 7, commit(group, name, 5), node),
                "committed": party.ask(offset_fetch, 7, committed(group, name), node),
                "describe": party.ask(describe_groups, 5, describe_groups.DescribeGroupsRequest([group]), node),
                "beat": party.ask(heartbeat, 4, heartbeat.HeartbeatRequest(group, 1, "m"), node),
                "join": party.ask(join_group, 7, groups.join_request(group, "nobody", ("range",)), node),
                "list": [
                    each for each in party.ask(list_groups, 4, list_groups.ListGroupsRequest(), node)["groups"]
                    if each["group_id"] == party.plain(group)
                ],
            }  # fmt: skip
        return _same_group(found, party.plain(group))

    compare(script)


def _same_group(value: Any, group: str) -> Any:
    """Facts in which a group that was found by trying has one name on both sides."""
    if isinstance(value, dict):
        return {name: _same_group(item, group) for name, item in value.items()}
    if isinstance(value, list):
        return [_same_group(item, group) for item in value]
    return value.replace(group, "GROUP") if isinstance(value, str) else value


@pytest.mark.api("OffsetCommit", "OffsetFetch", "FindCoordinator")
@pytest.mark.parametrize("stops", ["kill", pytest.param("stop", marks=pytest.mark.full)])
def test_a_group_outlives_its_coordinator(compare: Compare, stops: str) -> None:
    """What was committed is there at the next coordinator, and at the first when it is back and leads again."""

    def script(party: Party) -> Any:
        name = party.create([[1, 2, 3]])
        group = party.group_of(3)
        found = {"commit": party.ask(offset_commit, 7, commit(group, name, 5), 3)}
        try:
            getattr(party, stops)(3)
            party.wait(lambda: party.coordinator(group) != 3, "nobody takes the group over")
            heir = party.coordinator(group)
            party.wait(lambda: _committed(party, heir, group, name) == 5, "the group is not loaded")
            found["committed"] = party.ask(offset_fetch, 7, committed(group, name), heir)
            found["commit again"] = party.ask(offset_commit, 7, commit(group, name, 6), heir)
            found["the third"] = party.ask(offset_fetch, 7, committed(group, name), 3 - heir)
        finally:
            party.restore()
        heir = party.coordinator(group)
        party.wait(lambda: _committed(party, heir, group, name) == 6, "the group is not loaded")
        found["in the end"] = party.ask(offset_fetch, 7, committed(group, name), heir)
        return _same_group(found, party.plain(group))

    compare(script)


@pytest.mark.api("OffsetCommit", "OffsetFetch", "DescribeGroups", "ListGroups", "JoinGroup", "SyncGroup")
def test_too_few_replicas_keep_nobody_from_reading(compare: Compare) -> None:
    """First with a commit that waits for the third replica, then where nothing may be written any more."""

    def script(party: Party) -> Any:
        name = party.create([[1, 2, 3]])
        group = party.group_of(3)
        member, generation = groups.stable(party.on(3), group)

        def commit_of_member(offset: int) -> Any:
            request = commit(group, name, offset)
            request.member_id, request.generation_id_or_member_epoch = member, generation
            return party.ask(offset_commit, 7, request, 3)

        def shown() -> dict[str, Any]:
            began = time.monotonic()
            described = describe_groups.DescribeGroupsRequest([group])
            answers = {
                "committed": party.ask(offset_fetch, 7, committed(group, name), 3),
                "described": party.ask(describe_groups, 5, described, 3),
                "listed": [
                    each for each in party.ask(list_groups, 4, list_groups.ListGroupsRequest(), 3)["groups"]
                    if each["group_id"] == party.plain(group)
                ],
            }  # fmt: skip
            assert time.monotonic() - began < AT_ONCE_S
            return answers

        found = {"commit": commit_of_member(5)}
        _set_min_isr(party, "3")
        try:
            time.sleep(1)  # until the others know what is committed
            party.nodes.pause(2)
            found["commit on its way"] = commit_of_member(6)
            found["meanwhile"] = shown()
            found["stable"] = party.ask(offset_fetch, 7, committed(group, name, stable=True), 3)
            party.kill(2)
            party.wait(lambda: _is_refused(party, name), "the in-sync set does not shrink")
            found["without"] = shown()
            found["refused"] = commit_of_member(7)
            found["behind it"] = shown()
        finally:
            _set_min_isr(party, "1")
            party.restore()
        return _same_group(found, party.plain(group))

    compare(script)


@pytest.mark.full
@pytest.mark.api("OffsetCommit", "OffsetFetch")
def test_a_new_coordinator_under_too_few_replicas_answers_what_was_committed(compare: Compare) -> None:
    """Neither older than that, nor what its predecessor had no replica for, which is in the log all the same."""

    def script(party: Party) -> Any:
        name = party.create([[1, 2, 3]])
        group = party.group_of(3)
        found = {"commit": party.ask(offset_commit, 7, commit(group, name, 5), 3)}
        _set_min_isr(party, "3")
        try:
            time.sleep(1)  # until the others know what is committed
            party.nodes.pause(2)
            found["commit on its way"] = party.ask(offset_commit, 7, commit(group, name, 6), 3)
            party.kill(3, waits=False)  # with two of three standing still nobody could notice
            party.nodes.resume(2)
            party.wait(lambda: party.coordinator(group) != 3, "nobody takes the group over")
            heir = party.coordinator(group)
            party.wait(lambda: _committed(party, heir, group, name) >= 0, "the group is not loaded")
            assert _committed(party, heir, group, name) == 5
            found["committed"] = party.ask(offset_fetch, 7, committed(group, name), heir)
            found["refused"] = party.ask(offset_commit, 7, commit(group, name, 7), heir)
            found["behind it"] = party.ask(offset_fetch, 7, committed(group, name), heir)
        finally:
            _set_min_isr(party, "1")
            party.restore()
        return _same_group(found, party.plain(group))

    compare(script)


def _is_refused(party: Party, topic: str) -> bool:
    """Whether a group without members may commit no more."""
    answer = party.on(3).call(offset_commit.API_KEY, 7, commit(party.group_of(3) + "-probe", topic, 1))
    return bool(answer.topics[0].partitions[0].error_code)


def _set_min_isr(party: Party, value: str) -> None:
    config = incremental_alter_configs.AlterableConfig("min.insync.replicas", 0, value)
    resource = incremental_alter_configs.AlterConfigsResource(2, "__consumer_offsets", [config])
    request = incremental_alter_configs.IncrementalAlterConfigsRequest([resource])
    answer = party.quietly(lambda client: client.call(incremental_alter_configs.API_KEY, 1, request))
    assert answer.responses[0].error_code == 0, answer


def _committed(party: Party, node: int, group: str, topic: str) -> int:
    """Of a group that was just loaded Apache Kafka shows old offsets until the high watermark has caught up."""
    answer = party.on(node).call(offset_fetch.API_KEY, 7, committed(group, topic))
    return -1 if answer.error_code else int(answer.topics[0].partitions[0].committed_offset)
