"""Produce of several partitions at once, and of batches that are wrong in every way, on both brokers."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import pytest

from compat_tests.api import batches, topics
from compat_tests.api.combined import together
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, presence, unordered, versions
from kafkacompat.protocol.messages import produce as api
from kafkacompat.protocol.records.builder import Record, build_batch

pytestmark = pytest.mark.api("Produce")
BY_ID_SINCE = 13
UNKNOWN, COMPACTED, PICKY = "unknown", "compacted", "picky"
GOOD = batches.batch()


class Entry(NamedTuple):
    """What to write where."""

    partition: int = 0
    records: bytes = GOOD
    of: str = ""


KINDS = {
    "good": Entry(),
    "bad checksum": Entry(1, batches.spoiled(GOOD, batches.CRC_AT, ">I", 1)),
    "old magic": Entry(2, batches.spoiled(GOOD, batches.MAGIC_AT, ">b", 1)),
    "too large": Entry(3, batches.batch(9_000)),
    "no such partition": Entry(9),
    "no such topic": Entry(of=UNKNOWN),
    "no key": Entry(of=COMPACTED),
    "too old": Entry(of=PICKY),
    "a sequence that cannot be": Entry(4, batches.batch(producer_id=4_000_000, producer_epoch=-1, base_sequence=3)),
    "an open transaction": Entry(
        5, batches.batch(producer_id=4_000_000, producer_epoch=0, base_sequence=0, is_transactional=True)
    ),
}


class Asker:
    """Produces to a topic and, if wanted, to two more with rules of their own."""

    def __init__(
        self, client: RawClient, topic: str, version: int, partitions: int = 6, *, others: bool = False
    ) -> None:
        self.client, self.version = client, version
        self.names = {"": topic, UNKNOWN: topic + "-not", COMPACTED: topic + "-c", PICKY: topic + "-p"}
        self.ids = {"": topics.create(client, topic, partitions, max_message_bytes="100000"), UNKNOWN: os.urandom(16)}
        if others:
            self.ids[COMPACTED] = topics.create(client, topic + "-c", 1, cleanup_policy="compact")
            self.ids[PICKY] = topics.create(client, topic + "-p", 1, message_timestamp_before_max_ms="1000")

    def request(self, *entries: Entry, acks: int = -1, timeout_ms: int = 10_000) -> api.ProduceRequest:
        """Each entry under a topic entry of its own, in the order given."""
        wanted = [
            api.TopicProduceData(
                "" if self.version >= BY_ID_SINCE else self.names[entry.of],
                self.ids[entry.of],
                [api.PartitionProduceData(entry.partition, entry.records)],
            )
            for entry in entries
        ]
        return api.ProduceRequest(None, acks, timeout_ms, wanted)

    def ask(self, *entries: Entry, **more: int) -> Any:
        """The answer; Kafka gives topics and partitions no order."""
        answer = self.client.ask(api, self.version, self.request(*entries, **more))
        names = {topic_id: self.names[key] for key, topic_id in self.ids.items()}
        for topic in answer["responses"]:
            topic["name"] = topic["name"] or names[topic["topic_id"]]
            topic["topic_id"] = presence(topic["topic_id"])
            for part in topic["partition_responses"]:
                part["log_append_time_ms"] = presence(part["log_append_time_ms"])
        return unordered(answer, "partition_responses", "responses")


@pytest.mark.parametrize("version", versions(api, 3))
def test_mixed(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        asker = Asker(client, topic, version, others=True)
        return {name: asker.ask(*entries) for name, entries in together(KINDS).items()}

    compare(script)


@pytest.mark.parametrize("version", versions(api, 3))
def test_settings(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        asker = Asker(client, topic, version)
        good, bad, nowhere = KINDS["good"], KINDS["bad checksum"], KINDS["no such topic"]
        answers = {f"acks {acks}": asker.ask(good, bad, nowhere, acks=acks) for acks in (-1, 1, 2, -2, 32767)}
        answers |= {f"timeout {time}": asker.ask(good, bad, timeout_ms=time) for time in (0, -1, 2**31 - 1)}
        answers |= {
            "nothing": asker.ask(),
            "nothing, odd acks": asker.ask(acks=7),
            "nowhere, odd acks": asker.ask(nowhere, acks=7),
            "negative partition": asker.ask(Entry(-1)),
            "the same partition twice": asker.ask(good, good._replace(records=batches.batch(3))),
            "the same partition twice, the second is bad": asker.ask(good, good._replace(records=bad.records)),
        }
        if version < BY_ID_SINCE:
            asker.names |= {"bad": "not a name", "none": ""}
            asker.ids |= dict.fromkeys(("bad", "none"), bytes(16))
            answers |= {name: asker.ask(Entry(9, of=name)) for name in ("bad", "none")}
        else:
            asker.ids["zero"], asker.names["zero"] = bytes(16), ""
            answers["zero id"] = asker.ask(Entry(of="zero"))
            answers["zero id and a good one"] = asker.ask(good, Entry(of="zero"))
        return answers

    compare(script)


@pytest.mark.unanswered("Produce")
@pytest.mark.api("Fetch")
def test_acks_0_is_never_answered(compare: Compare, topic: str) -> None:
    """What goes wrong closes the connection; what goes right is silent, and is there."""

    def script(client: RawClient) -> dict[str, Any]:
        answers: dict[str, Any] = {}
        for version in (3, 8, 13):
            asker = Asker(client, f"{topic}-{version}", version, others=True)
            for name, entry in KINDS.items():
                client.start(api, version, asker.request(entry, acks=0))
                answers[f"{name} {version}"] = topics.is_alive(client)
            answers[f"stored {version}"] = topics.batches(topics.stored(client, asker.names[""]))
        return answers

    compare(script)


RECORDS = [Record(n, topics.BASE_TIMESTAMP_MS + n, None, b"value") for n in range(3)]
V2 = bytes(build_batch(RECORDS))
BATCHES = {
    "good": V2,
    "magic 0": batches.message_set(0, RECORDS),
    "magic 1": batches.message_set(1, RECORDS),
    "a v1 message behind a good batch": V2 + batches.message_set(1, RECORDS),
    "a good batch behind a v1 message": batches.message_set(1, RECORDS) + V2,
    "half a second batch": V2 + V2[:30],
    "a second one's first byte": V2 + b"\0",
    "shorter than a header": V2[:40],
    "length": V2[:12],
    "one byte": V2[:1],
    "length too large": batches.spoiled(V2, batches.LENGTH_AT, ">i", len(V2)),
    "length too small": batches.spoiled(V2, batches.LENGTH_AT, ">i", 40),
    "tiny length": batches.spoiled(V2, batches.LENGTH_AT, ">i", 3),
    "length 0": batches.spoiled(V2, batches.LENGTH_AT, ">i", 0),
    "negative length": batches.spoiled(V2, batches.LENGTH_AT, ">i", -1),
    "huge length": batches.spoiled(V2, batches.LENGTH_AT, ">i", 2**31 - 1),
    "negative base offset": batches.spoiled(V2, 0, ">q", -5),
    "negative leader epoch": batches.spoiled(V2, 12, ">i", -7),
    "magic 3": batches.spoiled(V2, batches.MAGIC_AT, ">b", 3),
    "negative magic": batches.spoiled(V2, batches.MAGIC_AT, ">b", -1),
    "no records": batches.resealed(V2, batches.COUNT_AT, ">i", 0),
    "one record less": batches.resealed(V2, batches.COUNT_AT, ">i", 2),
    "one record more": batches.resealed(V2, batches.COUNT_AT, ">i", 4),
    "count that cannot be": batches.resealed(V2, batches.COUNT_AT, ">i", 2**31 - 1),
    "count that cannot be and fits": batches.resealed(
        batches.resealed(V2, batches.COUNT_AT, ">i", 2**31 - 1), batches.LAST_OFFSET_DELTA_AT, ">i", 2**31 - 2
    ),
    "negative last offset delta": batches.resealed(V2, batches.LAST_OFFSET_DELTA_AT, ">i", -1),
    "last offset delta too small": batches.resealed(V2, batches.LAST_OFFSET_DELTA_AT, ">i", 1),
    "unused attributes": batches.resealed(V2, batches.ATTRIBUTES_AT, ">h", 0x80),
    "delete horizon without one": batches.resealed(V2, batches.ATTRIBUTES_AT, ">h", 0x40),
    "no timestamps": bytes(build_batch([Record(0, -1, None, b"value")])),
    "control and transactional": batches.batch(is_control=True, is_transactional=True),
    "transactional": batches.batch(is_transactional=True),
    "transactional with a producer": batches.batch(
        is_transactional=True, producer_id=4_000_000, producer_epoch=0, base_sequence=0
    ),
    "negative producer": batches.batch(producer_id=-2, producer_epoch=0, base_sequence=0),
    "negative sequence": batches.batch(producer_id=4_000_003, producer_epoch=0, base_sequence=-2),
    "null value": bytes(build_batch([Record(0, topics.BASE_TIMESTAMP_MS, None, None)])),
    "headers": bytes(build_batch([Record(0, 5, b"k", b"v", [("a", b"1"), ("a", None), ("", b"")])])),
    "empty body": batches.with_body(V2, b""),
    "record attributes": batches.with_body(V2, V2[batches.BODY_AT :][:1] + b"\x05" + V2[batches.BODY_AT :][2:]),
    "offset deltas out of order": batches.with_body(V2, batches.swapped_deltas(V2)),
}
INSIDE = {
    "base timestamp of its own": batches.resealed(V2, batches.BASE_TIMESTAMP_AT, ">q", 5),
    "max timestamp too small": batches.resealed(V2, batches.MAX_TIMESTAMP_AT, ">q", 5),
    "max timestamp too large": batches.resealed(V2, batches.MAX_TIMESTAMP_AT, ">q", topics.BASE_TIMESTAMP_MS + 9),
    "negative timestamp": bytes(build_batch([Record(0, -2, None, b"value")])),
    "records of rubbish": batches.with_body(V2, b"\xff" * 40),
    "bytes behind the records": batches.with_body(V2, V2[batches.BODY_AT :] + b"tail"),
    "record that is said to be long": batches.with_body(V2, b"\xfe\xff\xff\xff\x0f" + V2[batches.BODY_AT + 1 :]),
    "record with a negative length": batches.with_body(V2, b"\x01" + V2[batches.BODY_AT + 1 :]),
}


@pytest.mark.parametrize("version", versions(api, 3))
def test_batches_that_are_wrong(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        asker = Asker(client, topic, version)
        answers = {name: asker.ask(Entry(0, records)) for name, records in BATCHES.items()}
        return {**answers, "stored": topics.batches(topics.stored(client, topic))}

    compare(script)


@pytest.mark.parametrize("version", versions(api, 3))
def test_records_that_are_wrong(compare: Compare, topic: str, version: int) -> None:
    """Each goes to a partition of its own: what only one broker takes must not move the offsets of the next."""

    def script(client: RawClient) -> dict[str, Any]:
        asker = Asker(client, topic, version, len(INSIDE))
        answers = {}
        for partition, (name, records) in enumerate(INSIDE.items()):
            said = asker.ask(Entry(partition, records))
            answers[f"records that are wrong: {name}"] = {**said, "stored": topics.stored(client, topic, partition)}
        return answers

    compare(script)
