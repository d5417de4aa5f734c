"""Apache Kafka, started from its Maven artifacts: the reference that every compatibility test is run against."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from compat_tests.artifacts import KAFKA_VERSION, cache_root, java_program, kafka_jars, locked
from compat_tests.broker_process import (
    OLD_RECORDS_STAY,
    STOP_TIMEOUT_S,
    BrokerError,
    Process,
    StandIn,
    answers,
    free_port,
    itself,
    new_cluster_id,
    remove_directory,
    scratch_directory,
    tail,
)
from compat_tests.tool_jvm.tools import run

STORAGE = "kafka.tools.StorageTool"
START_TIMEOUT_S = 90
FORMAT_TIMEOUT_S = 60
TEST_JVM_OPTIONS = ("-Xms256m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
"""Bounded memory and a quick start, for tests; a benchmark must not use them."""
DEFAULT_JVM_OPTIONS = (
    "-Xms1g", "-Xmx1g", "-server", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20",
    "-XX:InitiatingHeapOccupancyPercent=35", "-XX:+ExplicitGCInvokesConcurrent",
)  # fmt: skip
"""What Kafka's own start script gives a broker: the fair choice for a benchmark."""

_LOG4J = """\
status = error
appender.out.type = Console
appender.out.name = out
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = [%d] %p %m (%c)%n
rootLogger.level = INFO
rootLogger.appenderRef.out.ref = out
"""
_LOG4J_1 = """\
log4j.rootLogger=INFO, out
log4j.appender.out=org.apache.log4j.ConsoleAppender
log4j.appender.out.layout=org.apache.log4j.PatternLayout
log4j.appender.out.layout.ConversionPattern=[%d] %p %m (%c)%n
"""
"""The same for Kafka 3, which has an older Log4j."""


class KafkaProgram:
    """Command lines that run the classes of one release of Apache Kafka, with a log on their standard output.

    `folder` is where the file goes that says so.
    """

    def __init__(
        self, folder: Path, version: str = KAFKA_VERSION, jvm_options: Sequence[str] = TEST_JVM_OPTIONS
    ) -> None:
        self.is_kafka_3 = version.startswith(("2.", "3."))  # or older
        self._version = version
        self._jvm_options = tuple(jvm_options)
        self._log4j = folder / "log4j.properties"
        self._log4j.write_text(_LOG4J_1 if self.is_kafka_3 else _LOG4J)

    def java(self, main_class: str, *arguments: str) -> list[str]:
        """Runs one of the classes in the jars."""
        logging = "log4j.configuration=file:" if self.is_kafka_3 else "log4j2.configurationFile="
        return [
            java_program(), *self._jvm_options, f"-D{logging}{self._log4j}",
            "-cp", f"{kafka_jars(self._version)}/*", main_class, *arguments,
        ]  # fmt: skip

    def serve(self, properties: Path) -> list[str]:
        """Runs a node."""
        java, *rest = self.java("kafka.Kafka", str(properties))
        options = quick_start(self._version) if self._jvm_options == TEST_JVM_OPTIONS else []
        return [java, *options, *rest]

    def format(self, properties: Path, cluster_id: str, *choice: str) -> None:
        """Make the data directories of a node; `choice` says which voters there are. Raises BrokerError."""
        arguments = ("format", "-t", cluster_id, "-c", str(properties), *choice)
        done = run(STORAGE, *arguments, version=self._version, timeout_s=FORMAT_TIMEOUT_S)
        if done.status != 0:
            raise BrokerError(f"Kafka's StorageTool failed\n{done.stdout}{done.stderr}")


