"""The metadata quorum as a broker sees it: submit changes, see what is committed. Today one voter on one node.

A change is decided on the newest state, which includes what is not committed yet, and answered once it is. One batch is
on its way to disk at a time; what comes meanwhile waits, and goes out together in the next one. That is the group
commit, and it makes sure that a crash can spoil the last batch only (`raft/damage.py`).
"""

import logging

from kafkacompat.protocol.error_codes import KAFKA_STORAGE_ERROR, MESSAGE_TOO_LARGE
from kafkacompat.replication.controller import brokers
from kafkacompat.replication.controller.brokers import Registration
from kafkacompat.replication.controller.ids import new_uuid
from kafkacompat.replication.metadata.changes import apply
from kafkacompat.replication.raft.batches import encode_record, metadata_batch
from kafkacompat.replication.raft.log import MAX_BATCH_BYTES
from kafkacompat.storage.errors import LogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

    from kafkacompat.config import BrokerConfig
    from kafkacompat.now import Now
    from kafkacompat.replication.controller.settings import Settings
    from kafkacompat.replication.metadata.image import Endpoint, MetadataImage
    from kafkacompat.replication.raft.raft import Raft
    from kafkacompat.replication.result import Result
    from kafkacompat.storage.flush import Flusher
    from kafkacompat.storage.fs import Fs
    from kafkacompat.storage.log import Log

    Operation = Callable[[MetadataImage, Now], Result]
    Listener = Callable[[MetadataImage, MetadataImage, Now], None]

NO_BROKER_EPOCH = -1

_log = logging.getLogger(__name__)


class Submission:
    """A change on its way: `response` is for the client once `committed` is true. `offset` is its last record's."""

    __slots__ = ("committed", "offset", "response")

    def __init__(self, offset: int, response: object) -> None:
        self.offset = offset
        self.response = response
        self.committed = False


class _Change:
    """A submission with its records, encoded, and the image after them."""

    __slots__ = ("image", "size_bytes", "submission", "values")

    def __init__(self, submission: Submission, values: list[bytes], image: "MetadataImage") -> None:
        self.submission = submission
        self.values = values
        self.size_bytes = sum(map(len, values))
        self.image = image


