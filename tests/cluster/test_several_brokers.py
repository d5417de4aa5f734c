"""`Cluster` with several brokers, in this process and in others: the same calls, the same ends."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kafkacompat import Cluster, KafkaCompatError
from tests.cli.processes import ask_api_versions
from tests.control_api.harness import Api
from tests.metadata_client import brokers_seen_by, partition_counts
from tests.waiting import wait_until

BOTH = pytest.mark.parametrize("processes", [False, True], ids=["here", "processes"])


@pytest.fixture(scope="module")
def three() -> Iterator[Cluster]:
    """Three processes; each test leaves them running."""
    with Cluster(brokers=3, processes=True, topics={"orders": (3, 3), "events": 2}) as kafka:
        yield kafka


def until_answered(address: str) -> None:
    def is_answered() -> bool:
        try:
            assert ask_api_versions(address)
        except (OSError, AssertionError):
            return False
        return True

    wait_until(is_answered)


def test_every_broker_answers_and_is_a_process_of_its_own(three: Cluster) -> None:
    assert [broker.id for broker in three.brokers] == [1, 2, 3]
    assert three.bootstrap_servers == ",".join(broker.address for broker in three.brokers)
    assert three.config_for("confluent") == {"bootstrap.servers": three.bootstrap_servers}
    assert len({os.getpid(), *(broker.pid for broker in three.brokers)}) == 4
    for broker in three.brokers:
        assert broker.is_running
        assert Path(broker.data_dir).parent == Path(three.data_dir)
        assert partition_counts(broker.address, ["orders", "events"]) == {"orders": 3, "events": 2}
    assert [node.id for node in three.controllers] == [1, 2, 3]
    assert {node.address for node in three.controllers}.isdisjoint({node.address for node in three.brokers})


def test_one_is_killed_and_comes_back_where_it_was(three: Cluster) -> None:
    before = three.brokers[1]
    three.kill(2)
    assert not three.brokers[1].is_running
    with pytest.raises(ProcessLookupError):
        os.kill(before.pid, 0)
    with pytest.raises(KafkaCompatError, match=r"node 2 is not running: start it with restart\(2\)"):
        three.kill(2)
    three.restart(2)
    after = three.brokers[1]
    assert (after.address, after.data_dir) == (before.address, before.data_dir)
    assert after.pid != before.pid
    assert partition_counts(after.address, ["orders"]) == {"orders": 3}


@pytest.mark.parametrize("clean", [True, False])
def test_one_is_stopped_and_restarted(three: Cluster, clean: bool) -> None:
    marker = Path(three.brokers[2].data_dir, ".kafka_cleanshutdown")
    three.stop(3)
    assert marker.exists()
    three.restart(3)
    assert not marker.exists()
    before = three.brokers[2].pid
    three.restart(3, clean=clean)
    assert three.brokers[2].pid != before
    until_answered(three.brokers[2].address)


def test_one_stands_still_and_goes_on(three: Cluster) -> None:
    address = three.brokers[0].address
    three.pause(1)
    with pytest.raises(TimeoutError):
        ask_api_versions(address, timeout_s=0.2)
    three.resume(1)
    until_answered(address)


def test_the_log_says_which_one_died(three: Cluster, caplog: pytest.LogCaptureFixture) -> None:
    pid = three.brokers[2].pid
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: f"node 3 (pid {pid}) died: killed by SIGKILL" in caplog.text)
    three.restart(3)


@BOTH
def test_ids_that_are_not_there(three: Cluster, processes: bool) -> None:
    for call in (three.kill, three.stop, three.restart, three.pause, three.resume):
        with pytest.raises(KafkaCompatError, match="there is no node 7: use one of 1, 2, 3"):
            call(7)


def test_in_this_process_they_are_killed_and_restarted_but_not_paused(tmp_path: Path) -> None:
    with Cluster(brokers=3, topics={"orders": (2, 3)}, racks=["a", "b", "c"]) as kafka:
        assert {broker.pid for broker in kafka.brokers} == {os.getpid()}
        kafka.kill(3)
        assert [broker.is_running for broker in kafka.brokers] == [True, True, False]
        with pytest.raises(OSError):
            ask_api_versions(kafka.brokers[2].address)
        kafka.restart(3)
        for broker in kafka.brokers:
            assert partition_counts(broker.address, ["orders"]) == {"orders": 2}
        for call in (kafka.pause, kafka.resume):
            with pytest.raises(KafkaCompatError, match="processes=True"):
                call(1)
        begun = time.monotonic()
    assert time.monotonic() - begun < 8  # no session had to end for that


@BOTH
def test_a_directory_of_ones_own_keeps_ids_ports_and_topics(tmp_path: Path, processes: bool) -> None:
    def shape(kafka: Cluster) -> list[object]:
        return [
            kafka.cluster_id,
            [(node.id, node.address, node.data_dir) for node in kafka.brokers + kafka.controllers],
        ]

    options = {"brokers": 2, "controllers": 1, "processes": processes, "data_dir": tmp_path / "data"}
    with Cluster(**options, topics={"orders": (2, 2)}) as kafka:
        first = shape(kafka)
        assert [node.id for node in kafka.controllers] == [1001]
    with Cluster(**options) as kafka:
        assert shape(kafka) == first
        assert partition_counts(kafka.brokers[1].address, ["orders"]) == {"orders": 2}
        kafka.restart()
        assert shape(kafka) == first


@BOTH
def test_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: bool) -> None:
    import tempfile
    import threading

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    threads = set(threading.enumerate())
    with Cluster(brokers=2, processes=processes) as kafka:
        pids = [broker.pid for broker in kafka.brokers]
        kafka.kill(2)
    assert not list(tmp_path.iterdir())
    wait_until(lambda: set(threading.enumerate()) <= threads)  # who listens to a node ends a moment after it
    for pid in set(pids) - {os.getpid()}:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"config": {"log.dirs": "/data"}}, "log.dirs cannot be set for all nodes"),
        ({"config": {"num.partitions": "many"}}, "num.partitions"),
        ({"port": 65_535}, "65536"),
        ({"topics": {"orders": (1, 3)}}, "orders"),
        ({"host": "192.0.2.1"}, "192.0.2.1"),
    ],
)
@BOTH
def test_what_cannot_start_says_why_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: bool, options: dict, words: str
) -> None:
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(KafkaCompatError, match=words) as caught:
        Cluster(brokers=2, processes=processes, **options).start()
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_an_async_with_block() -> None:
    async def main() -> None:
        async with Cluster(brokers=2) as kafka:
            assert ask_api_versions(kafka.brokers[1].address)

    asyncio.run(main())


def test_a_decorator_makes_them_anew() -> None:
    @Cluster(brokers=2, topics={"orders": (1, 2)})
    def use(*, kafka: Cluster) -> int:
        return len(kafka.brokers)

    assert use() == 2


@BOTH
def test_one_is_isolated_and_healed(processes: bool) -> None:
    timing = {"broker.session.timeout.ms": 1500, "broker.heartbeat.interval.ms": 100}
    options = {"brokers": 3, "controllers": 1, "isolation": True, "processes": processes, "config": timing}
    with Cluster(**options, topics={"orders": (1, 3)}) as kafka:
        one, _, other = (broker.address for broker in kafka.brokers)
        wait_until(lambda: brokers_seen_by(other) == [1, 2, 3])
        kafka.isolate(1)
        with pytest.raises(TimeoutError):
            ask_api_versions(one, timeout_s=0.2)
        wait_until(lambda: brokers_seen_by(other) == [2, 3])
        kafka.heal(1)
        wait_until(lambda: brokers_seen_by(other) == [1, 2, 3])
        assert ask_api_versions(one)
        kafka.kill(2)
        with pytest.raises(ConnectionRefusedError):
            ask_api_versions(kafka.brokers[1].address)
        kafka.restart(2)
        assert ask_api_versions(kafka.brokers[1].address)
        with pytest.raises(KafkaCompatError, match="there is no node 9"):
            kafka.isolate(9)


@pytest.mark.parametrize("processes", [False, True])
def test_what_proxies_do_is_among_the_links_over_http(processes: bool) -> None:
    with Cluster(brokers=2, isolation=True, processes=processes) as kafka:
        api = Api(kafka.control_url)

        def links() -> list[tuple[object, object, object]]:
            return [(link["from"], link["to"], link.get("delay_ms")) for link in api.get("/v1/links")["links"]]

        kafka.delay(1, 2, 30)
        assert links() == [(1, 2, 30)]
        api.send("PUT", "/v1/links", {"links": [{"from": 1, "to": 2, "delay_ms": 10}, {"from": 2, "to": "clients"}]})
        assert links() == [(1, 2, 40), (2, "clients", None)]
        kafka.isolate(1)
        assert set(links()) == {
            (1, 2, None), (2, 1, None), (1, "clients", None), ("clients", 1, None), (2, "clients", None),
        }  # fmt: skip
        assert api.send("DELETE", "/v1/links").body == {"links": []}
        assert len(links()) == 4, "proxies go on"
        kafka.heal()
        assert links() == []
        api.close()


def test_proxies_need_addresses_of_this_computer() -> None:
    with pytest.raises(KafkaCompatError, match=r"127\.0\.0\.1"):
        Cluster(brokers=2, isolation=True, host="localhost").start()
