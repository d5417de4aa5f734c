"""What a partition does when its role changes while fetches and proposals are under way, when time alone passes, and
which effects its operations report.
"""

from kafkacompat.now import Now
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import ACKS_ALL
from kafkacompat.protocol.messages.alter_partition import AlterPartitionResponsePartitionData
from kafkacompat.replication.partition import (
    APPENDED,
    FOLLOWER_IS_BEHIND,
    HIGH_WATERMARK_MOVED,
    LOG_START_MOVED,
    LOW_WATERMARK_MOVED,
    NO_EFFECTS,
    PROPOSED,
    STOPPED_FOLLOWING,
    Partition,
)
from kafkacompat.storage.memfs import MemFs
from tests.replication.test_following import MAX_BYTES, NOW, Replicas
from tests.storage.support import batch, open_log

LATER = Now(NOW.monotonic_ms + 60_000, NOW.wall_ms + 60_000)


def test_what_was_asked_for_before_it_led_is_not_appended() -> None:
    """Records of the former leader would come behind the start of its own epoch."""
    world = Replicas()
    world.write(1)
    ticket, answer = world.ask(2, 1)
    world.tell(2, leader=2, leader_epoch=1)
    assert world[2].fetch_answered(ticket, answer, NOW) is None
    assert world[2].log_end_offset == 0
    assert world[2].next_fetch(MAX_BYTES) is None


def test_who_has_failed_appends_nothing_that_was_on_its_way() -> None:
    world = Replicas()
    world.write(1)
    ticket, answer = world.ask(2, 1)
    world[2].fail("a mistake")
    assert world[2].fetch_answered(ticket, answer, NOW) is None
    assert world[2].log_end_offset == 0
    assert world[2].next_fetch(MAX_BYTES) is None


def test_the_word_of_the_controller_that_a_follower_joined_commits_what_waited_for_the_minimum() -> None:
    """At once, not with the follower's next fetch, which the leader may hold for long."""
    world = Replicas(min_isr=1)
    world[1]._view.lag_time_max_ms = -1  # nobody outside of the isr is waited for
    world.write(1, 2)
    world.tell(1, 2, isr=(1,))
    world.min_isr = 2
    world.tell(1, 2, isr=(1,))
    world.write(1)
    world.fetch(2)
    world.fetch(2)
    proposal = world[1].take_proposal()
    assert proposal is not None
    assert world[1].ack_error(2, ACKS_ALL, NOW, needs_sync=False) is None
    answer = AlterPartitionResponsePartitionData(0, errors.NONE, 1, 0, [1, 2], 0, 3)
    world[1].proposal_answered(proposal, answer, NOW)
    assert world[1].ack_error(2, ACKS_ALL, NOW, needs_sync=False) == errors.NONE


def test_a_follower_outside_of_the_isr_that_falls_silent_holds_up_commits_for_the_lag_time_alone() -> None:
    """It cannot be proposed, as it is behind the start of the epoch. Nobody fetches or appends meanwhile: the check for
    lagging followers sees that its time is up.
    """
    world = Replicas()
    world.write(1, 3)
    world.sync(1, 2, 3)
    world.write(1, 2)
    world.sync(1, 2)
    world.tell(1, 2, 3, leader_epoch=1)
    world.ask(3, 1)
    world.tell(1, 2, 3, isr=(1, 2))
    world.sync(1, 2)
    world[1].check_lag(NOW)
    assert world[1].high_watermark == 3
    world[1].check_lag(LATER)
    assert world[1].high_watermark == 5


def effects(partition: Partition) -> int:
    """The effects since they were looked at last."""
    found, partition.effects = partition.effects, NO_EFFECTS
    return found


def replicas() -> Replicas:
    world = Replicas()
    world.sync(1, 2, 3)
    for partition in world.all.values():
        effects(partition)
    return world


def test_an_append_with_followers_moves_no_high_watermark_yet() -> None:
    world = replicas()
    world.write(1)
    assert effects(world[1]) == APPENDED


def test_an_append_to_the_only_replica_is_committed() -> None:
    world = replicas()
    world.tell(1, replicas=(1,), isr=(1,))
    effects(world[1])
    world.write(1)
    assert effects(world[1]) == HIGH_WATERMARK_MOVED


def test_fetches_of_followers_move_the_high_watermark() -> None:
    world = replicas()
    world.write(1)
    effects(world[1])
    world.fetch(2)
    assert effects(world[1]) == FOLLOWER_IS_BEHIND
    world.fetch(2)
    assert effects(world[1]) == NO_EFFECTS
    world.fetch(3)
    world.fetch(3)
    assert effects(world[1]) == FOLLOWER_IS_BEHIND | HIGH_WATERMARK_MOVED


def test_a_follower_reports_its_own_high_watermark() -> None:
    world = replicas()
    world.write(1)
    world.fetch(2)
    assert effects(world[2]) == NO_EFFECTS
    world.sync(1, 2, 3)
    assert effects(world[2]) == HIGH_WATERMARK_MOVED
    world.fetch(2)
    assert effects(world[2]) == NO_EFFECTS


def test_a_log_start_moves_at_the_leader_at_its_follower_and_for_both() -> None:
    world = replicas()
    world.write(1, 2)
    world.sync(1, 2, 3)
    for partition in world.all.values():
        effects(partition)
    world[1].delete_records_before(1, NOW)
    assert effects(world[1]) == LOG_START_MOVED
    world[1].delete_records_before(1, NOW)
    assert effects(world[1]) == NO_EFFECTS
    world.fetch(2)
    assert effects(world[2]) == LOG_START_MOVED
    world.fetch(2)
    assert effects(world[1]) == LOW_WATERMARK_MOVED


def test_a_follower_that_may_join_is_proposed_once() -> None:
    world = replicas()
    world.tell(1, isr=(1, 2))
    world.write(1)
    effects(world[1])
    for _ in range(2):
        world.fetch(3)
    assert effects(world[1]) == FOLLOWER_IS_BEHIND | PROPOSED
    assert world[1].take_proposal() is not None
    world.fetch(3)
    assert effects(world[1]) == NO_EFFECTS


def test_a_follower_that_would_lose_committed_records_stops() -> None:
    world = replicas()
    world.write(1, 2)
    world.sync(1, 2, 3)
    effects(world[2])
    fs = MemFs()
    fs.mkdir("/data")
    world.all[3] = Partition("t", 0, bytes(16), 3, open_log(fs), 0, world[3]._view)
    world.tell(2, 3, leader=3, leader_epoch=1)
    world[3].append(batch(), 1, NOW)
    effects(world[2])
    world.fetch(2, 3)
    assert effects(world[2]) == STOPPED_FOLLOWING
    assert world[2].has_failed
