"""A broker that only the shell can tell from the real one: what it answers is written in the request itself."""

from __future__ import annotations

import tempfile
from collections import deque
from collections.abc import Iterator
from types import SimpleNamespace

from kafkacompat.broker.connection import CloseConnection, Connection
from kafkacompat.broker.long_answers import LongAnswers
from kafkacompat.broker.loop_lag import LoopLag
from kafkacompat.broker.purgatory import Pending
from kafkacompat.broker.timers import NodeTimers
from kafkacompat.now import Now
from kafkacompat.storage.background import ACKNOWLEDGED_SYNC, Background


class FakeSlice:
    """A slice that counts how often it is released; reading after that is a mistake."""

    position = 0

    def __init__(self, data: bytes, *, fails: bool = False) -> None:
        self.data = data
        self.released = 0
        self.largest_read = 0
        self.read_bytes = 0
        self.fails = fails
        self.file = None

    def fileno(self) -> int:
        assert not self.released, "sent after release"
        if self.fails:
            raise OSError(5, "Input/output error")
        if self.file is None:
            self.file = tempfile.TemporaryFile()  # noqa: SIM115 (closed when released)
            self.file.write(self.data)
            self.file.flush()
        return self.file.fileno()

    def __len__(self) -> int:
        return len(self.data)

    def read(self, at: int, size_bytes: int) -> bytes:
        assert not self.released, "read after release"
        if self.fails:
            raise OSError(5, "Input/output error")
        self.largest_read = max(self.largest_read, size_bytes)
        self.read_bytes += size_bytes
        return self.data[at : at + size_bytes]

    def release(self) -> None:
        self.released += 1
        if self.file is not None:
            self.file.close()


class FakeFlusher:
    """What waits for a sync, all of it in one round."""

    def __init__(self, background: Background) -> None:
        self.background = background
        self.waiting: list = []
        self.threads: set[str] = set()
        self.jobs = 0

    def request(self, callback) -> None:
        if not self.waiting:
            self.background.submit(ACKNOWLEDGED_SYNC, self._run, self._done, self._begin)
        self.waiting.append(callback)

    def _begin(self) -> bool:
        self.taken, self.waiting = self.waiting, []
        self.jobs += 1
        return True

    def _run(self) -> None:
        import threading

        self.threads.add(threading.current_thread().name)

    def _done(self, outcome: object, now: Now) -> None:
        for callback in self.taken:
            callback(now)


class FakeBroker:
    """Answers by a request's first byte.

    e echo · w wait until `answer` · t answer after 20 ms by timer · n no answer · s answer when synced
    p like w, and answered as soon as a frame that does not begin with p waits behind it
    h held back until `end_steps`, then like p
    W, E like w and e, and carried out although an earlier W waits for its answer
    b a slice of the number of bytes that follows · f a slice that cannot be read · c close · x a bug
    """

    def __init__(self, **opened_with: object) -> None:
        self.opened_with = opened_with
        self.cluster_id = "fake-cluster-id"
        self.timers = NodeTimers()
        self.long_answers = LongAnswers(self.timers)
        self.loop_lag = LoopLag()
        self.background = Background()
        self.flusher = FakeFlusher(self.background)
        self.logs = SimpleNamespace(limit_open_files=lambda _limit: None, guard_checkpoints=lambda _new_lock: None)
        self.compaction = SimpleNamespace(stop=lambda: None, new_pass=None)
        self.retention = SimpleNamespace(stop=lambda: None)
        self.frames: list[bytes | bytearray] = []
        self.waiting: deque = deque()
        self.slices: list[FakeSlice] = []
        self.lost: list[Connection] = []
        self.closed: list[bool] = []

    def begin(self, network: object, now: Now) -> None:
        self.on_ready()

    def after_event(self, now: Now) -> None:
        pass

    def shut_down(self, now: Now, stopped, held) -> None:
        stopped(now)

    def leave(self, now: Now, *, clean: bool) -> None:
        """It takes part in nothing."""

    def closing(self, now: Now, *, clean: bool) -> Iterator[tuple[int, int]]:
        yield from ((1, 2), (2, 2))
        self.closed.append(clean)

    def resign(self, now: Now) -> None:
        """It leads no quorum."""

    def dispatch(self, frame: bytes | bytearray, connection: Connection, now: Now, reply) -> None:
        self.frames.append(frame)
        kind = bytes(frame[:1])
        if kind in (b"e", b"E"):
            reply([b"", bytes(frame)])
        elif kind == b"n":
            reply(None)
        elif kind in (b"w", b"p", b"W", b"h"):
            self.waiting.append((reply, bytes(frame), connection))
            if kind == b"h":  # it is worked on in steps, and then it is as "p"
                connection.held_count += 1
            if kind == b"p":
                connection.waiting.append(Pending((), 0, lambda *_: None, completes_early=True))
            elif kind == b"W":
                connection.waiting.append(Pending((), 0, lambda *_: None, is_written=True))
        elif kind == b"t":
            self.timers.set(object(), now.monotonic_ms + 20, lambda _: reply([bytes(frame)]))
        elif kind == b"s":
            self.flusher.request(lambda _: reply([bytes(frame)]))
        elif kind in (b"b", b"f"):
            self.slices.append(FakeSlice(bytes(int(frame[1:])), fails=kind == b"f"))
            reply([b"head", self.slices[-1], b"tail"])
        elif kind == b"c":
            raise CloseConnection("the peer asked for it")
        else:
            raise RuntimeError("a bug that a test made")

    def complete_early(self, frame: bytes | bytearray, connection: Connection, now: Now) -> bool:
        if not connection.waiting or connection.held_count:
            return False
        pending = connection.waiting[-1]
        if pending.completes_early and not frame.startswith(b"p"):
            self.answer()
            return False
        return pending.is_written and frame[:1] in b"WE"

    def end_steps(self) -> None:
        """The steps of the request that waits have ended: it is a long poll now."""
        (_, _, connection), *_ = self.waiting
        connection.held_count -= 1
        connection.waiting.append(Pending((), 0, lambda *_: None, completes_early=True))
        connection.resumed()

    def answer(self, which: int = 0) -> None:
        reply, frame, connection = self.waiting[which]
        del self.waiting[which]
        if not any(each[2] is connection for each in self.waiting):
            connection.waiting.clear()
        reply([frame])

    def disconnected(self, connection: Connection, now: Now) -> None:
        self.lost.append(connection)

    def close(self, now: Now, *, clean: bool = True) -> None:
        self.closed.append(clean)
