"""The quorum's state machine on one voter: which epoch, who leads, what is committed (Kafka's KafkaRaftClient).

Pure: it is told what has become durable and answers what follows. Today's voter set is this voter alone, which is
elected by its own vote, and commits what its own log has flushed. Votes, followers and resignation join it here.
"""

from kafkacompat.replication.raft.quorum_state import QuorumState


class Voter:
    """One member of the voter set. `endpoints` are of its controller listeners: (name, host, port)."""

    __slots__ = ("directory_id", "endpoints", "id")

    def __init__(self, voter_id: int, directory_id: bytes, endpoints: tuple[tuple[str, str, int], ...]) -> None:
        self.id = voter_id
        self.directory_id = directory_id
        self.endpoints = endpoints


class Raft:
    """`high_watermark` is the offset below which the log is committed; the rest is Kafka's words."""

    __slots__ = ("epoch", "epoch_start_offset", "high_watermark", "is_leader", "node_id", "voters")

    def __init__(self, node_id: int, directory_id: bytes, voters: tuple[Voter, ...], epoch: int) -> None:
        assert [(voter.id, voter.directory_id) for voter in voters] == [(node_id, directory_id)]
        self.node_id = node_id
        self.voters = voters
        self.epoch = epoch
        self.is_leader = False
        self.epoch_start_offset = 0
        self.high_watermark = 0

    def stand(self) -> QuorumState:
        """Take part in the election of the next epoch, which a lone voter wins; store the answer before doing more.

        A voter that led before a restart never goes on in its old epoch.
        """
        self.epoch += 1
        return QuorumState(self.epoch, leader_id=self.node_id)

    def lead(self, log_end_offset: int) -> None:
        """The state is stored: this epoch's records begin at the end of the log."""
        self.is_leader = True
        self.epoch_start_offset = log_end_offset

    def flushed(self, offset: int) -> bool:
        """Everything below `offset` is durable here. Whether that moves the high watermark.

        It moves only past the start of the epoch: records of older epochs are committed by the first of the new one.
        """
        if not self.is_leader or offset <= max(self.epoch_start_offset, self.high_watermark):
            return False
        self.high_watermark = offset
        return True
