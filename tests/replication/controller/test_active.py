"""The active controller: registration, evidence of death, and periodic work."""

import logging

import pytest

from kafkacompat.now import Now
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.internal.cluster_metadata import PartitionChangeRecord
from kafkacompat.protocol.messages.broker_registration import Feature
from kafkacompat.replication.controller.active import AGAIN_MS, RETRY_MS
from kafkacompat.replication.controller.failure_detector import GRACE_MS
from kafkacompat.replication.controller.limits import MAX_PARTITIONS_PER_STEP
from kafkacompat.replication.election import PREFERRED
from kafkacompat.replication.metadata.image import NO_LEADER, RECOVERING, PartitionImage
from kafkacompat.replication.metadata.result import Result
from kafkacompat.storage.errors import LogError
from tests.replication.controller.active_world import FEATURES, ID, NEW, World

SESSION_MS = 9000
LOST_MS = 1000
DIALED_MS = LOST_MS + GRACE_MS
DIRECTORY = bytes([9]) * 16


# --- registration ---


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ({}, errors.NONE),
        ({"cluster_id": "another"}, errors.INCONSISTENT_CLUSTER_ID),
        ({"cluster_id": ""}, errors.INCONSISTENT_CLUSTER_ID),
        ({"is_migrating_zk_broker": True}, errors.BROKER_ID_NOT_REGISTERED),
        ({"log_dirs": []}, errors.INVALID_REGISTRATION),
        ({"log_dirs": [DIRECTORY, DIRECTORY]}, errors.INVALID_REGISTRATION),
        ({"log_dirs": [bytes(15) + b"\x63"]}, errors.INVALID_REGISTRATION),
        ({"log_dirs": [bytes(15) + b"\x64"]}, errors.NONE),
        ({"log_dirs": [bytes([1]) * 16]}, errors.INVALID_REGISTRATION),  # the directory of broker 1
        ({"features": []}, errors.INVALID_REGISTRATION),
        ({"features": [Feature("metadata.version", 7, 29), Feature("eligible.leader.replicas.version", 0, 1)]},
         errors.UNSUPPORTED_VERSION),
        ({"features": [Feature("metadata.version", 31, 33), Feature("eligible.leader.replicas.version", 0, 1)]},
         errors.UNSUPPORTED_VERSION),
        ({"features": [Feature("metadata.version", 7, 30)]}, errors.UNSUPPORTED_VERSION),
        ({"features": [Feature("metadata.version", 7, 30), Feature("eligible.leader.replicas.version", 0, 1),
                       Feature("share.version", 1, 1)]}, errors.UNSUPPORTED_VERSION),
        ({"features": [Feature("metadata.version", 7, 30), Feature("eligible.leader.replicas.version", 0, 1),
                       Feature("share.version", 0, 1), Feature("kraft.version", 0, 1)]}, errors.NONE),
    ],
)  # fmt: skip
def test_who_may_register(said: dict, error: int) -> None:
    world = World()
    answer = world.register(4, 0, **said)
    assert answer.error_code == error
    assert (4 in world.image.brokers) == (error == errors.NONE)
    assert answer.broker_epoch == (51 if error == errors.NONE else -1)


def test_what_a_broker_calls_a_feature_is_quoted(caplog) -> None:
    name = "x\nanother line" + "y" * 5_000
    features = [*(Feature(known, 0, 30) for known in FEATURES), Feature(name, 1, 1)]
    assert World().register(4, 0, features=features).error_code == errors.UNSUPPORTED_VERSION
    assert "x\\nanother line" in caplog.text
    assert all(record.getMessage().isprintable() and len(record.getMessage()) < 400 for record in caplog.records)


def test_an_order_of_refusals() -> None:
    world = World()
    assert world.register(1, 0, log_dirs=[]).error_code == errors.DUPLICATE_BROKER_REGISTRATION
    assert world.register(1, 0, cluster_id="another").error_code == errors.INCONSISTENT_CLUSTER_ID


