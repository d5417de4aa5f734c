"""The periodic tasks of a broker: checkpoints, deletion of logs, expiry of producers, due flushes, disk checks."""

from functools import partial

from kafkacompat.now import NEVER
from kafkacompat.protocol.constants import LONG_MAX
from kafkacompat.steps import Stepped
from kafkacompat.storage.background import OTHER_WORK
from kafkacompat.storage.waiting_logs import expire_producers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from kafkacompat.broker import services
    from kafkacompat.broker.compaction import Compaction
    from kafkacompat.broker.control.lifecycle import Lifecycle
    from kafkacompat.broker.replicas.replica_manager import ReplicaManager
    from kafkacompat.broker.replicas.retention_check import RetentionCheck
    from kafkacompat.broker.timers import Timers
    from kafkacompat.now import Now
    from kafkacompat.replication.cluster_view import ClusterView
    from kafkacompat.replication.metadata.quorum import MetadataQuorum
    from kafkacompat.steps import Steps
    from kafkacompat.storage.background import Background
    from kafkacompat.storage.flush import Flusher
    from kafkacompat.storage.log_directory import LogDirectory

    class Node(services.Configured, services.Storage, services.Waiting, services.ControllerCalls, Protocol):
        """The services that the tasks use."""

        @property
        def background(self) -> Background: ...
        @property
        def compaction(self) -> Compaction: ...
        @property
        def flusher(self) -> Flusher: ...
        @property
        def lifecycle(self) -> Lifecycle | None: ...
        @property
        def on_fatal(self) -> Callable[[str], None]: ...
        @property
        def partitions(self) -> ReplicaManager: ...
        @property
        def retention(self) -> RetentionCheck: ...
        @property
        def view(self) -> ClusterView: ...


RETENTION = "retention"  #: the key of its timer
DELETE_CHECK_MS = 10_000  # a deleted log leaves the disk up to this much later than file.delete.delay.ms
FLUSH_CHECK_MS = 3_000  # a flush may be this much later than flush.ms, unless log.flush.scheduler.interval.ms is set
DISK_CHECK_MS = 500  # a failed disk stops the node, and a disk with room resumes appends, within this time
FULL_CHECK_MS = 500  # a replica that lags because its disk is full leaves the ISR within this time


def schedule(node: "Node", now: "Now") -> None:
    """Start all periodic tasks."""
    config, logs, timers = node.config, node.logs, node.timers
    checkpoint_ms = config.get_int("replica.high.watermark.checkpoint.interval.ms")
    moved = node.partitions.moved_high_watermarks
    repeat_in_steps(timers, "checkpoint", checkpoint_ms, lambda _: logs.checkpoint(moved), now)
    repeat(timers, "deleted logs", DELETE_CHECK_MS, logs.remove_deleted, now)
    expiration_check_ms = config.get_int("producer.id.expiration.check.interval.ms")

    def expire(at: "Now") -> "Steps[None]":
        return expire_producers(logs.all_logs(), node.config.get_int("producer.id.expiration.ms"), at)

    repeat_in_steps(timers, "producer expiration", expiration_check_ms, expire, now)
    retention = node.retention
    retention.begin(now)
    check_ms = config.get_int("log.retention.check.interval.ms")
    first_ms = config.get_int("log.initial.task.delay.ms")
    repeat_in_steps(timers, RETENTION, check_ms, retention.check, now, first_ms=first_ms)
    repeat(timers, "isr", max(1, node.view.lag_time_max_ms // 2), node.partitions.check_lag, now)
    flush_check_ms = max(1, config.get_int("log.flush.scheduler.interval.ms"))
    flush_check_ms = FLUSH_CHECK_MS if flush_check_ms == LONG_MAX else flush_check_ms
    repeat(timers, "due flushes", flush_check_ms, logs.request_due_flushes, now)

    watch_disk(node, now)
    node.compaction.schedule(now)

    def check_full_replicas(at: "Now") -> None:
        if node.view.has_full_brokers:
            node.partitions.check_lag(at)

    if node.network is not None:
        repeat(timers, "full replicas", FULL_CHECK_MS, check_full_replicas, now)


def watch_disk(node: "Node", now: "Now") -> None:
    """Stop the node when the disk of its metadata log has failed, or the last of its directories. When another one has
    failed, resign its partitions and tell the controller. When a full disk has room again, resume appends and tell it.

    The disks are checked on a background thread, one check at a time.
    """
    logs, timers = node.logs, node.timers
    full_directories: list[LogDirectory] = []
    is_checking = False
    known_offline: tuple[object, ...] = tuple(each for each in logs.offline_directories if each.directory_id is None)

    def check(at: "Now") -> None:
        nonlocal is_checking, known_offline
        if logs.failure is not None:
            timers.cancel("disk")
            node.on_fatal(logs.failure)
            return
        if logs.offline_directories != known_offline:
            failed = [each for each in logs.offline_directories if each not in known_offline]
            known_offline = logs.offline_directories
            node.partitions.directories_failed(at)
            for each in failed:
                if node.lifecycle is not None and each.directory_id is not None:
                    node.lifecycle.directory_failed(each.directory_id, at)
        if not any(each.disk.needs_restore for each in logs.all_directories):
            checked(None, at)
        elif not is_checking:
            is_checking = True
            node.background.submit(OTHER_WORK, logs.restore_reserves, checked)

    def checked(_outcome: "Exception | None", at: "Now") -> None:
        nonlocal is_checking, full_directories
        is_checking = False
        logs.write_missing_markers()
        node.flusher.try_again()
        node.partitions.has_room(at)
        if logs.full_directories != full_directories and node.lifecycle is not None:
            full_directories = logs.full_directories
            node.lifecycle.room_changed(at)

    repeat(timers, "disk", DISK_CHECK_MS, check, now)


def repeat(
    timers: "Timers",
    key: str,
    interval_ms: int,
    action: "Callable[[Now], object]",
    now: "Now",
    first_ms: int | None = None,
) -> None:
    """Call `action(now)` every `interval_ms`, also after it has raised; first after `first_ms`, if that is given."""

    def run(at: "Now") -> None:
        timers.set(key, at.monotonic_ms + interval_ms, run)
        action(at)

    timers.set(key, now.monotonic_ms + (interval_ms if first_ms is None else first_ms), run)


def repeat_in_steps(
    timers: "Timers",
    key: str,
    interval_ms: int,
    begin: "Callable[[Now], Steps[None]]",
    now: "Now",
    first_ms: int | None = None,
) -> None:
    """Start work that takes several turns of the loop every `interval_ms`."""

    def resume(work: Stepped, at: "Now") -> None:
        if not work.resume():
            timers.set((key, "more"), at.monotonic_ms, partial(resume, work))

    repeat(timers, key, interval_ms, lambda at: resume(Stepped(begin(at)), at), now, first_ms)


def watch_quorum(quorum: "MetadataQuorum", timers: "Timers", now: "Now") -> None:
    """Run the timer of a single voter, which has no quorum channel: snapshots of its metadata become due."""
    armed_ms = NEVER

    def arm(at: "Now") -> None:
        nonlocal armed_ms
        deadline_ms = max(quorum.deadline_ms, at.monotonic_ms)
        if deadline_ms == armed_ms:
            return
        armed_ms = deadline_ms
        if deadline_ms < NEVER:
            timers.set("quorum", deadline_ms, tick)
        else:
            timers.cancel("quorum")

    def tick(at: "Now") -> None:
        nonlocal armed_ms
        armed_ms = NEVER
        quorum.tick(at)
        arm(at)

    quorum.on_event_processed = arm
    arm(now)
