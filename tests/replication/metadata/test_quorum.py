"""The metadata log of a single voter over restarts: first start, clean stop, kill -9, torn tails, damage."""

import errno
import random
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkacompat.errors import StartupError
from kafkacompat.protocol.error_codes import KAFKA_STORAGE_ERROR, MESSAGE_TOO_LARGE
from kafkacompat.protocol.internal.cluster_metadata import ConfigRecord, NoOpRecord
from kafkacompat.protocol.messages.allocate_producer_ids import AllocateProducerIdsRequest
from kafkacompat.protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest
from kafkacompat.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from kafkacompat.replication.controller.configs import incremental_alter_configs
from kafkacompat.replication.controller.deletion import delete_topics
from kafkacompat.replication.controller.partitions import create_partitions
from kafkacompat.replication.controller.producer_ids import allocate_producer_ids
from kafkacompat.replication.metadata import batch_accumulator
from kafkacompat.replication.metadata.batch_accumulator import MAX_RECORDS_PER_BATCH
from kafkacompat.replication.metadata.image import MetadataImage
from kafkacompat.replication.metadata.log import MAX_BATCH_BYTES
from kafkacompat.replication.metadata.quorum import MetadataQuorum
from kafkacompat.replication.metadata.result import Result
from kafkacompat.replication.raft import election_state
from kafkacompat.replication.raft.messages import EndEpoch
from kafkacompat.steps import UNITS_PER_ITERATION
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.memfs import MemFs
from tests.replication.quorum_world import (
    DIRECTORY_ID,
    LOG_DIR,
    LOG_PATH,
    NOW,
    broker_epoch,
    dump,
    kill,
    names,
    open_quorum,
    start,
    stop,
    submit_topic,
)

FIRST_START = [
    "LeaderChangeMessage", "KRaftVersionRecord", "VotersRecord", "BeginTransactionRecord", "FeatureLevelRecord",
    "FeatureLevelRecord", "FeatureLevelRecord", "ConfigRecord", "EndTransactionRecord", "RegisterControllerRecord",
    "RegisterBrokerRecord",
    "BrokerRegistrationChangeRecord", "BrokerRegistrationChangeRecord",
]  # fmt: skip
LATER_START = ["LeaderChangeMessage", "RegisterControllerRecord", "RegisterBrokerRecord"]
CHANGE = "PartitionChangeRecord"
REGISTRATION_CHANGE = "BrokerRegistrationChangeRecord"


def essence(image: MetadataImage) -> dict:
    """The parts of the image that a restart must not change: all but registrations and epochs."""
    topics = {
        name: (topic.topic_id, [(p.replicas, p.isr, p.leader, p.elr) for p in topic.partitions])
        for name, topic in image.topics.items()
    }
    return {"topics": topics, "configs": image.configs, "features": image.features, "ids": image.next_producer_id}


def test_first_start_writes_what_apache_kafka_writes() -> None:
    fs = MemFs()
    quorum = start(fs)
    assert names(dump(quorum)) == FIRST_START
    found = dump(quorum)
    assert (found[4].name, found[4].feature_level) == ("metadata.version", 30)
    assert (found[5].name, found[5].feature_level) == ("eligible.leader.replicas.version", 1)
    assert (found[6].name, found[6].feature_level) == ("transaction.version", 2)
    assert (found[7].resource_type, found[7].resource_name, found[7].name, found[7].value) == (
        4, "", "min.insync.replicas", "1",
    )  # fmt: skip
    assert (found[10].broker_epoch, found[10].fenced, found[10].log_dirs) == (10, True, [DIRECTORY_ID])
    assert (found[11].fenced, found[12].cordoned_log_dirs) == (-1, [])
    assert fs.listdir(LOG_DIR) == ["__cluster_metadata-0", "bootstrap.checkpoint"]
    assert {"quorum-state", "00000000000000000000-0000000000.checkpoint", "partition.metadata"} <= set(
        fs.listdir(f"{LOG_DIR}/__cluster_metadata-0")
    )
    assert (quorum.raft.leader_epoch, broker_epoch(quorum), quorum.raft.high_watermark) == (1, 10, 13)
    assert quorum.image.is_active(1)
    assert b'"leaderId":1,"leaderEpoch":1,' in fs.read_bytes(f"{LOG_DIR}/__cluster_metadata-0/quorum-state")


