"""Moves replicas between the log directories of this broker (KIP-113, Kafka's ReplicaAlterLogDirsManager).

A future replica in the target directory copies the records of the current one. When it has all of them, the controller
is told of the new directory (KIP-858). When the metadata names it, the future replica is made durable and takes the
current one's place. Records are read beside the event loop and appended on it, a part at a time.
"""

import logging
from functools import partial

from kafkacompat.broker.replicas.move_schedule import (
    BUSY,
    ENDED,
    ERROR_PAUSE_MS,
    FIRST,
    LACKS_ROOM,
    MORE,
    PAUSED,
    QUEUED,
    SETTLED,
    SOON,
    THROTTLED,
    Move,
    MoveSchedule,
)
from kafkacompat.broker.replicas.replication_quota import ReplicationQuota
from kafkacompat.protocol import error_codes as errors
from kafkacompat.replication.future_replica import FutureReplica
from kafkacompat.storage.background import OTHER_WORK, SEGMENT_SYNC
from kafkacompat.storage.errors import DiskFullError, LogError
from kafkacompat.storage.partition_dir import has_room_for_future_name, is_topic_name
from kafkacompat.storage.reserve import is_disk_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from kafkacompat.broker import services
    from kafkacompat.broker.compaction import Compaction
    from kafkacompat.broker.replicas.directory_assignments import DirectoryAssignments
    from kafkacompat.now import Now
    from kafkacompat.replication.partition import Partition
    from kafkacompat.storage.background import Background
    from kafkacompat.storage.flush import Flusher
    from kafkacompat.storage.log import Log
    from kafkacompat.storage.log_directory import LogDirectory
    from kafkacompat.storage.slices import Slice

    class Node(
        services.Configured,
        services.Identity,
        services.Metadata,
        services.Partitions,
        services.Storage,
        services.Waiting,
        Protocol,
    ):
        """What this uses of its node."""

        @property
        def background(self) -> Background: ...
        @property
        def compaction(self) -> Compaction: ...
        @property
        def directory_assignments(self) -> DirectoryAssignments: ...
        @property
        def flusher(self) -> Flusher: ...


PART_BYTES = 64 * 1024
"""Bytes that are read and appended at once: 5 ms with the smallest batches."""
SYNC_AGAIN_BYTES = 4 * 1024 * 1024
"""A future replica with so much that is not durable is synced again before it takes its place."""
MOVES_PER_ITERATION = 100
"""Future replicas that are looked at in one turn of the loop."""
STEPS_PER_ITERATION = 5
"""Future replicas that are opened, written to or renamed in one turn: each takes some disk accesses."""
ERROR_PAUSE_MAX_MS = 60_000
"""How long nothing is tried after an error at most: each further one doubles the ERROR_PAUSE_MS of the first."""
TIMER = "moves between log directories"
log = logging.getLogger(__name__)


