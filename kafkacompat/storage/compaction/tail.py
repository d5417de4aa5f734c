"""Bounds the part of a coordinator's log that compaction never reaches: its active segment.

A coordinator reads its whole log when it loads. Kafka's waits until the active segment is full (100 MiB, more than a
million commits).
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.now import Now
    from kafkacompat.storage.log import Log

TAIL_RECORDS = 100_000
"""Offsets that an active segment may span, whatever they are of."""


def is_long(log: "Log") -> bool:
    """Whether the active segment is one that `bound_tail` may end."""
    active = log.segments.active
    return active is not None and log.log_end_offset - active.base_offset > TAIL_RECORDS


def bound_tail(log: "Log", clean_offset: int, now: "Now") -> bool:
    """Begin a new segment if the active one is long, and larger than what was compacted, which is all below
    ``clean_offset``. Returns whether it did.

    What was compacted has about a record for each live key. A larger tail therefore holds superseded records mostly;
    and where all keys are new, the segments double, so that they stay few. Raises LogError.
    """
    active = log.segments.active
    if active is None or not is_long(log):
        return False
    clean_bytes = 0
    for segment in log.segments.all:
        if segment.base_offset >= clean_offset or segment is active:
            break
        clean_bytes += segment.size_bytes
        if clean_bytes >= active.size_bytes:
            return False
    log.roll(now)
    return True