class MetadataQuorum:
    """`image` is committed; `listeners` are called as (old, new, now) when it changes. `open` makes one.

    `failure` says why nothing can be committed any more: the disk failed under the metadata log.
    """

    __slots__ = (
        "_flusher", "_in_flight", "_newest", "_rng", "_waiting", "broker_epoch", "failure", "image", "is_holding",
        "listeners", "log", "raft", "settings",
    )  # fmt: skip

    def __init__(
        self,
        raft: "Raft",
        log: "Log",
        image: "MetadataImage",
        settings: "Settings",
        flusher: "Flusher | None",
        rng: "Random",
    ) -> None:
        """A leader whose log holds `image`, all of it durable."""
        self.raft = raft
        self.log = log
        self.image = image
        self.settings = settings
        self.listeners: list[Listener] = []
        self.broker_epoch = NO_BROKER_EPOCH
        self.failure: str | None = None
        self.is_holding = False  # at start all first changes go out together
        self._newest = image
        self._flusher = flusher
        self._rng = rng
        self._waiting: list[_Change] = []
        self._in_flight: list[_Change] = []

    @classmethod
    def open(
        cls,
        fs: "Fs",
        log_dir: str,
        *,
        node_id: int,
        cluster_id: str,
        directory_id: bytes,
        config: "BrokerConfig",
        flusher: "Flusher | None",
        now: "Now",
        rng: "Random",
        controller_endpoints: "Sequence[Endpoint] | None" = None,
        clean: bool = False,
    ) -> "MetadataQuorum":
        """Format a new directory, replay the log, become leader of the next epoch, register the controller.

        `clean` says that the last stop was clean, so that nothing need be checked for damage. The cluster id is in
        meta.properties, which is not ours. What is submitted goes to disk from `register_broker` or `flush` on.
        Raises StartupError, OSError.
        """
        from kafkacompat.replication.metadata.startup import Start

        start = Start(fs, log_dir, node_id, directory_id, config, controller_endpoints, rng)
        return start.run(flusher, now, cluster_id=cluster_id, clean=clean)

    @property
    def leader_epoch(self) -> int:
        """The epoch that this node leads."""
        return self.raft.epoch

    @property
    def high_watermark(self) -> int:
        """Records below it are committed."""
        return self.raft.high_watermark

    @property
    def next_offset(self) -> int:
        """The offset that the next submitted record gets."""
        return self._newest.offset + 1

    def submit(self, operation: "Operation", now: "Now") -> Submission:
        """Run an operation on the newest image, and append its records as part of one atomic batch.

        Raises LogError: KAFKA_STORAGE_ERROR when the disk failed, MESSAGE_TOO_LARGE for a change of more than 8 MiB.
        """
        if self.failure is not None:
            raise LogError(KAFKA_STORAGE_ERROR, self.failure)
        result = operation(self._newest, now)
        records = result.records
        values = [encode_record(record) for record in records]
        submission = Submission(self._newest.offset + len(records), result.response)
        image = apply(self._newest, records, submission.offset, self.raft.epoch) if records else self._newest
        change = _Change(submission, values, image)
        if change.size_bytes > MAX_BATCH_BYTES:
            message = (
                f"a metadata change of {change.size_bytes} bytes is more than a batch may have ({MAX_BATCH_BYTES})"
            )
            raise LogError(MESSAGE_TOO_LARGE, message)
        if not records and image is self.image:
            submission.committed = True  # it rests on committed state alone
            return submission
        self._newest = image
        self._waiting.append(change)
        self._send(now)
        if self.failure is not None:
            raise LogError(KAFKA_STORAGE_ERROR, self.failure)
        return submission

    def _send(self, now: "Now") -> None:
        """Write what waits, as long as nothing is on its way."""
        while self._waiting and not self._in_flight and not self.is_holding and self.failure is None:
            self._in_flight = self._next_group()
            values = [value for change in self._in_flight for value in change.values]
            if values:
                base_offset = self.log.log_end_offset
                batch = metadata_batch(values, now.wall_ms, base_offset=base_offset, epoch=self.raft.epoch)
                try:
                    self.log.append_as_leader(memoryview(batch), leader_epoch=self.raft.epoch, now=now, internal=True)
                    self._sync()
                except (LogError, OSError) as error:
                    self._fail(error)
                    return
            self._commit(now)

    def _next_group(self) -> list[_Change]:
        size_bytes = 0
        for count, change in enumerate(self._waiting):
            size_bytes += change.size_bytes
            if count and size_bytes > MAX_BATCH_BYTES:
                break
        else:
            count = len(self._waiting)
        group, self._waiting = self._waiting[:count], self._waiting[count:]
        return group

    def _sync(self) -> None:
        if self._flusher is None:
            self.log.flush()
        else:
            self._flusher.request(self.log, self._on_flushed)

    def _on_flushed(self, now: "Now") -> None:
        self._commit(now)
        self._send(now)

    def _commit(self, now: "Now") -> None:
        """Take in what is durable, and tell those who wait."""
        if self.log.failure is not None:
            self._fail(self.log.failure)
            return
        self.raft.flushed(self.log.flushed_offset)
        group = self._in_flight
        if not group or self.raft.high_watermark <= group[-1].submission.offset:
            return
        self._in_flight = []
        old, self.image = self.image, group[-1].image
        for change in group:
            change.submission.committed = True
        if old is not self.image:
            for listener in self.listeners:
                listener(old, self.image, now)

    def _fail(self, error: Exception) -> None:
        """Give up what is not committed: it may or may not be on disk, and the next start will tell."""
        if self.failure is None:
            self.failure = f"the metadata log cannot be written: {error}"
            _log.error("%s", self.failure)
        self._in_flight.clear()
        self._waiting.clear()
        self._newest = self.image

    def flush(self, now: "Now") -> None:
        """Commit all that was submitted, now, on this thread: at start and stop."""
        self.is_holding = False
        self._send(now)
        while self._in_flight and self.failure is None:
            try:
                self.log.flush()
            except OSError as error:
                self._fail(error)
                return
            self._on_flushed(now)

    def register_broker(
        self, endpoints: "Sequence[Endpoint]", *, rack: str | None, previous_broker_epoch: int, now: "Now"
    ) -> int:
        """Register this node's broker, let it work, and elect it where it may lead; its logs are recovered by now.

        A broker still registered under this id can only be this node's last life, which is over: a lone voter knows
        that without waiting for a session to end. Returns the broker epoch. Raises LogError.
        """
        self.is_holding = True
        node_id, settings = self.settings.node_id, self.settings
        ghost = self._newest.brokers.get(node_id)
        if ghost is not None and not ghost.fenced:
            self.submit(lambda image, _now: brokers.fence(node_id, image, settings), now)
        log_dirs = [voter.directory_id for voter in self.raft.voters]
        registration = Registration(
            new_uuid(self._rng), endpoints, log_dirs, rack=rack, previous_epoch=previous_broker_epoch
        )
        offset = self.next_offset
        self.submit(lambda image, _now: brokers.register(registration, image, settings, offset), now)
        self.broker_epoch = offset
        self.submit(lambda image, _now: brokers.unfence(node_id, image, settings), now)
        self.submit(lambda image, _now: brokers.finish_recovery(node_id, image, settings), now)
        self.flush(now)
        if self.failure is not None:
            raise LogError(KAFKA_STORAGE_ERROR, self.failure)
        return self.broker_epoch

    def shut_down_broker(self, now: "Now") -> None:
        """Controlled shutdown: the broker gives up what it leads and is fenced, unless `failure` says why not."""
        node_id, settings = self.settings.node_id, self.settings
        if self.failure is not None or not self._newest.is_active(node_id):
            return
        try:
            self.submit(lambda image, _now: brokers.begin_controlled_shutdown(node_id, image, settings), now)
            self.submit(lambda image, _now: brokers.fence(node_id, image, settings), now)
        except LogError as error:
            self._fail(error)
        self.flush(now)

    def close(self, *, clean: bool, now: "Now") -> None:
        """Give the log's files back, with `clean` all of it durable, unless `failure` says why not."""
        if clean:
            self.flush(now)
        try:
            self.log.close(clean=clean and self.failure is None, now=now)
        except OSError as error:
            self._fail(error)
