"""kcat: where reading starts and ends, offsets by time, metadata."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest

from compat_tests.broker_process import Broker
from compat_tests.clients.kcat.test_records import lines
from compat_tests.clients.kcat.using import Kcat

NewTopic = Callable[..., str]


@pytest.mark.api("Fetch", "ListOffsets")
@pytest.mark.parametrize(
    ("options", "first", "last"),
    [
        (("-o", "beginning"), 0, 30), (("-o", "17"), 17, 30), (("-o", "-3"), 27, 30),
        (("-o", "5", "-c", "4"), 5, 9), (("-o", "end"), 30, 30),
    ],
)  # fmt: skip
def test_where_reading_starts(options: tuple[str, ...], first: int, last: int, kcat: Kcat, new_topic: NewTopic) -> None:
    topic = new_topic()
    kcat.send(topic, lines(30))
    assert kcat.values(topic, *options) == lines(30)[first:last]


@pytest.mark.api("ListOffsets", "Fetch")
def test_offsets_by_time(kcat: Kcat, new_topic: NewTopic) -> None:
    topic = new_topic()
    for line in lines(3):
        kcat.send(topic, [line])
        time.sleep(0.01)
    times = [int(one["ts"]) for one in kcat.read(topic)]
    assert times[0] < times[1] < times[2]

    def asked(at: int) -> int:
        answer = json.loads(kcat("-Q", "-J", "-t", f"{topic}:0:{at}").out)[topic]["0"]
        return int(answer["offset"])

    assert [asked(at) for at in (0, times[1], times[1] + 1, times[2])] == [0, 1, 2, 2]
    assert kcat("-Q", "-t", f"{topic}:0:{times[2] + 1}").lines == [f"{topic} [0] offset -1"]
    assert kcat.values(topic, "-o", f"s@{times[1]}") == lines(3)[1:]
    assert kcat.values(topic, "-o", f"s@{times[0]}", "-o", f"e@{times[2]}") == lines(3)[:2]


@pytest.mark.full
@pytest.mark.api("Fetch")
def test_following_a_topic(kcat: Kcat, new_topic: NewTopic) -> None:
    topic = new_topic()
    with kcat.start("-C", "-t", topic, "-u") as reader:
        for n in range(5):
            kcat.send(topic, [f"line {n}"])
            reader.wait(lambda reader: f"line {n}" in reader.lines)  # noqa: B023
        assert reader.lines == [f"line {n}" for n in range(5)]
        assert reader.stop() == 0


@pytest.mark.full
@pytest.mark.api("Fetch")
def test_small_fetches_still_deliver_everything(kcat: Kcat, new_topic: NewTopic) -> None:
    topic, values = new_topic(), [line * 100 for line in lines(200)]
    kcat.send(topic, values, "-X", "batch.num.messages=3")
    small = ("-X", "fetch.message.max.bytes=1000", "-X", "fetch.max.bytes=5000", "-X", "message.max.bytes=1000")
    assert kcat.values(topic, *small) == values


@pytest.mark.api("Metadata")
def test_metadata(kcat: Kcat, broker: Broker, new_topic: NewTopic) -> None:
    topic = new_topic(3)
    found = json.loads(kcat("-L", "-J").out)
    ids = {one["id"] for one in found["brokers"]}
    assert len(ids) == len(broker.bootstrap_servers.split(","))
    assert found["controllerid"] in ids
    (mine,) = [one for one in found["topics"] if one["topic"] == topic]
    assert sorted(part["partition"] for part in mine["partitions"]) == [0, 1, 2]
    for part in mine["partitions"]:
        assert part["leader"] in ids
        assert part["replicas"] == part["isrs"] == [{"id": part["leader"]}]
    assert f'topic "{topic}" with 3 partitions:' in kcat("-L", "-t", topic).out.decode()
