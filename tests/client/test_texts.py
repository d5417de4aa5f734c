"""Parts of sentences."""

from __future__ import annotations

from kafkacompat.client.texts import counted, one_line, partition_of


def test_one_is_singular() -> None:
    assert [counted(number, "record") for number in (0, 1, 2)] == ["0 records", "1 record", "2 records"]


def test_partitions_have_their_topic() -> None:
    assert partition_of(("orders", 3)) == "partition 3 of topic 'orders'"


def test_line_ends_become_spaces() -> None:
    assert one_line(" a\n  b\r\n") == "a b"
