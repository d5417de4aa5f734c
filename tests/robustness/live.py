"""A broker, or three, as child processes, what the system says of them, and a canary. Linux: sizes come from /proc."""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from compat_tests.broker_process import free_port
from compat_tests.chaos import view
from compat_tests.chaos.nodes import KafkacompatNodes
from kafkacompat.broker.connection import BROKER, CONTROLLER
from kafkacompat.protocol import error_codes as errors
from tests.cli.processes import Child
from tests.robustness.client import Client, batch_of, wait_for_answer
from tests.waiting import wait_until

CANARY = "canary"
RETRY_S = 0.05
MOVES = (errors.NOT_LEADER_OR_FOLLOWER, errors.LEADER_NOT_AVAILABLE, errors.NOT_ENOUGH_REPLICAS)
LOOK_S = 0.1
LAST_WORDS = 2_000


def rss_mb_of(pid: int) -> float:
    """Of a process that runs; 0 when it has ended and nobody has asked how."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024 if "VmRSS:" in status else 0.0


class Canary(threading.Thread):
    """Writes a record and reads it back until it is stopped; new connections all the time, as they must work too.

    port: of the broker that leads now.
    """

    def __init__(self, port: Callable[[], int], pause_s: float = 0.01) -> None:
        super().__init__(name="canary", daemon=True)
        self._port = port
        self._pause_s = pause_s
        self._stop_asked = threading.Event()
        self.took_s: list[float] = []
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            while not self._stop_asked.wait(self._pause_s):
                started = time.monotonic()
                wait_until(self._round, 60, "a leader of the canary's topic")
                self.took_s.append(time.monotonic() - started)
        except BaseException as error:  # noqa: BLE001 (told by finish)
            self.failure = error

    def _round(self) -> bool:
        """Whether the broker that was asked leads."""
        with Client(self._port()) as client:
            value = random.randbytes(8)
            written = client.produce(CANARY, batch_of(value))
            if written.error_code in MOVES:
                return False
            assert written.error_code == errors.NONE, written
            read = client.fetch(CANARY, written.base_offset)
            if read.error_code in MOVES:
                return False
            assert value in bytes(read.records)
            return True

    def finish(self) -> None:
        """Stop it after a round at least. Raises what has failed."""
        wait_until(lambda: self.took_s or not self.is_alive(), 90, "a round of the canary")
        self._stop_asked.set()
        self.join()
        if self.failure is not None:
            raise self.failure
        assert self.took_s

    @property
    def p99_s(self) -> float:
        return sorted(self.took_s)[int(len(self.took_s) * 0.99)]


class Server:
    """The child, its port and what the system says of it."""

    def __init__(self, data_dir: Path, loop: str = "") -> None:
        self.port = free_port()
        self.child = Child(
            "serve", "--port", str(self.port), "--data-dir", str(data_dir), environment={"KAFKACOMPAT_LOOP": loop}
        )
        try:
            wait_for_answer(self.port)
            with Client(self.port) as client:
                client.create_topic(CANARY)
        except BaseException:
            self.close()
            raise

    @property
    def targets(self) -> list[tuple[int, str]]:
        """Port and kind of each listener."""
        return [(self.port, BROKER)]

    @property
    def rss_mb(self) -> float:
        return rss_mb_of(self.child.process.pid)

    @property
    def descriptors(self) -> int:
        """Open sockets; segment files stay open, as many as there are partitions."""
        found = 0
        for entry in Path(f"/proc/{self.child.process.pid}/fd").iterdir():
            try:
                found += "socket:" in str(entry.readlink())
            except OSError:
                continue  # closed meanwhile
        return found

    def wait_for_descriptors(self, count: int) -> None:
        wait_until(lambda: self.descriptors <= count, what=lambda: f"{self.descriptors} descriptors, not {count}")

    def leader_port(self) -> int:
        return self.port

    def sizes_mb(self) -> dict[int, float]:
        """By process."""
        return {self.child.process.pid: self.rss_mb}

    def finish(self) -> None:
        """Stop it. Fails when the broker said something of a bug."""
        assert self.child.stop() == 0
        check_log(self.child.stderr)

    def last_words(self) -> str:
        """The end of the log, for whoever reads about a failure."""
        return f"status {self.child.process.poll()}: {self.child.stderr[-LAST_WORDS:]}\n"

    def close(self) -> None:
        self.child.__exit__(None, None, None)


class Three:
    """As `Server`: three nodes, each with a listener for clients, one between brokers and one between controllers."""

    def __init__(self) -> None:
        self._nodes = KafkacompatNodes(3)
        self._between = {node_id: free_port() for node_id in self._nodes.nodes}
        for node in self._nodes.nodes.values():
            text = node.properties.read_text()
            between = f"PLAINTEXT://127.0.0.1:{node.port},BROKERS://127.0.0.1:{self._between[node.id]}"
            text = text.replace(f"PLAINTEXT://127.0.0.1:{node.port}", between)
            text = text.replace("protocol.map=", "protocol.map=BROKERS:PLAINTEXT,")
            node.properties.write_text(f"{text}inter.broker.listener.name=BROKERS\n")
        try:
            self._nodes.start()
            view.create(self._nodes, CANARY, 1, 3, min_insync_replicas="2")
        except BaseException:
            self.close()
            raise

    @property
    def targets(self) -> list[tuple[int, str]]:
        """Port and kind of each listener."""
        found = []
        for node in self._nodes.nodes.values():
            found += [(node.port, BROKER), (self._between[node.id], BROKER), (node.controller_port, CONTROLLER)]
        return found

    def leader_port(self) -> int:
        """Of whoever leads the canary's topic, as the first node knows it; of that one when nobody does."""
        nodes = self._nodes.nodes
        with Client(nodes[1].port) as client:
            leader = client.leader(CANARY)
        return nodes[leader if leader in nodes else 1].port

    def sizes_mb(self) -> dict[int, float]:
        """By process."""
        return {pid: rss_mb_of(pid) for pid in self._nodes.pids.values()}

    def finish(self) -> None:
        """Stop them. Fails when one has ended, or said something of a bug."""
        assert len(self._nodes.pids) == 3, "a node has ended"
        self._nodes.shut_down()
        for node in self._nodes.nodes.values():
            check_log(node.log.read_text())

    def last_words(self) -> str:
        """The end of each log, for whoever reads about a failure."""
        running = set(self._nodes.pids)
        return "".join(
            f"node {node.id}, {'running' if node.id in running else 'ended'}: {node.log.read_text()[-LAST_WORDS:]}\n"
            for node in self._nodes.nodes.values()
        )

    def close(self) -> None:
        self._nodes.close()


