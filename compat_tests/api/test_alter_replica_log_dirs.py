"""AlterReplicaLogDirs (34), every version: its answers where there is one directory, and no move to another."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, versions
from kafkacompat.protocol.messages import alter_replica_log_dirs, describe_log_dirs
from kafkacompat.protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)

LONGEST = 213  # of a topic's name, with ".<32 hex>-future" and a number of one digit


def ordered(answer: Any) -> Any:
    """Both brokers name topics and partitions in an order of their own."""
    for topic in answer["results"]:
        topic["partitions"].sort(key=lambda each: each["partition_index"])
    answer["results"].sort(key=lambda each: each["topic_name"])
    return answer


@pytest.mark.api("AlterReplicaLogDirs")
@pytest.mark.parametrize("version", versions(alter_replica_log_dirs))
def test_answers(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> list[Any]:
        topics.create(client, topic, 2)
        asked = describe_log_dirs.DescribeLogDirsRequest(None)
        here = client.call(describe_log_dirs.API_KEY, 4, asked).results[0].log_dir

        def alter(path: str, name: str, *indexes: int) -> AlterReplicaLogDir:
            return AlterReplicaLogDir(path, [AlterReplicaLogDirTopic(name, indexes)])

        requests = [
            AlterReplicaLogDirsRequest([alter(here, topic, 0, 1)]),
            AlterReplicaLogDirsRequest([alter(here, topic, 5, -1), alter("/nowhere", topic, 1, 9)]),
            AlterReplicaLogDirsRequest([alter("/nowhere", topic, 0), alter(here, topic, 0)]),
            AlterReplicaLogDirsRequest([alter("", topic, 0)]),
            AlterReplicaLogDirsRequest([alter(here + "/", topic, 0)]),
            AlterReplicaLogDirsRequest([alter(here, "unknown", 0), alter(here, topic, 1)]),
            AlterReplicaLogDirsRequest([alter(here, "x" * LONGEST, 0)]),
            AlterReplicaLogDirsRequest([alter(here, "x" * (LONGEST + 1), 0), alter("/nowhere", "x" * 250, 0)]),
            AlterReplicaLogDirsRequest([alter(here, "not/a/topic", 0)]),
            AlterReplicaLogDirsRequest([alter(here, "", 0)]),
            AlterReplicaLogDirsRequest([alter(here, "__cluster_metadata", 0)]),
            AlterReplicaLogDirsRequest([alter(here, topic)]),
            AlterReplicaLogDirsRequest([]),
        ]
        return [ordered(client.ask(alter_replica_log_dirs, version, request)) for request in requests]

    compare(script)
