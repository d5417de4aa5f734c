"""The stage of the conversations in tests/scenarios/broker_*.txt (see tests/transcripts.py): brokers, a controller.

A process reads as the id of its broker; `2b` is another process of broker 2. Kafka's times hold: a session is 9 s, and
a heartbeat comes every 2 s. The controller commits at once, and each broker applies at once what is committed:

    cluster 1 2 3 min=2       these brokers work; min.insync.replicas
    partitions 1,2,3 2,3,1    topic t has partitions with these replicas, all in sync; the first one leads
    start 4 clean             a process starts; clean: it can prove that nothing was lost since its last life;
                              lagging: it does not apply what is committed; unheard: the first answer to it is lost;
                              foreign: its data directory is of another cluster
    wait 3s                   time passes; what becomes of it is shown, and when
    stop 2                    the process is asked to stop
    kill 2                    the process dies: its connections close, and nothing listens where it was
    pause 2, resume 2         the process stands still, and goes on; its connections stay
    cut 2, heal 2             the network loses all that it says and hears; its connection breaks
    disconnect 2              its connection to the controller breaks, and it may make another one at once
    unreached 2               the controller has never reached the address that broker 2 advertises
    lag 2, catch-up 2         it does not apply what is committed; it applies all of that
    no-controller             no controller is active
    new-controller            another controller becomes active
    unregister 2              an operator takes broker 2 off the list
    sessions                  how long the session of each broker lasts, a = for each second
    table                     the partitions
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kafkacompat.broker.control import lifecycle
from kafkacompat.broker.control.lifecycle import Lifecycle
from kafkacompat.broker.timers import Timers
from kafkacompat.now import Now
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import NO_BROKER_EPOCH
from kafkacompat.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from kafkacompat.protocol.messages.broker_registration import (
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
    Feature,
)
from kafkacompat.protocol.messages.unregister_broker import UnregisterBrokerRequest
from kafkacompat.replication.controller.active import ActiveController
from kafkacompat.replication.metadata.features import SUPPORTED_FEATURES
from kafkacompat.replication.metadata.image import EMPTY_IMAGE, MetadataImage, PartitionImage, TopicImage
from tests.replication.controller.active_world import CLUSTER_ID, FEATURES, ID, MemoryQuorum
from tests.replication.quorum_world import config, settings
from tests.transcripts import ERROR_NAMES, duration_ms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SESSION_S = 9
MAX_MESSAGES = 500
"""So many messages one command may deliver: more is a conversation without end."""


class Process:
    """One process of a broker, and its side of the conversation."""

    def __init__(self, stage: Stage, name: str, number: int, cluster_id: str) -> None:
        self.name = name
        self.broker_id = int(name.rstrip("b"))
        self.incarnation_id = bytes([number]) * 16
        self.timers = Timers()
        self.applied = stage.quorum.image
        self.is_running = True
        self.is_paused = self.is_cut = self.lags = self.loses_answer = False
        self._stage = stage
        registration = BrokerRegistrationRequest(
            self.broker_id, cluster_id, self.incarnation_id, log_dirs=[bytes([self.broker_id]) * 16],
            features=[Feature(feature, low, high) for feature, (low, high) in SUPPORTED_FEATURES.items()],
        )  # fmt: skip
        channel: Any = self
        self.lifecycle = Lifecycle(
            registration, config(), channel=channel, timers=self.timers,
            metadata_offset=lambda: self.applied.offset, data_dir="/data",
        )  # fmt: skip
        self.lifecycle.events.may_stop = lambda _now: stage.ended(self)
        self.lifecycle.events.fatal = lambda line: stage.ended(self, f": {line.partition(':')[0]}")
        self.state = self.lifecycle.state

    @property
    def acts(self) -> bool:
        return self.is_running and not self.is_paused

    def request(
        self, _channel: str, _key: int, _version: int, request: Any, done: Any, *, timeout_ms: int, now: Now
    ) -> None:
        """As the ControllerChannel does: it is tried again until it is answered or late."""
        self._stage.asked.append((self, request, done, now.monotonic_ms + timeout_ms))

    def apply(self, image: MetadataImage, now: Now) -> None:
        """Apply what is committed, unless it lags."""
        if self.acts and not self.is_cut and not self.lags and image is not self.applied:
            self.applied = image
            self.lifecycle.metadata_applied(image, now)


class Quorum(MemoryQuorum):
    """Says of each change that it is committed."""

    committed: Callable[[], None] = staticmethod(lambda: None)

    def commit(self) -> None:
        super().commit()
        self.committed()


class Stage:
    """One scenario under way."""

    def __init__(self) -> None:
        self.now_ms = self.started = 0
        self.began_ms: int | None = None  # of a wait
        self.lines: list[str] = []
        self.asked: list[tuple[Process, Any, Callable[[object, Now], None], int]] = []
        self.processes: dict[str, Process] = {}
        self.heard_from: dict[int, Process] = {}
        self.dials: list[int] = []
        self.unreached: set[int] = set()
        self.min_isr = "1"
        self.quorum = Quorum(EMPTY_IMAGE.but(features=FEATURES))
        self.quorum.committed = self._show_commit
        self.shown = self.quorum.image
        self.controller: ActiveController | None = None

    def play(self, line: str) -> list[str]:
        self.lines = []
        verb, *words = line.split()
        getattr(self, f"do_{verb.replace('-', '_')}")(*words)
        self._go_on()
        return self.lines

    @property
    def now(self) -> Now:
        return Now(self.now_ms, self.now_ms)

    # --- commands ---

    def do_cluster(self, *words: str) -> None:
        self.min_isr = next((word.removeprefix("min=") for word in words if word.startswith("min=")), "1")
        self.do_new_controller()
        for name in (word for word in words if word.isdigit()):
            self.do_start(name)
        self._go_on()
        assert all(process.lifecycle.state == lifecycle.RUNNING for process in self.processes.values())
        self.lines = []

    def do_partitions(self, *replicas: str) -> None:
        images = []
        for word in replicas:
            ids = tuple(map(int, word.split(",")))
            images.append(PartitionImage(ids, ids, ids[0]))
        topic = TopicImage("t", ID, tuple(images))
        self.quorum.newest = self.shown = self.quorum.image.but(topics={"t": topic}, topics_by_id={ID: topic})
        self.quorum.commit()

    def do_start(self, name: str, *how: str) -> None:
        self.started += 1
        cluster_id = "another" if "foreign" in how else CLUSTER_ID
        process = self.processes[name] = Process(self, name, self.started, cluster_id)
        process.lags, process.loses_answer = "lagging" in how, "unheard" in how
        previous = self.quorum.image.brokers[process.broker_id].epoch if "clean" in how else NO_BROKER_EPOCH
        process.lifecycle.begin(previous, self.now)

    def do_stop(self, name: str) -> None:
        self.processes[name].lifecycle.shut_down(self.now)

    def do_kill(self, name: str) -> None:
        self.processes[name].is_running = False
        self._disconnected(self.processes[name])

    def do_pause(self, name: str) -> None:
        self.processes[name].is_paused = True

    def do_resume(self, name: str) -> None:
        self.processes[name].is_paused = False

    def do_cut(self, name: str) -> None:
        self.processes[name].is_cut = True
        self._disconnected(self.processes[name])

    def do_heal(self, name: str) -> None:
        self.processes[name].is_cut = False

    def do_disconnect(self, name: str) -> None:
        self._disconnected(self.processes[name])

    def do_unreached(self, broker_id: str) -> None:
        self.unreached.add(int(broker_id))

    def do_lag(self, name: str) -> None:
        self.processes[name].lags = True

    def do_catch_up(self, name: str) -> None:
        process = self.processes[name]
        process.lags = False
        process.apply(self.quorum.image, self.now)
        process.lifecycle.caught_up(process.applied, self.now)

    def do_no_controller(self) -> None:
        self.controller = None

    def do_new_controller(self) -> None:
        self.heard_from.clear()
        self.dials.clear()
        self.controller = ActiveController(
            self.quorum, settings(min_insync_replicas=self.min_isr), self.now,
            cluster_id=CLUSTER_ID, dial=self.dials.append,
        )  # fmt: skip
        for process in self.processes.values():
            if process.acts and not process.is_cut:
                process.lifecycle.controller_changed(self.now)

    def do_wait(self, duration: str) -> None:
        self.began_ms = self.now_ms
        end_ms = self.now_ms + duration_ms(duration)
        while (next_ms := min([end_ms, *self._deadlines()])) < end_ms:
            self.now_ms = max(self.now_ms, next_ms)
            self._run_timers()
            self._go_on()
        self.now_ms = end_ms
        self._run_timers()
        self._go_on()
        self.began_ms = None

    def do_unregister(self, broker_id: str) -> None:
        assert self.controller is not None
        self.controller.unregister(UnregisterBrokerRequest(int(broker_id)), self.now)

    def do_sessions(self) -> None:
        assert self.controller is not None
        sessions = self.controller._heartbeats
        for broker_id, broker in sorted(self.quorum.image.brokers.items()):
            left_s = sum(sessions.is_alive(broker_id, Now(self.now_ms + s * 1000, 0)) for s in range(SESSION_S))
            part = "fenced" if broker.fenced else "stopping" if broker.in_controlled_shutdown else "works"
            self.lines.append(f"{broker_id}  {'=' * left_s:{SESSION_S}}  {left_s} s  {part}")

    def do_table(self) -> None:
        for index, partition in enumerate(self.quorum.image.topics["t"].partitions):
            self.lines.append(f"t-{index}  replicas {text(partition.replicas):7}{_part_of(partition)}")

    # --- the world ---

    def ended(self, process: Process, why: str = "") -> None:
        """It stops, with all that it was asked to do done, or as it cannot go on."""
        self._show_state(process)
        self._tell(f"{process.name} ends{why}")
        process.is_running = False
        self._disconnected(process)

    def _disconnected(self, process: Process) -> None:
        if self.heard_from.get(process.broker_id) is process:
            del self.heard_from[process.broker_id]
            if self.controller is not None:
                self.controller.connection_lost(process.broker_id, self.now)

    def _deadlines(self) -> Iterator[int]:
        if self.controller is not None:
            yield max(self.controller.deadline_ms, self.now_ms)
        for process in self.processes.values():
            due_ms = process.timers.next_deadline_ms() if process.acts else None
            if due_ms is not None:
                yield max(due_ms, self.now_ms)
        yield from (deadline_ms for _, _, _, deadline_ms in self.asked)

    def _run_timers(self) -> None:
        for process in list(self.processes.values()):
            if process.acts:
                process.timers.run(self.now)
        if self.controller is not None and self.controller.deadline_ms <= self.now_ms:
            self.controller.tick(self.now)

    def _go_on(self) -> None:
        """Deliver what can be delivered, until nothing is left to say."""
        for _ in range(MAX_MESSAGES):
            self._show_changes()
            if not (self._dial() or self._deliver()):
                return
        raise AssertionError("a conversation without end")

    def _dial(self) -> bool:
        if not self.dials or self.controller is None:
            return False
        broker_id = self.dials.pop(0)
        outcome = self._outcome_of_dial(broker_id)
        self._tell(f"controller dials {broker_id}: {outcome}")
        self.controller.dialed(broker_id, outcome, self.now, was_reached=broker_id not in self.unreached)
        return True

    def _outcome_of_dial(self, broker_id: int) -> str:
        registered = self.quorum.image.brokers[broker_id].incarnation_id
        for process in self.processes.values():
            if process.incarnation_id == registered and process.is_running:
                return "unknown" if process.is_cut else "open"
        return "refused"

    def _deliver(self) -> bool:
        for entry in self.asked:
            process, request, done, deadline_ms = entry
            if not process.is_running:
                self.asked.remove(entry)
                return True
            if process.is_paused:
                continue
            if process.is_cut or self.controller is None:
                if self.now_ms < deadline_ms:
                    continue
                response = None
            else:
                response = self._answer(process, request)
            self.asked.remove(entry)
            self._show_changes()  # what is committed is applied before the answer comes
            self._say(f"controller -> {process.name}: {_told(request, response)}")
            done(response, self.now)
            return True
        return False

    def _answer(self, process: Process, request: Any) -> Any:
        assert self.controller is not None
        self._say(f"{process.name} -> controller: {_wish(request)}")
        ask = self.controller.register if isinstance(request, BrokerRegistrationRequest) else self.controller.heartbeat
        response = ask(request, self.now).response
        if response.error_code == errors.NONE:
            self.heard_from[process.broker_id] = process
        if process.loses_answer:
            process.loses_answer = False
            return None
        return response

    # --- what is shown ---

    def _tell(self, line: str) -> None:
        at = f"{(self.now_ms - self.began_ms) / 1000:>5.2f} s  " if self.began_ms is not None else ""
        self.lines.append(at + line)

    def _say(self, line: str) -> None:
        """While time passes there are too many messages to read: only refusals are shown, and each once."""
        if self.began_ms is None:
            self.lines.append(line)
        elif line.rpartition(" ")[2].isupper() and not any(shown.endswith(line) for shown in self.lines):
            self._tell(line)

    def _show_changes(self) -> None:
        for process in list(self.processes.values()):
            process.apply(self.quorum.image, self.now)
            self._show_state(process)

    def _show_state(self, process: Process) -> None:
        if process.state != process.lifecycle.state:
            process.state = process.lifecycle.state
            self._tell(f"{process.name} is {process.state}")

    def _show_commit(self) -> None:
        before, self.shown = self.shown, self.quorum.image
        for broker_id in before.brokers.keys() - self.shown.brokers.keys():
            self._tell(f"broker {broker_id} is not registered any more")
        for broker_id, broker in self.shown.brokers.items():
            for change in _changes(before.brokers.get(broker_id), broker):
                self._tell(f"broker {broker_id} {change}")
        for topic in self.shown.topics.values():
            for index, partition in enumerate(topic.partitions):
                if partition is not before.topics["t"].partitions[index]:
                    self._tell(f"t-{index}{_part_of(partition)}")


def _changes(before: Any, broker: Any) -> Iterator[str]:
    if before is None or before.epoch != broker.epoch:
        yield f"is registered with epoch {broker.epoch}, fenced"
        return
    if before.in_controlled_shutdown != broker.in_controlled_shutdown:
        yield "is in controlled shutdown"
    if before.fenced != broker.fenced:
        yield "is fenced" if broker.fenced else "is not fenced any more"


def _part_of(partition: PartitionImage) -> str:
    leader = "none" if partition.leader < 0 else partition.leader
    elr = f", eligible {text(partition.elr)}" if partition.elr else ""
    return f"  leader {leader}  epoch {partition.leader_epoch}  in sync {text(partition.isr) or 'nobody'}{elr}"


def _wish(request: Any) -> str:
    if isinstance(request, BrokerRegistrationRequest):
        was = request.previous_broker_epoch
        return "register me" + (f", I have all that epoch {was} had" if was != NO_BROKER_EPOCH else "")
    assert isinstance(request, BrokerHeartbeatRequest)
    wish = "heartbeat"
    if request.want_fence:
        wish += ", keep me fenced"
    if request.want_shut_down:
        wish += ", I want to stop"
    return f"{wish} (metadata up to {request.current_metadata_offset})"


def _told(request: Any, response: Any) -> str:
    if response is None:
        return "(nothing)"
    if response.error_code != errors.NONE:
        return str(ERROR_NAMES[response.error_code])
    if isinstance(response, BrokerRegistrationResponse):
        return f"registered, epoch {response.broker_epoch}"
    assert isinstance(response, BrokerHeartbeatResponse)
    if response.should_shut_down:
        return "stop"
    if request.want_shut_down:
        return "not yet"
    if not response.is_caught_up:
        return "fenced, catch up"
    return "fenced" if response.is_fenced else "work"


def text(members: tuple[int, ...]) -> str:
    return " ".join(map(str, members))
