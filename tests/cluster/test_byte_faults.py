"""Responses that arrive in part, changed or slowly: on raw sockets, and how a real client takes them."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from kafkacompat import Cluster
from kafkacompat.protocol.messages.api_versions import ApiVersionsRequest
from kafkacompat.protocol.messages.metadata import MetadataRequest
from tests.asking import Asking

METADATA = MetadataRequest(topics=[])
API = {"api": "metadata"}


@pytest.fixture(scope="module")
def kafka() -> Iterator[Cluster]:
    with Cluster(topics=["orders"]) as cluster:
        yield cluster


@pytest.fixture
def whole(kafka: Cluster) -> bytes:
    """The response to METADATA as the first request of a connection."""
    with Asking(kafka.bootstrap_servers) as client:
        client.send(METADATA, 9)
        size = client.read(4)
        return size + client.read(int.from_bytes(size, "big"))


def everything(client: Asking) -> bytes:
    """What arrives until the connection ends."""
    data = b""
    while piece := client.sock.recv(65536):
        data += piece
    return data


def test_a_cut_response_ends_in_the_middle(kafka: Cluster, whole: bytes) -> None:
    with (
        kafka.faults.add(when=API, then={"cut": {"after_bytes": 10}}) as fault,
        Asking(kafka.bootstrap_servers) as client,
    ):
        client.send(METADATA, 9)
        assert everything(client) == whole[:10]
        assert fault.hits == 1


@pytest.mark.parametrize(
    ("corrupt", "expected"),
    [
        ({"bit": 0}, lambda whole: whole[:4] + bytes([whole[4] ^ 0x80]) + whole[5:]),
        ({"length": 1}, lambda whole: (len(whole) - 3).to_bytes(4, "big") + whole[4:]),
        ({"correlation_id": 99}, lambda whole: whole[:4] + bytes((0, 0, 0, 99)) + whole[8:]),
    ],
)
def test_a_corrupt_response_is_wrong_in_one_place_and_the_next_one_is_right(kafka, whole, corrupt, expected) -> None:
    with kafka.faults.add(when=API, then={"corrupt": corrupt}, times=1), Asking(kafka.bootstrap_servers) as client:
        client.send(METADATA, 9)
        client.send(METADATA, 9)
        assert client.read(len(whole)) == expected(whole)
        assert client.read(len(whole)) == whole[:4] + bytes((0, 0, 0, 2)) + whole[8:]
        state = kafka._call(1, lambda server: [type(each._sender).__name__ for each in server.connections])
        assert set(state) == {"Sender"}, "the connection has its own sender again"


@pytest.mark.parametrize("slow", [{"drip": {"piece": 8, "every_ms": 20}}, {"limit": {"bytes_per_s": 400}}])
def test_a_slow_response_is_whole_and_later_ones_wait_behind_it(kafka: Cluster, whole: bytes, slow: dict) -> None:
    with kafka.faults.add(when=API, then=slow, times=1), Asking(kafka.bootstrap_servers) as client:
        began = time.monotonic()
        client.send(METADATA, 9)
        client.send(ApiVersionsRequest("tests", "1"), 3)
        with Asking(kafka.bootstrap_servers) as other:
            other.ask(ApiVersionsRequest("tests", "1"), 3)  # nobody else waits
        assert client.read(len(whole)) == whole
        assert time.monotonic() - began >= 0.02 * (len(whole) // 8 - 1)
        assert client.receive(ApiVersionsRequest("tests", "1"), 3).error_code == 0


def test_a_client_that_leaves_while_a_response_drips_leaves_nothing_behind(kafka: Cluster) -> None:
    from tests.waiting import wait_until

    with kafka.faults.add(when=API, then={"drip": {"piece": 1, "every_ms": 1000}}):
        with Asking(kafka.bootstrap_servers) as client:
            client.send(METADATA, 9)
            client.read(1)
        wait_until(lambda: kafka._call(1, lambda server: len(server.connections)) == 0, what="it is closed")


@pytest.mark.parametrize(
    "then",
    [
        {"cut": {"after_bytes": 50}}, {"corrupt": {"correlation_id": 5}}, {"corrupt": {"length": 10}},
        {"drip": {"piece": 16, "every_ms": 5}}, {"limit": {"bytes_per_s": 2000}},
    ],
)  # fmt: skip
def test_a_real_client_gets_over_it(kafka: Cluster, then: dict) -> None:
    confluent_kafka = pytest.importorskip("confluent_kafka")
    errors: list[object] = []
    with kafka.faults.add(when={"api": "produce"}, then=then, times=1) as fault:
        settings = {"bootstrap.servers": kafka.bootstrap_servers, "socket.timeout.ms": 1000, "error_cb": errors.append}
        producer = confluent_kafka.Producer({**settings, "enable.idempotence": True})
        reports: list[object] = []
        producer.produce("orders", b"value", on_delivery=lambda error, _message: reports.append(error))
        assert producer.flush(30) == 0
        assert reports == [None], errors
        assert fault.hits >= 1
