"""`kafkacompat serve --brokers 3`: runs a process for each node, and supervises them."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

from kafkacompat import __version__
from kafkacompat.cli.state_file import StateFile, node_state
from kafkacompat.cluster.layout import LISTENERS, Layout, plan
from kafkacompat.cluster.prepare import OWN_CONTROL, node_command, prepare
from kafkacompat.cluster.supervisor import Interrupted, Supervisor, default_stop_timeout_s
from kafkacompat.config.values import ConfigError
from kafkacompat.errors import KafkaCompatError, StartupError
from kafkacompat.server.endpoints import check_advertised_host, local_address
from kafkacompat.server.ports import PortFinder
from kafkacompat.server.settings import checked_settings
from kafkacompat.server.supervisor_protocol import CONTROL_AT, READY, SECOND_SIGNAL, notice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import FrameType

    from kafkacompat.cli.options import ServeOptions
    from kafkacompat.cli.parent_control import ParentControl
    from kafkacompat.cli.ready_node import ReadyNode
    from kafkacompat.cluster.process_resets import ProcessResets
    from kafkacompat.control_api.seeds import Seed

DEFAULT_HOST = "localhost"


def run(options: ServeOptions) -> int:
    """Serve until a signal arrives or no node is left. Returns the exit status: 0 after a clean stop, 1 after an error,
    which is printed in one line.
    """
    signals = _Signals()  # first: a signal must not leave anything behind
    is_temporary = options.data_dir is None
    directory = _temporary_directory() if options.data_dir is None else os.path.abspath(options.data_dir)  # noqa: PTH100
    signals.temporary = directory if is_temporary else None
    try:
        return _run(options, directory, signals, is_temporary=is_temporary)
    except (KafkaCompatError, ConfigError) as error:
        _print_error(str(error))
        return 1
    finally:
        if is_temporary:
            _remove(directory)


def _run(options: ServeOptions, directory: str, signals: _Signals, *, is_temporary: bool) -> int:
    seed = None
    if options.seed is not None:
        from kafkacompat.control_api.seed_files import load_seed

        seed = load_seed(options.seed)
    host = DEFAULT_HOST if options.host is None else options.host
    if options.advertised_host is not None:
        check_advertised_host(options.advertised_host)
    ports = PortFinder(host)
    layout = plan(
        directory, brokers=options.brokers, controllers=options.controllers, host=host, port=options.port,
        free_ports=ports.find, advertised_host=options.advertised_host, racks=options.racks,
    )  # fmt: skip
    layout.hold_ports(ports)
    settings, warnings = checked_settings(options.settings(), options.file_settings(), LISTENERS)
    for warning in warnings:
        _print_error(warning)
    prepare(layout, settings, is_temporary=is_temporary, cluster_id=options.cluster_id)
    supervisor = _supervisor(options, layout, settings, is_temporary=is_temporary)
    state_file = StateFile(options.state_file) if options.state_file else None
    signals.state_file, signals.supervisor = state_file, supervisor
    if signals.is_stopping:  # the signal arrived before the supervisor existed
        return 0
    if options.stop_with_stdin:
        from kafkacompat.cli.parent_watch import hold

        hold(supervisor.interrupt)
    report = _Report(supervisor, layout, state_file)
    started = _Started(layout, settings, supervisor, seed, is_temporary=is_temporary)
    try:
        if not options.no_control:
            report.control = _control(options, supervisor, layout, report, started)
        supervisor.start()
        ports.close()
        if seed is not None:
            from kafkacompat.cluster.startup_topics import write_seed

            write_seed(layout.bootstrap_servers, seed, settings)
        if options.on_ready is not None:
            options.on_ready(_ready_node(layout, settings, signals, started))
        return _serve(supervisor, layout, report)
    except Interrupted:
        return 0
    finally:
        signals.is_stopping = True
        if state_file is not None:
            state_file.remove()
        for text in supervisor.stop().values():
            _print_error(text)
        report.close()


def _supervisor(
    options: ServeOptions, layout: Layout, settings: Mapping[str, str], *, is_temporary: bool
) -> Supervisor:  # fmt: skip
    commands = {
        node.node_id: node_command(
            layout, node.node_id, log_level=options.log_level, is_temporary=is_temporary,
            addresses_by_peer=options.tells_by_peer(settings), flags=_flags(options),
        )
        for node in layout.nodes
    }  # fmt: skip
    timeout_s = options.stop_timeout_s
    return Supervisor(
        commands, layout.stop_stages(), on_line=_forward, on_death=lambda _, text: _print_error(text),
        on_wait=_Progress().tell,
        stop_timeout_s=default_stop_timeout_s(is_temporary=is_temporary) if timeout_s is None else timeout_s,
    )  # fmt: skip


class _Started:
    """What the nodes were started with, to which a reset goes back."""

    def __init__(
        self, layout: Layout, settings: Mapping[str, str], supervisor: Supervisor, seed: Seed | None, *,
        is_temporary: bool,
    ) -> None:  # fmt: skip
        self._layout = layout
        self._settings = settings
        self._supervisor = supervisor
        self._is_temporary = is_temporary
        self._seed = seed
        self._resets: ProcessResets | None = None

    def resets(self) -> ProcessResets:
        """What a reset takes of this process."""
        from kafkacompat.cluster.process_resets import ProcessResets
        from kafkacompat.control_api.seeds import Seed

        self._resets = ProcessResets(
            self._layout, [node.node_id for node in self._layout.nodes], is_temporary=self._is_temporary,
            seed=Seed({}, {}) if self._seed is None else self._seed, settings=self._settings,
            end_all=self._supervisor.end_all,
        )  # fmt: skip
        return self._resets

    def add(self, seed: Seed) -> None:
        """A script of the start has written this, too."""
        self._seed = seed if self._seed is None else self._seed.joined(seed)
        if self._resets is not None:
            self._resets.seed = self._seed


def _control(
    options: ServeOptions, supervisor: Supervisor, layout: Layout, report: _Report, started: _Started
) -> ParentControl:  # fmt: skip
    from kafkacompat.cli.parent_control import ParentControl

    ids = [node.node_id for node in layout.nodes]
    return ParentControl(options, supervisor, ids, report.write_again, started.resets)


def _ready_node(layout: Layout, settings: Iterable[str], signals: _Signals, started: _Started) -> ReadyNode:
    from kafkacompat.cli.ready_node import ReadyNode
    from kafkacompat.cli.seed_writer import ClusterSeeds

    addresses = [local_address(layout.host, node.port) for node in layout.brokers]
    seeds = ClusterSeeds(layout.bootstrap_servers, settings)

    def write(seed: Seed) -> None:
        seeds.write(seed)
        started.add(seed)

    return ReadyNode(layout.brokers[0].node_id, addresses, lambda: signals.is_stopping, write)


def _flags(options: ServeOptions) -> list[str]:
    """The flags of a node for its own control API, which the one of this process asks, and for its log."""
    control = ["--no-control"] if options.no_control else list(OWN_CONTROL)
    return [*control, "--log-format", options.log_format, *(["--allow-faults"] if options.allow_faults else [])]


def _serve(supervisor: Supervisor, layout: Layout, report: _Report) -> int:
    report.write()
    nodes = _count(len(layout.brokers), "broker")
    alone = [node for node in layout.nodes if not node.is_broker]
    nodes += f", {_count(len(alone), 'controller')}" if alone else ""
    control_at = "" if report.control_url is None else f"{CONTROL_AT}{report.control_url}"
    cluster = f"(cluster {layout.cluster_id}, {nodes}, data in {layout.directory}{control_at})"
    _say(notice(__version__, READY, f"on {layout.bootstrap_servers} {cluster}"))
    if supervisor.wait(report.write_again):
        return 0
    _print_error("no node is left")
    return 1


class _Report:
    """The state file, if there is one. control: the control API of all nodes."""

    def __init__(self, supervisor: Supervisor, layout: Layout, file: StateFile | None) -> None:
        self._supervisor = supervisor
        self._layout = layout
        self._file = file
        self._is_written = False
        self.control: ParentControl | None = None

    @property
    def control_url(self) -> str | None:
        return None if self.control is None else self.control.url

    def close(self) -> None:
        """End the control API, after the nodes have stopped."""
        if self.control is not None:
            self.control.close()

    def write(self) -> None:
        """Write it once the nodes serve clients. Raises StartupError."""
        self._is_written = True
        if self._file is not None:
            self._file.write(self._state())

    def write_again(self) -> None:
        """Update it: a dead node has no pid. A failed write must not end the other nodes."""
        try:
            if self._is_written:
                self.write()
        except StartupError as error:
            _print_error(str(error))

    def _state(self) -> dict[str, object]:
        layout, supervisor = self._layout, self._supervisor

        def entry(node_id: int, host: str, port: int, data_dir: str) -> dict[str, object]:
            state = node_state(node_id, host, port, supervisor.pid(node_id), data_dir)
            return {**state, "control_url": supervisor.control_url(node_id)}

        return {
            "bootstrap_servers": layout.bootstrap_servers,
            "cluster_id": layout.cluster_id,
            "pid": os.getpid(),
            "control_url": self.control_url,
            "brokers": [
                entry(node.node_id, layout.advertised_host, node.port, node.data_dir) for node in layout.brokers
            ],
            "controllers": [
                entry(node.node_id, layout.controller_host, node.controller_port, node.data_dir)
                for node in layout.controllers
            ],
        }  # fmt: skip


class _Progress:
    """Prints the progress of a slow stop, and the first time what a second signal does."""

    def __init__(self) -> None:
        self._hint = f" ({SECOND_SIGNAL})"

    def tell(self, text: str) -> None:
        """Supervisor's on_wait."""
        _print_error(f"stopping: {text}{self._hint}")
        self._hint = ""