def test_of_a_fenced_broker_nothing_is_known_to_a_new_controller() -> None:
    world = World(fenced=(1,))
    assert world.register(1, 0).error_code == errors.NONE


def test_who_was_let_go_may_come_back_at_once() -> None:
    world = World()
    assert world.beat(3, 100, want_shut_down=True).should_shut_down
    assert world.register(3, 101).error_code == errors.NONE


# --- sessions ---


def test_the_silent_are_fenced_one_after_the_other() -> None:
    world = World()
    world.tick(0)
    for broker_id in (1, 2, 3):
        world.beat(broker_id, 1000 * broker_id)
    assert world.controller.deadline_ms == 1000 + SESSION_MS
    world.tick(999 + SESSION_MS)
    assert world.fenced == []
    world.tick(1000 + SESSION_MS)
    assert (world.fenced, world.partition().isr, world.partition().leader) == ([1], (2, 3), 2)
    world.tick(3000 + SESSION_MS)
    assert (world.fenced, world.partition().isr, world.partition().elr) == ([1, 2, 3], (), (2, 3))


def test_what_is_on_its_way_to_the_disk_is_not_done_twice() -> None:
    world = World()
    world.tick(0)
    world.quorum.commits = False
    world.tick(SESSION_MS)
    count = len(world.quorum.records)
    assert world.controller.deadline_ms > SESSION_MS
    world.tick(SESSION_MS + 1)
    assert len(world.quorum.records) == count
    world.quorum.commit()
    assert world.fenced == [1, 2, 3]


def test_a_quorum_that_takes_nothing_is_said(caplog: pytest.LogCaptureFixture) -> None:
    world = World()
    world.quorum.failure = LogError(errors.NOT_CONTROLLER, "not active")
    with caplog.at_level(logging.ERROR):
        world.tick(SESSION_MS)
    assert "not active" in caplog.text
    assert world.controller.deadline_ms == SESSION_MS + RETRY_MS


# --- more partitions than one change may have ---

MANY = 2 * MAX_PARTITIONS_PER_STEP + 1


def crowd(count: int = MANY, **options) -> World:
    """Brokers 1 to 3 with many partitions, which they lead in turn."""
    replicas = (1, 2, 3)
    return World(*(PartitionImage(replicas, replicas, replicas[n % 3]) for n in range(count)), **options)


def steps(world: World, ms: int) -> list[int]:
    """Call `tick` while the next one is due at once. Returns the records of each."""
    taken = []
    while not taken or world.controller.deadline_ms <= ms:
        before = len(world.quorum.records)
        world.tick(ms)
        taken.append(len(world.quorum.records) - before)
        assert world.beat(2, ms).error_code == errors.NONE  # others are answered between two steps
        assert len(taken) < 10
    return taken


def having(world: World, broker_id: int) -> int:
    """The partitions that the broker leads, or in whose ISR it is."""
    partitions = world.image.topics["t"].partitions
    return sum(broker_id == partition.leader or broker_id in partition.isr for partition in partitions)


def test_a_broker_of_many_partitions_is_fenced_in_steps_of_limited_size() -> None:
    world = _quiet_world(crowd())
    for broker_id in (2, 3):
        world.beat(broker_id, 5000)
    assert steps(world, SESSION_MS) == [MAX_PARTITIONS_PER_STEP, MAX_PARTITIONS_PER_STEP, 1 + 1]
    assert (world.fenced, having(world, 1)) == ([1], 0)


@pytest.mark.parametrize("work", ["fencing", "elections"])
def test_nothing_more_is_asked_for_while_a_change_is_decided_in_steps(work: str, monkeypatch) -> None:
    world = _quiet_world()
    for broker_id in (2, 3):
        world.beat(broker_id, 5000)
    at_once, asked = world.quorum.submit, 0

    def submit(operation, now: Now):
        nonlocal asked
        asked += 1
        assert asked == 1, "it would be queued, and its result unknown"
        event = at_once(operation, now)
        world.quorum.is_deciding = True
        return event

    monkeypatch.setattr(world.quorum, "submit", submit)
    if work == "elections":
        assert world.controller._elect(PREFERRED, Now(1, 1))
        return
    world.tick(SESSION_MS)
    assert (asked, world.fenced) == (1, [1])
    assert world.controller.deadline_ms == SESSION_MS  # it goes on in the next turn
    world.tick(SESSION_MS)
    asked, world.quorum.is_deciding = 0, False
    world.tick(SESSION_MS + AGAIN_MS)
    assert asked == 1