def test_clean_restart_writes_what_apache_kafka_writes() -> None:
    fs = MemFs()
    quorum = start(fs)
    submit_topic(quorum, "t", 2)
    before, first = essence(quorum.image), len(dump(quorum))
    epoch = stop(quorum)
    quorum = start(fs, epoch, clean=True)
    assert names(dump(quorum))[first:] == [
        REGISTRATION_CHANGE, CHANGE, CHANGE, REGISTRATION_CHANGE, *LATER_START, REGISTRATION_CHANGE, CHANGE, CHANGE,
        REGISTRATION_CHANGE,
    ]  # fmt: skip
    assert essence(quorum.image) == before
    partition = quorum.image.topics["t"].partitions[1]
    assert (partition.leader_epoch, partition.partition_epoch) == (2, 2)
    assert quorum.raft.leader_epoch == 2


def test_restart_after_kill_writes_what_apache_kafka_writes() -> None:
    fs = MemFs()
    quorum = start(fs)
    submit_topic(quorum, "t")
    before, first = essence(quorum.image), len(dump(quorum))
    kill(quorum, fs)
    quorum = start(fs)
    assert names(dump(quorum))[first:] == [
        *LATER_START[:2], CHANGE, REGISTRATION_CHANGE, CHANGE, LATER_START[2], REGISTRATION_CHANGE, CHANGE,
        REGISTRATION_CHANGE,
    ]  # fmt: skip
    unclean = [record for record in dump(quorum)[first:] if type(record).__name__ == CHANGE]
    assert (unclean[0].isr, unclean[0].leader, unclean[0].eligible_leader_replicas) == ([], -1, [1])
    assert unclean[1].eligible_leader_replicas == []
    assert (unclean[2].leader, unclean[2].leader_recovery_state) == (1, 1)
    assert essence(quorum.image) == before
    assert {p.recovery_state for p in quorum.image.topics["t"].partitions} == {1}  # until the leader's next proposal
    registration = next(r for r in dump(quorum)[first:] if type(r).__name__ == "RegisterBrokerRecord")
    assert dump(quorum).index(registration) - 1 == registration.broker_epoch == broker_epoch(quorum)


def test_no_broker_registers_then_nothing_but_the_epoch_is_written() -> None:
    fs = MemFs()
    quorum = open_quorum(fs)
    quorum.flush(NOW)
    assert names(dump(quorum)) == FIRST_START[:10]
    assert quorum.image.features == {
        "metadata.version": 30, "eligible.leader.replicas.version": 1, "transaction.version": 2,
    }  # fmt: skip


def test_submissions_that_change_nothing_are_committed_at_once() -> None:
    quorum = start(MemFs())
    submission = quorum.submit(lambda _image, _now: Result([], "answer"), NOW)
    assert (submission.committed, submission.response) == (True, "answer")


def test_group_commit() -> None:
    flusher = Flusher(fs := MemFs())
    quorum = start(fs, flusher=flusher)
    seen: list[tuple[int, int]] = []
    quorum.listeners.append(lambda old, new, _now: seen.append((old.offset, new.offset)))
    flusher.flush_inline(NOW)
    base = quorum.image.offset
    operations = fs.record()
    first, second, third = (submit_topic(quorum, name) for name in "abc")
    reading = quorum.submit(lambda image, _now: Result([], sorted(image.topics)), NOW)
    assert reading.response == ["a", "b", "c"], "decided on what is not committed yet"
    assert not any(each.committed for each in (first, second, third, reading))
    assert quorum.image.topics == {}
    job = flusher.next_job()
    assert job is not None
    job.run()
    flusher.finish(job, None, NOW)
    assert first.committed
    assert not second.committed, "written only now"
    flusher.flush_inline(NOW)
    assert third.committed
    assert reading.committed
    assert list(quorum.image.topics) == ["a", "b", "c"]
    assert seen == [(base, base + 2), (base + 2, base + 6)], "one batch for the first, one for all that waited"
    assert len([operation for operation in operations if operation[0] == "fsync"]) == 2


