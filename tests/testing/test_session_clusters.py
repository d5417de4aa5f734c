"""The plugin's fixtures among other plugins, on workers, interrupted, failing; and what is left after them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.testing.pytest_runs import QUIET, ROOT, run
from tests.waiting import wait_until

pytest_plugins = ["pytester"]


def temporary(folder: Path) -> list[str]:
    """The data directories of brokers in a folder for temporary files."""
    return [path.name for path in folder.glob("kafkacompat-*")]


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files of the runs."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def test_the_session_cluster_is_one_for_all_tests_and_topics_are_apart(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        seen = []

        @pytest.mark.parametrize("number", [1, 2])
        def test_shared(kafka_cluster, kafka_topic, number):
            assert kafka_topic.startswith(f"test-shared-{number}-main-")
            seen.append((kafka_cluster.bootstrap_servers, kafka_topic))
            assert len({servers for servers, _ in seen}) == 1
            assert len({topic for _, topic in seen}) == len(seen)
        """
    )
    run(pytester).assert_outcomes(passed=2)


def test_a_topic_lies_in_the_cluster_of_the_test(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makepyfile(
        """
        from tests.metadata_client import partition_counts

        def test_own(kafka, kafka_topic, kafka_cluster):
            assert partition_counts(kafka.bootstrap_servers, [kafka_topic]) == {kafka_topic: 1}
            assert partition_counts(kafka_cluster.bootstrap_servers, [kafka_topic]) == {}
        """
    )
    run(pytester).assert_outcomes(passed=1)


def test_the_factory_stops_all_that_it_started_and_what_started_half(pytester: pytest.Pytester, scratch: Path) -> None:
    pytester.makepyfile(
        """
        import os, threading
        import pytest
        from kafkacompat import KafkaCompatError

        made = []

        @pytest.mark.kafka(config={"num.partitions": 2})
        def test_makes_some(kafka_factory):
            made.extend(kafka_factory(brokers=count) for count in (1, 2))
            with pytest.raises(KafkaCompatError, match="port"):
                kafka_factory(port=int(made[0].bootstrap_servers.rpartition(":")[2]))
            with pytest.raises(KafkaCompatError, match="topic"):
                kafka_factory(topics=["no such name!"])

        def test_they_are_gone():
            assert [repr(each) for each in made] == ["<Cluster stopped>"] * 2
            assert [each.name for each in threading.enumerate() if "kafkacompat" in each.name] == []
            assert not [name for name in os.listdir(os.environ["TMPDIR"]) if name.startswith("kafkacompat-")]
        """
    )
    run(pytester).assert_outcomes(passed=2)
    assert temporary(scratch) == []


def test_each_worker_has_a_session_cluster_of_its_own(pytester: pytest.Pytester, scratch: Path) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("number", range(6))
        def test_fails(kafka_cluster, kafka_topic, kafka, worker_id, number):
            assert f"-{worker_id}-" in kafka_topic
            assert False, f"{worker_id} at {kafka_cluster.bootstrap_servers}"
        """
    )
    result = run(pytester, "-n", "2")
    result.assert_outcomes(failed=6)
    said = {line.split("Error: ")[1] for line in result.outlines if "AssertionError: gw" in line}
    assert {line.split(" at ")[0] for line in said} == {"gw0", "gw1"}
    assert len(said) == 2
    result.stdout.fnmatch_lines(["*- kafkacompat: brokers -*", "<node 1 at 127.0.0.1:*", "*- kafkacompat: topics -*"])
    assert temporary(scratch) == []


def test_the_order_of_tests_does_not_matter(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("number", range(8))
        @pytest.mark.kafka(topics=["orders"])
        def test_one(kafka, number):
            kafka.create_topics(["orders", f"own-{number}"])

        class TestOthers:
            def test_two(self, kafka_cluster): ...
            def test_three(self, kafka_factory): kafka_factory()
        """
    )
    for seed in ("1", "2"):
        run(pytester, "-p", "randomly", "--randomly-seed", seed).assert_outcomes(passed=10)


