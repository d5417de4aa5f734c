"""A broker whose disk was replaced: it says where its replicas are, and may lead them again."""

from kafkacompat.broker.replicas import directory_assignments
from kafkacompat.protocol.internal.cluster_metadata import PartitionChangeRecord
from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from kafkacompat.replication.metadata.image import NO_LEADER
from kafkacompat.replication.metadata.result import Result
from kafkacompat.steps import UNITS_PER_STEP, Stepped
from kafkacompat.storage.manager import LogManager
from tests.broker.harness import BrokerHarness

ANOTHER = b"another disk....."[:16]


def move(harness: BrokerHarness, index: int, **changes: object) -> None:
    """The metadata says that replicas are in a directory that is no more."""
    topic = harness.broker.image.topics["t"]
    record = PartitionChangeRecord(index, topic.topic_id, directories=[ANOTHER], **changes)
    harness.broker.quorum.submit(lambda _image, _now: Result([record]), harness.now)
    harness.settle()


def partition(harness: BrokerHarness, index: int):
    return harness.broker.image.topics["t"].partitions[index]


def test_a_broker_says_in_which_directory_its_replicas_are():
    harness = BrokerHarness()
    harness.create_topic("t", 3)
    move(harness, 1)
    harness.advance(1_000)
    own = (harness.broker.logs.metadata_directory.directory_id,)
    assert [each.directories for each in harness.broker.image.topics["t"].partitions] == [own] * 3


def test_who_had_no_leader_for_that_gets_one():
    harness = BrokerHarness()
    harness.create_topic("t", 1)
    move(harness, 0, leader=NO_LEADER, isr=[], eligible_leader_replicas=[1])
    harness.advance(1_000)
    assert partition(harness, 0).leader == 1


def test_nothing_is_said_where_all_is_right(monkeypatch):
    harness = BrokerHarness()
    sent: list[int] = []
    request = harness.broker.channel.request
    monkeypatch.setattr(
        harness.broker.channel, "request",
        lambda channel, key, *more, **named: (sent.append(key), request(channel, key, *more, **named))[-1],
    )  # fmt: skip
    harness.create_topic("t", 3)
    harness.advance(5_000)
    assert 73 not in sent
    move(harness, 0)
    harness.advance(5_000)
    harness.advance(5_000)
    assert sent.count(73) == 1


def test_many_replicas_are_told_in_parts(monkeypatch):
    """A controller takes some microseconds for each of them, in one turn of its loop."""
    monkeypatch.setattr(directory_assignments, "MAX_REPLICAS", 2)
    harness = BrokerHarness()
    harness.create_topic("t", 5)
    sizes: list[int] = []
    request = harness.broker.directory_assignments._request

    def note(found):
        sizes.append(len(found))
        return request(found)

    monkeypatch.setattr(harness.broker.directory_assignments, "_request", note)
    topic = harness.broker.image.topics["t"]
    records = [PartitionChangeRecord(index, topic.topic_id, directories=[ANOTHER]) for index in range(5)]
    harness.broker.quorum.submit(lambda _image, _now: Result(records), harness.now)
    harness.settle()
    for _ in range(3):
        harness.advance(100)
    assert sizes == [2, 2, 1]
    own = (harness.broker.logs.metadata_directory.directory_id,)
    assert [partition(harness, index).directories for index in range(5)] == [own] * 5


def test_many_replicas_are_compared_in_several_turns(monkeypatch):
    harness = BrokerHarness()
    count = 2 * UNITS_PER_STEP
    harness.create_topic("t", count)
    move(harness, count - 1)
    assignments, compared = harness.broker.directory_assignments, [0]
    report = LogManager.directory_to_report

    def counted(*args):
        compared[-1] += 1
        return report(*args)

    monkeypatch.setattr(LogManager, "directory_to_report", counted)
    monkeypatch.setattr(directory_assignments, "COMPARED_PER_UNIT", 1)
    monkeypatch.setattr(Stepped.resume, "__defaults__", (1,))
    harness.advance(99)  # a correction waits for others
    assignments._seen = {}
    assert compared == [0]
    for _ in range(5):
        compared.append(0)
        harness.advance(1)
    assert [each for each in compared if each] == [UNITS_PER_STEP - 1, UNITS_PER_STEP, 1]
    harness.advance(1_000)
    own = (harness.broker.logs.metadata_directory.directory_id,)
    assert partition(harness, count - 1).directories == own


def test_what_changes_while_replicas_are_compared_is_compared_as_well(monkeypatch):
    harness = BrokerHarness()
    harness.create_topic("t", 3)
    assignments = harness.broker.directory_assignments
    assignments._seen = {}
    monkeypatch.setattr(directory_assignments, "UNITS_PER_STEP", 1)
    monkeypatch.setattr(directory_assignments, "COMPARED_PER_UNIT", 1)
    monkeypatch.setattr(Stepped.resume, "__defaults__", (1,))
    assignments.check(harness.now)
    assert assignments._is_asking
    move(harness, 0)  # the first one has been compared
    created = harness.begin(CreateTopicsRequest(topics=[CreatableTopic("new", 1, 1)]), 7)
    for _ in range(30):
        harness.advance(0)
    assert created.message.topics[0].error_code == 0
    for _ in range(60):
        harness.advance(100)
    own = (harness.broker.logs.metadata_directory.directory_id,)
    assert partition(harness, 0).directories == own
    assert not harness.broker.logs.opened_topics
