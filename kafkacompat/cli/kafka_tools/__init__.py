"""Apache Kafka's command-line tools by their names, for scripts that call them in a container: one program with links.

`kafka-topics`, `kafka-topics.sh` and `/opt/kafka/bin/kafka-topics.sh` are the same. A tool's file has a function
`run(arguments)` that returns the exit status. What a tool cannot do is one line on standard error and status 1, in the
words of Kafka's tool where scripts look for them.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FAILED = 1

TOOLS = {
    "container-configure": "container_configure",
    "container-health": "container_health",
    "container-launch": "container_launch",
    "cub": "cub",
    "kafka-acls": "kafka_acls",
    "kafka-broker-api-versions": "broker_api_versions",
    "kafka-cluster": "kafka_cluster",
    "kafka-configs": "kafka_configs",
    "kafka-console-consumer": "console_consumer",
    "kafka-console-producer": "console_producer",
    "kafka-consumer-groups": "kafka_consumer_groups",
    "kafka-get-offsets": "get_offsets",
    "kafka-metadata-quorum": "kafka_metadata_quorum",
    "kafka-ready": "cub",
    "kafka-run-class": "run_class",
    "kafka-server-start": "server_start",
    "kafka-server-stop": "server_stop",
    "kafka-storage": "storage",
    "kafka-topics": "kafka_topics",
    "ub": "cub",
    "zookeeper-server-start": "zookeeper",
    "zookeeper-server-stop": "zookeeper",
}
"""The name of each tool, without `.sh`, and its file here."""

WITH_VERSION = frozenset((
    "kafka-acls", "kafka-broker-api-versions", "kafka-configs", "kafka-console-consumer", "kafka-console-producer",
    "kafka-consumer-groups", "kafka-get-offsets", "kafka-server-start", "kafka-topics",
))  # fmt: skip
"""Those that have the option --version, as in Apache Kafka."""
KAFKA_VERSION = "4.3.1"
"""What they print, unless the image stands for another release (KAFKACOMPAT_VERSION)."""


def main(arguments: Sequence[str]) -> None:
    """Run the tool whose name the program was called by, and end the process with its status."""
    name = os.path.basename(arguments[0]).removesuffix(".sh")  # noqa: PTH119 (pathlib costs start-up time)
    sys.exit(run(name, list(arguments[1:])))


def run(name: str, arguments: list[str]) -> int:
    """Run a tool; returns its exit status."""
    from kafkacompat.cli.kafka_tools.arguments import ToolError, UsageError
    from kafkacompat.config.values import ConfigError
    from kafkacompat.errors import KafkaCompatError

    try:
        if name not in TOOLS:
            raise ToolError(f"there is no such tool here; these are: {', '.join(sorted(TOOLS))}")
        if name in WITH_VERSION and "--version" in arguments:
            print(os.environ.get("KAFKACOMPAT_VERSION") or KAFKA_VERSION)  # noqa: T201 (for the user)
            return 0
        return _tool(TOOLS[name])(arguments)
    except UsageError as error:
        print(error, file=sys.stderr)  # noqa: T201 (for the user)
        return FAILED
    except (ToolError, ConfigError, KafkaCompatError) as error:
        print(f"{name}: {error}", file=sys.stderr)  # noqa: T201 (for the user)
        return FAILED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        print(f"{name}: {error.strerror or error}", file=sys.stderr)  # noqa: T201 (for the user)
        return FAILED
    except KeyboardInterrupt:
        return 130


def _tool(module: str) -> Callable[[list[str]], int]:
    from importlib import import_module

    tool: Callable[[list[str]], int] = import_module(f"kafkacompat.cli.kafka_tools.{module}").run
    return tool
