"""The Cluster class: runs brokers in this process or in processes of their own, for Python programs and tests."""

from __future__ import annotations

import atexit
import os
from functools import partial

from kafkacompat.cluster.addresses import Addresses
from kafkacompat.cluster.assertions import Assertions
from kafkacompat.cluster.clock import HasClock
from kafkacompat.cluster.node_faults import NodeFaults
from kafkacompat.cluster.state import State, fitting_options
from kafkacompat.cluster.state_report import StateReport
from kafkacompat.cluster.traffic import Traffic
from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from types import TracebackType
    from typing import Any, TypeAlias

    from kafkacompat.cluster.in_process import InProcess
    from kafkacompat.cluster.layout import Layout
    from kafkacompat.cluster.nodes import Nodes, NodeView
    from kafkacompat.cluster.process_resets import ProcessResets
    from kafkacompat.control_api.http.calls import NodeVerbs
    from kafkacompat.control_api.seeds import Seed
    from kafkacompat.server.ports import PortFinder

    Topics: TypeAlias = Mapping[str, int | tuple[int, int] | Mapping[str, Any]] | Iterable[str]
    Fields: TypeAlias = Mapping[str, Any]
    Records: TypeAlias = Mapping[str, Iterable[Fields]] | Iterable[Fields] | str | os.PathLike[str]

DEFAULT_COUNTS = {"brokers": 1, "controllers": 0, "log_dirs": 1}
PORT_MAX = 65_535
STOP_TIMEOUT_MIN_S = 0.1
"""The minimum of `serve --stop-timeout`, too."""


