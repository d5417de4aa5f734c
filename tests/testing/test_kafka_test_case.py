"""A test case of unittest with a cluster."""

from __future__ import annotations

import os
import socket
import threading
import unittest

import pytest

from kafkacompat import KafkaCompatError
from kafkacompat.testing import KafkaTestCase

pytest_plugins = ["pytester"]


def results_of(case: type[unittest.TestCase]) -> unittest.TestResult:
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    return result


def test_each_test_has_a_fresh_cluster_that_ends_with_it() -> None:
    seen, others = [], set(threading.enumerate())

    class Case(KafkaTestCase):
        kafka_options = {"topics": {"orders": 2}, "brokers": 2}  # noqa: RUF012 (as users write it)

        def setUp(self) -> None:
            """Without a call of KafkaTestCase.setUp, as is often forgotten."""

        def test_one(self) -> None:
            assert self.kafka is self.kafka
            assert len(self.kafka.brokers) == 2
            topic = self.kafka_topic()
            assert topic.startswith("test-one-")
            with pytest.raises(KafkaCompatError, match="not created"):
                self.kafka.create_topics({"": 1})
            seen.append(self.kafka)

        def test_two(self) -> None:
            host, port = self.kafka.bootstrap_servers.split(",")[0].split(":")
            socket.create_connection((host, int(port))).close()
            seen.append(self.kafka)

    result = results_of(Case)
    assert result.testsRun == 2
    assert (result.failures, result.errors) == ([], [])
    assert [repr(each) for each in seen] == ["<Cluster stopped>"] * 2
    assert seen[0] is not seen[1]
    assert [each.name for each in set(threading.enumerate()) - others if each.name == "kafkacompat"] == []


def test_a_test_that_does_not_use_it_starts_nothing() -> None:
    class Case(KafkaTestCase):
        kafka_options = {"brokers": 0}  # noqa: RUF012 (as users write it)

        def test_without(self) -> None: ...

    assert results_of(Case).wasSuccessful()


def test_it_works_with_asyncio() -> None:
    class Case(KafkaTestCase, unittest.IsolatedAsyncioTestCase):
        async def test_it(self) -> None:
            import asyncio

            host, port = self.kafka.bootstrap_servers.split(":")
            _, writer = await asyncio.open_connection(host, int(port))
            writer.close()
            await writer.wait_closed()

    result = results_of(Case)
    assert (result.testsRun, result.errors, result.failures) == (1, [], [])


def test_the_environment_counts_for_what_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAFKACOMPAT_BROKERS", "2")

    class Case(KafkaTestCase):
        def test_it(self) -> None:
            assert [broker.pid for broker in self.kafka.brokers] == [os.getpid()] * 2

    assert results_of(Case).wasSuccessful()


def test_a_rule_that_must_hit_and_never_did_fails_the_test() -> None:
    class Case(KafkaTestCase):
        def test_it(self) -> None:
            self.kafka.faults.add(when={"api": "Produce"}, then={"error": "NOT_LEADER_OR_FOLLOWER"}, must_hit=True)

    result = results_of(Case)
    assert [text for _, text in result.failures if "no request of its APIs came" in text]
    assert len(result.failures) == 1


def test_unittest_needs_no_pytest() -> None:
    import subprocess
    import sys

    code = "import sys; from kafkacompat.testing import KafkaTestCase; assert 'pytest' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
