"""Run as a child: how long a test waits for a broker inside its own process, to the first acknowledged write."""

from __future__ import annotations

import json
import socket
import struct
import time

from kafkacompat import Cluster
from kafkacompat.protocol.headers import RequestHeader, decode_response_header, encode_request_header
from kafkacompat.protocol.messages import produce
from kafkacompat.protocol.records.builder import Record, build_batch

STARTS = 8
PRODUCE, VERSION, ALL = 0, 9, -1


def frame() -> bytes:
    """One record for partition 0 of the topic `first`, acks=all."""
    batch = build_batch([Record(0, int(time.time() * 1000), None, b"x" * 100)])
    partition = produce.PartitionProduceData(index=0, records=memoryview(batch))
    topic = produce.TopicProduceData(name="first", partition_data=[partition])
    request = produce.ProduceRequest(acks=ALL, timeout_ms=10_000, topic_data=[topic])
    out: list[object] = []
    produce.encode_request(request, VERSION, out)
    body = encode_request_header(RequestHeader(PRODUCE, VERSION, 1, "benchmark")) + b"".join(out)  # type: ignore[arg-type]
    return struct.pack(">i", len(body)) + body


def first_ack(request: bytes) -> float:
    """Seconds from starting a cluster to its first acknowledgement."""
    start = time.perf_counter()
    with Cluster(topics={"first": 1}) as kafka:
        host, _, port = kafka.bootstrap_servers.rpartition(":")
        with socket.create_connection((host, int(port))) as peer:
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            peer.sendall(request)
            size = struct.unpack(">i", peer.recv(4, socket.MSG_WAITALL))[0]
            answer = peer.recv(size, socket.MSG_WAITALL)
        took = time.perf_counter() - start
    _, position = decode_response_header(answer, flexible=True)
    response = produce.decode_response(answer, position, VERSION)
    error = response.responses[0].partition_responses[0].error_code
    assert error == 0, f"the write was refused with error {error}"
    return took


def main() -> None:
    """Print the seconds of each start as JSON; the first one pays for imports."""
    request = frame()
    print(json.dumps([first_ack(request) for _ in range(STARTS)]))
