"""A follower's side of a leader epoch: fetch, truncate where the logs diverge, append (F1 to F7; Kafka's
ReplicaFetcherThread).

One request fetches many partitions; this module handles one of them.
"""

import logging

from kafkacompat.protocol import error_codes as errors
from kafkacompat.storage.errors import DiskFullError, LogError, ShortageError
from kafkacompat.storage.first_batch import append_to_empty
from kafkacompat.storage.truncation import truncation_offset

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.now import Now
    from kafkacompat.protocol.messages.fetch import FetchPartition, PartitionData
    from kafkacompat.storage.log import Log

#: What to do after a response: fetch again at once, fetch after a pause, ask for the leader's log start, or stop.
FETCH_AGAIN, BACK_OFF, FIND_START, STOPPED = "fetch again", "back off", "find start", "stopped"

_log = logging.getLogger(__name__)


class Following:
    """One replica behind one leader in one leader epoch.

    One fetch is in flight at a time (F1). Its ticket is valid for one response of this leader epoch: tickets are
    numbered from `first_ticket`, above those of all earlier epochs. `failure` says why this replica has stopped; it
    must neither lead nor follow any more.
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

    def replace_log(self, log: "Log") -> None:
        """Another log with the same records takes the place of ours."""
        self._log = log

    @property
    def has_stopped(self) -> bool:
        """Whether this replica fetches no more: it would lose committed records, or its disk has failed."""
        return self.failure is not None or self._log.offline

    @property
    def may_fetch(self) -> bool:
        """Whether a fetch may be sent. With flush.messages=1, appended records are flushed first (F7)."""
        log = self._log
        if self.open_ticket is not None or self.failure is not None or log.offline:
            return False
        return log.config.flush_messages != 1 or log.flushed_offset >= log.log_end_offset

    def next_fetch(self, index: int, max_bytes: int) -> "tuple[int, FetchPartition]":
        """A ticket and the fetch to send. Its offset, our log end, tells the leader that we hold all records below."""
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
        """End the fetch with this ticket, answered or not. Returns True if it was the one in flight."""
        is_open = ticket == self.open_ticket
        if is_open:
            self.open_ticket = None
        return is_open

    def process(self, answer: "PartitionData", high_watermark: int, now: "Now") -> tuple[str, int]:
        """Process the response to the fetch in flight. Returns what to do next, and our high watermark."""
        try:
            if answer.error_code == errors.OFFSET_OUT_OF_RANGE:
                return self.restart(answer.log_start_offset, high_watermark, now)
            if answer.error_code != errors.NONE:
                return BACK_OFF, high_watermark
            if answer.diverging_epoch.epoch >= 0:
                return self._truncate(answer.diverging_epoch.epoch, answer.diverging_epoch.end_offset, high_watermark)
            return self._append(answer, high_watermark, now)
        except DiskFullError:  # its log directory has reported it
            return BACK_OFF, high_watermark
        except ShortageError as error:
            self._lacks_descriptors(error, now)
            return BACK_OFF, high_watermark
        except LogError as error:
            _log.error("%s: records fetched from broker %d cannot be appended: %s", self._name, self.leader, error)
            return (STOPPED if self._log.offline else BACK_OFF), high_watermark

    def _append(self, answer: "PartitionData", high_watermark: int, now: "Now") -> tuple[str, int]:
        """Append (F5), advance the high watermark up to our log end (F6), and follow the leader's log start."""
        log = self._log
        if answer.records:
            records: memoryview = answer.records  # type: ignore[assignment] # decoded records are one
            if log.log_start_offset == log.log_end_offset > 0:
                append_to_empty(log, records, leader_epoch=self.leader_epoch, now=now)
            else:
                log.append_as_follower(records, leader_epoch=self.leader_epoch, now=now)
        high_watermark = max(high_watermark, min(answer.high_watermark, log.log_end_offset))
        if answer.log_start_offset > log.log_start_offset:
            log.delete_records_before(min(answer.log_start_offset, high_watermark), now)
        return FETCH_AGAIN, high_watermark

    def _truncate(self, epoch: int, end_offset: int, high_watermark: int) -> tuple[str, int]:
        """Truncate (F3). The response's high watermark is ignored: the remaining records may still diverge."""
        if end_offset < 0:
            _log.error("%s: broker %d reports an invalid diverging offset %d", self._name, self.leader, end_offset)
            return BACK_OFF, high_watermark
        log = self._log
        own = log.epochs.end_offset_for(epoch, log.log_end_offset)
        target = truncation_offset(epoch, end_offset, own, log.log_end_offset)
        if not self._may_truncate_to(target, high_watermark):
            return STOPPED, high_watermark
        before = log.log_end_offset, log.epochs.latest
        log.truncate_to(target)
        has_moved = before != (log.log_end_offset, log.epochs.latest)
        return self._outcome(has_moved=has_moved), min(high_watermark, target)

    def restart(self, leader_start_offset: int, high_watermark: int, now: "Now") -> tuple[str, int]:
        """The leader's log starts beyond the end of ours: empty ours and start there (F2)."""
        if leader_start_offset < 0:
            return FIND_START, high_watermark
        log = self._log
        if leader_start_offset <= log.log_end_offset and log.log_start_offset < log.log_end_offset:
            _log.error(
                "%s: broker %d refuses offset %d, although its log starts at %d", self._name, self.leader,
                log.log_end_offset, leader_start_offset,
            )  # fmt: skip
            return BACK_OFF, high_watermark
        if not self._may_truncate_to(leader_start_offset, high_watermark):
            return STOPPED, high_watermark
        has_moved = leader_start_offset != log.log_end_offset
        try:
            log.truncate_fully_and_start_at(leader_start_offset)
        except ShortageError as error:
            self._lacks_descriptors(error, now)
            return BACK_OFF, high_watermark
        return self._outcome(has_moved=has_moved), leader_start_offset

    def _lacks_descriptors(self, error: ShortageError, now: "Now") -> None:
        """Say so, unless that has been said within the last minute: an append says it as well."""
        self._log.shortage.write("truncations wait for descriptors", error, now)

    def _outcome(self, *, has_moved: bool) -> str:
        """Back off if nothing changed: the same fetch would get the same response, in an endless loop."""
        if not has_moved:
            _log.error("%s: broker %d asks for a truncation that changes nothing", self._name, self.leader)
        return FETCH_AGAIN if has_moved else BACK_OFF

    def _may_truncate_to(self, target: int, high_watermark: int) -> bool:
        """Whether the log may be truncated to `target`: below the high watermark only after an unclean election (F4),
        or if the topic allows such elections.
        """
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
