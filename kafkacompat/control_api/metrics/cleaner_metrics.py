"""The part of `/metrics` about compaction: Kafka's `LogCleaner` and `LogCleanerManager`."""

from __future__ import annotations

from collections import Counter

from kafkacompat.control_api.metrics.exposition import GAUGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.compaction import Compaction
    from kafkacompat.control_api.metrics.exposition import Exposition
    from kafkacompat.now import Now
    from kafkacompat.storage.manager import LogManager

CLEANER = "kafka_log_logcleaner_"
MANAGER = "kafka_log_logcleanermanager_"


def of_cleaner(out: Exposition, compaction: Compaction, logs: LogManager, now: Now) -> None:
    """Nothing is said where `log.cleaner.enable` is false. Without a compacted log the numbers are 0."""
    if not compaction.is_enabled:
        return
    cleaner = compaction.cleaner
    last_ms, ratio, recopied, took_ms, delay_ms = compaction.last_look_ms, 0.0, 0.0, 0, 0
    if cleaner is not None:
        last, ratio = cleaner.last_pass, cleaner.max_dirty_ratio
        recopied, took_ms, delay_ms = last.written_bytes / max(1, last.read_bytes), last.took_ms, last.max_delay_ms
        last_ms = max(last_ms, cleaner.last_round_ms or 0)
    for name, says, value in (
        (f"{MANAGER}max_dirty_percent", "The largest share of a log that was never compacted.", int(100 * ratio)),
        (f"{MANAGER}time_since_last_run_ms", "How long ago logs were looked at.", now.monotonic_ms - last_ms),
        (f"{CLEANER}cleaner_recopy_percent", "How much of what it read the last pass wrote.", int(100 * recopied)),
        (f"{CLEANER}max_clean_time_secs", "How long the last pass took.", took_ms // 1000),
        (
            f"{CLEANER}max_compaction_delay_secs",
            "How long after max.compaction.lag.ms the last pass began.",
            delay_ms // 1000,
        ),
        (f"{CLEANER}deadthreadcount", "1 if nothing will be compacted before the next start.", int(compaction.is_dead)),
    ):
        out.one(name, GAUGE, says, value)
    _uncleanable(out, compaction, logs)


def _uncleanable(out: Exposition, compaction: Compaction, logs: LogManager) -> None:
    cleaner = compaction.cleaner
    counts: Counter[str] = Counter({directory.path: 0 for directory in logs.directories})
    size_bytes = counts.copy()
    if cleaner is not None:
        for key in cleaner.uncleanable:
            path = logs.directory_for(*key).path
            counts[path] += 1
            size_bytes[path] += cleaner.uncleanable_bytes.get(key, 0)
    for name, says, found in (
        ("uncleanable_partitions_count", "Logs whose compaction failed.", counts),
        ("uncleanable_bytes", "What would be compacted of them.", size_bytes),
    ):
        out.family(MANAGER + name, GAUGE, says)
        for path, value in sorted(found.items()):
            out.sample(value, logDirectory=path)
