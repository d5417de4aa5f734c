"""What an API changes: refused `before` the work nothing, with an error `after` it everything.

Three brokers get the same steps: one without the request, one without the rule, one with both. What the third looks
like must be the first (`before`) or the second (`after`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from kafkacompat.broker.registry import APIS
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import (
    add_offsets_to_txn,
    add_partitions_to_txn,
    allocate_producer_ids,
    alter_configs,
    alter_partition,
    alter_partition_reassignments,
    broker_heartbeat,
    broker_registration,
    create_partitions,
    create_topics,
    delete_groups,
    delete_records,
    delete_topics,
    describe_transactions,
    elect_leaders,
    end_txn,
    find_coordinator,
    heartbeat,
    incremental_alter_configs,
    init_producer_id,
    join_group,
    leave_group,
    metadata,
    offset_commit,
    offset_delete,
    sync_group,
    txn_offset_commit,
    unregister_broker,
    write_txn_markers,
)
from kafkacompat.replication.metadata.features import SUPPORTED_FEATURES
from tests.broker.faults.rules import Faulty, ends, production

CODE = errors.POLICY_VIOLATION
SESSION_MS = 10_000
TOPIC_RESOURCE = 2
SET = 0


class Change(NamedTuple):
    """ask: the request, made when the broker is `ready`. look: what it changes, as a value that can be compared."""

    version: int
    ready: Callable[[Faulty], object]
    ask: Callable[[Faulty], Any]
    look: Callable[[Faulty], object]


def nothing(kafka: Faulty) -> None:
    """The broker as it starts."""


def topic(kafka: Faulty) -> None:
    kafka.create_topic("t", 2)


def records(kafka: Faulty) -> None:
    topic(kafka)
    for _ in range(3):
        kafka.ask(production(0, 1), 9)


def coordinator(kafka: Faulty) -> None:
    topic(kafka)
    kafka.ask(find_coordinator.FindCoordinatorRequest("g"), 2)


def join() -> join_group.JoinGroupRequest:
    return join_group.JoinGroupRequest(
        "g", SESSION_MS, SESSION_MS, protocol_type="consumer", protocols=[join_group.JoinGroupRequestProtocol("range")]
    )


def member(kafka: Faulty) -> None:
    """A group with one member that waits for its assignment."""
    coordinator(kafka)
    kafka.ask(join(), 3)


def stable(kafka: Faulty) -> None:
    member(kafka)
    kafka.ask(sync(kafka), 3)


def sync(kafka: Faulty) -> sync_group.SyncGroupRequest:
    assigned = [sync_group.SyncGroupRequestAssignment(member_id(kafka), b"all of it")]
    return sync_group.SyncGroupRequest("g", 1, member_id(kafka), assignments=assigned)


def member_id(kafka: Faulty) -> str:
    group = kafka.view.group("g")
    assert group is not None
    return group.members[0].id


def commit(kafka: Faulty) -> offset_commit.OffsetCommitRequest:
    partitions = [offset_commit.OffsetCommitRequestPartition(index, 7) for index in (0, 1)]
    return offset_commit.OffsetCommitRequest(
        "g", topics=[offset_commit.OffsetCommitRequestTopic("t", partitions=partitions)]
    )


def committed(kafka: Faulty) -> None:
    coordinator(kafka)
    kafka.ask(commit(kafka), 8)


def group_and_offsets(kafka: Faulty) -> object:
    group = kafka.view.group("g")
    seen = group and (group.state, group.generation, [each.assignment for each in group.members])
    return seen, kafka.view.committed_offsets("g")


def group_after_a_while(kafka: Faulty) -> object:
    """Nine seconds are gone when the heartbeat comes; two seconds later the session has ended, or goes on."""
    kafka.advance(2_000)
    return group_and_offsets(kafka)


def aged(kafka: Faulty) -> None:
    stable(kafka)
    kafka.advance(SESSION_MS - 1_000)


def partitions(kafka: Faulty) -> object:
    return {name: kafka.view.partitions(name) for name in kafka.view.topics()}


def log_starts(kafka: Faulty) -> list[int]:
    return [replica.log_start_offset for replica in map(kafka.view.replica, "tt", (0, 1)) if replica]


def config_of_t(kafka: Faulty) -> object:
    return dict(kafka.broker.image.configs.get((TOPIC_RESOURCE, "t"), {}))


def next_producer_id(kafka: Faulty) -> int:
    answer = kafka.ask(init_producer_id.InitProducerIdRequest(None, 0), 4)
    assert answer.error_code == errors.NONE
    found: int = answer.producer_id
    return found


def transactional(kafka: Faulty) -> None:
    """A transactional id; its producer has id 0 and epoch 0."""
    topic(kafka)
    kafka.ask(find_coordinator.FindCoordinatorRequest("x", 1), 2)
    answer = kafka.ask(init_producer_id.InitProducerIdRequest("x", 60_000), 4)
    assert (answer.error_code, answer.producer_id, answer.producer_epoch) == (errors.NONE, 0, 0)


def added(_kafka: Faulty) -> add_partitions_to_txn.AddPartitionsToTxnRequest:
    topics = [add_partitions_to_txn.AddPartitionsToTxnTopic("t", [0, 1])]
    return add_partitions_to_txn.AddPartitionsToTxnRequest((), "x", 0, 0, topics)


def opened(kafka: Faulty) -> None:
    transactional(kafka)
    kafka.ask(added(kafka), 3)


def transaction(kafka: Faulty) -> object:
    asked = describe_transactions.DescribeTransactionsRequest(["x"])
    (found,) = kafka.ask(asked, 0).transaction_states
    return found.transaction_state, [(each.topic, list(each.partitions)) for each in found.topics]


def in_group(kafka: Faulty) -> None:
    opened(kafka)
    kafka.ask(find_coordinator.FindCoordinatorRequest("g"), 2)
    assert kafka.ask(add_offsets_to_txn.AddOffsetsToTxnRequest("x", 0, 0, "g"), 3).error_code == errors.NONE


def offsets_of_transaction(_kafka: Faulty) -> txn_offset_commit.TxnOffsetCommitRequest:
    partitions = [txn_offset_commit.TxnOffsetCommitRequestPartition(index, 7) for index in (0, 1)]
    topics = [txn_offset_commit.TxnOffsetCommitRequestTopic("t", partitions=partitions)]
    return txn_offset_commit.TxnOffsetCommitRequest("x", "g", 0, 0, topics=topics)


def committed_by_transaction(kafka: Faulty) -> object:
    kafka.ask(end_txn.EndTxnRequest("x", 0, 0, True), 3)
    kafka.advance(0)  # markers leave in the next turn
    return kafka.view.committed_offsets("g")


def marker(_kafka: Faulty) -> write_txn_markers.WriteTxnMarkersRequest:
    topics = [write_txn_markers.WritableTxnMarkerTopic("t", [0, 1])]
    return write_txn_markers.WriteTxnMarkersRequest([write_txn_markers.WritableTxnMarker(9, 0, True, topics, 0)])


# A second broker, which only the controller knows.


def registration(kafka: Faulty) -> broker_registration.BrokerRegistrationRequest:
    features = [broker_registration.Feature(name, low, high) for name, (low, high) in SUPPORTED_FEATURES.items()]
    return broker_registration.BrokerRegistrationRequest(
        2, kafka.broker.cluster_id, b"i" * 16, [broker_registration.Listener("PLAINTEXT", "localhost", 9999)], features,
        None, log_dirs=[b"d" * 16],
    )  # fmt: skip


def registered(kafka: Faulty) -> None:
    assert kafka.ask(registration(kafka), 4).error_code == errors.NONE


def beat(kafka: Faulty) -> broker_heartbeat.BrokerHeartbeatRequest:
    epoch, offset = kafka.broker.image.brokers[2].epoch, kafka.broker.image.offset
    return broker_heartbeat.BrokerHeartbeatRequest(2, epoch, offset, cordoned_log_dirs=[])


def alive(kafka: Faulty) -> None:
    registered(kafka)
    kafka.ask(beat(kafka), 2)


def preferred_is_away(kafka: Faulty) -> None:
    """Partition 0 of t prefers broker 2, which is out of the in-sync replicas."""
    registered(kafka)
    assigned = [create_topics.CreatableReplicaAssignment(0, [2, 1])]
    request = create_topics.CreateTopicsRequest([create_topics.CreatableTopic("t", -1, -1, assigned)])
    assert kafka.ask(request, 7).topics[0].error_code == errors.NONE
    kafka.ask(beat(kafka), 2)


def preferred_is_back(kafka: Faulty) -> None:
    preferred_is_away(kafka)
    kafka.ask(isr_of_both(kafka), 3)


def isr_of_both(kafka: Faulty) -> alter_partition.AlterPartitionRequest:
    image = kafka.broker.image
    known = image.partition("t", 0)
    assert known is not None
    isr = [alter_partition.BrokerState(each, image.brokers[each].epoch) for each in (1, 2)]
    data = alter_partition.AlterPartitionRequestPartitionData(
        0, known.leader_epoch, new_isr_with_epochs=isr, partition_epoch=known.partition_epoch
    )
    topics = [alter_partition.AlterPartitionRequestTopicData(image.topics["t"].topic_id, [data])]
    return alter_partition.AlterPartitionRequest(1, image.brokers[1].epoch, topics)


def brokers(kafka: Faulty) -> object:
    return [each.id for each in kafka.view.brokers()], [each.id for each in kafka.view.brokers() if not each.is_fenced]


def next_block_of_ids(kafka: Faulty) -> object:
    epoch = kafka.broker.image.brokers[1].epoch
    return kafka.ask(allocate_producer_ids.AllocateProducerIdsRequest(1, epoch), 0).producer_id_start


def reassignment(_kafka: Faulty) -> Any:
    wanted = [alter_partition_reassignments.ReassignablePartition(0, [1, 2])]
    topics = [alter_partition_reassignments.ReassignableTopic("t", wanted)]
    return alter_partition_reassignments.AlterPartitionReassignmentsRequest(1000, True, topics)


def reassignable(kafka: Faulty) -> None:
    alive(kafka)
    assigned = [create_topics.CreatableReplicaAssignment(0, [1])]
    kafka.ask(create_topics.CreateTopicsRequest([create_topics.CreatableTopic("t", -1, -1, assigned)]), 7)


CHANGES = {
    "produce": Change(9, topic, lambda _: production(0, 1), ends),
    "metadata": Change(
        12, nothing, lambda _: metadata.MetadataRequest([metadata.MetadataRequestTopic(name="new")]), partitions
    ),
    "find_coordinator": Change(2, nothing, lambda _: find_coordinator.FindCoordinatorRequest("g"), partitions),
    "offset_commit": Change(8, coordinator, commit, group_and_offsets),
    "offset_delete": Change(
        0, committed,
        lambda _: offset_delete.OffsetDeleteRequest(
            "g", [offset_delete.OffsetDeleteRequestTopic("t", [offset_delete.OffsetDeleteRequestPartition(0)])]
        ),
        group_and_offsets,
    ),
    "join_group": Change(3, coordinator, lambda _: join(), group_and_offsets),
    "sync_group": Change(3, member, sync, group_and_offsets),
    "heartbeat": Change(
        3, aged, lambda kafka: heartbeat.HeartbeatRequest("g", 1, member_id(kafka)), group_after_a_while
    ),
    "leave_group": Change(
        4, stable,
        lambda kafka: leave_group.LeaveGroupRequest("g", members=[leave_group.MemberIdentity(member_id(kafka))]),
        group_and_offsets,
    ),
    "delete_groups": Change(2, committed, lambda _: delete_groups.DeleteGroupsRequest(["g"]), group_and_offsets),
    "create_topics": Change(
        7, nothing, lambda _: create_topics.CreateTopicsRequest([create_topics.CreatableTopic("t", 2, 1)]), partitions
    ),
    "delete_topics": Change(
        6, topic, lambda _: delete_topics.DeleteTopicsRequest([delete_topics.DeleteTopicState("t")], (), 1000),
        partitions,
    ),
    "create_partitions": Change(
        3, topic,
        lambda _: create_partitions.CreatePartitionsRequest(
            [create_partitions.CreatePartitionsTopic("t", 5, None)], 1000
        ),
        partitions,
    ),
    "delete_records": Change(
        2, records,
        lambda _: delete_records.DeleteRecordsRequest(
            [delete_records.DeleteRecordsTopic("t", [delete_records.DeleteRecordsPartition(i, 2) for i in (0, 1)])],
            1000,
        ),
        log_starts,
    ),
    "init_producer_id": Change(
        4, nothing, lambda _: init_producer_id.InitProducerIdRequest(None, 0), next_producer_id
    ),
    "add_partitions_to_txn": Change(3, transactional, added, transaction),
    "add_offsets_to_txn": Change(
        4, transactional, lambda _: add_offsets_to_txn.AddOffsetsToTxnRequest("x", 0, 0, "g"), transaction
    ),
    "end_txn": Change(3, opened, lambda _: end_txn.EndTxnRequest("x", 0, 0, True), transaction),
    "txn_offset_commit": Change(3, in_group, offsets_of_transaction, committed_by_transaction),
    "write_txn_markers": Change(1, topic, marker, ends),
    "alter_configs": Change(
        2, topic,
        lambda _: alter_configs.AlterConfigsRequest(
            [
                alter_configs.AlterConfigsResource(
                    TOPIC_RESOURCE, "t", [alter_configs.AlterableConfig("retention.ms", "77")]
                )
            ]
        ),
        config_of_t,
    ),
    "incremental_alter_configs": Change(
        1, topic,
        lambda _: incremental_alter_configs.IncrementalAlterConfigsRequest(
            [
                incremental_alter_configs.AlterConfigsResource(
                    TOPIC_RESOURCE, "t", [incremental_alter_configs.AlterableConfig("retention.ms", SET, "77")]
                )
            ]
        ),
        config_of_t,
    ),
    "elect_leaders": Change(
        2, preferred_is_back,
        lambda _: elect_leaders.ElectLeadersRequest(0, [elect_leaders.TopicPartitions("t", [0])], 1000), partitions,
    ),
    "alter_partition_reassignments": Change(1, reassignable, reassignment, partitions),
    "unregister_broker": Change(0, registered, lambda _: unregister_broker.UnregisterBrokerRequest(2), brokers),
    "broker_registration": Change(4, nothing, registration, brokers),
    "broker_heartbeat": Change(2, registered, beat, brokers),
    "alter_partition": Change(3, preferred_is_away, isr_of_both, partitions),
    "allocate_producer_ids": Change(
        0, nothing,
        lambda kafka: allocate_producer_ids.AllocateProducerIdsRequest(1, kafka.broker.image.brokers[1].epoch),
        next_block_of_ids,
    ),
}  # fmt: skip
NOT_HERE = {
    **dict.fromkeys(
        (
            "fetch", "list_offsets", "offset_fetch", "describe_groups", "list_groups", "api_versions",
            "offset_for_leader_epoch", "describe_configs", "describe_log_dirs", "list_partition_reassignments",
            "describe_quorum", "fetch_snapshot", "describe_cluster", "describe_producers", "list_config_resources",
            "describe_topic_partitions", "describe_transactions", "list_transactions",
        ),
        "it changes nothing that a client sees",
    ),
    **dict.fromkeys(
        ("vote", "begin_quorum_epoch", "end_quorum_epoch", "add_raft_voter", "remove_raft_voter", "update_raft_voter"),
        "it takes a quorum of several nodes",
    ),
    "update_features": "each feature has one level: there is none to change to",
    "controller_registration": "a node of one is registered already",
    "assign_replicas_to_dirs": "a node with one directory has nothing to assign",
    "alter_replica_log_dirs": "a node with one directory has nowhere to move to",
    "envelope": "what is inside is matched",
}  # fmt: skip


def test_every_api_is_here_or_has_a_reason() -> None:
    assert CHANGES.keys() | NOT_HERE.keys() == {api.stem for api in APIS.values()}
    assert not CHANGES.keys() & NOT_HERE.keys()


@pytest.mark.parametrize("level", ["default", "top"])
@pytest.mark.parametrize("stem", CHANGES)
def test_before_the_work_nothing_is_changed_and_after_it_everything_is(stem: str, level: str) -> None:
    untouched, unfaulted = run(stem), run(stem, asks=True)
    assert untouched != unfaulted, "the request changes nothing: this test would prove nothing"
    assert run(stem, asks=True, then=error(level, "before")) == untouched
    assert run(stem, asks=True, then=error(level, "after")) == unfaulted


def error(level: str, work: str) -> dict[str, Any]:
    members = {"code": CODE, "work": work}
    return {"error": members if level == "default" else {**members, "level": level}}


def run(stem: str, *, asks: bool = False, then: dict[str, Any] | None = None) -> object:
    """What a broker looks like: without the request, with it, with it and a rule for it."""
    change = CHANGES[stem]
    kafka = Faulty()
    change.ready(kafka)
    request = change.ask(kafka)
    if not asks:
        return change.look(kafka)
    rule = None if then is None else kafka.rule({"api": stem}, then, times=1)
    answer = kafka.ask(request, change.version)
    if rule is None:
        assert CODE not in codes(answer)
    else:
        assert rule.hits == 1
        assert codes(answer) == {CODE}
    return change.look(kafka)


def codes(message: Any) -> set[int]:
    """All error codes in a response; those for the whole request only if they are errors."""
    found = set()
    for name in (name for each in type(message).__mro__ for name in getattr(each, "__slots__", ())):
        value = getattr(message, name)
        if name in ("error_code", "partition_error_code") and (value or not has_items(message)):
            found.add(value)
        elif isinstance(value, list | tuple):
            found |= {code for item in value if hasattr(item, "__slots__") for code in codes(item)}
    return found


def has_items(message: Any) -> bool:
    names = (name for each in type(message).__mro__ for name in getattr(each, "__slots__", ()))
    return any(isinstance(getattr(message, name), list | tuple) and getattr(message, name) for name in names)
