"""The fixtures on brokers that run already."""

from __future__ import annotations

import pytest

from compat_tests.everywhere import PASSED_ANYWHERE, REASONS, SKIPPED_ELSEWHERE, TESTS
from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.testing.external_cluster import ExternalCluster
from tests.metadata_client import partition_counts
from tests.testing.pytest_runs import run

pytest_plugins = ["pytester"]


def test_the_same_tests_run_here_and_there(pytester: pytest.Pytester) -> None:
    pytest.importorskip("confluent_kafka")
    pytester.makepyfile(TESTS)
    run(pytester).assert_outcomes(passed=PASSED_ANYWHERE + SKIPPED_ELSEWHERE)
    with Cluster(topics=["theirs"]) as kafka:
        result = run(pytester, "--kafkacompat-external", kafka.bootstrap_servers, "--kafkacompat-brokers", "2", "-rs")
        result.assert_outcomes(passed=PASSED_ANYWHERE, skipped=SKIPPED_ELSEWHERE)
        skipped = "\n".join(line for line in result.outlines if line.startswith("SKIPPED"))
        assert [reason for reason in REASONS if reason not in skipped] == []
        assert list(kafka.topics()) == ["theirs"]


def test_a_topic_of_somebody_else_is_not_deleted() -> None:
    with Cluster(topics={"theirs": 1}) as kafka:
        external = ExternalCluster(kafka.bootstrap_servers)
        arguments = {"topics": {"ours": 2, "theirs": 1}}
        with pytest.raises(KafkaCompatError, match="topic 'theirs' exists already"), external.for_test(arguments):
            raise AssertionError("not reached")
        assert list(kafka.topics()) == ["theirs"]
        with external.for_test({"topics": {"ours": 2}}):
            external.create_topics(["theirs"])
            assert partition_counts(kafka.bootstrap_servers, ["ours"]) == {"ours": 2}
        assert list(kafka.topics()) == ["theirs"]
        with pytest.raises(KafkaCompatError, match="Topic name is invalid"):
            external.create_topics(["no such name!"])


def test_brokers_that_cannot_be_reached_are_an_error(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(kafka, kafka_topic): ...")
    result = run(pytester, "--kafkacompat-external", "127.0.0.1:1")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*127.0.0.1:1*"])
