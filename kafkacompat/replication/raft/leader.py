"""The leader of the quorum: appends, serves fetches, commits, sends BeginQuorumEpoch, resigns (KIP-595)."""

from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.protocol.error_codes import (
    FENCED_LEADER_EPOCH,
    KAFKA_STORAGE_ERROR,
    NONE,
    NOT_LEADER_OR_FOLLOWER,
    POSITION_OUT_OF_RANGE,
    SNAPSHOT_NOT_FOUND,
    UNKNOWN_LEADER_EPOCH,
)
from kafkacompat.replication.raft.commit_times import CommitTimes
from kafkacompat.replication.raft.leader_state import DelayedFetch, ReplicaInfo
from kafkacompat.replication.raft.messages import BeginEpoch, EndEpoch, FetchAnswer, SnapshotAnswer, is_voter
from kafkacompat.replication.raft.request_manager import BEGIN_EPOCH, END_EPOCH
from kafkacompat.storage.errors import ShortageError
from kafkacompat.storage.shortage import ShortageReport
from kafkacompat.storage.truncation import diverging_epoch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.now import Now
    from kafkacompat.replication.raft.leader_state import LeaderState
    from kafkacompat.replication.raft.messages import Fetch, FetchSnapshot
    from kafkacompat.replication.raft.quorum_state import QuorumState
    from kafkacompat.replication.raft.voters import Voter


