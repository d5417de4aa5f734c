"""Producers of stock clients with their defaults, each sending a record every 20 ms while a node goes away."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from kafka import KafkaProducer
from kafka.errors import KafkaTimeoutError

from benchmarks.watchers import EVERY_S, ProducerWatcher, Watcher
from compat_tests import clients
from compat_tests.clients.java.using import java_client
from compat_tests.clients.program import GO, Program, build

JAVA_VERSION = "4.3.1"
STOCK_CLIENTS = ("franz-go", "librdkafka", "Java", "Sarama", "kafka-python")
_FOLDER = Path(clients.__file__).parent


class ProgramWatcher(Watcher):
    """A client in another language, which says of each record what became of it."""

    def __init__(self, name: str, program: Program, servers: str, topic: str) -> None:
        super().__init__()
        self.name = name
        every_ms = round(EVERY_S * 1000)
        self._running = program.start("steady", bootstrap_servers=servers, topic=topic, every_ms=every_ms)

    def run(self) -> None:
        while not self._over.is_set():
            answer = self._running.take(EVERY_S)
            if answer is None:
                continue
            if "error" in answer:
                self.errors[answer["error"]] += 1
            else:
                self.worked()
        self._running.kill()


class KafkaPythonWatcher(Watcher):
    name = "kafka-python"

    def __init__(self, servers: str, topic: str) -> None:
        super().__init__()
        self._producer = KafkaProducer(bootstrap_servers=servers.split(","))
        self._topic = topic

    def attempt(self) -> None:
        sent = self._producer.send(self._topic, b"x" * 100)
        sent.add_callback(lambda _: self.worked())
        sent.add_errback(self.failed)

    def close(self) -> None:
        with suppress(KafkaTimeoutError):
            self._producer.close(timeout=0)


class LibrdkafkaWatcher(ProducerWatcher):
    name = "librdkafka"


class StockClients:
    """The programs, built once. Java's runs on from kill to kill, so that its JVM is warm."""

    def __init__(self) -> None:
        go_build = [["go", "build", "-o", "client", "."]]
        self._franz_go = Program([build("franz-go", _FOLDER / "franz_go" / "program", [GO], go_build) / "client"])
        self._sarama = Program([build("sarama", _FOLDER / "sarama" / "program", [GO], go_build) / "client"])
        self._java = java_client(JAVA_VERSION)

    def watchers(self, servers: str, topics: list[str]) -> list[Watcher]:
        """One of each, for a topic of its own."""
        franz_go, librdkafka, java, sarama, kafka_python = topics
        return [
            ProgramWatcher("franz-go", self._franz_go, servers, franz_go),
            LibrdkafkaWatcher(servers, librdkafka),
            ProgramWatcher("Java", self._java, servers, java),
            ProgramWatcher("Sarama", self._sarama, servers, sarama),
            KafkaPythonWatcher(servers, kafka_python),
        ]

    def close(self) -> None:
        self._java.close()