class Cluster(Addresses, NodeFaults, HasClock, Assertions, StateReport, State, Traffic):
    """A Kafka cluster: one broker in this process, or several brokers, here or in processes of their own.

        with Cluster(topics={"orders": 3}) as kafka:
            producer = confluent_kafka.Producer({"bootstrap.servers": kafka.bootstrap_servers})

    It also works with `async with`, with `start()` and `stop()`, and as a decorator, which passes a fresh cluster to
    the function as keyword argument `kafka` in each call. A stopped cluster can be started again.

    topics: names with their number of partitions, or with (partitions, replicas), or with a dict of `partitions`,
        `replicas` and `configs`, or names only; the broker's defaults apply to the rest.
    records: records by topic, as objects in the JSON form of `kafkacompat consume`, or the path of a seed file
        (docs/state.md). They are written into topics that the start creates.
    config: Kafka's broker settings, the same for all brokers; True and False become true and false.
    data_dir: the directory of the data; None uses a temporary directory while the cluster runs.
    port: the port of the first broker, the others have the ports after it; 0 picks free ones, without a data_dir new
        ones at each start.
    brokers: the number of brokers; their ids are 1, 2, ...
    processes: run each broker in its own process, so that it can be killed and paused.
    controllers: the number of dedicated controllers, with ids from 1001 on; with 0, brokers are the controllers: an odd
        number of them, at most 5.
    log_dirs: the number of log directories of each broker, in its data directory; the metadata log is in the first one
        (docs/data-directories.md). Each has disk faults of its own.
    racks: the racks of the brokers, assigned round robin.
    isolation: connect through proxies, which cut links outside of the brokers; this costs speed.
    stop_timeout_s: with processes, kill a node whose stop makes no progress for this time; None is 300 seconds with a
        data_dir and 10 without.
    cluster_id: the id of a new cluster, 22 characters of base64 as Kafka prints them; None makes one.
    version: the release of Apache Kafka ("3.9") or of Confluent ("7.9.1") that clients see: its API versions, features,
        defaults and errors, as far as they work here (docs/releases.md). None is 4.3.
    storage: "memory" keeps the data of each broker in memory, at most `max_bytes` of it (docs/state.md); "disk" in a
        temporary directory, or in `data_dir`.
    fixture: a file of `kafkacompat spark capture`, or a snapshot, with which the cluster starts, as with `restore`
        (docs/state.md).

    Raises KafkaCompatError or a subclass with one line that says what to do.
    """

    def __init__(
        self,
        *,
        topics: Topics = (),
        records: Records = (),
        config: Mapping[str, object] | None = None,
        data_dir: str | os.PathLike[str] | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        brokers: int = 1,
        processes: bool = False,
        controllers: int = 0,
        log_dirs: int = 1,
        racks: Sequence[str] = (),
        isolation: bool = False,
        stop_timeout_s: float | None = None,
        cluster_id: str | None = None,
        version: str | None = None,
        storage: str = "disk",
        max_bytes: int | None = None,
        fixture: str | os.PathLike[str] | None = None,
    ) -> None:
        is_cluster = False
        if fixture is not None:
            counts = {"brokers": brokers, "controllers": controllers, "log_dirs": log_dirs}
            given_counts = {name: count for name, count in counts.items() if count != DEFAULT_COUNTS[name]}
            more = {"config": config, "data_dir": data_dir, "processes": processes, "isolation": isolation}
            fitting, is_cluster = fitting_options(fixture, {**given_counts, **more})
            brokers, controllers, log_dirs, config = (fitting[name] for name in (*DEFAULT_COUNTS, "config"))
        if brokers < 1:
            raise KafkaCompatError(f"brokers={brokers}: give at least 1")
        if controllers < 0:
            raise KafkaCompatError(f"controllers={controllers}: give at least 0; with 0 brokers are the controllers")
        if stop_timeout_s is not None and not processes:
            raise KafkaCompatError("stop_timeout_s needs processes=True: a broker in this process cannot be killed")
        _check_values(data_dir, host, port, stop_timeout_s, log_dirs)
        from kafkacompat.control_api.seeds import config_text

        self._seed = _seed(topics, records)
        given = {name: config_text(value) for name, value in (config or {}).items()}
        self._config = {**_release_settings(version), **given}
        self._data_dir = None if data_dir is None else str(data_dir)
        self._options: dict[str, Any] = {
            "topics": self._seed.topics, "records": self._seed.records,
            "config": self._config, "data_dir": data_dir, "host": host, "port": port,
            "brokers": brokers, "processes": processes, "controllers": controllers, "racks": tuple(racks),
            "isolation": isolation, "stop_timeout_s": stop_timeout_s, "cluster_id": cluster_id, "log_dirs": log_dirs,
            "version": version, "storage": storage, "max_bytes": max_bytes, "fixture": fixture,
        }  # fmt: skip
        self._memory = None
        if storage != "disk" or max_bytes is not None:
            from kafkacompat.cluster.memory import memory_of

            self._memory = memory_of(storage, max_bytes, nodes=brokers + controllers, options=self._options)
        super().__init__()
        if fixture is not None:
            self._begin_with(fixture, is_cluster=is_cluster)
        self._scratch: str | None = None
        self._ports: PortFinder | None = None

    # For clients

    @property
    def bootstrap_servers(self) -> str:
        """host:port of every broker, separated by commas, for a client's bootstrap.servers."""
        self._running()
        return self._layout.bootstrap_servers if self._layout else self._lone().sole_server.bootstrap_servers

    @property
    def cluster_id(self) -> str:
        """The cluster id; it is kept in the data directory."""
        self._running()
        if self._layout is not None:
            return self._layout.cluster_id
        return self._call(self._broker_ids()[0], lambda server: server.broker.cluster_id)

    @property
    def data_dir(self) -> str:
        """The data directory; with several brokers each has a subdirectory, and so has each of several log
        directories.
        """
        self._running().write_data()
        return self._layout.directory if self._layout else self._lone_data_dir()

    def config_for(self, client: str) -> dict[str, Any]:
        """The connection settings of a client: "confluent" (librdkafka in any language), "kafka-python", "aiokafka",
        "java", "spark" (options), "kafkajs", "franz-go" or "sarama".
        """
        from kafkacompat.cluster.client_settings import client_settings

        return client_settings(client, self.bootstrap_servers)

    def group_id(self, prefix: str = "group") -> str:
        """A new name for a consumer group, which no other test uses."""
        from kafkacompat.cluster.client_settings import unique_group_id

        return unique_group_id(prefix)

    def create_topics(self, topics: Topics) -> None:
        """Create topics, given as to the constructor. Existing ones are left unchanged.

        Returns when each partition has a leader. Raises KafkaCompatError for the first topic that is refused.
        """
        from kafkacompat.control_api.seeds import parse_topics

        self._running()
        shapes = parse_topics(topics)
        if self._layout is None:
            from kafkacompat.server.startup_topics import create_topics

            lone = self._lone()
            lone.run(create_topics(lone.sole_server, shapes))
        elif shapes:
            from kafkacompat.cluster import startup_topics

            running = [broker.address for broker in self.brokers if broker.is_running]
            if not running:
                raise KafkaCompatError("no broker of this cluster is running: start one with restart(id)")
            startup_topics.create_topics(running[0], shapes)

    # The nodes

    @property
    def brokers(self) -> list[NodeView]:
        """The brokers by id: id, address, data_dir, log_dirs, pid, is_running."""
        from kafkacompat.cluster.nodes import NodeView

        nodes = self._running()
        if self._layout is None:
            server = self._lone().sole_server
            address = server.bootstrap_servers
            data_dir, log_dirs = self._lone_data_dir(), server.directories
            return [NodeView(server.broker.node_id, address, data_dir, os.getpid(), nodes.write_data, log_dirs)]
        return [
            NodeView(
                node.node_id, self._layout.address(node), node.data_dir, nodes.pid(node.node_id), nodes.write_data,
                node.log_dirs,
            )
            for node in self._layout.brokers
        ]  # fmt: skip

    @property
    def controllers(self) -> list[NodeView]:
        """The voters of the metadata quorum by id, with the addresses of their controller listeners."""
        from kafkacompat.cluster.layout import address
        from kafkacompat.cluster.nodes import NodeView

        nodes = self._running()
        if self._layout is None:
            return self.brokers
        return [
            NodeView(
                node.node_id, address(self._layout.controller_host, node.controller_port), node.data_dir,
                nodes.pid(node.node_id), nodes.write_data, node.log_dirs,
            )
            for node in self._layout.controllers
        ]  # fmt: skip

    # Start and stop

    def start(self) -> Cluster:
        """Start, and return when every broker serves clients and tells them of all others."""
        if self._nodes is not None:
            raise KafkaCompatError("this cluster is already running: call stop() before start()")
        self._pid = os.getpid()
        self._faults = None
        atexit.register(self.stop)  # a program that does not stop it leaves no directory and no process behind
        try:
            self._clock_offset_ms = 0
            self._nodes = self._make()
            self._nodes.verbs = _verbs(self, self._nodes)
            self._nodes.start()
            self._release_ports()
            self._is_ready = True
            self._await_brokers()
            if self._clock_offset_ms > 0 and self._options["processes"]:
                self.clock.advance(ms=self._clock_offset_ms)
            if self._seed:
                self._write_seed()
        except BaseException:
            self._is_ready = False
            self.stop()
            raise
        return self

    def stop(self, broker: int | None = None) -> None:
        """Stop cleanly, and remove temporary data; a second call does nothing. With an id, stop only that broker."""
        if broker is not None:
            self._stop_one(broker, clean=True)
            return
        if self._is_forked:
            return  # the nodes and their data belong to the process that started them
        nodes, self._nodes = self._nodes, None
        links, self._links = self._links, None
        scratch, self._scratch = self._scratch, None
        self._release_ports()
        self._layout = None
        self._is_ready = False
        atexit.unregister(self.stop)
        try:
            if nodes is not None:
                nodes.stop()
        finally:
            self._end_capture()
            if nodes is not None:
                nodes.close()
            if links is not None:
                links.close()
            if scratch is not None:
                import shutil

                shutil.rmtree(scratch, ignore_errors=True)

    def restart(self, broker: int | None = None, *, clean: bool = True) -> None:
        """Stop and start again with the same data and ports. `clean=False` stops like a crash.

        With an id, restart only that broker, which may be stopped already. Returns when it serves clients.
        """
        nodes = self._running()
        if broker is not None:
            if self._links is not None:
                self._links.open(broker)
            else:
                self._heal_links(broker)
            nodes.restart_node(broker, clean=clean)
        elif self._layout is None:
            nodes.restart_node(self._lone().sole_server.broker.node_id, clean=clean)
        else:
            if self._links is not None:
                self._links.open_all()
            for view in [*self.brokers, *self.controllers]:
                if not clean and nodes.pid(view.id) is not None:
                    nodes.stop_node(view.id, clean=False)
            nodes.stop()
            nodes.start()
            self._await_brokers()
        self._restarted()

    # Ways to use it

    def __enter__(self) -> Cluster:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    async def __aenter__(self) -> Cluster:
        from kafkacompat.cluster.around_functions import started

        return await started(self.start, self.stop)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        from kafkacompat.cluster.around_functions import to_the_end

        await to_the_end(self.stop)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        from kafkacompat.cluster.around_functions import decorated

        return decorated(function, lambda: Cluster(**self._options))

    def __repr__(self) -> str:
        try:
            return f"<Cluster {self.bootstrap_servers}>"
        except KafkaCompatError:
            return "<Cluster stopped>"

    # Small parts

    def _make(self) -> Nodes:
        options = self._options
        is_lone = options["brokers"] == 1 and not (
            options["controllers"] or options["processes"] or options["isolation"]
        )
        if is_lone and not self._restores_several and not (self._data_dir and _is_cluster(self._data_dir)):
            from kafkacompat.cluster.in_process import InProcess

            config = {**self._config, **({"broker.rack": options["racks"][0]} if options["racks"] else {})}
            node_id = int(config.get("node.id", 1))
            ignored = sorted({"log.dir", "log.dirs", "metadata.log.dir"} & config.keys())
            _warn([f"{name} has no effect: data_dir= and log_dirs= say where the logs are" for name in ignored])
            log_dirs, is_temporary = self._unpack_lone(node_id)
            lone = InProcess.lone(
                config, host=options["host"], port=options["port"], data_dir=log_dirs[0] if log_dirs else None,
                cluster_id=options["cluster_id"], is_temporary=is_temporary, log_dirs=log_dirs,
            )  # fmt: skip
            if self._snapshot is not None:
                from kafkacompat.cluster import reformat

                lone.format_anew = reformat.of_lone(self._snapshot, node_id, lambda: lone.sole_server.directories)
            return self._prepared(lone)
        return self._make_several()

    def _unpack_lone(self, node_id: int) -> tuple[tuple[str, ...], bool]:
        """The log directories, and whether they are temporary: with the data of the snapshot from which this starts.
        None for one that the broker makes.
        """
        from kafkacompat.cluster.log_dirs import check_log_dirs, is_formatted, log_dirs_of

        count, is_temporary = self._options["log_dirs"], self._data_dir is None
        if self._data_dir is not None:
            check_log_dirs(self._data_dir, count)
        elif self._snapshot is None and self._memory is None and count == 1:
            return (), True
        log_dirs = log_dirs_of(self._data_dir or self._temporary_directory(), count)
        if self._snapshot is not None and not is_formatted(log_dirs[0]):
            from kafkacompat.cluster.reformat import unpack_lone

            self._clock_offset_ms = unpack_lone(self._snapshot, node_id, log_dirs)
        return log_dirs, is_temporary

    def _lone_data_dir(self) -> str:
        directory = self._lone().sole_server.data_dir
        return directory if self._options["log_dirs"] == 1 else os.path.dirname(directory)  # noqa: PTH120 (as above)

    def _make_several(self) -> Nodes:
        from kafkacompat.cluster import reformat
        from kafkacompat.cluster.layout import LISTENERS, plan
        from kafkacompat.cluster.prepare import common_settings, prepare
        from kafkacompat.server.ports import PortFinder
        from kafkacompat.server.settings import checked_settings

        options = self._options
        ports = self._ports = PortFinder(options["host"])
        settings, warnings = checked_settings(self._config, {}, LISTENERS)
        _warn(warnings)
        is_temporary = self._data_dir is None
        if is_temporary:
            self._temporary_directory()
        layout = self._layout = plan(
            os.path.abspath(self._scratch or self._data_dir or ""),  # noqa: PTH100 (pathlib costs start-up time)
            brokers=options["brokers"], controllers=options["controllers"], host=options["host"],
            port=options["port"], free_ports=ports.find, racks=options["racks"], log_dirs=options["log_dirs"],
        )  # fmt: skip
        layout.hold_ports(ports)
        if options["isolation"]:
            from kafkacompat.cluster.links import Links

            self._links = Links(layout, ports.find)
        is_restored = self._snapshot is not None and not layout.cluster_id
        if is_restored:
            assert self._snapshot is not None
            self._clock_offset_ms = reformat.unpack_layout(self._snapshot, layout)
        prepare(layout, settings, is_temporary=is_temporary, cluster_id=options["cluster_id"])
        if options["processes"]:
            from kafkacompat.cluster.processes import Processes

            return Processes(
                layout, is_temporary=is_temporary, stop_timeout_s=options["stop_timeout_s"],
                resets=partial(self._resets, layout, is_temporary), proxied=self._proxied_links,
                is_restored=is_restored,
            )  # fmt: skip
        from kafkacompat.cluster.in_process import InProcess

        nodes = InProcess.of_layout(layout, common_settings(layout, settings), is_temporary=is_temporary)
        has_proxies = self._links is not None
        nodes.format_anew = reformat.of_layout(
            layout, self._snapshot, is_temporary=is_temporary, has_proxies=has_proxies
        )
        nodes.proxied_links, nodes.is_restored = self._proxied_links, is_restored
        return self._prepared(nodes)

    def _resets(
        self, layout: Layout, is_temporary: bool, started: Collection[int], end_all: Callable[[], None]
    ) -> ProcessResets:
        from kafkacompat.cluster.process_resets import ProcessResets

        return ProcessResets(
            layout, started, is_temporary=is_temporary, seed=self._seed, settings=self._config, end_all=end_all,
            snapshot=self._snapshot, has_proxies=self._links is not None,
        )  # fmt: skip

    def _proxied_links(self) -> dict[tuple[int | str, int | str], int | None]:
        return {} if self._links is None else self._links.faults

    def _prepared(self, nodes: InProcess) -> InProcess:
        if self._memory is not None:
            nodes.keep_in_memory(self._memory.max_bytes)
        nodes.move_clock(self._clock_offset_ms)
        return nodes

    def _temporary_directory(self) -> str:
        """A new one, which `stop` removes, also when the start fails."""
        if self._memory is not None:
            self._scratch = self._memory.directory()
        else:
            import tempfile

            self._scratch = tempfile.mkdtemp(prefix="kafkacompat-")
        return self._scratch

    def _write_seed(self) -> None:
        if self._options["processes"]:
            from kafkacompat.cluster import startup_topics

            startup_topics.write_seed(self.bootstrap_servers, self._seed, self._config)
        else:
            self._write_seed_here()

    def _release_ports(self) -> None:
        if self._ports is not None:
            self._ports.close()
            self._ports = None

    def _lone(self) -> InProcess:
        assert self._layout is None
        nodes: Any = self._nodes
        return nodes  # type: ignore[no-any-return]


