"""`LocalKafka`: the methods of KafkaContainer of testcontainers-python, with a broker in this process and no engine."""

from __future__ import annotations

import os

from kafkacompat.cluster import Cluster
from kafkacompat.config.environment import PREFIX, read_environment
from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, NoReturn

NO_CONTAINER = "there is no container"
UNAVAILABLE = {
    "copy_from_container": f"{NO_CONTAINER}: the broker's files are in `cluster.data_dir`",
    "copy_into_container": f"{NO_CONTAINER}: the broker reads no files but its data; give settings with with_env()",
    "create_file": f"{NO_CONTAINER} to write a file into; give settings with with_env()",
    "exec": f"{NO_CONTAINER} to run a command in: use a client, or the verbs of `cluster`",
    "get_container_id": f"{NO_CONTAINER} that could have an id",
    "get_docker_client": "there is no engine",
    "get_wrapped_container": f"{NO_CONTAINER} behind it: `cluster` is the broker",
    "with_command": f"{NO_CONTAINER} whose command could be replaced; give settings with with_env()",
    "with_copy_into_container": f"{NO_CONTAINER} to copy into; give settings with with_env()",
    "with_network": f"{NO_CONTAINER} to put into a network: other containers do not reach this process",
    "with_network_aliases": f"{NO_CONTAINER} to put into a network: other containers do not reach this process",
    "with_tmpfs_mount": f"{NO_CONTAINER} to mount into; the data lies in TMPDIR",
    "with_volume_mapping": f"{NO_CONTAINER} to mount into; Cluster(data_dir=...) keeps data",
}
"""Methods of testcontainers' class that make no sense without a container, and why."""
OF_CONTAINERS = frozenset(
    (
        "advertised.listeners", "broker.id", "control.plane.listener.name", "controller.listener.names",
        "controller.quorum.bootstrap.servers", "controller.quorum.voters", "inter.broker.listener.name",
        "listener.security.protocol.map", "listeners", "log.dir", "log.dirs", "node.id", "process.roles",
        "zookeeper.connect",
    )
)  # fmt: skip
"""Settings that say how the node of a container is reached and where its files are. They are left out here."""
DEFAULT_PORT = 9093
STARTED = """\
[KafkaRaftServer nodeId=1] Kafka Server started (kafka.server.KafkaRaftServer)
[KafkaServer id=1] started (kafka.server.KafkaServer)
"""
"""The lines that programs wait for in the output of a container."""


VERSION = "KAFKACOMPAT_VERSION"
"""The variable of the container with the release that it stands for."""


def version_of(image: str) -> str | None:
    """The release that a tag names, such as 7.6.1 of "confluentinc/cp-kafka:7.6.1"; None for `latest` and others."""
    from kafkacompat.config.releases import release_of

    _name, colon, tag = image.partition("@")[0].rpartition(":")
    if not colon or "/" in tag:
        return None
    version = tag.removeprefix("v").partition("-")[0]
    try:
        release_of(version)
    except ValueError:
        return None
    return version


class NoContainerError(KafkaCompatError, AttributeError):
    """A method of a container that a broker in this process cannot have."""


