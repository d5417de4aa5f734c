"""The proxy before a Kafka: what passes it, what it replaces, and what it captures."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from kafkacompat.client.client import Client
from kafkacompat.client.connection import Connection
from kafkacompat.client.producing import OutgoingRecord, Producer
from kafkacompat.cluster.cluster import Cluster
from kafkacompat.errors import KafkaCompatError
from kafkacompat.protocol import api_keys
from kafkacompat.protocol.messages import find_coordinator
from kafkacompat.traffic.capture_file import CLOSE, REQUEST, RESPONSE, CaptureFile
from kafkacompat.traffic.capture_proxy import NO_FRAMES, CaptureProxy
from kafkacompat.traffic.capture_writer import CaptureWriter
from tests.waiting import wait_until


@contextmanager
def proxy(path: Path, target: tuple[str, int], **options: Any) -> Iterator[CaptureProxy]:
    """One that runs on a thread."""
    writer = CaptureWriter(path, source="a test")
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    def run(coroutine: Any) -> None:
        asyncio.run_coroutine_threadsafe(coroutine, loop).result(30)

    found = CaptureProxy(writer, target, "127.0.0.1", 0, **options)
    try:
        run(found.start())
        yield found
        run(found.close())
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
        writer.close()


def target_of(kafka: Cluster) -> tuple[str, int]:
    host, _, port = kafka.bootstrap_servers.split(",")[0].rpartition(":")
    return host, int(port)


def entries(path: Path) -> list[Any]:
    with CaptureFile(path) as capture:
        return list(capture)


def test_clients_come_back_through_it_to_every_broker(tmp_path: Path) -> None:
    path = tmp_path / "a.kct"
    with Cluster(brokers=3, topics={"orders": (3, 1)}) as kafka:
        real = {int(address.rpartition(":")[2]) for address in kafka.bootstrap_servers.split(",")}
        with proxy(path, target_of(kafka)) as between:
            with Client(f"127.0.0.1:{between.port}", timeout_s=30) as client:
                told = {each.port for each in client.metadata(["orders"]).brokers}
                producer = Producer(client)
                for partition in range(3):
                    producer.send("orders", OutgoingRecord(b"k", b"v", partition=partition))
                producer.flush()
            with closing(Connection("127.0.0.1", between.port, client_id="c", timeout_s=30)) as connection:
                request = find_coordinator.FindCoordinatorRequest(coordinator_keys=["g"])
                answer = connection.call(find_coordinator, request, timeout_s=30)
                told |= {each.port for each in answer.coordinators if each.port > 0}
        assert len(kafka.records("orders")) == 3
    assert between.port in told
    assert not told & real, "no broker's own address reached the client"
    sent = [entry for entry in entries(path) if entry.kind == REQUEST and entry.api_key == api_keys.PRODUCE]
    assert len(sent) == 3


def test_its_capture_can_be_replayed(tmp_path: Path) -> None:
    path = tmp_path / "a.kct"
    with (
        Cluster(topics={"orders": 1}) as kafka,
        proxy(path, target_of(kafka)) as between,
        Client(f"127.0.0.1:{between.port}", timeout_s=30) as client,
    ):
        producer = Producer(client)
        producer.send("orders", OutgoingRecord(b"k", b"v"))
        producer.flush()
    with Cluster(topics={"orders": 1}) as kafka:
        report = kafka.replay(path)
        assert report.is_equal, report
        assert [record.value for record in kafka.records("orders")] == [b"v"]


def test_answers_are_captured_as_the_broker_gave_them(tmp_path: Path) -> None:
    path = tmp_path / "a.kct"
    with Cluster() as kafka, proxy(path, target_of(kafka), advertised_host="there.example") as between:
        with closing(Connection("127.0.0.1", between.port, client_id="c", timeout_s=30)) as connection:
            request = find_coordinator.FindCoordinatorRequest(key="g")

            def found() -> Any:
                answer: Any = connection.call(find_coordinator, request, timeout_s=30, max_version=2)
                return answer if answer.error_code == 0 else None

            wait_until(found)
            assert (found().host, found().port) == ("there.example", between.port)
        port = target_of(kafka)[1]
    last = [entry for entry in entries(path) if entry.kind == RESPONSE][-1]
    assert b"127.0.0.1" + port.to_bytes(4, "big") in last.payload


def peer_of(proxied: CaptureProxy) -> socket.socket:
    return socket.create_connection(("127.0.0.1", proxied.port), timeout=30)


def test_tls_is_refused_and_a_broker_that_is_away_too(tmp_path: Path) -> None:
    with Cluster() as kafka:
        with proxy(tmp_path / "a.kct", target_of(kafka)) as between, peer_of(between) as sock:
            sock.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc")
            assert sock.recv(1) == b""
        target = target_of(kafka)
    (closed,) = [entry for entry in entries(tmp_path / "a.kct") if entry.kind == CLOSE]
    assert "this is not Kafka's protocol without TLS" in closed.fields["reason"]
    with proxy(tmp_path / "b.kct", target) as between, peer_of(between) as sock, suppress(ConnectionResetError):
        assert sock.recv(1) == b""
    assert [entry.kind for entry in entries(tmp_path / "b.kct")] == [5]


def test_old_sasl_is_passed_on_and_not_captured(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    handshake = b"\0\x11\0\0\0\0\0\1\xff\xff\0\5PLAIN"
    secret = b"\0bob\0s3cret"

    def broker(server: socket.socket) -> None:
        sock, _ = server.accept()
        with sock:
            sock.recv(100)
            sock.sendall(b"\0\0\0\x0a\0\0\0\1\0\0\0\0\0\0")
            sock.sendall(b"echo:" + sock.recv(100))
            sock.recv(1)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=broker, args=(server,))
        thread.start()
        with proxy(tmp_path / "a.kct", server.getsockname()) as between, peer_of(between) as sock:
            sock.sendall(len(handshake).to_bytes(4, "big") + handshake)
            assert len(sock.recv(100)) == 14
            sock.sendall(len(secret).to_bytes(4, "big") + secret)
            assert sock.recv(100).endswith(secret)
        thread.join()
    assert secret not in (tmp_path / "a.kct").read_bytes()
    assert [entry.api_key for entry in entries(tmp_path / "a.kct") if entry.kind == REQUEST] == [17]
    assert NO_FRAMES in caplog.text


def test_a_port_that_is_taken_is_said_in_a_line(tmp_path: Path) -> None:
    async def start(port: int) -> None:
        await CaptureProxy(writer, ("127.0.0.1", 1), "127.0.0.1", port).start()

    writer = CaptureWriter(tmp_path / "a.kct", source="a test")
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(KafkaCompatError, match="Name another port"):
        asyncio.run(start(taken.getsockname()[1]))
    writer.close()
