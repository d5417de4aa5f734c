"""Snapshots of nodes in several processes: all are copied in one moment, kept by their parent, gone back to."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kafkacompat import Cluster, KafkaCompatError, StartupError
from kafkacompat.cluster.process_resets import ProcessResets
from kafkacompat.control_api.resources import snapshot_resources
from kafkacompat.protocol import error_codes as errors
from kafkacompat.server.barrier import Barrier
from kafkacompat.server.filling import Fill
from tests.cluster.test_state import produce
from tests.control_api.harness import Answered, Api
from tests.raw_client import RawClient
from tests.waiting import wait_until

RECORDS = {"orders": [{"key": "a", "value": "1"}]}
TOPICS = {"orders": (3, 3)}
QUICK = {"controller.quorum.election.timeout.ms": 300}
DAY_MS = 86_400_000
BROKERS = {"brokers": 3, "processes": True, "config": QUICK}


def values(kafka: Cluster, topic: str = "orders") -> list[bytes]:
    return sorted(record.value or b"" for record in kafka.records(topic))


@contextmanager
def serving(**options: Any) -> Iterator[tuple[Cluster, Api]]:
    with Cluster(**options) as kafka:
        api = Api(kafka.control_url)
        try:
            yield kafka, api
        finally:
            api.close()


@pytest.mark.parametrize("controllers", [0, 1])
def test_nodes_go_back_to_a_snapshot_in_place_and_start_from_its_file(tmp_path: Path, controllers: int) -> None:
    with serving(**BROKERS, controllers=controllers, topics=TOPICS, records=RECORDS) as (kafka, api):
        assert api.get("/v1/snapshots") == {"snapshots": []}
        kafka.clock.advance(days=3)
        kafka.snapshot(tmp_path / "it.tar.zst")
        assert api.get("/v1/snapshots") == {"snapshots": []}, "the copy is left"
        taken = api.send("POST", "/v1/snapshots", {})
        assert taken.status == 201
        assert taken.body["node_ids"] == sorted(kafka._running().node_ids())
        for url in kafka.control_urls.values():
            own = Api(url)
            assert own.get("/v1/snapshots") == {"snapshots": []}, "the copy of a node is left"
            own.close()
        place = f"/v1/snapshots/{taken.body['snapshot_id']}"
        assert api.get(place) == taken.body
        before = [broker.pid for broker in kafka.brokers], kafka.cluster_id, kafka.topics()["orders"].topic_id
        with RawClient(kafka.bootstrap_servers.split(",")[0]) as client:
            client.ask("metadata", 3, 1, topics=None)
            for _ in range(2):
                api.send("POST", "/v1/topics/orders/records", {"records": [{"value": "2"}]})
                kafka.create_topics(["more"])
                done = api.send("POST", f"{place}/restore", {})
                assert (done.status, len(done.body["connections"])) == (200, 1)
                assert (list(kafka.topics()), values(kafka)) == (["orders"], [b"1"])
                assert abs(kafka.clock.view.offset_ms - 3 * DAY_MS) < 60_000
                client.ask("metadata", 3, 1, topics=None)
        assert before == (
            [broker.pid for broker in kafka.brokers], kafka.cluster_id, kafka.topics()["orders"].topic_id
        )  # fmt: skip
        api.connection.request("GET", f"{place}/file")
        (tmp_path / "sent.tar").write_bytes(api.connection.getresponse().read())
        path = Path(taken.body["path"])
        assert api.send("DELETE", place).body == taken.body
        assert not path.exists()
        left = Path(api.send("POST", "/v1/snapshots", {}).body["path"])
        assert left.exists()
    assert not left.parent.exists(), "snapshots outlive their cluster"
    for name, processes in (("it.tar.zst", True), ("sent.tar", False)):
        with Cluster.restore(tmp_path / name, processes=processes, config=QUICK) as restored:
            assert values(restored) == [b"1"]
            restored.create_topics(["more"])
            restored.reset()
            assert (list(restored.topics()), values(restored)) == (["orders"], [b"1"])
            assert abs(restored.clock.view.offset_ms - 3 * DAY_MS) < 60_000


def test_what_was_acknowledged_before_is_in_it_on_all_replicas_while_clients_write(tmp_path: Path) -> None:
    acknowledged: dict[str, int] = {}
    is_over = threading.Event()

    def write(topic: str, address: str) -> None:
        with RawClient(address) as client:
            while not is_over.is_set():
                code, offset = produce(client, topic)
                assert code == errors.NONE
                acknowledged[topic] = offset

    with Cluster(**BROKERS) as kafka:
        kafka.create_topics({f"t{number}": (1, 3) for number in range(3)})
        leaders = {topic: kafka.topics()[topic].partitions[0].leader for topic in ("t0", "t1", "t2")}
        address_of = {broker.id: broker.address for broker in kafka.brokers}
        writers = [threading.Thread(target=write, args=(t, address_of[leader])) for t, leader in leaders.items()]
        for writer in writers:
            writer.start()
        wait_until(lambda: len(acknowledged) == 3)
        ends: list[dict[str, int]] = []
        for number in range(3):
            ends.append(dict(acknowledged))
            kafka.snapshot(tmp_path / f"{number}.tar")
            after = dict(acknowledged)
            wait_until(lambda after=after: all(acknowledged[topic] > end for topic, end in after.items()))  # type: ignore[misc]
        is_over.set()
        for writer in writers:
            writer.join()
    for number, at_least in enumerate(ends):
        with Cluster.restore(tmp_path / f"{number}.tar", config=QUICK) as restored:
            for topic, offset in at_least.items():
                assert len(values(restored, topic)) > offset, "an acknowledged record is lost"


def test_a_node_at_a_barrier_serves_nobody_until_all_are_there_or_it_is_given_up() -> None:
    async def scenario(kafka: Cluster, count: int) -> tuple[bool, int]:
        url, address = kafka.control_urls[1], kafka.brokers[0].address
        api = Api(url)
        with RawClient(address) as client:
            seen, taken = await at_barrier(api, client, count)
        if taken.status == 201:
            api.send("DELETE", f"/v1/snapshots/{taken.body['snapshot_id']}")
        else:
            assert taken.body["type"] == "urn:kafkacompat:problem:not-together"
        assert api.get("/v1/snapshots") == {"snapshots": []}
        api.close()
        return seen, taken.status

    async def at_barrier(api: Api, client: RawClient, count: int) -> tuple[bool, Answered]:
        async with Barrier(count) as barrier:
            body = {"barrier": {"port": barrier.port, "token": barrier.token}}
            taking = asyncio.create_task(asyncio.to_thread(api.send, "POST", "/v1/snapshots", body))
            while not barrier._there and not taking.done():
                await asyncio.sleep(0)
            asking = asyncio.create_task(asyncio.to_thread(client.ask, "metadata", 3, 1, topics=None))
            if count == 2:
                await asyncio.wait([asking], timeout=0.2)
            is_served = asking.done()
        await asking
        return is_served, await taking

    with Cluster(brokers=2, processes=True, config=QUICK) as kafka:
        assert asyncio.run(scenario(kafka, 1))[1] == 201
        assert asyncio.run(scenario(kafka, 2)) == (False, 409)


def test_what_cannot_be_is_refused_before_anything_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(brokers=2, processes=True, config=QUICK, records=RECORDS) as (kafka, api):
        taken = api.send("POST", "/v1/snapshots", {}).body
        place = f"/v1/snapshots/{taken['snapshot_id']}"
        own = Api(kafka.control_urls[1])
        for refused in (
            own.send("POST", "/v1/snapshots", {}),
            own.send("PUT", "/v1/snapshots/saved/file", raw=b"x", headers={"content-type": "application/x-tar"}),
        ):
            assert (refused.status, "ask the control API of the process" in refused.body["detail"]) == (409, True)
        own.close()
        assert api.send("POST", "/v1/snapshots", {"barrier": {"port": 1, "token": "x"}}).status == 400
        assert api.send("POST", "/v1/snapshots/77/restore", {}).status == 404
        whole = Path(taken["path"]).read_bytes()
        Path(taken["path"]).write_bytes(whole[: len(whole) // 2])
        assert api.send("POST", f"{place}/restore", {}).status == 409
        Path(taken["path"]).write_bytes(whole)
        kafka.pause(2)
        for path in ("/v1/snapshots", f"{place}/restore"):
            assert api.send("POST", path, {}).status == 409
        with pytest.raises(KafkaCompatError, match="node 2 does not run, or is paused"):
            kafka.snapshot(tmp_path / "it.tar")
        kafka.resume(2)
        monkeypatch.setattr(snapshot_resources, "KEPT_MAX", 1)
        assert "kept already" in api.send("POST", "/v1/snapshots", {}).body["detail"]
        assert values(kafka) == [b"1"]
        assert api.send("POST", f"{place}/restore", {}).status == 200
        assert values(kafka) == [b"1"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("has_data_dir", [False, True])
def test_a_node_that_is_killed_in_the_middle_of_a_restore_leaves_the_snapshot(
    tmp_path: Path, has_data_dir: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    data_dir = tmp_path / "data" if has_data_dir else None
    begin, victims = ProcessResets.begin, list[int]()

    def begin_and_kill(self: ProcessResets, node_ids: Collection[int], snapshot: str | None) -> Fill:
        fill = begin(self, node_ids, snapshot)

        def kill_and_fill() -> int:
            for pid in victims:
                os.kill(pid, signal.SIGKILL)
            return fill.run()

        return Fill(kill_and_fill, fill.close)

    monkeypatch.setattr(ProcessResets, "begin", begin_and_kill)
    with serving(**BROKERS, data_dir=data_dir, records=RECORDS) as (kafka, api):
        taken = api.send("POST", "/v1/snapshots", {}).body
        kafka.create_topics(["more"])
        pid = kafka.brokers[1].pid
        assert pid is not None
        victims.append(pid)
        failed = api.send("POST", f"/v1/snapshots/{taken['snapshot_id']}/restore", {"delete_data": True})
        assert (failed.status, failed.body["type"]) == (409, "urn:kafkacompat:problem:reset-failed")
        assert [broker.pid for broker in kafka.brokers] == [None] * 3
        advice = "in another directory" if has_data_dir else "it then begins as new"
        assert advice in failed.body["detail"]
        victims.clear()
        kafka.stop()
        kept = Path(taken["path"])
        assert kept.exists() == has_data_dir, "nothing else is left of the data"
        if has_data_dir:
            with pytest.raises(StartupError, match="was to go back to the snapshot"):
                kafka.start()
            with Cluster.restore(kept, processes=True, data_dir=tmp_path / "other", config=QUICK) as restored:
                assert values(restored) == [b"1"]
            kept.unlink()
            kept.parent.rmdir()
        else:
            kafka.start()
            assert values(kafka) == [b"1"]


def test_no_node_keeps_a_directory_that_a_kill_would_leave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # of the processes
    with Cluster(brokers=2, processes=True, config=QUICK) as kafka:
        kafka.snapshot(tmp_path / "it.tar")
        assert list(tmp_path.glob(f"{snapshot_resources.PREFIX}*")) == []
        kafka.snapshot(tmp_path / "it.tar")
        kafka.kill(1)
    assert list(tmp_path.glob(f"{snapshot_resources.PREFIX}*")) == []


def test_the_copy_of_a_node_that_was_killed_is_removed(tmp_path: Path) -> None:
    kept = snapshot_resources.new_kept()
    path = Path(kept.path_of("1"))
    path.touch()
    snapshot_resources.remove_of_dead(str(path))
    assert not path.parent.exists()
    other = tmp_path / "1.tar"
    other.touch()
    snapshot_resources.remove_of_dead(str(other))
    assert other.exists(), "a directory of somebody else was removed"
    kept.check_room()
    assert Path(kept.directory).exists()
    kept.close()


def test_a_node_that_cannot_be_copied_lets_the_others_go_on(tmp_path: Path) -> None:
    with serving(brokers=2, processes=True, config=QUICK, records=RECORDS) as (kafka, api):
        own = Api(kafka.control_urls[2])
        for _ in range(snapshot_resources.KEPT_MAX):
            with_barrier_of_its_own(own)
        refused = api.send("POST", "/v1/snapshots", {})
        assert (refused.status, "kept already" in refused.body["detail"]) == (409, True), "what the other node says"
        assert api.get("/v1/snapshots") == {"snapshots": []}
        assert values(kafka) == [b"1"]
        own.send("DELETE", "/v1/snapshots/1")
        own.close()
        kafka.snapshot(tmp_path / "it.tar")


def with_barrier_of_its_own(own: Api) -> None:
    """A snapshot of one node alone, which it keeps."""

    async def take() -> None:
        async with Barrier(1) as barrier:
            body = {"barrier": {"port": barrier.port, "token": barrier.token}}
            assert (await asyncio.to_thread(own.send, "POST", "/v1/snapshots", body)).status == 201

    asyncio.run(take())
