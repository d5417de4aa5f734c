"""OffsetFetch in every version, on both brokers."""

from __future__ import annotations

import os
import time
from typing import Any

import pytest

from compat_tests.api import groups, topics
from compat_tests.api.combined import every_day, together
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import TIMEOUT_S, RawClient, versions
from kafkacompat.protocol.messages import delete_topics
from kafkacompat.protocol.messages import offset_fetch as api

pytestmark = pytest.mark.api("OffsetFetch")
SEVERAL_SINCE, MEMBER_SINCE, BY_ID_SINCE = 8, 9, 10
OWN = ["topic_id"]
SILENCE_S = 20.0
"""After which Kafka 3.9, which never answers a request that names no group, is taken to be silent."""


@pytest.mark.parametrize("version", versions(api))
def test_every_case(compare: Compare, topic: str, group: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topic_id = topics.create(client, topic, 3)
        groups.commit(client, group, topic, {0: 5, 1: 6}, note="a note")
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
        if version >= 9:
            member = asked(group, [(topic, topic_id, [0])], member_id="somebody", member_epoch=4)
            requests["for a member"] = api.OffsetFetchRequest(groups=[member])
        answers = client.ask_all(api, version, requests, OWN)
        if version >= SEVERAL_SINCE:
            answers["no groups"] = client.ask_within(SILENCE_S, api, version, api.OffsetFetchRequest(), OWN)
        return answers

    compare(script)


@pytest.mark.parametrize("version", versions(api, since=SEVERAL_SINCE))
def test_groups_together(compare: Compare, topic: str, group: str, version: int) -> None:
    """A question of each kind about a group beside another."""

    def script(client: RawClient) -> dict[str, Any]:
        by_id = version >= BY_ID_SINCE
        topic_id = topics.create(client, topic, 3)
        groups.commit(client, group, topic, {0: 5, 1: 6})
        groups.stable(client, group + "-active")
        strange = os.urandom(16)

        def asked(of: str, parts: Any = (0, 2), where: Any = (topic, topic_id), **more: Any) -> Any:
            named = [api.OffsetFetchRequestTopics("" if by_id else where[0], where[1], parts)]
            return api.OffsetFetchRequestGroup(of, topics=None if parts is None else named, **more)

        kinds = {
            "good": asked(group),
            "everything": asked(group, None),
            "no partitions": asked(group, ()),
            "unknown topic": asked(group, where=(topic + "-not", strange)),
            "unknown group": asked(group + "-not"),
            "everything of an unknown group": asked(group + "-not", None),
            "no name": asked(""),
            "active group": asked(group + "-active"),
        }
        if version >= MEMBER_SINCE:
            kinds["for a member"] = asked(group + "-active", member_id="somebody", member_epoch=4)
            kinds["for a member of no group"] = asked(group + "-not", member_id="somebody", member_epoch=4)
        answers = {}
        for stable in (False, True):
            for what, several in together(kinds).items():
                request = api.OffsetFetchRequest(groups=several, require_stable=stable)
                answers[f"{what} {stable}"] = client.ask(api, version, request, OWN)
        return answers

    compare(script)


@pytest.mark.parametrize("version", every_day(versions(api), 8))
def test_after_the_topic(compare: Compare, topic: str, group: str, version: int) -> None:
    """A deleted topic takes its offsets with it; one of the same name made anew has none."""

    def script(client: RawClient) -> list[Any]:
        said = []
        for offset in (5, 6):
            topic_id = topics.create(client, topic)
            groups.commit(client, group, topic, {0: offset})
            name = "" if version >= BY_ID_SINCE else topic
            request = api.OffsetFetchRequest(group, [api.OffsetFetchRequestTopic(name, [0])])
            if version >= SEVERAL_SINCE:
                wanted = api.OffsetFetchRequestTopics(name, topic_id, [0])
                request = api.OffsetFetchRequest(groups=[api.OffsetFetchRequestGroup(group, topics=[wanted])])
            said.append(client.ask(api, version, request, OWN))
            state = delete_topics.DeleteTopicState(topic)
            said.append(
                client.ask(delete_topics, 6, delete_topics.DeleteTopicsRequest([state], timeout_ms=30_000), OWN)
            )
            whole = api.OffsetFetchRequest(group, None)
            deadline = time.monotonic() + TIMEOUT_S
            while client.call(api.API_KEY, 5, whole).topics:
                assert time.monotonic() < deadline, "offsets of a deleted topic"
                time.sleep(0.02)
            said.append(client.ask(api, version, request, OWN))
        return said

    compare(script)