def test_listeners_may_submit() -> None:
    quorum = start(MemFs())
    quorum.listeners.append(lambda _old, new, _now: None if "b" in new.topics else submit_topic(quorum, "b") and None)
    submit_topic(quorum, "a")
    assert list(quorum.image.topics) == ["a", "b"]


def test_who_trips_over_new_metadata_holds_up_nobody(caplog: pytest.LogCaptureFixture) -> None:
    quorum = start(MemFs())
    seen: list[int] = []
    told: list[object] = []

    def fail(*_: object) -> None:
        raise AssertionError("injected")

    quorum.listeners[:] = [fail, lambda _old, new, _now: seen.append(new.offset)]
    quorum.hold()
    first, second = (submit_topic(quorum, name) for name in "ab")
    first.when_done(fail)
    first.when_done(told.append)
    second.when_done(told.append)
    quorum.flush(NOW)
    assert list(quorum.image.topics) == ["a", "b"]
    assert seen == [quorum.image.offset]
    assert told == [NOW, NOW]
    assert caplog.text.count("a bug: ") == 2


def test_disk_failure_commits_nothing_and_stays() -> None:
    fs = MemFs()
    quorum = start(fs)
    submit_topic(quorum, "a")
    fs.fail_next(lambda operation: operation[0] == "write")
    for name in ("b", "c"):
        with pytest.raises(LogError) as raised:
            submit_topic(quorum, name)
        assert raised.value.error_code == KAFKA_STORAGE_ERROR
    assert list(quorum.image.topics) == ["a"]
    assert quorum.failure is not None
    kill(quorum, fs)
    assert list(start(fs).image.topics) == ["a"]


def test_fsync_failure_commits_nothing() -> None:
    flusher = Flusher(fs := MemFs())
    quorum = start(fs, flusher=flusher)
    flusher.flush_inline(NOW)
    waiting = submit_topic(quorum, "a")
    job = flusher.next_job()
    assert job is not None
    flusher.finish(job, OSError(5, "I/O error"), NOW)
    assert not waiting.committed
    assert quorum.failure is not None
    assert quorum.image.topics == {}


def test_a_change_larger_than_a_batch_is_refused() -> None:
    quorum = start(MemFs())
    huge = [ConfigRecord(2, "t", f"{n}", "x" * 30_000) for n in range(300)]
    with pytest.raises(LogError) as raised:
        quorum.submit(lambda _image, _now: Result(huge), NOW)
    assert raised.value.error_code == MESSAGE_TOO_LARGE
    assert quorum.image.configs.keys() == {(4, "")}
    assert submit_topic(quorum, "t").committed


def test_a_change_that_need_not_be_atomic_is_written_as_several_batches() -> None:
    quorum = start(fs := MemFs())
    before = len(list(quorum.raft.log.batches(0, quorum.raft.high_watermark)))
    many = [ConfigRecord(2, "t", f"{n}", "x" * 500) for n in range(2 * MAX_RECORDS_PER_BATCH + 1)]
    done = quorum.submit(lambda _image, _now: Result(many, "answer", is_atomic=False), NOW)
    quorum.flush(NOW)
    assert (done.committed, done.response) == (True, "answer")
    batches = [header for header, _ in quorum.raft.log.batches(0, quorum.raft.high_watermark)][before:]
    assert [header.record_count for header in batches] == [MAX_RECORDS_PER_BATCH, MAX_RECORDS_PER_BATCH + 1]
    assert sum(header.size_bytes for header in batches) > MAX_BATCH_BYTES
    assert len(quorum.image.config(2, "t")) == len(many)
    quorum.close(clean=True, now=NOW)
    assert start(fs).image.config(2, "t") == quorum.image.config(2, "t")


