"""The registration and heartbeats of a broker (Kafka's BrokerLifecycleManager, KIP-631).

    state                         sends                                    leaves when
    NOT_RUNNING                   nothing                                  begin -> STARTING
    STARTING                      registration, then want_fence=true       our own registration is applied -> RECOVERY
    RECOVERY                      want_fence=false                         the metadata log unfences us -> RUNNING
    RUNNING                       heartbeats                               shut_down -> PENDING_CONTROLLED_SHUTDOWN
    PENDING_CONTROLLED_SHUTDOWN   want_shut_down=true                      the controller agrees -> SHUTTING_DOWN
    SHUTTING_DOWN                 nothing

A broker whose epoch is stale resigns all partitions and registers again (C4).
"""

import logging

from kafkacompat.broker.control.registration import listeners_of
from kafkacompat.broker.network import CONTROLLER
from kafkacompat.now import NEVER
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.api_keys import BROKER_HEARTBEAT, BROKER_REGISTRATION
from kafkacompat.protocol.constants import NO_BROKER_EPOCH
from kafkacompat.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from kafkacompat.protocol.messages.broker_registration import BrokerRegistrationRequest, BrokerRegistrationResponse
from kafkacompat.replication.metadata.image import Endpoint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kafkacompat.broker.control.controller_channel import ControllerChannel
    from kafkacompat.broker.timers import Timers
    from kafkacompat.config import BrokerConfig
    from kafkacompat.now import Now
    from kafkacompat.replication.metadata.image import MetadataImage

log = logging.getLogger(__name__)

NOT_RUNNING, STARTING, RECOVERY, RUNNING = "NOT_RUNNING", "STARTING", "RECOVERY", "RUNNING"
PENDING_CONTROLLED_SHUTDOWN, SHUTTING_DOWN = "PENDING_CONTROLLED_SHUTDOWN", "SHUTTING_DOWN"

REGISTRATION_VERSION = 4
HEARTBEAT_VERSION = 2
RETRY_MS = 100
QUICK_RETRIES = 8
"""Refused registrations are retried quickly this many times; by then the previous incarnation is fenced (§3.9)."""
RETRY_MAX_MS = 2_000
SHUTDOWN_RETRY_MS = 50
CONTROLLER_SILENCE_MS = 3_000
"""A controlled shutdown ends after this time without an answer from a controller. Apache Kafka waits for
SHUTDOWN_MAX_MS in this case, too.
"""
SHUTDOWN_MAX_MS = 300_000
"""The time limit of a controlled shutdown while controllers answer, as in Kafka's BrokerServer.shutdown."""
REMIND_MS = 10_000
"""The pause before the same warning is logged again."""

FOREIGN = (
    "the controllers belong to another cluster than {data_dir} (cluster {cluster_id}): set "
    "controller.quorum.bootstrap.servers to that cluster's controllers, or choose another data directory"
)
_FATAL = {
    errors.INCONSISTENT_CLUSTER_ID: FOREIGN,
    errors.UNSUPPORTED_VERSION: (
        "the cluster has finalized features that this version cannot serve: downgrade them (kafka-features.sh "
        "downgrade), or run a newer version"
    ),
    errors.INVALID_REGISTRATION: (
        "the controller refuses this broker's registration, because another node has the same data directories or "
        "listeners: see the controller's log"
    ),
}


class Events:
    """Callbacks of the lifecycle; the broker sets them. `fatal`: the broker must stop, for the reason in the line."""

    def __init__(self) -> None:
        self.registered: Callable[[int, Now], None] = lambda _epoch, _now: None
        self.running: Callable[[Now], None] = lambda _now: None
        self.stale: Callable[[Now], None] = lambda _now: None
        self.heartbeat_succeeded: Callable[[int], None] = lambda _sent_ms: None  # gets the time of sending
        self.fatal: Callable[[str], None] = lambda _line: None
        self.must_wait: Callable[[Now], None] = lambda _now: None  # the controller says: do not stop yet
        self.may_stop: Callable[[Now], None] = lambda _now: None


