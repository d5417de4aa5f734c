"""OffsetCommit and OffsetDelete in every version, on both brokers."""

from __future__ import annotations

import os
from typing import Any

import pytest

from compat_tests.api import groups, topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient
from kafkacompat.protocol.messages import offset_commit as api
from kafkacompat.protocol.messages import offset_delete

BY_ID_SINCE = 10
OWN = ["topic_id"]
STRANGER = "raw-00000000-0000-0000-0000-000000000000"


@pytest.mark.parametrize("version", range(api.MIN_VERSION, api.MAX_VERSION + 1))
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


def test_delete_offsets(compare: Compare, topic: str, group: str) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 2)
        active = group + "-active"
        groups.stable(client, active)
        groups.commit(client, group, topic, {0: 5, 1: 6})

        def delete(of: str, *parts: int, where: str = topic) -> offset_delete.OffsetDeleteRequest:
            wanted = [offset_delete.OffsetDeleteRequestPartition(part) for part in parts]
            return offset_delete.OffsetDeleteRequest(of, [offset_delete.OffsetDeleteRequestTopic(where, wanted)])

        requests = {
            "one": delete(group, 0),
            "again": delete(group, 0),
            "several": delete(group, 0, 1, 9, -1),
            "no such topic": delete(group, 0, where=topic + "-not"),
            "bad topic name": delete(group, 0, where="not a name"),
            "no partitions": delete(group),
            "nothing": offset_delete.OffsetDeleteRequest(group),
            "no group": delete("", 0),
            "unknown group": delete(group + "-not", 0),
            "unknown group, nothing": offset_delete.OffsetDeleteRequest(group + "-not"),
            "active group that does not read it": delete(active, 0),
        }
        answers = client.ask_all(offset_delete, 0, requests)
        for answer in answers.values():
            for found in answer["topics"]:
                found["partitions"].sort(key=lambda part: part["partition_index"])
        return answers

    compare(script)
