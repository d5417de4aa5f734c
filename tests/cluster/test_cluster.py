"""`Cluster`: ready when the call returns, and gone without a trace."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from kafkacompat import Cluster, KafkaCompatError, StartupError
from tests.cli.processes import ask_api_versions
from tests.cluster.leftovers import nothing_left
from tests.metadata_client import partition_counts


@pytest.fixture(autouse=True)
def leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with nothing_left(tmp_path / "scratch", monkeypatch):
        yield


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_a_with_block(loop: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAFKACOMPAT_LOOP", loop)
    with Cluster(topics={"orders": 3, "events": 1}) as kafka:
        assert ask_api_versions(kafka.bootstrap_servers)
        assert partition_counts(kafka.bootstrap_servers, ["orders", "events"]) == {"orders": 3, "events": 1}
        assert len(kafka.cluster_id) == 22
        assert Path(kafka.data_dir).is_dir()
    with pytest.raises(KafkaCompatError, match="is not running"):
        _ = kafka.bootstrap_servers


def test_an_async_with_block_leaves_no_task() -> None:
    async def main() -> None:
        async with Cluster(topics=["orders"]) as kafka:
            # A blocking client on the user's loop: the broker's loop is another one.
            assert partition_counts(kafka.bootstrap_servers, ["orders"]) == {"orders": 1}
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


def test_a_decorator_gives_a_fresh_cluster_to_each_call() -> None:
    ids = []

    @Cluster(topics={"orders": 2})
    def use(word: str, *, kafka: Cluster) -> str:
        ids.append(kafka.cluster_id)
        assert partition_counts(kafka.bootstrap_servers, ["orders"]) == {"orders": 2}
        return word

    assert [use("a"), use(word="b")] == ["a", "b"]
    assert len(set(ids)) == 2


def test_a_decorator_on_a_coroutine() -> None:
    @Cluster()
    async def use(*, kafka: Cluster) -> bytes:
        return ask_api_versions(kafka.bootstrap_servers)

    assert asyncio.run(use())


def test_start_and_stop_by_hand_and_again() -> None:
    cluster = Cluster()
    for _ in range(2):
        assert cluster.start() is cluster
        assert ask_api_versions(cluster.bootstrap_servers)
        with pytest.raises(KafkaCompatError, match="is already running"):
            cluster.start()
        cluster.stop()
        cluster.stop()
    assert repr(cluster) == "<Cluster stopped>"


def test_several_at_once() -> None:
    with Cluster() as one, Cluster() as other:
        assert one.bootstrap_servers != other.bootstrap_servers
        assert one.cluster_id != other.cluster_id


@pytest.mark.parametrize("clean", [True, False])
def test_a_restart_keeps_address_and_data(clean: bool) -> None:
    with Cluster(topics={"orders": 3}) as kafka:
        before = (kafka.bootstrap_servers, kafka.cluster_id, kafka.data_dir)
        kafka.restart(clean=clean)
        assert (kafka.bootstrap_servers, kafka.cluster_id, kafka.data_dir) == before
        assert partition_counts(kafka.bootstrap_servers, ["orders"]) == {"orders": 3}


def test_a_data_directory_of_ones_own_stays(tmp_path: Path) -> None:
    ids = set()
    for _ in range(2):
        with Cluster(topics={"orders": 3}, data_dir=tmp_path / "data") as kafka:
            ids.add(kafka.cluster_id)
            assert partition_counts(kafka.bootstrap_servers, ["orders"]) == {"orders": 3}
    assert len(ids) == 1


def test_config_reaches_the_broker() -> None:
    with Cluster(topics=["orders"], config={"num.partitions": 5, "auto.create.topics.enable": False}) as kafka:
        assert partition_counts(kafka.bootstrap_servers, ["orders", "other"]) == {"orders": 5}


@pytest.mark.parametrize(
    ("client", "key"),
    [
        ("confluent", "bootstrap.servers"), ("java", "bootstrap.servers"), ("kafka-python", "bootstrap_servers"),
        ("aiokafka", "bootstrap_servers"), ("spark", "kafka.bootstrap.servers"),
    ],
)  # fmt: skip
def test_config_for_clients(client: str, key: str) -> None:
    with Cluster() as kafka:
        assert kafka.config_for(client) == {key: kafka.bootstrap_servers}
        with pytest.raises(KafkaCompatError, match="confluent"):
            kafka.config_for("carrier pigeon")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"config": {"num.partitions": "many"}}, "num.partitions"),
        ({"topics": {"not a name": 1}}, "not a name"),
        ({"topics": {"orders": -7}}, "orders"),
        ({"host": "192.0.2.1"}, "192.0.2.1"),
        ({"config": {"super.users": "User:me"}}, "super.users: there is no authorizer"),
        ({"config": {"listeners": "SSL://:9093"}}, "listener SSL"),
        ({"config": {"authorizer.class.name": "x"}, "brokers": 2}, "authorizer.class.name"),
        ({"config": {"listener.name.controller.ssl.provider": "x"}, "brokers": 2, "processes": True}, "no TLS"),
    ],
)
def test_what_cannot_start_says_why_and_leaves_nothing(options: dict, words: str) -> None:
    cluster = Cluster(**options)
    with pytest.raises(KafkaCompatError, match=words) as caught:
        cluster.start()
    assert "\n" not in str(caught.value)


def test_a_taken_port_and_a_locked_directory(tmp_path: Path) -> None:
    with Cluster(data_dir=tmp_path / "data") as kafka:
        port = int(kafka.bootstrap_servers.rsplit(":", 1)[1])
        with pytest.raises(StartupError, match="taken"):
            Cluster(port=port).start()
        with pytest.raises(StartupError, match="data"):
            Cluster(data_dir=tmp_path / "data").start()
        assert ask_api_versions(kafka.bootstrap_servers)


def test_no_broker_is_refused_clearly() -> None:
    with pytest.raises(KafkaCompatError, match="data_dir is empty: give a directory"):
        Cluster(data_dir="")
    with pytest.raises(KafkaCompatError, match="host is empty: give an address"):
        Cluster(host="")
    for port in (-1, 65_536):
        with pytest.raises(KafkaCompatError, match=f"port={port}: give one up to 65535"):
            Cluster(port=port)
    for stop_timeout_s in (-1.0, 0.0, float("nan")):
        with pytest.raises(KafkaCompatError, match=r"give seconds, at least 0\.1"):
            Cluster(processes=True, stop_timeout_s=stop_timeout_s)
    with pytest.raises(KafkaCompatError, match="brokers=0"):
        Cluster(brokers=0)


def test_a_name_instead_of_names_is_refused() -> None:
    with pytest.raises(KafkaCompatError, match="list"):
        Cluster(topics="orders")
