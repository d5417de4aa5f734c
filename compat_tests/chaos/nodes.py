"""A cluster whose nodes are started, killed, paused and cut off one by one: Apache Kafka's or this project's.

Both get the same server.properties, one process a node. Where the machine allows it (root on Linux) each node has a
network namespace, so that it can be cut off, and on request a small disk of its own, so that it can be full.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path

from compat_tests.apache_kafka import FORMAT_TIMEOUT_S, TEST_JVM_OPTIONS, KafkaProgram
from compat_tests.broker_process import (
    BrokerError,
    Process,
    StandIn,
    free_port,
    itself,
    new_cluster_id,
    remove_directory,
    scratch_directory,
    tail,
)
from compat_tests.chaos.machine import Machine
from compat_tests.chaos.network import Network
from kafkacompat.protocol.primitives import uuid_from_text

START_TIMEOUT_S = 90.0
POLL_S = 0.005
FILLER = "filler"
_CHUNK = bytes(1 << 20)


class Node:
    """One process: where it listens, where its files are, and whether it runs."""

    def __init__(self, node_id: int, roles: str, root: Path, host: str) -> None:
        self.id = node_id
        self.roles = roles
        self.host = host
        self.port = free_port() if "broker" in roles else 0
        self.advertised_port = self.port
        self.controller_port = free_port() if "controller" in roles else 0
        self.data_dir = root / f"data-{node_id}"
        self.properties = root / f"server-{node_id}.properties"
        self.log = root / f"server-{node_id}.log"
        self.process: Process | None = None
        self.machine: Machine | None = None
        self.is_paused = False

    @property
    def is_broker(self) -> bool:
        return "broker" in self.roles

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.is_running()

    def listens(self) -> bool:
        """Whether something accepts connections where this node does."""
        with socket.socket() as probe:
            probe.settimeout(0.5)
            return probe.connect_ex((self.host, self.port or self.controller_port)) == 0


class Nodes:
    """`brokers` nodes, which are the controllers, too, unless `controllers` says how many there are besides.

    `config` adds to or replaces lines of every server.properties, `{node}` in it being the node's id. `network` puts
    each node into a namespace; `disk_bytes` gives each a disk of that size; `stand_in` is advertised in its place.
    Node ids begin at 1, brokers first. With `is_dynamic` the first controller votes alone until others are added
    (KIP-853); otherwise the configuration names all controllers as voters.
    """

    kind = ""

    def __init__(
        self,
        brokers: int = 3,
        controllers: int = 0,
        config: Mapping[str, str] | None = None,
        network: Network | None = None,
        disk_bytes: int = 0,
        stand_in: StandIn = itself,
        *,
        is_dynamic: bool = False,
    ) -> None:
        self.is_dynamic = is_dynamic
        self.root = scratch_directory(f"chaos-{self.kind}-")
        self.network = network
        self.disk_bytes = disk_bytes
        self._config = dict(config or {})
        self.cluster_id = new_cluster_id()
        roles = ["broker" if controllers else "broker,controller"] * brokers + ["controller"] * controllers
        self.nodes: dict[int, Node] = {}
        for node_id, role in enumerate(roles, 1):
            host = network.add(node_id) if network else "127.0.0.1"
            self.nodes[node_id] = node = Node(node_id, role, self.root, host)
            if node.port:
                node.advertised_port = stand_in(node.port)
        for node in self.nodes.values():
            node.data_dir.mkdir()
            if disk_bytes:
                _run("mount", "-t", "tmpfs", "-o", f"size={disk_bytes}", "tmpfs", str(node.data_dir))
            node.properties.write_text("".join(f"{key}={value}\n" for key, value in self._settings(node).items()))
            self.format(node.id)

    # What differs between the two

    def _format(self, node: Node, *choice: str) -> None:
        raise NotImplementedError

    def _command(self, node: Node) -> list[str]:
        raise NotImplementedError

    # Who there is

    @property
    def brokers(self) -> list[int]:
        return [node.id for node in self.nodes.values() if node.is_broker]

    @property
    def bootstrap_servers(self) -> str:
        return ",".join(self.address_of(node_id) for node_id in self.brokers)

    @property
    def pids(self) -> dict[int, int]:
        """Process id of each running node, by node id."""
        return {node.id: node.process.pid for node in self.nodes.values() if node.process and node.is_running}

    @property
    def losses(self) -> list[int]:
        """Of each loss of power, how many files it changed."""
        return [count for node in self.nodes.values() if node.machine for count in node.machine.losses]

    def address_of(self, node_id: int) -> str:
        """Where clients reach one broker."""
        node = self.nodes[node_id]
        return f"{node.host}:{node.advertised_port}"

    def controller_address_of(self, node_id: int) -> str:
        """Where a controller listens."""
        node = self.nodes[node_id]
        return f"{node.host}:{node.controller_port}"

    def directory_id_of(self, node_id: int) -> bytes:
        """The id of a node's data directory, from its meta.properties."""
        found = re.search(r"directory\.id=(\S+)", (self.nodes[node_id].data_dir / "meta.properties").read_text())
        assert found is not None
        return uuid_from_text(found[1])

    def log_tail(self, node_id: int) -> str:
        return tail(self.nodes[node_id].log)

    def give_machines(self, machine_of: Callable[[int, Path, Path], Machine]) -> None:
        """Let each node believe to run on a machine, made from its id, its data directory, and a folder to be made."""
        for node in self.nodes.values():
            node.machine = machine_of(node.id, node.data_dir, self.root / f"machine-{node.id}")

    # One node

    def format(self, node_id: int) -> None:
        """Make the data directory of a node, which has none or an empty one."""
        node = self.nodes[node_id]
        first = next(one.id for one in self.nodes.values() if one.controller_port)
        choice = "--standalone" if node_id == first else "--no-initial-controllers"
        self._format(node, *([choice] if self.is_dynamic and node.controller_port else []))

    def begin(self, node_id: int) -> None:
        """Start a node that does not run; `wait` waits for it."""
        node = self.nodes[node_id]
        if not node.is_running:
            prefix = self.network.inside(node_id) if self.network else []
            if node.machine:
                node.machine.boot()
                prefix = [*prefix, *node.machine.command()]
            node.is_paused = False
            node.process = Process([*prefix, *self._command(node)], node.log)

    def wait(self, node_id: int, timeout_s: float = START_TIMEOUT_S) -> None:
        """Wait until a node accepts connections. Raises BrokerError when it ends instead, or the time is over."""
        node = self.nodes[node_id]
        assert node.process is not None
        node.process.wait_until(node.listens, timeout_s, f"{self.kind} node {node_id}")

    def kill(self, node_id: int) -> None:
        """kill -9; the data stays."""
        node = self.nodes[node_id]
        if node.process is not None:
            node.process.kill()
            node.process, node.is_paused = None, False

    def kill_together(self, node_ids: Sequence[int]) -> None:
        """kill -9 at the same moment, as far as there is such a thing."""
        for node_id in node_ids:
            self._signal(node_id, signal.SIGKILL)
        for node_id in node_ids:
            self.kill(node_id)

    def pause(self, node_id: int) -> None:
        """SIGSTOP."""
        self._signal(node_id, signal.SIGSTOP)
        self.nodes[node_id].is_paused = True

    def resume(self, node_id: int) -> None:
        """SIGCONT."""
        self._signal(node_id, signal.SIGCONT)
        self.nodes[node_id].is_paused = False

    def ask_to_stop(self, node_id: int) -> None:
        """SIGTERM, without waiting."""
        self._signal(node_id, signal.SIGTERM)

    def stop(self, node_id: int) -> None:
        """Stop cleanly and wait. Raises BrokerError when it has to be killed."""
        node = self.nodes[node_id]
        if node.process is not None:
            process, node.process = node.process, None
            process.stop()

    def fill_disk(self, node_id: int) -> None:
        """Leave no space on a node's disk."""
        with (self.nodes[node_id].data_dir / FILLER).open("wb", buffering=0) as filler:
            chunk = _CHUNK
            while chunk:
                try:
                    filler.write(chunk)
                except OSError:
                    chunk = chunk[: len(chunk) // 2]

    def free_disk(self, node_id: int) -> None:
        (self.nodes[node_id].data_dir / FILLER).unlink(missing_ok=True)

    # All of them

    def start(self) -> float:
        """Start what does not run and wait until all accept connections; the seconds that took."""
        since = time.perf_counter()
        for node_id in self.nodes:
            self.begin(node_id)
        for node_id in self.nodes:
            self.wait(node_id)
        return time.perf_counter() - since

    def heal(self) -> None:
        """No fault is left but that nodes may not run."""
        if self.network:
            self.network.heal()
        for node in self.nodes.values():
            if self.disk_bytes:
                self.free_disk(node.id)
            if node.is_paused:
                self.resume(node.id)

    def shut_down(self) -> float:
        """Stop everything cleanly, brokers before controllers; the seconds that took."""
        since = time.perf_counter()
        for is_broker in (True, False):
            chosen = [node.id for node in self.nodes.values() if node.is_broker == is_broker and node.is_running]
            with ThreadPoolExecutor(len(self.nodes)) as pool:  # each gets one signal: a second ends a node at once
                list(pool.map(self.stop, chosen))
        return time.perf_counter() - since

    def keep_logs(self, folder: Path) -> None:
        """Copy what the nodes have said to where it outlives them."""
        for node in self.nodes.values():
            if node.log.exists():
                shutil.copy(node.log, folder)

    def close(self) -> None:
        """Kill what runs and remove all that was made. It may be called at any time."""
        for node_id in self.nodes:
            self.kill(node_id)
        for node in self.nodes.values():
            if self.disk_bytes:
                subprocess.run(["umount", "-l", str(node.data_dir)], capture_output=True)
        if self.network:
            self.network.close()
        remove_directory(self.root)

    def _signal(self, node_id: int, number: int) -> None:
        process = self.nodes[node_id].process
        if process is not None and process.is_running():
            os.kill(process.pid, number)

    def _settings(self, node: Node) -> dict[str, str]:
        controllers = [one for one in self.nodes.values() if one.controller_port]
        listens = [f"PLAINTEXT://{node.host}:{node.port}"] if node.port else []
        listens += [f"CONTROLLER://{node.host}:{node.controller_port}"] if node.controller_port else []
        advertised = ",".join(listens)
        if node.advertised_port != node.port:
            advertised = advertised.replace(f":{node.port}", f":{node.advertised_port}", 1)
        replicas = str(min(3, len(self.brokers)))
        at_least = str(min(2, len(self.brokers)))
        quorum = {
            "controller.quorum.voters": ",".join(f"{one.id}@{one.host}:{one.controller_port}" for one in controllers)
        }
        if self.is_dynamic:
            addresses = ",".join(f"{one.host}:{one.controller_port}" for one in controllers)
            quorum = {"controller.quorum.bootstrap.servers": addresses}
        return {
            "node.id": str(node.id),
            "process.roles": node.roles,
            "listeners": ",".join(listens),
            "advertised.listeners": advertised,
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            **quorum,
            "log.dirs": str(node.data_dir),
            "group.initial.rebalance.delay.ms": "0",
            "offsets.topic.replication.factor": replicas,
            "transaction.state.log.replication.factor": replicas,
            "transaction.state.log.min.isr": at_least,
            "share.coordinator.state.topic.replication.factor": replicas,
            "share.coordinator.state.topic.min.isr": at_least,
            **{key: value.replace("{node}", str(node.id)) for key, value in self._config.items()},
        }


class KafkaNodes(Nodes):
    """Apache Kafka."""

    kind = "kafka"

    def __init__(
        self,
        brokers: int = 3,
        controllers: int = 0,
        config: Mapping[str, str] | None = None,
        network: Network | None = None,
        disk_bytes: int = 0,
        stand_in: StandIn = itself,
        jvm_options: Sequence[str] = TEST_JVM_OPTIONS,
        *,
        is_dynamic: bool = False,
    ) -> None:
        self._jvm_options = tuple(jvm_options)
        super().__init__(brokers, controllers, config, network, disk_bytes, stand_in, is_dynamic=is_dynamic)

    @cached_property
    def _program(self) -> KafkaProgram:
        return KafkaProgram(self.root, jvm_options=self._jvm_options)

    def _format(self, node: Node, *choice: str) -> None:
        self._program.format(node.properties, self.cluster_id, *choice)

    def _command(self, node: Node) -> list[str]:
        return self._program.serve(node.properties)


class KafkacompatNodes(Nodes):
    """This project's broker, started node by node as on several hosts."""

    kind = "kafkacompat"

    def _format(self, node: Node, *choice: str) -> None:
        properties = ("--properties", str(node.properties))
        _run(sys.executable, "-m", "kafkacompat", "format", *properties, "--cluster-id", self.cluster_id, *choice)

    def _command(self, node: Node) -> list[str]:
        return [sys.executable, "-m", "kafkacompat", "serve", "--properties", str(node.properties)]


KINDS: Mapping[str, type[Nodes]] = {"kafka": KafkaNodes, "kafkacompat": KafkacompatNodes}


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=FORMAT_TIMEOUT_S)
    if done.returncode != 0:
        raise BrokerError(f"{' '.join(command[:3])} … failed\n{done.stdout}{done.stderr}")
