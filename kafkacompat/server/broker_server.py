"""Runs a node on an event loop, with its sockets, clocks, timers, threads and data directory (Kafka's BrokerServer)."""

from __future__ import annotations

import asyncio
import logging
import threading
from functools import partial

from kafkacompat.broker.connection import BROKER, CONTROLLER
from kafkacompat.errors import StartupError
from kafkacompat.server import descriptors
from kafkacompat.server.connections import Connections
from kafkacompat.server.limits import Limits
from kafkacompat.server.listener import Listener
from kafkacompat.server.platform import Platform
from kafkacompat.server.ports import close_all
from kafkacompat.server.supervisor_protocol import CLOSING, HANDING_OVER
from kafkacompat.server.worker import Workers
from kafkacompat.storage.background import ACKNOWLEDGED_SYNC, COLD_READ, METADATA_SYNC, OTHER_WORK
from kafkacompat.storage.data_dir import absolute_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    from kafkacompat.broker.broker import Broker
    from kafkacompat.broker.connection import Connection
    from kafkacompat.broker.inspect import Inspection
    from kafkacompat.broker.log_cleaner import RunningPass
    from kafkacompat.config import BrokerConfig
    from kafkacompat.now import Now
    from kafkacompat.replication.metadata.image import Endpoint
    from kafkacompat.server.compaction_child import Children
    from kafkacompat.server.connections import Tap
    from kafkacompat.server.discarded import DiscardedDirectories
    from kafkacompat.server.endpoints import Binding
    from kafkacompat.server.faulty_links import FaultyLinks
    from kafkacompat.server.filling import FormatAnew
    from kafkacompat.server.peer_addresses import AddressesByPeer
    from kafkacompat.server.peer_connection import ChannelTraffic
    from kafkacompat.server.peers import Peers
    from kafkacompat.storage.compaction.request import Request
    from kafkacompat.storage.fs import Fs

    Result = TypeVar("Result")

log = logging.getLogger(__name__)

RESIGN_PAUSE_S = 0.02
"""The pause after a resignation, in which the quorum's leader sends EndQuorumEpoch."""
REPORT_INTERVAL_MS = 1_000
"""How often a node reports that it is still handing over."""
BACKGROUND_POLL_S = 0.002
"""How often a stop checks whether background work has ended."""
LAST_BYTES_TIMEOUT_S = 0.3
"""How long a clean stop waits for clients to receive the last responses."""