def _verbs(cluster: Cluster, nodes: Nodes) -> NodeVerbs:
    from kafkacompat.cluster.cluster_verbs import ClusterVerbs

    return ClusterVerbs(cluster, nodes)


def _release_settings(version: str | None) -> dict[str, str]:
    if version is None:
        return {}
    from kafkacompat.config.releases import release_of, settings_of

    try:
        return settings_of(release_of(version))
    except ValueError as error:
        raise KafkaCompatError(str(error)) from None


def _seed(topics: Topics, records: Records) -> Seed:
    """Raises KafkaCompatError for topics or records of another form."""
    from kafkacompat.control_api.seeds import Seed, parse_records, parse_topics

    given = parse_topics(topics)
    if isinstance(records, (str, os.PathLike)):
        from kafkacompat.control_api.seed_files import load_seed

        return Seed(given, {}).joined(load_seed(records))
    return Seed(given, parse_records(records))


def _check_values(
    data_dir: str | os.PathLike[str] | None, host: str, port: int, stop_timeout_s: float | None, log_dirs: int
) -> None:
    """Refuse values that would fail later or mean something else. Raises KafkaCompatError."""
    if log_dirs != 1:
        from kafkacompat.cluster.log_dirs import LOG_DIRS_MAX

        if not 1 <= log_dirs <= LOG_DIRS_MAX:
            raise KafkaCompatError(f"log_dirs={log_dirs}: give 1 to {LOG_DIRS_MAX}")
    if data_dir is not None and not str(data_dir):
        raise KafkaCompatError("data_dir is empty: give a directory, or leave it out for a temporary one")
    if not host:
        raise KafkaCompatError("host is empty: give an address of this computer; 0.0.0.0 is every address")
    if not 0 <= port <= PORT_MAX:
        raise KafkaCompatError(f"port={port}: give one up to {PORT_MAX}; 0 picks a free one")
    if stop_timeout_s is not None and not stop_timeout_s >= STOP_TIMEOUT_MIN_S:  # this form refuses NaN, too
        raise KafkaCompatError(f"stop_timeout_s={stop_timeout_s}: give seconds, at least {STOP_TIMEOUT_MIN_S}")


def _is_cluster(directory: str) -> bool:
    from kafkacompat.cluster.layout import is_cluster

    return is_cluster(directory)


def _warn(warnings: list[str]) -> None:
    if warnings:
        import logging

        for warning in warnings:
            logging.getLogger(__name__).warning("%s", warning)
