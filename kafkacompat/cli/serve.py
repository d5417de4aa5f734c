"""`kafkacompat serve`: one broker in the foreground."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys

from kafkacompat import __version__
from kafkacompat.broker.connection import BROKER
from kafkacompat.cli.state_file import StateFile, node_state
from kafkacompat.config import ConfigError
from kafkacompat.errors import KafkaCompatError, StartupError
from kafkacompat.server.broker_server import BrokerServer
from kafkacompat.server.control_listener import ControlListener, chosen_address, listen
from kafkacompat.server.endpoints import plan
from kafkacompat.server.garbage import Garbage, Pause
from kafkacompat.server.loops import new_event_loop
from kafkacompat.server.settings import broker_config, data_dir, log_dirs
from kafkacompat.server.supervisor_protocol import (
    CONTROL_AT,
    HAND_OVER_SIGNAL,
    HANDED_OVER,
    READY,
    SECOND_SIGNAL,
    notice,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from kafkacompat.cli.options import ServeOptions
    from kafkacompat.replication.metadata.image import Endpoint
    from kafkacompat.server.read_only import ReadOnlyPlatform

log = logging.getLogger("kafkacompat")

REPORT_AFTER_S = 1.0
"""A stop that takes longer is reported, again after each REPORT_INTERVAL_S."""
REPORT_INTERVAL_S = 2.0

REPORT_WAITING_AFTER_S = 5.0
"""A node that is not ready after this time reports what it waits for."""

_WAKE_UP_S = 0.5 if os.name == "nt" else None
"""Windows does not wake a waiting loop for a signal."""


def run(options: ServeOptions) -> int:
    """Serve until a signal arrives. Returns the exit status: 0 after a clean stop, 1 after a line with the error."""
    logging.basicConfig(
        stream=sys.stderr, level=options.log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    formatter = None
    if options.log_format == "json":
        from kafkacompat.cli.json_logs import install

        formatter = install(logging.getLogger().handlers[0])
    try:
        server, state_file, addresses = _prepare(options)
        if formatter is not None:
            formatter.node_id = server.config.get_int("node.id")
        loop = new_event_loop()
        try:
            loop.run_until_complete(_serve(server, state_file, addresses, loop, options))
        finally:
            loop.close()
    except (KafkaCompatError, ConfigError) as error:
        if formatter is not None:
            log.critical("%s", error)
        else:
            print(f"kafkacompat: {error}", file=sys.stderr)  # noqa: T201 (for the user, whatever the log level)
        return 1
    return 0


def _prepare(options: ServeOptions) -> tuple[BrokerServer, StateFile | None, list[str]]:
    config, warnings = broker_config(options.settings(), options.file_settings())
    for warning in warnings:
        log.warning("%s", warning)
    seed = None
    if options.seed is not None:
        from kafkacompat.control_api.seed_files import load_seed

        seed = load_seed(options.seed)
    if options.racks:
        raise StartupError("--rack needs --brokers: set the rack of one broker with --config broker.rack=NAME")
    if options.stop_timeout_s is not None:
        raise StartupError("--stop-timeout needs --brokers: a single broker takes the time that it needs; leave it out")
    bindings = plan(config, host=options.host, port=options.port, advertised_host=options.advertised_host)
    directory, directories = data_dir(config, options.data_dir), log_dirs(config, options.data_dir)
    if options.data_dir is not None:
        from kafkacompat.cluster.log_dirs import check_is_one

        check_is_one(options.data_dir)
    for each in dict.fromkeys((directory, *directories)):
        if each is not None and os.path.isdir(each):  # noqa: PTH112 (pathlib costs start-up time)
            _introduce(each, is_read_only=options.read_only)
    server = BrokerServer(
        config, bindings, directory, is_temporary=options.never_sync or options.read_only,
        cluster_id=options.cluster_id, keeps_data=directory is not None, addresses=options.addresses(config.static),
        platform=_read_only_platform(options, directory) if options.read_only else None, log_dirs=directories,
    )  # fmt: skip
    server.seed = seed
    if options.restored:
        from kafkacompat.server.former_brokers import former_brokers_are_gone

        server.on_opened = (former_brokers_are_gone,)
    if options.read_only:
        from kafkacompat.server.read_only import refuse_writes

        server.on_opened = (refuse_writes,)
    for_clients = sorted((each for each in bindings if each.kind == BROKER), key=lambda each: not each.is_inter_broker)
    addresses = [binding.local_address for binding in for_clients]
    return server, StateFile(options.state_file) if options.state_file else None, addresses


def _introduce(directory: str, *, is_read_only: bool) -> None:
    """Log what is in a directory that Apache Kafka wrote, and what the start will do there."""
    from kafkacompat.storage.foreign import foreign_line
    from kafkacompat.storage.fs import RealFs

    line = foreign_line(RealFs(), directory, is_read_only=is_read_only)
    if line is not None:
        log.info("%s", line)


def _read_only_platform(options: ServeOptions, directory: str | None) -> ReadOnlyPlatform:
    """Raises StartupError for options that write."""
    from kafkacompat.server.read_only import ReadOnlyPlatform, check_directory

    check_directory(directory)
    for is_given, flag in ((options.seed, "--seed"), (options.allow_faults, "--allow-faults")):
        if is_given:
            raise StartupError(f"{flag} writes, and --read-only does not: leave one of them out")
    return ReadOnlyPlatform()


async def _serve(
    server: BrokerServer,
    state_file: StateFile | None,
    addresses: list[str],
    loop: asyncio.AbstractEventLoop,
    options: ServeOptions,
) -> None:
    signals = _Signals(server, state_file, loop)
    if options.stop_with_stdin:
        from kafkacompat.cli.parent_watch import hold

        hold(signals.stop)
        if HAND_OVER_SIGNAL is not None:
            signal.signal(HAND_OVER_SIGNAL, lambda *_: loop.call_soon_threadsafe(signals.hand_over))
        server.on_progress = lambda what, how_far: _say(notice(__version__, what, how_far))
    else:
        server.on_progress = _Progress(loop).report
    server.on_failure = signals.stop
    control = None if options.no_control else _control(server, loop, options)
    server.runs_hooks = options.on_ready is not None
    try:
        if not await _started(server, signals):
            return
    finally:
        if control is not None and not server.is_listening:
            control.close()
    try:
        if server.seed:
            from kafkacompat.control_api.seeds import write_seed

            await write_seed([server], server.seed)
        if state_file is not None:
            state_file.write(_state(server, control))
        if options.on_ready is not None:
            from kafkacompat.cli.ready_node import call_when_ready

            await call_when_ready(options.on_ready, server, addresses, signals.is_stopping, signals.wait())
            server.runs_hooks = False
        where = server.bootstrap_servers if server.endpoints else f"{server.controller_endpoints[0].address}, no broker"
        control_at = "" if control is None else f"{CONTROL_AT}{control.url}"
        cluster = f"(cluster {server.broker.cluster_id}, data in {', '.join(server.directories)}{control_at})"
        _say(notice(__version__, READY, f"on {where} {cluster}"))
        Garbage().install()
        server.connections.around_large = Pause()
        await signals.wait()
        log.info("stopping; %s", SECOND_SIGNAL)
        if server.failure is not None:
            raise KafkaCompatError(f"node {server.broker.node_id} stops: {server.failure}")
    finally:
        if state_file is not None:
            state_file.remove()
        try:
            await server.stop()
        finally:
            if control is not None:
                control.close()


def _control(server: BrokerServer, loop: asyncio.AbstractEventLoop, options: ServeOptions) -> ControlListener:
    """Listen for the control API. What answers there is imported at the first connection. Raises StartupError."""
    host, port, token = chosen_address(options.control, is_anywhere=options.control_anywhere)
    is_of_the_user = data_dir(server.config, options.data_dir) is not None

    def open_api() -> tuple[Callable[[], asyncio.Protocol | None], Callable[[], None]]:
        from kafkacompat.control_api.http.access import Access
        from kafkacompat.control_api.http.application import open_api

        access = Access(token, options.control_anywhere, allows_changes=options.allow_faults or not is_of_the_user)
        return open_api(lambda: {server.broker.node_id: server} if server.is_open else {}, access, __version__)

    return ControlListener(loop, listen(host, port, may_move=options.control is None), open_api)


async def _started(server: BrokerServer, signals: _Signals) -> bool:
    """Wait until the server is ready; False if it must stop before. A node may wait for others without limit."""
    starting, stopping = asyncio.ensure_future(server.start()), asyncio.ensure_future(signals.wait())
    ended, _ = await asyncio.wait(
        (starting, stopping), return_when=asyncio.FIRST_COMPLETED, timeout=REPORT_WAITING_AFTER_S
    )
    if not ended:
        log.warning("not ready yet: %s", server.waits_for())
        await asyncio.wait((starting, stopping), return_when=asyncio.FIRST_COMPLETED)
    for task in (starting, stopping):
        if not task.done():
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
    if starting.cancelled():
        return False
    await starting
    return True


def _state(server: BrokerServer, control: ControlListener | None) -> dict[str, object]:
    def entries(endpoints: list[Endpoint]) -> list[dict[str, object]]:
        return [
            node_state(server.broker.node_id, endpoint.host, endpoint.port, os.getpid(), server.data_dir)
            for endpoint in endpoints[:1]
        ]

    return {
        "bootstrap_servers": server.bootstrap_servers if server.endpoints else "",
        "cluster_id": server.broker.cluster_id,
        "pid": os.getpid(),
        "brokers": entries(server.endpoints),
        "controllers": entries(server.controller_endpoints),
        "control_url": None if control is None else control.url,
    }


def _say(line: str) -> None:
    try:
        print(line, flush=True)  # noqa: T201 (the one line on stdout)
    except OSError:  # standard output is closed
        log.info("%s", line)


class _Progress:
    """Logs the progress of a slow stop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._next_s: float | None = None

    def report(self, what: str, how_far: str) -> None:
        """BrokerServer.on_progress."""
        now_s = self._loop.time()
        if self._next_s is None:
            self._next_s = now_s + REPORT_AFTER_S
        elif now_s >= self._next_s:
            self._next_s = now_s + REPORT_INTERVAL_S
            log.warning("stopping: %s %s", what, how_far)


