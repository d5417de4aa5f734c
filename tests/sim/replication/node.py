"""A broker process with one replica, and the disk that outlives it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacompat.now import Now
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import ACKS_ALL
from kafkacompat.protocol.messages.alter_partition import AlterPartitionRequest, AlterPartitionRequestTopicData
from kafkacompat.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest
from kafkacompat.protocol.messages.broker_registration import BrokerRegistrationRequest, Feature
from kafkacompat.protocol.messages.fetch import PartitionData
from kafkacompat.replication.cluster_view import ClusterView
from kafkacompat.replication.following import FETCH_AGAIN, STOPPED
from kafkacompat.replication.metadata.features import SUPPORTED_FEATURES
from kafkacompat.replication.partition import HIGH_WATERMARK_MOVED, NO_EFFECTS, Partition
from kafkacompat.replication.raft.messages import Reply, Send
from kafkacompat.replication.serving import serve_follower
from kafkacompat.storage.errors import LogError
from tests.sim.invariants import must
from tests.sim.replication import controller
from tests.sim.replication.memory_log import MemoryLog
from tests.sim.replication.messages import (
    Fetch,
    Fetched,
    FromController,
    Metadata,
    MetadataFetch,
    Produce,
    Produced,
    ToController,
)
from tests.sim.world import MS

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.replication.metadata.image import MetadataImage
    from tests.sim.replication.cluster import Cluster

FEATURES = [Feature(name, low, high) for name, (low, high) in SUPPORTED_FEATURES.items()]
MAX_BYTES = 1 << 20
HOLD_US = 150 * MS
PRODUCE_TIMEOUT_US = 1500 * MS
RETRY_MS = 50
WALL_MS = 1_700_000_000_000
MAX_WAITING = 100


class Session:
    """The proof for a later start that nothing was lost (§2.8)."""

    __slots__ = ("boot", "broker_epoch")

    def __init__(self, boot: int, broker_epoch: int) -> None:
        self.boot = boot
        self.broker_epoch = broker_epoch


class Disk:
    """The disk of a broker, which outlives its process."""

    def __init__(self, log: MemoryLog) -> None:
        self.log = log
        self.high_watermark = 0
        self.session: Session | None = Session(0, 0)
        self.is_clean = False


class Node:
    """One broker, running or not. `incarnation` counts its starts, `boot` those of its machine."""

    def __init__(self, cluster: Cluster, node_id: int) -> None:
        self.id = node_id
        self.incarnation = 0
        self.is_running = False
        self.has_power = True
        self.is_paused = False
        self.boot = 0
        self.partition: Partition | None = None
        self.broker_epoch: int | None = None
        self.listens = False
        self.is_stopping = False
        self._cluster = cluster
        self._world = cluster.world
        self._rng = cluster.world.rng(f"node {node_id}")
        self.disk = Disk(MemoryLog(node_id, cluster.invariants, cluster.flush_messages))
        cluster.invariants.found(node_id, self.disk.log.batches)
        self._inbox: list[tuple[str, tuple[object, ...]]] = []
        self._clock_ms = 0
        self._next_token = 0
        self._asked: dict[int, Callable[[object], None]] = {}
        self._waiting: list[tuple[object, int, bool]] = []
        self._held: list[tuple[object, Fetch, int, int]] = []
        self.view = ClusterView()
        self._led = -1
        self._is_syncing = False
        self._previous_epoch = -1
        self._is_registering = False

    @property
    def now(self) -> Now:
        now_ms = self._world.now_us // MS
        return Now(self._clock_ms + now_ms, WALL_MS + now_ms)

    @property
    def incarnation_id(self) -> bytes:
        """New with each process; the first one of each broker is registered from the beginning."""
        return bytes(16) if self.incarnation <= 1 else self.id.to_bytes(8, "big") + self.incarnation.to_bytes(8, "big")

    # --- the process ---

    def start(self) -> None:
        """Start from the disk."""
        if self.is_running:
            return
        self.incarnation += 1
        self.is_running = self.has_power = True
        self.is_paused = self.is_stopping = self._is_syncing = False
        self._clock_ms = self._rng.randrange(1_000_000)
        self._inbox, self._waiting, self._held, self._asked = [], [], [], {}
        disk = self.disk
        disk.log = disk.log.reopened()
        self._cluster.invariants.logs[self.id] = disk.log.batches
        self.view = ClusterView(lag_time_max_ms=self._cluster.lag_ms)
        self._led = -1
        self._is_registering = False
        self._previous_epoch = self._claim()
        # without the proof, a truncation may have been undone below the checkpoint
        high_watermark = 0 if self._previous_epoch == -1 else disk.high_watermark
        self.partition = Partition("t", 0, controller.TOPIC_ID, self.id, disk.log, high_watermark, self.view)  # type: ignore[arg-type]
        self.broker_epoch = 0 if self.incarnation == 1 else None
        self.listens = self.incarnation == 1  # for clients and other brokers: once it works
        self._world.note(f"{self.id} starts with {len(disk.log.batches)} batches, claims {self._previous_epoch}")
        self._timer(0, self._heartbeat)
        self._timer(0, self._fetch_metadata)
        self._timer(self._cluster.lag_ms * MS // 2, self._check_lag)
        self._timer(self._rng.randrange(500 * MS), self._checkpoint)
        self._timer(self._rng.randrange(self._cluster.flush_max_us), self._kernel_flushes)

    def _claim(self) -> int:
        """The previous broker epoch, if it is proved that nothing was lost since; else −1 (§2.8)."""
        disk = self.disk
        session, is_clean, disk.is_clean = disk.session, disk.is_clean, False
        if session is not None and (is_clean or session.boot == self.boot or disk.log.config.flush_messages == 1):
            return session.broker_epoch
        disk.session = None
        return -1

    def stop(self, *, power: bool = True, clean: bool = False) -> None:
        """End the process: a kill leaves all written data, a power loss only a part, a clean stop flushes it."""
        if not self.is_running:
            return
        self._world.note(f"{self.id} {'stops' if clean else 'is killed' if power else 'loses power'}")
        disk = self.disk
        if clean:
            assert self.partition is not None
            disk.log.synced(disk.log.log_end_offset)
            disk.high_watermark = self.partition.high_watermark
            disk.is_clean = True
        self.is_running, self.has_power, self.partition = False, power, None
        self._cluster.network.ended(self)
        if not power:
            self.boot += 1
            if self._rng.random() < 0.1 and self._cluster.flush_messages != 1:
                disk.log.flushed_offset = 0  # another disk, an empty one
                disk.log.batches, disk.log.ghosts, disk.session = [], [], None
            disk.log.lose_power(self._rng)
        else:
            self._cluster.ended(self)

    def pause(self) -> None:
        self._world.note(f"{self.id} pauses")
        self.is_paused = True

    def resume(self) -> None:
        """Resume, and handle the messages that came meanwhile."""
        if not (self.is_running and self.is_paused):
            return
        self._world.note(f"{self.id} goes on")
        self.is_paused = False
        waiting, self._inbox = self._inbox, []
        for event, arguments in waiting:
            self.run(self.incarnation, event, *arguments)

    def _timer(self, delay_us: int, call: Callable[[], None]) -> None:
        self._world.after(delay_us, self.run, self.incarnation, "timer", call)

    def run(self, incarnation: int, event: str, *arguments: object) -> None:
        """Deliver an event, if the process still has that incarnation."""
        if incarnation != self.incarnation or not self.is_running:
            return
        if self.is_paused:
            self._inbox.append((event, arguments))
            return
        if event == "timer":
            arguments[0]()  # type: ignore[operator]
        elif event == "requested":
            self._on_request(*arguments)
        elif event in ("answered", "failed"):
            asked = self._asked.pop(arguments[0], None)  # type: ignore[call-overload]
            if asked is not None:
                asked(arguments[1] if event == "answered" else None)
        elif event == "forgotten":
            self._held = [held for held in self._held if held[0] != arguments[0]]
            self._waiting = [waiting for waiting in self._waiting if waiting[0] != arguments[0]]
        if self.is_running:
            self._after_event()

    def _ask(self, node_id: int, message: object, answered: Callable[[object], None]) -> None:
        self._next_token += 1
        token = (self.incarnation << 32) + self._next_token
        self._asked[token] = answered
        self._cluster.network.ask(self, Send(node_id, token, message))  # type: ignore[arg-type]

    def _reply(self, token: object, answer: object) -> None:
        self._cluster.network.answer(self, Reply(token, answer))  # type: ignore[arg-type]

    def _after_event(self) -> None:
        """Carry out the partition's effects: proposals, fetches, answers to waiting requests, and syncs."""
        partition = self.partition
        assert partition is not None
        effects, partition.effects = partition.effects, NO_EFFECTS
        if effects & HIGH_WATERMARK_MOVED and partition.is_leader:
            self._cluster.invariants.moved(partition, self.incarnation)
        if partition.is_leader and partition.leader_epoch != self._led:
            self._led = partition.leader_epoch
            self._cluster.invariants.leads(partition, self.incarnation)
        self._propose(partition)
        self._answer_producers(partition)
        self._complete_delayed_fetches(partition)
        self._fetch(partition)
        if partition.awaits_sync and not self._is_syncing:
            self._is_syncing = True
            end = partition.log.log_end_offset
            self._timer(self._rng.randrange(20 * MS), lambda: self._flushed(end))
        must(len(self._waiting) + len(self._held) <= MAX_WAITING, f"{self.id} keeps too many waiting")

    # --- the disk ---

    def _flushed(self, end: int) -> None:
        self._is_syncing = False
        self.disk.log.synced(end)
        assert self.partition is not None
        self.partition.advance_high_watermark(self.now)

    def _kernel_flushes(self) -> None:
        self._timer(self._rng.randrange(self._cluster.flush_max_us), self._kernel_flushes)
        if self.disk.log.config.flush_messages != 1:
            self.disk.log.synced(self.disk.log.log_end_offset)

    def _checkpoint(self) -> None:
        assert self.partition is not None
        self.disk.high_watermark = self.partition.high_watermark
        self._timer(500 * MS, self._checkpoint)

    # --- the controller ---

    def _heartbeat(self) -> None:
        """Register until that succeeds; then send heartbeats."""
        pause_ms = self._cluster.heartbeat_ms if self.listens else self._cluster.retry_ms
        self._timer(pause_ms * MS, self._heartbeat)
        if self._is_registering:
            return
        if self.broker_epoch is None:
            self._is_registering = True
            request: object = BrokerRegistrationRequest(
                self.id, controller.CLUSTER_ID, self.incarnation_id, features=FEATURES,
                log_dirs=[bytes([self.id]) * 16], previous_broker_epoch=self._previous_epoch,
            )  # fmt: skip
            line = f"previous {self._previous_epoch}"
        else:
            offset = self.view.image.offset
            request = BrokerHeartbeatRequest(
                self.id, self.broker_epoch, offset, want_fence=False, want_shut_down=self.is_stopping
            )
            line = f"epoch {self.broker_epoch} offset {offset}"
        sent_ms, sent_epoch = self.now.monotonic_ms, self.broker_epoch
        message = ToController(request, line)  # type: ignore[arg-type]
        self._ask(controller.ID, message, lambda said: self._on_controller(said, sent_ms, sent_epoch))

    def _on_controller(self, said: object, sent_ms: int, sent_epoch: int | None) -> None:
        if sent_epoch is None:
            self._is_registering = False
        if said is None or sent_epoch != self.broker_epoch:
            return
        assert isinstance(said, FromController)
        response = said.response
        if self.broker_epoch is None:
            if response.error_code == errors.NONE:
                self.broker_epoch = response.broker_epoch  # type: ignore[union-attr]
                self.disk.session = Session(self.boot, self.broker_epoch)
        elif response.error_code == errors.STALE_BROKER_EPOCH:
            self._register_again()
        elif response.error_code == errors.NONE:
            self.view.heartbeat_succeeded(sent_ms, self._cluster.session_ms)
            self.listens = self.listens or not response.is_fenced  # type: ignore[union-attr]
            if self.is_stopping and response.should_shut_down:  # type: ignore[union-attr]
                self.stop(clean=True)

    def _register_again(self) -> None:
        """Another incarnation is registered: stop serving until this one is registered again (C4)."""
        self._world.note(f"{self.id} must register again")
        assert self.partition is not None
        self._cluster.lost.add(self.id)  # it has lost nothing, and cannot prove it
        self._previous_epoch = -1 if self.broker_epoch is None else self.broker_epoch
        self.broker_epoch = None
        self.partition.resign()

    def _fetch_metadata(self) -> None:
        self._ask(controller.ID, MetadataFetch(self.view.image.offset), self._on_metadata)

    def _on_metadata(self, said: object) -> None:
        if isinstance(said, Metadata) and said.image is not None:
            image = said.image
            delay_us = self._rng.randrange(self._cluster.metadata_max_us)
            self._timer(delay_us, lambda: self._apply(image))
        else:
            self._timer(RETRY_MS * MS, self._fetch_metadata)

    def _apply(self, image: MetadataImage) -> None:
        """Follow the metadata log; roles are taken from our own registration on."""
        self.view.image = image
        self._fetch_metadata()
        if self.broker_epoch is None or image.offset < self.broker_epoch:
            return
        assert self.partition is not None
        topic = image.topics["t"]
        min_isr = self._cluster.controller.settings.topic_value(image, "t", "min.insync.replicas")
        assert isinstance(min_isr, int)
        self.partition.apply(topic.partitions[0], min_isr, self.now)

    # --- the leader ---

    def _check_lag(self) -> None:
        assert self.partition is not None
        self._timer(self._cluster.lag_ms * MS // 2, self._check_lag)
        self.partition.check_lag(self.now)

    def _propose(self, partition: Partition) -> None:
        proposal = partition.take_proposal() if self.broker_epoch is not None else None
        if proposal is None:
            return
        request = AlterPartitionRequest(
            self.id, self.broker_epoch, [AlterPartitionRequestTopicData(partition.topic_id, [proposal.request(0)])]
        )

        def answered(said: object) -> None:
            response = said.response if isinstance(said, FromController) else None
            if response is None or response.error_code != errors.NONE:
                self._timer(RETRY_MS * MS, lambda: partition.in_sync.failed(proposal))
            else:
                partition.proposal_answered(proposal, response.topics[0].partitions[0], self.now)

        line = f"{proposal.members} epoch {proposal.leader_epoch}/{proposal.partition_epoch}"
        self._ask(controller.ID, ToController(request, line), answered)

    def _on_request(self, token: object, message: object) -> None:
        partition = self.partition
        assert partition is not None
        if isinstance(message, Produce):
            self._produce(token, message, partition)
        elif isinstance(message, Fetch) and message.replica_id < 0:
            self._reply(token, Fetched(self._consumed(message, partition)))
        elif isinstance(message, Fetch):
            self._on_fetch(token, message, partition, has_waited=False)

    def _produce(self, token: object, message: Produce, partition: Partition) -> None:
        try:
            info = partition.append(message.batch, message.acks, self.now)  # type: ignore[arg-type]
        except LogError as error:
            self._reply(token, Produced(error.error_code, leader_epoch=partition.leader_epoch))
            return
        if message.acks == ACKS_ALL or info.sync_required:
            self._waiting.append((token, info.last_offset, message.acks == ACKS_ALL))
            self._timer(PRODUCE_TIMEOUT_US, lambda: self._give_up(token))
        else:
            self._reply(token, Produced(errors.NONE, info.last_offset))

    def _give_up(self, token: object) -> None:
        for waiting in [waiting for waiting in self._waiting if waiting[0] == token]:
            self._waiting.remove(waiting)
            self._reply(token, Produced(errors.REQUEST_TIMED_OUT))

    def _answer_producers(self, partition: Partition) -> None:
        needs_sync = partition.log.config.flush_messages == 1
        still = []
        for waiting in self._waiting:
            token, offset, is_all = waiting
            error = partition.ack_error(offset, ACKS_ALL if is_all else 1, self.now, needs_sync=needs_sync)
            if error is None:
                still.append(waiting)
            else:
                self._reply(token, Produced(error, offset))
        self._waiting = still

    def _consumed(self, message: Fetch, partition: Partition) -> PartitionData:
        error = partition.leader_error(message.asked.current_leader_epoch)
        if error != errors.NONE:
            return PartitionData(error_code=error)
        try:
            records = partition.read(message.asked.fetch_offset, MAX_BYTES, 0, self.now, at_least_one=True)
        except LogError as refused:
            return PartitionData(error_code=refused.error_code)
        return PartitionData(high_watermark=partition.high_watermark, records=records)

    def _on_fetch(self, token: object, message: Fetch, partition: Partition, *, has_waited: bool) -> bool:
        """Answer a follower, or delay its fetch until there is something new. Returns whether it was answered."""
        told = next((held[3] for held in self._held if held[0] == token), -2)
        data = serve_follower(
            partition, message.replica_id, message.broker_epoch, message.asked, MAX_BYTES, self.now,
            has_waited=has_waited,
        )  # fmt: skip
        has_news = data.records or data.error_code or data.diverging_epoch.end_offset != -1
        if has_waited and not has_news and data.high_watermark == told:
            return False
        if not has_waited and not has_news:
            self._held.append((token, message, self._world.now_us + HOLD_US, data.high_watermark))
            self._timer(HOLD_US, lambda: None)
            return False
        self._reply(token, Fetched(data))
        return True

    def _complete_delayed_fetches(self, partition: Partition) -> None:
        now_us = self._world.now_us
        answered = []
        for held in self._held:
            token, message, deadline_us, told = held
            if deadline_us <= now_us or (
                self._has_moved(partition, message, told) and self._on_fetch(token, message, partition, has_waited=True)
            ):
                answered.append(held)
                if deadline_us <= now_us:
                    self._reply(token, Fetched(PartitionData(high_watermark=told)))
        self._held = [held for held in self._held if held not in answered]

    def _has_moved(self, partition: Partition, message: Fetch, told: int) -> bool:
        is_other = partition.leader_epoch != message.asked.current_leader_epoch or not partition.is_leader
        return is_other or partition.log_end_offset > message.asked.fetch_offset or partition.high_watermark != told

    # --- the follower ---

    def _fetch(self, partition: Partition) -> None:
        asked = partition.next_fetch(MAX_BYTES) if self.broker_epoch is not None else None
        if asked is None:
            return
        ticket, fetch = asked
        assert self.broker_epoch is not None
        self._ask(
            partition.leader, Fetch(self.id, self.broker_epoch, fetch), lambda said: self._on_fetched(ticket, said)
        )

    def _on_fetched(self, ticket: int, said: object) -> None:
        partition = self.partition
        assert partition is not None
        if not isinstance(said, Fetched):
            self._timer(RETRY_MS * MS, lambda: partition.fetch_failed(ticket) and None)
            return
        following = partition.following
        if said.data.error_code != errors.NONE and following is not None and following.open_ticket == ticket:
            # back off with the ticket open, so that nothing is asked meanwhile
            self._timer(self._rng.randrange(RETRY_MS) * MS, lambda: self._take(ticket, said.data))
            return
        self._take(ticket, said.data)

    def _take(self, ticket: int, data: PartitionData) -> None:
        assert self.partition is not None
        outcome = self.partition.fetch_answered(ticket, data, self.now)
        must(outcome != STOPPED, f"{self.id} stops: {self.partition.failure}")
        must(outcome in (None, FETCH_AGAIN) or data.error_code != errors.NONE, f"{self.id} takes nothing: {outcome}")