def test_several_that_are_dead_are_fenced_one_after_the_other_in_steps() -> None:
    world = _quiet_world(crowd())
    world.beat(2, 5000)
    assert max(steps(world, SESSION_MS)) <= MAX_PARTITIONS_PER_STEP + 2
    assert world.fenced == [1, 3]
    assert having(world, 1) == having(world, 3) == 0


def test_what_comes_in_behind_a_step_is_not_forgotten() -> None:
    world = _quiet_world(crowd())
    for broker_id in (2, 3):
        world.beat(broker_id, 5000)
    world.tick(SESSION_MS)
    assert having(world, 1) == MANY - MAX_PARTITIONS_PER_STEP
    back = PartitionChangeRecord(partition_id=0, topic_id=ID, isr=[1, 2, 3], leader=1)
    world.quorum.submit(lambda _image, _at: Result([back]), Now(SESSION_MS, 0))
    steps(world, SESSION_MS)
    assert (world.fenced, having(world, 1)) == ([1], 0)


def test_a_broker_that_is_heard_again_between_two_steps_stays() -> None:
    world = _quiet_world(crowd())
    for broker_id in (2, 3):
        world.beat(broker_id, 5000)
    world.tick(SESSION_MS)
    world.beat(1, SESSION_MS)
    assert sum(steps(world, SESSION_MS)) == 0
    assert world.fenced == []
    for broker_id in (2, 3):
        world.beat(broker_id, 2 * SESSION_MS - 1)
    steps(world, 2 * SESSION_MS)
    assert (world.fenced, having(world, 1)) == ([1], 0)


def test_a_broker_that_works_again_is_given_its_partitions_in_steps() -> None:
    world = _quiet_world(World(*(PartitionImage((1,), (1,), NO_LEADER) for _ in range(MANY)), fenced=(1,)))
    for broker_id in (2, 3):
        world.beat(broker_id, 5000)
    world.beat(1, 5000, current_metadata_offset=1 << 40)
    assert world.fenced == []
    assert having(world, 1) == MANY
    assert sum(partition.leader == 1 for partition in world.image.topics["t"].partitions) == MAX_PARTITIONS_PER_STEP
    assert steps(world, 5000) == [MAX_PARTITIONS_PER_STEP, 1]
    assert all(partition.leader == 1 for partition in world.image.topics["t"].partitions)


def test_a_broker_of_many_partitions_stops_in_steps_one_with_each_heartbeat() -> None:
    world = _quiet_world(crowd())
    sizes = []
    for ms in range(1, 50):
        for broker_id in (2, 3):
            world.beat(broker_id, ms)
        before = len(world.quorum.records)
        stops = world.beat(1, ms, want_shut_down=True).should_shut_down
        sizes.append(len(world.quorum.records) - before)
        world.tick(ms)
        if stops:
            break
    assert (world.fenced, having(world, 1)) == ([1], 0)
    assert max(sizes) == MAX_PARTITIONS_PER_STEP + 1
    assert sum(sizes) == MANY + 2


def test_a_broker_that_may_have_lost_data_registers_once_no_partition_counts_on_it() -> None:
    partitions = (PartitionImage((1, 2), (2,), 2, elr=(1,)) for _ in range(MANY))
    world = _quiet_world(World(*partitions, fenced=(1,)))
    for broker_id in (2, 3):
        world.beat(broker_id, 5000)
    assert world.register(1, 5000).error_code == errors.REQUEST_TIMED_OUT
    assert steps(world, 5000) == [MAX_PARTITIONS_PER_STEP, 1]
    assert not any(partition.elr for partition in world.image.topics["t"].partitions)
    assert world.image.brokers[1].incarnation_id != NEW
    assert world.register(1, 5001).error_code == errors.NONE
    assert world.image.brokers[1].incarnation_id == NEW


