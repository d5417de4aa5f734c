"""Groups are shown with their members, offsets and rebalances as their coordinator has them."""

from kafkacompat.control_api.views.group_views import ITEMS_PER_YIELD, assigned, lag, subscribed
from kafkacompat.control_api.views.views import groups
from kafkacompat.protocol.internal.consumer_offsets import OffsetCommitKey, OffsetCommitValue
from kafkacompat.protocol.internal.consumer_protocol import (
    ConsumerProtocolAssignment,
    ConsumerProtocolAssignmentTopicPartition,
    encode_consumer_protocol_assignment,
)
from kafkacompat.protocol.messages.describe_groups import DescribeGroupsRequest
from kafkacompat.steps import at_once
from tests.broker.handlers.group_harness import commit, stable_pair, with_coordinator
from tests.control_api.node import Node


def test_a_group_is_shown_as_administrators_see_it() -> None:
    node = Node(with_coordinator())
    first, second = stable_pair(node.kafka)  # type: ignore[arg-type]
    commit(node.kafka, 7, generation=2, member_id=first)  # type: ignore[arg-type]
    (group,) = node.look(groups)
    shown = node.kafka.ask("describe_groups", 5, DescribeGroupsRequest(["g"])).groups[0]  # type: ignore[arg-type, call-arg]
    assert (group["group_id"], group["type"], group["coordinator"]) == ("g", "classic", 1)
    assert (group["state"], group["protocol_type"], group["protocol"]) == (
        shown.group_state, shown.protocol_type, shown.protocol_data,
    )  # fmt: skip
    assert [(each["member_id"], each["client_id"], each["client_host"]) for each in group["members"]] == [
        (each.member_id, each.client_id, each.client_host) for each in shown.members
    ]
    assert (group["generation"], group["leader"]) == (2, first)
    (offset,) = group["offsets"]
    assert (offset["topic"], offset["partition"], offset["committed_offset"]) == ("t", 0, 7)
    assert offset["pending_offset"] is None
    assert offset["committed_at_ms"] == node.now().wall_ms
    member = group["members"][0]
    assert 0 < member["session_left_ms"] <= member["session_timeout_ms"]
    before_ms = member["session_left_ms"]
    node.kafka.advance(1_000)
    assert node.look(groups)[0]["members"][0]["session_left_ms"] == before_ms - 1_000
    assert [first in each["reason"] or second in each["reason"] for each in group["rebalances"]] == [True, True]


def test_only_the_groups_that_are_asked_for_are_shown_and_none_is_made() -> None:
    node = Node()
    assert node.look(groups) == node.look(groups, ["g"]) == []
    assert node.broker.coordinators.groups_if_made is None
    node = Node(with_coordinator())
    stable_pair(node.kafka)  # type: ignore[arg-type]
    assert [group["group_id"] for group in node.look(groups, ["g", "other"])] == ["g"]
    assert node.look(groups, ["other"]) == []


def test_the_last_twenty_rebalances_are_kept() -> None:
    from kafkacompat.broker.coordinator.group.classic.classic_group import ClassicGroup

    group = ClassicGroup("g", 0)
    for number in range(30):
        group.note_rebalance(number, "why")
    assert [at_ms for at_ms, _, _ in group.rebalances] == list(range(10, 30))


def test_the_consumer_protocol_is_decoded_and_other_bytes_are_not() -> None:
    out: list[object] = []
    topics = [ConsumerProtocolAssignmentTopicPartition("t", [0, 2])]
    encode_consumer_protocol_assignment(ConsumerProtocolAssignment(topics), 0, out)
    data = b"\0\0" + b"".join(map(bytes, out))  # type: ignore[call-overload]
    assert assigned(data) == {"t": [0, 2]}
    assert assigned(b"\0\x09" + data[2:]) == {"t": [0, 2]}
    assert assigned(b"") == {}
    assert assigned(b"\0\0\xff") is None
    assert subscribed(b"\0\0\0\0\0\1\0\1u") == ["u"]
    assert subscribed(b"\0") is None


def test_lag_is_known_only_where_offset_and_end_are() -> None:
    assert (lag(3, 10), lag(10, 3), lag(-1, 10), lag(3, None)) == (7, 0, None, None)


def test_a_group_with_many_members_and_offsets_is_shown_in_steps() -> None:
    node = Node(with_coordinator())
    stable_pair(node.kafka)
    shard = next(each for each in node.broker.coordinators.groups.shards() if "g" in each.groups)
    store = shard.offsets._groups.setdefault("g", {}).setdefault("t", {})
    store.update({index: (index, -1, "", 0, -1, bytes(16)) for index in range(500)})
    steps = groups(node)  # type: ignore[arg-type]
    assert sum(1 for _ in steps) >= 500 // ITEMS_PER_YIELD
    assert [each["partition"] for each in node.look(groups)[0]["offsets"]] == list(range(500))


def test_what_is_deleted_while_a_view_is_made_is_left_out() -> None:
    node = Node(with_coordinator())
    stable_pair(node.kafka)
    shard = next(each for each in node.broker.coordinators.groups.shards() if "g" in each.groups)
    store = shard.offsets._groups.setdefault("g", {}).setdefault("t", {})
    store.update({index: (index, -1, "", 0, -1, bytes(16)) for index in range(100)})
    steps = groups(node)  # type: ignore[arg-type]
    next(steps)
    shard.offsets._groups.clear()
    shard.groups.clear()
    (group,) = at_once(steps)
    assert len(group["offsets"]) < 100


def test_a_commit_that_is_not_replicated_is_pending() -> None:
    node = Node(with_coordinator())
    first, _ = stable_pair(node.kafka)
    commit(node.kafka, 7, generation=2, member_id=first)
    shard = next(each for each in node.broker.coordinators.groups.shards() if "g" in each.groups)
    key = OffsetCommitKey("g", "t", 0)
    shard.offsets.replay(1 << 40, key, OffsetCommitValue(9, -1, "", 5, -1), 1 << 40)
    (offset,) = node.look(groups)[0]["offsets"]
    assert (offset["committed_offset"], offset["pending_offset"]) == (7, 9)
    shard.offsets.replay((1 << 40) + 1, key, None, (1 << 40) + 1)
    (offset,) = node.look(groups)[0]["offsets"]
    assert (offset["committed_offset"], offset["pending_offset"]) == (7, None)
