"""Rule C2, row by row, with the records that Apache Kafka 4.3.1 wrote for the same."""

import pytest

from kafkacompat.protocol.internal.cluster_metadata import PartitionChangeRecord
from kafkacompat.replication.election import ElectionContext, change
from kafkacompat.replication.metadata.delta import changed_partition
from kafkacompat.replication.metadata.image import PartitionImage

TOPIC_ID = bytes(range(16))


def run(partition: PartitionImage, active: set[int], min_isr: int, *, allow_unclean: bool = False, **wanted: object):
    around = ElectionContext(min_isr, active.__contains__, allow_unclean=allow_unclean)
    return change(partition, TOPIC_ID, 0, around, **wanted)


def record(**fields: object) -> PartitionChangeRecord:
    return PartitionChangeRecord(0, TOPIC_ID, **fields)


def test_clean_stop_of_one_of_two() -> None:
    found = run(PartitionImage((2, 3), (2, 3), 3), {2}, 2, isr=(2,))
    assert found == record(isr=[2], leader=2, eligible_leader_replicas=[3])


def test_last_in_sync_replica_dies() -> None:
    found = run(PartitionImage((2, 3), (2,), 2, elr=(3,)), set(), 2, isr=())
    assert found == record(isr=[], leader=-1, eligible_leader_replicas=[2, 3], last_known_elr=[2])


def test_eligible_replica_returns() -> None:
    found = run(PartitionImage((2, 3), (), -1, elr=(2, 3), last_known_elr=(2,)), {3}, 2)
    assert found == record(isr=[3], leader=3, eligible_leader_replicas=[2], last_known_elr=[])


def test_unclean_stop_ends_eligibility() -> None:
    found = run(PartitionImage((2, 3), (3,), 3, elr=(2,)), {3}, 2, unclean_stops=(2,))
    assert found == record(eligible_leader_replicas=[])


def test_last_known_leader_is_elected_and_recovers() -> None:
    lost = PartitionImage((2,), (), -1, last_known_elr=(2,))
    assert run(lost, {2}, 1) == record(isr=[2], leader=2, leader_recovery_state=1, last_known_elr=[])
    assert run(lost, set(), 1) is None, "a fenced one must not be elected (KAFKA-19522)"
    recovering = PartitionImage((2,), (2,), 2, recovery_state=1)
    assert run(recovering, {2}, 1, recovered=True) == record(leader_recovery_state=0)


def test_single_replica_stops_and_comes_back() -> None:
    stopped = run(PartitionImage((1,), (1,), 1), set(), 1, isr=())
    assert stopped == record(isr=[], leader=-1, eligible_leader_replicas=[1], last_known_elr=[1])
    gone = changed_partition(PartitionImage((1,), (1,), 1), stopped)
    assert (gone.leader_epoch, gone.partition_epoch) == (1, 1)
    assert run(gone, {1}, 1) == record(isr=[1], leader=1, eligible_leader_replicas=[], last_known_elr=[])


def test_min_isr_reached_clears_the_eligible() -> None:
    found = run(PartitionImage((1, 2, 3), (1,), 1, elr=(2,)), {1, 2}, 2, isr=(1, 2))
    assert found == record(isr=[1, 2], eligible_leader_replicas=[])


def test_elected_from_elr_applies_the_minimum_again() -> None:
    found = run(PartitionImage((1, 2), (), -1, elr=(1, 2), last_known_elr=(1,)), {2}, 1)
    assert found == record(isr=[2], leader=2, eligible_leader_replicas=[], last_known_elr=[])


def test_eligible_replicas_wait_while_the_isr_has_members() -> None:
    assert run(PartitionImage((1, 2), (1,), -1, elr=(2,)), {2}, 2) is None


@pytest.mark.parametrize(("allowed", "leader"), [(False, -1), (True, 3)])
def test_unclean_election_only_when_allowed(allowed: bool, leader: int) -> None:
    found = run(PartitionImage((1, 2, 3), (1,), 1), {3}, 1, isr=(), allow_unclean=allowed)
    assert found is not None
    assert found.leader == leader
    assert found.leader_recovery_state == (1 if allowed else -1)
    assert found.isr == ([3] if allowed else [])


def test_leader_stays_while_it_can() -> None:
    assert run(PartitionImage((1, 2), (1, 2), 2), {1, 2}, 1) is None
    assert run(PartitionImage((1, 2, 3), (1, 2, 3), 2), {1, 2, 3}, 1, isr=(1, 2)) == record(isr=[1, 2])


def test_bump_moves_the_partition_epoch_alone() -> None:
    partition = PartitionImage((1,), (1,), 1, 4, 7)
    found = run(partition, {1}, 1, bump=True)
    assert found == record()
    assert changed_partition(partition, found).but(partition_epoch=7) == partition


def test_reassignment_completes_when_all_that_stay_are_in_sync() -> None:
    directories = (b"1" * 16, b"2" * 16, b"3" * 16)
    moving = PartitionImage((1, 2, 3), (1, 2), 1, adding=(3,), removing=(1,), directories=directories)
    assert run(moving, {1, 2, 3}, 1) is None
    found = run(moving, {1, 2, 3}, 1, isr=(1, 2, 3))
    assert found == record(
        isr=[2, 3], leader=2, replicas=[2, 3], removing_replicas=[], adding_replicas=[], directories=directories[1:]
    )
    growing = PartitionImage((2, 3, 1), (3, 1), 3, adding=(2,))
    assert run(growing, {1, 2, 3}, 1, isr=(1, 2, 3)) == record(isr=[1, 2, 3], adding_replicas=[])
