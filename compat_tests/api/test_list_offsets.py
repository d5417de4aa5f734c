"""ListOffsets in every version, on both brokers."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, versions
from kafkacompat.protocol.messages import list_offsets as api

pytestmark = pytest.mark.api("ListOffsets")

LATEST, EARLIEST, MAX_TIMESTAMP, EARLIEST_LOCAL, LATEST_TIERED, EARLIEST_PENDING = -1, -2, -3, -4, -5, -6
TIMES = (
    LATEST, EARLIEST, MAX_TIMESTAMP, EARLIEST_LOCAL, LATEST_TIERED, EARLIEST_PENDING, -7,
    0, topics.BASE_TIMESTAMP_MS + 3, topics.BASE_TIMESTAMP_MS + 9, topics.BASE_TIMESTAMP_MS + 100,
)  # fmt: skip


@pytest.mark.parametrize("version", versions(api))
def test_every_time(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 2)
        topics.produce(client, topic, 7)
        topics.produce(client, topic, 3)

        def ask(partition: int, timestamp: int, epoch: int = -1, name: str = topic, isolation: int = 0) -> Any:
            part = api.ListOffsetsPartition(partition, epoch, timestamp)
            request = api.ListOffsetsRequest(-1, isolation, [api.ListOffsetsTopic(name, [part])])
            return client.ask(api, version, request)

        answers = {f"partition {p} at {when}": ask(p, when) for p in (0, 1) for when in TIMES}
        answers["committed only"] = ask(0, LATEST, isolation=1) if version >= 2 else None
        answers["stale epoch"] = ask(0, LATEST, epoch=0)
        answers["epoch to come"] = ask(0, LATEST, epoch=3)
        answers["no such partition"] = ask(5, LATEST)
        answers["no such topic"] = ask(0, LATEST, name=topic + "-not")
        return answers

    compare(script)
