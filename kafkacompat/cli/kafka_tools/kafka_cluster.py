"""`kafka-cluster cluster-id`: the id of a cluster."""

from __future__ import annotations

from kafkacompat.cli.kafka_tools.arguments import ToolError, parse
from kafkacompat.cli.kafka_tools.tool_client import CONFIG, SERVERS, client_of


def run(arguments: list[str]) -> int:
    """Run the tool."""
    action, *rest = arguments or [""]
    if action != "cluster-id":
        raise ToolError(f"{action or 'no action'}: only cluster-id is supported here")
    given = parse(["--bootstrap-server" if text == "-b" else text for text in rest], (*SERVERS, CONFIG))
    with client_of(given) as client:
        print(f"Cluster ID: {client.metadata(()).cluster_id}")  # noqa: T201 (the tool's output)
    return 0
