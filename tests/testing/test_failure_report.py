"""What a failing test's report has of its brokers."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest

from kafkacompat import Cluster
from kafkacompat.testing.failure_report import REPORT_BYTES_MAX, keep_data, sections_of
from tests.testing.pytest_runs import run

pytest_plugins = "pytester"


def test_it_shows_brokers_their_partitions_and_who_is_connected() -> None:
    with Cluster(brokers=2, topics={"orders": (1, 2)}) as kafka:
        kafka.stop(2)
        host, port = kafka.brokers[0].address.split(":")
        with socket.create_connection((host, int(port))):
            sections = dict(sections_of([kafka], ["its note\n"]))
    assert "stopped>" in sections["kafkacompat: brokers"]
    assert sections["kafkacompat: brokers"].endswith("its note\n")
    assert "orders-0: 0 to 0" in sections["kafkacompat: topics"]


def test_of_a_stopped_cluster_it_says_that() -> None:
    kafka = Cluster()
    assert "not running" in dict(sections_of([kafka], [""]))["kafkacompat: brokers"]


def test_all_sections_together_are_bounded() -> None:
    names = [f"{'long' * 50}-{number}" for number in range(40)]
    with Cluster(topics=names) as one, Cluster(topics=names) as two:
        sections = sections_of([one, two], ["ä" * 10_000, ""])
        assert sum(len((title + text).encode()) for title, text in sections) <= REPORT_BYTES_MAX
        assert [title for title, _ in sections].count("kafkacompat: topics") == 2


def test_data_that_cannot_be_kept_is_no_second_failure(tmp_path: Path) -> None:
    with Cluster(topics=["orders"]) as kafka:
        assert str(tmp_path) in keep_data(kafka, lambda: tmp_path)
        assert (tmp_path / "data" / "orders-0").is_dir()
        assert keep_data(kafka, lambda: tmp_path).startswith("its data was not kept: ")


def test_a_failed_assertion_is_shown_at_the_line_of_the_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.kafka(topics=["t"])
        @pytest.mark.parametrize("verb", ["produced", "group", "wait", "hits"])
        def test_it(kafka, verb):
            if verb == "produced":
                kafka.assert_produced("t", b"x")
            elif verb == "group":
                kafka.assert_group("g", members=1)
            elif verb == "wait":
                kafka.wait_until(lambda: False, timeout_s=0.01)
            else:
                with kafka.faults.add(when={"api": "produce"}, then={"error": "NOT_CONTROLLER"}, must_hit=True):
                    pass
        """
    )
    result = run(pytester)
    result.assert_outcomes(failed=4)
    shown = result.stdout.str()
    assert "kafkacompat/cluster/" not in shown
    assert len(re.findall(r"^test_\w+\.py:\d+: AssertionError", shown, re.MULTILINE)) == 4
