"""Where two logs part, told by leader epochs (KIP-595; §2.5 F2 and F3)."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.replication.raft.messages import Fetch
    from kafkacompat.replication.raft.raft_log import RaftLog


class LostCommittedError(Exception):
    """Committed records would have to be cut (§3.6): this replica must stop; some log is not what it was."""


def diverging(log: "RaftLog", fetch: "Fetch") -> tuple[int, int] | None:
    """At the leader (F2): the epoch and end up to which a replica's log can agree with ours; None where it all does."""
    epoch, end = log.end_for(fetch.last_epoch)
    return (epoch, end) if epoch < fetch.last_epoch or end < fetch.offset else None


def cut_offset(log: "RaftLog", epoch: int, end: int, committed_offset: int) -> int:
    """At the replica (F3): from where to cut, when the leader's log agrees up to `end` of `epoch` at most.

    Raises LostCommittedError where that is below `committed_offset` (F4).
    """
    own_epoch, own_end = log.end_for(epoch)
    target = min(own_end, log.end_offset) if own_epoch != epoch else min(end, own_end, log.end_offset)
    if target < committed_offset:
        raise LostCommittedError(
            f"the leader has another log from offset {target} on; here records below {committed_offset} are committed"
        )
    return target
