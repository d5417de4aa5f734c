"""What leaders do that followers do not, and what happens to writes when too few replicas are in sync."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.batches import batch
from compat_tests.api.combined import every_day
from compat_tests.api.raw import versions
from compat_tests.cluster.conftest import Compare
from compat_tests.cluster.party import OWN, Party
from kafkacompat.protocol.messages import delete_records, describe_producers, fetch, offset_for_leader_epoch, produce

EVERY_NODE = (1, 2, 3)
IDS_SINCE = 13
MASKED = (*OWN, "log_append_time_ms", "leader_epoch", "high_watermark", "last_stable_offset")


def produce_request(party: Party, name: str, version: int, acks: int = -1, timeout_ms: int = 5_000) -> Any:
    data = produce.PartitionProduceData(0, batch())
    if version >= IDS_SINCE:
        wanted = produce.TopicProduceData(topic_id=party.topic_id(name), partition_data=[data])
    else:
        wanted = produce.TopicProduceData(name, partition_data=[data])
    return produce.ProduceRequest(None, acks, timeout_ms, [wanted])


def fetch_request(party: Party, name: str, version: int, **more: Any) -> Any:
    rack = more.pop("rack", "")
    part = fetch.FetchPartition(0, more.pop("leader_epoch", -1), more.pop("offset", 0), partition_max_bytes=1 << 20)
    if version >= IDS_SINCE:
        wanted = fetch.FetchTopic(topic_id=party.topic_id(name), partitions=[part])
    else:
        wanted = fetch.FetchTopic(name, partitions=[part])
    return fetch.FetchRequest(max_wait_ms=100, min_bytes=0, max_bytes=1 << 20, topics=[wanted], rack_id=rack)


@pytest.mark.api("Produce")
@pytest.mark.parametrize("version", every_day(range(3, 14), 9, 10, 12))
def test_writes_are_the_leaders(compare: Compare, version: int) -> None:
    """Another node says who leads (from version 10 on)."""

    def script(party: Party) -> Any:
        name = party.create([[2, 3]])
        found = {}
        for node in EVERY_NODE:
            for acks in (-1, 1):
                request = produce_request(party, name, version, acks)
                found[f"{node} {acks}"] = party.ask(produce, version, request, node, MASKED)
        return found

    compare(script)


@pytest.mark.api("Produce")
def test_acks_0_to_a_follower_closes_the_connection(compare: Compare) -> None:
    def script(party: Party) -> Any:
        name = party.create([[2, 3]])
        found = {}
        for node in (2, 3):
            client = party.on(node)
            body: list[Any] = []
            produce.encode_request(produce_request(party, name, 9, 0), 9, body)
            client.send(produce.API_KEY, 9, b"".join(body))
            found[node] = {"lives": topics.is_alive(client)}
            party.ask(produce, 9, produce_request(party, name, 9), 2, MASKED)
        return found

    assert compare(script) == {2: {"lives": True}, 3: {"lives": False}}


@pytest.mark.api("Fetch")
@pytest.mark.parametrize("version", every_day(versions(fetch), 10, 11, 12, 16))
def test_reads_of_every_node(compare: Compare, version: int) -> None:
    """From version 11 on followers serve consumers, too (KIP-392)."""

    def script(party: Party) -> Any:
        name = party.create([[2, 3]])
        party.produce(2, name, 3)
        wait_for_high_watermark(party, name, 3, 3)
        requests = {
            "all": fetch_request(party, name, version),
            "in the epoch": fetch_request(party, name, version, leader_epoch=0),
            "in a later epoch": fetch_request(party, name, version, leader_epoch=7),
            "beyond the end": fetch_request(party, name, version, offset=9),
        }
        return [party.ask_all(fetch, version, requests, node) for node in EVERY_NODE]

    compare(script)


def wait_for_high_watermark(party: Party, name: str, node: int, offset: int, since: int = 0) -> None:
    """A follower learns of the high watermark with the next fetch after the write."""

    def has_come() -> bool:
        answer = party.on(node).call(fetch.API_KEY, 12, fetch_request(party, name, 12, offset=since))
        return bool(answer.responses[0].partitions[0].high_watermark >= offset)

    party.wait(has_come, f"{node} does not come to {offset}")


@pytest.mark.api("Fetch")
@pytest.mark.parametrize("version", every_day(versions(fetch, 11), 12))
def test_who_says_where_it_is_is_sent_to_its_neighbour(compare: Compare, version: int) -> None:
    """Of the replicas in a consumer's rack the leader names one, if that has what is asked for."""

    def script(party: Party) -> Any:
        name = party.create([[1, 2, 3]])
        party.produce(1, name, 3)
        wait_for_high_watermark(party, name, 2, 3)
        wait_for_high_watermark(party, name, 3, 3)
        racks = {rack: fetch_request(party, name, version, rack=rack) for rack in ("rack-1", "rack-2", "rack-9", "")}
        racks["rack-3 at the end"] = fetch_request(party, name, version, rack="rack-3", offset=3)
        return [party.ask_all(fetch, version, racks, node) for node in (1, 2)]

    answer = compare(script)
    first = answer[0]["rack-2"]["responses"][0]["partitions"][0]
    assert (first["preferred_read_replica"], first["records"]) == (2, b"")


