"""A follower's side of a leader epoch: fetch, cut where the logs part, append (F1 to F7; Kafka's ReplicaFetcherThread).

Fetches of many partitions travel in one request, and their answers in one response; here is what they mean for one.
"""

import logging

from kafkacompat.protocol import error_codes as errors
from kafkacompat.storage.errors import DiskFullError, LogError
from kafkacompat.storage.first_batch import append_to_empty
from kafkacompat.storage.truncation import truncation_offset

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.now import Now
    from kafkacompat.protocol.messages.fetch import FetchPartition, PartitionData
    from kafkacompat.storage.log import Log

#: What to do after an answer: fetch on at once, after a while, ask the leader where its log starts, or nothing more.
GO_ON, BACK_OFF, FIND_START, STOPPED = "go on", "back off", "find start", "stopped"

_log = logging.getLogger(__name__)


class Following:
    """One replica behind one leader in one leader epoch.

    One fetch is under way at a time (F1). Its ticket is good for one answer, and no ticket of another epoch is: numbers
    go on from `first_ticket`. `failure` says why this replica has stopped; it must not lead or be led any more.
    """

    __slots__ = ("_is_unclean", "_log", "_name", "failure", "leader", "leader_epoch", "next_ticket", "open_ticket")

    def __init__(
        self, name: str, log: "Log", leader: int, leader_epoch: int, first_ticket: int, *, is_unclean: bool
    ) -> None:
        """`is_unclean`: the leader may lack committed records (KIP-704, its recovery state is RECOVERING)."""
        self._name = name
        self._log = log
        self._is_unclean = is_unclean
        self.leader = leader
        self.leader_epoch = leader_epoch
        self.next_ticket = first_ticket
        self.open_ticket: int | None = None
        self.failure: str | None = None

    @property
    def has_stopped(self) -> bool:
        """Whether nothing is to be fetched any more: committed records would be lost, or the disk has failed."""
        return self.failure is not None or self._log.offline

    @property
    def may_fetch(self) -> bool:
        """Whether a fetch may go out. With flush.messages=1 what was appended is flushed first (F7)."""
        log = self._log
        if self.open_ticket is not None or self.failure is not None or log.offline:
            return False
        return log.config.flush_messages != 1 or log.flushed_offset >= log.log_end_offset

    def next_fetch(self, index: int, max_bytes: int) -> "tuple[int, FetchPartition]":
        """A ticket and what to ask for. That we ask from our log end on is our word that we hold all below."""
        from kafkacompat.protocol.messages.fetch import FetchPartition

        assert self.may_fetch
        log = self._log
        self.open_ticket = self.next_ticket
        self.next_ticket += 1
        return self.open_ticket, FetchPartition(
            index,
            current_leader_epoch=self.leader_epoch,
            fetch_offset=log.log_end_offset,
            last_fetched_epoch=log.epochs.latest,
            log_start_offset=log.log_start_offset,
            partition_max_bytes=max_bytes,
        )

    def close(self, ticket: int) -> bool:
        """Use a ticket up: its answer has come, or will not come. Whether it was the open one."""
        is_open = ticket == self.open_ticket
        if is_open:
            self.open_ticket = None
        return is_open

    def take(self, answer: "PartitionData", high_watermark: int, now: "Now") -> tuple[str, int]:
        """Take an answer in, whose ticket was open. What to do next, and our high watermark."""
        try:
            if answer.error_code == errors.OFFSET_OUT_OF_RANGE:
                return self.restart(answer.log_start_offset, high_watermark)
            if answer.error_code != errors.NONE:
                return BACK_OFF, high_watermark
            if answer.diverging_epoch.epoch >= 0:
                return self._cut(answer.diverging_epoch.epoch, answer.diverging_epoch.end_offset, high_watermark)
            return self._append(answer, high_watermark, now)
        except DiskFullError:  # of which the directory has told
            return BACK_OFF, high_watermark
        except LogError as error:
            _log.error("%s: what was fetched from broker %d is not taken: %s", self._name, self.leader, error)
            return (STOPPED if self._log.offline else BACK_OFF), high_watermark

    def _append(self, answer: "PartitionData", high_watermark: int, now: "Now") -> tuple[str, int]:
        """Append (F5), take the high watermark as far as we hold it (F6), and start where the leader's log does."""
        log = self._log
        if answer.records:
            records: memoryview = answer.records  # type: ignore[assignment] # a decoder's are, an encoder's need not be
            if log.log_start_offset == log.log_end_offset > 0:
                append_to_empty(log, records, leader_epoch=self.leader_epoch, now=now)
            else:
                log.append_as_follower(records, leader_epoch=self.leader_epoch, now=now)
        high_watermark = max(high_watermark, min(answer.high_watermark, log.log_end_offset))
        if answer.log_start_offset > log.log_start_offset:
            log.delete_records_before(min(answer.log_start_offset, high_watermark), now)
        return GO_ON, high_watermark

    def _cut(self, epoch: int, end_offset: int, high_watermark: int) -> tuple[str, int]:
        """Cut (F3). The answer's high watermark says nothing of what is left, which may still differ."""
        if end_offset < 0:
            _log.error("%s: broker %d says that the logs part at %d", self._name, self.leader, end_offset)
            return BACK_OFF, high_watermark
        log = self._log
        own = log.epochs.end_offset_for(epoch, log.log_end_offset)
        target = truncation_offset(epoch, end_offset, own, log.log_end_offset)
        if not self._may_lose(target, high_watermark):
            return STOPPED, high_watermark
        before = log.log_end_offset, log.epochs.latest
        log.truncate_to(target)
        has_moved = before != (log.log_end_offset, log.epochs.latest)
        return self._go_on(has_moved=has_moved), min(high_watermark, target)

    def restart(self, leader_start_offset: int, high_watermark: int) -> tuple[str, int]:
        """The leader's log begins behind the end of ours: begin there (F2)."""
        if leader_start_offset < 0:
            return FIND_START, high_watermark
        log = self._log
        if leader_start_offset <= log.log_end_offset and log.log_start_offset < log.log_end_offset:
            _log.error(
                "%s: broker %d refuses offset %d, and begins at %d", self._name, self.leader, log.log_end_offset,
                leader_start_offset,
            )  # fmt: skip
            return BACK_OFF, high_watermark
        if not self._may_lose(leader_start_offset, high_watermark):
            return STOPPED, high_watermark
        has_moved = leader_start_offset != log.log_end_offset
        log.truncate_fully_and_start_at(leader_start_offset)
        return self._go_on(has_moved=has_moved), leader_start_offset

    def _go_on(self, *, has_moved: bool) -> str:
        """A leader that is told the same again says the same again: without a pause that would go round and round."""
        if not has_moved:
            _log.error("%s: broker %d refuses what it agreed to a moment ago", self._name, self.leader)
        return GO_ON if has_moved else BACK_OFF

    def _may_lose(self, target: int, high_watermark: int) -> bool:
        """Committed records are cut for a leader of an unclean election alone (F4), or where the topic allows them."""
        if target >= high_watermark or self._is_unclean or self._log.config.unclean_leader_election_enable:
            return True
        self.failure = (
            f"{self._name}: the leader, broker {self.leader} in epoch {self.leader_epoch}, lacks records from offset "
            f"{target} on, and those below {high_watermark} are committed"
        )
        _log.critical(
            "%s; this replica stops, and keeps them. Copy its directory if they matter; then let it follow again by "
            "setting unclean.leader.election.enable=true for the topic until it is in sync", self.failure,
        )  # fmt: skip
        return False
