"""What clients of a group see while its shard is loaded little by little, and when that fails or ends early."""

import errno
import logging
import random

import pytest

from kafkacompat.broker.coordinator import loading
from kafkacompat.broker.coordinator.coordinators import GROUP, GROUP_TOPIC
from kafkacompat.broker.coordinator.group.records import encode_record
from kafkacompat.broker.coordinator.group.shard import GroupCoordinatorShard
from kafkacompat.broker.coordinator.runtime import RETRY_MS
from kafkacompat.now import Now
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.internal.consumer_offsets import (
    GroupMetadataKey,
    GroupMetadataValue,
    MemberMetadata,
    OffsetCommitKey,
    OffsetCommitValue,
    encode_value,
)
from kafkacompat.protocol.messages.delete_groups import DeleteGroupsRequest
from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from kafkacompat.protocol.messages.describe_groups import DescribeGroupsRequest
from kafkacompat.protocol.messages.find_coordinator import FindCoordinatorRequest
from kafkacompat.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from kafkacompat.protocol.messages.list_groups import ListGroupsRequest
from kafkacompat.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from kafkacompat.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from kafkacompat.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from kafkacompat.protocol.records.batch import ATTRIBUTES_OFFSET, stamp_crc
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.control import ABORT, COMMIT
from kafkacompat.replication.cluster_view import ACKS_ALL
from kafkacompat.storage.verification_entries import VERIFICATION_IS_OFF
from tests.broker.coordinator.test_service import batch as offset_batch
from tests.broker.coordinator.test_service import in_transaction, marker
from tests.broker.handlers.group_harness import (
    SUBSCRIPTION,
    Kafka,
    commit,
    committed,
    heartbeat,
    sync,
    with_coordinator,
)

LOADING = errors.COORDINATOR_LOAD_IN_PROGRESS


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "ITERATION_BUDGET", 10)
    monkeypatch.setattr(loading, "START_UP_BUDGET", 10)
    monkeypatch.setattr(loading, "READ_BYTES", 500)


def with_many_commits(count: int = 100) -> Kafka:
    """A broker whose group g has committed often, and that was started again: it is loading."""
    kafka = with_coordinator(offsets_topic_num_partitions="1")
    member_id = kafka.join(version=3).body.member_id
    assert sync(kafka, member_id, 1, **{member_id: b"mine"}).body.error_code == errors.NONE
    for offset in range(1, count + 1):
        assert commit(kafka, offset, generation=1, member_id=member_id) == errors.NONE
    kafka.member_id = member_id
    kafka.restart(clean=False)
    return kafka


def go_on(kafka: Kafka) -> None:
    """One more turn of the loop."""
    kafka.broker.timers.run(kafka.now)


def finish(kafka: Kafka) -> int:
    """Load the rest; how many turns that took."""
    turns = 0
    while commit(kafka, 1, "another") == LOADING:
        go_on(kafka)
        turns += 1
        assert turns < 1_000
    return turns


def leave_request(member_id: str) -> LeaveGroupRequest:
    return LeaveGroupRequest("g", members=[MemberIdentity(member_id)])


def of_v8(error_code: int) -> OffsetCommitRequest:
    topic = OffsetCommitRequestTopic("t", partitions=[OffsetCommitRequestPartition(0, error_code)])
    return OffsetCommitRequest("g", topics=[topic])


def answers(kafka: Kafka) -> dict[str, object]:
    """What each API says of group g, as error codes."""
    member_id = kafka.member_id
    topics = [OffsetFetchRequestTopics("t", partition_indexes=[0])]
    deleted = [OffsetDeleteRequestTopic("t", [OffsetDeleteRequestPartition(0)])]
    single = OffsetFetchRequest("g", [OffsetFetchRequestTopic("t", [0])])
    several = OffsetFetchRequest(groups=[OffsetFetchRequestGroup("g", topics=topics)])
    return {
        "commit": kafka.ask("offset_commit", 8, of_v8(7)).topics[0].partitions[0].error_code,
        "fetch 1": kafka.ask("offset_fetch", 1, single).topics[0].partitions[0].error_code,
        "fetch 7": kafka.ask("offset_fetch", 7, single).error_code,
        "fetch 8": kafka.ask("offset_fetch", 8, several).groups[0].error_code,
        "describe": kafka.ask("describe_groups", 5, DescribeGroupsRequest(["g"])).groups[0].error_code,
        "list": kafka.ask("list_groups", 4, ListGroupsRequest()).error_code,
        "offset delete": kafka.ask("offset_delete", 0, OffsetDeleteRequest("g", deleted)).error_code,
        "delete": kafka.ask("delete_groups", 2, DeleteGroupsRequest(["g"])).results[0].error_code,
        "join": kafka.join(member_id="nobody").body.error_code,
        "sync": sync(kafka, member_id, 1).body.error_code,
        "leave": kafka.ask("leave_group", 5, leave_request("nobody")).error_code,
        "beat": heartbeat(kafka, member_id, 1),
        "find": kafka.ask("find_coordinator", 2, FindCoordinatorRequest("g")).error_code,
    }


