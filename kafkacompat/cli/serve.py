"""`kafkacompat serve`: one broker in the foreground."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys

from kafkacompat import __version__
from kafkacompat.cli.state_file import StateFile
from kafkacompat.config import ConfigError
from kafkacompat.config.properties import read_flags, read_properties
from kafkacompat.errors import KafkaCompatError, StartupError
from kafkacompat.server.endpoints import plan
from kafkacompat.server.loops import new_event_loop
from kafkacompat.server.runtime import BrokerServer
from kafkacompat.server.settings import broker_config, data_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

log = logging.getLogger("kafkacompat")

_WAKE_UP_S = 0.5 if os.name == "nt" else None
"""Windows does not wake a waiting loop for a signal."""


class ServeOptions:
    """What the flags said; None where one was not given."""

    def __init__(
        self,
        *,
        host: str | None = None,
        port: int | None = None,
        advertised_host: str | None = None,
        data_dir: str | None = None,
        partitions: int | None = None,
        auto_create_topics: bool | None = None,
        state_file: str | None = None,
        log_level: str = "info",
        configs: tuple[str, ...] = (),
        properties: str | None = None,
    ) -> None:
        self.host = host
        self.port = port
        self.advertised_host = advertised_host
        self.data_dir = data_dir
        self.partitions = partitions
        self.auto_create_topics = auto_create_topics
        self.state_file = state_file
        self.log_level = log_level
        self.configs = configs
        self.properties = properties

    def settings(self) -> dict[str, str]:
        """--config and the flags that are settings of Kafka's, by name. Raises ConfigError."""
        settings = read_flags(self.configs)
        if self.partitions is not None:
            settings["num.partitions"] = str(self.partitions)
        if self.auto_create_topics is not None:
            settings["auto.create.topics.enable"] = str(self.auto_create_topics).lower()
        return settings


def run(options: ServeOptions) -> int:
    """Serve until a signal comes; the exit status: 0 after a clean stop, 1 after one line that says what is wrong."""
    logging.basicConfig(
        stream=sys.stderr, level=options.log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    try:
        server, state_file = _prepare(options)
        loop = new_event_loop()
        try:
            loop.run_until_complete(_serve(server, state_file, loop))
        finally:
            loop.close()
    except (KafkaCompatError, ConfigError) as error:
        print(f"kafkacompat: {error}", file=sys.stderr)  # noqa: T201 (for the user, whatever the log level)
        return 1
    return 0


def _prepare(options: ServeOptions) -> tuple[BrokerServer, StateFile | None]:
    config, warnings = broker_config(options.settings(), _read_file(options.properties))
    for warning in warnings:
        log.warning("%s", warning)
    bindings = plan(config, host=options.host, port=options.port, advertised_host=options.advertised_host)
    server = BrokerServer(config, bindings, data_dir(config, options.data_dir))
    return server, StateFile(options.state_file) if options.state_file else None


def _read_file(path: str | None) -> dict[str, str]:
    if path is None:
        return {}
    try:
        with open(path, encoding="latin-1") as file:  # noqa: PTH123 (pathlib costs start-up time)
            return read_properties(file.read())
    except OSError as error:
        raise StartupError(f"--properties {path}: {error.strerror}") from None


async def _serve(server: BrokerServer, state_file: StateFile | None, loop: asyncio.AbstractEventLoop) -> None:
    signals = _Signals(server, state_file, loop)
    await server.start()
    try:
        if state_file is not None:
            state_file.write(server)
        where = f"(cluster {server.broker.cluster_id}, data in {server.data_dir})"
        _say(f"kafkacompat {__version__} ready on {server.bootstrap_servers} {where}")
        gc.freeze()  # what is there now stays: collections need not look at it
        await signals.wait()
        log.info("stopping")
    finally:
        if state_file is not None:
            state_file.remove()
        await server.stop()


def _say(line: str) -> None:
    try:
        print(line, flush=True)  # noqa: T201 (the one line on stdout)
    except OSError:  # whoever started us does not listen
        log.info("%s", line)


class _Signals:
    """The first signal asks for a clean stop; the second ends the process, removing what would be left lying about."""

    def __init__(self, server: BrokerServer, state_file: StateFile | None, loop: asyncio.AbstractEventLoop) -> None:
        self._server = server
        self._state_file = state_file
        self._loop = loop
        self._stop = asyncio.Event()
        self._seen = False
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # nohup
                signal.signal(number, self._on_signal)

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
