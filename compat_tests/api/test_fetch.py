"""Fetch in every version, on both brokers."""

from __future__ import annotations

import os
from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, versions
from kafkacompat.protocol.messages import fetch as api

pytestmark = pytest.mark.api("Fetch")

BY_ID_SINCE = 13
OWN = ["topic_id", "session_id", "host", "port"]
SPOTS = {
    "from the start": (0, 0, -1),
    "in the middle of a batch": (0, 3, -1),
    "second batch": (0, 7, -1),
    "at the end": (0, 10, -1),
    "after the end": (0, 11, -1),
    "before the start": (0, -1, -1),
    "empty partition": (1, 0, -1),
    "current epoch": (0, 0, 0),
    "epoch to come": (0, 0, 4),
    "no such partition": (7, 0, -1),
}


@pytest.mark.parametrize("version", versions(api))
def test_every_spot(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topic_id = topics.create(client, topic, 2)
        topics.produce(client, topic, 7)
        topics.produce(client, topic, 3)

        def ask(partition: int, offset: int, epoch: int, size: int = 1 << 20, **more: Any) -> Any:
            name, wanted_id = more.pop("of", (topic, topic_id))
            part = api.FetchPartition(partition, epoch, offset, partition_max_bytes=size)
            wanted = api.FetchTopic("" if version >= BY_ID_SINCE else name, wanted_id, [part])
            request = api.FetchRequest(max_wait_ms=0, min_bytes=0, topics=[wanted], **more)
            return client.ask(api, version, request, OWN)

        answers = {name: ask(*spot) for name, spot in SPOTS.items()}
        answers["one byte still brings a batch"] = ask(0, 0, -1, 1)
        answers["a limit that holds one batch"] = ask(0, 0, -1, 200)
        answers["committed only"] = ask(0, 0, -1, isolation_level=1)
        answers["unknown topic"] = ask(0, 0, -1, of=(topic + "-not", os.urandom(16)))
        return answers

    compare(script)
