"""`python -m benchmarks.sessions`: what a fetch costs whose session has thousands of partitions, of which few move.

One client fetches on and on, each time after one partition got a record; another one writes single records, first
alone, then beside it. A fetch's cost is the CPU time of the broker's process: a busy machine leaves that alone.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from benchmarks.measure import cpu_seconds, memory_mb
from benchmarks.peers import Peer, makers
from compat_tests.api.raw import RawClient
from kafkacompat.protocol.messages import create_topics, fetch, produce
from kafkacompat.protocol.records.builder import Record, build_batch

BROKERS = "kafkacompat-uvloop,kafkacompat-asyncio"
FETCH_VERSION, PRODUCE_VERSION, CREATE_VERSION = 12, 9, 7
FINAL, INITIAL = -1, 0
MANY, PING = "many", "ping"
RATE = 200
"""Fetches a second beside which the other client is measured."""
STEP_S = 1 / RATE
Call = Callable[[], None]


class Consumer:
    """One session with all partitions of the topic, and who writes into them."""

    def __init__(self, address: str, partitions: int) -> None:
        self._client, self._writer = RawClient(address), RawClient(address)
        self._ends = [0] * partitions
        self._id = 0
        self._epoch = INITIAL
        self._next = 0
        self._named: list[int] = []

    def full(self, epoch: int = FINAL) -> None:
        """Name all partitions: at their ends, so that nothing is read."""
        self._ask(epoch, range(len(self._ends)))

    def begin(self) -> None:
        """Make the session."""
        self._epoch = INITIAL
        self._id = self._ask(INITIAL, range(len(self._ends))).session_id
        self._epoch = 1

    def go_on(self) -> int:
        """The next fetch of the session; how many partitions were answered."""
        answer = self._ask(self._epoch, self._named)
        self._epoch += 1
        told = {data.partition_index: data.high_watermark for topic in answer.responses for data in topic.partitions}
        self._named = list(told)
        for index, end in told.items():
            self._ends[index] = end
        return len(self._named)

    def move(self) -> None:
        """Write a record into the next partition."""
        write(self._writer, MANY, self._next)
        self._next = (self._next + 7) % len(self._ends)

    def _ask(self, epoch: int, indexes: object) -> fetch.FetchResponse:
        asked = [fetch.FetchPartition(index, -1, self._ends[index], partition_max_bytes=1 << 20) for index in indexes]  # type: ignore[attr-defined]
        request = fetch.FetchRequest(
            max_bytes=1 << 20, session_id=self._id, session_epoch=epoch,
            topics=[fetch.FetchTopic(MANY, partitions=asked)] if asked else (),
        )  # fmt: skip
        answer: fetch.FetchResponse = self._client.call(fetch.API_KEY, FETCH_VERSION, request)
        assert answer.error_code == 0, answer.error_code
        return answer


def write(client: RawClient, topic: str, index: int = 0) -> None:
    """One record of 100 bytes, acknowledged."""
    records = build_batch([Record(0, int(time.time() * 1000), None, b"x" * 100)])
    data = produce.TopicProduceData(topic, partition_data=[produce.PartitionProduceData(index, records)])
    request = produce.ProduceRequest(acks=-1, timeout_ms=5_000, topic_data=[data])
    answer = client.call(produce.API_KEY, PRODUCE_VERSION, request)
    assert answer.responses[0].partition_responses[0].error_code == 0


def create(client: RawClient, topic: str, partitions: int) -> None:
    request = create_topics.CreateTopicsRequest([create_topics.CreatableTopic(topic, partitions, 1)], 60_000)
    assert client.call(create_topics.API_KEY, CREATE_VERSION, request).topics[0].error_code == 0


def cpu_ms(peer: Peer, count: int, act: Call) -> float:
    """CPU of the broker for each call."""
    before = cpu_seconds(peer.pids[0])
    for _ in range(count):
        act()
    return (cpu_seconds(peer.pids[0]) - before) * 1000 / count


def pings(client: RawClient, seconds: float) -> float:
    """The median time of a small write, in µs."""
    took = []
    until = time.perf_counter() + seconds
    while (since := time.perf_counter()) < until:
        write(client, PING)
        took.append(time.perf_counter() - since)
    return statistics.median(took) * 1e6


def steadily(address: str, partitions: int) -> None:
    """Fetch RATE times a second, until the process is ended."""
    consumer = Consumer(address, partitions)
    consumer.begin()
    due = time.perf_counter()
    while True:
        consumer.move()
        consumer.go_on()
        due += STEP_S
        time.sleep(max(0.0, due - time.perf_counter()))


def measure(peer: Peer, partitions: int, seconds: float, count: int) -> Iterator[tuple[str, float]]:
    """Name and value of each figure."""
    address = peer.bootstrap_servers
    with ExitStack() as stack:
        client = stack.enter_context(RawClient(address))
        create(client, MANY, partitions)
        create(client, PING, 1)
        pings(client, 0.5)
        idle_us = pings(client, seconds)
        consumer = Consumer(address, partitions)
        consumer.full()
        yield "full fetch, CPU ms", cpu_ms(peer, max(20, count // 50), consumer.full)
        before_mb = memory_mb(peer.pids[0])[0]
        others = [Consumer(address, partitions) for _ in range(10)]
        for each in others:
            each.begin()
        yield "memory, bytes a partition", (memory_mb(peer.pids[0])[0] - before_mb) * 1e6 / (10 * partitions)
        consumer.begin()
        yield "fetch of nothing, CPU ms", cpu_ms(peer, count, consumer.go_on)  # type: ignore[arg-type]
        since = time.perf_counter()
        for _ in range(count):
            consumer.go_on()
        yield "… a second, by one client", count / (time.perf_counter() - since)
        moves = cpu_ms(peer, count, consumer.move)
        while consumer.go_on():
            pass

        def moved() -> None:
            consumer.move()
            assert consumer.go_on() <= 2

        yield "fetch after one moved, CPU ms", cpu_ms(peer, count, moved) - moves
        beside = multiprocessing.Process(target=steadily, args=(address, partitions), daemon=True)
        beside.start()
        time.sleep(1)
        busy_us = pings(client, seconds)
        beside.kill()
        beside.join()
        yield "another's write, p50 µs, alone", idle_us
        yield f"… beside {RATE} fetches a second", busy_us


def main() -> int:
    """Print the figures, one broker and size after the other."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sessions", description=__doc__)
    parser.add_argument("--brokers", default=BROKERS, help="with commas between (default: %(default)s)")
    parser.add_argument("--partitions", default="1000,5000", help="of a session (default: %(default)s)")
    parser.add_argument(
        "--seconds", type=float, default=3.0, help="of each measured second client (default: %(default)s)"
    )
    parser.add_argument("--fetches", type=int, default=2_000, help="for each figure (default: %(default)s)")
    options = parser.parse_args()
    for name, make in makers(options.brokers.split(","), Path(), pausable=False).items():
        for partitions in map(int, options.partitions.split(",")):
            peer = make()
            try:
                peer.start()
                print(f"{name}, a session of {partitions:,} partitions")
                for what, value in measure(peer, partitions, options.seconds, options.fetches):
                    print(f"  {what:32} {value:10.3f}", flush=True)
            finally:
                peer.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
