"""`python -m benchmarks.small_requests CHECKOUT CHECKOUT`: CPU time of a small request, in two states of the code.

Both brokers and the client share one core, and bursts alternate between the brokers, so that both have the same caches
and clock speed. Time is what the scheduler counted for the broker's threads. Requests: a produce whose shape is known,
one to two partitions, which has no shape, and a fetch of one batch.
"""

from __future__ import annotations

import argparse
import os
import socket
import statistics
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.sessions import create
from compat_tests.api.raw import RawClient
from compat_tests.broker_process import free_port, remove_directory, scratch_directory
from kafkacompat.protocol.headers import RequestHeader, encode_request_header
from kafkacompat.protocol.messages import fetch, produce
from kafkacompat.protocol.records.builder import Record, build_batch

TOPIC = "t"
START_TIMEOUT_S = 60
PRODUCE_VERSION, FETCH_VERSION = 9, 12
BATCH = build_batch([Record(0, 1_700_000_000_000, None, b"x" * 100)])


def _production(partitions: int) -> produce.ProduceRequest:
    data = [produce.PartitionProduceData(index, BATCH) for index in range(partitions)]
    return produce.ProduceRequest(
        acks=1, timeout_ms=5_000, topic_data=[produce.TopicProduceData(TOPIC, partition_data=data)]
    )


def _fetch() -> fetch.FetchRequest:
    partition = fetch.FetchPartition(0, -1, 0, partition_max_bytes=1)
    return fetch.FetchRequest(max_bytes=1, session_epoch=-1, topics=[fetch.FetchTopic(TOPIC, partitions=[partition])])


def _frame(module: Any, version: int, request: object) -> bytes:
    parts: list[Any] = [encode_request_header(RequestHeader(module.API_KEY, version, 1, "bench"))]
    module.encode_request(request, version, parts)
    frame = b"".join(map(bytes, parts))
    return len(frame).to_bytes(4, "big") + frame


FRAMES = {
    "produce by shape": _frame(produce, PRODUCE_VERSION, _production(1)),
    "produce to two": _frame(produce, PRODUCE_VERSION, _production(2)),
    "fetch": _frame(fetch, FETCH_VERSION, _fetch()),
}


class Broker:
    """A broker of one checkout, and a connection to it."""

    def __init__(self, checkout: Path, directory: Path) -> None:
        self.name = str(checkout)
        port = free_port()
        arguments = ["serve", "--port", str(port), "--data-dir", str(directory), "--log-level", "error"]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "kafkacompat", *arguments], cwd=checkout,
            env={**os.environ, "PYTHONPATH": str(checkout)}, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        until = time.monotonic() + START_TIMEOUT_S
        while True:
            with suppress(OSError), RawClient(f"127.0.0.1:{port}") as client:
                create(client, TOPIC, 2)
                break
            if time.monotonic() > until:
                raise TimeoutError(f"the broker of {checkout} does not start")
            time.sleep(0.1)
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def burst(self, frame: bytes, count: int) -> float:
        """CPU time of a request, in µs: the mean of so many."""
        before_ns = self._cpu_ns()
        for _ in range(count):
            self._socket.sendall(frame)
            size = int.from_bytes(self._receive(4), "big")
            self._receive(size)
        return (self._cpu_ns() - before_ns) / 1000 / count

    def _receive(self, size: int) -> bytes:
        found = b""
        while len(found) < size:
            piece = self._socket.recv(size - len(found))
            if not piece:
                raise ConnectionError("the broker closed the connection")
            found += piece
        return found

    def _cpu_ns(self) -> int:
        tasks = Path(f"/proc/{self._process.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks)

    def stop(self) -> None:
        self._socket.close()
        self._process.terminate()
        self._process.wait(60)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.small_requests", description=__doc__)
    parser.add_argument("checkouts", nargs=2, type=Path)
    parser.add_argument("--rounds", type=int, default=10, help="of bursts to each broker (default: %(default)s)")
    parser.add_argument("--count", type=int, default=4_000, help="requests in a burst (default: %(default)s)")
    options = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # which the brokers inherit
    directories = [scratch_directory("small-requests-") for _ in options.checkouts]
    brokers: list[Broker] = []
    try:
        for checkout, directory in zip(options.checkouts, directories, strict=True):
            brokers.append(Broker(checkout.resolve(), directory))
        for name, frame in FRAMES.items():
            _compare(name, frame, brokers, options.rounds, options.count)
    finally:
        for broker in brokers:
            broker.stop()
        for directory in directories:
            remove_directory(directory)
    return 0


def _compare(name: str, frame: bytes, brokers: list[Broker], rounds: int, count: int) -> None:
    took: list[tuple[float, float]] = []
    for number in range(rounds + 1):
        order = brokers if number % 2 else brokers[::-1]
        found = {broker.name: broker.burst(frame, count) for broker in order}
        if number:  # the first one warms up
            took.append((found[brokers[0].name], found[brokers[1].name]))
    first, second = (statistics.median(column) for column in zip(*took, strict=True))
    change = statistics.median(after - before for before, after in took)
    print(f"{name}: {first:.2f} µs, {second:.2f} µs; median of the differences in pairs {change:+.2f} µs")


if __name__ == "__main__":
    sys.exit(main())
