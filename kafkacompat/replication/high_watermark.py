"""The rule for the high watermark (R3 and R4 of docs/replication.md), as one pure function.

The high watermark is the offset below which every record is on all replicas of the *maximal* in-sync set: the committed
ISR and the members that a pending proposal would add. It moves only while the committed ISR has at least
min.insync.replicas members, which makes eligible leader replicas safe (KIP-966).
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def next_high_watermark(
    current: int, own_end_offset: int, follower_end_offsets: "Iterable[int]", *, isr_size: int, min_isr: int
) -> int:
    """The new high watermark, never below `current`.

    `own_end_offset` is the leader's log end (its flushed end under flush.messages=1), `follower_end_offsets` those of
    the other members of the maximal isr, `min_isr` already min(min.insync.replicas, replication factor).
    """
    if isr_size < min_isr:
        return current
    candidate = own_end_offset
    for offset in follower_end_offsets:
        candidate = min(candidate, offset)
    return max(current, candidate)


def effective_min_isr(min_insync_replicas: int, replica_count: int) -> int:
    """min.insync.replicas, at most the number of replicas."""
    return max(1, min(min_insync_replicas, replica_count))
