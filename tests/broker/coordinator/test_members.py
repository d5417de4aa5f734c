"""Members: their ids, votes and subscriptions."""

import random
import uuid

import pytest

from kafkacompat.broker.coordinator.group.classic.members import (
    Client,
    Member,
    new_member_id,
    protocols_of,
    subscribed_topics,
)
from tests.broker.coordinator.world import protocols, subscription


def test_an_id_is_the_name_and_a_random_uuid() -> None:
    rng = random.Random(1)
    for _ in range(100):
        name, text = new_member_id("a-b", rng).split("-", 2)[0::2]
        assert name == "a"
        parsed = uuid.UUID(text)
        assert str(parsed) == text
        assert parsed.version == 4
        assert parsed.variant == uuid.RFC_4122
    assert new_member_id("", random.Random(1)).startswith("-")


def test_a_protocol_named_twice_counts_once() -> None:
    assert protocols_of(protocols(("range", b"1"), ("range", b"2"), ("sticky", b"3"))) == (
        ("range", b"1"),
        ("sticky", b"3"),
    )


def test_a_vote_goes_to_the_first_choice_that_can_win() -> None:
    wanted = (("a", b""), ("b", b""), ("c", b""))
    member = Member("m", None, Client("c", "/h"), rebalance_timeout_ms=1, session_timeout_ms=1, protocols=wanted)
    assert member.vote(frozenset({"c", "b"})) == "b"


def test_subscriptions_of_all_members_together() -> None:
    assert subscribed_topics([subscription("t", "u"), subscription("ü")]) == {"t", "u", "ü"}
    assert subscribed_topics([]) == frozenset()


def test_later_versions_of_a_subscription_have_more_behind() -> None:
    assert subscribed_topics([b"\0\x03" + subscription("t")[2:] + b"more"]) == {"t"}


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"\0\0",
        b"\0\0\0\0\0\x01",
        b"\0\0\0\0\0\x01\0\x05abc",
        b"\0\0\0\0\0\x01\0\x01\xff",
        b"\0\0\x7f\xff\xff\xff\0\x01a",
    ],
)
def test_a_subscription_that_cannot_be_read(damaged: bytes) -> None:
    assert subscribed_topics([subscription("t"), damaged]) is None
