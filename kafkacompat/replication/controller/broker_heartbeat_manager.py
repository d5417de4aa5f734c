"""Broker sessions: heartbeats, fencing, registration (rules C3 and C4; Kafka's BrokerHeartbeatManager).

Sessions are not in the metadata log: a new active controller begins a new session for every broker.
"""

from kafkacompat.now import LONG_AGO, NEVER
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
    """`until_ms` is on the monotonic clock. `metadata_offset` is the offset up to which the broker has applied the
    metadata log.
    """

    __slots__ = ("metadata_offset", "shutdown_offset", "until_ms")

    def __init__(self, until_ms: int) -> None:
        self.until_ms = until_ms
        self.metadata_offset = UNKNOWN_OFFSET
        self.shutdown_offset = UNKNOWN_OFFSET  # all other brokers must have applied it before this one may stop


class BrokerHeartbeatManager:
    """The sessions of one active controller. `timeout_ms` is broker.session.timeout.ms."""

    def __init__(self, image: "MetadataImage", timeout_ms: int, now: "Now") -> None:
        """The controller becomes active on `image`: every unfenced broker gets a full session to find it.

        A fenced broker gets none: another process may register with its id, as in Kafka.
        """
        self._timeout_ms = timeout_ms
        self._sessions = {
            broker.id: _Session(now.monotonic_ms + (0 if broker.fenced else timeout_ms))
            for broker in image.brokers.values()
        }
        self._removals: dict[int, PartitionSteps] = {}  # unfinished removals of brokers from ISRs
        self._returns: dict[int, PartitionSteps] = {}  # unfinished elections for brokers that were unfenced

    @property
    def has_more_steps(self) -> bool:
        """Whether a broker with too many partitions for one change is being fenced, unfenced or registered."""
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
        """Register a broker (62), fenced. Another process with the same id is refused while the present one may be
        alive, fenced or not (C4). A process that asks again gets its present epoch; it may ask with other endpoints.
        """
        broker_id = request.broker_id
        present = image.brokers.get(broker_id)
        if present is not None:
            if present.incarnation_id == bytes(request.incarnation_id):
                records = brokers.moved(_registration(request), present)
                return Result(records, BrokerRegistrationResponse(broker_epoch=present.epoch))
            if self.is_alive(broker_id, now):
                return Result([], BrokerRegistrationResponse(error_code=errors.DUPLICATE_BROKER_REGISTRATION))
        steps = self._removals.setdefault(broker_id, PartitionSteps())
        result = brokers.register(_registration(request), image, settings, next_offset, steps)
        if not steps.is_over:  # the broker retries
            return Result(result.records, BrokerRegistrationResponse(error_code=errors.REQUEST_TIMED_OUT))
        del self._removals[broker_id]
        self._sessions[broker_id] = _Session(now.monotonic_ms + self._timeout_ms)
        return Result(result.records, BrokerRegistrationResponse(broker_epoch=result.response))

    def is_alive(self, broker_id: int, now: "Now") -> bool:
        """Whether the broker's session has not expired, and it has not stopped since."""
        session = self._sessions.get(broker_id)
        return session is not None and now.monotonic_ms < session.until_ms

    # --- heartbeats ---

    def heartbeat(
        self, request: "BrokerHeartbeatRequest", image: "MetadataImage", settings: "Settings", now: "Now"
    ) -> Result:
        """Extend a session (63), and fence, unfence or stop the broker as it asks and as is allowed."""
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
            result, stops = self._heartbeat_of_unfenced(request, broker, session, image, settings)
            is_fenced = stops or (request.want_fence and not broker.in_controlled_shutdown)
        if stops:
            session.until_ms = now.monotonic_ms  # it stops, and may be restarted at once
        response = BrokerHeartbeatResponse(is_caught_up=is_caught_up, is_fenced=is_fenced, should_shut_down=stops)
        return Result(result.records, response)

    def _heartbeat_of_unfenced(
        self,
        request: "BrokerHeartbeatRequest",
        broker: "BrokerImage",
        session: _Session,
        image: "MetadataImage",
        settings: "Settings",
    ) -> tuple[Result, bool]:
        """The change for an unfenced broker, and whether it may stop now."""
        if request.want_fence and not broker.in_controlled_shutdown:
            result = self._fence(broker.id, image, settings)
            if broker.id in self._removals:
                session.until_ms = LONG_AGO  # `fence_next` makes the remaining steps
            return result, request.want_shut_down
        if not request.want_shut_down and not broker.in_controlled_shutdown:
            return Result([]), False
        if _leads_anything(broker.id, image):
            steps = self._removals.setdefault(broker.id, PartitionSteps())
            result = brokers.begin_controlled_shutdown(broker.id, image, settings, steps)
            if steps.is_over:
                del self._removals[broker.id]
            session.shutdown_offset = image.offset + len(result.records)
            return result, False  # the broker's next heartbeat makes the next step
        if broker.in_controlled_shutdown and self._lowest_offset(image) < session.shutdown_offset:
            return Result([]), False  # the new leaders have not applied their election yet
        result = self._fence(broker.id, image, settings)
        return result, broker.id not in self._removals

    def _lowest_offset(self, image: "MetadataImage") -> int:
        """The offset up to which all active brokers have applied the metadata log."""
        offsets = (
            session.metadata_offset for broker_id, session in self._sessions.items() if image.is_active(broker_id)
        )
        return min(offsets, default=NEVER)

    # --- fencing ---

    def died(self, broker_id: int) -> None:
        """Evidence of death (§3.9): the broker's connections closed, and its listener refused a new one."""
        session = self._sessions.get(broker_id)
        if session is not None:
            session.until_ms = LONG_AGO

    def fence_next(self, image: "MetadataImage", settings: "Settings", now: "Now") -> Result | None:
        """Fence one broker whose session expired, or make the next step of that. None if there is none left. The
        response tells whether there is another step.

        One broker at a time, so that each removal sees the ELR that the one before has left (C3).
        """
        for broker_id, broker in image.brokers.items():
            if not broker.fenced and not self.is_alive(broker_id, now):
                result = self._fence(broker_id, image, settings)
                return Result(result.records, broker_id in self._removals)
        return None

    def next_step(self, image: "MetadataImage", settings: "Settings", now: "Now") -> Result | None:
        """The next step for a broker that was unfenced or registers; None if there is none."""
        for broker_id in list(self._returns):
            if image.is_active(broker_id):
                return self._unfence(broker_id, image, settings)
            del self._returns[broker_id]
        for broker_id, steps in list(self._removals.items()):
            broker = image.brokers.get(broker_id)
            if broker is not None and broker.fenced:
                records = list(
                    brokers.leader_and_isr_updates(broker_id, image, settings, steps, unclean=steps.is_unclean)
                )
                if steps.is_over:
                    del self._removals[broker_id]
                return Result(records)
            if broker is None or (not broker.in_controlled_shutdown and self.is_alive(broker_id, now)):
                del self._removals[broker_id]  # the broker is back
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

    def deadline_ms(self, image: "MetadataImage", after_ms: int = LONG_AGO) -> int:
        """When the next session of an unfenced broker expires. Sessions that expired until `after_ms` were handled."""
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
