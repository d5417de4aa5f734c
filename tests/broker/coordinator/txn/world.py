"""A shard of transactional ids with a log, a clock, timers and markers, and nothing else: events in, answers out."""

from kafkacompat.broker.coordinator.result import CancelTimer, Notify, Result, SetTimer
from kafkacompat.broker.coordinator.txn.records import batch_of, decode_record
from kafkacompat.broker.coordinator.txn.shard import TransactionCoordinatorShard, TransactionSettings
from kafkacompat.broker.coordinator.txn.state import Transaction
from kafkacompat.now import Now
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.end_txn import EndTxnRequest
from kafkacompat.protocol.records.reader import read_records

START = Now(1_000_000, 1_700_000_000_000)


class World:
    """Runs a shard as the runtime does. `is_replicated`: all is committed at once; else when `commit` is called.

    answers: (token, response) as clients receive them. prepared: rows whose markers may be sent. refuses: appends fail.
    """

    def __init__(self, server_version: int = 2, **settings: int) -> None:
        self.settings = TransactionSettings(**settings)
        self.server_version = server_version
        self.now = Now(START.monotonic_ms, START.wall_ms)
        self.log: list[tuple[bytes, bytes | None]] = []
        self.high_watermark = 0
        self.is_replicated = True
        self.refuses = False
        self.next_producer_id: int | None = 1000
        self.answers: list[tuple[object, object]] = []
        self.prepared: list[Transaction] = []
        self._held: list[tuple[int, object, object]] = []  # end offset, token or NOTICE, response or row
        self.timers: dict[tuple[str, ...], int] = {}
        self.restart()

    def take_producer_id(self, _now: Now) -> int | None:
        if self.next_producer_id is None:
            return None
        self.next_producer_id += 1
        return self.next_producer_id - 1

    def perform(self, result: Result, token: object = None, *, waits: bool = False) -> None:
        if result.records and self.refuses:
            self._answer(token, errors.COORDINATOR_NOT_AVAILABLE)
            assert result.otherwise is not None
            self.perform(result.otherwise(errors.COORDINATOR_NOT_AVAILABLE))
            return
        if result.records:
            batch = batch_of(result.records, self.now.wall_ms, 1)
            last_offset = len(self.log) + len(result.records) - 1
            for record, read in zip(result.records, list(read_records(batch)), strict=True):
                self.shard.replay(len(self.log), -1, -1, record, last_offset, self.now.wall_ms)
                self.log.append((read.key, read.value))
        for effect in result.effects:
            match effect:
                case Notify():
                    self._held.append((len(self.log), NOTICE, effect.notice))
                case SetTimer():
                    self.timers[effect.key] = effect.deadline_ms
                case CancelTimer():
                    self.timers.pop(effect.key, None)
        if result.response is not None and token is not None:
            if result.records or waits:
                self._held.append((len(self.log), token, result.response))
            else:
                self._answer(token, result.response)
        if self.is_replicated:
            self.commit()
        for step in () if result.job is None else result.job(self.now):
            self.perform(step)

    def commit(self, *, uncommitted: int = 0) -> None:
        """All in the log is committed, but for so many records at its end."""
        self.high_watermark = len(self.log) - uncommitted
        self.shard.on_committed(self.high_watermark)
        held, self._held = self._held, []
        for end_offset, token, what in held:
            if end_offset > self.high_watermark:
                self._held.append((end_offset, token, what))
            elif token is NOTICE:
                assert isinstance(what, Transaction)
                self.prepared.append(what)
            else:
                self._answer(token, what)

    def _answer(self, token: object, response: object) -> None:
        if token is not None:
            self.answers.append((token, response))

    def advance(self, ms: int) -> None:
        """Let time pass; timers fire in order of their deadlines."""
        until = self.now.monotonic_ms + ms
        while self.timers:
            key = min(self.timers, key=lambda key: (self.timers[key], key))
            if self.timers[key] > until:
                break
            self._set_clock(max(self.timers.pop(key), self.now.monotonic_ms))
            self.perform(self.shard.timer_fired(key, self.now))
        self._set_clock(until)

    def _set_clock(self, monotonic_ms: int) -> None:
        self.now = Now(monotonic_ms, START.wall_ms + monotonic_ms - START.monotonic_ms)

    def replayed(self) -> TransactionCoordinatorShard:
        """A shard made from the log alone."""
        shard = TransactionCoordinatorShard(
            self.settings, self.take_producer_id, lambda: self.server_version, lambda: None
        )
        shard.on_committed(self.high_watermark)
        for offset, (key, value) in enumerate(self.log):
            record = decode_record(key, value)
            assert record is not None
            shard.replay(offset, -1, -1, record, offset, self.now.wall_ms)
        return shard

    def restart(self) -> None:
        """Another broker leads the partition: only the log is left."""
        self._held.clear()
        self.prepared.clear()
        self.timers.clear()
        self.shard = self.replayed()
        for result in self.shard.on_loaded(self.now):
            self.perform(result)

    # Requests; `token` is answered, now or when the records are committed.

    def init(
        self, token: object, transactional_id: str = "t", timeout_ms: int = 60_000,
        expected: tuple[int, int] | None = None,
    ) -> None:  # fmt: skip
        self.perform(self.shard.init_producer_id(transactional_id, timeout_ms, expected, self.now), token)

    def add(
        self, token: object, producer_id: int, epoch: int, *partitions: tuple[str, int], transactional_id: str = "t",
        client_version: int = 2,
    ) -> None:  # fmt: skip
        added = frozenset(partitions)
        waits = self.shard.joins(transactional_id, producer_id, epoch, client_version)
        result = self.shard.add_partitions(transactional_id, producer_id, epoch, added, client_version, self.now)
        self.perform(result, token, waits=waits)

    def end(
        self, token: object, producer_id: int, epoch: int, *, is_commit: bool, transactional_id: str = "t",
        client_version: int = 2,
    ) -> None:  # fmt: skip
        request = EndTxnRequest(transactional_id, producer_id, epoch, is_commit)
        self.perform(self.shard.end(request, client_version, self.now), token)

    def mark(self, *partitions: tuple[str, int]) -> None:
        """The markers of the oldest prepared transaction are in these partitions; in all of its if none is named."""
        row = self.prepared[0]
        done = frozenset(partitions) or row.partitions
        self.perform(self.shard.markers_written(row.transactional_id, row.offset, done, self.now))
        if self.shard.rows.get(row.transactional_id) is not row:
            self.prepared.remove(row)


NOTICE = object()
