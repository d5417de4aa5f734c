"""Which partition of which topic keeps what, and who coordinates it."""

import pytest

from kafkacompat.broker.coordinator.coordinators import BY_KEY_TYPE, BY_TOPIC, GROUP, TYPES, Coordinators, java_hash
from kafkacompat.broker.coordinator.group.service import GroupCoordinator
from kafkacompat.broker.coordinator.group.shard import GroupCoordinatorShard
from kafkacompat.protocol.messages import metadata
from tests.broker.handlers.group_harness import commit, committed, with_coordinator
from tests.broker.harness import BrokerHarness


@pytest.mark.parametrize(
    ("text", "hashed"),
    [
        ("", 0),
        ("a", 97),
        ("group", 98629247),
        ("console-consumer-12345", 158_455_506),
        ("polygenelubricants", 0),  # hashCode is Integer.MIN_VALUE, which has no abs
        ("ü€😀", 17_318_035),
        ("zzzzzz", 685_785_664),
    ],
)
def test_java_hash(text: str, hashed: int) -> None:
    assert java_hash(text) == hashed


def test_each_topic_and_each_key_type_is_one_coordinators() -> None:
    assert len(BY_TOPIC) == len(BY_KEY_TYPE) == len(TYPES)
    assert [bool(row.missing) for row in TYPES] == [row.implementation is None for row in TYPES]


def test_keys_are_spread_over_the_partitions_that_the_topic_has_or_will_have() -> None:
    harness = BrokerHarness(offsets_topic_num_partitions="3")
    coordinators = harness.broker.coordinators
    expected = [java_hash(f"group-{number}") % 3 for number in range(10)]
    assert len(set(expected)) == 3

    def partitions() -> list[int]:
        return [coordinators.partition_for(GROUP, f"group-{number}") for number in range(10)]

    assert partitions() == expected
    asked = metadata.MetadataRequest(topics=[metadata.MetadataRequestTopic(name=GROUP.topic)])
    (topic,) = harness.ask(asked, 12).topics
    assert len(topic.partitions) == 3
    assert partitions() == expected
    assert [coordinators.groups.partition_for(f"group-{number}") for number in range(10)] == expected


def test_a_coordinator_is_made_when_a_partition_of_its_topic_is_led_here(monkeypatch: pytest.MonkeyPatch) -> None:
    elected = []
    on_elected = GroupCoordinator.on_elected

    def elect(self: GroupCoordinator, partition: object, now: object) -> None:
        elected.append(partition.topic)
        on_elected(self, partition, now)

    monkeypatch.setattr(GroupCoordinator, "on_elected", elect)
    harness = BrokerHarness(offsets_topic_num_partitions="2", transaction_state_log_num_partitions="2")
    for topic in ("t", "__transaction_state", GROUP.topic):
        harness.ask(metadata.MetadataRequest(topics=[metadata.MetadataRequestTopic(name=topic)]), 12)
    assert elected == [GROUP.topic] * 2


def test_of_keys_that_are_made_up_only_so_many_hashes_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafkacompat.broker.coordinator.coordinators.MAX_REMEMBERED_HASHES", 10)
    coordinators: Coordinators = BrokerHarness().broker.coordinators
    first = [coordinators.partition_for(GROUP, f"g{number}") for number in range(25)]
    assert [coordinators.partition_for(GROUP, f"g{number}") for number in range(25)] == first
    assert all(len(hashes) <= 10 for hashes in coordinators._hashes.values())


@pytest.mark.parametrize("replays_every_record", [False, True])
def test_a_shard_is_loaded_as_the_row_of_its_topic_says(
    monkeypatch: pytest.MonkeyPatch, *, replays_every_record: bool
) -> None:
    assert GROUP.implementation is not None
    monkeypatch.setattr(GROUP.implementation, "replays_every_record", replays_every_record)
    kafka = with_coordinator()
    for offset in range(5):
        commit(kafka, offset)
    replayed = []
    replay = GroupCoordinatorShard.replay

    def note(shard: GroupCoordinatorShard, offset: int, *rest: object) -> None:
        replayed.append(offset)
        replay(shard, offset, *rest)

    monkeypatch.setattr(GroupCoordinatorShard, "replay", note)
    kafka.restart(clean=True)
    assert replayed == ([0, 1, 2, 3, 4] if replays_every_record else [4])
    assert committed(kafka) == 4