class Leader:
    """Acts while the replica leads. Fetches that reach another replica are answered with the leader that it knows."""

    def __init__(self, quorum: "QuorumState") -> None:
        self._quorum = quorum
        self.commit_times = CommitTimes()
        self._shortage = ShortageReport()

    # --- the epoch ---

    def begin(self, granted: "set[int]", now: "Now") -> None:
        """A majority voted for us: append the LeaderChange record that begins the epoch (§3.4)."""
        quorum = self._quorum
        quorum.win_election()
        offset = quorum.log.append_leader_change(quorum.epoch, quorum.node_id, tuple(sorted(granted)), now)
        state = quorum.to_leader(offset, now)
        self.commit_times.begin()
        quorum.requests.sync()
        self.tick(state, now)

    def tick(self, state: "LeaderState", now: "Now") -> None:
        """Resign if a majority stopped fetching, send due BeginQuorumEpoch requests, complete expired fetches."""
        quorum, now_ms = self._quorum, now.monotonic_ms
        state.timeout_ms = state.quorum_lost_at_ms(quorum.timing.check_quorum_timeout_ms, now_ms)
        if now_ms >= state.timeout_ms:
            self.resign(state, now)
            return
        for voter_id in state.take_due_begin_epochs(now_ms, quorum.timing.election_timeout_ms // 2):
            if not quorum.requests.is_pending(BEGIN_EPOCH, voter_id):
                key = (voter_id, quorum.voters[voter_id])
                quorum.requests.send(voter_id, BEGIN_EPOCH, BeginEpoch(quorum.epoch, quorum.node_id, key))
        self._complete_delayed_fetches(state, now)

    def resign(
        self, state: "LeaderState", now: "Now", error_code: int = NOT_LEADER_OR_FOLLOWER, *, first: int | None = None
    ) -> None:
        """Resign, and send the voters the preferred successors (§3.7). Delayed fetches get the error."""
        quorum = self._quorum
        ids = sorted(state.successors(), key=lambda voter_id: voter_id != first)
        successors = tuple((voter_id, quorum.voters[voter_id]) for voter_id in ids)
        for voter_id in quorum.other_voters:
            quorum.requests.send(voter_id, END_EPOCH, EndEpoch(quorum.epoch, quorum.node_id, successors))
        quorum.to_resigned(now, error_code)

    # --- the log ---

    def append(self, state: "LeaderState", values: "Any", now: "Now") -> int:
        """Append a batch. Returns the offset of its first record."""
        quorum = self._quorum
        offset = quorum.log.append_as_leader(values, quorum.epoch, now)
        self.commit_times.appended(offset, quorum.log.end_offset, now.monotonic_ms)
        quorum.requests.sync()
        self._complete_delayed_fetches(state, now)
        return offset

    def append_voters(self, state: "LeaderState", voters: "tuple[Voter, ...]", now: "Now") -> int:
        """Append a voter set, which is in effect at once (KIP-853). Returns the offset of its record."""
        quorum = self._quorum
        assert quorum.log.voters_offset < quorum.high_watermark
        former = quorum.voters
        offset = quorum.log.append_voters(voters, quorum.epoch, now)
        quorum.read_voters()
        others = [(voter_id, quorum.voters[voter_id]) for voter_id in quorum.other_voters]
        state.set_voters(others, former, now.monotonic_ms, is_voter=quorum.is_voter)
        quorum.requests.sync()
        self._complete_delayed_fetches(state, now)
        return offset

    def commit(self, state: "LeaderState", now: "Now") -> None:
        """Advance the high watermark to what a majority holds."""
        quorum = self._quorum
        high_watermark = state.high_watermark(quorum.log.flushed_offset, quorum.high_watermark)
        if high_watermark > quorum.high_watermark:
            quorum.high_watermark = high_watermark
            self.commit_times.committed(high_watermark, now.monotonic_ms)
            self._complete_delayed_fetches(state, now)
            if not quorum.is_voter and quorum.log.voters_offset < high_watermark:
                self.resign(state, now)  # its removal from the voters is committed (KIP-853)

    def replicas(self, now: "Now") -> "tuple[list[ReplicaInfo], list[ReplicaInfo]]":
        """The state of all voters, the leader included, and of the observers that fetched recently."""
        quorum, state = self._quorum, self._quorum.leader_state
        assert state is not None
        own = ReplicaInfo(quorum.key, quorum.log.end_offset, now.monotonic_ms, now.monotonic_ms)
        voters = [own if key[0] == quorum.node_id else state.voter_info(key) for key in quorum.voters.items()]
        return voters, state.recent_observers(now.monotonic_ms)

    # --- fetches ---

    def handle_fetch(self, token: object, fetch: "Fetch", now: "Now") -> None:
        """Serve a replica's fetch, or answer with the leader (R8)."""
        quorum, state = self._quorum, self._quorum.leader_state
        requests, log = quorum.requests, quorum.log
        if fetch.epoch != quorum.epoch or state is None:
            error = self._error_of_epoch(fetch.epoch)
            requests.reply(token, FetchAnswer(error, quorum.leader_id, quorum.epoch))
            return
        snapshot_id = log.snapshot_id
        if snapshot_id is not None and self._needs_snapshot(fetch):
            requests.reply(token, self._fetch_answer(snapshot_id=snapshot_id))
            return
        where = diverging_epoch(fetch.offset, fetch.last_epoch, log.end_for(fetch.last_epoch))
        if where is not None:  # a diverging fetch acknowledges nothing
            requests.reply(token, self._fetch_answer(diverging=where))
            return
        state.fetched(fetch, log.end_offset, now.monotonic_ms, is_voter=is_voter(quorum.voters, fetch.key))
        former = state.delay(DelayedFetch(token, fetch, now.monotonic_ms + fetch.max_wait_ms))
        if former is not None:
            requests.reply(former.token, self._fetch_answer())
        self.commit(state, now)
        self._complete_delayed_fetches(state, now)

    def handle_fetch_snapshot(self, token: object, fetch: "FetchSnapshot", now: "Now") -> None:
        """Serve bytes of a snapshot to a replica whose log ends before ours starts (KIP-630)."""
        quorum, state = self._quorum, self._quorum.leader_state
        error = self._error_of_epoch(fetch.epoch)
        size_bytes = quorum.log.snapshot_size(fetch.snapshot_id) if error == NONE else None
        if error == NONE and size_bytes is None:
            error = SNAPSHOT_NOT_FOUND
        elif error == NONE and size_bytes is not None and not 0 <= fetch.position < size_bytes:
            error = POSITION_OUT_OF_RANGE
        if error != NONE or state is None:
            quorum.requests.reply(token, SnapshotAnswer(error, quorum.leader_id, quorum.epoch, fetch.snapshot_id))
            return
        state.fetched_snapshot(fetch.key, now.monotonic_ms, is_voter=is_voter(quorum.voters, fetch.key))
        data = quorum.log.read_snapshot(fetch.snapshot_id, fetch.position, fetch.max_bytes)
        answer = SnapshotAnswer(
            NONE, quorum.leader_id, quorum.epoch, fetch.snapshot_id,
            size_bytes=size_bytes or 0, position=fetch.position, data=data,
        )  # fmt: skip
        quorum.requests.reply(token, answer)

    def _needs_snapshot(self, fetch: "Fetch") -> bool:
        """Whether a replica's log ends or diverges before our log start. Epochs below the log start are unknown here,
        so the point of divergence is unknown (Kafka's RaftLog.validateOffsetAndEpoch).
        """
        log = self._quorum.log
        return fetch.offset == 0 or fetch.offset < log.start_offset or fetch.last_epoch < log.start_epoch

    def _error_of_epoch(self, epoch: int) -> int:
        """The error for a request in another epoch, or to a replica that does not lead (R8)."""
        quorum = self._quorum
        if epoch != quorum.epoch:
            return FENCED_LEADER_EPOCH if epoch < quorum.epoch else UNKNOWN_LEADER_EPOCH
        return NONE if quorum.leader_state is not None else NOT_LEADER_OR_FOLLOWER

    def _complete_delayed_fetches(self, state: "LeaderState", now: "Now") -> None:
        log = self._quorum.log
        for delayed in state.take_due(log.end_offset, self._known_high_watermark, now.monotonic_ms):
            try:
                answer = self._fetch_answer(records=log.read(delayed.fetch.offset, delayed.fetch.max_bytes))
            except ShortageError as error:  # its replica comes again after a pause; what led here has happened
                self._shortage.write("fetches of metadata are refused", error, now)
                answer = FetchAnswer(KAFKA_STORAGE_ERROR, self._quorum.leader_id, self._quorum.epoch)
            self._quorum.requests.reply(delayed.token, answer)

    @property
    def _known_high_watermark(self) -> int:
        """Unknown until the leader has committed a record of its own epoch."""
        return self._quorum.high_watermark if self._quorum.has_committed else UNKNOWN_OFFSET

    def _fetch_answer(
        self,
        *,
        diverging: tuple[int, int] | None = None,
        records: "Any" = None,
        snapshot_id: tuple[int, int] | None = None,
    ) -> FetchAnswer:
        quorum = self._quorum
        return FetchAnswer(
            NONE, quorum.leader_id, quorum.epoch, high_watermark=self._known_high_watermark,
            log_start_offset=quorum.log.start_offset, diverging=diverging, records=records, snapshot_id=snapshot_id,
        )  # fmt: skip
