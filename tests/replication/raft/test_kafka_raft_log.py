"""The log on disk behaves as the simulator's log in memory, and accepts only valid batches from a leader."""

from __future__ import annotations

import random

import pytest

from kafkacompat.protocol.internal.cluster_metadata import NoOpRecord
from kafkacompat.protocol.internal.control_records import LeaderChangeMessage
from kafkacompat.replication.raft.batches import encode_record, metadata_batch
from kafkacompat.replication.raft.client import RaftClient
from kafkacompat.replication.raft.election_state import ElectionState
from kafkacompat.replication.raft.kafka_raft_log import KafkaRaftLog
from kafkacompat.replication.raft.messages import BeginEpoch, Fetch, FetchAnswer, Send
from kafkacompat.replication.raft.quorum_state import QuorumState
from kafkacompat.replication.raft.snapshots import Snapshots
from kafkacompat.replication.raft.voters import Voter, VoterHistory
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.memfs import MemFs
from tests.replication.decoding import decode_all
from tests.sim.disk import MemoryLog
from tests.storage.support import at, open_log

VALUE = encode_record(NoOpRecord())


def make() -> tuple[MemFs, KafkaRaftLog]:
    fs = MemFs()
    log = open_log(fs)
    return fs, KafkaRaftLog(log, Snapshots(fs, log.path), [3, 1, 2])


def content(log: KafkaRaftLog, offset: int = 0) -> bytes:
    part = log.read(offset)
    try:
        return part.read(0, len(part))
    finally:
        part.release()


@pytest.mark.parametrize("seed", range(30))
def test_it_is_the_log_of_the_simulator(seed: int) -> None:
    rng = random.Random(seed)
    log, model = make()[1], MemoryLog()
    _, follower = make()
    epoch = 0
    for _ in range(60):
        what = rng.randrange(4)
        if what == 0:
            epoch += rng.randint(1, 3)
            assert log.append_leader_change(epoch, 1, (1, 2), at()) == model.append_leader_change(epoch, 1, (), at())
        elif what < 3 and epoch:
            count = rng.randint(1, 3)
            offset = log.append_as_leader([VALUE] * count, epoch, at())
            assert offset == model.append_as_leader(["v"] * count, epoch, at())
        elif epoch:
            starts = [batch.last_offset + 1 for batch in decode_all(content(log))]
            cut = rng.choice([0, *starts])
            log.truncate_to(cut)
            model.truncate_to(cut)
            follower.truncate_to(min(cut, follower.end_offset))
        assert (log.end_offset, log.last_epoch) == (model.end_offset, model.last_epoch)
        for asked in range(epoch + 2):
            assert log.end_for(asked) == model.end_for(asked), asked
        if follower.end_offset < log.end_offset:
            follower.append_as_follower(content(log, follower.end_offset), epoch, at())
        assert content(follower) == content(log)
        assert follower.last_epoch == log.last_epoch


def test_an_epoch_begins_as_kafka_begins_it() -> None:
    _, log = make()
    log.append_leader_change(7, 2, (2, 3), at())
    (batch,) = decode_all(content(log))
    assert (batch.is_control, batch.epoch, batch.last_offset) == (True, 7, 0)
    (record,) = batch.records
    assert isinstance(record, LeaderChangeMessage)
    assert record.leader_id == 2
    assert [voter.voter_id for voter in record.voters] == [1, 2, 3]
    assert [voter.voter_id for voter in record.granting_voters] == [2, 3]


@pytest.mark.parametrize(
    ("base_offset", "epoch", "is_damaged"), [(0, 7, False), (1, 6, False), (1, 8, False), (1, 7, True)]
)
def test_what_a_leader_must_not_send_is_not_appended(base_offset: int, epoch: int, *, is_damaged: bool) -> None:
    _, log = make()
    log.append_leader_change(7, 2, (2, 3), at())
    batch = metadata_batch([VALUE], 0, base_offset=base_offset, epoch=epoch)
    batch[-1] ^= is_damaged
    with pytest.raises(LogError):
        log.append_as_follower(batch, 7, at())
    assert log.end_offset == 1


