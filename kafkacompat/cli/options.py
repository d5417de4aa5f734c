"""The flags of `kafkacompat serve`."""

from __future__ import annotations

import os

from kafkacompat.config.properties import read_flags, read_properties
from kafkacompat.errors import StartupError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kafkacompat.cli.ready_node import ReadyNode
    from kafkacompat.server.peer_addresses import AddressesByPeer

HOST_ADDRESS = "KAFKACOMPAT_HOST_ADDRESS"  # as in server/peer_addresses.py, which is rarely needed


class ServeOptions:
    """The flags, None if not given. Their meaning is in the help of `commands.serve`."""

    def __init__(
        self,
        *,
        host: str | None = None,
        port: int | None = None,
        advertised_host: str | None = None,
        data_dir: str | None = None,
        cluster_id: str | None = None,
        brokers: int | None = None,
        controllers: int | None = None,
        racks: Sequence[str] = (),
        partitions: int | None = None,
        auto_create_topics: bool | None = None,
        state_file: str | None = None,
        log_level: str = "info",
        configs: Sequence[str] = (),
        properties: str | None = None,
        from_env: bool = False,
        stop_timeout_s: float | None = None,
        never_sync: bool = False,
        stop_with_stdin: bool = False,
        addresses_by_peer: bool = False,
        restored: bool = False,
        control: str | None = None,
        no_control: bool = False,
        allow_faults: bool = False,
        log_format: str = "text",
        seed: str | None = None,
        control_anywhere: bool = False,
        read_only: bool = False,
    ) -> None:
        self.host = host
        self.port = port
        self.advertised_host = advertised_host
        self.data_dir = data_dir
        self.cluster_id = os.environ.get("CLUSTER_ID") if from_env and cluster_id is None else cluster_id
        self.brokers = brokers
        self.controllers = controllers
        self.racks = racks
        self.partitions = partitions
        self.auto_create_topics = auto_create_topics
        self.state_file = state_file
        self.log_level = log_level
        self.configs = configs
        self.properties = properties
        self.from_env = from_env
        self.stop_timeout_s = stop_timeout_s
        self.never_sync = never_sync
        self.stop_with_stdin = stop_with_stdin
        self._is_told = addresses_by_peer
        self.restored = restored
        self.control = control
        self.no_control = no_control
        self.allow_faults = allow_faults
        self.log_format = log_format
        self.seed = seed
        self.control_anywhere = from_env or control_anywhere
        self.read_only = read_only
        self.on_ready: Callable[[ReadyNode], None] | None = None
        """Called on a thread when clients can be served, before the ready line. KafkaCompatError ends the start."""

    def settings(self) -> dict[str, str]:
        """The settings from --config and from flags that stand for Kafka's settings, by name. Raises ConfigError."""
        settings = read_flags(self.configs)
        if self.partitions is not None:
            settings["num.partitions"] = str(self.partitions)
        if self.auto_create_topics is not None:
            settings["auto.create.topics.enable"] = str(self.auto_create_topics).lower()
        if self.read_only:
            from kafkacompat.server.read_only import SETTINGS

            settings |= SETTINGS
        return settings

    def file_settings(self) -> dict[str, str]:
        """The settings in the --properties file, and those of the environment with --from-env. Raises StartupError,
        ConfigError.
        """
        settings = {} if self.properties is None else read_properties_file(self.properties)
        if self.from_env:
            from kafkacompat.config.environment import read_environment

            settings |= read_environment(os.environ)
        return settings

    def tells_by_peer(self, settings: Mapping[str, str]) -> bool:
        """Whether clients are told addresses by where they come from: in a container, if none are configured.

        settings: those of the file, the environment and the flags.
        """
        if self._is_told:
            return True
        is_wanted = self.from_env or HOST_ADDRESS in os.environ
        return is_wanted and self.advertised_host is None and "advertised.listeners" not in settings

    def addresses(self, settings: Mapping[str, str]) -> AddressesByPeer | None:
        """Chooses the addresses that clients are told; None: the advertised ones. Raises StartupError."""
        if not self.tells_by_peer(settings):
            return None
        from kafkacompat.server.peer_addresses import DEFAULT_ADDRESS, AddressesByPeer

        return AddressesByPeer(os.environ.get(HOST_ADDRESS) or DEFAULT_ADDRESS)

    def is_for_a_cluster(self) -> bool:
        """Whether to run several processes: because of the flags, or because the directory holds such a cluster."""
        if self.controllers or (self.brokers or 1) > 1:
            return True
        if self.data_dir is None:
            return False
        from kafkacompat.cluster.layout import is_cluster

        return is_cluster(self.data_dir)


def read_properties_file(path: str) -> dict[str, str]:
    """The settings in a server.properties file. Raises StartupError with one line."""
    try:
        with open(path, encoding="latin-1") as file:  # noqa: PTH123 (pathlib costs start-up time)
            return read_properties(file.read())
    except OSError as error:
        raise StartupError(f"--properties {path}: {error.strerror}; choose a readable file") from None
    except ValueError as error:
        raise StartupError(f"--properties {path}: {error}") from None
