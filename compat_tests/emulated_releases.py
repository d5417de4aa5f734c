"""The releases of Apache Kafka that `Cluster(version=...)` can stand for: what each of them says itself.

`python -m compat_tests.emulated_releases` starts each one from its Maven artifacts and writes
`kafkacompat/broker/release_table.py`.
"""

from __future__ import annotations

import socket
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from compat_tests.apache_kafka import ApacheKafka
from compat_tests.api.raw import RawClient
from compat_tests.artifacts import KAFKA_VERSION
from compat_tests.broker_process import Process, free_port
from compat_tests.releases import advertised
from kafkacompat.protocol.messages import api_versions

EMULATED = {
    "2.8": "2.8.2", "3.0": "3.0.2", "3.1": "3.1.2", "3.2": "3.2.3", "3.3": "3.3.2", "3.4": "3.4.1", "3.5": "3.5.2",
    "3.6": "3.6.2", "3.7": "3.7.2", "3.8": "3.8.1", "3.9": "3.9.2", "4.0": "4.0.0", "4.1": "4.1.0", "4.2": "4.2.0",
    "4.3": KAFKA_VERSION, "4.4": "4.4.0",
}  # fmt: skip
"""The release of each line that is asked."""
WITHOUT_STANDALONE = ("3.0", "3.1", "3.2", "3.3", "3.4", "3.5", "3.6", "3.7", "3.8")
WITH_ZOOKEEPER = ("2.8",)
TABLE = Path(__file__).parent.parent / "kafkacompat" / "broker" / "release_table.py"
ZOOKEEPER_TIMEOUT_S = 60


class OldKafka(ApacheKafka):
    """A release of Kafka 3 whose voters are configured, because it knows no `--standalone`."""

    def _format(self) -> None:
        for node_id in self._nodes:
            self._properties(node_id).write_text("".join(f"{k}={v}\n" for k, v in self._settings(node_id).items()))
            self._program.format(self._properties(node_id), self.cluster_id)

    def _settings(self, node_id: int) -> dict[str, str]:
        settings = super()._settings(node_id)
        port, controller_port = self._nodes[node_id]
        del settings["controller.quorum.bootstrap.servers"]
        settings["controller.quorum.voters"] = f"{node_id}@127.0.0.1:{controller_port}"
        settings["advertised.listeners"] = f"PLAINTEXT://127.0.0.1:{port}"
        return settings


class KafkaOfZooKeeper(ApacheKafka):
    """Kafka 2.8 with a ZooKeeper beside it."""

    def _format(self) -> None:
        self._zookeeper_port = free_port()
        self._zookeeper: Process | None = None
        for node_id in self._nodes:
            self._properties(node_id).write_text("".join(f"{k}={v}\n" for k, v in self._settings(node_id).items()))

    def _settings(self, node_id: int) -> dict[str, str]:
        names = (
            "node.id", "process.roles", "controller.listener.names", "listener.security.protocol.map",
            "controller.quorum.bootstrap.servers",
        )  # fmt: skip
        settings = {name: value for name, value in super()._settings(node_id).items() if name not in names}
        address = f"PLAINTEXT://127.0.0.1:{self._nodes[node_id][0]}"
        settings |= {"listeners": address, "advertised.listeners": address, "broker.id": str(node_id)}
        return settings | {"zookeeper.connect": f"127.0.0.1:{self._zookeeper_port}"}

    def start(self) -> None:
        """Start ZooKeeper, then the broker."""
        command = self._program.java(
            "org.apache.zookeeper.server.ZooKeeperServerMain", str(self._zookeeper_port), str(self._root / "zookeeper")
        )
        self._zookeeper = Process(command, self._root / "zookeeper.log")
        self._zookeeper.wait_until(self._zookeeper_answers, ZOOKEEPER_TIMEOUT_S, "ZooKeeper")
        super().start()

    def close(self) -> None:
        """Kill both and remove the data."""
        super().close()
        if self._zookeeper is not None:
            self._zookeeper.kill()

    def _zookeeper_answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self._zookeeper_port), 1).close()
        except OSError:
            return False
        return True


class Offer(NamedTuple):
    """What a broker offers: versions by API key, and (lowest, finalized) levels of features by name."""

    versions: dict[int, tuple[int, int]]
    features: dict[str, tuple[int, int]]


def make(line: str) -> ApacheKafka:
    """A broker of a release line, not yet started."""
    if line in WITH_ZOOKEEPER:
        return KafkaOfZooKeeper(EMULATED[line])
    return (OldKafka if line in WITHOUT_STANDALONE else ApacheKafka)(EMULATED[line])


def offer(bootstrap_servers: str) -> Offer:
    """What a broker says itself."""
    versions = {key: (each.start, each.stop - 1) for key, each in advertised(bootstrap_servers).items()}
    with RawClient(bootstrap_servers) as client:
        request = api_versions.ApiVersionsRequest(client_software_name="table", client_software_version="1")
        answer = client.call(api_versions.API_KEY, 3, request)
    lowest = {each.name: each.min_version for each in answer.supported_features}
    features = {each.name: (lowest.get(each.name, 0), each.max_version_level) for each in answer.finalized_features}
    return Offer(dict(sorted(versions.items())), dict(sorted(features.items())))


def ask(line: str) -> Offer:
    """Start a release and ask it."""
    kafka = make(line)
    try:
        kafka.start()
        return offer(kafka.bootstrap_servers)
    finally:
        kafka.close()


def source(offers: Mapping[str, Offer]) -> str:
    """The text of `release_table.py`."""
    lines = [
        '"""What releases of Apache Kafka offer. `python -m compat_tests.emulated_releases` asks them and writes this.',
        "",
        "VERSIONS: `key:lowest-highest` of each API of a broker's listener. FEATURES: lowest and finalized levels.",
        '"""',
        "",
        "VERSIONS = {",
    ]
    for line, found in offers.items():
        text = " ".join(f"{key}:{low}-{high}" for key, (low, high) in found.versions.items())
        lines.append(f'    "{line}": (')
        lines += [f'        "{part} "' for part in textwrap.wrap(text, 100)]
        lines.append("    ),")
    lines += ["}", "FEATURES: dict[str, dict[str, tuple[int, int]]] = {"]
    for line, found in offers.items():
        lines.append(f'    "{line}": {{')
        lines += [f'        "{name}": {levels},' for name, levels in found.features.items()]
        lines.append("    }," if found.features else "")
        if not found.features:
            lines[-2:] = [f'    "{line}": {{}},']
    return "\n".join([*lines, "}", ""])


def main() -> int:
    """Ask all releases and write the table."""
    offers = {}
    for line, release in EMULATED.items():
        print(f"asking Apache Kafka {release}")
        offers[line] = ask(line)
    TABLE.write_text(source(offers))
    return 0


if __name__ == "__main__":
    sys.exit(main())