class _Signals:
    """The first signal asks for a clean stop; the second removes temporary files and ends the process."""

    def __init__(self, server: BrokerServer, state_file: StateFile | None, loop: asyncio.AbstractEventLoop) -> None:
        self._server = server
        self._state_file = state_file
        self._loop = loop
        self._stop = asyncio.Event()
        self._handing_over: asyncio.Task[None] | None = None
        self._seen = False
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # nohup
                signal.signal(number, self._on_signal)

    def hand_over(self) -> None:
        """Hand over the broker's partitions, and report the end of that."""
        self._handing_over = self._loop.create_task(self._hand_over())

    async def _hand_over(self) -> None:
        await self._server.hand_over()
        _say(notice(__version__, HANDED_OVER))

    def stop(self) -> None:
        """Ask for a clean stop, from any thread."""
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._stop.set)

    def is_stopping(self) -> bool:
        return self._seen or self._stop.is_set()

    async def wait(self) -> None:
        while not self._stop.is_set():
            try:
                await asyncio.wait_for(self._stop.wait(), _WAKE_UP_S)
            except TimeoutError:
                continue

    def _on_signal(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 (signal's interface)
        if self._seen:
            self._server.remove_temporary()
            if self._state_file is not None:
                self._state_file.remove()
            os._exit(128 + number)
        self._seen = True
        self._loop.call_soon_threadsafe(self._stop.set)
