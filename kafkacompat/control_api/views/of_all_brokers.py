"""Joins the views of all brokers of a cluster (`views.py`): topics get all replicas, groups the ends of partitions."""

from kafkacompat.control_api.views.group_views import lag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Plain = dict[str, Any]


def join_topics(parts: "Iterable[list[Plain]]") -> "list[Plain]":
    """Topics by name, with the newest metadata of each partition and the `logs` of all brokers, the leader's first."""
    found: dict[str, Plain] = {}
    for part in parts:
        for topic in part:
            known = found.get(topic["name"])
            if known is None:
                found[topic["name"]] = topic
            else:
                known["partitions"] = _join_partitions(known["partitions"], topic["partitions"])
    for topic in found.values():
        for partition in topic["partitions"]:
            partition["logs"].sort(key=lambda each: (each["broker"] != partition["leader"], each["broker"]))
    return [found[name] for name in sorted(found)]


def _join_partitions(some: "list[Plain]", others: "list[Plain]") -> "list[Plain]":
    joined = []
    for index in range(max(len(some), len(others))):
        both = [each[index] for each in (some, others) if index < len(each)]
        newest = max(both, key=lambda each: (each["leader_epoch"], each["partition_epoch"]))
        joined.append({**newest, "logs": [log for each in both for log in each["logs"]]})
    return joined


def join_groups(parts: "Iterable[list[Plain]]", ends: "dict[tuple[str, int], int]") -> "list[Plain]":
    """Groups by id. `ends`, for `end_offset` and `lag`: the leaders' high watermarks by topic and partition."""
    found: dict[str, Plain] = {}
    for part in parts:
        for group in part:
            known = found.get(group["group_id"])
            if known is None or known["generation"] < group["generation"]:
                found[group["group_id"]] = group
    for group in found.values():
        for offset in group["offsets"]:
            end_offset = ends.get((offset["topic"], offset["partition"]), offset["end_offset"])
            offset["end_offset"] = end_offset
            offset["lag"] = lag(offset["committed_offset"], end_offset)
    return [found[group_id] for group_id in sorted(found)]


def ends_of(topics: "Iterable[Plain]") -> "dict[tuple[str, int], int]":
    """The high watermarks of the leaders in joined topics, by topic and partition."""
    return {
        (topic["name"], partition["partition"]): log["high_watermark"]
        for topic in topics
        for partition in topic["partitions"]
        for log in partition["logs"]
        if log["is_leader"] and log["broker"] == partition["leader"]
    }
