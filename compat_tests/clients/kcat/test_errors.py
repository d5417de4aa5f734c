"""kcat: what goes wrong, in the words that its users see."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from compat_tests.clients.kcat.using import FAST_GROUP, Kcat

NewTopic = Callable[..., str]


@pytest.mark.api("Produce")
def test_a_record_that_is_too_large(kcat: Kcat, new_topic: NewTopic) -> None:
    topic = new_topic(max_message_bytes="2000")
    done = kcat.run("-P", "-t", topic, stdin=b"x" * 5000)
    assert done.status == 1
    assert "Broker: Message size too large" in done.words


@pytest.mark.api("Metadata")
def test_a_name_that_no_topic_can_have(kcat: Kcat) -> None:
    done = kcat.run("-P", "-t", "with space", stdin=b"x")
    assert done.status == 1
    assert "Broker: Invalid topic" in done.words


@pytest.mark.api("Metadata")
def test_a_topic_that_is_not_there(kcat: Kcat, topic: str) -> None:
    done = kcat.run("-C", "-t", topic, "-X", "allow.auto.create.topics=false")
    assert done.status == 1
    assert "Broker: Unknown topic or partition" in done.words


@pytest.mark.full
@pytest.mark.api("Metadata")
def test_a_group_for_a_topic_that_is_not_there(kcat: Kcat, topic: str, group: str) -> None:
    done = kcat.run("-G", group, topic)
    assert done.status == 1
    assert f"Subscribed topic not available: {topic}: Broker: Unknown topic or partition" in done.words


@pytest.mark.api("Metadata")
def test_a_partition_that_is_not_there(kcat: Kcat, new_topic: NewTopic) -> None:
    done = kcat.run("-C", "-t", new_topic(2), "-p", "7")
    assert done.status == 1
    assert "(with partitions 0..1): partition 7 does not exist" in done.words


@pytest.mark.api("Fetch")
def test_an_offset_out_of_range(kcat: Kcat, new_topic: NewTopic) -> None:
    topic = new_topic()
    kcat.send(topic, ["one"])
    done = kcat.run("-C", "-t", topic, "-o", "100", "-X", "auto.offset.reset=error")
    assert done.status == 1
    assert "Broker: Offset out of range" in done.words


@pytest.mark.full
@pytest.mark.api("JoinGroup")
def test_a_session_that_is_too_short(kcat: Kcat, new_topic: NewTopic, group: str) -> None:
    done = kcat.run("-G", group, "-X", "session.timeout.ms=100", "-X", "heartbeat.interval.ms=50", new_topic())
    assert done.status == 1
    assert "Broker: Invalid session timeout" in done.words


@pytest.mark.full
@pytest.mark.api("JoinGroup")
def test_an_instance_that_is_there_twice(kcat: Kcat, new_topic: NewTopic, group: str) -> None:
    topic = new_topic()
    options = ("-G", group, *FAST_GROUP, "-X", "group.instance.id=the same", topic)
    with kcat.start(*options) as first:
        first.wait(lambda member: "assigned: " in member.words)
        with kcat.start(*options) as second:
            second.wait(lambda member: "assigned: " in member.words)
            assert first.ended() == 1
            assert "Broker: Static consumer fenced" in first.words
            assert second.stop() == 0
