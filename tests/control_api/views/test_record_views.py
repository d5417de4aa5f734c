"""Records are shown with what consumers are not told."""

import pytest

from kafkacompat import KafkaCompatError
from kafkacompat.control_api.views.record_views import tagged
from kafkacompat.control_api.views.views import NotFoundError, records
from kafkacompat.protocol.constants import ACKS_ALL
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.compression import GZIP
from kafkacompat.protocol.records.control import ABORT, COMMIT, encode_end_transaction, encode_key
from kafkacompat.steps import at_once
from kafkacompat.storage.txn_index import SearchBudget
from kafkacompat.storage.verification_entries import VERIFICATION_IS_OFF
from tests.control_api.node import Node

AT = 1_700_000_000_000


def append(node: Node, *batch: Record, **of_batch: object) -> None:
    partition = node.broker.partitions.get("t", 0)
    assert partition is not None
    data = build_batch(batch, **of_batch)  # type: ignore[arg-type]
    internal = bool(of_batch.get("is_control"))
    partition.append(memoryview(data), ACKS_ALL, node.now(), internal=internal, guard=VERIFICATION_IS_OFF)


def with_topic(partitions: int = 1) -> Node:
    node = Node()
    node.kafka.create_topic("t", partitions)
    return node


def test_a_record_is_shown_with_its_place_and_its_bytes() -> None:
    node = with_topic()
    append(node, Record(0, AT, b"k", b"\xff", (("h", b"v"), ("b", b"\xfe"), ("n", None))), compression=GZIP)
    page = node.look(records, "t", 0)
    (record,) = page["records"]
    assert (record["offset"], record["timestamp"], record["timestamp_type"]) == (0, AT, "create_time")
    assert (record["key"], record["key_encoding"]) == ("k", "utf8")
    assert (record["value"], record["value_encoding"]) == ("/w==", "base64")
    assert record["headers"] == [["h", "v"], ["b", "/g==", "base64"], ["n", None]]
    assert (record["codec"], record["control"], record["state"]) == ("gzip", None, "committed")
    assert (record["producer_id"], record["is_transactional"], record["leader_epoch"]) == (-1, False, 0)
    assert (page["log_start_offset"], page["high_watermark"], page["log_end_offset"]) == (0, 1, 1)
    assert (page["broker"], page["is_leader"], page["next_offset"]) == (1, True, None)
    assert tagged(None) == (None, None)


def test_pages_follow_each_other_without_a_gap_and_inside_of_batches() -> None:
    node = with_topic()
    for _ in range(3):
        append(node, *(Record(index, AT, None, b"%d" % index) for index in range(4)))
    seen, offset = [], 0
    while offset is not None:
        page = node.look(records, "t", 0, from_offset=offset, limit=5)
        assert len(page["records"]) <= 5
        seen += [record["offset"] for record in page["records"]]
        offset = page["next_offset"]
    assert seen == list(range(12))
    assert node.look(records, "t", 0, from_offset=12)["records"] == []
    assert node.look(records, "t", 0, from_offset=99)["records"] == []
    assert [each["offset"] for each in node.look(records, "t", 0, from_offset=10)["records"]] == [10, 11]


def test_a_long_page_is_read_in_steps_while_the_log_goes_on() -> None:
    node = with_topic()
    append(node, *(Record(index, AT, None, b"x") for index in range(200)))
    steps = records(node, "t", 0, limit=1_000)  # type: ignore[arg-type]
    next(steps)
    append(node, Record(0, AT, None, b"later"))
    page = at_once(steps)
    assert [record["offset"] for record in page["records"]] == list(range(200))
    assert page["log_end_offset"] == 200


def marker(kind: int) -> Record:
    return Record(0, AT, encode_key(kind), encode_end_transaction(0))


def test_a_transactions_records_are_open_then_committed_or_aborted() -> None:
    node = with_topic()
    of_transaction = {"producer_id": 7, "producer_epoch": 0, "is_transactional": True}

    def states() -> list[tuple[str, str | None]]:
        return [(record["state"], record["control"]) for record in node.look(records, "t", 0)["records"]]

    append(node, Record(0, AT, None, b"a"), base_sequence=0, **of_transaction)
    assert states() == [("open", None)]
    append(node, marker(ABORT), is_control=True, **of_transaction)
    append(node, Record(0, AT, None, b"b"), base_sequence=1, **of_transaction)
    assert states() == [("aborted", None), ("committed", "abort"), ("open", None)]
    append(node, marker(COMMIT), is_control=True, **of_transaction)
    append(node, Record(0, AT, None, b"c"))
    assert [state for state, _ in states()] == ["aborted", "committed", "committed", "committed", "committed"]
    assert states()[3] == ("committed", "commit")


def test_what_is_not_replicated_is_above_the_high_watermark() -> None:
    node = with_topic()
    append(node, Record(0, AT, None, b"a"))
    append(node, Record(0, AT, None, b"b"))
    partition = node.broker.partitions.get("t", 0)
    assert partition is not None
    partition.high_watermark = 1
    assert [each["state"] for each in node.look(records, "t", 0)["records"]] == ["committed", "above_hw"]


def test_a_partition_that_is_not_here_is_named() -> None:
    node = with_topic(2)
    for topic, index, words in (("u", 0, "no topic 'u'"), ("t", 2, "has 2 partitions"), ("t", -1, "has 2 partitions")):
        with pytest.raises(NotFoundError, match=words):
            node.look(records, topic, index)
    assert issubclass(NotFoundError, KafkaCompatError)
    assert set(node.broker.image.topics) == {"t"}


def test_records_stay_aborted_when_the_index_that_says_so_is_damaged() -> None:
    node = with_topic()
    of_transaction = {"producer_id": 7, "producer_epoch": 0, "is_transactional": True}
    append(node, Record(0, AT, None, b"a"), base_sequence=0, **of_transaction)
    append(node, marker(ABORT), is_control=True, **of_transaction)

    partition = node.broker.partitions.get("t", 0)
    assert partition is not None
    (segment,) = partition.log.segments.all
    index = segment.txn_index
    index.flush()
    node.kafka.fs.write_atomic(index.path, b"short", sync=False)
    segment.drop_indexes()
    assert [record["state"] for record in node.look(records, "t", 0)["records"]] == ["aborted", "committed"]


def test_a_search_that_takes_long_goes_on_in_later_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SearchBudget.__init__, "__defaults__", (1,))
    node = with_topic()
    of_transaction = {"producer_id": 7, "producer_epoch": 0, "is_transactional": True}
    for sequence in range(5):
        append(node, Record(0, AT, None, b"a"), base_sequence=sequence, **of_transaction)
        append(node, marker(ABORT), is_control=True, **of_transaction)
    partition = node.broker.partitions.get("t", 0)
    assert partition is not None
    partition.log.segments.aborted._compared.clear()  # as after a start
    page = node.look(records, "t", 0)
    assert [record["state"] for record in page["records"]] == ["aborted", "committed"] * 5