def test_asyncio_tests_use_it_with_aiokafka(pytester: pytest.Pytester) -> None:
    pytest.importorskip("aiokafka")
    pytest.importorskip("pytest_asyncio")
    pytester.makepyfile(
        """
        import asyncio
        import pytest
        from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

        async def there_and_back(kafka, topic):
            async with AIOKafkaProducer(**kafka.config_for("aiokafka")) as producer:
                await producer.send_and_wait(topic, b"two apples")
            consumer = AIOKafkaConsumer(
                topic, group_id=kafka.group_id(), auto_offset_reset="earliest", **kafka.config_for("aiokafka")
            )
            async with consumer:
                assert (await asyncio.wait_for(consumer.getone(), 30)).value == b"two apples"

        def test_in_a_loop_of_its_own(kafka, kafka_topic):
            asyncio.run(there_and_back(kafka, kafka_topic))

        @pytest.mark.asyncio
        async def test_in_the_loop_of_a_plugin(kafka, kafka_topic):
            await there_and_back(kafka, kafka_topic)
        """
    )
    run(pytester, "-p", "pytest_asyncio.plugin", "-o", "asyncio_default_fixture_loop_scope=function").assert_outcomes(
        passed=2
    )


def test_a_cluster_in_a_fork_says_what_to_do(pytester: pytest.Pytester, scratch: Path) -> None:
    pytester.makepyfile(
        """
        import os, sys

        def test_fork(kafka):
            servers, data_dir = kafka.bootstrap_servers, kafka.data_dir
            reader, writer = os.pipe()
            if not (child := os.fork()):
                try:
                    kafka.create_topics(["orders"])
                except BaseException as error:
                    os.write(writer, str(error).encode())
                kafka.stop()
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
            said = os.read(reader, 500).decode()
            assert f"runs in process {os.getpid()}, and a fork of it has none of its threads" in said
            assert kafka.bootstrap_servers == servers
            assert os.path.isdir(data_dir)
            os.close(reader), os.close(writer)
        """
    )
    run(pytester, "-W", "ignore::DeprecationWarning").assert_outcomes(passed=1)
    assert temporary(scratch) == []


def test_an_interrupt_leaves_nothing(pytester: pytest.Pytester, scratch: Path) -> None:
    pytester.makepyfile(
        """
        import os, signal, time
        import pytest

        @pytest.mark.kafka(brokers=2, processes=True)
        def test_interrupted(kafka, kafka_cluster, kafka_factory):
            kafka_factory()
            print("pids", *(broker.pid for broker in kafka.brokers), flush=True)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(60)
        """
    )
    result = run(pytester, "-s")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    (line,) = [line for line in result.outlines if "pids " in line]
    assert [pid for pid in line.split("pids ")[1].split() if Path(f"/proc/{pid}").exists()] == []
    assert temporary(scratch) == []


def test_an_interrupt_of_workers_leaves_nothing(pytester: pytest.Pytester, scratch: Path) -> None:
    pytester.makepyfile(
        """
        import os, time
        import pytest

        @pytest.mark.parametrize("number", range(2))
        def test_waits(kafka, kafka_cluster, number):
            open(os.path.join(os.environ["TMPDIR"], f"ready-{number}"), "w").close()
            time.sleep(60)
        """
    )
    command = [sys.executable, "-m", "pytest", *QUIET, "-n", "2"]
    process = subprocess.Popen(command, cwd=pytester.path, start_new_session=True, stdout=subprocess.PIPE)
    try:
        wait_until(lambda: len(list(scratch.glob("ready-*"))) == 2, 60)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        assert process.wait(60) == pytest.ExitCode.INTERRUPTED
        wait_until(lambda: temporary(scratch) == [], 30)
    finally:
        process.kill()
        process.communicate()


