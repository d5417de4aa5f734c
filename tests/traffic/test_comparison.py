from __future__ import annotations

from typing import Any

from kafkacompat.protocol.messages import fetch, heartbeat, join_group, metadata, offset_commit
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.traffic.comparison import IGNORED, NODES, Comparison
from kafkacompat.traffic.fetched import MISSING

A, B = b"a" * 16, b"b" * 16
UUIDS = [f"{number:08d}-0000-0000-0000-000000000000" for number in range(4)]


def paths(key: int, was: Any, now: Any, comparison: Comparison | None = None, **ends: int) -> list[str]:
    comparison = comparison or Comparison()
    places = {(name, 0): end for name, end in ends.items()}
    return [each.path for each in comparison.differences(key, None, was, now, places)]


def of_topics(*topics: tuple[str, bytes, int], broker: int = 1, controller: int = 1) -> Any:
    def topic(name: str, topic_id: bytes, partitions: int) -> metadata.MetadataResponseTopic:
        found = [
            metadata.MetadataResponsePartition(0, index, broker, 4, [broker], [broker], [])
            for index in range(partitions)
        ]
        return metadata.MetadataResponseTopic(0, name, topic_id, False, found)

    nodes = [metadata.MetadataResponseBroker(broker, "host", 9092)]
    return metadata.MetadataResponse(7, nodes, "cluster", controller, [topic(*each) for each in topics])


def test_what_brokers_invent_may_differ() -> None:
    comparison = Comparison()
    was, now = of_topics(("t", A, 2), ("u", B, 1)), of_topics(("u", A, 1), ("t", B, 2), broker=5, controller=5)
    assert paths(3, was, now, comparison) == [], "in another order, with other ids, at other nodes"
    assert paths(3, was, of_topics(("u", B, 1), ("t", A, 2)), comparison) == [
        "topics[t].topic_id", "topics[u].topic_id"
    ], "ids do not change within a replay"  # fmt: skip


def test_what_counts_is_named_by_its_path() -> None:
    was = of_topics(("t", A, 2))
    assert paths(3, was, of_topics(("t", B, 1))) == ["topics[t].partitions[1]"]
    found = Comparison().differences(3, None, of_topics(), of_topics(("t", B, 1)), {})
    assert [(each.path, each.was) for each in found] == [("topics[t]", MISSING)]
    without_leader = of_topics(("t", B, 2), broker=-1, controller=1)
    assert paths(3, was, without_leader)[:1] == ["topics[t].partitions[0].leader_id"]
    assert paths(12, heartbeat.HeartbeatResponse(5, 0), heartbeat.HeartbeatResponse(0, 25)) == ["error_code"]


def joined(leader: str, *members: tuple[str, bytes], generation: int = 1, me: str = "") -> Any:
    found = [join_group.JoinGroupResponseMember(member_id, None, data) for member_id, data in members]
    return join_group.JoinGroupResponse(0, 0, generation, "consumer", "range", leader, False, me or leader, found)


def test_members_are_matched_by_what_is_known_of_them() -> None:
    comparison = Comparison()
    was = joined(f"app-{UUIDS[0]}", (f"app-{UUIDS[0]}", b"one"), (f"app-{UUIDS[1]}", b"two"), generation=9)
    now = joined(f"app-{UUIDS[2]}", (f"app-{UUIDS[3]}", b"two"), (f"app-{UUIDS[2]}", b"one"))
    assert paths(11, was, now, comparison) == []
    assert comparison.bindings.replayed("member id", (), f"app-{UUIDS[1]}") == f"app-{UUIDS[3]}"
    another = joined(f"app-{UUIDS[2]}", (f"app-{UUIDS[3]}", b"2"), (f"app-{UUIDS[2]}", b"one"))
    assert paths(11, was, another, comparison) == [f"members[app-{UUIDS[3]}].metadata"]
    alone = joined(f"app-{UUIDS[2]}", (f"app-{UUIDS[2]}", b"one"))
    assert paths(11, was, alone, comparison) == [f"members[app-{UUIDS[3]}]"]
    other_leader = joined(f"app-{UUIDS[3]}", me=f"app-{UUIDS[2]}")
    assert "leader" in paths(11, joined(f"app-{UUIDS[0]}", generation=9), other_leader, comparison)


