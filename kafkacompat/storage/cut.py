"""Cutting a log off at an offset, so that no crash brings back what was cut around what is written behind it.

Kafka syncs no truncation. Here one is durable before the next append. Where the owner can wait that is the flusher's
work, all logs at once: when a leader dies, thousands of them may be cut in one turn of the loop.
"""

from kafkacompat.storage.flush import guard_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.storage.log import Log


def cut(log: "Log", offset: int, end_offset: int) -> None:
    """Cut the files at ``offset``, or remove all with -1; the log ends at ``end_offset`` then. Raises OSError."""
    flusher = log.flusher if log.owner.defers_cuts else None
    with guard_of(log):
        log.truncations += 1  # what a sync on its way has seen is not so any more
        if flusher is None:
            log.owner.cutting(log, max(0, offset))
    if log.owner.waiting is not None:
        log.owner.waiting.add_with_files(log)
    log.segments.cut(offset, sync=flusher is None)
    log.plan_sync()
    log.log_end_offset = end_offset
    log.log_start_offset = min(log.log_start_offset, end_offset)
    log.flushed_offset = min(log.flushed_offset, end_offset)
    log.tell_moved()
    if flusher is not None:
        log.has_unsynced_cut = True
        flusher.request(log)
    log.epochs.truncate_from_end(end_offset)