def test_waiting_changes_go_out_in_batches_of_bounded_size() -> None:
    flusher = Flusher(fs := MemFs())
    quorum = start(fs, flusher=flusher)
    flusher.flush_inline(NOW)
    records = [ConfigRecord(16, "s", f"{n}", "x" * 30_000) for n in range(100)]
    for _ in range(5):
        quorum.submit(lambda _image, _now: Result(records), NOW)
    flusher.flush_inline(NOW)
    assert max(header.size_bytes for header, _ in quorum.raft.log.batches(0, 10**9)) < 8 * 1024 * 1024
    assert quorum.raft.high_watermark == quorum.next_offset == 13 + 500


def test_kill_at_every_byte_of_the_log() -> None:
    """Whatever is left of the last batch: the changes before it are there, it is there whole or not at all."""
    fs = MemFs()
    quorum = start(fs)
    submit_topic(quorum, "a")
    whole_until = fs.size(LOG_PATH)
    submit_topic(quorum, "b", 3)
    end = fs.size(LOG_PATH)
    data = fs.read_bytes(LOG_PATH)
    quorum.close(clean=False, now=NOW)
    for size in range(whole_until, end + 1):
        fs.restart()
        fs.write_atomic(LOG_PATH, data[:size], sync=True)
        restarted = start(fs)
        assert list(restarted.image.topics) == (["a", "b"] if size == end else ["a"]), size
        assert restarted.raft.leader_epoch == size - whole_until + 2
        restarted.close(clean=False, now=NOW)


def test_kill_during_the_first_start_at_every_write() -> None:
    """Each prefix of the operations of the first start: the next start completes it."""
    operations = (fs := MemFs()).record()
    stop(start(fs))
    writing = ("write", "rename", "write_atomic", "fsync", "fsync_dir", "mkdir")
    count = sum(operation[0] in writing for operation in operations)
    for survivors in range(count):
        fs = MemFs()
        left = iter(range(survivors))
        fs.fail_next(lambda operation, left=left: operation[0] in writing and next(left, None) is None)
        with suppress(OSError, LogError):
            stop(start(fs))
        fs.crash()
        quorum = start(fs)
        assert quorum.image.is_active(1), survivors
        assert quorum.image.features["metadata.version"] == 30
        stop(quorum)


@pytest.mark.parametrize("seed", range(40))
def test_power_failure_during_any_start(seed: int) -> None:
    """Whatever part of a start reached the disk, in whatever order: the next one goes on from there."""
    rng = random.Random(seed)
    fs = MemFs()
    for _ in range(6):
        left = iter(range(rng.randint(0, 30)))
        fs.fail_next(lambda operation, left=left: operation[0] != "read_bytes" and next(left, None) is None)
        with suppress(OSError, LogError):
            submit_topic(start(fs), f"t{rng.randint(0, 9)}")
        fs._faults.clear()
        fs.crash(rng)
    quorum = start(fs)
    assert quorum.image.is_active(1)


def test_a_lost_metadata_directory_is_made_anew_for_good() -> None:
    fs = MemFs()
    stop(start(fs))
    fs.rmtree(f"{LOG_DIR}/__cluster_metadata-0")
    fs.fsync_dir(LOG_DIR)
    quorum = start(fs)
    submit_topic(quorum, "a")
    fs.crash()
    assert list(start(fs).image.topics) == ["a"]