def commits(code: int) -> Any:
    partition = offset_commit.OffsetCommitResponsePartition(0, code)
    return offset_commit.OffsetCommitResponse(0, [offset_commit.OffsetCommitResponseTopic("t", partitions=[partition])])


def test_errors_of_partitions_are_found() -> None:
    assert paths(8, commits(0), commits(0)) == []
    assert paths(8, commits(0), commits(22)) == ["topics[t].partitions[0].error_code"]


def batch(offset: int, value: bytes = b"v", **fields: int) -> bytes:
    return bytes(build_batch([Record(offset, 1000, b"k", value)], base_offset=offset, **fields))


def fetched(records: bytes, end: int, *, code: int = 0, session: int = 0, start: int = 0) -> Any:
    partition = fetch.PartitionData(
        0, code, high_watermark=end, last_stable_offset=end, log_start_offset=start, records=records
    )
    return fetch.FetchResponse(0, 0, session, [fetch.FetchableTopicResponse("t", partitions=[partition])])


def test_what_was_acknowledged_before_has_to_be_in_a_fetch() -> None:
    two, one, none = fetched(batch(0) + batch(1), 2), fetched(batch(0), 1), fetched(b"", 0)
    assert paths(1, two, fetched(batch(0, leader_epoch=4) + batch(1), 2), t=2) == []
    assert paths(1, two, one, t=1) == [], "the second batch was written meanwhile"
    assert paths(1, one, two, t=1) == []
    assert paths(1, two, one, t=2) == [
        "responses[t-0].high_watermark", "responses[t-0].last_stable_offset", "responses[t-0].records at offset 1"
    ]  # fmt: skip
    assert "responses[t-0].records at offset 0" in paths(1, none, one, t=1)
    absent: Any = fetch.FetchResponse(0, 0, 0, [])
    assert paths(1, none, absent, t=0) == [], "a session leaves out what has not changed"
    assert paths(1, absent, one, t=1) == ["responses[t-0].records at offset 0"]


def test_equal_offsets_have_equal_records() -> None:
    was, now = fetched(batch(0, b"right"), 1), fetched(batch(0, b"wrong"), 1)
    (found,) = Comparison().differences(1, None, was, now, {})
    assert found.path == "responses[t-0].records at offset 0"
    assert "1 records in" in found.is_
    assert paths(1, was, fetched(b"rubbish that is no batch" * 9, 1)) == ["responses[t-0].records"]
    assert paths(1, was, fetched(b"", -1, code=1, start=-1)) == [
        "responses[t-0].error_code", "responses[t-0].log_start_offset", "responses[t-0].high_watermark",
        "responses[t-0].last_stable_offset"
    ]  # fmt: skip


def test_producers_and_sessions_of_fetches_are_matched() -> None:
    comparison = Comparison()
    comparison.bindings.bind("producer id", (), 1000, 5)
    of_producer = {"producer_epoch": 0, "base_sequence": 0}
    was = fetched(batch(0, producer_id=1000, **of_producer), 1, session=7)
    assert paths(1, was, fetched(batch(0, producer_id=5, **of_producer), 1, session=9), comparison) == []
    assert comparison.bindings.replayed("fetch session id", (), 7) == 9
    assert paths(1, was, fetched(batch(0, producer_id=6, **of_producer), 1), comparison) == [
        "session_id", "responses[t-0].records at offset 0"
    ]  # fmt: skip


def test_what_is_left_out_are_names_of_fields() -> None:
    from kafkacompat.protocol import messages

    fields = {
        field
        for stem in messages.STEMS.values()
        for each in vars(__import__(f"kafkacompat.protocol.messages.{stem}", fromlist=["_"])).values()
        for field in getattr(each, "__slots__", ())
    }
    assert (IGNORED | NODES) - fields == set()