class BrokerServer:
    """One node on the running loop. `start` returns when clients can be served; `stop` releases everything.

    data_dir: of the metadata log; None for a temporary directory. log_dirs: of all other logs; none for the same one.
    is_temporary: data is never synced, and `data_dir` is removed at the end unless `keeps_data` is set.
    platform: clocks, files, sockets and threads; simulations have their own.
    open_broker: `Broker.open`, or a test's replacement.
    addresses: chooses the addresses that clients are told; None: the advertised ones.
    """

    format_anew: FormatAnew | None = None
    """How a reset fills the directories again, where empty ones are not enough: see `control_api/state.py`."""
    proxied_links: Callable[[], dict[tuple[int | str, int | str], int | None]] = dict
    """The links that proxies in front of the nodes cut (None) or delay (ms), by sender and receiver."""
    kept_snapshots: Any = None
    """The snapshots that were taken over HTTP, see `control_api/resources/snapshot_resources.py`."""

    def __init__(
        self,
        config: BrokerConfig,
        bindings: list[Binding],
        data_dir: str | None = None,
        *,
        is_temporary: bool = False,
        keeps_data: bool = False,
        cluster_id: str | None = None,
        platform: Platform | None = None,
        open_broker: Callable[..., Broker] | None = None,
        addresses: AddressesByPeer | None = None,
        log_dirs: Sequence[str] = (),
    ) -> None:
        self._addresses = addresses
        self.config = config
        self.endpoints: list[Endpoint] = []  # advertised to clients; filled in by `start`
        self.controller_endpoints: list[Endpoint] = []  # advertised to nodes
        self._bindings = bindings
        self.is_temporary = is_temporary or data_dir is None
        self.data_dir, self._log_dirs = absolute_path(data_dir) if data_dir else "", tuple(map(absolute_path, log_dirs))
        self._keeps_data = keeps_data
        self._cluster_id = cluster_id
        self.platform = platform or Platform()
        self.clock = self.platform.clock
        self._open_broker = open_broker
        self._listeners: list[Listener] = []
        self._timer: asyncio.Handle | None = None
        self._timer_ms = 0
        self._peers: Peers | None = None
        self._children: Children | None = None
        self._may_stop: asyncio.Future[None] | None = None
        self._is_open = self._is_listening = False
        self._has_broker = False
        self._seen_cpu = 0.0, 0.0  # times of the loop and of its thread's CPU at the last `idle_share`
        self._has_stop_begun = self._is_stopping = False
        self.links: FaultyLinks | None = None
        """The links that a test has cut or slowed; see `control_api/faults/node_links.py`."""
        self.failure: str | None = None
        """The reason why this node failed, in one line; `on_failure` is called then, and the owner must stop it."""
        self.on_failure: Callable[[], None] = lambda: None
        self.on_progress: Callable[[str, str], None] = lambda _what, _how_far: None
        """Called while a stop makes progress, with a line of the supervisor protocol and a readable progress."""
        self._reported_ms = 0
        self.resetting = asyncio.Lock()
        """Held while a reset replaces `broker`; with several nodes in this process that of the first one is for all."""
        self.discarded: DiscardedDirectories | None = None
        """The directories that resets have set aside."""
        self.runs_hooks = False
        """Whether hooks of the start, such as a container's scripts, still run: it is not ready until they are done."""
        self.seed: Any = None
        """What this node was started with, a `Seed` of `control_api/seeds.py`; a reset writes it again."""
        self.on_event: list[Callable[[], None]] = []
        """Called after each event, while somebody waits for a change."""
        self.on_opened: Sequence[Callable[[BrokerServer], None]] = ()
        """Called when `start` has opened the data directory, before the node serves a request."""
        self.on_renewed: list[Callable[[], None]] = []
        """Called when a reset has replaced `broker`, before it serves a request."""
        self.tap: Tap | None = None
        """Sees what clients send and get, while a capture runs."""

    @property
    def bootstrap_servers(self) -> str:
        """host:port of the first listener."""
        return self.endpoints[0].address

    @property
    def directories(self) -> tuple[str, ...]:
        """All data directories; that of the metadata log is the first one."""
        return tuple(dict.fromkeys(each for each in (self.data_dir, *self._log_dirs) if each))

    @property
    def own_addresses(self) -> set[str]:
        """From where to where this node is connected to others, as `ClientConnection.ends` has it."""
        return set() if self._peers is None else self._peers.own_addresses

    def traffic_to_nodes(self, channel: str) -> ChannelTraffic | None:
        """What this node sent to others over a channel, and got; None if it has no others."""
        return None if self._peers is None else self._peers.traffic_of(channel)

    @property
    def view(self) -> Inspection:
        """The node, to be looked at; see `broker/inspect.py`."""
        from kafkacompat.broker.inspect import Inspection

        return Inspection(self.broker, self.connections.states)

    # Start and stop

    async def start(self) -> None:
        """Bind, recover, listen. Raises StartupError with one line for the user, after releasing everything."""
        self._loop = asyncio.get_running_loop()
        self.idle_share()
        limits = Limits(self.config)
        bound = self._bind()
        try:
            descriptor_limit = descriptors.raise_limit()
            capacity = descriptors.connection_capacity(descriptor_limit)
            files = self.platform.files(temporary=self.is_temporary, directories=self.directories)
            if "process.roles" in self.config.static:
                from kafkacompat.server.formatted import check_formatted

                check_formatted(self.config, files, self.data_dir or None, self._cluster_id)
            if not self.data_dir:
                self.data_dir = _temporary_directory()
            broker = self._open(files)
        except BaseException:
            close_all(sock for sockets in bound for sock in sockets)
            self.remove_temporary()
            raise
        self._is_open = True
        self.files, self._segment_files = files, descriptors.segment_files(descriptor_limit)
        self._adopt(broker)
        for opened in self.on_opened:
            opened(self)
        self._workers = Workers(
            self.broker.background, partial(self.platform.worker, self._loop), self.clock, self.after_event,
            self._loop, self._runs_on_loop,
        )  # fmt: skip
        for_nodes = frozenset(binding.listener for binding in self._bindings if self._is_for_nodes(binding))
        self.connections = Connections(
            loop=self._loop, clock=self.clock, limits=limits, capacity=capacity,
            dispatch=self.broker.dispatch, complete_early=self.broker.complete_early,
            disconnected=self._disconnected, after_event=self.after_event,
            for_nodes=for_nodes, reserved=descriptors.reserved_for_nodes(capacity) if for_nodes else 0,
            read_ahead=self._read_ahead,
        )  # fmt: skip
        self.connections.on_room = self._resume_accepting
        self.connections.addresses = self._addresses
        self.connections.set_tap(self.tap)
        self._listeners = [
            Listener(binding, sockets, limits.listen_backlog)
            for binding, sockets in zip(self._bindings, bound, strict=True)
        ]
        try:
            self._listen(CONTROLLER)
            await self._begin()
            self._listen(BROKER)
            self._is_listening = True
        except BaseException:
            await self.stop(clean=False)
            raise
        self.after_event()

    def _runs_on_loop(self, work_class: str) -> bool:
        """Syncs of a temporary metadata log sync nothing, unless a test has made the disk slow."""
        if not self.is_temporary or self._is_stopping or work_class != METADATA_SYNC:
            return False
        return getattr(self.files, "faults", None) is None

    def _new_pass(self, fs: Fs, request: Request) -> RunningPass:
        if self._children is None:
            from kafkacompat.server.compaction_child import Children

            self._children = Children(self._loop.call_later)
        files = {id(each.disk): each.disk.files for each in self.broker.logs.all_directories}
        return self._children.new_pass(fs, request, files.get(id(fs), fs))

    def stop_long_work(self) -> None:
        """Compact, delete and move nothing more; the process that waits for the next pass of compaction ends."""
        self.broker.compaction.stop()
        if self._children is not None:
            self._children.end()
        self.broker.retention.stop()
        if "alter_log_dirs" in vars(self.broker):  # it is made when replicas move
            self.broker.alter_log_dirs.stop()

    def _adopt(self, broker: Broker) -> None:
        self.broker = broker
        broker.logs.limit_open_files(self._segment_files)
        broker.loop_lag.clock_ms = lambda: self.clock.now().monotonic_ms
        broker.compaction.new_pass = self._new_pass
        if not self.is_temporary:
            broker.flusher.carry_out = self.platform.run_concurrently
            broker.flusher.guard = threading.Lock()  # sync jobs run in several threads
        broker.flusher.new_trimming_guard = threading.Lock
        broker.logs.guard_checkpoints(threading.Lock)
        self._has_broker = True

    async def _begin(self) -> None:
        """Join the cluster and wait until clients can be served. A single voter needs no turn of the loop for that."""
        ready: asyncio.Future[None] = self._loop.create_future()

        def fatal(line: str) -> None:
            if not ready.done():
                ready.set_exception(StartupError(line))
            elif self.failure is None:
                self.failure = line
                self.on_failure()

        self.broker.on_ready = partial(_set_result, ready, None)
        self.broker.on_fatal = fatal
        if self.has_others:
            from kafkacompat.server.peers import Peers

            self._peers = Peers(
                self._loop, self.clock, self.after_event, connect=self.platform.connector(self._loop),
                max_response_bytes=self.connections.limits.max_response_bytes,
            )  # fmt: skip
        self.broker.begin(self._peers, self.clock.now())
        if not ready.done():
            self.after_event()
        await ready

    def waits_for(self) -> str:
        """What a node that is not ready waits for, in a line for its operator."""
        quorum = self.broker.quorum
        if quorum.raft.client.has_heard_leader:
            node, leader = self.broker.node_id, quorum.raft.leader_id
            if self.broker.lifecycle is None:
                return f"node {node} waits for committed metadata from controller {leader}"
            return f"controller {leader} has not registered and unfenced broker {node} yet"
        voters = ", ".join(map(str, sorted(quorum.raft.client.voters)))
        return f"no active controller: start a majority of the controllers {voters} where this node can reach them"

    @property
    def is_open(self) -> bool:
        """Whether there is a broker to ask: between the beginning of `start` and the end of `stop`, but for resets."""
        return self._is_open and self._has_broker

    @property
    def is_listening(self) -> bool:
        """Whether clients can connect."""
        return self._is_listening and not self._is_stopping

    @property
    def is_handing_over(self) -> bool:
        """Whether it hands over its partitions, or has done so, before a stop."""
        return self._may_stop is not None

    def late_ms(self) -> int:
        """How long the next timer has been due: the event loop has not turned for so long."""
        deadline_ms = self.broker.timers.next_deadline_ms()
        return 0 if deadline_ms is None else max(0, self.clock.now().monotonic_ms - deadline_ms)

    def idle_share(self) -> float:
        """The share of time since the last call, 0 to 1, in which the thread of the event loop used no CPU."""
        from kafkacompat.server.clock import thread_cpu_s

        (before_s, before_cpu_s), at = self._seen_cpu, (self._loop.time(), thread_cpu_s())
        self._seen_cpu = at
        passed_s = at[0] - before_s
        return 1.0 if passed_s <= 0 else min(1.0, max(0.0, 1 - (at[1] - before_cpu_s) / passed_s))

    def _is_for_nodes(self, binding: Binding) -> bool:
        """Whether clients have other listeners than this one."""
        if binding.kind == CONTROLLER:
            return True
        return binding.is_inter_broker and any(
            other.kind == BROKER and not other.is_inter_broker for other in self._bindings
        )

    @property
    def has_others(self) -> bool:
        """Whether there may be other nodes: this one listens for them, or has addresses of controllers."""
        names = ("controller.quorum.bootstrap.servers", "controller.quorum.voters")
        return bool(self.controller_endpoints) or any(self.config.get_list(name) for name in names)

    async def stop(self, *, clean: bool = True, keep_data: bool = False) -> None:
        """Close everything, and remove a temporary directory unless `keep_data` is set.

        With `clean=False` the data directory is left as after a crash: nothing is flushed and no marker is written.
        Does nothing if the node is not open.
        """
        if self._has_stop_begun or not self._is_open:
            return
        self._has_stop_begun = True
        is_closed = False
        try:
            if clean and self._has_broker:
                await self.hand_over()
                await self._resign()
                await self._quiesce()
                await self._close_in_steps()
                is_closed = True
        finally:  # also when a clean stop was cancelled or failed
            if not is_closed:
                await self._quiesce()
            self._workers.stop()
            if self.discarded is not None:
                self.discarded.stop()
            try:
                if self._has_broker and not is_closed:
                    self.broker.close(self.clock.now(), clean=False)
            finally:
                self.connections.close_all(abort=not clean)
                await self._wait_for_connections()
                if self.tap is not None:
                    self.tap.node_stopped()
                if not keep_data:
                    self.remove_temporary()
                    if self.kept_snapshots is not None:
                        self.kept_snapshots.close()

    async def _quiesce(self) -> None:
        """Accept no new work except queued syncs, and wait for the work in progress."""
        if self.is_listening and self._has_broker:
            self.broker.loop_lag.clock_ms = None  # no later turn would answer what a long one leaves
            self._run_due(self.clock.now())
        self._is_stopping = True
        self.connections.stop_dispatching()
        if self.links is not None:
            self.links.close()
        self.broker.background.refuse(OTHER_WORK)
        self.stop_long_work()
        for listener in self._listeners:
            await listener.close()
        while self.broker.long_answers.is_writing:  # with acks=0 nobody would know that the rest is missing
            self.broker.long_answers.run(self.clock.now())
            await asyncio.sleep(0)
        if self._timer is not None:
            self._timer.cancel()
        self.connections.stop_sweeping()
        while self.broker.background.is_busy:
            self._workers.start_jobs()
            await asyncio.sleep(BACKGROUND_POLL_S)
        if self._peers is not None:
            await self._peers.close()

    async def _close_in_steps(self) -> None:
        """Close the broker cleanly. The worker's thread waits for the disk, while the loop reports progress."""
        self.broker.leave(self.clock.now(), clean=True)
        self.connections.close_all(abort=False)
        await self._wait_for_connections()  # their responses may have segment files open
        steps = self.broker.closing(self.clock.now(), clean=True)
        while (closed := await self._in_background(partial(next, steps, None))) is not None:
            self.on_progress(CLOSING, "{} of {} logs".format(*closed))

    async def _in_background(self, run: Callable[[], Result]) -> Result:
        """Call `run` on a background thread; returns or raises what it does."""
        ended: asyncio.Future[Result | Exception] = self._loop.create_future()
        self.broker.background.submit(ACKNOWLEDGED_SYNC, run, lambda outcome, _now: _set_result(ended, outcome))
        self._workers.start_jobs()
        outcome = await ended
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def hand_over(self) -> None:
        """Hand over the partitions that this node leads, the first part of `stop`. It stays a controller.

        To stop a whole cluster, call this on each node first: it needs a majority of the controllers.
        """
        if not self._has_broker or self._is_stopping:
            return
        if self._may_stop is None:
            may_stop = self._may_stop = self._loop.create_future()
            now = self.clock.now()
            self._reported_ms = now.monotonic_ms
            self.broker.shut_down(now, lambda _now: _set_result(may_stop, None), self._must_wait)
            self.after_event()
        await asyncio.shield(self._may_stop)

    def _must_wait(self, now: Now) -> None:
        """The controller says that this node may not stop yet: report progress now and then."""
        if now.monotonic_ms >= self._reported_ms + REPORT_INTERVAL_MS:
            self._reported_ms = now.monotonic_ms
            count = sum(partition.is_leader for partition in self.broker.partitions)
            self.on_progress(HANDING_OVER, f"{count} partitions")

    async def _resign(self) -> None:
        """Resign the leadership of the quorum while other nodes can still be reached."""
        if self._peers is not None:
            self.broker.resign(self.clock.now())
            await asyncio.sleep(RESIGN_PAUSE_S)

    async def _wait_for_connections(self) -> None:
        deadline = self._loop.time() + LAST_BYTES_TIMEOUT_S
        while len(self.connections) and self._loop.time() < deadline:
            await asyncio.sleep(0.005)
        self.connections.close_all(abort=True)
        while len(self.connections) and self._loop.time() < deadline + LAST_BYTES_TIMEOUT_S:
            await asyncio.sleep(0.001)

    def _bind(self) -> list[list[socket.socket]]:
        bound: list[list[socket.socket]] = []
        try:
            bound.extend(self.platform.bind(binding.bind_host, binding.bind_port) for binding in self._bindings)
        except BaseException:
            close_all(sock for sockets in bound for sock in sockets)
            raise
        for binding, sockets in zip(self._bindings, bound, strict=True):
            if binding.is_advertised:
                endpoints = self.endpoints if binding.kind == BROKER else self.controller_endpoints
                endpoints.append(binding.endpoint(sockets[0].getsockname()[1]))
        return bound

    def _open(self, files: Fs, **more: Any) -> Broker:
        if self._open_broker is None:
            from kafkacompat.broker.broker import Broker

            self._open_broker = Broker.open
        if self.platform.is_read_only:
            more["is_read_only"] = True
        try:
            return self._open_broker(
                config=self.config, fs=files, data_dir=self.data_dir, log_dirs=self._log_dirs,
                endpoints=self.endpoints, controller_endpoints=self.controller_endpoints,
                cluster_id=self._cluster_id, now=self.clock.now(), rng=self.platform.rng(), **more,
            )  # fmt: skip
        except OSError as error:
            raise StartupError(f"data directory {self.data_dir}: {error.strerror or error}") from error

    def remove_temporary(self) -> None:
        """Remove the data directory if it is temporary and owned by this node."""
        if self.is_temporary and self.data_dir and not self._keeps_data:
            import shutil

            for directory in self.directories:
                shutil.rmtree(directory, ignore_errors=True)

    def now(self) -> Now:
        """The current time of this node's clock."""
        return self.clock.now()

    def _listen(self, kind: str) -> None:
        """Start the listeners of this kind. Controller listeners come first: brokers register through them."""
        for listener in self._listeners:
            if listener.binding.kind == kind:
                listener.start(self.connections)

    # For resets, see `server/broker_reset.py`

    async def detach_broker(self) -> Broker:
        """Take the broker out; until `attach_broker` no other node, timer or event reaches it. Connections stay."""
        if self._peers is not None:
            peers, self._peers = self._peers, None
            await peers.close()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._has_broker = False
        return self.broker

    async def attach_broker(
        self, files: Fs, *, cluster_id: str, first_producer_id: int, opened: Callable[[], None]
    ) -> None:
        """Open another broker, call `opened`, and wait until clients can be served. Raises StartupError."""
        self.files, self._cluster_id, self._may_stop = files, cluster_id, None
        self._adopt(self._open(files, first_producer_id=first_producer_id))
        self._workers.serve(self.broker.background)
        opened()
        await self._begin()
        self.after_event()

    # Events

    def _resume_accepting(self) -> None:
        if not self._is_stopping:
            for listener in self._listeners:
                listener.resume_accepting()

    def _disconnected(self, connection: Connection, now: Now) -> None:
        connection.is_closed = True  # also while a reset holds its request, and there is no broker to tell
        if self.links is not None:
            self.links.disconnected(connection)
        if self._has_broker and not self._is_stopping:
            self.broker.disconnected(connection, now)

    def after_event(self, began_ms: int | None = None, what: object = "") -> None:
        """Called after every event: sets the timer to the next deadline, and starts background jobs.

        began_ms: the start of the event (monotonic). what: see `LoopLag.took`.
        """
        if self._is_stopping or not self._has_broker:
            return
        now = self.clock.now()
        self.broker.after_event(now)
        if began_ms is not None and now.monotonic_ms > began_ms:
            self.broker.loop_lag.took(now.monotonic_ms - began_ms, now.monotonic_ms, what)
        timers, life_offset_ms = self.broker.timers, now.life_ms - now.monotonic_ms
        if self._timer is None or timers.has_new or timers.life.has_new or life_offset_ms != timers.life_offset_ms:
            deadline_ms = timers.take_new(life_offset_ms)
            if deadline_ms is not None and (self._timer is None or deadline_ms < self._timer_ms):
                self._arm(deadline_ms)
        if self.broker.background.is_startable:
            self._workers.start_jobs()
        for changed in self.on_event:
            changed()

    def _read_ahead(self, run: Callable[[], None], done: Callable[[], None]) -> None:
        """Have a background thread read from the disk while a connection waits for the data."""
        self.broker.background.submit(COLD_READ, run, lambda _outcome, _now: done())
        self._workers.start_jobs()

    def _arm(self, deadline_ms: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer_ms = deadline_ms
        delay_ms = deadline_ms - self.clock.now().monotonic_ms
        if delay_ms > 0:
            self._timer = self._loop.call_later(delay_ms / 1000, self._fire)
        else:
            self._timer = self._loop.call_soon(self._fire_soon)

    def _fire_soon(self) -> None:
        """Fire in the turn after this one: uvloop writes to sockets at the end of a turn, and responses go first."""
        self._timer = self._loop.call_soon(self._fire)

    def _fire(self) -> None:
        self._timer = None
        now = self.clock.now()
        self._run_due(now)
        self.after_event(now.monotonic_ms, self.broker.timers.last_key)

    def _run_due(self, now: Now) -> None:
        try:
            self.broker.timers.run(now, self.broker.loop_lag.is_long)
        except Exception:
            log.exception("a bug: a timer failed")


def _set_result(future: asyncio.Future[Result], result: Result) -> None:
    if not future.done():
        future.set_result(result)


def _temporary_directory() -> str:
    import tempfile

    return tempfile.mkdtemp(prefix="kafkacompat-")