@pytest.mark.parametrize("seed", range(60))
def test_power_failure_loses_only_what_was_not_committed(seed: int) -> None:
    rng = random.Random(seed)
    flusher = Flusher(fs := MemFs())
    quorum = start(fs, flusher=flusher)
    flusher.flush_inline(NOW)
    for n in range(rng.randint(1, 12)):
        submit_topic(quorum, f"t{n}", rng.randint(1, 40))
        if rng.random() < 0.4:
            flusher.flush_inline(NOW)
    committed = essence(quorum.image)["topics"]
    newest = list(quorum._newest.topics)
    quorum.close(clean=False, now=NOW)
    fs.crash(rng)
    restarted = essence(start(fs).image)["topics"]
    assert list(restarted) == newest[: len(restarted)], "a prefix of what was submitted"
    assert {name: restarted.get(name) for name in committed} == committed


def test_every_damaged_batch_inside_the_log_refuses_to_start() -> None:
    fs = MemFs()
    quorum = start(fs)
    submit_topic(quorum, "a")
    last_batch = fs.size(LOG_PATH)
    submit_topic(quorum, "b")
    data = fs.read_bytes(LOG_PATH)
    quorum.close(clean=False, now=NOW)
    for at in range(last_batch):
        damaged = bytearray(data)
        damaged[at] ^= 0x41
        fs.restart()
        fs.write_atomic(LOG_PATH, bytes(damaged), sync=True)
        refusal = None
        try:
            found = start(fs)
        except StartupError as error:
            refusal = str(error)
        if refusal is not None:
            assert LOG_PATH in refusal
            assert "\n" not in refusal
        else:  # an epoch that is too high but in order harms nothing
            assert list(found.image.topics) == ["a", "b"], at
            found.close(clean=False, now=NOW)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"node_id": 2}, "has the voters"), ({"directory_id": bytes(range(16))}, "another directory.id")],
)
def test_a_foreign_directory_is_refused(arguments: dict, message: str) -> None:
    fs = MemFs()
    stop(start(fs))
    with pytest.raises(StartupError, match=message):
        open_quorum(fs, **arguments)


def test_levels_that_cannot_be_kept_refuse_to_start() -> None:
    from kafkacompat.protocol.internal.cluster_metadata import FeatureLevelRecord

    fs = MemFs()
    quorum = start(fs)
    quorum.submit(lambda _image, _now: Result([FeatureLevelRecord("group.version", 1)]), NOW)
    stop(quorum)
    quorum = start(fs)
    quorum.submit(lambda _image, _now: Result([FeatureLevelRecord("group.version", 2)]), NOW)
    stop(quorum)
    with pytest.raises(StartupError, match=r"group.version 2 \(supported: 0 to 1\)"):
        open_quorum(fs)


def test_an_open_transaction_is_aborted_at_start() -> None:
    from kafkacompat.protocol.internal.cluster_metadata import BeginTransactionRecord

    fs = MemFs()
    quorum = start(fs)
    quorum.submit(lambda _i, _n: Result([BeginTransactionRecord("x"), ConfigRecord(2, "t", "a", "1")]), NOW)
    kill(quorum, fs)
    quorum = start(fs)
    assert "AbortTransactionRecord" in names(dump(quorum))
    assert (2, "t") not in quorum.image.configs


def test_a_moved_controller_is_told_in_the_voter_set() -> None:
    from kafkacompat.replication.metadata.image import Endpoint

    fs = MemFs()
    first = len(dump(quorum := start(fs)))
    stop(quorum)
    quorum = start(fs, controller_endpoints=[Endpoint("CONTROLLER", "elsewhere", 1)])
    assert names(dump(quorum))[first + 2 : first + 5] == ["LeaderChangeMessage", "KRaftVersionRecord", "VotersRecord"]
    length = len(dump(quorum))
    stop(quorum)
    quorum = start(fs, controller_endpoints=[Endpoint("CONTROLLER", "elsewhere", 1)])
    assert names(dump(quorum))[length + 2 : length + 4] == ["LeaderChangeMessage", "RegisterControllerRecord"]


# Random lives: operations, restarts and kills; the image is always the replay of the log.