# --- evidence of death ---


def test_a_new_controller_dials_all_that_should_be_there() -> None:
    world = World(fenced=(3,))
    assert world.controller.deadline_ms == 0
    world.tick(0)
    assert world.dialed == [1, 2]
    world.tick(1)
    assert world.dialed == [1, 2]
    for broker_id, outcome in ((1, "refused"), (2, "open")):
        world.controller.dialed(broker_id, outcome, Now(2, 2), was_reached=True)
    assert world.fenced == [1, 3]
    assert world.partition().leader == 2


def test_who_has_made_another_connection_is_not_dialed() -> None:
    world = _quiet_world()
    world.controller.connection_lost(1, Now(LOST_MS, 0))
    assert world.controller.deadline_ms == DIALED_MS
    world.beat(1, DIALED_MS - 1)
    world.tick(DIALED_MS)
    assert world.dialed == []


@pytest.mark.parametrize(("outcome", "fenced"), [("refused", [1]), ("open", []), ("unknown", [])])
def test_only_a_refused_dial_is_evidence(outcome: str, fenced: list[int]) -> None:
    world = _quiet_world()
    world.controller.connection_lost(1, Now(LOST_MS, 0))
    world.tick(DIALED_MS - 1)
    assert world.dialed == []
    world.tick(DIALED_MS)
    assert world.dialed == [1]
    world.controller.dialed(1, outcome, Now(DIALED_MS + 1, 0), was_reached=True)
    assert world.fenced == fenced
    assert world.controller.deadline_ms == SESSION_MS


def test_a_dial_that_a_heartbeat_has_overtaken_counts_for_nothing() -> None:
    world = _quiet_world()
    world.controller.connection_lost(1, Now(LOST_MS, 0))
    world.tick(DIALED_MS)
    world.beat(1, DIALED_MS + 1)
    world.controller.dialed(1, "refused", Now(DIALED_MS + 2, 0), was_reached=True)
    assert world.fenced == []


def test_a_new_process_is_taken_on_evidence_of_death() -> None:
    world = _quiet_world()
    world.controller.connection_lost(1, Now(1000, 0))
    assert world.register(1, 1100).error_code == errors.DUPLICATE_BROKER_REGISTRATION
    world.tick(1100)
    assert world.dialed == [1], "who wants its place makes us look at once"
    world.controller.dialed(1, "unknown", Now(1101, 0), was_reached=True)
    assert world.register(1, 1200).error_code == errors.DUPLICATE_BROKER_REGISTRATION
    world.tick(1200)
    assert world.dialed == [1, 1], "and again"
    world.controller.dialed(1, "refused", Now(1201, 0), was_reached=True)
    answer = world.register(1, 1250)
    assert answer.error_code == errors.NONE
    world.controller.dialed(1, "refused", Now(1260, 0), was_reached=True)
    assert not world.beat(1, 1300).is_fenced


@pytest.mark.parametrize("is_its_own", [False, True])
def test_who_has_the_directory_of_a_broker_shows_that_it_is_gone(is_its_own: bool) -> None:
    """Only one process can lock a directory, so a refusal then counts even at an address that was never reached."""
    world = _quiet_world()
    directory = b"d" * 16
    brokers = world.image.brokers
    world.quorum.image = world.quorum.newest = world.image.but(
        brokers={**brokers, 1: brokers[1].but(log_dirs=(directory,))}
    )
    world.controller.connection_lost(1, Now(1000, 0))
    directories = [directory if is_its_own else b"e" * 16]
    assert world.register(1, 1100, log_dirs=directories).error_code == errors.DUPLICATE_BROKER_REGISTRATION
    world.tick(1100)
    assert world.dialed == [1]
    world.controller.dialed(1, "refused", Now(1101, 0), was_reached=False)
    assert world.fenced == ([1] if is_its_own else [])
    world.tick(4999)
    world.controller.dialed(1, "refused", Now(4999, 0), was_reached=False)
    assert world.fenced == ([1] if is_its_own else [])
    world.tick(5000)
    world.controller.dialed(1, "refused", Now(5000, 0), was_reached=False)
    assert world.fenced == [1], "it was silent for two heartbeats as well"


