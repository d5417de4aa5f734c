"""Which brokers are there: heartbeats, fencing, registration (rules C3 and C4; Kafka's BrokerHeartbeatManager).

What is said here is not in the metadata log: an active controller begins with a new session for every broker.
"""

from kafkacompat.now import NEVER
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.protocol.messages.broker_heartbeat import BrokerHeartbeatResponse
from kafkacompat.protocol.messages.broker_registration import BrokerRegistrationResponse
from kafkacompat.replication.controller import brokers
from kafkacompat.replication.controller.brokers import PartitionSteps, Registration
from kafkacompat.replication.metadata.image import Endpoint
from kafkacompat.replication.metadata.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.now import Now
    from kafkacompat.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest
    from kafkacompat.protocol.messages.broker_registration import BrokerRegistrationRequest
    from kafkacompat.replication.metadata.image import BrokerImage, MetadataImage
    from kafkacompat.replication.metadata.settings import Settings


class _Session:
    """`until_ms` is monotonic. `metadata_offset` is what the broker has applied of the metadata log."""

    __slots__ = ("metadata_offset", "shutdown_offset", "until_ms")

    def __init__(self, until_ms: int) -> None:
        self.until_ms = until_ms
        self.metadata_offset = UNKNOWN_OFFSET
        self.shutdown_offset = UNKNOWN_OFFSET  # what all others must have applied before it may stop


