"""The active controller (Kafka's QuorumController): all operations on the metadata, for brokers and clients; broker
registration and fencing; and periodic work (§2.4, §3.9).

It exists while this node is the active controller. It is pure: time comes with each event, and changes are submitted
to the quorum, whose deferred events carry the answers. Each decision is based on the newest metadata, committed or not.
"""

import logging
from contextlib import suppress
from functools import partial

from kafkacompat.now import LONG_AGO, NEVER
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.broker_registration import BrokerRegistrationResponse
from kafkacompat.replication.controller.broker_heartbeat_manager import BrokerHeartbeatManager
from kafkacompat.replication.controller.directories import directory_records
from kafkacompat.replication.controller.failure_detector import GRACE_MS, SILENT_INTERVALS, FailureDetector
from kafkacompat.replication.controller.registration import check_registration
from kafkacompat.replication.election import PREFERRED, UNCLEAN
from kafkacompat.replication.metadata.result import RefusedError, Result
from kafkacompat.replication.raft.voters import VoterChangeError
from kafkacompat.storage.errors import LogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random
    from typing import Protocol

    from kafkacompat.now import Now
    from kafkacompat.protocol.messages.allocate_producer_ids import AllocateProducerIdsRequest
    from kafkacompat.protocol.messages.alter_configs import AlterConfigsRequest
    from kafkacompat.protocol.messages.alter_partition import AlterPartitionRequest
    from kafkacompat.protocol.messages.alter_partition_reassignments import AlterPartitionReassignmentsRequest
    from kafkacompat.protocol.messages.assign_replicas_to_dirs import AssignReplicasToDirsRequest
    from kafkacompat.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest
    from kafkacompat.protocol.messages.broker_registration import BrokerRegistrationRequest
    from kafkacompat.protocol.messages.controller_registration import ControllerRegistrationRequest
    from kafkacompat.protocol.messages.create_partitions import CreatePartitionsRequest
    from kafkacompat.protocol.messages.create_topics import CreateTopicsRequest
    from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest
    from kafkacompat.protocol.messages.elect_leaders import ElectLeadersRequest
    from kafkacompat.protocol.messages.incremental_alter_configs import IncrementalAlterConfigsRequest
    from kafkacompat.protocol.messages.list_partition_reassignments import (
        ListPartitionReassignmentsRequest,
        ListPartitionReassignmentsResponse,
    )
    from kafkacompat.protocol.messages.unregister_broker import UnregisterBrokerRequest
    from kafkacompat.protocol.messages.update_features import UpdateFeaturesRequest
    from kafkacompat.replication.metadata.batch_accumulator import DeferredEvent, Operation
    from kafkacompat.replication.metadata.image import MetadataImage
    from kafkacompat.replication.metadata.settings import Settings
    from kafkacompat.replication.raft.voters import Voter

    class Quorum(Protocol):
        """The part of the metadata quorum that the controller uses: the committed image, and a way to change it."""

        @property
        def image(self) -> MetadataImage:
            """The committed image."""

        @property
        def kraft_level(self) -> int:
            """The level of kraft.version."""

        @property
        def is_deciding(self) -> bool:
            """Whether an operation is being decided in steps, so that one submitted now is queued."""

        def configured_voters(self) -> tuple[Voter, ...]:
            """The static voters as they will be written to the log. Raises VoterChangeError."""

        def change_voters(self, decide: Callable[[], tuple[Voter, ...]], now: Now) -> DeferredEvent:
            """Write the voter set that `decide` returns. Raises VoterChangeError."""

        def submit(self, operation: "Operation", now: "Now") -> DeferredEvent:
            """Run the operation on the newest image. Raises LogError: NOT_CONTROLLER, KAFKA_STORAGE_ERROR,
            MESSAGE_TOO_LARGE.
            """


AGAIN_MS = 10
"""The pause before the next batch of elections, if there are too many for one change."""
RETRY_MS = 1000
"""The pause before it retries work that the quorum refused."""

_log = logging.getLogger(__name__)


