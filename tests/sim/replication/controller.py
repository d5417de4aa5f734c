"""The controller on an abstract quorum: a decided change is committed later, or lost with its controller."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacompat.now import Now
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.internal.cluster_metadata import PartitionRecord, TopicRecord
from kafkacompat.protocol.messages.alter_partition import AlterPartitionRequest, AlterPartitionResponse
from kafkacompat.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from kafkacompat.protocol.messages.broker_registration import BrokerRegistrationRequest, BrokerRegistrationResponse
from kafkacompat.replication.controller.active import ActiveController
from kafkacompat.replication.metadata.batch_accumulator import DeferredEvent
from kafkacompat.replication.metadata.delta import apply
from kafkacompat.replication.metadata.features import bootstrap_features
from kafkacompat.replication.metadata.image import EMPTY_IMAGE, BrokerImage
from kafkacompat.replication.metadata.result import Result
from kafkacompat.replication.raft.messages import Reply
from tests.replication.quorum_world import settings
from tests.sim.replication.messages import FromController, Metadata, MetadataFetch, ToController
from tests.sim.world import MS, SECOND

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from kafkacompat.replication.metadata.image import MetadataImage
    from tests.sim.replication.cluster import Cluster

ID = 0
CLUSTER_ID = "c"
TOPIC_ID = bytes(range(16))
MAX_HISTORY = 50
HOLD_US = SECOND
TICK_US = 20 * MS
DEPOSED_US = 3 * SECOND

_REFUSAL = {
    AlterPartitionRequest: AlterPartitionResponse,
    BrokerHeartbeatRequest: BrokerHeartbeatResponse,
    BrokerRegistrationRequest: BrokerRegistrationResponse,
}


class _Quorum:
    """What a controller sees of the abstract quorum. `last_image` is all that one sees that is active no more, and does
    not know it: what it changes is never committed, and all else it answers.
    """

    is_deciding = False

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self.last_image: MetadataImage | None = None
        self._is_silent = False

    @property
    def image(self) -> MetadataImage:
        return self.last_image or self._controller.image

    def submit(self, operation: Callable[[MetadataImage, Now], Result], now: Now) -> DeferredEvent:
        event = DeferredEvent(0, None)
        if self.last_image is None:
            self._controller.submit(lambda image: operation(image, now), event)
            return event
        result = operation(self.last_image, now)
        self._is_silent = self._is_silent or bool(result.records)
        event.response = result.response
        if not self._is_silent:
            event.finish(now)
        return event


class Controller:
    """`newest` includes what is not committed, `history` holds the last committed images."""

    id = ID
    is_running = has_power = True
    incarnation = 1

    def __init__(self, cluster: Cluster, broker_ids: Sequence[int], replicas: Sequence[int], min_isr: int) -> None:
        self._cluster = cluster
        self._world = cluster.world
        self._rng = cluster.world.rng("controller")
        self.settings = settings(min_insync_replicas=str(min_isr), broker_session_timeout_ms=str(cluster.session_ms))
        self.commit_max_us = 10 * MS
        self.is_active = True
        self._term = 0
        self._deposed: ActiveController | None = None
        self._deposed_until_us = 0
        self._deposed_rng = cluster.world.rng("deposed controller")
        self._waiting: list[tuple[Result, MetadataImage, DeferredEvent | None]] = []
        self._held: list[tuple[object, int, int]] = []
        brokers = {
            broker_id: BrokerImage(broker_id, 0, bytes(16), fenced=False, log_dirs=(bytes([broker_id]) * 16,))
            for broker_id in broker_ids
        }
        created = [
            *bootstrap_features(),
            TopicRecord("t", TOPIC_ID),
            PartitionRecord(
                0, TOPIC_ID, list(replicas), list(replicas), leader=replicas[0], leader_epoch=0, partition_epoch=0
            ),
        ]
        image = apply(EMPTY_IMAGE.but(brokers=brokers), created, 1, 0)
        self.newest = image
        self.history = [image]
        self._quorum = _Quorum(self)
        self.active = self._activate()
        self._world.after(TICK_US, self._tick)

    def _activate(self) -> ActiveController:
        return ActiveController(self._quorum, self.settings, self.now, cluster_id=CLUSTER_ID, dial=self._dial)

    @property
    def now(self) -> Now:
        now_ms = self._world.now_us // MS
        return Now(now_ms, now_ms)

    @property
    def image(self) -> MetadataImage:
        """What is committed."""
        return self.history[-1]

    # --- changes ---

    def submit(self, operation: Callable[[MetadataImage], Result], event: DeferredEvent | None = None) -> None:
        """Decide on the newest image; answer once the change is committed."""
        result = operation(self.newest)
        if event is not None:
            event.response = result.response
        if result.records:
            offset = self.newest.offset + len(result.records)
            self.newest = apply(self.newest, result.records, offset, self._term)
        elif not self._waiting:
            self._finish(event)
            return
        self._waiting.append((result, self.newest, event))
        if len(self._waiting) == 1:
            self._commit_later()

    def _commit_later(self) -> None:
        self._world.after(self._rng.randrange(200, self.commit_max_us), self._commit, self._term)

    def _commit(self, term: int) -> None:
        """Commit the changes decided so far, one by one."""
        for _ in range(len(self._waiting) if term == self._term else 0):
            self._commit_one()

    def _commit_one(self) -> None:
        _, image, event = self._waiting.pop(0)
        if image is not self.image:
            self.history.append(image)
            del self.history[:-MAX_HISTORY]
            partition = image.topics["t"].partitions[0]
            self._world.note(f"committed {image.offset}: {_told(partition)}")
            self._cluster.controlled(image)
            self._tell_brokers()
        self._finish(event)

    def _finish(self, event: DeferredEvent | None) -> None:
        if event is not None and self.is_active:
            event.finish(self.now)

    def fail_over(self, pause_us: int) -> None:
        """Another controller takes over after a while. A prefix of the uncommitted changes may survive."""
        self._world.note("the controller fails")
        self._term += 1
        self._depose()
        kept = self._rng.randint(0, len(self._waiting))
        waiting, self._waiting = self._waiting[:kept], []
        self.is_active = False
        for result, image, _ in waiting:
            self._waiting.append((result, image, None))
            self._commit_one()
        self.newest = self.image
        self._world.after(pause_us, self._take_over, self._term)

    def _depose(self) -> None:
        """The one that failed may be cut off from the others only, and not know for a while that it is active no more.
        What it had not committed keeps it from answering anything.
        """
        self._deposed = None
        rng = self._deposed_rng
        if self.is_active and not self._waiting and rng.random() < 0.5:
            self._world.note("it does not know it")
            self._deposed, self._quorum.last_image = self.active, self.image
            self._deposed_until_us = self._world.now_us + rng.randrange(DEPOSED_US)

    def _take_over(self, term: int) -> None:
        if term == self._term:
            self._world.note("a controller is active")
            self.is_active = True
            self._quorum = _Quorum(self)
            self.active = self._activate()

    def _who_is_asked(self) -> ActiveController | None:
        """The active controller, or the one before it; None if there is none."""
        is_deposed_there = self._deposed is not None and self._world.now_us < self._deposed_until_us
        if is_deposed_there and self._deposed_rng.random() < 0.5:
            return self._deposed
        return self.active if self.is_active else None

    def _tick(self) -> None:
        self._world.after(TICK_US, self._tick)
        if self.is_active and self.active.deadline_ms <= self.now.monotonic_ms:
            self.active.tick(self.now)
        now_us = self._world.now_us
        for held in [held for held in self._held if held[2] <= now_us]:
            self._held.remove(held)
            self._send_metadata(held[0], None)

    # --- requests ---

    def run(self, incarnation: int, event: str, *arguments: object) -> None:
        """An event of the network."""
        if event != "requested":
            return
        token, message = arguments
        if isinstance(message, MetadataFetch):
            self._held.append((token, message.offset, self._world.now_us + HOLD_US))
            self._tell_brokers()
        elif isinstance(message, ToController):
            self._on_request(token, message.request)

    def _on_request(self, token: object, request: object) -> None:
        active = self._who_is_asked()
        if active is None:
            refusal = _REFUSAL[type(request)](error_code=errors.NOT_CONTROLLER)  # type: ignore[index]
            self._cluster.network.answer(self, Reply(token, FromController(refusal)))  # type: ignore[arg-type]
        elif isinstance(request, BrokerHeartbeatRequest):
            self._answer_when_committed(active.heartbeat(request, self.now), token)
        elif isinstance(request, BrokerRegistrationRequest):
            self._answer_when_committed(active.register(request, self.now), token)
        else:
            assert isinstance(request, AlterPartitionRequest)
            self._answer_when_committed(active.alter_partition(request, self.now), token)

    def _answer_when_committed(self, event: DeferredEvent, token: object) -> None:
        def answer(_now: Now) -> None:
            response: Any = event.response
            self._cluster.network.answer(self, Reply(token, FromController(response)))  # type: ignore[arg-type]

        if event.committed:
            answer(self.now)
        else:
            event.when_done(answer)

    # --- evidence of death ---

    def lost(self, broker_id: int) -> None:
        """The connection of a broker is closed."""
        if self.is_active:
            self.active.connection_lost(broker_id, self.now)

    def _dial(self, broker_id: int) -> None:
        delay_us = self._cluster.network.delay() + self._cluster.network.delay()
        self._world.after(delay_us, self._dialed, broker_id, self._term)

    def _dialed(self, broker_id: int, term: int) -> None:
        if self.is_active and term == self._term:
            outcome = self._cluster.dial(broker_id)
            self._world.note(f"{broker_id} was dialed: {outcome}")
            was_reached = broker_id not in self._cluster.unreachable
            self.active.dialed(broker_id, outcome, self.now, was_reached=was_reached)

    def _tell_brokers(self) -> None:
        """Answer brokers that wait for metadata, with the newest image or only with the next one."""
        for held in [held for held in self._held if held[1] < self.image.offset]:
            self._held.remove(held)
            newer = [image for image in self.history if image.offset > held[1]]
            self._send_metadata(held[0], newer[-1] if self._rng.random() < 0.5 else newer[0])

    def _send_metadata(self, token: object, image: MetadataImage | None) -> None:
        self._cluster.network.answer(self, Reply(token, Metadata(image)))  # type: ignore[arg-type]


def _told(partition: object) -> str:
    names = ("leader", "leader_epoch", "partition_epoch", "isr", "elr", "replicas")
    return " ".join(f"{name} {getattr(partition, name)}" for name in names)
