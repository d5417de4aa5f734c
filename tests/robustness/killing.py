"""A broker that is killed again and again, and an idempotent producer that never gives up."""

import signal
import threading
import time
from collections import deque
from pathlib import Path
from random import Random

from compat_tests.broker_process import free_port
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import offset_commit, offset_fetch
from tests.cli.processes import Child
from tests.robustness.client import Client, batch_of, produce_request, wait_for_answer
from tests.waiting import pause

IN_FLIGHT = 5
TOPIC = "orders"
GROUP = "g"


class KilledBroker:
    """A child process on a data directory and a port that stay the same. `restart_s` are the times from start to the
    first answer.
    """

    def __init__(self, data_dir: Path, *arguments: str) -> None:
        self.port = free_port()
        self._arguments = ("serve", "--port", str(self.port), "--data-dir", str(data_dir), *arguments)
        self.restart_s: list[float] = []
        self.child = self._start()

    def _start(self) -> Child:
        child = Child(*self._arguments)
        self.restart_s.append(wait_for_answer(self.port))
        return child

    def kill(self) -> None:
        """kill -9, and start again. Fails when the broker said something of a bug."""
        self.child.process.send_signal(signal.SIGKILL)
        self.child.wait()
        self._check()
        self.child.__exit__(None, None, None)
        self.child = self._start()

    def stop(self) -> None:
        self._check()
        assert self.child.stop() == 0, self.child.stderr
        self.child.__exit__(None, None, None)

    def _check(self) -> None:
        assert "Traceback" not in self.child.stderr, self.child.stderr
        assert "a bug" not in self.child.stderr, self.child.stderr


class Producer(threading.Thread):
    """Sends numbered records with several requests in flight; after a failure the same ones again, in order.

    `acknowledged` maps offset to number, `committed` is the last offset that a group's commit was answered for.
    """

    def __init__(self, port: int, producer_id: int) -> None:
        super().__init__(name="producer")
        self._port = port
        self._producer_id = producer_id
        self._unanswered: deque[int] = deque()
        self._next = 0
        self._stop_asked = threading.Event()
        self.acknowledged: dict[int, int] = {}
        self.committed = -1
        self.failure: BaseException | None = None

    def stop(self) -> None:
        """Let it finish what is in flight."""
        self._stop_asked.set()
        self.join(30)
        assert not self.is_alive()
        if self.failure is not None:
            raise self.failure

    def run(self) -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                with Client(self._port) as client:
                    self._produce(client)
                    return
            except OSError:
                pause()
            except BaseException as error:  # noqa: BLE001 (told by stop)
                self.failure = error
                return

    def _produce(self, client: Client) -> None:
        for number in self._unanswered:
            self._send(client, number)
        while self._unanswered or not self._stop_asked.is_set():
            while len(self._unanswered) < IN_FLIGHT and not self._stop_asked.is_set():
                self._unanswered.append(self._next)
                self._next += 1
                self._send(client, self._unanswered[-1])
            answer = client.receive().responses[0].partition_responses[0]
            assert answer.error_code == errors.NONE, answer
            before = self.acknowledged.get(answer.base_offset)
            assert before is None, f"{before} and {self._unanswered} were answered with {answer}"
            self.acknowledged[answer.base_offset] = self._unanswered.popleft()
            if not self._unanswered or answer.base_offset % 50 == 0:
                self._commit(answer.base_offset)

    def _send(self, client: Client, number: int) -> None:
        batch = batch_of(str(number).encode(), producer_id=self._producer_id, producer_epoch=0, base_sequence=number)
        client.send(produce_request(TOPIC, batch), 9)

    def _commit(self, offset: int) -> None:
        with Client(self._port) as client:
            topic = offset_commit.OffsetCommitRequestTopic(TOPIC)
            topic.partitions = [offset_commit.OffsetCommitRequestPartition(0, offset)]
            answer = client.ask(offset_commit.OffsetCommitRequest(GROUP, topics=[topic]), 8)
            if answer.topics[0].partitions[0].error_code == errors.NONE:
                self.committed = offset


def committed_offset(client: Client) -> int:
    """What the group's offset is now."""
    topic = offset_fetch.OffsetFetchRequestTopic(TOPIC, [0])
    answer = client.ask(offset_fetch.OffsetFetchRequest(GROUP, [topic]), 7)
    found: int = answer.topics[0].partitions[0].committed_offset
    return found


def kill_under_load(broker: KilledBroker, cycles: int, rng: Random) -> int:
    """Kill it `cycles` times under a producer; the number of records, all checked."""
    with Client(broker.port) as client:
        client.create_topic(TOPIC)
        find_coordinator(client)
        producer = Producer(broker.port, client.producer_id())
    producer.start()
    for _ in range(cycles):
        time.sleep(rng.uniform(0.05, 0.3))
        broker.kill()
    producer.stop()
    with Client(broker.port) as client:
        records = client.read_all(TOPIC)
        assert [int(value) for _, value in records] == list(range(len(records)))  # none lost, doubled, reordered
        assert [offset for offset, _ in records] == list(range(len(records)))
        assert producer.acknowledged == {offset: int(value) for offset, value in records}
        assert committed_offset(client) >= producer.committed >= 0
    return len(records)


def find_coordinator(client: Client) -> None:
    from kafkacompat.protocol.messages.find_coordinator import FindCoordinatorRequest

    assert client.ask(FindCoordinatorRequest(GROUP), 2).error_code == errors.NONE
