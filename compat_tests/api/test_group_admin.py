"""DescribeGroups, ListGroups and DeleteGroups in every version, on both brokers."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api import groups, topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient
from kafkacompat.protocol.messages import delete_groups, describe_groups, leave_group, list_groups


def in_every_state(client: RawClient, group: str, topic: str) -> list[str]:
    """Groups: stable, static, between join and sync, emptied, with offsets alone."""
    topics.create(client, topic)
    names = [f"{group}-{state}" for state in ("stable", "static", "joining", "emptied", "offsets")]
    stable, static, joining, emptied, offsets = names
    groups.stable(client, stable)
    groups.stable(client, static, "one")
    groups.new_member(client, joining)
    gone, _ = groups.stable(client, emptied)
    goodbye = leave_group.LeaveGroupRequest(emptied, members=[leave_group.MemberIdentity(gone)])
    assert client.call(leave_group.API_KEY, 5, goodbye).error_code == 0
    groups.commit(client, offsets, topic, {0: 1})
    return names


@pytest.mark.parametrize("version", range(describe_groups.MIN_VERSION, describe_groups.MAX_VERSION + 1))
def test_describe(compare: Compare, group: str, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        describe = describe_groups.DescribeGroupsRequest
        names = in_every_state(client, group, topic)
        requests = {name.removeprefix(group): describe([name]) for name in names}
        requests |= {
            "unknown": describe([group + "-not"]),
            "no name": describe([""]),
            "two and an unknown one": describe([names[0], group + "-not", names[1]]),
            "none": describe(),
            "what is allowed": describe(names[:1], version >= 3),
        }
        answers = client.ask_all(describe_groups, version, requests)
        for answer in answers.values():  # they come as the coordinators of their partitions answer
            answer["groups"].sort(key=lambda found: str(found["group_id"]))
        return answers

    compare(script)


@pytest.mark.parametrize("version", range(list_groups.MIN_VERSION, list_groups.MAX_VERSION + 1))
def test_list(compare: Compare, group: str, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        in_every_state(client, group, topic)

        def listed(*arguments: tuple[str, ...]) -> Any:
            answer = client.ask(list_groups, version, list_groups.ListGroupsRequest(*arguments))
            ours = [found for found in answer["groups"] if found["group_id"].startswith(group)]
            return {**answer, "groups": sorted(ours, key=lambda found: str(found["group_id"]))}

        answers = {"all": listed()}
        if version >= 4:
            for states in (("Stable",), ("empty",), ("CompletingRebalance", "Stable"), ("NoSuch",), ("",)):
                answers[f"states {states}"] = listed(states)
        if version >= 5:
            for types in (("classic",), ("Classic",), ("consumer",), ("consumer", "classic"), ("nonsense",), ("",)):
                answers[f"types {types}"] = listed((), types)
        return answers

    compare(script)


@pytest.mark.parametrize("version", range(delete_groups.MIN_VERSION, delete_groups.MAX_VERSION + 1))
def test_delete(compare: Compare, group: str, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        delete = delete_groups.DeleteGroupsRequest
        names = in_every_state(client, group, topic)
        requests = {name.removeprefix(group): delete([name]) for name in names}
        requests |= {
            "again": delete([names[-1]]),
            "unknown": delete([group + "-not"]),
            "no name": delete([""]),
            "several": delete([names[0], group + "-not", names[0]]),
            "none": delete(),
        }
        answers = client.ask_all(delete_groups, version, requests)
        for answer in answers.values():
            answer["results"].sort(key=lambda result: result["group_id"])
        return answers

    compare(script)
