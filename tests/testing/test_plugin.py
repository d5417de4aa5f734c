"""The pytest plugin, in pytest runs of its own."""

import pytest

from tests.spark.fixture.test_fixture_file import make
from tests.testing.pytest_runs import ROOT, run

pytest_plugins = ["pytester"]

USES = """
    import socket

    def test_first(kafka):
        host, port = kafka.bootstrap_servers.split(":")
        socket.create_connection((host, int(port))).close()
        first.append(kafka.cluster_id)

    def test_second(kafka):
        assert kafka.cluster_id not in first
        first.append(kafka.cluster_id)

    first = []
"""


def test_the_fixture_is_fresh_for_each_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(USES)
    run(pytester).assert_outcomes(passed=2)


def test_the_marker_makes_topics(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makepyfile(
        """
        import pytest
        from tests.metadata_client import partition_counts

        @pytest.mark.kafka(topics={"orders": 3}, config={"num.partitions": 2})
        def test_topics(kafka):
            assert partition_counts(kafka.bootstrap_servers, ["orders"]) == {"orders": 3}
        """
    )
    run(pytester).assert_outcomes(passed=1)


def test_the_marker_makes_several_brokers(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import os
        import pytest

        @pytest.mark.kafka(brokers=2)
        def test_here(kafka):
            assert [broker.pid for broker in kafka.brokers] == [os.getpid()] * 2

        @pytest.mark.kafka(brokers=2, processes=True)
        def test_processes(kafka):
            kafka.kill(2)
            assert [broker.is_running for broker in kafka.brokers] == [True, False]
        """
    )
    run(pytester).assert_outcomes(passed=2)


def test_the_marker_starts_with_a_fixture_file(pytester: pytest.Pytester) -> None:
    """Of 100,000 records, in less than two seconds of CPU time."""
    path = make(pytester.path, 100_000)
    pytester.makepyfile(
        f"""
        import time
        import pytest

        @pytest.fixture
        def cpu_s():
            return time.process_time()

        @pytest.mark.kafka(fixture={str(path)!r})
        def test_records(cpu_s, kafka):
            took_s = time.process_time() - cpu_s
            assert list(kafka.topics()) == ["orders"]
            assert kafka.topics()["orders"].partitions[0].logs[0].log_end_offset == 101_000
            assert [record.offset for record in kafka.records("orders", limit=3)] == [1000, 1001, 1002]
            assert took_s < 2
        """
    )
    run(pytester).assert_outcomes(passed=1)


def test_the_fixture_and_the_marker_are_listed(pytester: pytest.Pytester) -> None:
    run(pytester, "--fixtures").stdout.fnmatch_lines(["*kafka*", "*fresh Kafka cluster*"])
    run(pytester, "--markers").stdout.fnmatch_lines(["@pytest.mark.kafka(*"])


def test_a_run_that_does_not_use_it_imports_nothing_for_it(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import sys

        def test_imports():
            ours = {name for name in sys.modules if name.split(".")[0] == "kafkacompat"}
            assert ours == {"kafkacompat", "kafkacompat.testing", "kafkacompat.testing.plugin"}
            assert "asyncio" not in sys.modules
        """
    )
    run(pytester, "-p", "no:anyio").assert_outcomes(passed=1)