NAMES = st.sampled_from(["a", "b", "c", "d.e", "d_e"])
STEPS = st.one_of(
    st.tuples(st.just("create"), NAMES, st.integers(1, 3)),
    st.tuples(st.just("delete"), NAMES),
    st.tuples(st.just("grow"), NAMES, st.integers(1, 5)),
    st.tuples(st.just("configure"), NAMES, st.sampled_from(["1", "2", None])),
    st.tuples(st.just("ids")),
    st.tuples(st.just("noop")),
    st.tuples(st.sampled_from(["stop", "kill", "crash"])),
)


def operate(quorum: MetadataQuorum, step: tuple) -> None:
    kind, arguments = step[0], step[1:]
    settings = quorum.settings
    if kind == "create":
        submit_topic(quorum, *arguments)
    elif kind == "delete":
        request = DeleteTopicsRequest(topic_names=list(arguments))
        quorum.submit(lambda image, _now: delete_topics(request, 5, image, settings), NOW)
    elif kind == "grow":
        growth = CreatePartitionsRequest([CreatePartitionsTopic(arguments[0], arguments[1], None)])
        quorum.submit(lambda image, _now: create_partitions(growth, image), NOW)
    elif kind == "configure":
        name, value = arguments
        config = AlterableConfig("min.insync.replicas", 1 if value is None else 0, value)
        alteration = IncrementalAlterConfigsRequest([AlterConfigsResource(2, name, [config])])
        quorum.submit(lambda image, _now: incremental_alter_configs(alteration, image, settings), NOW)
    elif kind == "ids":
        wanted = AllocateProducerIdsRequest(1, broker_epoch(quorum))
        quorum.submit(lambda image, _now: allocate_producer_ids(wanted, image), NOW)
    else:
        quorum.submit(lambda _image, _now: Result([NoOpRecord()]), NOW)


@settings(max_examples=60)
@given(st.lists(STEPS, max_size=25))
def test_random_lives(steps: list[tuple]) -> None:
    fs = MemFs()
    quorum = start(fs)
    for step in steps:
        if step[0] not in ("stop", "kill", "crash"):
            operate(quorum, step)
            continue
        before = essence(quorum.image)
        epoch = -1
        if step[0] == "stop":
            epoch = stop(quorum)
        else:
            quorum.close(clean=False, now=NOW)
        if step[0] == "crash":
            fs.crash()
        quorum = start(fs, epoch)
        assert essence(quorum.image) == before
        assert all(p.leader == 1 for topic in quorum.image.topics.values() for p in topic.partitions)
    image = quorum.image
    quorum.close(clean=False, now=NOW)
    again = open_quorum(fs)
    assert again.image.but(offset=0, epoch=0) == image.but(offset=0, epoch=0), "what the log says is what was in memory"


def test_a_vote_that_cannot_be_stored_ends_its_part_and_is_not_tried_without_end(monkeypatch) -> None:
    fs = MemFs()
    quorum = start(fs)
    attempts: list[str] = []

    def refuse(path: str, _data: bytes, *, sync: bool) -> None:
        attempts.append(path)
        assert len(attempts) < 10
        raise FileNotFoundError(2, "the directory is gone", path)

    monkeypatch.setattr(fs, "write_atomic", refuse)
    said: list[object] = []
    said_by_another = EndEpoch(quorum.raft.leader_epoch + 5, 2, ())  # of an epoch that is news, and has to be stored
    quorum.raft.requested(said_by_another, lambda answer, _now: said.append(answer), NOW)
    assert attempts
    assert quorum.failure is not None
    assert said == []
    quorum.tick(NOW)
    assert quorum.deadline_ms > NOW.monotonic_ms + 3_600_000