@pytest.mark.usefixtures("small_steps")
def test_while_a_shard_loads_clients_are_told_to_come_again() -> None:
    """As Apache Kafka's GroupCoordinatorService does it: a heartbeat hears that all is well."""
    kafka = with_many_commits()
    loading_is_said = dict.fromkeys(answers(kafka), LOADING) | {"beat": errors.NONE, "find": errors.NONE}
    assert answers(kafka) == loading_is_said
    turns = finish(kafka)
    assert turns > 10  # more than a hundred records, ten in a turn
    after = answers(kafka)
    assert LOADING not in after.values()
    assert (after["beat"], after["sync"], after["list"]) == (errors.NONE, errors.NONE, errors.NONE)
    assert committed(kafka) == 100


@pytest.mark.usefixtures("small_steps")
def test_members_have_their_whole_session_from_the_end_of_loading() -> None:
    kafka = with_many_commits(200)
    for _ in range(15):
        kafka.now = Now(kafka.now.monotonic_ms + 1_000, kafka.now.wall_ms + 1_000)
        go_on(kafka)
    assert commit(kafka, 1, "another") == LOADING  # longer than the session lasts
    finish(kafka)
    kafka.advance(9_000)
    assert heartbeat(kafka, kafka.member_id, 1) == errors.NONE
    kafka.advance(11_000)
    assert heartbeat(kafka, kafka.member_id, 1) == errors.UNKNOWN_MEMBER_ID


@pytest.mark.usefixtures("small_steps")
def test_leadership_that_is_lost_and_regained_begins_anew() -> None:
    kafka = with_many_commits()
    for _ in range(5):
        go_on(kafka)
    kafka.broker.partitions.resign(kafka.now)
    assert set(answers(kafka).values()) - {errors.NONE} == {errors.NOT_COORDINATOR}
    for _ in range(50):
        go_on(kafka)
    assert commit(kafka, 1) == errors.NOT_COORDINATOR
    kafka.broker.partitions.apply(kafka.broker.image, kafka.now)
    assert commit(kafka, 1) == LOADING
    assert finish(kafka) > 10
    assert committed(kafka) == 100
    assert heartbeat(kafka, kafka.member_id, 1) == errors.NONE


@pytest.mark.usefixtures("small_steps")
def test_a_topic_that_is_deleted_meanwhile_leaves_no_offsets() -> None:
    kafka = with_many_commits()
    deleted = kafka.ask("delete_topics", 6, DeleteTopicsRequest([DeleteTopicState("t")], timeout_ms=1_000))
    assert deleted.responses[0].error_code == errors.NONE
    kafka.create_topic("t")
    finish(kafka)
    assert committed(kafka) == -1


@pytest.mark.usefixtures("small_steps")
def test_a_log_that_turns_out_to_be_damaged_harms_no_other_shard(caplog: pytest.LogCaptureFixture) -> None:
    kafka = with_many_commits()
    path = next(
        path for path in kafka.fs.files() if path.startswith(f"/data/{GROUP_TOPIC}-0/") and path.endswith(".log")
    )
    kafka.fs.flip_bit(path, kafka.fs.size(path) - 5)
    with caplog.at_level(logging.CRITICAL):
        for _ in range(100):
            go_on(kafka)
    assert commit(kafka, 1) == errors.NOT_COORDINATOR
    assert kafka.broker.timers.next_deadline_ms() > kafka.now.monotonic_ms  # the loader goes on with nothing


