"""kcat: records out and in, in all the shapes that it knows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from compat_tests.clients.kcat.using import Kcat
from compat_tests.clients.samples import eventually, java_partition, numbered

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
NewTopic = Callable[..., str]

pytestmark = pytest.mark.api("Produce", "Fetch")


def lines(count: int, prefix: str = "record") -> list[str]:
    return [value.decode() for value in numbered(count, prefix)]


def test_keys_values_headers_and_nulls(kcat: Kcat, new_topic: NewTopic) -> None:
    topic = new_topic()
    headers = ("-H", "trace=1", "-H", "empty=", "-H", "trace=2", "-H", "nothing")
    kcat.send(topic, ["key:value", "key alone:", ":value alone", "no delimiter", "grüße:käse"], "-K:", "-Z", *headers)
    found = kcat.read(topic)
    assert [(one["key"], one["payload"]) for one in found] == [
        ("key", "value"), ("key alone", None), (None, "value alone"), (None, "no delimiter"), ("grüße", "käse"),
    ]  # fmt: skip
    for offset, one in enumerate(found):
        assert (one["topic"], one["partition"], one["offset"], one["tstype"]) == (topic, 0, offset, "create")
        assert one["headers"] == ["trace", "1", "empty", "", "trace", "2", "nothing", None]


def test_a_format_of_ones_own(kcat: Kcat, new_topic: NewTopic) -> None:
    topic = new_topic(2)
    kcat.send(topic, ["a:first", "b:second"], "-K:", "-p", "1", "-H", "n=1")
    assert kcat.read(topic, "-p", "0") == []
    shown = kcat("-C", "-t", topic, "-p", "1", "-e", "-q", "-f", "%t %p %o %K %k %S %s %h\\n")
    assert shown.lines == [f"{topic} 1 0 1 a 5 first n=1", f"{topic} 1 1 1 b 6 second n=1"]


@pytest.mark.parametrize("codec", CODECS)
def test_codec(codec: str, kcat: Kcat, new_topic: NewTopic) -> None:
    topic, values = new_topic(), [line * 20 for line in lines(300)]
    kcat.send(topic, values, "-z", codec, "-X", "linger.ms=50")
    assert kcat.values(topic, "-X", "check.crcs=true") == values


@pytest.mark.full
def test_codecs_mixed_in_one_partition(kcat: Kcat, new_topic: NewTopic) -> None:
    topic = new_topic()
    for codec in CODECS:
        kcat.send(topic, lines(50, codec), "-z", codec)
    assert kcat.values(topic) == [line for codec in CODECS for line in lines(50, codec)]


@pytest.mark.full
@pytest.mark.parametrize("acks", ["0", "1", "all"])
def test_acks(acks: str, kcat: Kcat, new_topic: NewTopic) -> None:
    topic = new_topic()
    kcat.send(topic, lines(100), "-X", f"acks={acks}")
    eventually(lambda: kcat.values(topic) == lines(100))


@pytest.mark.api("InitProducerId")
def test_idempotent(kcat: Kcat, new_topic: NewTopic) -> None:
    topic = new_topic()
    kcat.send(topic, lines(1000), "-X", "enable.idempotence=true", "-X", "batch.num.messages=50")
    assert kcat.values(topic) == lines(1000)


def test_keys_choose_partitions_as_in_java(kcat: Kcat, new_topic: NewTopic) -> None:
    topic = new_topic(4)
    kcat.send(topic, [f"{key}:v" for key in lines(40, "key")], "-K:", "-X", "topic.partitioner=murmur2_random")
    found = kcat.read(topic)
    assert len(found) == 40
    assert all(one["partition"] == java_partition(one["key"].encode(), 4) for one in found)


@pytest.mark.full
def test_a_delimiter_of_ones_own_and_files(kcat: Kcat, new_topic: NewTopic, tmp_path: Path) -> None:
    topic = new_topic()
    kcat("-P", "-t", topic, "-D", "|", stdin=b"two\nlines|one line")
    (tmp_path / "whole").write_bytes(b"a file\nis a record")
    (tmp_path / "lines").write_bytes(b"one\ntwo\n")
    kcat("-P", "-t", topic, str(tmp_path / "whole"))
    kcat("-P", "-t", topic, "-l", str(tmp_path / "lines"))
    kcat("-P", "-t", topic, "-k", "always this key", stdin=b"keyed\n")
    found = [(one["key"], one["payload"]) for one in kcat.read(topic)]
    values = ["two\nlines", "one line", "a file\nis a record", "one", "two"]
    assert found == [*((None, value) for value in values), ("always this key", "keyed")]


@pytest.mark.full
def test_numbers_unpacked(kcat: Kcat, new_topic: NewTopic) -> None:
    topic = new_topic()
    kcat("-P", "-t", topic, "-D", "|", "-K:", stdin=(7).to_bytes(4) + b":" + (1 << 40).to_bytes(8))
    shown = kcat("-C", "-t", topic, "-e", "-q", "-s", "key=i", "-s", "value=q", "-f", "%k %s\\n")
    assert shown.lines == [f"7 {1 << 40}"]


def test_records_are_copied_from_topic_to_topic(kcat: Kcat, new_topic: NewTopic) -> None:
    topic = new_topic(2)
    kcat.send(topic, lines(200), "-p", "0", "-z", "snappy")
    copied = kcat("-C", "-t", topic, "-p", "0", "-e", "-q").out
    kcat("-P", "-t", topic, "-p", "1", "-z", "gzip", stdin=copied)
    assert kcat.values(topic, "-p", "1") == lines(200)
