"""The group coordinator of this broker (Kafka's GroupCoordinatorService): routes requests and events to shards."""

from kafkacompat.broker.coordinator.coordinator_service import CoordinatorService
from kafkacompat.broker.coordinator.group.event_context import GroupSettings
from kafkacompat.broker.coordinator.group.records import batch_of, decode_record
from kafkacompat.broker.coordinator.group.shard import GroupCoordinatorShard
from kafkacompat.broker.coordinator.producer_batches import Marker
from kafkacompat.broker.coordinator.runtime import CLIENT_ERRORS, CoordinatorContext
from kafkacompat.broker.purgatory import Pending
from kafkacompat.protocol.constants import NO_SEQUENCE
from kafkacompat.protocol.error_codes import NONE, NOT_COORDINATOR, NOT_LEADER_OR_FOLLOWER
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.verification_entries import VERIFICATION_IS_OFF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeVar

    from kafkacompat.broker import services
    from kafkacompat.broker.coordinator.result import Result
    from kafkacompat.broker.coordinator.waiters import Waiter
    from kafkacompat.config import BrokerConfig
    from kafkacompat.now import Now
    from kafkacompat.protocol.messages.txn_offset_commit import TxnOffsetCommitRequest, TxnOffsetCommitResponse
    from kafkacompat.replication.metadata.image import MetadataImage
    from kafkacompat.replication.partition import Partition
    from kafkacompat.storage.verification_entries import VerificationEntry

    Asked = TypeVar("Asked")
    Refusal = TypeVar("Refusal")
    Response = TypeVar("Response")


def group_settings(config: "BrokerConfig") -> GroupSettings:
    """The group settings of a broker config."""
    return GroupSettings(
        initial_rebalance_delay_ms=config.get_int("group.initial.rebalance.delay.ms"),
        min_session_timeout_ms=config.get_int("group.min.session.timeout.ms"),
        max_session_timeout_ms=config.get_int("group.max.session.timeout.ms"),
        max_members=config.get_int("group.max.size"),
        offset_metadata_max_bytes=config.get_int("offset.metadata.max.bytes"),
        offsets_retention_ms=config.get_int("offsets.retention.minutes") * 60_000,
        offsets_retention_check_interval_ms=config.get_int("offsets.retention.check.interval.ms"),
    )