class ReplicaAlterLogDirsManager:
    """The moves of one broker. ``num.replica.alter.log.dirs.threads`` of them read or sync at the same time; by
    default as many as there are directories. ``part_bytes``: so much is read and appended at once. ``busy_count``:
    moves for which work runs beside the loop. ``is_stopped``: nothing more begins.
    """

    def __init__(self, node: "Node") -> None:
        self._node = node
        self._moves: dict[tuple[str, int], Move] = {}
        self._schedule = MoveSchedule()
        self._unread: dict[Move, Slice] = {}  # whose reads have not begun
        self.is_stopped = self._has_flushed = False
        self.part_bytes = PART_BYTES
        self.busy_count = self._appended_bytes = 0
        threads = node.config.get("num.replica.alter.log.dirs.threads")
        self._max_busy = threads if isinstance(threads, int) else len(node.logs.directories)
        window_count = node.config.get_int("alter.log.dirs.replication.quota.window.num")
        window_ms = node.config.get_int("alter.log.dirs.replication.quota.window.size.seconds") * 1000
        self._quota = ReplicationQuota(window_count, window_ms)
        node.logs.follow(names_free=self._names_free)

    def stop(self) -> None:
        """Begin with nothing more."""
        self.is_stopped = True
        self._node.timers.cancel(TIMER)
        for part in self._unread.values():
            part.release()
        self._unread.clear()

    @property
    def max_lag(self) -> int:
        """How many offsets the future replica lacks that lacks the most."""
        return max((move.future.lag for move in self._moves.values() if move.future is not None), default=0)

    @property
    def failed_count(self) -> int:
        """Moves that have met an error, and not gone on since."""
        return sum(move.error != "" for move in self._moves.values())

    # Requests

    def alter(self, topic: str, index: int, path: str, now: "Now") -> int | Move:
        """Move a replica to the log directory at ``path``, or have one that is not here yet made there. Returns the
        error code (``ReplicaManager.alterReplicaLogDirs``), or a move that will have it: then the move is touched in
        the purgatory.
        """
        logs = self._node.logs
        if not has_room_for_future_name(topic, index):
            return errors.INVALID_TOPIC_EXCEPTION
        if any(each.path == path for each in logs.offline_directories):
            return errors.KAFKA_STORAGE_ERROR
        target = next((each for each in logs.directories if each.path == path), None)
        if target is None:
            return errors.LOG_DIR_NOT_FOUND
        if path in logs.cordoned_paths:
            return errors.INVALID_REPLICA_ASSIGNMENT
        partition = self._node.partitions.find(self._node.image, topic, index)
        if partition == errors.KAFKA_STORAGE_ERROR:
            return errors.KAFKA_STORAGE_ERROR
        if isinstance(partition, int):
            if is_topic_name(topic) and index >= 0:
                logs.moves.prefer(topic, index, target)
            is_unknown = partition == errors.UNKNOWN_TOPIC_OR_PARTITION
            return partition if is_unknown else errors.REPLICA_NOT_AVAILABLE
        return self._alter(partition, target, now)

    def _alter(self, partition: "Partition", target: "LogDirectory", now: "Now") -> int | Move:
        logs = self._node.logs
        move = self._move_of(partition, now)
        if move is not None and move.target is not target:
            self._answer(move, errors.NONE, now)  # it was done, and this came after it
            self._end(move, now)
            logs.delete_future(partition.watch_key, now)
            log.info("%s does not move to %s any more", move.name, move.target.path)
            move = None
        if move is not None and move.answer is None:
            return move
        if move is not None or logs.directory_of_open(*partition.watch_key) is target:
            return errors.NONE
        if logs.offline_directories or partition.log.offline:
            return errors.KAFKA_STORAGE_ERROR  # one of them may hold a future replica of it
        move = Move(partition, target)
        try:
            self._open(move, now)
        except OSError as error:
            self._cannot_open(move, error, now)
            logs.delete_future(partition.watch_key, now)  # else the next start would go on with it
            return errors.KAFKA_STORAGE_ERROR
        log.info("%s moves to %s", move.name, target.path)
        self._begin(move, now)
        return move if move.answer is None else move.answer

    def _answer(self, move: Move, error_code: int, now: "Now") -> None:
        """Tell the client that wants the move, unless it was told."""
        if move.answer is None:
            move.answer = error_code
            self._node.purgatory.touch(move, now)

    def _move_of(self, partition: "Partition", now: "Now") -> Move | None:
        """The move of a partition. That of a topic of the same name which was deleted ends."""
        move = self._moves.get(partition.watch_key)
        if move is None or move.partition is partition:
            return move
        self._end(move, now)
        return None

    def resume(self, partition: "Partition", now: "Now") -> None:
        """The log of a partition was opened that has a future replica, which an earlier broker left."""
        logs = self._node.logs
        if logs.future_of(*partition.watch_key) is not None:
            logs.moves.keep_one_future(partition.watch_key, self._assigned(partition), now)
        target = logs.future_of(*partition.watch_key)
        if target is None or self._move_of(partition, now) is not None or self.is_stopped:
            return
        if logs.directory_of_open(*partition.watch_key) is target:
            logs.delete_future(partition.watch_key, now)
            return
        move = Move(partition, target, errors.NONE)
        log.info("%s goes on to move to %s", move.name, target.path)
        if self._is_accepted(move):
            self._promise(move, now)  # else the controller would be told of the current directory
        self._begin(move, now)

    def _begin(self, move: Move, now: "Now") -> None:
        self._moves[move.partition.watch_key] = move
        self._schedule.put(move, MORE)
        self._plan(now)

    def _open(self, move: Move, now: "Now") -> None:
        """Open the log of the future replica, once no checkpoint names an earlier one. Raises OSError."""
        partition, target = move.partition, move.target
        is_new = not target.has_future(partition.watch_key)
        if is_new and not target.is_name_free(partition.watch_key):
            return
        opened = target.futures.open(partition.watch_key, partition.topic_id, partition.log.config, now)
        source = self._node.logs.directory_of_open(*partition.watch_key)
        offset = source.checkpoints.cleaner_offset(partition.watch_key) if is_new and source is not None else None
        target.checkpoints.forget_cleaner_offset(partition.watch_key)  # a loss of power may have undone a swap
        move.future, partition.future_log = FutureReplica(partition, opened, offset), opened
        self._answer(move, errors.NONE, now)

    def _names_free(self, _has_room: bool, now: "Now") -> None:
        """Checkpoints were written: open the logs of the future replicas that wait for that."""
        for move in self._moves.values():
            if move.future is None:
                self._schedule.hurry(move)
        if len(self._schedule) and not self.is_stopped:
            self._run(now)

    def _cannot_open(self, move: Move, error: OSError, now: "Now") -> None:
        self._pause(move, error, now)
        if is_disk_failure(error):
            move.target.take_offline(error)

    def _end(self, move: Move, now: "Now") -> None:
        """The move is over, or will not be: the controller is to know where the replica is."""
        self._answer(move, errors.KAFKA_STORAGE_ERROR, now)
        if self._moves.get(move.partition.watch_key) is move:
            del self._moves[move.partition.watch_key]
        self._schedule.drop(move)
        if move.future is not None and move.partition.future_log is move.future.log:
            move.partition.end_future()
            self._node.partitions.carry_out(move.partition, now)
        move.future = None  # its place may hold it for a while
        if move.is_promised:
            move.is_promised = False
            self._node.logs.moves.promise(*move.partition.watch_key, None)
            self._node.directory_assignments.check(now)

    # Moving

    def changed(self, partition: "Partition", now: "Now") -> None:
        """A partition that has a future replica has other records, another role or another place in the metadata, or
        is not here any more: look at its move if that waits for it.
        """
        move = self._move_of(partition, now)
        if move is not None and (move.place == SETTLED or not self._is_valid(move)) and self._schedule.wake(move):
            self._plan(now)

    def directories_failed(self, now: "Now") -> None:
        """Log directories went offline: end the moves of what was there."""
        for move in self._moves.values():
            if not self._is_valid(move):
                self._schedule.wake(move)
        self._plan(now)

    def _plan(self, now: "Now") -> None:
        due_ms = self._schedule.due_ms(now.monotonic_ms, self._max_busy - self.busy_count)
        if due_ms is not None and not self.is_stopped:
            self._node.timers.set(TIMER, due_ms, self._run)

    def _run(self, now: "Now") -> None:
        """Look at some moves that are due."""
        self._has_flushed = False
        schedule = self._schedule
        schedule.bring(now.monotonic_ms, self._max_busy - self.busy_count, partial(self._is_throttled, now))
        steps = appended_bytes = 0
        for _ in range(min(len(schedule), MOVES_PER_ITERATION)):
            if steps >= STEPS_PER_ITERATION or appended_bytes >= self.part_bytes:
                break
            move = schedule.take()
            before = self._appended_bytes
            place = self._safely(move, partial(self._step, move, now), now)
            appended_bytes += self._appended_bytes - before
            schedule.put(move, place)
            has_appended = self._appended_bytes > before
            steps += has_appended or place not in (SOON, SETTLED, QUEUED, THROTTLED)
        self._plan(now)

    def _safely(self, move: Move, work: "Callable[[], str]", now: "Now") -> str:
        """Work on a move. Returns its next place."""
        try:
            return work()
        except DiskFullError:  # the log directory has reported that
            return LACKS_ROOM
        except (LogError, OSError) as error:
            self._pause(move, error, now)
            return PAUSED
        except Exception:
            log.exception("a bug: %s does not move to %s any more, until the next start", move.name, move.target.path)
            self._end(move, now)
            return ENDED

    def _pause(self, move: Move, error: LogError | OSError, now: "Now") -> None:
        """Try again later, after more and more time. What is new is logged."""
        move.until_ms = now.monotonic_ms + move.pause_ms
        move.pause_ms = min(2 * move.pause_ms, ERROR_PAUSE_MAX_MS)
        if move.error != str(error):
            move.error = str(error)
            log.error("%s does not move on to %s: %s", move.name, move.target.path, error)

    def _succeeded(self, move: Move) -> None:
        move.pause_ms, move.error = ERROR_PAUSE_MS, ""

    def _is_valid(self, move: Move) -> bool:
        """Whether both replicas are still there."""
        partition, key = move.partition, move.partition.watch_key
        is_there = self._node.partitions.get(*key) is partition and self._moves.get(key) is move
        if not is_there or partition.log.offline or move.target.offline is not None:
            return False
        return move.future is None or move.target.futures.logs.get(key) is move.future.log

    def _step(self, move: Move, now: "Now") -> str:
        if not self._is_valid(move):
            self._end(move, now)
            return ENDED
        if now.monotonic_ms < move.until_ms:
            return PAUSED
        if move.future is None:
            return self._open_now(move, now)
        future = move.future
        if future.align(now):
            move.partition.future_start_moved()
            self._node.partitions.carry_out(move.partition, now)
        if future.is_caught_up:
            return self._caught_up(move, future, now)
        if self._is_throttled(now):
            return THROTTLED
        part = future.read(self.part_bytes)
        if not part:
            return SOON
        if len(part) < self.part_bytes and self.busy_count < self._max_busy:
            return self._append_last(move, future, part, now)
        if self.busy_count >= self._max_busy:
            part.release()
            return QUEUED
        self._read(move, future, part)
        return BUSY

    def _open_now(self, move: Move, now: "Now") -> str:
        try:
            self._open(move, now)
        except OSError as error:
            self._cannot_open(move, error, now)
            if move.answer is not None:
                return PAUSED
        else:
            if move.future is not None:
                return MORE
            if not move.lacks_room:
                return SOON  # the checkpoints are written first
            if move.answer is not None:
                return LACKS_ROOM
        self._end(move, now)  # the client is told so
        self._node.logs.delete_future(move.partition.watch_key, now)
        return ENDED

    def _is_throttled(self, now: "Now") -> bool:
        """Whether the moves of this broker exceed their rate (bytes per second)."""
        rate = self._node.config.get("replica.alter.log.dirs.io.max.bytes.per.second")
        self._quota.rate = rate if isinstance(rate, int) else None
        return self._quota.is_exceeded(now)

    def _idle(self, move: Move, place: str, now: "Now") -> None:
        """Work beside the loop has ended."""
        self._schedule.put(move, place)
        self._plan(now)

    def _read(self, move: Move, future: FutureReplica, part: "Slice") -> None:
        """Read beside the loop, then append, unless something was truncated or replaced meanwhile."""
        current, copy = move.partition.log, future.log
        before = _place(current, copy)
        self.busy_count += 1
        self._unread[move] = part

        def begin() -> bool:
            return self._unread.pop(move, None) is not None

        def done(outcome: "bytearray | Exception", at: "Now") -> None:
            part.release()
            self.busy_count -= 1
            place = FIRST  # it can go on, others may wait
            if self._is_valid(move) and move.partition.log is current and _place(current, copy) == before:
                if isinstance(outcome, bytearray):
                    place = self._safely(move, partial(self._append, move, future, outcome, at), at)
                elif isinstance(outcome, OSError):
                    current.fail(outcome)
                else:
                    log.error("a bug: %s does not move to %s any more: %s", move.name, move.target.path, outcome)
                    self._end(move, at)
            self._idle(move, place, at)

        self._node.background.submit(OTHER_WORK, partial(_read_all, part), done, begin)

    def _append(self, move: Move, future: FutureReplica, records: bytearray, now: "Now") -> str:
        self._appended_bytes += len(records)
        self._quota.count(len(records), now)
        future.append(memoryview(records), now)
        self._succeeded(move)
        return FIRST

    def _append_last(self, move: Move, future: FutureReplica, part: "Slice", now: "Now") -> str:
        """Append the little that is missing in this turn of the loop: nothing is written before what comes next."""
        try:
            records = _read_all(part)
        finally:
            part.release()
        self._append(move, future, records, now)
        return self._caught_up(move, future, now) if future.is_caught_up else MORE

    # Taking the place of the current replica

    def _is_accepted(self, move: Move) -> bool:
        """Whether the metadata names the new directory."""
        return self._assigned(move.partition) == move.target.directory_id

    def _assigned(self, partition: "Partition") -> bytes:
        """The id of the directory that the metadata names, empty without one."""
        image = self._node.image.partition(*partition.watch_key)
        return b"" if image is None else image.directory(self._node.node_id)

    def _promise(self, move: Move, now: "Now") -> None:
        move.is_promised = True
        self._node.logs.moves.promise(*move.partition.watch_key, move.target)
        self._node.directory_assignments.check(now)

    def _may_swap(self, move: Move, future: FutureReplica) -> bool:
        """Whether nothing runs that has to end before: a pass over the partition, or a sync."""
        cleaner = self._node.compaction.cleaner
        is_cleaned = cleaner is not None and cleaner.working_on is move.partition
        return not is_cleaned and future.log.durability.syncing is None

    def _is_durable(self, move: Move, future: FutureReplica) -> bool:
        """Whether so little is not durable that it may take the place."""
        durability = future.log.durability
        is_synced = move.synced_start == future.log.log_start_offset and not durability.has_unflushed_truncation
        return is_synced and durability.unsynced_bytes < SYNC_AGAIN_BYTES

    def _caught_up(self, move: Move, future: FutureReplica, now: "Now") -> str:
        if not move.is_promised:
            self._promise(move, now)
        if not self._is_accepted(move):
            return SETTLED
        if not self._may_swap(move, future):
            return SOON
        source = self._node.logs.directory_of_open(*move.partition.watch_key)
        assert source is not None
        is_durable = self._is_durable(move, future)
        if not is_durable or source.checkpoints.may_hold_cleaner_offset(move.partition.watch_key):
            if self.busy_count >= self._max_busy:
                return QUEUED
            if is_durable:
                self._take_cleaner_offset(move, future, source)
            else:
                self._sync(move, future.log)
            return BUSY
        if self._has_flushed:
            return MORE  # one of them in a turn
        self._swap(move, future, now)
        return ENDED

    def _sync(self, move: Move, copy: "Log") -> None:
        """Make the log and its log start durable: the current replica's are about to go."""
        checkpoints = move.target.checkpoints
        checkpoints.note_log(move.partition.watch_key, copy)
        checkpoints.note_high_watermark(move.partition.watch_key, move.partition.high_watermark)
        log_start = copy.log_start_offset

        def synced(at: "Now") -> None:
            move.synced_start = log_start
            self._end_work(move, FIRST, at)

        self._write(move, move.target, lambda _at: self._node.flusher.request(copy, synced, SEGMENT_SYNC))

    def _take_cleaner_offset(self, move: Move, future: FutureReplica, source: "LogDirectory") -> None:
        """Take it out of the file of the old directory before that of the new one may name the partition. With two that
        do Apache Kafka's cleaner ends.
        """
        key, checkpoints = move.partition.watch_key, source.checkpoints
        offset = checkpoints.cleaner_offset(key)
        if offset is not None:  # else it was taken before, and could not be written
            future.lower_compacted_offset(min(offset, future.log.log_end_offset))  # the log may have been truncated
        checkpoints.forget_cleaner_offset(key)
        self._write(move, source, lambda at: self._end_work(move, FIRST, at))

    def _write(self, move: Move, directory: "LogDirectory", then: "Callable[[Now], None]") -> None:
        """Write the checkpoints of a directory beside the loop, then go on with a move that is BUSY."""
        directory.checkpoints.publish()
        self.busy_count += 1

        def written(outcome: "Exception | None", at: "Now") -> None:
            if outcome is None:
                then(at)
                return
            if isinstance(outcome, OSError) and is_disk_failure(outcome):
                directory.take_offline(outcome)
            move.until_ms = at.monotonic_ms + ERROR_PAUSE_MS
            self._end_work(move, PAUSED, at)

        self._node.background.submit(OTHER_WORK, directory.checkpoints.write, written)

    def _end_work(self, move: Move, place: str, now: "Now") -> None:
        self.busy_count -= 1
        self._idle(move, place, now)

    def _swap(self, move: Move, future: FutureReplica, now: "Now") -> None:
        partition, logs = move.partition, self._node.logs
        old, new = partition.log, future.log
        try:
            new.epochs.adopt(old.epochs, new.log_start_offset)
            if new.config.flush_messages == 1 and new.durability.is_behind(new.log_end_offset):
                self._has_flushed = True
                new.flush()  # little is left of it; its records were acknowledged as durable
        except OSError as error:
            if is_disk_failure(error):
                raise new.fail(error) from error
            raise
        logs.moves.swap(partition.watch_key, move.target, now, partition.replace_log)
        if future.compacted_offset is not None:
            move.target.checkpoints.note_cleaner_offset(partition.watch_key, future.compacted_offset)
        new.adopt_producers(old)
        self._node.partitions.moved_high_watermarks[partition.watch_key] = partition.high_watermark
        move.is_promised = False
        self._end(move, now)
        self._node.request_flush(partition)
        log.info("%s has moved to %s", move.name, move.target.path)


def _place(current: "Log", copy: "Log") -> tuple[int, int, int]:
    return current.durability.truncations, copy.durability.truncations, copy.log_end_offset


def _read_all(part: "Slice") -> bytearray:
    """Raises OSError."""
    return bytearray(part.read(0, len(part)))
