"""What a broker does again and again: checkpoints, deletions, expiry, flushes that are due."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.broker.broker import Broker
    from kafkacompat.broker.timers import Timers
    from kafkacompat.now import Now

DELETE_CHECK_MS = 10_000  # how late a deleted log may leave the disk, beyond file.delete.delay.ms
FLUSH_CHECK_MS = 3_000  # how late flush.ms may be
DISK_CHECK_MS = 500  # how late a node is stopped whose disk has failed


def schedule(broker: "Broker", now: "Now") -> None:
    """Start all of it."""
    config, logs, timers = broker.config, broker.logs, broker.timers
    checkpoint_ms = config.get_int("replica.high.watermark.checkpoint.interval.ms")
    repeat(timers, "checkpoint", checkpoint_ms, lambda at: logs.checkpoint(at, broker.high_watermarks()), now)
    repeat(timers, "deleted logs", DELETE_CHECK_MS, logs.remove_deleted, now)
    expiration_check_ms = config.get_int("producer.id.expiration.check.interval.ms")

    def expire_producers(at: "Now") -> None:
        logs.expire_producers(broker.config.get_int("producer.id.expiration.ms"), at)

    repeat(timers, "producer expiration", expiration_check_ms, expire_producers, now)
    repeat(timers, "isr", max(1, broker.view.lag_time_max_ms // 2), broker.partitions.check_lag, now)
    repeat(timers, "due flushes", FLUSH_CHECK_MS, logs.request_due_flushes, now)

    def look_at_disk(_at: "Now") -> None:
        """Others can take over what a node leads whose disk has failed; one that is alone stays, to be asked."""
        if logs.offline is not None:
            timers.cancel("disk")
            broker.on_fatal(f"data directory {logs.path} has failed: {logs.offline}")

    if broker.network is not None:
        repeat(timers, "disk", DISK_CHECK_MS, look_at_disk, now)


def repeat(timers: "Timers", key: str, interval_ms: int, action: "Callable[[Now], object]", now: "Now") -> None:
    """Call `action(now)` every `interval_ms`; one that fails is called again all the same."""

    def run(at: "Now") -> None:
        timers.set(key, at.monotonic_ms + interval_ms, run)
        action(at)

    timers.set(key, now.monotonic_ms + interval_ms, run)
