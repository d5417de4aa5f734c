"""What a user holds in Python: a broker inside this process, ready when the call returns, gone without a trace."""

from __future__ import annotations

import atexit

from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping
    from types import TracebackType
    from typing import Any

    from kafkacompat.config import BrokerConfig
    from kafkacompat.server.runtime import BrokerServer
    from kafkacompat.server.thread import LoopThread

BROKER_DEFAULT = -1
_CLIENT_KEYS = {
    "aiokafka": "bootstrap_servers",
    "confluent": "bootstrap.servers",
    "java": "bootstrap.servers",
    "kafka-python": "bootstrap_servers",
    "spark": "kafka.bootstrap.servers",
}


class Cluster:
    """A Kafka cluster of one broker, on a thread and a loop of its own.

        with Cluster(topics={"orders": 3}) as kafka:
            producer = confluent_kafka.Producer({"bootstrap.servers": kafka.bootstrap_servers})

    Also `async with`, `start()` and `stop()`, and as a decorator, which gives the function a fresh cluster as its
    keyword argument `kafka` in each call. It can be started again after it was stopped.

    topics: names with their number of partitions, or names alone, which get the broker's default.
    config: Kafka's broker settings; True and False are written as Kafka does.
    data_dir: where the data stays; None keeps it in a temporary directory while the cluster runs.
    port: 0 picks a free one, anew at each start.

    Raises KafkaCompatError or one of its subclasses, with one line that says what to do, when it cannot start.
    """

    def __init__(
        self,
        *,
        topics: Mapping[str, int] | Iterable[str] = (),
        config: Mapping[str, object] | None = None,
        data_dir: str | os.PathLike[str] | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        brokers: int = 1,
    ) -> None:
        if brokers != 1:
            raise KafkaCompatError(f"brokers={brokers}: a cluster of several brokers does not work yet, use brokers=1")
        self._topics = _topics(topics)
        self._config = {name: _text(value) for name, value in (config or {}).items()}
        self._data_dir = None if data_dir is None else str(data_dir)
        self._host = host
        self._port = port
        self._thread: LoopThread | None = None
        self._server: BrokerServer | None = None

    # What clients need

    @property
    def bootstrap_servers(self) -> str:
        """host:port for any client's setting of that name."""
        return self._running().bootstrap_servers

    @property
    def cluster_id(self) -> str:
        """Kafka's id of the cluster; it stays with the data directory."""
        return self._running().broker.cluster_id

    @property
    def data_dir(self) -> str:
        """Where the data is."""
        return self._running().data_dir

    def config_for(self, client: str) -> dict[str, str]:
        """The settings that connect a client: "confluent", "kafka-python", "aiokafka", "java" or "spark" (options)."""
        if client not in _CLIENT_KEYS:
            raise KafkaCompatError(f"unknown client {client!r}: use one of {', '.join(sorted(_CLIENT_KEYS))}")
        return {_CLIENT_KEYS[client]: self.bootstrap_servers}

    # Start and stop

    def start(self) -> Cluster:
        """Start, and return when clients can work."""
        thread = self._thread_for_start()
        try:
            thread.submit(self._start(self._port, self._data_dir)).result()
        except BaseException:
            self._end_thread()
            raise
        return self

    def stop(self) -> None:
        """Stop cleanly and leave nothing behind; a second call does nothing."""
        if self._thread is not None:
            try:
                self._thread.submit(self._stop()).result()
            finally:
                self._end_thread()

    def restart(self, *, clean: bool = True) -> None:
        """Stop and start again, with the same data at the same port. `clean=False` stops as a crash would."""
        self._running()
        assert self._thread is not None
        self._thread.submit(self._restart(clean=clean)).result()

    def __enter__(self) -> Cluster:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    async def __aenter__(self) -> Cluster:
        import asyncio

        thread = self._thread_for_start()
        try:
            await asyncio.wrap_future(thread.submit(self._start(self._port, self._data_dir)))
        except BaseException:
            self._end_thread()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        import asyncio

        if self._thread is not None:
            try:
                await asyncio.wrap_future(self._thread.submit(self._stop()))
            finally:
                self._end_thread()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        import inspect
        from functools import wraps

        signature = inspect.signature(function)
        if inspect.iscoroutinefunction(function):

            @wraps(function)
            async def run(*args: Any, **kwargs: Any) -> Any:
                async with self._another() as kafka:
                    return await function(*args, kafka=kafka, **kwargs)
        else:

            @wraps(function)
            def run(*args: Any, **kwargs: Any) -> Any:
                with self._another() as kafka:
                    return function(*args, kafka=kafka, **kwargs)

        # Without the argument that we give: a test runner would look for a fixture of that name.
        others = [parameter for name, parameter in signature.parameters.items() if name != "kafka"]
        run.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return run

    def __repr__(self) -> str:
        state = self._server.bootstrap_servers if self._server else "stopped"
        return f"<Cluster {state}>"

    # On the thread

    async def _start(self, port: int, data_dir: str | None, *, is_temporary: bool = False) -> None:
        from kafkacompat.server.endpoints import plan
        from kafkacompat.server.runtime import BrokerServer
        from kafkacompat.server.topics import create_topics

        settings = self._settings()
        bindings = plan(settings, host=self._host, port=port)
        server = BrokerServer(settings, bindings, data_dir, is_temporary=is_temporary)
        await server.start()
        try:
            if self._topics:
                await create_topics(server, self._topics)
        except BaseException:
            await server.stop()
            raise
        self._server = server

    async def _stop(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            await server.stop()

    async def _restart(self, *, clean: bool) -> None:
        server, self._server = self._server, None
        assert server is not None
        await server.stop(clean=clean, keep_data=True)
        await self._start(server.endpoints[0].port, server.data_dir, is_temporary=server.is_temporary)

    # Small parts

    def _thread_for_start(self) -> LoopThread:
        from kafkacompat.server.thread import LoopThread

        if self._thread is not None:
            raise KafkaCompatError("this cluster runs already: stop it before it is started again")
        self._thread = LoopThread()
        atexit.register(self.stop)  # a program that forgets leaves no directory behind
        return self._thread

    def _end_thread(self) -> None:
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.stop()
        atexit.unregister(self.stop)

    def _running(self) -> BrokerServer:
        if self._server is None:
            raise KafkaCompatError("this cluster does not run: use it in a with block, or call start()")
        return self._server

    def _settings(self) -> BrokerConfig:
        from kafkacompat.server.settings import broker_config

        config, warnings = broker_config(self._config)
        if warnings:
            import logging

            for warning in warnings:
                logging.getLogger(__name__).warning("%s", warning)
        return config

    def _another(self) -> Cluster:
        return Cluster(
            topics=self._topics, config=self._config, data_dir=self._data_dir, host=self._host, port=self._port
        )


def _topics(topics: Mapping[str, int] | Iterable[str]) -> dict[str, int]:
    if isinstance(topics, str):
        raise KafkaCompatError(f"topics={topics!r}: give a list of names or a dict of names and partitions")
    if hasattr(topics, "items"):
        return dict(topics.items())
    return dict.fromkeys(topics, BROKER_DEFAULT)


def _text(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
