"""The views of several brokers make one."""

from typing import Any

from kafkacompat.control_api.views.of_all_brokers import ends_of, join_groups, join_topics


def topic(broker: int, leader: int, epoch: int, end: int) -> list[dict[str, Any]]:
    log = {"broker": broker, "is_leader": broker == leader, "high_watermark": end}
    partition = {"partition": 0, "leader": leader, "leader_epoch": epoch, "partition_epoch": 0, "logs": [log]}
    return [{"name": "t", "partitions": [partition]}]


def test_a_partition_has_the_newest_metadata_and_all_logs_the_leaders_first() -> None:
    (joined,) = join_topics([topic(1, 1, 3, 5), topic(2, 2, 4, 7)])
    (partition,) = joined["partitions"]
    assert (partition["leader"], partition["leader_epoch"]) == (2, 4)
    assert [log["broker"] for log in partition["logs"]] == [2, 1]
    assert ends_of([joined]) == {("t", 0): 7}


def test_a_group_gets_the_ends_that_its_coordinator_does_not_know() -> None:
    offset = {"topic": "t", "partition": 0, "committed_offset": 3, "end_offset": None, "lag": None}
    old = {"group_id": "g", "generation": 1, "offsets": []}
    new = {"group_id": "g", "generation": 2, "offsets": [offset]}
    (group,) = join_groups([[old], [new]], {("t", 0): 7})
    assert group["generation"] == 2
    assert (group["offsets"][0]["end_offset"], group["offsets"][0]["lag"]) == (7, 4)
