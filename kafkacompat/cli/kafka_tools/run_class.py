"""`kafka-run-class kafka.docker.KafkaDockerWrapper setup ...`: writes server.properties as the image's launch does."""

from __future__ import annotations

import os
import sys

from kafkacompat.cli.kafka_tools.arguments import ToolError, parse

WRAPPER = "kafka.docker.KafkaDockerWrapper"
DEFAULTS, MOUNTED, FINAL = "--default-configs-dir", "--mounted-configs-dir", "--final-configs-dir"
SHORT = {"-D": DEFAULTS, "-M": MOUNTED, "-F": FINAL}


def run(arguments: list[str]) -> int:
    """Run the tool."""
    name, *rest = arguments or [""]
    if name == "kafka.Kafka":
        from kafkacompat.cli.kafka_tools import server_start

        return server_start.run(rest)
    if name != WRAPPER or rest[:1] != ["setup"]:
        raise ToolError(f"there is no Java here, and {name or 'nothing'} is not known: only {WRAPPER} setup is")
    from kafkacompat.cli.container.settings import DEFAULT_CLUSTER_ID
    from kafkacompat.cli.container.start import setup

    given = parse([SHORT.get(argument, argument) for argument in rest[1:]], (DEFAULTS, MOUNTED, FINAL))
    path = f"{given.require(FINAL)}/server.properties"
    setup(f"{given.require(MOUNTED)}/server.properties", path)
    from kafkacompat.cli.kafka_tools import storage

    cluster_id = os.environ.get("CLUSTER_ID") or DEFAULT_CLUSTER_ID
    status = storage.run(["format", "--cluster-id", cluster_id, "-c", path, "--ignore-formatted"])
    sys.stdout.flush()
    return status