class ActiveController:
    """The requests of brokers and clients to the active controller, and its timers.

    dial: asks for a connection attempt to a broker's listener; the outcome is reported by `dialed`.
    incarnation_id: that of the broker in this process, if there is one. A registration under this node's id with
    another incarnation id belongs to the previous process of this node, which is dead.
    """

    def __init__(
        self,
        quorum: "Quorum",
        settings: "Settings",
        now: "Now",
        *,
        cluster_id: str,
        dial: "Callable[[int], None]",
        incarnation_id: bytes | None = None,
    ) -> None:
        self._quorum = quorum
        self._settings = settings
        self._cluster_id = cluster_id
        self._dial = dial
        config = settings.broker_config(quorum.image)
        self._heartbeats = BrokerHeartbeatManager(quorum.image, config.get_int("broker.session.timeout.ms"), now)
        self._failures = FailureDetector(SILENT_INTERVALS * config.get_int("broker.heartbeat.interval.ms"))
        self._fenced_until_ms = now.monotonic_ms - 1
        self._pauses_until_ms = LONG_AGO
        self._next_step_ms = NEVER
        self._balance_ms = config.get_int("leader.imbalance.check.interval.seconds") * 1000
        self._balance_at_ms = NEVER
        if config.get_bool("auto.leader.rebalance.enable"):
            self._balance_at_ms = now.monotonic_ms + self._balance_ms
        self._unclean_ms = config.get_int("unclean.leader.election.interval.ms")
        self._unclean_at_ms = now.monotonic_ms + self._unclean_ms
        for broker in quorum.image.brokers.values():
            if broker.id == settings.node_id and incarnation_id not in (None, broker.incarnation_id):
                self._heartbeats.died(broker.id)
                self._fenced_until_ms = LONG_AGO
            elif not broker.fenced:
                self._failures.add(broker.id, now)

    def died_before(self, end_offset: int) -> None:
        """It is known that brokers that registered below this offset are gone: their sessions need not expire."""
        for broker in self._quorum.image.brokers.values():
            if broker.epoch < end_offset:
                self._heartbeats.died(broker.id)
                self._failures.seen(broker.id)

    # --- requests of brokers (their rules are imported on first use) ---

    def register(self, request: "BrokerRegistrationRequest", now: "Now") -> "DeferredEvent":
        """BrokerRegistration (62): rule C4, after checking that the broker is compatible with the cluster."""

        def decide(image: "MetadataImage", at: "Now") -> Result:
            try:
                self._check(request, image, at)
            except RefusedError as refused:
                is_usual = refused.error_code == errors.DUPLICATE_BROKER_REGISTRATION  # the broker retries often
                level = logging.DEBUG if is_usual else logging.WARNING
                _log.log(level, "refused to register broker %d: %s", request.broker_id, refused.message)
                return Result([], BrokerRegistrationResponse(error_code=refused.error_code))
            result = self._heartbeats.register(request, image, self._settings, image.offset + 1, at)
            self._expect_steps(at)
            if result.records:
                self._failures.seen(request.broker_id)
            return result

        return self._quorum.submit(decide, now)

    def _check(self, request: "BrokerRegistrationRequest", image: "MetadataImage", now: "Now") -> None:
        if request.cluster_id != self._cluster_id:
            message = f"it belongs to cluster {request.cluster_id!r:.100}, not to {self._cluster_id}"
            raise RefusedError(errors.INCONSISTENT_CLUSTER_ID, message)
        present = image.brokers.get(request.broker_id)
        is_another = present is not None and present.incarnation_id != bytes(request.incarnation_id)
        if is_another and self._heartbeats.is_alive(request.broker_id, now):
            shared = set(map(bytes, request.log_dirs)) & set(present.log_dirs) if present is not None else ()
            self._failures.hasten(request.broker_id, now, has_its_directory=bool(shared))
            message = "another process is registered with this id, and its session has not expired"
            raise RefusedError(errors.DUPLICATE_BROKER_REGISTRATION, message)
        check_registration(request, image)

    def heartbeat(self, request: "BrokerHeartbeatRequest", now: "Now") -> "DeferredEvent":
        """BrokerHeartbeat (63): rule C3, controlled shutdown, and offline directories (KIP-858)."""

        def decide(image: "MetadataImage", at: "Now") -> Result:
            result = self._heartbeats.heartbeat(request, image, self._settings, at)
            self._expect_steps(at)
            if result.response.error_code == errors.NONE:
                self._failures.seen(request.broker_id)
                more = directory_records(request, result.records, image, self._settings)
                result = Result([*result.records, *more], result.response, is_atomic=False)
            return result

        return self._quorum.submit(decide, now)

    def alter_partition(self, request: "AlterPartitionRequest", now: "Now") -> "DeferredEvent":
        """AlterPartition (56): rule C1."""
        from kafkacompat.replication.controller.alter_partition import alter_partition

        return self._quorum.submit(lambda image, _at: alter_partition(request, image, self._settings), now)

    def allocate_producer_ids(self, request: "AllocateProducerIdsRequest", now: "Now") -> "DeferredEvent":
        """AllocateProducerIds (67)."""
        from kafkacompat.replication.controller.producer_ids import allocate_producer_ids

        return self._quorum.submit(lambda image, _at: allocate_producer_ids(request, image), now)

    def assign_directories(self, request: "AssignReplicasToDirsRequest", now: "Now") -> "DeferredEvent":
        """AssignReplicasToDirs (73)."""
        from kafkacompat.replication.controller.assign_directories import assign_directories

        return self._quorum.submit(lambda image, _at: assign_directories(request, image, self._settings), now)

    def register_controller(self, request: "ControllerRegistrationRequest", now: "Now") -> "DeferredEvent":
        """ControllerRegistration (70)."""
        from kafkacompat.replication.controller.membership import register_controller

        return self._quorum.submit(lambda _image, _at: register_controller(request), now)

    # --- requests of clients ---

    def create_topics(self, request: "CreateTopicsRequest", rng: "Random", now: "Now") -> "DeferredEvent":
        """CreateTopics (19). `rng` draws the topic ids and the brokers at which placement begins."""
        from kafkacompat.replication.controller.topics import create_topics

        return self._quorum.submit(lambda image, _at: create_topics(request, image, self._settings, rng), now)

    def delete_topics(self, request: "DeleteTopicsRequest", version: int, now: "Now") -> "DeferredEvent":
        """DeleteTopics (20)."""
        from kafkacompat.replication.controller.deletion import delete_topics

        return self._quorum.submit(lambda image, _at: delete_topics(request, version, image, self._settings), now)

    def create_partitions(self, request: "CreatePartitionsRequest", now: "Now") -> "DeferredEvent":
        """CreatePartitions (37)."""
        from kafkacompat.replication.controller.partitions import create_partitions

        return self._quorum.submit(lambda image, _at: create_partitions(request, image), now)

    def alter_configs(
        self, request: "AlterConfigsRequest", now: "Now", *, any_broker: bool, is_direct: bool
    ) -> "DeferredEvent":
        """AlterConfigs (33). any_broker: whether the resource may be a broker other than this node. is_direct: whether
        no broker has validated the change.
        """
        from kafkacompat.replication.controller.configs import alter_configs

        alter = partial(alter_configs, request, any_broker=any_broker, is_direct=is_direct)
        return self._quorum.submit(lambda image, _at: alter(image, self._settings), now)

    def incremental_alter_configs(
        self, request: "IncrementalAlterConfigsRequest", now: "Now", *, any_broker: bool, is_direct: bool
    ) -> "DeferredEvent":
        """IncrementalAlterConfigs (44), as `alter_configs`."""
        from kafkacompat.replication.controller.configs import incremental_alter_configs

        alter = partial(incremental_alter_configs, request, any_broker=any_broker, is_direct=is_direct)
        return self._quorum.submit(lambda image, _at: alter(image, self._settings), now)

    def unregister(self, request: "UnregisterBrokerRequest", now: "Now") -> "DeferredEvent":
        """UnregisterBroker (64)."""
        from kafkacompat.replication.controller.membership import unregister

        def decide(image: "MetadataImage", _at: "Now") -> Result:
            self._failures.seen(request.broker_id)
            return unregister(request, image, self._settings)

        return self._quorum.submit(decide, now)

    def elect_leaders(self, request: "ElectLeadersRequest", now: "Now") -> "DeferredEvent":
        """ElectLeaders (43): rule C7."""
        from kafkacompat.replication.controller.elect_leaders import elect_leaders

        return self._quorum.submit(lambda image, _at: elect_leaders(request, image, self._settings), now)

    def alter_reassignments(self, request: "AlterPartitionReassignmentsRequest", now: "Now") -> "DeferredEvent":
        """AlterPartitionReassignments (45): rule C8."""
        from kafkacompat.replication.controller.reassign import alter_reassignments

        return self._quorum.submit(lambda image, _at: alter_reassignments(request, image, self._settings), now)

    def list_reassignments(self, request: "ListPartitionReassignmentsRequest") -> "ListPartitionReassignmentsResponse":
        """ListPartitionReassignments (46), from the committed image."""
        from kafkacompat.replication.controller.reassign import list_reassignments

        return list_reassignments(request, self._quorum.image)

    def update_features(self, request: "UpdateFeaturesRequest", version: int, now: "Now") -> "DeferredEvent":
        """UpdateFeatures (57)."""
        from kafkacompat.replication.controller.update_features import (
            KraftVersion,
            raises_kraft_version,
            update_features,
        )

        quorum, node_id = self._quorum, self._settings.node_id
        kraft = KraftVersion(quorum.kraft_level, quorum.configured_voters)
        if raises_kraft_version(request, kraft):
            tried = update_features(request, version, quorum.image, node_id, kraft).response
            if tried.error_code == errors.NONE:
                with suppress(VoterChangeError):  # the change is pending already
                    quorum.change_voters(quorum.configured_voters, now)
        return quorum.submit(lambda image, _at: update_features(request, version, image, node_id, kraft), now)

    # --- evidence of death (§3.9) ---

    def connection_lost(self, broker_id: int, now: "Now") -> None:
        """The connection that carried the broker's last registration or heartbeat is closed."""
        if broker_id in self._quorum.image.brokers:
            self._failures.add(broker_id, now, GRACE_MS)

    def dialed(self, broker_id: int, outcome: str, now: "Now", *, was_reached: bool) -> None:
        """The outcome of a connection attempt. "refused" may be evidence of death, see FailureDetector; after "open"
        and "unknown" only the session decides. was_reached: this node has reached the broker in its present
        incarnation.
        """
        if self._failures.dialed(broker_id, outcome, now, was_reached=was_reached):
            _log.warning("broker %d is dead: its connection closed and its listener refuses new ones", broker_id)
            self._heartbeats.died(broker_id)
            self._fenced_until_ms = LONG_AGO
            self.tick(now)

    # --- time ---

    @property
    def deadline_ms(self) -> int:
        """When `tick` is due, in ms of the monotonic clock; LONG_AGO means now. Any other call may change it."""
        due_ms = min(
            self._heartbeats.deadline_ms(self._quorum.image, self._fenced_until_ms),
            self._failures.deadline_ms,
            self._balance_at_ms,
            self._unclean_at_ms,
            self._next_step_ms,
        )
        return max(due_ms, self._pauses_until_ms)

    def tick(self, now: "Now") -> None:
        """Do the periodic work that is due: dial suspected brokers, fence brokers whose session expired, elect
        preferred leaders, run unclean elections where they are enabled.
        """
        for broker_id in self._failures.take_due(now):
            self._dial(broker_id)
        if self._quorum.is_deciding:  # the changes below must be applied at once, not queued
            self._pauses_until_ms = now.monotonic_ms + AGAIN_MS
            return
        try:
            if self._take_step(now):
                self._next_step_ms = now.monotonic_ms  # in the next iteration of the event loop
            else:
                self._next_step_ms = NEVER
                self._fenced_until_ms = now.monotonic_ms
            if now.monotonic_ms >= self._balance_at_ms:
                pause_ms = AGAIN_MS if self._elect(PREFERRED, now) else self._balance_ms
                self._balance_at_ms = now.monotonic_ms + pause_ms
            if now.monotonic_ms >= self._unclean_at_ms:
                pause_ms = AGAIN_MS if self._elect(UNCLEAN, now) else self._unclean_ms
                self._unclean_at_ms = now.monotonic_ms + pause_ms
        except LogError as refused:  # this node is no longer the controller, or its disk failed
            self._pauses_until_ms = now.monotonic_ms + RETRY_MS
            _log.error("the controller's periodic work failed: %s", refused)

    def _expect_steps(self, now: "Now") -> None:
        if self._heartbeats.has_more_steps:
            self._next_step_ms = now.monotonic_ms

    def _take_step(self, now: "Now") -> bool:
        """Fence all brokers whose sessions expired, or make one step of a change that is too large for one. Returns
        whether there may be another step.
        """
        result: Result | None = None

        def fence(image: "MetadataImage", at: "Now") -> Result:
            nonlocal result
            result = self._heartbeats.fence_next(image, self._settings, at)
            return result or Result([])

        def continue_steps(image: "MetadataImage", at: "Now") -> Result:
            nonlocal result
            result = self._heartbeats.next_step(image, self._settings, at)
            return result or Result([])

        while True:  # each fencing must see the result of the one before
            self._quorum.submit(fence, now)
            if result is None:
                break
            if result.response or self._quorum.is_deciding:  # what is submitted then is queued
                return True
        if self._heartbeats.has_more_steps:
            self._quorum.submit(continue_steps, now)
        return result is not None and self._heartbeats.has_more_steps

    def _elect(self, kind: int, now: "Now") -> bool:
        """Run a batch of periodic elections. Returns whether there may be more, or it waits for a change."""
        from kafkacompat.replication.controller.elect_leaders import elect_periodically

        has_more = False

        def decide(image: "MetadataImage", _at: "Now") -> Result:
            nonlocal has_more
            result = elect_periodically(kind, image, self._settings)
            has_more = result.response
            return result

        self._quorum.submit(decide, now)
        return has_more or self._quorum.is_deciding