def check_log(text: str) -> None:
    for word in ("a bug", "Traceback"):
        before, found, after = text.partition(word)
        assert not found, f"{before[-300:]}{word}{after[:2000]}"


class Growth(threading.Thread):
    """How much larger each process is at most than it was at the beginning."""

    def __init__(self, sizes_mb: Callable[[], Mapping[int, float]]) -> None:
        super().__init__(name="growth", daemon=True)
        self._sizes_mb = sizes_mb
        self._first = sizes_mb()
        self._over = threading.Event()
        self.most_mb = 0.0

    def run(self) -> None:
        while not self._over.wait(LOOK_S):
            self.look()

    def look(self) -> None:
        for pid, size_mb in self._sizes_mb().items():
            self.most_mb = max(self.most_mb, size_mb - self._first[pid])

    def finish(self) -> None:
        self._over.set()
        self.join()


@contextmanager
def watched(
    server: Server | Three, pause_s: float = 0.01, warm_up: Callable[[], None] = lambda: None
) -> Iterator[tuple[Canary, Growth]]:
    """A canary sings, and sizes are looked at, for as long as the block runs; then the server is stopped.

    warm_up: what is done before, so that all code is loaded, and all caches are there.
    """
    try:
        warm_up()
        canary, growth = Canary(server.leader_port, pause_s), Growth(server.sizes_mb)
        canary.start()
        growth.start()
        yield canary, growth
        growth.finish()
        canary.finish()
        server.finish()
    except BaseException:
        sys.stderr.write(server.last_words())
        raise
    finally:
        server.close()
