"""Fetching the metadata log: the fetch offset acknowledges durable records, and responses are validated (F3, F5)."""

import logging

from kafkacompat.now import NEVER
from kafkacompat.protocol.error_codes import KAFKA_STORAGE_ERROR, NONE
from kafkacompat.replication.raft.epoch_state import FollowerState, UnattachedState
from kafkacompat.replication.raft.messages import Fetch, FetchSnapshot
from kafkacompat.replication.raft.request_manager import FETCH, FETCH_SNAPSHOT, FIND_LEADER
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.truncation import truncation_offset

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.now import Now
    from kafkacompat.replication.raft.messages import FetchAnswer, SnapshotAnswer
    from kafkacompat.replication.raft.quorum_state import QuorumState

_log = logging.getLogger(__name__)


class LostCommittedError(Exception):
    """Committed records would have to be truncated (F4, §3.6): this replica must stop; some log is not what it was."""


class Follower:
    """Fetches from the leader, or from any voter to find the leader."""

    def __init__(self, quorum: "QuorumState") -> None:
        self._quorum = quorum

    def follow(self, leader_id: int, now: "Now", epoch: int | None = None) -> None:
        """Become a follower of this leader and fetch."""
        self._quorum.to_follower(leader_id, now, epoch)
        self.fetch()

    def fetch(self) -> None:
        """Fetch from the leader, or from any voter to find the leader. Unsynced records are synced first, as the fetch
        offset acknowledges everything below it as durable (§3.5).
        """
        quorum = self._quorum
        state, log, requests = quorum.state, quorum.log, quorum.requests
        state.fetch_at_ms = NEVER
        if isinstance(state, FollowerState):
            kind = FETCH
        elif isinstance(state, UnattachedState):
            kind = FIND_LEADER
        else:
            return
        if requests.is_pending(kind):
            return
        if isinstance(state, FollowerState) and state.fetching_snapshot is not None:
            self._fetch_snapshot(state.leader_id, *state.fetching_snapshot)
            return
        if log.flushed_offset < log.end_offset:
            requests.sync()
            return
        fetch = Fetch(
            *quorum.key, quorum.epoch, log.end_offset, log.last_epoch, quorum.high_watermark,
            max_wait_ms=quorum.timing.fetch_max_wait_ms, max_bytes=quorum.timing.fetch_max_bytes,
        )  # fmt: skip
        if isinstance(state, FollowerState):
            requests.send(state.leader_id, kind, fetch)
            return
        known = quorum.bootstrap_ids or quorum.other_voters
        if known:
            requests.send(known[quorum.rng.randrange(len(known))], kind, fetch)

    def _fetch_snapshot(self, leader_id: int, snapshot_id: tuple[int, int], position: int) -> None:
        quorum = self._quorum
        if not quorum.requests.is_pending(FETCH_SNAPSHOT):
            max_bytes = quorum.timing.snapshot_max_bytes
            fetch = FetchSnapshot(*quorum.key, quorum.epoch, snapshot_id, position, max_bytes=max_bytes)
            quorum.requests.send(leader_id, FETCH_SNAPSHOT, fetch)

    def fetch_later(self, now: "Now") -> None:
        """Retry the fetch after `refetch_ms`."""
        state = self._quorum.state
        if isinstance(state, FollowerState | UnattachedState):
            state.fetch_at_ms = min(state.fetch_at_ms, now.monotonic_ms + self._quorum.timing.refetch_ms)

    def handle_fetch_answer(self, state: FollowerState, answer: "FetchAnswer", now: "Now") -> None:
        """Append the leader's records, truncate to its log, or begin to fetch its snapshot."""
        quorum, log = self._quorum, self._quorum.log
        if answer.snapshot_id is not None:
            end, epoch = answer.snapshot_id
            if end <= log.end_offset and epoch <= log.last_epoch:
                self.fetch_later(now)  # our log already contains the snapshot
                return
            state.fetching_snapshot = (answer.snapshot_id, 0)
        elif answer.diverging is not None:  # the rest may still diverge: do not advance the high watermark
            self._truncate(*answer.diverging)
        elif answer.records and not self._append(answer, now):
            self.fetch_later(now)
            return
        else:
            quorum.read_voters()
            quorum.high_watermark = max(quorum.high_watermark, min(answer.high_watermark, log.end_offset))
        self.reset_fetch_timeout(state, now)
        self.fetch()

    def handle_snapshot_answer(self, answer: "SnapshotAnswer", now: "Now") -> None:
        """Store bytes of the snapshot. After the last ones, restart the log at the snapshot's end offset."""
        quorum, state = self._quorum, self._quorum.state
        fetching = None
        if isinstance(state, FollowerState):
            fetching, state.fetching_snapshot = state.fetching_snapshot, None
        if (
            not isinstance(state, FollowerState)
            or answer.error_code != NONE
            or fetching is None
            or fetching != (answer.snapshot_id, answer.position)
        ):
            self.fetch_later(now)
            return
        snapshot_id, position = fetching
        end = position + len(answer.data)
        if not answer.data or end > answer.size_bytes:
            self.fetch_later(now)
            return
        quorum.log.receive_snapshot(snapshot_id, position, answer.data)
        if end < answer.size_bytes:
            state.fetching_snapshot = (snapshot_id, end)
        else:
            quorum.log.load_snapshot(snapshot_id)
            quorum.read_voters()
            quorum.high_watermark = max(quorum.high_watermark, snapshot_id[0])
        self.reset_fetch_timeout(state, now)
        self.fetch()

    def reset_fetch_timeout(self, state: FollowerState, now: "Now") -> None:
        """The leader answered: it is alive, and the fetch time-out starts again."""
        quorum = self._quorum
        state.has_fetched, state.is_leader_dead = True, False
        quorum.lost_elections = 0
        state.timeout_ms = now.monotonic_ms + quorum.timing.fetch_timeout_ms + quorum.stagger_ms

    def _truncate(self, epoch: int, end_offset: int) -> None:
        """Truncate where the logs diverge (F3). Raises LostCommittedError if that would lose committed records (F4)."""
        quorum, log = self._quorum, self._quorum.log
        target = truncation_offset(epoch, end_offset, log.end_for(epoch), log.end_offset)
        if target < quorum.high_watermark:
            raise LostCommittedError(
                f"the leader's log diverges from offset {target} on, but records below {quorum.high_watermark} are "
                "committed here"
            )
        log.truncate_to(target)
        quorum.read_voters()

    def _append(self, answer: "FetchAnswer", now: "Now") -> bool:
        """Append the leader's records. Returns False if they are invalid; the fetch is then retried."""
        quorum = self._quorum
        try:
            quorum.log.append_as_follower(answer.records, quorum.epoch, now)
        except LogError as error:
            if error.error_code == KAFKA_STORAGE_ERROR:
                raise
            _log.warning("the leader %d of the metadata quorum sent invalid records: %s", quorum.leader_id, error)
            return False
        return True