def test_a_vote_is_stored_with_the_next_event_if_descriptors_are_wanting(caplog: pytest.LogCaptureFixture) -> None:
    quorum = start(fs := MemFs())
    said: list[object] = []
    epoch = quorum.raft.leader_epoch + 5
    for _ in range(2):
        fs.fail_next(lambda operation: operation[0] == "open" and "quorum-state" in operation[1], errno.EMFILE)
    quorum.raft.requested(EndEpoch(epoch, 2, ()), lambda answer, _now: said.append(answer), NOW)
    assert (quorum.failure, said) == (None, [])
    for _ in range(2):
        quorum.tick(NOW)
    assert (quorum.failure, len(said)) == (None, 1)
    stored = election_state.load(fs, LOG_PATH.rpartition("/")[0])
    assert stored is not None
    assert stored.leader_epoch == epoch
    assert caplog.text.count("the metadata quorum waits for room or descriptors") == 1


def voters_written(quorum: MetadataQuorum) -> list:
    return [record for record in dump(quorum) if type(record).__name__ == "VotersRecord"]


def test_a_voter_set_is_written_behind_a_large_change_that_is_being_decided() -> None:
    quorum = start(fs := MemFs())
    quorum.on_more = lambda _now: None
    many = [ConfigRecord(2, "t", f"{n}", "x") for n in range(3 * UNITS_PER_ITERATION)]
    large = quorum.submit(lambda _image, _now: Result(many), NOW)
    assert quorum.is_deciding
    changed = quorum.change_voters(lambda: quorum.raft.voters, NOW)
    quorum.resume(NOW)
    assert (large.committed, changed.committed) == (True, True)
    assert changed.offset == large.offset + 1
    assert len(voters_written(quorum)) == 2
    known = quorum.image
    kill(quorum, fs)
    assert start(fs).image.config(2, "t") == known.config(2, "t")


def test_a_voter_set_is_written_at_once() -> None:
    quorum = start(MemFs())
    assert quorum.change_voters(lambda: quorum.raft.voters, NOW).committed
    assert len(voters_written(quorum)) == 2


def test_a_disk_that_fails_under_a_voter_set_ends_its_part() -> None:
    quorum = start(fs := MemFs())
    fs.fail_next(lambda operation: operation[:2] == ("write", LOG_PATH))
    submission = quorum.change_voters(lambda: quorum.raft.voters, NOW)
    assert submission.failed == KAFKA_STORAGE_ERROR
    assert quorum.failure is not None


def test_a_voter_set_for_which_there_is_no_room_is_refused_and_others_go_on() -> None:
    quorum = start(fs := MemFs())
    fs.free_bytes = 0
    submission = quorum.change_voters(lambda: quorum.raft.voters, NOW)
    assert (submission.failed, quorum.failure) == (KAFKA_STORAGE_ERROR, None)
    fs.free_bytes = None
    assert quorum.change_voters(lambda: quorum.raft.voters, NOW).committed
    assert submit_topic(quorum, "t").committed


def test_a_change_for_whose_first_batch_there_is_no_room_goes_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its client has been told that it was not made."""
    monkeypatch.setattr(batch_accumulator, "MAX_RECORDS_PER_BATCH", UNITS_PER_ITERATION)
    quorum = start(fs := MemFs())
    quorum.on_more = lambda _now: None
    many = [ConfigRecord(2, "t", f"{n}", "x") for n in range(3 * UNITS_PER_ITERATION)]
    large = quorum.submit(lambda _image, _now: Result(many, is_atomic=False), NOW)
    fs.free_bytes = 0
    quorum.resume(NOW)
    assert large.failed == KAFKA_STORAGE_ERROR
    fs.free_bytes = None
    for _ in range(5):
        quorum.resume(NOW)
    assert submit_topic(quorum, "other").committed
    assert quorum.image.config(2, "t") == {}


def test_a_log_that_cannot_be_closed_is_no_clean_stop() -> None:
    quorum = start(fs := MemFs())
    fs.fail_next(lambda operation: operation[0] == "write" and operation[1].endswith("index"))
    quorum.close(clean=True, now=NOW)
    assert quorum.failure is not None