def test_a_start_that_fails_is_an_error_of_the_test_alone(pytester: pytest.Pytester, scratch: Path) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.kafka(config={"num.partitions": 0})
        def test_cannot_start(kafka): ...

        @pytest.mark.kafka({"orders": 3})
        def test_says_what_is_wrong(kafka): ...

        def test_goes_on(kafka): ...
        """
    )
    result = run(pytester)
    result.assert_outcomes(passed=1, errors=2)
    result.stdout.fnmatch_lines(["*num.partitions*", "*give named arguments*"])
    assert temporary(scratch) == []


def test_a_fixture_of_the_same_name_wins_in_conftest_and_is_named_if_it_is_foreign(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture
        def kafka():
            return "another plugin's"
        """
    )
    pytester.makepyfile(
        """
        import pytest

        def test_theirs(kafka):
            assert kafka == "another plugin's"

        def test_ours(kafka_cluster, kafka_topic, kafka_factory):
            assert kafka_topic
            assert kafka_factory().brokers

        def test_mixed(kafka, kafka_topic): ...

        class TestOwn:
            @pytest.fixture
            def kafka(self, kafka_factory):
                return kafka_factory(topics=["orders"])

            def test_own(self, kafka, kafka_topic):
                assert kafka.group_id("billing").startswith("billing-")
        """
    )
    result = run(pytester)
    result.assert_outcomes(passed=3, errors=1)
    result.stdout.fnmatch_lines(
        ["*the fixture `kafka` of this test is a str of another plugin: request kafka_cluster*"]
    )


def test_collecting_starts_nothing(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        import sys

        def pytest_unconfigure():
            print("loaded", sorted(name for name in sys.modules if name.startswith("kafkacompat.")))
        """
    )
    pytester.makepyfile("def test_it(kafka, kafka_cluster, kafka_topic, kafka_factory): ...")
    result = run(pytester, "--collect-only", "-s")
    assert "loaded ['kafkacompat.testing', 'kafkacompat.testing.plugin']" in result.outlines


def test_options_are_overridden_by_markers_and_those_by_arguments(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        def test_flag(kafka, kafka_cluster):
            assert len(kafka.brokers) == len(kafka_cluster.brokers) == 2

        @pytest.mark.kafka(brokers=1, config={"num.partitions": 2})
        class TestMarked:
            def test_class(self, kafka): assert len(kafka.brokers) == 1

            @pytest.mark.kafka(brokers=3)
            def test_own(self, kafka_factory):
                assert len(kafka_factory().brokers) == 3
                assert len(kafka_factory(brokers=1).brokers) == 1
        """
    )
    run(pytester, "--kafkacompat-brokers", "2").assert_outcomes(passed=3)


def test_the_data_of_a_failing_test_is_kept_on_demand(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.kafka(topics=["orders"])
        def test_fails(kafka): assert False

        def test_passes(kafka): ...
        """
    )
    result = run(pytester, "--kafkacompat-keep")
    result.assert_outcomes(failed=1, passed=1)
    (kept,) = [line.split("kept in ")[1] for line in result.outlines if "its data is kept in " in line]
    assert (Path(kept) / "orders-0").is_dir()


def test_log_lines_have_the_level_that_was_asked_for(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import logging

        def test_level(kafka):
            assert logging.getLogger("kafkacompat.server").getEffectiveLevel() == logging.DEBUG
        """
    )
    run(pytester, "--kafkacompat-log-level", "debug").assert_outcomes(passed=1)
    wrong = run(pytester, "--kafkacompat-log-level", "loud")
    wrong.assert_outcomes(errors=1)
    wrong.stdout.fnmatch_lines(["*--kafkacompat-log-level loud: use debug, info*"])


