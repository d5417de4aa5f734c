"""How a leader serves fetches: they are read from its log, held while nothing is new, and counted (R8, KIP-595)."""

from kafkacompat.replication.raft.divergence import diverging
from kafkacompat.replication.raft.leading import Held, Replica
from kafkacompat.replication.raft.member_state import MemberState
from kafkacompat.replication.raft.peers import (
    FENCED_LEADER_EPOCH,
    NONE,
    NOT_LEADER_OR_FOLLOWER,
    POSITION_OUT_OF_RANGE,
    SNAPSHOT_NOT_FOUND,
    UNKNOWN_LEADER_EPOCH,
    FetchAnswer,
    SnapshotAnswer,
    is_voter,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.now import Now
    from kafkacompat.replication.raft.leading import Leading
    from kafkacompat.replication.raft.peers import Fetch, FetchSnapshot

UNKNOWN_HIGH_WATERMARK = -1


class Serving(MemberState):
    """The leader's part of a member that others fetch from; who does not lead says who does."""

    def replicas(self, now: "Now") -> "tuple[list[Replica], list[Replica]]":
        """What the leader knows of the voters, itself included, and of the observers that it has heard of lately."""
        assert self._leading is not None
        own = Replica(self.key, self.log.end_offset, now.monotonic_ms, now.monotonic_ms)
        others = [own if key[0] == self.node_id else self._leading.voter(key) for key in self.voters.items()]
        return others, self._leading.recent_observers(now.monotonic_ms)

    def _on_fetch(self, token: object, fetch: "Fetch", now: "Now") -> None:
        """Serve a replica, or tell it who leads (R8)."""
        leading = self._leading
        if fetch.epoch != self.epoch or leading is None:
            self._out.reply(token, FetchAnswer(self._error_of_replica(fetch.epoch), self.leader_id, self.epoch))
            return
        snapshot_id = self.log.snapshot_id
        if snapshot_id is not None and self._needs_snapshot(fetch):
            self._out.reply(token, self._fetch_answer(snapshot_id=snapshot_id))
            return
        where = diverging(self.log, fetch)
        if where is not None:  # it says nothing of what the replica holds
            self._out.reply(token, self._fetch_answer(diverging=where))
            return
        leading.fetched(fetch, self.log.end_offset, now.monotonic_ms, is_voter=is_voter(self.voters, fetch.key))
        former = leading.hold(Held(token, fetch, now.monotonic_ms + fetch.max_wait_ms))
        if former is not None:
            self._out.reply(former.token, self._fetch_answer())
        self._move_high_watermark(leading, now)
        self._answer_held(leading, now)

    def _needs_snapshot(self, fetch: "Fetch") -> bool:
        """Whether a replica's log ends before ours begins, or parts from it before that: epochs below the start are
        not known here any more, so nobody can say where (Kafka's ReplicatedLog.validateOffsetAndEpoch).
        """
        log = self.log
        return fetch.offset == 0 or fetch.offset < log.start_offset or fetch.last_epoch < log.start_epoch

    def _answer_held(self, leading: "Leading", now: "Now") -> None:
        for held in leading.take_due(self.log.end_offset, self._told_high_watermark, now.monotonic_ms):
            records = self.log.read(held.fetch.offset, held.fetch.max_bytes)
            self._out.reply(held.token, self._fetch_answer(records=records))

    @property
    def _told_high_watermark(self) -> int:
        """What others hear: before its epoch has begun for good, a leader does not know what is committed."""
        return self.high_watermark if self.has_committed else UNKNOWN_HIGH_WATERMARK

    def _on_fetch_snapshot(self, token: object, fetch: "FetchSnapshot", now: "Now") -> None:
        """Serve a piece of a snapshot to a replica whose log ends before ours begins (KIP-630)."""
        leading = self._leading
        error = self._error_of_replica(fetch.epoch)
        size_bytes = self.log.snapshot_size(fetch.snapshot_id) if error == NONE else None
        if error == NONE and size_bytes is None:
            error = SNAPSHOT_NOT_FOUND
        elif error == NONE and size_bytes is not None and not 0 <= fetch.position < size_bytes:
            error = POSITION_OUT_OF_RANGE
        if error != NONE or leading is None:
            self._out.reply(token, SnapshotAnswer(error, self.leader_id, self.epoch, fetch.snapshot_id))
            return
        leading.heard(fetch.key, now.monotonic_ms, is_voter=is_voter(self.voters, fetch.key))
        data = self.log.read_snapshot(fetch.snapshot_id, fetch.position, fetch.max_bytes)
        answer = SnapshotAnswer(
            NONE, self.leader_id, self.epoch, fetch.snapshot_id,
            size_bytes=size_bytes or 0, position=fetch.position, data=data,
        )  # fmt: skip
        self._out.reply(token, answer)

    def _error_of_replica(self, epoch: int) -> int:
        """What a replica hears that is not in our epoch, or asks one that does not lead it (R8)."""
        if epoch != self.epoch:
            return FENCED_LEADER_EPOCH if epoch < self.epoch else UNKNOWN_LEADER_EPOCH
        return NONE if self._leading is not None else NOT_LEADER_OR_FOLLOWER

    def _fetch_answer(
        self,
        *,
        diverging: tuple[int, int] | None = None,
        records: "Any" = None,
        snapshot_id: tuple[int, int] | None = None,
    ) -> FetchAnswer:
        return FetchAnswer(
            NONE, self.leader_id, self.epoch, high_watermark=self._told_high_watermark,
            log_start_offset=self.log.start_offset, diverging=diverging, records=records, snapshot_id=snapshot_id,
        )  # fmt: skip

    def _move_high_watermark(self, leading: "Leading", now: "Now") -> None:
        high_watermark = leading.high_watermark(self.log.flushed_offset, self.high_watermark)
        if high_watermark > self.high_watermark:
            self.high_watermark = high_watermark
            self._answer_held(leading, now)
            if not self.is_voter and self.log.voters_offset < high_watermark:
                self.resign(now)  # it is committed that this leader votes no more (KIP-853)

    def resign(self, now: "Now") -> None:
        """Give the epoch up."""
        raise NotImplementedError