def test_only_what_is_flushed_counts_and_a_cut_takes_it_back() -> None:
    fs = MemFs()
    log = open_log(fs)
    raft_log = KafkaRaftLog(log, Snapshots(fs, log.path), [1])
    raft_log.append_leader_change(1, 1, (1,), at())
    raft_log.append_as_leader([VALUE], 1, at())
    assert raft_log.flushed_offset == 0
    log.flush()
    assert raft_log.flushed_offset == 2
    raft_log.truncate_to(1)
    assert (raft_log.flushed_offset, raft_log.end_offset) == (1, 1)
    fs.restart()
    again = KafkaRaftLog(open_log(fs), Snapshots(fs, log.path), [1])
    assert (again.end_offset, again.last_epoch, again.end_for(5)) == (1, 1, (1, 1))


def test_a_leader_says_who_votes_where_the_log_does_not_and_where_it_has_moved() -> None:
    fs = MemFs()
    log = open_log(fs)
    voters = (Voter(1, bytes(range(16))), Voter(2, bytes(16)))
    moved = Voter(1, bytes(range(16)), (("C", "elsewhere", 1),))

    def led(epoch: int, history: VoterHistory, own: Voter) -> list[str]:
        raft_log = KafkaRaftLog(log, Snapshots(fs, log.path), [], history, own)
        offset = raft_log.append_leader_change(epoch, 1, (1, 2), at())
        batches = [batch for batch in decode_all(content(raft_log, offset)) if batch.epoch == epoch]
        return [type(record).__name__ for batch in batches for record in batch.records]

    change, news = ["LeaderChangeMessage"], ["KRaftVersionRecord", "VotersRecord"]
    assert led(1, VoterHistory(), moved) == change
    history = VoterHistory([(-1, voters)])
    assert led(2, history, voters[0]) == change + news
    assert led(3, history, voters[0]) == change
    assert led(4, history, Voter(9, bytes(16), (("C", "elsewhere", 1),))) == change
    assert led(5, history, moved) == change + news
    assert history.newest is not None
    assert [voter.endpoints for voter in history.newest] == [moved.endpoints, ()]
    assert led(6, history, moved) == change


def test_the_first_set_of_voters_follows_what_says_that_there_are_some() -> None:
    """In one batch: neither is there without the other (Kafka's KRaftVersionUpgrade)."""
    _, log = make()
    voters = (Voter(1, bytes(range(16))),)
    assert log.append_voters(voters, 1, at()) == 1
    assert log.append_voters(voters, 1, at()) == 2
    batches = [[type(record).__name__ for record in batch.records] for batch in decode_all(content(log))]
    assert batches == [["KRaftVersionRecord", "VotersRecord"], ["VotersRecord"]]
    log.truncate_to(0)
    assert log.voters is None


def test_a_replica_that_was_sent_what_does_not_fit_tries_again() -> None:
    """Its log stays as it was, its leader is not taken for alive, and after a while others are asked."""
    _, log = make()
    stored: list[ElectionState] = []
    voters = dict.fromkeys((1, 2, 3), bytes(16))
    replica = RaftClient(QuorumState(1, bytes(16), voters, log, None, stored.append, random.Random(1)), at())
    replica.requested("b", BeginEpoch(5, 2), at())
    (fetch,) = [effect for effect in replica.take_effects() if isinstance(effect, Send) and effect.node_id == 2][-1:]
    records = bytearray(metadata_batch([VALUE], 0, base_offset=0, epoch=5))
    records[-1] ^= 1
    replica.answered(fetch.token, FetchAnswer(0, 2, 5, high_watermark=1, records=bytes(records)), at())
    assert (log.end_offset, replica.high_watermark) == (0, 0)
    assert replica.take_effects() == []
    replica.tick(at(replica.timing.refetch_ms))
    (again,) = replica.take_effects()
    assert isinstance(again, Send)
    assert isinstance(again.message, Fetch)


def test_of_a_snapshot_that_another_takes_the_place_of_nothing_is_left() -> None:
    """The leader has made a newer one before all of the first was fetched, or is another leader."""
    fs, log = make()
    log.receive_snapshot((5, 1), 0, b"the beginning")
    (first,) = (name for name in fs.files() if "00005-" in name)
    log.receive_snapshot((7, 1), 0, b"another beginning")
    assert not fs.exists(first)
    assert any("00007-" in name for name in fs.files())