def test_a_process_that_is_connected_keeps_its_place() -> None:
    world = _quiet_world()
    assert world.register(1, 1000).error_code == errors.DUPLICATE_BROKER_REGISTRATION
    world.tick(1000)
    assert world.dialed == []


def test_the_last_life_of_this_very_node_is_over() -> None:
    world = World(incarnation_id=NEW)
    assert world.register(1, 0).error_code == errors.NONE
    world.tick(0)
    assert (world.fenced, world.dialed) == ([1], [2, 3])
    same = World(incarnation_id=bytes(16))
    same.tick(0)
    assert (same.fenced, same.dialed) == ([], [1, 2, 3])


def _quiet_world(world: World | None = None) -> World:
    """A controller whose unfenced brokers are all alive."""
    world = World() if world is None else world
    for broker_id in {1, 2, 3}.difference(world.fenced):
        world.beat(broker_id, 0)
    world.tick(0)
    return world


# --- periodic elections ---


def test_leaderships_are_given_back_every_five_minutes() -> None:
    world = World(PartitionImage((1, 2, 3), (1, 2, 3), 2), PartitionImage((2, 3, 1), (3, 1), 3))
    _keep_alive(world, 300_000)
    assert world.partition().leader == 2
    world.tick(300_000)
    assert [world.partition(index).leader for index in (0, 1)] == [1, 3]
    assert world.partition().leader_epoch == 1


def test_leaderships_stay_where_they_are_when_that_is_configured() -> None:
    world = World(PartitionImage((1, 2, 3), (1, 2, 3), 2), config={"auto_leader_rebalance_enable": "false"})
    _keep_alive(world, 300_000)
    world.tick(300_000)
    assert world.partition().leader == 2


def test_many_elections_are_several_changes() -> None:
    world = World(*(PartitionImage((1, 2, 3), (1, 2, 3), 2) for _ in range(1001)))
    _keep_alive(world, 300_000)
    world.tick(300_000)
    assert [partition.leader for partition in world.image.topics["t"].partitions].count(1) == 1000
    assert world.controller.deadline_ms == 300_000 + AGAIN_MS
    world.tick(300_000 + AGAIN_MS)
    assert world.partition(1000).leader == 1


@pytest.mark.parametrize("allowed", [False, True])
def test_unclean_elections_only_where_they_are_allowed(allowed: bool) -> None:
    lost = PartitionImage((1, 2, 3), (), NO_LEADER, elr=(3,))
    world = World(lost, fenced=(3,), config={"unclean_leader_election_enable": str(allowed).lower()})
    _keep_alive(world, 300_000, 1, 2)
    world.tick(300_000)
    partition = world.partition()
    if allowed:
        assert (partition.leader, partition.isr, partition.elr, partition.recovery_state) == (1, (1,), (), RECOVERING)
    else:
        assert partition == lost


def _keep_alive(world: World, until_ms: int, *broker_ids: int) -> None:
    for ms in range(0, until_ms, 5000):
        for broker_id in broker_ids or (1, 2, 3):
            world.beat(broker_id, ms)
        world.tick(ms)


def test_who_has_registered_anew_is_not_dialed_for_its_last_life() -> None:
    world = World(fenced=(2,))
    world.tick(0)
    world.dialed.clear()
    world.controller.connection_lost(2, Now(10, 10))
    assert world.register(2, 20).error_code == errors.NONE
    world.tick(20 + GRACE_MS)
    assert world.dialed == []
