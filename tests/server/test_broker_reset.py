"""A reset replaces the broker beneath its connections; a disk that fails then ends the node."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path

import pytest

from kafkacompat.errors import StartupError
from kafkacompat.server import broker_reset
from kafkacompat.server.broker_reset import BrokerReset
from kafkacompat.server.broker_server import BrokerServer
from kafkacompat.server.platform import Platform
from kafkacompat.server.settings import broker_config
from kafkacompat.storage.fs import Fs
from kafkacompat.storage.held_fs import HeldFs
from tests.server.harness import Client, binding
from tests.waiting import later_event, until

API_VERSIONS = bytes((0, 18, 0, 0, 0, 0, 0, 7, 0, 4)) + b"test"


async def started() -> BrokerServer:
    server = BrokerServer(broker_config({})[0], [binding("PLAINTEXT")])
    await server.start()
    return server


async def test_requests_of_a_reset_wait_for_the_new_broker_and_are_answered_by_it() -> None:
    server = await started()
    client = await Client.connect(server)
    answer = await client.ask(API_VERSIONS)
    former, cluster_id = server.broker, server.broker.cluster_id
    reset = BrokerReset(server)
    await reset.drop()
    assert not list(Path(server.data_dir).iterdir())
    assert not server.is_open
    client.send(API_VERSIONS)
    answered = asyncio.ensure_future(client.receive())
    await reset.renew(cluster_id=cluster_id, first_producer_id=5000)
    await later_event()
    assert server.is_open
    assert not answered.done()
    reset.serve_connections()
    assert await answered == answer
    assert server.broker is not former
    assert (server.broker.cluster_id, server.broker.image.next_producer_id) == (cluster_id, 5000)
    await client.close()
    await server.stop()


async def test_a_request_of_a_client_that_has_gone_is_not_carried_out(monkeypatch: pytest.MonkeyPatch) -> None:
    server = await started()
    client = await Client.connect(server)
    await client.ask(API_VERSIONS)
    (connection,) = server.connections
    reset = BrokerReset(server)
    await reset.drop()
    client.send(API_VERSIONS)
    await until(lambda: connection.in_flight_count)
    client.abort()
    await until(lambda: not len(server.connections))
    await reset.renew(cluster_id="MkU3OEVBNTcwNTJENDM2Qg", first_producer_id=0)
    dispatched: list[bytes] = []
    monkeypatch.setattr(server.broker, "dispatch", lambda frame, *_: dispatched.append(bytes(frame)))
    reset.serve_connections()
    assert dispatched == []
    await server.stop()


async def test_a_reset_moves_no_replicas_any_more() -> None:
    server = await started()
    moves = server.broker.alter_log_dirs
    assert not moves.is_stopped
    reset = BrokerReset(server)
    await reset.drop()
    assert moves.is_stopped
    await reset.renew(cluster_id="MkU3OEVBNTcwNTJENDM2Qg", first_producer_id=0)
    reset.serve_connections()
    assert not server.broker.alter_log_dirs.is_stopped
    await server.stop()


def fail(*_: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("call", ["rename", "mkdir"])
async def test_a_directory_that_cannot_be_emptied_ends_the_node(monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    server = await started()
    ended: list[str | None] = []
    server.on_failure = lambda: ended.append(server.failure)
    with monkeypatch.context() as patched:
        patched.setattr(os, call, fail)
        with pytest.raises(StartupError, match="No space left on device"):
            await BrokerReset(server).drop()
    assert ended == [f"data directory {server.data_dir}: No space left on device"]
    await server.stop()


async def test_a_broker_that_cannot_be_opened_ends_the_node(monkeypatch: pytest.MonkeyPatch) -> None:
    server = await started()
    ended: list[str | None] = []
    server.on_failure = lambda: ended.append(server.failure)
    reset = BrokerReset(server)
    await reset.drop()
    with monkeypatch.context() as patched:
        patched.setattr(os, "mkdir", fail)
        with pytest.raises(StartupError, match="No space left on device"):
            await reset.renew(cluster_id="MkU3OEVBNTcwNTJENDM2Qg", first_producer_id=0)
    assert ended == [
        f"data directory {server.data_dir} cannot be used (No space left on device): choose another (--data-dir, "
        "log.dirs)"
    ]
    await server.stop()


async def test_a_reset_makes_two_files_and_reads_none(monkeypatch: pytest.MonkeyPatch) -> None:
    platform = Platform()
    platform.temporary_files = HeldFs
    server = BrokerServer(broker_config({})[0], [binding("PLAINTEXT")], platform=platform)
    await server.start()
    reset = BrokerReset(server)
    cluster_id = server.broker.cluster_id
    await reset.drop()
    read: list[str] = []
    written: list[str] = []
    open_file = os.open

    def opened(path: str, flags: int, *rest: int) -> int:
        descriptor = open_file(path, flags, *rest)
        (written if flags & (os.O_WRONLY | os.O_RDWR) else read).append(path.removeprefix(server.data_dir))
        return descriptor

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", opened)
        await reset.renew(cluster_id=cluster_id, first_producer_id=0)
    reset.serve_connections()
    await server.stop()
    assert (read, written) == ([], ["/.lock", "/__cluster_metadata-0/00000000000000000000.log"])


async def test_a_directory_of_the_user_is_emptied_beside_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = BrokerServer(broker_config({})[0], [binding("PLAINTEXT")], str(tmp_path), keeps_data=True)
    await server.start()
    threads = []
    emptied = broker_reset.empty

    def empty(files: Fs, path: str) -> None:
        threads.append(threading.get_ident())
        emptied(files, path)

    monkeypatch.setattr(broker_reset, "empty", empty)
    reset = BrokerReset(server)
    cluster_id = server.broker.cluster_id
    await reset.drop()
    await reset.renew(cluster_id=cluster_id, first_producer_id=0)
    reset.serve_connections()
    await server.stop()
    assert len(threads) == 1
    assert threads != [threading.get_ident()]