class BrokerHeartbeatManager:
    """The sessions of one active controller. `timeout_ms` is broker.session.timeout.ms."""

    def __init__(self, image: "MetadataImage", timeout_ms: int, now: "Now") -> None:
        """The controller becomes active on `image`: all brokers that work get the time to find it.

        Nothing is known of a fenced one: another process may take its place, as in Kafka.
        """
        self._timeout_ms = timeout_ms
        self._sessions = {
            broker.id: _Session(now.monotonic_ms + (0 if broker.fenced else timeout_ms))
            for broker in image.brokers.values()
        }
        self._removals: dict[int, PartitionSteps] = {}  # of brokers that go, and have not gone yet
        self._returns: dict[int, PartitionSteps] = {}  # of brokers that work again, and may lead more

    @property
    def has_more_steps(self) -> bool:
        """Whether brokers come or go whose partitions are too many for one change."""
        return bool(self._removals or self._returns)

    # --- registration ---

    def register(
        self,
        request: "BrokerRegistrationRequest",
        image: "MetadataImage",
        settings: "Settings",
        next_offset: int,
        now: "Now",
    ) -> Result:
        """Register a broker (62), fenced. Another process of the same id is refused while the present one may live,
        fenced or not (C4); a process that asks again gets the epoch that it has.
        """
        broker_id = request.broker_id
        present = image.brokers.get(broker_id)
        if present is not None:
            if present.incarnation_id == bytes(request.incarnation_id):
                return Result([], BrokerRegistrationResponse(broker_epoch=present.epoch))
            if self.is_alive(broker_id, now):
                return Result([], BrokerRegistrationResponse(error_code=errors.DUPLICATE_BROKER_REGISTRATION))
        steps = self._removals.setdefault(broker_id, PartitionSteps())
        result = brokers.register(_registration(request), image, settings, next_offset, steps)
        if not steps.is_over:  # the broker asks again
            return Result(result.records, BrokerRegistrationResponse(error_code=errors.REQUEST_TIMED_OUT))
        del self._removals[broker_id]
        self._sessions[broker_id] = _Session(now.monotonic_ms + self._timeout_ms)
        return Result(result.records, BrokerRegistrationResponse(broker_epoch=result.response))

    def is_alive(self, broker_id: int, now: "Now") -> bool:
        """Whether a broker was heard of within its session, and did not go since."""
        session = self._sessions.get(broker_id)
        return session is not None and now.monotonic_ms < session.until_ms

    # --- heartbeats ---

    def heartbeat(
        self, request: "BrokerHeartbeatRequest", image: "MetadataImage", settings: "Settings", now: "Now"
    ) -> Result:
        """Extend a session (63), and let the broker work, rest or go as it wants and may."""
        broker = image.brokers.get(request.broker_id)
        if broker is None or broker.epoch != request.broker_epoch:
            return Result([], BrokerHeartbeatResponse(error_code=errors.STALE_BROKER_EPOCH))
        session = self._sessions.setdefault(broker.id, _Session(0))
        session.until_ms = now.monotonic_ms + self._timeout_ms
        session.metadata_offset = max(session.metadata_offset, request.current_metadata_offset)
        is_caught_up = request.current_metadata_offset >= broker.epoch
        if broker.fenced:
            result = Result([])
            if is_caught_up and not request.want_fence and not request.want_shut_down:
                result = self._unfence(broker.id, image, settings)
            stops = request.want_shut_down
            is_fenced = not result.records
        else:
            result, stops = self._while_working(request, broker, session, image, settings)
            is_fenced = stops or (request.want_fence and not broker.in_controlled_shutdown)
        if stops:
            session.until_ms = now.monotonic_ms  # it goes, and may be started again at once
        response = BrokerHeartbeatResponse(is_caught_up=is_caught_up, is_fenced=is_fenced, should_shut_down=stops)
        return Result(result.records, response)

    def _while_working(
        self,
        request: "BrokerHeartbeatRequest",
        broker: "BrokerImage",
        session: _Session,
        image: "MetadataImage",
        settings: "Settings",
    ) -> tuple[Result, bool]:
        """What becomes of an unfenced broker, and whether it may stop now."""
        if request.want_fence and not broker.in_controlled_shutdown:
            result = self._fence(broker.id, image, settings)
            if broker.id in self._removals:
                session.until_ms = -NEVER  # `fence_next` goes on
            return result, request.want_shut_down
        if not request.want_shut_down and not broker.in_controlled_shutdown:
            return Result([]), False
        if _leads_anything(broker.id, image):
            steps = self._removals.setdefault(broker.id, PartitionSteps())
            result = brokers.begin_controlled_shutdown(broker.id, image, settings, steps)
            if steps.is_over:
                del self._removals[broker.id]
            session.shutdown_offset = image.offset + len(result.records)
            return result, False  # the broker asks again, and takes the next step with that
        if broker.in_controlled_shutdown and self._lowest_offset(image) < session.shutdown_offset:
            return Result([]), False  # the new leaders do not know yet that they are
        result = self._fence(broker.id, image, settings)
        return result, broker.id not in self._removals

    def _lowest_offset(self, image: "MetadataImage") -> int:
        """How much of the metadata log all active brokers have applied."""
        offsets = (
            session.metadata_offset for broker_id, session in self._sessions.items() if image.is_active(broker_id)
        )
        return min(offsets, default=NEVER)

    # --- fencing ---

    def died(self, broker_id: int) -> None:
        """Evidence of death (§3.9): its connections are closed, and a dial to its listener was refused."""
        session = self._sessions.get(broker_id)
        if session is not None:
            session.until_ms = -NEVER

    def fence_next(self, image: "MetadataImage", settings: "Settings", now: "Now") -> Result | None:
        """Fence one broker whose session is over, or take the next step of that; None when there is none (any more).
        The response says whether there is another step.

        One at a time, so that each removal sees who was eligible after the one before (C3).
        """
        for broker_id, broker in image.brokers.items():
            if not broker.fenced and not self.is_alive(broker_id, now):
                result = self._fence(broker_id, image, settings)
                return Result(result.records, broker_id in self._removals)
        return None

    def next_step(self, image: "MetadataImage", settings: "Settings", now: "Now") -> Result | None:
        """The next step for a broker that works again or registers; None when there is none."""
        for broker_id in list(self._returns):
            if image.is_active(broker_id):
                return self._unfence(broker_id, image, settings)
            del self._returns[broker_id]
        for broker_id, steps in list(self._removals.items()):
            broker = image.brokers.get(broker_id)
            if broker is not None and broker.fenced:
                records = list(brokers.changes_without(broker_id, image, settings, steps, unclean=steps.is_unclean))
                if steps.is_over:
                    del self._removals[broker_id]
                return Result(records)
            if broker is None or (not broker.in_controlled_shutdown and self.is_alive(broker_id, now)):
                del self._removals[broker_id]  # it is back
        return None

    def _fence(self, broker_id: int, image: "MetadataImage", settings: "Settings") -> Result:
        steps = self._removals.setdefault(broker_id, PartitionSteps())
        result = brokers.fence(broker_id, image, settings, steps)
        if steps.is_over:
            del self._removals[broker_id]
        return result

    def _unfence(self, broker_id: int, image: "MetadataImage", settings: "Settings") -> Result:
        steps = self._returns.setdefault(broker_id, PartitionSteps())
        result = brokers.unfence(broker_id, image, settings, steps)
        if steps.is_over:
            del self._returns[broker_id]
        return result

    def deadline_ms(self, image: "MetadataImage", after_ms: int = -NEVER) -> int:
        """When the next session of an unfenced broker ends; those that ended until `after_ms` were dealt with."""
        ends = (self._sessions[broker_id].until_ms for broker_id, broker in image.brokers.items() if not broker.fenced)
        return min((end for end in ends if end > after_ms), default=NEVER)


def _leads_anything(broker_id: int, image: "MetadataImage") -> bool:
    return any(partition.leader == broker_id for topic in image.topics.values() for partition in topic.partitions)


def _registration(request: "BrokerRegistrationRequest") -> Registration:
    return Registration(
        request.broker_id,
        bytes(request.incarnation_id),
        [Endpoint(each.name, each.host, each.port, each.security_protocol) for each in request.listeners],
        [bytes(directory) for directory in request.log_dirs],
        rack=request.rack,
        previous_epoch=request.previous_broker_epoch,
        features={each.name: (each.min_supported_version, each.max_supported_version) for each in request.features},
    )