class ApacheKafka:
    """`brokers` combined broker and controller nodes on this machine, with one data directory that outlives `stop`.

    `config` adds to or replaces lines of every node's server.properties. The defaults are those of Apache Kafka's own
    container image for development: no initial rebalance delay, internal topics as replicated as there are brokers.
    """

    kind = "kafka"

    def __init__(
        self,
        version: str = KAFKA_VERSION,
        brokers: int = 1,
        config: Mapping[str, str] | None = None,
        jvm_options: Sequence[str] = TEST_JVM_OPTIONS,
        stand_in: StandIn = itself,
    ) -> None:
        self.version = version
        self._config = dict(config or {})
        self._root = scratch_directory(f"kafka-{version}-")
        self._program = KafkaProgram(self._root, version, jvm_options)
        self._nodes = {node_id: (free_port(), free_port()) for node_id in range(1, brokers + 1)}
        self._advertised = {node_id: stand_in(port) for node_id, (port, _) in self._nodes.items()}
        self._processes: dict[int, Process] = {}
        self.cluster_id = new_cluster_id()
        self._format()

    @property
    def bootstrap_servers(self) -> str:
        return ",".join(f"127.0.0.1:{port}" for port in self._advertised.values())

    @property
    def data_dirs(self) -> list[Path]:
        return [self._root / f"data-{node_id}" for node_id in self._nodes]

    @property
    def pids(self) -> dict[int, int]:
        """Process id of each running node, by node id."""
        return {node_id: process.pid for node_id, process in self._processes.items()}

    def start(self, timeout_s: float = START_TIMEOUT_S) -> None:
        """Start every node that is not running and wait until all accept clients."""
        for node_id in self._nodes:
            if node_id not in self._processes:
                command = self._program.serve(self._properties(node_id))
                self._processes[node_id] = Process(command, self._log(node_id))
        for node_id, process in self._processes.items():
            port = self._nodes[node_id][0]
            process.wait_until(lambda port=port: answers(port), timeout_s, f"Kafka node {node_id}")  # type: ignore[misc]

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> None:
        """Stop cleanly; the data stays for the next start."""
        for node_id in list(self._processes):
            self._processes.pop(node_id).stop(timeout_s)

    def kill(self) -> None:
        """kill -9 every node; the data stays for the next start."""
        for node_id in list(self._processes):
            self.kill_node(node_id)

    def kill_node(self, node_id: int) -> None:
        """kill -9 one node. `start` brings it back."""
        self._processes.pop(node_id).kill()

    def address_of(self, node_id: int) -> str:
        """Where clients reach one node."""
        return f"127.0.0.1:{self._advertised[node_id]}"

    def controller_address_of(self, node_id: int) -> str:
        """Where one node listens as a controller."""
        return f"127.0.0.1:{self._nodes[node_id][1]}"

    def properties_of(self, node_id: int) -> Path:
        """The server.properties of one node."""
        return self._properties(node_id)

    def close(self) -> None:
        """Kill what runs and remove the data."""
        self.kill()
        remove_directory(self._root)

    def log_tail(self) -> str:
        return "\n".join(tail(self._log(node_id)) for node_id in self._nodes)

    def _format(self) -> None:
        choice = ["--standalone"] if len(self._nodes) == 1 else []
        for node_id in self._nodes:
            self._properties(node_id).write_text("".join(f"{k}={v}\n" for k, v in self._settings(node_id).items()))
            self._program.format(self._properties(node_id), self.cluster_id, *choice)

    def _settings(self, node_id: int) -> dict[str, str]:
        port, controller_port = self._nodes[node_id]
        quorum = ",".join(f"127.0.0.1:{ports[1]}" for ports in self._nodes.values())
        replicas = min(3, len(self._nodes))
        settings = {
            "node.id": str(node_id),
            "process.roles": "broker,controller",
            "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{self._advertised[node_id]},CONTROLLER://127.0.0.1:{controller_port}",
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "log.dirs": str(self._root / f"data-{node_id}"),
            "group.initial.rebalance.delay.ms": "0",
            **OLD_RECORDS_STAY,
            "offsets.topic.replication.factor": str(replicas),
            "transaction.state.log.replication.factor": str(replicas),
            "transaction.state.log.min.isr": str(min(2, replicas)),
        }
        if not self._program.is_kafka_3:
            settings["share.coordinator.state.topic.replication.factor"] = str(replicas)
            settings["share.coordinator.state.topic.min.isr"] = str(min(2, replicas))
        if len(self._nodes) == 1:
            settings["controller.quorum.bootstrap.servers"] = quorum
        else:
            settings["controller.quorum.voters"] = ",".join(
                f"{other}@127.0.0.1:{ports[1]}" for other, ports in self._nodes.items()
            )
        return settings | self._config

    def _properties(self, node_id: int) -> Path:
        return self._root / f"server-{node_id}.properties"

    def _log(self, node_id: int) -> Path:
        return self._root / f"server-{node_id}.log"


def quick_start(version: str) -> list[str]:
    """Options for a JVM whose class path is all jars of a release: what it loads is ready, if the tests use it much."""
    return [f"-XX:SharedArchiveFile={class_archive()}"] if version == KAFKA_VERSION else []


@cache
def class_archive() -> Path:
    """The classes that a node of KAFKA_VERSION loads, laid out as a JVM has them in memory: it starts in half the time.

    Made once for each JVM, by a node that runs for that alone. A JVM that cannot use it goes on without.
    """
    jvm = subprocess.run([java_program(), "-version"], capture_output=True, check=True).stderr
    name = f"{kafka_jars().name}-{hashlib.sha256(jvm).hexdigest()[:12]}.jsa"
    target = cache_root() / name
    with locked(cache_root() / f"{name}.lock"):
        if not target.exists():
            _archive_classes(target)
    return target


def _archive_classes(target: Path) -> None:
    made = target.with_suffix(".new")
    kafka = ApacheKafka(jvm_options=(*TEST_JVM_OPTIONS, f"-XX:ArchiveClassesAtExit={made}"))
    try:
        kafka.start()
        kafka.stop()
        if made.exists():  # not every JVM can
            made.rename(target)
    finally:
        kafka.close()
