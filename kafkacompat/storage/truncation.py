"""Where two logs diverge, told by leader epochs, and where the follower truncates (KIP-101, KIP-595; F2, F3).

The same rule for partitions and for the metadata log.
"""

from kafkacompat.protocol.constants import NO_PARTITION_LEADER_EPOCH


def diverging_epoch(fetch_offset: int, last_fetched_epoch: int, agreed: tuple[int, int]) -> tuple[int, int] | None:
    """At the leader (F2): the epoch and the end offset up to which the logs may agree; None where the follower's log is
    a part of ours.

    `agreed` is the largest epoch that the leader knows at or below the follower's last, and where that epoch ends.
    """
    epoch, end_offset = agreed
    return agreed if epoch < last_fetched_epoch or end_offset < fetch_offset else None


def truncation_offset(epoch: int, end_offset: int, own: tuple[int, int], log_end_offset: int) -> int:
    """At the follower (F3): where to truncate, when the leader's log agrees up to `end_offset` of `epoch` at most.

    `own` is the largest epoch that the follower knows at or below `epoch`, and where that epoch ends;
    NO_PARTITION_LEADER_EPOCH where it knows none.
    """
    own_epoch, own_end = own
    if own_epoch == NO_PARTITION_LEADER_EPOCH:
        return min(end_offset, log_end_offset)
    if own_epoch != epoch:
        return min(own_end, log_end_offset)  # an older one of ours may agree: the next fetch will tell
    return min(end_offset, own_end, log_end_offset)
