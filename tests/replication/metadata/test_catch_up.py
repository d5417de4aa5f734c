"""A node applies records committed by others in steps, from the log or from a snapshot."""

import pytest

from kafkacompat.now import Now
from kafkacompat.protocol.internal.cluster_metadata import ConfigRecord, PartitionRecord, TopicRecord
from kafkacompat.replication.metadata.batch_accumulator import DeferredEvent
from kafkacompat.replication.metadata.delta import MetadataDelta
from kafkacompat.replication.metadata.quorum import MetadataQuorum
from kafkacompat.replication.metadata.result import Result
from kafkacompat.steps import UNITS_PER_ITERATION, UNITS_PER_STEP, Stepped
from tests.broker.quorum_cluster import Cluster, Node

MANY = 8 * UNITS_PER_ITERATION
MAX_RECORDS_PER_ITERATION = 2 * UNITS_PER_ITERATION + UNITS_PER_STEP
"""A record is decoded for half a unit and applied for another half."""


@pytest.fixture
def records_by_turn(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of records applied in each loop iteration, over the quorums of all nodes."""
    turns = [0]
    replay, resume = MetadataDelta.replay, MetadataQuorum.resume

    def counted(delta: MetadataDelta, record: object) -> None:
        turns[-1] += 1
        replay(delta, record)  # type: ignore[arg-type]

    def turn(quorum: MetadataQuorum, now: Now) -> None:
        turns.append(0)
        resume(quorum, now)
        turns.append(0)

    monkeypatch.setattr(MetadataDelta, "replay", counted)
    monkeypatch.setattr(MetadataQuorum, "resume", turn)
    return turns


def started(**settings: str) -> tuple[Cluster, Node, list[Node]]:
    cluster = Cluster(3, **settings)
    for node in cluster.nodes.values():
        node.start()
    active = cluster.elect()
    return cluster, active, [node for node in cluster.nodes.values() if node is not active]


def large_change(node: Node) -> DeferredEvent:
    topic_id = b"t" * 16
    partitions = [PartitionRecord(index, topic_id, [1], [1], leader=1) for index in range(MANY)]
    return node.quorum.submit(lambda _image, _now: Result([TopicRecord("t", topic_id), *partitions]), node.cluster.now)


def partition_count(node: Node) -> int:
    topic = node.quorum.image.topics.get("t")
    return 0 if topic is None else len(topic.partitions)


def test_a_large_batch_is_applied_in_many_turns_and_as_a_whole(records_by_turn):
    cluster, active, others = started()
    seen = set()
    for node in others:
        node.quorum.listeners.append(lambda _old, _new, _now, node=node: seen.add(partition_count(node)))
    submission = large_change(active)
    assert cluster.run(5_000, lambda: submission.committed)
    cluster.catch_up()
    assert [partition_count(node) for node in cluster.nodes.values()] == [MANY] * 3
    assert seen <= {0, MANY}
    assert max(records_by_turn) <= MAX_RECORDS_PER_ITERATION


def test_nobody_becomes_active_with_half_of_what_is_committed(records_by_turn):
    cluster, active, _others = started()
    submission = large_change(active)
    assert cluster.run(5_000, lambda: submission.committed)
    active.kill()
    second = cluster.elect()
    assert second is not active
    assert partition_count(second) == MANY
    assert max(records_by_turn) <= MAX_RECORDS_PER_ITERATION


def test_a_snapshot_is_loaded_in_many_turns(records_by_turn):
    settings = {
        "metadata_log_max_record_bytes_between_snapshots": "3000",
        "metadata_max_retention_bytes": "1000",
        "controller_quorum_fetch_timeout_ms": "2000",
    }
    cluster, active, others = started(**settings)
    late = others[0]
    late.kill()
    submission = large_change(active)
    assert cluster.run(5_000, lambda: submission.committed)
    for number in range(200):
        record = ConfigRecord(2, f"c{number}", "retention.ms", "1")
        active.quorum.submit(lambda _image, _now, record=record: Result([record]), cluster.now)
        cluster.run(20)
    assert active.quorum.raft.log.log_start_offset > MANY
    records_by_turn[:] = [0]
    late.start()
    cluster.catch_up(5_000)
    assert partition_count(late) == MANY
    assert len(late.quorum.image.configs) > 200
    assert max(records_by_turn) <= MAX_RECORDS_PER_ITERATION
    assert sum(records_by_turn) >= MANY


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_the_last_records_may_use_up_the_budget_and_nobody_becomes_active_before_all_is_applied(monkeypatch, turns):
    cluster, active, others = started()
    for node in others:
        node.start_of_activity = []

        def became_active(_now, node=node):
            node.start_of_activity.append((node.quorum.image.offset + 1, node.quorum.raft.high_watermark))

        node.quorum.on_active.insert(0, became_active)
    monkeypatch.setattr(Stepped.resume, "__defaults__", (turns,))  # each batch of so many records does
    active.kill()
    second = cluster.elect()
    ((applied, committed),) = second.start_of_activity
    assert applied == committed


def test_work_whose_last_step_used_up_the_budget_is_ended(monkeypatch):
    cluster, active, others = started()
    cluster.catch_up()
    monkeypatch.setattr(Stepped.resume, "__defaults__", (1,))
    active.quorum.submit(lambda _image, _now: Result([TopicRecord("t", b"t" * 16)]), cluster.now)
    cluster.run(3_000, lambda: False)
    for node in others:
        assert node.quorum._catching_up is None
