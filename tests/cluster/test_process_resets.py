"""Resets of clusters in processes: as those in one process, and what is left when a node dies in the middle."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Collection
from pathlib import Path

import pytest

from kafkacompat import Cluster, KafkaCompatError, StartupError
from kafkacompat.cluster.half_reset import half_reset_file
from kafkacompat.cluster.layout import HALF_RESET_FILE
from kafkacompat.cluster.process_resets import ProcessResets
from kafkacompat.protocol import error_codes as errors
from kafkacompat.server.filling import Fill
from kafkacompat.storage.fs import TEMPORARY_SUFFIX
from tests.cluster.test_state import init_producer_id, produce
from tests.control_api.harness import Api
from tests.metadata_client import partition_counts
from tests.raw_client import RawClient
from tests.waiting import wait_until

SEEDED = {"orders": [{"key": "a", "value": "1"}, {"key": "b", "value": "2"}]}
QUICK = {"controller.quorum.election.timeout.ms": 300}


def values(kafka: Cluster) -> list[bytes]:
    return sorted(record.value or b"" for record in kafka.records("orders"))


def pids(kafka: Cluster) -> list[int | None]:
    return [broker.pid for broker in kafka.brokers]


def test_nodes_are_as_after_their_start_and_keep_their_clients() -> None:
    with Cluster(brokers=3, processes=True, topics={"orders": (3, 3)}, records=SEEDED, config=QUICK) as kafka:
        before = kafka.bootstrap_servers, kafka.cluster_id, kafka.data_dir, pids(kafka)
        ids = {kafka.topics()["orders"].topic_id}
        with RawClient(kafka.bootstrap_servers.split(",")[0], "leaked") as client:
            client.ask("api_versions", 18, 3, client_software_name="raw", client_software_version="1")
            given = [init_producer_id(client)]
            for _ in range(2):
                kafka.create_topics({"more": (2, 2)})
                fault = kafka.faults.add(when={"api": "metadata"}, observe=True)
                kafka.delay(1, 2, 5)
                kafka.clock.advance(days=3)
                left = kafka.reset()
                assert [each.client_id for each in left.connections] == ["leaked"]
                assert (list(kafka.faults), fault.as_dict()["has_ended"]) == ([], True)
                assert abs(kafka.clock.view.offset_ms) < 60_000
                given.append(init_producer_id(client))
                ids.add(kafka.topics()["orders"].topic_id)
                assert (list(kafka.topics()), values(kafka)) == (["orders"], [b"1", b"2"])
            api = Api(kafka.control_url)
            assert api.get("/v1/links") == {"links": []}
            kafka.create_topics({"kept": (2, 2)})
            done = api.send("POST", "/v1/reset", {"keep": ["topics"], "close_connections": True})
            assert (done.status, [each["client_id"] for each in done.body["connections"]]) == (200, ["leaked"])
            assert api.send("POST", "/v1/reset", {"part": "drop"}).status == 400
            assert (sorted(kafka.topics()), values(kafka)) == (["kept", "orders"], [b"1", b"2"])
            with pytest.raises((AssertionError, OSError), match=r"closed|reset"):
                client.ask("api_versions", 18, 3, client_software_name="raw", client_software_version="1")
            api.close()
        assert (kafka.bootstrap_servers, kafka.cluster_id, kafka.data_dir, pids(kafka)) == before
        assert len(ids) == len(given) == len(set(given)) == 3
        assert kafka._layout is not None
        assert not Path(half_reset_file(kafka._layout)).exists()


def test_one_node_and_dedicated_controllers_are_reset() -> None:
    for controllers in (0, 1):
        with Cluster(processes=True, controllers=controllers, topics=["orders"]) as kafka:
            kafka.reset_with({"events": 2})
            assert sorted(kafka.topics()) == ["events", "orders"]
            with RawClient(kafka.bootstrap_servers) as client:
                assert produce(client, "orders") == (errors.NONE, 0)
                kafka.reset()
                assert produce(client, "orders") == (errors.NONE, 0)
            assert list(kafka.topics()) == ["orders"]


def test_what_cannot_be_reset_is_refused_before_anything_changes(tmp_path: Path) -> None:
    with Cluster(brokers=2, processes=True, data_dir=tmp_path / "data", topics=["orders"], config=QUICK) as kafka:
        kafka.create_topics(["more"])
        with pytest.raises(KafkaCompatError, match="say so with delete_data=True"):
            kafka.reset()
        own = Api(kafka.control_urls[1])
        for body, says in (
            ({}, "ask the control API of the process that started"),
            ({"part": "renew"}, "not the next"),
        ):
            refused = own.send("POST", "/v1/reset", {"delete_data": True, **body})
            assert (refused.status, says in refused.body["detail"]) == (409, True)
        own.close()
        kafka.pause(2)
        with pytest.raises(KafkaCompatError, match=r"needs all nodes: start 2 with restart\(2\)"):
            kafka.reset(delete_data=True)
        kafka.resume(2)
        running, in_the_way = pids(kafka), tmp_path / "data" / f"{HALF_RESET_FILE}{TEMPORARY_SUFFIX}"
        in_the_way.mkdir()
        with pytest.raises(KafkaCompatError, match="cannot be written"):
            kafka.reset(delete_data=True)
        in_the_way.rmdir()
        assert pids(kafka) == running
        assert sorted(kafka.topics()) == ["more", "orders"]
        kafka.reset(delete_data=True)
        assert list(kafka.topics()) == ["orders"]
    with Cluster(brokers=2, processes=True, data_dir=tmp_path / "data") as kafka:
        assert partition_counts(kafka.bootstrap_servers.split(",")[0], ["orders"]) == {"orders": 1}


@pytest.mark.parametrize("has_data_dir", [False, True])
def test_a_node_that_is_killed_in_the_middle_leaves_a_cluster_that_says_so(
    tmp_path: Path, has_data_dir: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    data_dir = tmp_path / "data" if has_data_dir else None
    victims: list[int] = []
    begin = ProcessResets.begin

    def begin_and_kill(self: ProcessResets, node_ids: Collection[int], snapshot: str | None) -> Fill:
        fill = begin(self, node_ids, snapshot)

        def kill_and_fill() -> int:
            for pid in victims:
                os.kill(pid, signal.SIGKILL)
            return fill.run()

        return Fill(kill_and_fill, fill.close)

    monkeypatch.setattr(ProcessResets, "begin", begin_and_kill)
    with Cluster(brokers=3, processes=True, data_dir=data_dir, records=SEEDED, config=QUICK) as kafka:
        cluster_id = kafka.cluster_id
        kafka.create_topics(["more"])
        pid = kafka.brokers[1].pid
        assert pid is not None
        victims.append(pid)
        with pytest.raises(KafkaCompatError, match="the cluster is not reset, and its nodes have ended"):
            kafka.reset(delete_data=True)
        assert pids(kafka) == [None] * 3, "some nodes have former data, and some have none"
        for start in (lambda: kafka.restart(1), kafka.restart):
            with pytest.raises(KafkaCompatError, match="failed half way"):
                start()
        victims.clear()
        kafka.stop()
        kafka.start()
        assert (list(kafka.topics()), values(kafka)) == (["orders"], [b"1", b"2"])
        assert (kafka.cluster_id == cluster_id) == has_data_dir
        kafka.reset(delete_data=True)
        assert values(kafka) == [b"1", b"2"]


def test_a_start_ends_the_reset_that_its_parent_did_not_survive(tmp_path: Path) -> None:
    where = tmp_path / "data"
    with Cluster(brokers=2, processes=True, data_dir=where, topics=["orders"], config=QUICK) as kafka:
        cluster_id = kafka.cluster_id
        kafka.create_topics(["more"])
        node = Path(kafka.brokers[0].data_dir)
        (node / "notes.txt").write_text("of somebody else")
    (where / HALF_RESET_FILE).write_text(json.dumps({"snapshot": None}))
    with Cluster(brokers=2, processes=True, data_dir=where, topics=["orders"], config=QUICK) as kafka:
        assert (list(kafka.topics()), kafka.cluster_id) == (["orders"], cluster_id)
        assert (node / "notes.txt").exists()
        assert not (where / HALF_RESET_FILE).exists()
    (where / HALF_RESET_FILE).write_text(json.dumps({"snapshot": "/x/it.tar"}))
    with pytest.raises(StartupError, match=r"was to go back to the snapshot /x/it\.tar"):
        Cluster(brokers=2, processes=True, data_dir=where).start()
    for damaged in ("", "{}", "[]"):
        (where / HALF_RESET_FILE).write_text(damaged)
        with pytest.raises(StartupError, match="is damaged"):
            Cluster(brokers=2, processes=True, data_dir=where).start()
    assert (node / "meta.properties").exists(), "its data are not deleted"


def test_a_node_that_dies_before_it_is_told_leaves_no_wait() -> None:
    with Cluster(brokers=2, processes=True, topics=["orders"], config=QUICK) as kafka:
        kafka.kill(2)
        with pytest.raises(KafkaCompatError, match=r"needs all nodes: start 2"):
            kafka.reset()
        kafka.restart(2)
        kafka.reset()
        wait_until(lambda: list(kafka.topics()) == ["orders"])