@pytest.mark.usefixtures("small_steps")
def test_a_process_that_may_open_no_more_files_loads_after_a_pause(caplog: pytest.LogCaptureFixture) -> None:
    kafka = with_many_commits()
    for shared in list(kafka.broker.logs.directories[0].files._open):
        shared.shut()
        shared.close()
    kafka.fs.fail_next(lambda operation: operation[0] == "open" and GROUP_TOPIC in operation[1], errno.EMFILE)
    with caplog.at_level(logging.CRITICAL):
        for _ in range(100):
            go_on(kafka)
    assert commit(kafka, 1) == LOADING
    deleted = kafka.ask("delete_topics", 6, DeleteTopicsRequest([DeleteTopicState("t")], timeout_ms=1_000))
    assert deleted.responses[0].error_code == errors.NONE
    kafka.create_topic("t")
    kafka.advance(RETRY_MS)
    finish(kafka)
    assert heartbeat(kafka, kafka.member_id, 1) == errors.NONE
    assert committed(kafka) == -1  # of the topic that was deleted meanwhile


def test_what_is_not_committed_yet_is_loaded_and_not_told() -> None:
    """The log's end may lie above the high watermark: then what is answered waits until it does not."""
    kafka = with_coordinator(log_flush_interval_messages="1")
    assert commit(kafka, 1) == errors.NONE
    kafka.disk_is_stuck = True
    request = of_v8(2)
    assert kafka.send("offset_commit", 8, request).body is None
    kafka.restart(clean=False)
    asked = kafka.send("offset_fetch", 5, OffsetFetchRequest("g", [OffsetFetchRequestTopic("t", [0])]))
    assert asked.body is None
    kafka.disk_is_stuck = False
    kafka.flush()
    assert asked.body.topics[0].partitions[0].committed_offset == 2


