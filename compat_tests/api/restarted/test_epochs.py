"""Leader epochs after a restart: what is said to clients that believe in an older, the current, or a later one."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api import fixture_logs
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, unordered, versions
from compat_tests.api.restarted.conftest import FIXTURE_LOG, MORE
from kafkacompat.protocol.messages import fetch, list_offsets, metadata
from kafkacompat.protocol.messages import offset_for_leader_epoch as epochs

pytestmark = pytest.mark.full  # two brokers are started, and started again
OWN = ["topic_id", "host", "port", "cluster_id"]
BY_ID_SINCE, DIVERGENCE_SINCE = 13, 12
SOME = (-2, -1, 0, 1, 2, 3, 4, 9)
"""Epochs to believe in; the leader's own is among them on both brokers."""
PARTITIONS = (fixture_logs.FULL, fixture_logs.EMPTY, fixture_logs.CUT, fixture_logs.NO_PARTITION)


def described(client: RawClient) -> Any:
    answer = client.call(
        metadata.API_KEY, 12, metadata.MetadataRequest([metadata.MetadataRequestTopic(name=FIXTURE_LOG)])
    )
    return answer.topics[0]


@pytest.mark.api("Metadata")
def test_the_epoch_itself(compare: Compare) -> None:
    def script(client: RawClient) -> Any:
        return {part.partition_index: part.leader_epoch for part in described(client).partitions}

    compare(script)


@pytest.mark.api("Fetch")
@pytest.mark.parametrize("version", versions(fetch, 9))
def test_fetch(compare: Compare, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topic_id = described(client).topic_id

        def ask(*parts: fetch.FetchPartition, level: int = 0) -> Any:
            wanted = fetch.FetchTopic("" if version >= BY_ID_SINCE else FIXTURE_LOG, topic_id, list(parts))
            request = fetch.FetchRequest(max_wait_ms=0, min_bytes=0, topics=[wanted], isolation_level=level)
            return client.ask(fetch, version, request, OWN)

        def part(index: int, offset: int, epoch: int, fetched: int = -1) -> fetch.FetchPartition:
            return fetch.FetchPartition(index, epoch, offset, fetched, partition_max_bytes=1 << 20)

        answers = {
            f"{epoch} at {offset}, level {level}": ask(part(fixture_logs.FULL, offset, epoch), level=level)
            for epoch in SOME
            for offset in (0, fixture_logs.END + MORE, 99)
            for level in (0, 1)
        }
        for epoch in SOME:
            answers[f"{epoch} in all"] = ask(*(part(index, 0, epoch) for index in PARTITIONS))
        answers["each another"] = ask(*(part(index, 0, epoch) for epoch, index in enumerate(PARTITIONS)))
        if version >= DIVERGENCE_SINCE:
            for fetched in SOME:
                for offset in (0, 7, fixture_logs.END, fixture_logs.END + MORE, 99):
                    answers[f"fetched {fetched} up to {offset}"] = ask(part(fixture_logs.FULL, offset, -1, fetched))
        return answers

    compare(script)


@pytest.mark.api("ListOffsets")
@pytest.mark.parametrize("version", versions(list_offsets, 4))
def test_list_offsets(compare: Compare, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        def ask(*parts: tuple[int, int, int]) -> Any:
            wanted = [list_offsets.ListOffsetsPartition(*one) for one in parts]
            request = list_offsets.ListOffsetsRequest(-1, 0, [list_offsets.ListOffsetsTopic(FIXTURE_LOG, wanted)])
            return unordered(client.ask(list_offsets, version, request), "partitions")

        answers = {
            f"{epoch} in {index} at {when}": ask((index, epoch, when))
            for epoch in SOME
            for index in PARTITIONS
            for when in (-1, -2)
        }
        for epoch in SOME:
            answers[f"{epoch} in all"] = ask(*((index, epoch, -1) for index in PARTITIONS))
        answers["each another"] = ask(*((index, epoch, -1) for epoch, index in enumerate(PARTITIONS)))
        return answers

    compare(script)


@pytest.mark.api("OffsetForLeaderEpoch")
@pytest.mark.parametrize("version", versions(epochs))
def test_ends_of_epochs(compare: Compare, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        def ask(*parts: tuple[int, int, int]) -> Any:
            wanted = [epochs.OffsetForLeaderPartition(*one) for one in parts]
            request = epochs.OffsetForLeaderEpochRequest(-1, [epochs.OffsetForLeaderTopic(FIXTURE_LOG, wanted)])
            return unordered(client.ask(epochs, version, request), "partitions")

        answers = {
            f"{epoch} of {index}, believing in {current}": ask((index, current, epoch))
            for epoch in SOME
            for index in PARTITIONS
            for current in (-1, 0, 1, 2, 9)
        }
        answers["each another"] = ask(*((index, -1, epoch) for epoch, index in enumerate(PARTITIONS)))
        return answers

    compare(script)
