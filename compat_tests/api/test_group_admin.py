"""DescribeGroups, ListGroups and DeleteGroups in every version, on both brokers."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api import groups, topics
from compat_tests.api.combined import every_day, together
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, versions
from kafkacompat.protocol.messages import (
    delete_groups,
    describe_groups,
    leave_group,
    list_groups,
    offset_commit,
    offset_fetch,
)


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


@pytest.mark.api("DescribeGroups")
@pytest.mark.parametrize("version", versions(describe_groups))
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


@pytest.mark.api("ListGroups")
@pytest.mark.parametrize("version", versions(list_groups))
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


@pytest.mark.api("DeleteGroups")
@pytest.mark.parametrize("version", versions(delete_groups))
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


@pytest.mark.api("DescribeGroups")
@pytest.mark.parametrize("version", every_day(versions(describe_groups), 4))
def test_describe_together(compare: Compare, group: str, topic: str, version: int) -> None:
    """A group of each kind beside another, and beside ids that are none's."""

    def script(client: RawClient) -> dict[str, Any]:
        names = in_every_state(client, group, topic)
        kinds = {name.removeprefix(group): name for name in names} | {"unknown": group + "-not", "no name": ""}
        requests = {what: describe_groups.DescribeGroupsRequest(several) for what, several in together(kinds).items()}
        answers = client.ask_all(describe_groups, version, requests)
        for answer in answers.values():
            answer["groups"].sort(key=lambda found: str(found["group_id"]))
        return answers

    compare(script)


@pytest.mark.api("DeleteGroups")
@pytest.mark.parametrize("version", every_day(versions(delete_groups)))
def test_delete_together(compare: Compare, group: str, topic: str, version: int) -> None:
    """A mistake of each kind beside another, and beside a group that can go."""

    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic)
        groups.stable(client, group)
        kinds = {"with members": group, "unknown": group + "-not", "no name": ""}
        answers = {}
        for what, several in together(kinds).items():
            groups.commit(client, group + "-offsets", topic, {0: 1})
            for name, wanted in {what: several, what + ", good": [*several, group + "-offsets"]}.items():
                answers[name] = client.ask(delete_groups, version, delete_groups.DeleteGroupsRequest(wanted))
        for answer in answers.values():
            answer["results"].sort(key=lambda result: result["group_id"])
        return answers

    compare(script)


@pytest.mark.api("DeleteGroups", "OffsetCommit", "OffsetFetch")
@pytest.mark.parametrize("version", every_day(versions(delete_groups)))
def test_begin_anew(compare: Compare, group: str, topic: str, version: int) -> None:
    """A deleted group's offsets are gone; a commit makes a group of the same name that has nothing of the old one."""

    def script(client: RawClient) -> list[Any]:
        topics.create(client, topic, 2)
        delete = delete_groups.DeleteGroupsRequest([group])
        everything = offset_fetch.OffsetFetchRequest(group, None)
        described = describe_groups.DescribeGroupsRequest([group])
        said = []
        for offsets in ({0: 1, 1: 2}, {1: 3}):
            groups.commit(client, group, topic, offsets)
            said += [client.ask(offset_fetch, 5, everything), client.ask(describe_groups, 5, described)]
            said += [client.ask(delete_groups, version, delete), client.ask(offset_fetch, 5, everything)]
        member_id, _ = groups.stable(client, group)
        said.append(client.ask(delete_groups, version, delete))
        goodbye = leave_group.LeaveGroupRequest(group, members=[leave_group.MemberIdentity(member_id)])
        said.append(client.ask(leave_group, 5, goodbye))
        part = offset_commit.OffsetCommitRequestPartition(0, 1)
        commit = offset_commit.OffsetCommitRequest(group, topics=[
            offset_commit.OffsetCommitRequestTopic(topic, partitions=[part]),
        ])  # fmt: skip
        said += [client.ask(offset_commit, 8, commit), client.ask(delete_groups, version, delete)]
        return [*said, client.ask(delete_groups, version, delete)]

    compare(script)
