"""What a failing test's report has of its brokers."""

from __future__ import annotations

from pathlib import Path

from kafkacompat import Cluster
from kafkacompat.testing.failure_report import REPORT_BYTES_MAX, describe, keep_data, limited


def test_it_names_brokers_and_partitions() -> None:
    with Cluster(brokers=2, topics={"orders": (1, 2)}) as kafka:
        kafka.stop(2)
        text = describe(kafka)
    assert "broker 2: stopped" in text
    assert "orders-0: offsets 0-0, high watermark 0" in text


def test_all_sections_together_are_bounded() -> None:
    sections = [("one", "ä" * 10_000), ("two", "short")]
    bounded = limited(sections)
    assert sum(len((title + text).encode()) for title, text in bounded) <= REPORT_BYTES_MAX
    assert bounded[0][1].endswith("... (shortened)\n")
    assert bounded[1] == sections[1]
    assert limited([]) == []


def test_data_that_cannot_be_kept_is_no_second_failure(tmp_path: Path) -> None:
    with Cluster(topics=["orders"]) as kafka:
        assert str(tmp_path) in keep_data(kafka, lambda: tmp_path)
        assert (tmp_path / "data" / "orders-0").is_dir()
        assert keep_data(kafka, lambda: tmp_path).startswith("its data was not kept: ")