class LocalKafka:
    """A broker in this process, with the methods of `testcontainers.kafka.KafkaContainer`.

        from kafkacompat.testing import KafkaContainer  # instead of testcontainers.kafka

        with KafkaContainer() as kafka:
            producer = Producer({"bootstrap.servers": kafka.get_bootstrap_server()})

    The tag of `image` says for which release the broker stands: "confluentinc/cp-kafka:7.6.1" is Apache Kafka 3.6. So
    does the variable KAFKACOMPAT_VERSION. wait_strategy_check_string and keyword arguments for engines have no effect.
    `cluster` is the broker with all that a container has not. Raises KafkaCompatError for what needs a container.
    """

    TC_START_SCRIPT = "/tc-start.sh"
    MIN_KRAFT_TAG = "7.0.0"

    def __init__(
        self,
        image: str = "kafkacompat",
        port: int = DEFAULT_PORT,
        wait_strategy_check_string: str = "",  # noqa: ARG002 (it is ready when it has started)
        listener_name: str = "PLAINTEXT",
        security_protocol: str = "PLAINTEXT",
        *,
        env: dict[str, str] | None = None,
        **_of_engines: Any,
    ) -> None:
        if security_protocol != "PLAINTEXT":
            raise KafkaCompatError(f"security_protocol={security_protocol!r}: only PLAINTEXT works here")
        self.image = image
        self.port = port
        self.listener_name = listener_name
        self.security_protocol = security_protocol
        self.env = dict(env or {})
        self.kraft_enabled = True
        self.cluster_id: str | None = None
        self._local_port = 0
        self._cluster: Cluster | None = None

    @property
    def cluster(self) -> Cluster:
        """The broker, while it runs. Raises KafkaCompatError before its start."""
        if self._cluster is None:
            raise KafkaCompatError("this broker is not running: use it in a with block, or call start()")
        return self._cluster

    # Settings

    def with_env(self, key: str, value: str) -> LocalKafka:
        """Set a variable of the container: KAFKA_NUM_PARTITIONS is the broker's setting num.partitions."""
        self.env[key] = str(value)
        return self

    def with_envs(self, **variables: str) -> LocalKafka:
        """Set several variables."""
        for key, value in variables.items():
            self.with_env(key, value)
        return self

    def with_env_file(self, env_file: str | os.PathLike[str]) -> LocalKafka:
        """Set the variables of a file of lines KEY=VALUE. Raises OSError if it cannot be read."""
        with open(env_file, encoding="utf-8") as file:  # noqa: PTH123 (pathlib costs start-up time)
            for line in map(str.strip, file):
                key, is_variable, value = line.removeprefix("export ").partition("=")
                if is_variable and not line.startswith("#"):
                    self.with_env(key.strip(), value.strip().strip("\"'"))
        return self

    def with_kraft(self) -> LocalKafka:
        """No effect: there is no other mode."""
        return self

    def with_cluster_id(self, cluster_id: str) -> LocalKafka:
        """Set the id of the cluster."""
        self.cluster_id = cluster_id
        return self

    def with_bind_ports(self, container: str | int, host: str | int | None = None) -> LocalKafka:
        """Listen at port `host` of this computer, if `container` is the port of Kafka."""
        if int(str(container).partition("/")[0]) == self.port and host is not None:
            self._local_port = int(host)
        return self

    def with_exposed_ports(self, *ports: str | int) -> LocalKafka:  # noqa: ARG002 (as in testcontainers)
        """No effect: Kafka's port is reachable, and there is no other."""
        return self

    def with_name(self, name: str) -> LocalKafka:  # noqa: ARG002 (as in testcontainers)
        """No effect: only containers have names."""
        return self

    def with_kwargs(self, **kwargs: Any) -> LocalKafka:  # noqa: ARG002 (as in testcontainers)
        """No effect: there is no engine to pass them to."""
        return self

    def maybe_emulate_amd64(self) -> LocalKafka:
        """No effect: Python runs on every architecture."""
        return self

    def waiting_for(self, strategy: object) -> LocalKafka:  # noqa: ARG002 (as in testcontainers)
        """No effect: when `start` returns, clients are served."""
        return self

    def configure(self) -> None:
        """No effect: `start` reads the settings."""

    def tc_start(self) -> None:
        """No effect: `start` starts the broker."""

    # Start and stop

    def start(self, timeout: int = 30) -> LocalKafka:  # noqa: ARG002 (as in testcontainers)
        """Start, if it is not running; when this returns, clients are served.

        Raises KafkaCompatError with one line that says what to do.
        """
        if self._cluster is not None:
            return self  # `with KafkaContainer() as kafka: kafka.start()` is often seen
        variables = {key: value for key, value in self.env.items() if key.startswith(PREFIX)}
        settings = {name: value for name, value in read_environment(variables).items() if name not in OF_CONTAINERS}
        cluster_id = self.cluster_id or self.env.get("CLUSTER_ID")
        version = self.env.get(VERSION) or version_of(self.image)
        self._cluster = Cluster(config=settings, port=self._local_port, cluster_id=cluster_id, version=version).start()
        return self

    def stop(self, force: bool = True, delete_volume: bool = True) -> None:  # noqa: ARG002 (as there)
        """Stop, and remove the data; a second call does nothing."""
        cluster, self._cluster = self._cluster, None
        if cluster is not None:
            cluster.stop()

    def __enter__(self) -> LocalKafka:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    # How it is reached, and how it is

    def get_bootstrap_server(self) -> str:
        """host:port for clients."""
        return self.cluster.bootstrap_servers

    def get_container_host_ip(self) -> str:
        """The host of `get_bootstrap_server`."""
        return self.get_bootstrap_server().rpartition(":")[0]

    def get_exposed_port(self, port: int) -> int:
        """The port of `get_bootstrap_server`, for the port of Kafka in a container."""
        if int(port) != self.port:
            raise KafkaCompatError(f"port {port} is not open: only Kafka's, which is {self.port}")
        return int(self.get_bootstrap_server().rpartition(":")[2])

    @property
    def status(self) -> str:
        """ "running" or "exited"."""
        return "exited" if self._cluster is None else "running"

    def get_logs(self) -> tuple[bytes, bytes]:
        """The lines of a start that programs wait for, and no others: log lines go to Python's logger `kafkacompat`."""
        return (b"" if self._cluster is None else STARTED.encode(), b"")

    def get_container_info(self) -> None:
        """None: there is no container."""

    def reload(self) -> None:
        """No effect: `status` is always current."""

    def wait(self) -> int:
        """0 if it is stopped. Raises KafkaCompatError while it runs, because only this process could stop it."""
        if self._cluster is not None:
            raise KafkaCompatError("it runs in this process, which would wait forever: call stop()")
        return 0

    def __getattr__(self, name: str) -> NoReturn:
        if name in UNAVAILABLE:
            raise NoContainerError(f"{name}: {UNAVAILABLE[name]}")
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
