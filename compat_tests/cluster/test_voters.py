"""Kafka's kafka-metadata-quorum.sh adds and removes controllers of this project's quorum (KIP-853)."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from compat_tests.broker_process import free_port
from compat_tests.clients.java_tools.tools import ToolError, Tools
from compat_tests.cluster.test_tools import METADATA_QUORUM

START_S = 120.0
pytestmark = pytest.mark.api("AddRaftVoter", "RemoveRaftVoter")


class Place:
    """A node of two, the first of which votes alone at first."""

    def __init__(self, root: Path, node_id: int, ports: dict[int, int], controllers: dict[int, int]) -> None:
        self.id = node_id
        self.data_dir = root / f"data-{node_id}"
        self.properties = root / f"server-{node_id}.properties"
        listeners = f"PLAINTEXT://127.0.0.1:{ports[node_id]},CONTROLLER://127.0.0.1:{controllers[node_id]}"
        settings = {
            "node.id": node_id,
            "process.roles": "broker,controller",
            "listeners": listeners,
            "advertised.listeners": listeners,
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "controller.quorum.bootstrap.servers": ",".join(f"127.0.0.1:{port}" for port in controllers.values()),
            "log.dirs": self.data_dir,
        }
        self.properties.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
        self.process: subprocess.Popen[str] | None = None

    def format(self, cluster_id: str, choice: str) -> None:
        command = ["format", "--properties", str(self.properties), "--cluster-id", cluster_id, choice]
        subprocess.run([sys.executable, "-m", "kafkacompat", *command], check=True, timeout=START_S)

    def start(self) -> None:
        command = [sys.executable, "-m", "kafkacompat", "serve", "--properties", str(self.properties)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert "ready" in line, line

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.communicate(timeout=START_S)
            self.process = None

    @property
    def directory_id(self) -> str:
        found = re.search(r"directory\.id=(\S+)", (self.data_dir / "meta.properties").read_text())
        assert found is not None
        return found[1]


@pytest.fixture
def places(tmp_path: Path) -> Iterator[list[Place]]:
    ports, controllers = ({node_id: free_port() for node_id in (1, 2)} for _ in range(2))
    found = [Place(tmp_path, node_id, ports, controllers) for node_id in (1, 2)]
    found[0].format("dm90ZXJzLW9mLWEtcXVvcg", "--standalone")
    found[1].format("dm90ZXJzLW9mLWEtcXVvcg", "--no-initial-controllers")
    try:
        for place in found:
            place.start()
        yield found
    finally:
        for place in found:
            place.stop()


def test_a_controller_is_added_and_another_removed(places: list[Place], tmp_path: Path) -> None:
    ports = re.findall(r"PLAINTEXT://(\S+?),", "".join(place.properties.read_text() for place in places))
    tools = Tools(ports[0], tmp_path)
    first, second = places

    def ask(*arguments: str) -> str:
        """Run it until it succeeds: the new one may have to catch up, the old leader may have gone."""
        deadline = time.monotonic() + START_S
        while True:
            try:
                return tools.run(METADATA_QUORUM, *arguments)
            except ToolError as error:
                if time.monotonic() > deadline or re.search("DuplicateVoter|VoterNotFound", error.output):
                    raise

    added = ask("--command-config", str(second.properties), "add-controller")
    assert "Added controller 2 with directory id " + second.directory_id in added
    status = ask("describe", "--status")
    assert re.search(r'CurrentVoters:.*"id": 1.*"id": 2', status), status
    try:
        removed = ask("remove-controller", "--controller-id", "1", "--controller-directory-id", first.directory_id)
    except ToolError as error:  # the leader went with its answer, and the next one was asked again
        removed = re.sub(".*VoterNotFound.*", "Removed KRaft controller 1", error.output)
    assert re.search(r"Removed +KRaft controller 1", removed), removed
    status = ask("describe", "--status")
    assert re.search(r"LeaderId:\s+2\n", status), status
    assert not re.search(r'CurrentVoters:.*"id": 1', status), status
    with pytest.raises(ToolError, match=r"VoterNotFound|only voter"):
        tools.run(
            METADATA_QUORUM, "remove-controller", "--controller-id", "2",
            "--controller-directory-id", second.directory_id,
        )  # fmt: skip
