"""OffsetFetch in every version, on both brokers."""

from __future__ import annotations

import os
from typing import Any

import pytest

from compat_tests.api import groups, topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient
from kafkacompat.protocol.messages import offset_fetch as api

SEVERAL_SINCE, BY_ID_SINCE = 8, 10
OWN = ["topic_id"]


@pytest.mark.parametrize("version", range(api.MIN_VERSION, api.MAX_VERSION + 1))
def test_every_case(compare: Compare, topic: str, group: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topic_id = topics.create(client, topic, 3)
        groups.commit(client, group, topic, {0: 5, 1: 6})
        everything = None if version >= 2 else ()

        def asked(of: str, wanted: Any, **more: Any) -> api.OffsetFetchRequestGroup:
            named = None if wanted is None else [
                api.OffsetFetchRequestTopics("" if version >= BY_ID_SINCE else name, wanted_id, parts)
                for name, wanted_id, parts in wanted
            ]  # fmt: skip
            return api.OffsetFetchRequestGroup(of, topics=named, **more)

        def fetch(of: str, *parts: int, where: Any = (topic, topic_id), require_stable: bool = False) -> Any:
            return whole(of, [(*where, parts)], require_stable)

        def whole(of: str, wanted: Any, require_stable: bool = False) -> api.OffsetFetchRequest:
            named = None if wanted is None else [api.OffsetFetchRequestTopic(name, parts) for name, _, parts in wanted]
            if version >= SEVERAL_SINCE:
                return api.OffsetFetchRequest(groups=[asked(of, wanted)], require_stable=require_stable)
            return api.OffsetFetchRequest(of, named, require_stable=require_stable)

        requests = {
            "one": fetch(group, 0),
            "all three": fetch(group, 0, 1, 2),
            "twice the same": fetch(group, 0, 0),
            "no such partition": fetch(group, 9, -1),
            "no such topic": fetch(group, 0, where=(topic + "-not", os.urandom(16))),
            "unknown group": fetch(group + "-not", 0),
            "no group": fetch("", 0),
            "no partitions": fetch(group),
            "no topics": whole(group, []),
            "everything": whole(group, everything),
            "everything of an unknown group": whole(group + "-not", everything),
            "stable": fetch(group, 0, require_stable=version >= 7),
        }
        if version >= SEVERAL_SINCE:
            where = [(topic, topic_id, [0, 1])]
            several = [asked(group, where), asked(group + "-not", where), asked("", where), asked(group, None)]
            requests["several groups"] = api.OffsetFetchRequest(groups=several)
            requests["no groups"] = api.OffsetFetchRequest()
        if version >= 9:
            member = asked(group, [(topic, topic_id, [0])], member_id="somebody", member_epoch=4)
            requests["for a member"] = api.OffsetFetchRequest(groups=[member])
        return client.ask_all(api, version, requests, OWN)

    compare(script)
