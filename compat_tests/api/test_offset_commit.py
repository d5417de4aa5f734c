"""OffsetCommit in every version, on both brokers."""

from __future__ import annotations

import os
from typing import Any

import pytest

from compat_tests.api import groups, topics
from compat_tests.api.combined import every_day, together
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, unordered, versions
from kafkacompat.protocol.messages import offset_commit as api

pytestmark = pytest.mark.api("OffsetCommit")
BY_ID_SINCE, STATIC_SINCE = 10, 7
OWN = ["topic_id"]
STRANGER = "raw-00000000-0000-0000-0000-000000000000"


@pytest.mark.parametrize("version", versions(api))
def test_every_case(compare: Compare, topic: str, group: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topic_id = topics.create(client, topic, 2)
        active, static = group + "-active", group + "-static"
        member_id, generation = groups.stable(client, active)
        static_id, static_generation = groups.stable(client, static, "one")

        def commit(
            of: str = group, *parts: Any, member: tuple[Any, ...] = (), where: Any = (topic, topic_id), **more: Any
        ) -> api.OffsetCommitRequest:
            name, wanted_id = where
            wanted = api.OffsetCommitRequestTopic(
                "" if version >= BY_ID_SINCE else name,
                wanted_id,
                [api.OffsetCommitRequestPartition(*part) for part in parts or [(0, 5)]],
            )
            request = api.OffsetCommitRequest(of, *member, **more)
            request.topics = [wanted]
            return request

        requests = {
            "simple": commit(),
            "two partitions": commit(group, (0, 6), (1, 7)),
            "twice the same": commit(group, (0, 6), (0, 8)),
            "with metadata and epoch": commit(group, (0, 6, 3, "note")),
            "null metadata": commit(group, (0, 6, -1, None)),
            "longest metadata": commit(group, (0, 6, -1, "x" * 4096)),
            "metadata too long": commit(group, (0, 6, -1, "x" * 4097), (1, 1)),
            "negative offset": commit(group, (0, -1)),
            "offset far below": commit(group, (0, -9)),
            "no such partition": commit(group, (9, 6), (0, 6)),
            "negative partition": commit(group, (-1, 6)),
            "no such topic": commit(where=(topic + "-not", os.urandom(16))),
            "bad topic name": commit(where=("not a name", bytes(16))),
            "no partitions": api.OffsetCommitRequest(group, topics=[api.OffsetCommitRequestTopic(topic, topic_id)]),
            "nothing": api.OffsetCommitRequest(group),
            "no group": commit(""),
            "stranger of an unknown group": commit(group + "-not", member=(3, STRANGER)),
            "unknown generation of an unknown group": commit(group + "-not", member=(3, "")),
            "stranger": commit(active, member=(generation, STRANGER)),
            "nobody": commit(active),
            "old generation": commit(active, member=(generation - 1, member_id)),
            "generation to come": commit(active, member=(generation + 1, member_id)),
            "member": commit(active, member=(generation, member_id)),
            "member of an empty group": commit(group, member=(0, STRANGER)),
        }
        if version >= 7:
            requests |= {
                "static": commit(static, member=(static_generation, static_id, "one")),
                "no such instance": commit(static, member=(static_generation, static_id, "two")),
                "fenced instance": commit(static, member=(static_generation, STRANGER, "one")),
            }
        if version < 5:
            requests["kept for a second"] = commit(retention_time_ms=1000)
        return client.ask_all(api, version, requests, OWN)

    compare(script)


@pytest.mark.parametrize("version", every_day(versions(api), 7))
def test_who_and_what(compare: Compare, topic: str, group: str, version: int) -> None:
    """Whoever may not commit, and each mistake beside another and beside what is right."""
    by_id = version >= BY_ID_SINCE
    parts = {"good": (0, 5, -1, ""), "no such partition": (9, 5, -1, ""), "long metadata": (1, 5, -1, "x" * 4097)}

    def script(client: RawClient) -> dict[str, Any]:
        known = ("" if by_id else topic, topics.create(client, topic, 2))
        strange = ("" if by_id else topic + "-not", os.urandom(16))
        rows = {what: [(known, wanted)] for what, wanted in together(parts).items()}
        rows["no partitions"] = [(known, [])]
        rows["the topic twice"] = [(known, [parts["good"]]), (known, [parts["long metadata"]])]
        rows["the topic twice, no such partition"] = [(known, [parts["good"]]), (known, [parts["no such partition"]])]
        rows |= {what + ", unknown topic": [(strange, [parts["good"]]), *wanted] for what, wanted in rows.items()}
        rows["unknown topic"] = [(strange, [parts["good"]])]
        answers = {}
        for who, (of, *member) in members(client, group, version).items():
            for what, wanted in rows.items():
                request = api.OffsetCommitRequest(of, *member)
                request.topics = [
                    api.OffsetCommitRequestTopic(
                        name, topic_id, [api.OffsetCommitRequestPartition(*p) for p in several]
                    )
                    for (name, topic_id), several in wanted
                ]
                answers[f"{who}: {what}"] = client.ask(api, version, request, OWN)
        return unordered(answers, "topics", "partitions")

    compare(script)


def members(client: RawClient, group: str, version: int) -> dict[str, tuple[Any, ...]]:
    """Groups with those who commit for them: generation, member id and instance."""
    member_id, generation = groups.stable(client, group)
    joining, static, joining_generation = group + "-joining", group + "-static", 1
    joining_id, joining_generation = groups.new_member(client, joining)
    who: dict[str, tuple[Any, ...]] = {
        "simple": (group + "-simple",),
        "member": (group, generation, member_id),
        "nobody": (group,),
        "stranger": (group, generation, STRANGER),
        "old generation": (group, generation - 1, member_id),
        "before the sync": (joining, joining_generation, joining_id),
        "of no group": (group + "-not", generation, STRANGER),
        "no group": ("", generation, member_id),
    }
    if version >= STATIC_SINCE:
        _, static_generation = groups.stable(client, static, "one")
        who["fenced"] = (static, static_generation, STRANGER, "one")
    return who