@pytest.mark.parametrize("groups", [80, 1])
def test_a_large_log_takes_many_short_turns(monkeypatch: pytest.MonkeyPatch, groups: int) -> None:
    """In each no more is done than a turn may, whatever a batch holds. Commits that come again take few."""
    monkeypatch.setattr(loading, "START_UP_BUDGET", loading.ITERATION_BUDGET)
    kafka = with_coordinator(offsets_topic_num_partitions="1")
    kafka.create_topic("wide", 100)
    for offset in range(80):
        parts = [OffsetCommitRequestPartition(index, offset) for index in range(100)]
        topics = [OffsetCommitRequestTopic("wide", partitions=parts)]
        kafka.ask("offset_commit", 8, OffsetCommitRequest(f"g{offset % groups}", topics=topics))
    kafka.restart(clean=False)
    assert commit(kafka, 1) == LOADING
    turns = finish(kafka)
    if groups > 1:
        assert turns >= (8_000 // loading.PLAIN_PER_COST + 100) // loading.ITERATION_BUDGET  # all are read
    else:
        assert turns <= 2
    asked = OffsetFetchRequest(f"g{79 % groups}", [OffsetFetchRequestTopic("wide", list(range(100)))])
    found = kafka.ask("offset_fetch", 5, asked).topics[0].partitions
    assert {partition.committed_offset for partition in found} == {79}


def test_a_broker_with_few_commits_never_says_that_it_loads() -> None:
    """Nobody is served before they are loaded, though they are more than a turn of the loop takes later on."""
    kafka = with_many_commits(2 * loading.ITERATION_BUDGET)
    assert committed(kafka) == 2 * loading.ITERATION_BUDGET


def poison(kafka: Kafka, *records: tuple[bytes | None, bytes | None], partition: int = 0) -> int:
    """Write records into the groups' log as no coordinator does; the offset of the first."""
    built = build_batch([Record(n, kafka.now.wall_ms, *record) for n, record in enumerate(records)])
    log = kafka.broker.partitions.get(GROUP_TOPIC, partition)
    return log.append(memoryview(built), -1, kafka.now, internal=True).first_offset


OFFSET_KEY = encode_record((OffsetCommitKey("g", "t", 0), None))[0]
GROUP_KEY = encode_record((GroupMetadataKey("g"), None))[0]
TWINS = GroupMetadataValue(
    "consumer", 1, "range", "m", 0, [MemberMetadata("m", None, "c", "/h", 1, 1, b"", b"") for _ in range(2)]
)
UNREADABLE: dict[str, tuple[tuple[bytes | None, bytes | None], str]] = {
    "neither key nor value": ((None, b"hello"), "key of 0 bytes"),
    "a short key": ((b"\0", b"hello"), "key of 1 bytes"),
    "a key cut short": ((OFFSET_KEY[:-1], b"hello"), "key of 11 bytes, type 1"),
    "a value that is none": ((OFFSET_KEY, b"hello"), "type 1 of group 'g'"),
    "a value without a version": ((OFFSET_KEY, b""), "type 1 of group 'g'"),
    "a value of a version to come": ((OFFSET_KEY, b"\0\x63" + bytes(40)), "type 1 of group 'g'"),
    "a group that is none": ((GROUP_KEY, b"\0\3hello"), "type 2 of group 'g'"),
    "a group that names a member twice": ((GROUP_KEY, encode_value(TWINS, 3)), "type 2 of group 'g'"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_record_that_cannot_be_read_is_named_and_passed_over(caplog: pytest.LogCaptureFixture, name: str) -> None:
    kafka = with_coordinator(offsets_topic_num_partitions="1")
    assert commit(kafka, 42) == errors.NONE
    record, named = UNREADABLE[name]
    offset = poison(kafka, record)
    assert commit(kafka, 43, "another") == errors.NONE
    kafka.restart(clean=False)
    assert (committed(kafka), committed(kafka, "another")) == (42, 43)
    assert commit(kafka, 44) == errors.NONE
    (line,) = [line for line in caplog.messages if "skipped" in line]
    assert f"/data/{GROUP_TOPIC}-0/00000000000000000000.log: the record at offset {offset} is skipped" in line
    assert named in line
    assert kafka.broker.groups.records_passed_over == 1


def test_a_record_of_a_type_to_come_is_passed_over_without_a_word(caplog: pytest.LogCaptureFixture) -> None:
    kafka = with_coordinator(offsets_topic_num_partitions="1")
    poison(kafka, (b"\x7f\xff", b"hello"), (b"\xff\xff", None))
    assert commit(kafka, 42) == errors.NONE
    kafka.restart(clean=False)
    assert committed(kafka) == 42
    assert not [line for line in caplog.messages if "skipped" in line]


def test_of_many_unreadable_records_a_few_are_named_and_all_are_counted(caplog: pytest.LogCaptureFixture) -> None:
    kafka = with_coordinator(offsets_topic_num_partitions="1")
    commit(kafka, 42)
    for number in range(30):
        poison(kafka, (bytes([number]), b"hello"))
    kafka.restart(clean=False)
    assert committed(kafka) == 42
    lines = [line for line in caplog.messages if "skipped" in line]
    assert len(lines) == loading.MAX_NAMED + 1
    assert "30 records were skipped" in lines[-1]


@pytest.mark.parametrize("codec", range(1, 5))
def test_a_batch_that_cannot_be_opened_is_passed_over(caplog: pytest.LogCaptureFixture, codec: int) -> None:
    """Its checksum is right: so it was written, by whomever, and the disk has done it no harm."""
    kafka = with_coordinator(offsets_topic_num_partitions="1")
    commit(kafka, 42)
    batch = build_batch([Record(0, 5, OFFSET_KEY, b"hello")])
    batch[ATTRIBUTES_OFFSET + 1] |= codec
    stamp_crc(batch, 0, len(batch))
    partition = kafka.broker.partitions.get(GROUP_TOPIC, 0)
    offset = partition.append(memoryview(batch), -1, kafka.now, internal=True).first_offset
    commit(kafka, 43, "another")
    kafka.restart(clean=False)
    assert (committed(kafka), committed(kafka, "another")) == (42, 43)
    assert f"offset {offset} is skipped: its batch cannot be read" in caplog.text


@pytest.mark.parametrize("seed", range(12))
def test_no_bytes_keep_a_shard_from_loading(caplog: pytest.LogCaptureFixture, seed: int) -> None:
    """True records of all kinds, with a few bytes changed, cut or put in."""
    rng = random.Random(seed)
    kafka = with_coordinator(offsets_topic_num_partitions="1")
    members = [MemberMetadata(f"m{n}", f"i{n}", "c", "/h", 9, 9, SUBSCRIPTION, b"mine") for n in range(3)]
    group = GroupMetadataValue("consumer", 1, "range", "m0", 0, members)
    true_records = [
        (key, value)
        for key, value in (
            encode_record((OffsetCommitKey("g", "t", 0), OffsetCommitValue(7, -1, "", 1))),
            encode_record((GroupMetadataKey("g"), group)),
            encode_record((GroupMetadataKey("g"), None)),
            (b"\0\0" + OFFSET_KEY[2:], b"hello"),
        )
    ]
    for _ in range(150):
        records = [tuple(_spoiled(rng, part) for part in rng.choice(true_records)) for _ in range(rng.randrange(1, 4))]
        poison(kafka, *records)
    assert commit(kafka, 43, "another") == errors.NONE
    kafka.restart(clean=False)
    assert committed(kafka, "another") == 43
    assert kafka.ask("describe_groups", 5, DescribeGroupsRequest(["another"])).groups[0].error_code == errors.NONE
    kafka.advance(100_000)
    assert commit(kafka, 44, "another") == errors.NONE
    assert "bug" not in caplog.text


def _spoiled(rng: random.Random, data: bytes | None) -> bytes | None:
    if data is None or rng.random() < 0.3:
        return data
    spoiled = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        place = rng.randrange(len(spoiled) + 1)
        match rng.randrange(4):
            case 0:
                spoiled[place : place + 1] = rng.randbytes(1)
            case 1:
                del spoiled[place : place + rng.randrange(9)]
            case 2:
                spoiled[place:place] = rng.randbytes(rng.randrange(9))
            case _:
                spoiled[place : place + 4] = rng.choice((b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", bytes(4)))
    return bytes(spoiled)


@pytest.mark.parametrize("replays_every_record", [False, True])
def test_a_shard_replays_a_record_with_the_same_facts_when_it_is_written_and_when_it_is_loaded(
    monkeypatch, replays_every_record
):
    monkeypatch.setattr(GROUP.implementation, "replays_every_record", replays_every_record)
    kafka = with_coordinator()
    facts = []
    replay, end = GroupCoordinatorShard.replay, GroupCoordinatorShard.replay_end_transaction

    def note(shard, offset, producer_id, epoch, record, last_offset, wall_ms):
        facts.append((offset, producer_id, epoch, record[0].partition, last_offset, wall_ms))
        replay(shard, offset, producer_id, epoch, record, last_offset, wall_ms)

    def note_end(shard, producer_id, epoch, last_offset, *, is_commit):
        facts.append((producer_id, epoch, last_offset, is_commit))
        end(shard, producer_id, epoch, last_offset, is_commit=is_commit)

    monkeypatch.setattr(GroupCoordinatorShard, "replay", note)
    monkeypatch.setattr(GroupCoordinatorShard, "replay_end_transaction", note_end)
    partitions = [OffsetCommitRequestPartition(index, 5) for index in range(3)]
    topics = [OffsetCommitRequestTopic("t", partitions=partitions)]
    kafka.ask("offset_commit", 8, OffsetCommitRequest("g", topics=topics))
    written = [(index, -1, -1, index, 2, kafka.now.wall_ms) for index in range(3)]
    assert facts == written
    log = kafka.broker.partitions.get(GROUP_TOPIC, kafka.broker.groups.partition_for("g"))
    for batch in (
        in_transaction(3, 7, 1), offset_batch(4, 0, producer_id=9, producer_epoch=0, base_sequence=0),
        marker(5, COMMIT, 7), in_transaction(6, 8, 2), marker(7, ABORT, 8),
    ):  # fmt: skip
        log.append(memoryview(batch), ACKS_ALL, kafka.now, internal=True, guard=VERIFICATION_IS_OFF)
    facts.clear()
    kafka.restart(clean=True)
    if not replays_every_record:  # those below the high watermark stand for themselves
        written = [(*fact[:4], fact[0], fact[5]) for fact in written]
    epoch = 0 if replays_every_record else -1  # of the idempotent producer, which replay is free to ignore
    assert facts == [
        *written, (3, 7, 0, 1, 3, 5), (4, -1, epoch, 0, 4, 5), (7, 0, 5, True), (6, 8, 0, 2, 6, 5), (8, 0, 7, False),
    ]  # fmt: skip
    assert committed(kafka) == 4