REUSES = """
    import pytest
    from tests.metadata_client import partition_counts

    servers, topics = set(), {"orders": 3, "bills": 1}

    @pytest.mark.parametrize("number", range(6))
    @pytest.mark.kafka(topics={"orders": 3})
    def test_same(kafka, number):
        servers.add(kafka.bootstrap_servers)
        assert len(servers) == 1
        assert sorted(kafka.topics()) == ["orders"]
        kafka.create_topics([f"own-{number}"])

    @pytest.mark.kafka(topics=["bills"])
    def test_with_other_topics(kafka):
        servers.add(kafka.bootstrap_servers)
        assert len(servers) == 1
        assert sorted(kafka.topics()) == ["bills"]

    @pytest.mark.parametrize("number", range(2))
    def test_that_kills(kafka, number):
        assert kafka.topics() == {}
        kafka.kill(1)

    @pytest.mark.parametrize("number", range(6))
    def test_with_other_settings(kafka_factory, request, number):
        request.applymarker(pytest.mark.kafka(config={"num.partitions": number + 2}))
        kafka = request.getfixturevalue("kafka")
        assert kafka.bootstrap_servers not in servers
        kafka.create_topics(["orders"])
        assert partition_counts(kafka.bootstrap_servers, ["orders"]) == {"orders": number + 2}

    @pytest.mark.parametrize("number", range(2))
    @pytest.mark.kafka(brokers=3, topics=["orders"])
    def test_several(kafka, number):
        topics["several"] = topics.get("several", kafka.bootstrap_servers)
        assert topics["several"] == kafka.bootstrap_servers
        assert sorted(kafka.topics()) == ["orders"]
        kafka.create_topics(["others"])

    @pytest.mark.parametrize("number", range(2))
    @pytest.mark.kafka(topics={"orders": 3}, records={"orders": [{"value": "a", "partition": 2}]})
    def test_with_records(kafka, number):
        assert [record.partition for record in kafka.records("orders")] == [2]
"""


def test_reused_clusters_are_as_new_ones(
    pytester: pytest.Pytester, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makepyfile(REUSES)
    run(pytester, "--kafkacompat-reuse").assert_outcomes(passed=19)
    assert temporary(scratch) == []


def test_a_test_leaves_no_frozen_clock_and_no_slow_disk_to_those_after_it(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from confluent_kafka import Producer

        def test_that_forgets_to_undo(kafka_cluster):
            kafka_cluster.clock.freeze()
            kafka_cluster.disk(1, free_bytes=0)

        def test_after_it(kafka_cluster):
            assert not kafka_cluster.clock.view.is_frozen
            producer = Producer(kafka_cluster.config_for("confluent"))
            producer.produce("orders", b"two apples")
            assert producer.flush(10) == 0
        """
    )
    run(pytester).assert_outcomes(passed=2)


RULES = """
    import pytest
    from tests.metadata_client import partition_counts

    PRODUCE = {"when": {"api": "Produce"}, "then": {"error": "NOT_LEADER_OR_FOLLOWER"}, "must_hit": True}
    METADATA = {"when": {"api": "Metadata"}, "observe": True, "must_hit": True}

    def test_never_matched(kafka):
        kafka.faults.add(**PRODUCE)

    def test_never_matched_in_the_session(kafka_cluster):
        kafka_cluster.faults.add(**PRODUCE)

    def test_matched(kafka, kafka_cluster):
        assert not len(kafka_cluster.faults) and not len(kafka.faults)
        for cluster in (kafka, kafka_cluster):
            cluster.faults.add(**METADATA)
            partition_counts(cluster.bootstrap_servers, [])

    def test_nothing_is_left(kafka, kafka_cluster):
        assert not len(kafka_cluster.faults) and not len(kafka.faults)

    def test_that_fails_anyway(kafka):
        kafka.faults.add(**PRODUCE)
        assert False, "for another reason"
"""


@pytest.mark.parametrize("reuse", [(), ("--kafkacompat-reuse",)])
def test_a_rule_lives_as_long_as_its_test_and_must_hit_in_it(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, reuse: tuple[str, ...]
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makepyfile(RULES)
    result = run(pytester, *reuse)
    result.assert_outcomes(passed=2, failed=3)
    result.stdout.fnmatch_lines(
        [
            "*0 of 1 hits*",
            "*no request of its APIs came",
            "*0 of 1 hits*",
            "*for another reason",
            "*kafkacompat: faults*",
        ]
    )
