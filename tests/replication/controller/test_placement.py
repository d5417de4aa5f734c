"""Placement of the replicas of new partitions."""

from collections import Counter

import pytest

from kafkacompat.replication.controller.placement import place
from kafkacompat.replication.metadata.image import EMPTY_IMAGE, MetadataImage
from kafkacompat.replication.metadata.result import RefusedError
from tests.replication.quorum_world import image_with


def racked(racks: str, *, fenced: str = "") -> MetadataImage:
    """Brokers 1, 2, … on racks, one letter per broker; those whose digit is in `fenced` are fenced."""
    image = image_with(*range(1, len(racks) + 1))
    brokers = {
        broker.id: broker.but(rack=racks[broker.id - 1], fenced=str(broker.id) in fenced)
        for broker in image.brokers.values()
    }
    return image.but(brokers=brokers)


NOBODY = "All brokers are currently fenced, or have all their log directories cordoned."


def with_shut_down(image: MetadataImage, broker_id: int) -> MetadataImage:
    """A broker is in controlled shutdown."""
    broker = image.brokers[broker_id].but(in_controlled_shutdown=True)
    return image.but(brokers={**image.brokers, broker_id: broker})


def test_leaders_go_round() -> None:
    found = place(image_with(1, 2, 3), "topic", 0, 6, 2)
    assert Counter(replicas[0] for replicas in found) == {1: 2, 2: 2, 3: 2}
    assert all(len(set(replicas)) == 2 for replicas in found)
    assert place(image_with(1, 2, 3), "topic", 4, 2, 2) == found[4:], "more partitions go on where the others ended"
    first = {place(image_with(1, 2, 3), f"topic-{n}", 0, 1, 1)[0] for n in range(50)}
    assert len(first) == 3, "topics of one partition spread too"
    assert place(image_with(7), "topic", 0, 2, 1) == [(7,), (7,)]


@pytest.mark.parametrize("factor", [2, 3])
def test_what_one_broker_leads_has_its_first_follower_on_each_other(factor: int) -> None:
    found = place(image_with(1, 2, 3, 4), "topic", 0, 12, factor)
    pairs = Counter(replicas[:2] for replicas in found)
    assert len(pairs) == 12
    assert set(pairs.values()) == {1}


@pytest.mark.parametrize(
    ("racks", "fenced", "factor", "distinct"),
    [("aabb", "", 2, 2), ("aaab", "", 2, 2), ("aabbcc", "", 3, 3), ("aaabcc", "", 3, 3), ("aabb", "", 3, 2),
     ("aabb", "4", 2, 2), ("aaab", "4", 2, 2)],
)  # fmt: skip
def test_a_partition_is_on_as_many_racks_as_can_be(racks: str, fenced: str, factor: int, distinct: int) -> None:
    image = racked(racks, fenced=fenced)
    found = place(image, "t", 0, 24, factor)
    for replicas in found:
        assert len(set(replicas)) == factor
        assert len({racks[broker - 1] for broker in replicas}) == distinct
    assert {replicas[0] for replicas in found} == {broker.id for broker in image.brokers.values() if not broker.fenced}


def test_who_works_goes_before_who_is_fenced() -> None:
    found = place(racked("aaaa", fenced="2"), "t", 0, 12, 3)
    assert {broker for replicas in found for broker in replicas} == {1, 3, 4}
    assert {broker for replicas in place(racked("aaaa", fenced="2"), "t", 0, 12, 4) for broker in replicas} == {
        1,
        2,
        3,
        4,
    }


def test_a_broker_whose_directories_are_all_cordoned_gets_nothing() -> None:
    image = image_with(1, 2, 3)
    cordoned = image.brokers[2].but(cordoned_log_dirs=image.brokers[2].log_dirs)
    image = image.but(brokers={**image.brokers, 2: cordoned})
    assert {broker for replicas in place(image, "t", 0, 6, 2) for broker in replicas} == {1, 3}
    with pytest.raises(RefusedError, match="because only 2 broker"):
        place(image, "t", 0, 1, 3)


def test_a_broker_in_controlled_shutdown_gets_nothing_until_it_is_fenced() -> None:
    shut_down = with_shut_down(image_with(1, 2, 3), 2)
    assert set(place(shut_down, "t", 0, 6, 1)) == {(1,), (3,)}
    with pytest.raises(RefusedError, match="because only 2 broker"):
        place(shut_down, "t", 0, 1, 3)
    stopped = shut_down.but(brokers={**shut_down.brokers, 2: shut_down.brokers[2].but(fenced=True)})
    assert [sorted(replicas) for replicas in place(stopped, "t", 0, 1, 3)] == [[1, 2, 3]]


@pytest.mark.parametrize(
    ("image", "factor", "reason"),
    [
        (EMPTY_IMAGE, 1, NOBODY),
        (racked("a", fenced="1"), 1, NOBODY),
        (with_shut_down(racked("a"), 1), 1, NOBODY),
        (racked("aaa"), 4,
         "The target replication factor of 4 cannot be reached because only 3 broker(s) are registered or some brokers "
         "have all their log directories cordoned."),
    ],
)  # fmt: skip
def test_what_cannot_be_placed(image: MetadataImage, factor: int, reason: str) -> None:
    with pytest.raises(RefusedError) as raised:
        place(image, "t", 0, 1, factor)
    assert raised.value.error_code == 38
    assert raised.value.message == reason
