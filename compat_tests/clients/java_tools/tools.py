"""Apache Kafka's command-line tools, each run as a class of its jars; `run` and `offline` share a JVM."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from compat_tests.apache_kafka import quick_start
from compat_tests.artifacts import KAFKA_VERSION
from compat_tests.tool_jvm.tools import TOOL_TIMEOUT_S, Outcome, command, run

TOPICS = "org.apache.kafka.tools.TopicCommand"
CONFIGS = "kafka.admin.ConfigCommand"
GROUPS = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
OFFSETS = "org.apache.kafka.tools.GetOffsetShell"
CONSOLE_PRODUCER = "org.apache.kafka.tools.ConsoleProducer"
CONSOLE_CONSUMER = "org.apache.kafka.tools.consumer.ConsoleConsumer"
PRODUCER_PERFORMANCE = "org.apache.kafka.tools.ProducerPerformance"
CONSUMER_PERFORMANCE = "org.apache.kafka.tools.ConsumerPerformance"
VERIFIABLE_PRODUCER = "org.apache.kafka.tools.VerifiableProducer"
VERIFIABLE_CONSUMER = "org.apache.kafka.tools.VerifiableConsumer"
DELETE_RECORDS = "org.apache.kafka.tools.DeleteRecordsCommand"
LOG_DIRS = "org.apache.kafka.tools.LogDirsCommand"
CLUSTER = "org.apache.kafka.tools.ClusterTool"
FEATURES = "org.apache.kafka.tools.FeatureCommand"
API_VERSIONS = "org.apache.kafka.tools.BrokerApiVersionsCommand"
DUMP_LOG = "org.apache.kafka.tools.DumpLogSegments"
CLIENT_COMPATIBILITY = "org.apache.kafka.tools.ClientCompatibilityTest"
END_TO_END_LATENCY = "org.apache.kafka.tools.EndToEndLatency"
REPLICA_VERIFICATION = "org.apache.kafka.tools.ReplicaVerificationTool"
TRANSACTIONS = "org.apache.kafka.tools.TransactionsCommand"

_OLD_CLASSES = {
    CONSOLE_PRODUCER: "kafka.tools.ConsoleProducer",
    API_VERSIONS: "kafka.admin.BrokerApiVersionsCommand",
}
_OLD_OPTIONS = {
    CONSOLE_PRODUCER: {"--reader-property": "--property", "--command-property": "--producer-property"},
    CONSOLE_CONSUMER: {"--formatter-property": "--property", "--command-property": "--consumer-property"},
    PRODUCER_PERFORMANCE: {"--command-property": "--producer-props"},
    CONSUMER_PERFORMANCE: {"--num-records": "--messages"},
}
"""What 3.9 calls otherwise."""


class ToolError(RuntimeError):
    """A tool ended with a status other than 0. `output` is all it wrote."""

    def __init__(self, command: str, status: int, output: str) -> None:
        super().__init__(f"{command}: status {status}\n{output}")
        self.output = output


class Tools:
    """Runs the tools of a version against one broker. Arguments are those of the newest version."""

    def __init__(self, bootstrap_servers: str, scratch: Path, version: str = KAFKA_VERSION) -> None:
        self.bootstrap_servers = bootstrap_servers
        self.version = version
        self.scratch = scratch

    def run(self, main_class: str, *arguments: str, stdin: str = "", timeout_s: float = TOOL_TIMEOUT_S) -> str:
        """What the tool writes to stdout when given the broker's address. Raises ToolError."""
        return self.offline(
            main_class, "--bootstrap-server", self.bootstrap_servers, *arguments, stdin=stdin, timeout_s=timeout_s
        )

    def offline(self, main_class: str, *arguments: str, stdin: str = "", timeout_s: float = TOOL_TIMEOUT_S) -> str:
        """What a tool that needs no broker writes to stdout. Raises ToolError."""
        status, stdout, stderr = self.outcome(main_class, *arguments, stdin=stdin, timeout_s=timeout_s)
        if status != 0:
            raise ToolError(main_class.rpartition(".")[2], status, stdout + stderr)
        return stdout

    def outcome(self, main_class: str, *arguments: str, stdin: str = "", timeout_s: float = TOOL_TIMEOUT_S) -> Outcome:
        """What a tool does when given these arguments and no others."""
        main_class, arguments = self._of_the_version(main_class, arguments)
        return run(main_class, *arguments, stdin=stdin, version=self.version, timeout_s=timeout_s)

    def start(self, main_class: str, *arguments: str) -> subprocess.Popen[str]:
        """The tool in the background, its stdout a pipe."""
        command = self.command(main_class, "--bootstrap-server", self.bootstrap_servers, *arguments)
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def command(self, main_class: str, *arguments: str) -> list[str]:
        """What runs a tool as a process of its own."""
        main_class, arguments = self._of_the_version(main_class, arguments)
        java, *rest = command(main_class, *arguments, version=self.version)
        return [java, *quick_start(self.version), *rest]

    def _of_the_version(self, main_class: str, arguments: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        return _as_in_3(main_class, arguments) if self.version.startswith("3.") else (main_class, arguments)

    def create(self, topic: str, partitions: int = 1, **config: str) -> None:
        arguments = ["--create", "--topic", topic, "--partitions", str(partitions)]
        for name, value in config.items():
            arguments += ["--config", f"{name.replace('_', '.')}={value}"]
        self.run(TOPICS, *arguments)

    def file(self, name: str, content: str) -> str:
        """Path of a file for a tool to read."""
        path = self.scratch / name
        path.write_text(content)
        return str(path)


def _as_in_3(main_class: str, arguments: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """A tool's class and arguments as 3.9 has them."""
    options = _OLD_OPTIONS.get(main_class, {})
    found = [options.get(argument, argument) for argument in arguments]
    if main_class == PRODUCER_PERFORMANCE:  # the address is one of the producer's properties
        at = found.index("--bootstrap-server")
        address = found[at + 1]
        del found[at : at + 2]
        if "--producer-props" not in found:
            found.append("--producer-props")
        found.insert(found.index("--producer-props") + 1, f"bootstrap.servers={address}")
    return _OLD_CLASSES.get(main_class, main_class), tuple(found)


def events(output: str) -> list[dict[str, Any]]:
    """The JSON objects, one per line, that the verifiable clients write."""
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def table(output: str, first: str = "GROUP") -> list[dict[str, str]]:
    """The rows of a table below a line that names its columns. first: the first column."""
    lines = [line.split() for line in output.splitlines() if line.strip()]
    header = next(n for n, line in enumerate(lines) if line[0] == first)
    return [dict(zip(lines[header], line, strict=False)) for line in lines[header + 1 :]]