class _Signals:
    """The first signal asks for a clean stop; the second kills every node and ends this process."""

    def __init__(self) -> None:
        self.supervisor: Supervisor | None = None  # once there is one
        self.state_file: StateFile | None = None
        self.temporary: str | None = None
        self.is_stopping = False
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # nohup
                signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 (signal's interface)
        if self.is_stopping:
            if self.supervisor is not None:
                self.supervisor.kill_all()
            if self.state_file is not None:
                self.state_file.remove()
            if self.temporary is not None:
                _remove(self.temporary)
            os._exit(128 + number)
        self.is_stopping = True
        if self.supervisor is not None:
            self.supervisor.interrupt()


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _forward(node_id: int, line: str) -> None:
    _write(f"node-{node_id} | {line}\n")


def _print_error(text: str) -> None:
    _write(f"kafkacompat: {text}\n")


def _write(text: str) -> None:
    """Write to standard error. If it is closed, the supervisor goes on."""
    with suppress(OSError):
        sys.stderr.write(text)


def _say(line: str) -> None:
    try:
        print(line, flush=True)  # noqa: T201 (the one line on stdout)
    except OSError:  # standard output is closed
        _print_error(line)


def _temporary_directory() -> str:
    import tempfile

    return tempfile.mkdtemp(prefix="kafkacompat-")


def _remove(directory: str) -> None:
    import shutil

    shutil.rmtree(directory, ignore_errors=True)