@pytest.mark.api("Produce")
@pytest.mark.parametrize(
    "version", [9, pytest.param(3, marks=pytest.mark.full), pytest.param(13, marks=pytest.mark.full)]
)
def test_too_few_in_sync(compare: Compare, version: int) -> None:
    """acks=all is refused before anything is written; acks=1 and reading go on."""

    def script(party: Party) -> Any:
        name = party.create([[1, 2, 3]], min_insync_replicas="3")
        found: dict[str, Any] = {"all there": party.ask(produce, version, produce_request(party, name, version))}
        try:
            party.stop(3)
            party.wait_for(name, [{"leader": 1, "isr": {1, 2}}])
            for acks in (-1, 1):
                request = produce_request(party, name, version, acks)
                found[f"acks {acks}"] = party.ask(produce, version, request, 1, MASKED)
            found["read"] = party.ask(fetch, 12, fetch_request(party, name, 12))
        finally:
            party.restore()
        party.wait_for(name, [{"isr": {1, 2, 3}}])
        found["again"] = party.ask(produce, version, produce_request(party, name, version), 1, MASKED)
        wait_for_high_watermark(party, name, 1, 6)
        return found

    compare(script)


@pytest.mark.api("Produce")
def test_more_in_sync_wanted_than_there_are_replicas(compare: Compare) -> None:
    def script(party: Party) -> Any:
        two = party.create([[1, 2]], "-two", min_insync_replicas="3")
        one = party.create([[1]], "-one", min_insync_replicas="2")
        return [party.ask(produce, 9, produce_request(party, name, 9), 1, MASKED) for name in (two, one)]

    compare(script)


@pytest.mark.api("OffsetForLeaderEpoch")
@pytest.mark.parametrize("version", every_day(versions(offset_for_leader_epoch)))
def test_where_epochs_end(compare: Compare, version: int) -> None:
    def script(party: Party) -> Any:
        name = party.create([[2, 3]])
        party.produce(2, name, 3)
        api = offset_for_leader_epoch

        def ask(epoch: int, current: int) -> offset_for_leader_epoch.OffsetForLeaderEpochRequest:
            part = api.OffsetForLeaderPartition(0, current, epoch)
            return api.OffsetForLeaderEpochRequest(-1, [api.OffsetForLeaderTopic(name, [part])])

        requests = {"this": ask(0, 0), "any": ask(0, -1), "later": ask(5, -1), "in a later": ask(0, 5)}
        return [party.ask_all(api, version, requests, node) for node in EVERY_NODE]

    compare(script)


@pytest.mark.api("DeleteRecords")
@pytest.mark.parametrize("version", versions(delete_records))
def test_deleting_records(compare: Compare, version: int) -> None:
    def script(party: Party) -> Any:
        name = party.create([[2, 3]])
        party.produce(2, name, 5)
        part = delete_records.DeleteRecordsPartition(0, 2)
        request = delete_records.DeleteRecordsRequest([delete_records.DeleteRecordsTopic(name, [part])], 5_000)
        found = [party.ask(delete_records, version, request, node) for node in EVERY_NODE]
        wait_for_high_watermark(party, name, 3, 5, since=2)
        request = fetch_request(party, name, 12)
        return [*found, *(party.ask(fetch, 12, request, node) for node in (2, 3))]

    compare(script)


@pytest.mark.api("DescribeProducers")
def test_producers_are_told_by_the_leader(compare: Compare) -> None:
    def script(party: Party) -> Any:
        name = party.create([[2, 3]])
        request = describe_producers.DescribeProducersRequest([describe_producers.TopicRequest(name, [0])])
        return [party.ask(describe_producers, 0, request, node) for node in EVERY_NODE]

    compare(script)