class GroupCoordinator(CoordinatorService[GroupCoordinatorShard]):
    """The shards of groups whose partitions this broker leads."""

    def __init__(
        self, node: "services.Coordinating", partition_for: "Callable[[str], int]", *, replays_every_record: bool
    ) -> None:
        super().__init__(node, partition_for, replays_every_record=replays_every_record)
        self._settings = group_settings(node.config)
        self._commit_timeout_ms: int = node.config.get_int("offsets.commit.timeout.ms")

    @property
    def records_passed_over(self) -> int:
        """The number of records that could not be decoded when the current shards were loaded."""
        return sum(context.passed_over for context in self._contexts.values())

    # Requests.

    def write(
        self,
        group_id: str,
        event: "Callable[[GroupCoordinatorShard, Waiter], Result]",
        failed: "Callable[[int], Response]",
        now: "Now",
    ) -> "Response | Pending":
        """Run an event in the group's shard. Returns the response, a Pending, or what `failed` returns for an error."""
        context = self.context_of(group_id)
        if context is None:
            return failed(NOT_COORDINATOR)
        return context.write(event, failed, now, timeout_ms=self._commit_timeout_ms)

    def read_newest(
        self,
        group_id: str,
        question: "Callable[[GroupCoordinatorShard], Asked]",
        failed: "Callable[[int], Refusal]",
        now: "Now",
    ) -> "Asked | Refusal | Pending":
        """Read the newest state from the group's shard; the answer waits until that state is committed."""
        context = self.context_of(group_id)
        if context is None:
            return failed(NOT_COORDINATOR)
        return context.read_newest(question, failed, now, timeout_ms=self._commit_timeout_ms)

    def commit_in_transaction(
        self,
        request: "TxnOffsetCommitRequest",
        failed: "Callable[[int], TxnOffsetCommitResponse]",
        now: "Now",
        *,
        adds: bool,
        done: "Callable[[TxnOffsetCommitResponse], None]",
    ) -> None:
        """Commit offsets of partitions that exist, as part of a transaction, once the transaction's coordinator has
        agreed. `done(response)` is called once, during this call or later.

        adds: the coordinator adds the group's partition to the transaction (TxnOffsetCommit v5, KIP-890), otherwise it
        must be there (AddOffsetsToTxn).
        """
        node, index = self._node, self.partition_for(request.group_id)

        def write(guard: "VerificationEntry | None", at: "Now") -> None:
            answer = self.write(
                request.group_id,
                lambda shard, _token: shard.commit_offsets_in_transaction(request, at, guard),
                failed,
                at,
            )
            if isinstance(answer, Pending):
                node.purgatory.add(answer, lambda response, _now: done(response))
            else:
                done(answer)

        def verified(codes: "dict[tuple[str, int], int]", at: "Now") -> None:
            (error_code,) = codes.values()
            if error_code == NONE:
                write(guard, at)
            else:
                done(failed(CLIENT_ERRORS.get(error_code, error_code)))

        context = self._contexts.get(index)
        if context is None:
            done(failed(NOT_COORDINATOR))
            return
        if not adds and not node.config.get_bool("transaction.partition.verification.enable"):
            write(VERIFICATION_IS_OFF, now)
            return
        try:
            guard = context.partition.log.producers.begin_verification(
                request.producer_id, request.producer_epoch, NO_SEQUENCE, now.wall_ms, supports_epoch_bump=adds
            )
        except LogError as fenced:
            done(failed(fenced.error_code))
            return
        if guard is None:  # the transaction is open in the log
            write(None, now)
            return
        node.transaction_verifier.verify(
            request.transactional_id, request.producer_id, request.producer_epoch,
            [(context.partition.topic, index)],
            adds=adds, now=now, done=verified,
        )  # fmt: skip

    def complete_transaction(
        self,
        partition_index: int,
        producer_id: int,
        producer_epoch: int,
        coordinator_epoch: int,
        *,
        is_commit: bool,
        transaction_version: int,
        now: "Now",
    ) -> "int | Pending":
        """Write a marker to a partition of __consumer_offsets: the offsets of the producer's transaction are committed
        or dropped. Returns NONE once the marker is committed, or the error of WriteTxnMarkers (a Pending returns the
        same): NOT_LEADER_OR_FOLLOWER unless the partition's groups are loaded here.
        """
        context = self._contexts.get(partition_index)
        if context is None:
            return NOT_LEADER_OR_FOLLOWER
        marker = Marker(
            producer_id, producer_epoch, coordinator_epoch,
            is_commit=is_commit, transaction_version=transaction_version,
        )  # fmt: skip
        return context.complete(marker, now, timeout_ms=self._commit_timeout_ms)

    # Events of the broker.

    def _new_context(self, partition: "Partition") -> CoordinatorContext[GroupCoordinatorShard]:
        settings, rng = self._settings, self._node.rng
        return CoordinatorContext(
            self._node, self._loader, partition, lambda: GroupCoordinatorShard(settings, rng), batch_of, decode_record,
            replays_every_record=self._replays_every_record,
        )  # fmt: skip

    def on_metadata(self, old: "MetadataImage", new: "MetadataImage", now: "Now") -> None:
        """Delete the offsets of deleted topics."""
        if old.topics is new.topics:
            return
        deleted = {
            name: topic.topic_id
            for name, topic in old.topics.items()
            if (kept := new.topics.get(name)) is not topic and (kept is None or kept.topic_id != topic.topic_id)
        }
        if deleted:
            for context in self._contexts.values():
                context.do(_deletion_of(deleted, now), now)


def _deletion_of(topics: "Mapping[str, bytes]", now: "Now") -> "Callable[[GroupCoordinatorShard], Result]":
    return lambda shard: shard.on_topics_deleted(topics, now)
