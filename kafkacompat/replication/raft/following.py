"""How a replica fetches the metadata log: its offset says what is durable here, and what comes must fit (F3, F5)."""

import logging

from kafkacompat.replication.raft.divergence import cut_offset
from kafkacompat.replication.raft.member_state import FOLLOWER, UNATTACHED, MemberState
from kafkacompat.replication.raft.outbox import FETCH, FIND, LOAD
from kafkacompat.replication.raft.peers import NONE, Fetch, FetchSnapshot
from kafkacompat.replication.raft.timing import NEVER
from kafkacompat.storage.errors import KAFKA_STORAGE_ERROR, LogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.now import Now
    from kafkacompat.replication.raft.peers import FetchAnswer, SnapshotAnswer

_log = logging.getLogger(__name__)


class Following(MemberState):
    """The part of a member that fetches: from its leader, or from anyone to hear who leads."""

    def _fetch(self) -> None:
        """Fetch from the leader, or from anyone to hear who leads. Our offset says what is durable here (§3.5)."""
        self._retry_ms = NEVER
        if self.state not in (FOLLOWER, UNATTACHED) or self._out.has_asked(FETCH if self.state == FOLLOWER else FIND):
            return
        log = self.log
        if self._loading is not None and self.state == FOLLOWER:
            if not self._out.has_asked(LOAD):
                asked = FetchSnapshot(*self.key, self.epoch, *self._loading, max_bytes=self.timing.snapshot_max_bytes)
                self._out.ask(self.leader_id, LOAD, asked)
            return
        if log.flushed_offset < log.end_offset:
            self._out.sync()
            return
        fetch = Fetch(
            *self.key, self.epoch, log.end_offset, log.last_epoch, self.high_watermark,
            max_wait_ms=self.timing.fetch_max_wait_ms, max_bytes=self.timing.fetch_max_bytes,
        )  # fmt: skip
        others = self.bootstrap_ids or self._others()
        if self.state == FOLLOWER:
            self._out.ask(self.leader_id, FETCH, fetch)
        elif others:
            self._out.ask(others[self._rng.randrange(len(others))], FIND, fetch)

    def _fetch_later(self, now: "Now") -> None:
        if self.state in (FOLLOWER, UNATTACHED):
            self._retry_ms = min(self._retry_ms, now.monotonic_ms + self.timing.again_ms)

    def _take_records(self, answer: "FetchAnswer", now: "Now") -> None:
        if answer.snapshot_id is not None:
            end, epoch = answer.snapshot_id
            if end <= self.log.end_offset and epoch <= self.log.last_epoch:
                self._fetch_later(now)  # it has nothing that is not here
                return
            self._loading = (answer.snapshot_id, 0)
        elif answer.diverging is not None:  # what is left may differ still: its end says nothing of what is committed
            self.log.truncate_to(cut_offset(self.log, *answer.diverging, self.high_watermark))
            self._take_voters()
        elif answer.records and not self._append(answer, now):
            self._fetch_later(now)
            return
        else:
            self._take_voters()
            self.high_watermark = max(self.high_watermark, min(answer.high_watermark, self.log.end_offset))
        self._is_led(now)
        self._fetch()

    def _take_snapshot(self, answer: "SnapshotAnswer", now: "Now") -> None:
        """Bytes of the snapshot that is being loaded; with the last of them the log begins anew behind it."""
        loading, self._loading = self._loading, None
        if answer.error_code != NONE or loading is None or loading != (answer.snapshot_id, answer.position):
            self._fetch_later(now)
            return
        snapshot_id, position = loading
        end = position + len(answer.data)
        if not answer.data or end > answer.size_bytes:
            self._fetch_later(now)
            return
        self.log.receive_snapshot(snapshot_id, position, answer.data)
        if end < answer.size_bytes:
            self._loading = (snapshot_id, end)
        else:
            self.log.load_snapshot(snapshot_id)
            self._take_voters()
            self.high_watermark = max(self.high_watermark, snapshot_id[0])
        self._is_led(now)
        self._fetch()

    def _is_led(self, now: "Now") -> None:
        """The leader lives, and has told us something."""
        self._has_fetched, self._leader_is_dead = True, False
        self._lost_rounds = 0
        self._deadline_ms = now.monotonic_ms + self.timing.fetch_timeout_ms + self._turn_ms()

    def _append(self, answer: "FetchAnswer", now: "Now") -> bool:
        """Whether what the leader sent was fit for the log. What was not counts as no answer: another may be better."""
        try:
            self.log.append_as_follower(answer.records, self.epoch, now)
        except LogError as error:
            if error.error_code == KAFKA_STORAGE_ERROR:
                raise
            _log.warning("the leader %d of the metadata quorum sent records that do not fit: %s", self.leader_id, error)
            return False
        return True
