"""OffsetForLeaderEpoch in every version, on both brokers."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, versions
from kafkacompat.protocol.messages import offset_for_leader_epoch as api

pytestmark = pytest.mark.api("OffsetForLeaderEpoch")

QUESTIONS = {
    "the current epoch": (0, -1, 0),
    "a fenced epoch": (0, -2, 0),
    "an epoch to come": (0, -1, 5),
    "current epoch given": (0, 0, 0),
    "current epoch too new": (0, 7, 0),
    "no epoch": (0, -1, -1),
    "no such partition": (9, -1, 0),
}


@pytest.mark.parametrize("version", versions(api))
def test_end_of_an_epoch(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic)
        topics.produce(client, topic, 7)

        def ask(partition: int, current: int, epoch: int, name: str = topic) -> Any:
            wanted = api.OffsetForLeaderTopic(name, [api.OffsetForLeaderPartition(partition, current, epoch)])
            return client.ask(api, version, api.OffsetForLeaderEpochRequest(-1, [wanted]))

        answers = {name: ask(*question) for name, question in QUESTIONS.items()}
        return {**answers, "no such topic": ask(0, -1, 0, topic + "-not")}

    compare(script)
