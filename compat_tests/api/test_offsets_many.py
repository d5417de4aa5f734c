"""ListOffsets, OffsetForLeaderEpoch, DeleteRecords and DescribeProducers of several partitions at once, and
InitProducerId with everything that a client may say, on both brokers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from compat_tests.api import fixture_logs, topics
from compat_tests.api.combined import together
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, unordered, versions
from kafkacompat.protocol.messages import delete_records, describe_producers, init_producer_id, list_offsets
from kafkacompat.protocol.messages import offset_for_leader_epoch as epochs

OWN = ["producer_id"]
LATEST, EARLIEST, MAX_TIMESTAMP, NO_SUCH_TIME = -1, -2, -3, -9
UNKNOWN = "unknown"


class Spot(NamedTuple):
    """What is asked of which partition: a time, an epoch or an offset."""

    partition: int = fixture_logs.FULL
    what: int = 0
    epoch: int = -1
    of: str = ""


def names(topic: str) -> dict[str, str]:
    return {"": topic, UNKNOWN: topic + "-not", "bad": "not a name", "none": "", "internal": "__consumer_offsets"}


def listed(topic: str, spots: Sequence[Spot], isolation: int = 0, replica: int = -1) -> list_offsets.ListOffsetsRequest:
    """Each spot as a topic entry of its own."""
    api, known = list_offsets, names(topic)
    wanted = [
        api.ListOffsetsTopic(known[spot.of], [api.ListOffsetsPartition(spot.partition, spot.epoch, spot.what)])
        for spot in spots
    ]
    return api.ListOffsetsRequest(replica, isolation, wanted)


TIMES = {
    "latest": Spot(what=LATEST),
    "deleted ones": Spot(fixture_logs.CUT, EARLIEST),
    "a time": Spot(fixture_logs.EMPTY, topics.BASE_TIMESTAMP_MS),
    "no such time": Spot(fixture_logs.NO_PARTITION - 1, NO_SUCH_TIME),
    "no such partition": Spot(fixture_logs.NO_PARTITION, LATEST),
    "no such topic": Spot(of=UNKNOWN, what=LATEST),
    "bad name": Spot(of="bad", what=LATEST),
}
NEW_TIMES = {"epoch to come": Spot(fixture_logs.SPARE, LATEST, 5)}


@pytest.mark.api("ListOffsets")
@pytest.mark.parametrize("version", versions(list_offsets))
def test_list_offsets(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        fixture_logs.fill(client, topic)
        full, gone, cut = (
            Spot(what=LATEST),
            Spot(fixture_logs.CUT, topics.BASE_TIMESTAMP_MS),
            Spot(fixture_logs.CUT, EARLIEST),
        )
        kinds = TIMES | (NEW_TIMES if version >= 4 else {})
        requests = {name: listed(topic, spots) for name, spots in together(kinds).items()}
        requests |= {
            "nothing": list_offsets.ListOffsetsRequest(-1, 0, []),
            "a topic without partitions": list_offsets.ListOffsetsRequest(
                -1, 0, [list_offsets.ListOffsetsTopic(topic, [])]
            ),
            "twice": listed(topic, [full, full]),
            "twice, and another": listed(topic, [full, cut, full]),
            "twice at two times": listed(topic, [full, full._replace(what=EARLIEST)]),
            "an unknown one twice": listed(topic, [TIMES["no such topic"]] * 2),
            "before the first that is left": listed(topic, [gone]),
            "the first that is left": listed(topic, [gone._replace(what=topics.BASE_TIMESTAMP_MS + 5)]),
            "the largest time": listed(topic, [gone._replace(what=2**63 - 1)]),
            "the smallest time": listed(topic, [gone._replace(what=-(2**63))]),
            "largest timestamp of nothing": listed(topic, [Spot(fixture_logs.EMPTY, MAX_TIMESTAMP)]),
            "largest timestamp": listed(topic, [Spot(fixture_logs.CUT, MAX_TIMESTAMP)]),
            "negative partition": listed(topic, [Spot(-1, LATEST)]),
            "no name": listed(topic, [Spot(of="none", what=LATEST)]),
            "a debugging consumer": listed(topic, [full], replica=-2),
            "a stranger's replica": listed(topic, [full], replica=77),
            "the leader's own replica": listed(topic, [full], replica=1),
        }
        if version >= 2:
            requests |= {
                f"isolation level {level}, {spot.what}": listed(topic, [spot], isolation=level)
                for level in (1, 2, -1)
                for spot in (full, cut, gone)
            }
        if version >= 4:
            requests |= {
                f"epoch {epoch}": listed(topic, [full._replace(epoch=epoch), cut]) for epoch in (-2, 0, 1, 2**31 - 1)
            }
            requests["epoch to come, no such time"] = listed(topic, [Spot(what=NO_SUCH_TIME, epoch=5)])
        answers = client.ask_all(list_offsets, version, requests)
        return unordered(answers, "partitions", "topics")

    compare(script)


EPOCHS = {
    "the current one": Spot(),
    "to come": Spot(fixture_logs.EMPTY, 3),
    "current epoch to come": Spot(fixture_logs.CUT, 0, 4),
    "none": Spot(fixture_logs.SPARE, -1),
    "no such partition": Spot(fixture_logs.NO_PARTITION),
    "no such topic": Spot(of=UNKNOWN),
}


@pytest.mark.api("OffsetForLeaderEpoch")
@pytest.mark.parametrize("version", versions(epochs))
def test_offset_for_leader_epoch(compare: Compare, topic: str, version: int) -> None:
    def ask(*spots: Spot, replica: int = -1) -> epochs.OffsetForLeaderEpochRequest:
        known = names(topic)
        wanted = [
            epochs.OffsetForLeaderTopic(
                known[spot.of], [epochs.OffsetForLeaderPartition(spot.partition, spot.epoch, spot.what)]
            )
            for spot in spots
        ]
        return epochs.OffsetForLeaderEpochRequest(replica, wanted)

    def script(client: RawClient) -> dict[str, Any]:
        fixture_logs.fill(client, topic)
        requests = {name: ask(*spots) for name, spots in together(EPOCHS).items()}
        requests |= {
            "nothing": ask(),
            "the same twice": ask(Spot(), Spot()),
            "the same in two epochs": ask(Spot(), Spot(what=3)),
            "negative partition": ask(Spot(-1)),
            "bad name": ask(Spot(of="bad")),
            "no name": ask(Spot(of="none")),
            "very negative epoch": ask(Spot(what=-5)),
            "a debugging consumer": ask(Spot(), replica=-2),
            "a replica": ask(Spot(), replica=77),
            "the leader itself": ask(Spot(), replica=1),
        }
        return unordered(client.ask_all(epochs, version, requests), "partitions", "topics")

    compare(script)


CUTS = {
    "nothing more": Spot(fixture_logs.CUT, 3),
    "beyond the end": Spot(fixture_logs.EMPTY, 1),
    "negative": Spot(fixture_logs.SPARE, -3),
    "no such partition": Spot(fixture_logs.NO_PARTITION, 1),
    "no such topic": Spot(of=UNKNOWN, what=1),
}


@pytest.mark.api("DeleteRecords")
@pytest.mark.parametrize("version", versions(delete_records))
def test_delete_records(compare: Compare, topic: str, version: int) -> None:
    api = delete_records

    def ask(*spots: Spot, timeout_ms: int = 10_000) -> api.DeleteRecordsRequest:
        known = names(topic)
        wanted = [
            api.DeleteRecordsTopic(known[spot.of], [api.DeleteRecordsPartition(spot.partition, spot.what)])
            for spot in spots
        ]
        return api.DeleteRecordsRequest(wanted, timeout_ms)

    def script(client: RawClient) -> dict[str, Any]:
        fixture_logs.fill(client, topic)
        requests = {name: ask(*spots) for name, spots in together(CUTS).items()}
        requests |= {
            "the same twice": ask(Spot(what=1), Spot(what=3)),
            "the same twice, the second is wrong": ask(Spot(what=4), Spot(what=99)),
            "no time": ask(Spot(what=5), timeout_ms=0),
            "negative time": ask(Spot(what=6), timeout_ms=-1),
            "negative partition": ask(Spot(-1, 1)),
            "no name": ask(Spot(of="none", what=1)),
            "largest offset": ask(Spot(what=2**63 - 1)),
            "all": ask(Spot(what=-1), Spot(fixture_logs.CUT, -1)),
        }
        return unordered(client.ask_all(api, version, requests), "partitions", "topics")

    compare(script)


@pytest.mark.api("DescribeProducers")
def test_describe_producers(compare: Compare, topic: str) -> None:
    api = describe_producers

    def script(client: RawClient) -> dict[str, Any]:
        fixture_logs.fill(client, topic)
        known = names(topic)
        kinds = {"known": ("", 0), "no such partition": ("", 9), "no such topic": (UNKNOWN, 0), "bad name": ("bad", 0)}
        requests = {
            name: api.DescribeProducersRequest([api.TopicRequest(known[of], [part]) for of, part in wanted])
            for name, wanted in together(kinds).items()
        }
        requests["twice"] = api.DescribeProducersRequest([api.TopicRequest(topic, [0, 0])])
        requests["a topic twice"] = api.DescribeProducersRequest([api.TopicRequest(topic, [n]) for n in (0, 1)])
        return unordered(client.ask_all(api, 0, requests, OWN), "partitions", "topics")

    compare(script)


@pytest.mark.api("InitProducerId")
@pytest.mark.parametrize("version", versions(init_producer_id))
def test_init_producer_id(compare: Compare, version: int) -> None:
    ask = init_producer_id.InitProducerIdRequest

    def script(client: RawClient) -> dict[str, Any]:
        client.ask_until(init_producer_id, 0, ask(None), 0)  # Kafka lets the first one come again
        requests = {f"timeout {time}": ask(None, time) for time in (-1, 0, 1, 2**31 - 1)}
        if version >= 3:
            requests |= {
                f"id {producer}, epoch {epoch}": ask(None, 0, producer, epoch)
                for producer in (-2, -1, 0, 4_000_000)
                for epoch in (-2, -1, 0, 32_767)
            }
        return client.ask_all(init_producer_id, version, requests, OWN)

    compare(script)