class Lifecycle:
    """The lifecycle of one broker. `registration` is the request that registers it.

    metadata_offset: the metadata offset that all local partitions have applied.
    """

    def __init__(
        self,
        registration: BrokerRegistrationRequest,
        config: "BrokerConfig",
        *,
        channel: "ControllerChannel",
        timers: "Timers",
        metadata_offset: "Callable[[], int]",
        data_dir: str,
    ) -> None:
        self.state = NOT_RUNNING
        self.broker_epoch = NO_BROKER_EPOCH
        self.last_epoch = NO_BROKER_EPOCH  # stays when the epoch turns out to be stale
        self.events = Events()
        self.has_all: Callable[[], bool] = lambda: True  # whether all acknowledged records are still on disk
        self.cordoned_directories: Callable[[], list[bytes]] = list  # those with a full disk twice
        self._told_cordoned: list[bytes] | None = []  # by the last heartbeat
        self.offline_directories: Callable[[], list[bytes]] = list  # directories whose disk has failed
        self._told_offline: set[bytes] = set()  # of these the controller knows
        self._failure_timeout_ms = config.get_int("log.dir.failure.timeout.ms")
        self._registration = registration
        self._interval_ms = config.get_int("broker.heartbeat.interval.ms")
        self._session_ms = config.get_int("broker.session.timeout.ms")
        self._registration_ms = config.get_int("initial.broker.registration.timeout.ms")
        self._channel = channel
        self._timers = timers
        self._metadata_offset = metadata_offset
        self._data_dir = data_dir
        self._was_registered = False
        self._is_in_flight = False
        self._has_moved = False  # the controller does not know the present endpoints
        self._send_again = False  # something changed while a request was in flight
        self._refusals = 0  # in a row, of one registration
        self._retry_ms = RETRY_MS
        self._remind_ms = 0
        self._last_error = errors.NONE
        self._has_handed_over = False  # the controller has answered want_shut_down
        self._shutdown_deadline_ms = NEVER  # of a controlled shutdown
        self._stopping: frozenset[int] = frozenset()  # other brokers in controlled shutdown

    @property
    def node_id(self) -> int:
        """The id of this broker."""
        return self._registration.broker_id

    @property
    def is_registered(self) -> bool:
        """Whether this broker has an epoch that is valid as far as it knows."""
        return self.broker_epoch != NO_BROKER_EPOCH

    @property
    def endpoints(self) -> "list[Endpoint]":
        """The endpoints that this broker advertises, also if the controller does not know them yet."""
        return [
            Endpoint(each.name, each.host, each.port, each.security_protocol) for each in self._registration.listeners
        ]

    # --- called by the broker ---

    def set_endpoints(self, endpoints: "Sequence[Endpoint]") -> None:
        """Advertise these endpoints. `announce`, or the next event, registers them."""
        if list(endpoints) != self.endpoints:
            self._registration.listeners = listeners_of(endpoints)
            self._has_moved = self._was_registered

    def announce(self, now: "Now") -> None:
        """Register changed endpoints. The incarnation, and so the broker epoch, stay."""
        if self._has_moved and self.state in (RECOVERY, RUNNING):
            self._heartbeat(now)

    def begin(self, previous_broker_epoch: int, now: "Now") -> None:
        """The logs are recovered: register. `previous_broker_epoch` is that of the previous incarnation if nothing was
        lost since, else −1 (§2.8).
        """
        assert self.state == NOT_RUNNING
        self._registration.previous_broker_epoch = previous_broker_epoch
        self.state = STARTING
        self._timers.set("registration", now.monotonic_ms + self._registration_ms, self._registration_timed_out)
        self._register(now)

    def metadata_applied(self, image: "MetadataImage", now: "Now") -> None:
        """A new image was applied. Partitions may still lag."""
        self.announce(now)
        if self.is_registered and self.state == STARTING and self._metadata_offset() >= self.broker_epoch:
            self.state = RECOVERY
            self._heartbeat(now)
        broker = image.brokers.get(self.node_id)
        is_unfenced = broker is not None and broker.epoch == self.broker_epoch and not broker.fenced
        if self.state == RECOVERY and is_unfenced:
            self.state = RUNNING
            self.events.running(now)
        if self._told_cordoned != self.cordoned_directories():  # cordoned.log.dirs has changed
            self.room_changed(now)
        self._note_stopping_brokers(image, now)

    def caught_up(self, image: "MetadataImage", now: "Now") -> None:
        """All partitions have applied `image`. The controller may wait for that to unfence or stop a broker."""
        self.metadata_applied(image, now)
        if self.state == RECOVERY or (self.state == RUNNING and self._stopping):
            self._heartbeat(now)

    def controller_changed(self, now: "Now") -> None:
        """Another controller is active: send it a heartbeat now. Without one it would detect this broker's death by
        the session time-out only (§3.9).
        """
        if self.state in (RECOVERY, RUNNING):
            self._heartbeat(now)

    def room_changed(self, now: "Now") -> None:
        """A disk is full, or has room again. The controller considers that when it elects leaders."""
        if self.state in (RECOVERY, RUNNING):
            self._heartbeat(now)

    def directory_failed(self, directory_id: bytes, now: "Now") -> None:
        """A log directory went offline. The controller has to hear that within log.dir.failure.timeout.ms: until then
        it lets this broker lead partitions that nobody can write to (KIP-858).
        """

        def timed_out(_at: "Now") -> None:
            if directory_id not in self._told_offline:
                self._fail(
                    f"no controller has heard within log.dir.failure.timeout.ms={self._failure_timeout_ms} that a log "
                    "directory has failed: its partitions cannot get other leaders while this broker seems to be well"
                )

        self._timers.set(("offline", directory_id), now.monotonic_ms + self._failure_timeout_ms, timed_out)
        self.room_changed(now)

    def _note_stopping_brokers(self, image: "MetadataImage", now: "Now") -> None:
        """A broker in controlled shutdown waits until all others have applied its state: send a heartbeat now."""
        stopping = frozenset(
            broker.id for broker in image.brokers.values() if broker.in_controlled_shutdown and not broker.fenced
        ) - {self.node_id}
        has_more = not stopping <= self._stopping
        self._stopping = stopping
        if has_more and self.state in (RECOVERY, RUNNING):
            self._heartbeat(now)

    def shut_down(self, now: "Now") -> None:
        """Start a controlled shutdown. `events.may_stop` is called when the controller agrees, after
        CONTROLLER_SILENCE_MS without an answer, or after SHUTDOWN_MAX_MS.
        """
        if self.state == PENDING_CONTROLLED_SHUTDOWN:
            return
        if not self.is_registered or self.state in (STARTING, SHUTTING_DOWN):
            self._finish_shutdown(now)
            return
        self.state = PENDING_CONTROLLED_SHUTDOWN
        self._shutdown_deadline_ms = now.monotonic_ms + SHUTDOWN_MAX_MS
        self._await_controller(now)
        self._heartbeat(now)

    def end_shutdown(self, now: "Now") -> None:
        """End a controlled shutdown that waits for the controller's consent: this node has left the quorum."""
        if self.state == PENDING_CONTROLLED_SHUTDOWN:
            log.warning("broker %d stops without handing over its partitions: its metadata log failed", self.node_id)
            self._finish_shutdown(now)

    def close(self) -> None:
        """Send nothing any more."""
        self.state = SHUTTING_DOWN
        for key in ("registration", "heartbeat", "controlled shutdown"):
            self._timers.cancel(key)
        for directory_id in self.offline_directories():
            self._timers.cancel(("offline", directory_id))

    # --- registration ---

    def _register(self, now: "Now") -> None:
        if self.state == SHUTTING_DOWN or self._is_in_flight:
            return
        self._is_in_flight = True
        self._channel.request(
            CONTROLLER, BROKER_REGISTRATION, REGISTRATION_VERSION, self._registration, self._on_registered,
            timeout_ms=self._session_ms, now=now,
        )  # fmt: skip

    def _on_registered(self, response: object, now: "Now") -> None:
        self._is_in_flight = False
        if self.state == SHUTTING_DOWN:
            return
        if response is None:
            self._last_error = errors.NONE
            self._timers.set("heartbeat", now.monotonic_ms + RETRY_MS, self._register)
            return
        assert isinstance(response, BrokerRegistrationResponse)
        if response.error_code != errors.NONE:
            self._refused(response.error_code, now)
            return
        if response.broker_epoch <= NO_BROKER_EPOCH:  # not an epoch that a controller assigns
            self._refused(errors.UNKNOWN_SERVER_ERROR, now)
            return
        self._timers.cancel("registration")
        self._was_registered = True
        self._refusals, self._retry_ms = 0, RETRY_MS
        self.broker_epoch = self.last_epoch = response.broker_epoch
        log.debug("broker %d is registered with epoch %d", self.node_id, self.broker_epoch)
        self.events.registered(self.broker_epoch, now)
        if self._metadata_offset() >= self.broker_epoch:
            self.state = RECOVERY
        self._heartbeat(now)

    def _refused(self, code: int, now: "Now") -> None:
        self._last_error = code
        if code in _FATAL and not self._was_registered:
            line = _FATAL[code].format(data_dir=self._data_dir, cluster_id=self._registration.cluster_id)
            self._fail(line)
            return
        if now.monotonic_ms >= self._remind_ms:
            self._remind_ms = now.monotonic_ms + REMIND_MS
            log.warning("%s; retrying", self._why())
        self._timers.set("heartbeat", now.monotonic_ms + self._retry_ms, self._register)
        self._refusals += 1
        if self._refusals >= QUICK_RETRIES:
            self._retry_ms = min(2 * self._retry_ms, RETRY_MAX_MS)

    def _why(self) -> str:
        if self._last_error == errors.DUPLICATE_BROKER_REGISTRATION:
            return (
                f"another process is registered as broker {self.node_id} and sent a heartbeat within the last "
                f"{self._session_ms} ms: stop it, or give one of the two another node.id"
            )
        if self._last_error == errors.NONE:
            return (
                "no active controller answers: check that a majority of the controllers runs, and their addresses in "
                "controller.quorum.bootstrap.servers or controller.quorum.voters"
            )
        return f"the controller refuses to register broker {self.node_id} (error {self._last_error})"

    def _registration_timed_out(self, now: "Now") -> None:  # noqa: ARG002 (a timer's interface)
        self._fail(f"{self._why()} (given up after initial.broker.registration.timeout.ms={self._registration_ms})")

    def _fail(self, line: str) -> None:
        self.close()
        self.events.fatal(line)

    def _register_again(self, now: "Now") -> None:
        """Our epoch is stale: another process registered this broker id, or it was unregistered."""
        log.warning("the epoch %d of broker %d is stale: it registers again", self.broker_epoch, self.node_id)
        # this process kept its logs all the time; only a failed disk can have lost records
        self._registration.previous_broker_epoch = self.broker_epoch if self.has_all() else NO_BROKER_EPOCH
        self.broker_epoch = NO_BROKER_EPOCH
        self.state = STARTING
        self.events.stale(now)
        self._register(now)

    # --- heartbeats ---

    def _heartbeat(self, now: "Now") -> None:
        if self._is_in_flight:
            self._send_again = True
            return
        if not self.is_registered or self.state == SHUTTING_DOWN:
            return
        self._timers.cancel("heartbeat")
        self._is_in_flight = True
        self._send_again = False
        if self._has_moved and self.state in (RECOVERY, RUNNING):
            self._move(now)
            return
        self._told_cordoned = None if self.state == STARTING else self.cordoned_directories()
        request = BrokerHeartbeatRequest(
            self.node_id,
            self.broker_epoch,
            self._metadata_offset(),
            want_fence=self.state == STARTING,
            want_shut_down=self.state == PENDING_CONTROLLED_SHUTDOWN,
            offline_log_dirs=self.offline_directories(),
            cordoned_log_dirs=self._told_cordoned,
        )
        sent_ms = now.monotonic_ms
        self._channel.request(
            CONTROLLER, BROKER_HEARTBEAT, HEARTBEAT_VERSION, request,
            lambda response, at: self._on_heartbeat(request, response, sent_ms, at),
            timeout_ms=self._session_ms // 2, now=now,
        )  # fmt: skip

    def _move(self, now: "Now") -> None:
        """Register the present endpoints, in place of a heartbeat."""
        self._has_moved = False
        self._registration.previous_broker_epoch = self.broker_epoch if self.has_all() else NO_BROKER_EPOCH
        self._channel.request(
            CONTROLLER, BROKER_REGISTRATION, REGISTRATION_VERSION, self._registration, self._on_moved,
            timeout_ms=self._session_ms, now=now,
        )  # fmt: skip

    def _on_moved(self, response: object, now: "Now") -> None:
        self._is_in_flight = False
        if self.state == SHUTTING_DOWN:
            return
        if response is None:
            self._has_moved = True
            self._next_heartbeat(RETRY_MS, now)
            return
        assert isinstance(response, BrokerRegistrationResponse)
        if response.error_code != errors.NONE:
            log.warning(
                "the controller refuses the new endpoints of broker %d: error %d", self.node_id, response.error_code
            )
        elif response.broker_epoch != self.broker_epoch:  # it has fenced us, or registered us anew: begin again
            self.state = STARTING
            self.events.stale(now)
            self._on_registered(response, now)
            return
        self._heartbeat(now)

    def _on_heartbeat(self, request: BrokerHeartbeatRequest, response: object, sent_ms: int, now: "Now") -> None:
        self._is_in_flight = False
        if self.state == SHUTTING_DOWN:
            return
        if response is None:
            self._last_error = errors.NONE
            if now.monotonic_ms >= self._remind_ms:
                self._remind_ms = now.monotonic_ms + REMIND_MS
                log.warning("%s", self._why())
            self._next_heartbeat(RETRY_MS, now)
            return
        assert isinstance(response, BrokerHeartbeatResponse)
        if response.error_code in (errors.STALE_BROKER_EPOCH, errors.BROKER_ID_NOT_REGISTERED):
            if self.state == PENDING_CONTROLLED_SHUTDOWN:
                self._finish_shutdown(now)
            else:
                self._register_again(now)
            return
        if response.error_code != errors.NONE:
            log.warning("the controller answers a heartbeat with error %d", response.error_code)
            self._next_heartbeat(self._interval_ms, now)
            return
        self._told_offline.update(map(bytes, request.offline_log_dirs))
        self.events.heartbeat_succeeded(sent_ms)
        if self.state == PENDING_CONTROLLED_SHUTDOWN and not response.should_shut_down:
            self._await_controller(now)
            self.events.must_wait(now)
        self._next_step(response, now)

    def _next_step(self, response: BrokerHeartbeatResponse, now: "Now") -> None:
        if self.state == PENDING_CONTROLLED_SHUTDOWN and response.should_shut_down:
            self._finish_shutdown(now)
        elif self._send_again:
            self._heartbeat(now)
        elif self.state == PENDING_CONTROLLED_SHUTDOWN and not self._has_handed_over:
            self._has_handed_over = True  # our partitions have new leaders: ask at once whether we may stop
            self._heartbeat(now)
        elif self.state == PENDING_CONTROLLED_SHUTDOWN:
            self._next_heartbeat(SHUTDOWN_RETRY_MS, now)
        elif self.state == RECOVERY and response.is_fenced:
            self._next_heartbeat(RETRY_MS, now)  # the controller waits for us to catch up further
        else:
            self._next_heartbeat(self._interval_ms, now)

    def _next_heartbeat(self, pause_ms: int, now: "Now") -> None:
        self._timers.set("heartbeat", now.monotonic_ms + pause_ms, self._heartbeat)

    # --- the end ---

    def _await_controller(self, now: "Now") -> None:
        at_ms = min(now.monotonic_ms + CONTROLLER_SILENCE_MS, self._shutdown_deadline_ms)
        self._timers.set("controlled shutdown", at_ms, self._shutdown_timed_out)

    def _shutdown_timed_out(self, now: "Now") -> None:
        why = (
            "the controller has not agreed in time"
            if now.monotonic_ms >= self._shutdown_deadline_ms
            else "no active controller answers"
        )
        log.warning("broker %d stops without handing over its partitions: %s", self.node_id, why)
        self._finish_shutdown(now)

    def _finish_shutdown(self, now: "Now") -> None:
        self.close()
        self.events.may_stop(now)
