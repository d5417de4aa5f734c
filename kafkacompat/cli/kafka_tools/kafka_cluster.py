"""`kafka-cluster cluster-id` and `list-endpoints`: the id of a cluster, and its brokers."""

from __future__ import annotations

from kafkacompat.cli.kafka_tools.arguments import UsageError, parse
from kafkacompat.cli.kafka_tools.client_config import file_of, settings_of
from kafkacompat.cli.kafka_tools.tool_client import CONFIG, SERVERS, client_of

SHORT = {"-b": "--bootstrap-server", "-c": "--config"}
ACTIONS = ("cluster-id", "list-endpoints")


def run(arguments: list[str]) -> int:
    """Run the tool."""
    action, *rest = arguments or [""]
    if not action:
        raise UsageError("kafka-cluster: error: too few arguments")
    if action not in ACTIONS:
        raise UsageError(f"kafka-cluster: error: invalid choice: '{action}' (supported here: {', '.join(ACTIONS)})")
    given = parse([SHORT.get(text, text) for text in rest], (*SERVERS, CONFIG, "--config"))
    with client_of(given, settings_of(file_of(given, "--config"))) as client:
        found = client.metadata(())
        if action == "cluster-id":
            _say(f"Cluster ID: {found.cluster_id}")
            return 0
        rows = [
            (str(each.node_id), each.host, str(each.port), each.rack or "null", "unfenced", "broker")
            for each in sorted(found.brokers, key=lambda each: each.node_id)
        ]
        host = max(len(row[1]) for row in rows)
        for row in (("ID", "HOST", "PORT", "RACK", "STATE", "ENDPOINT_TYPE"), *rows):
            _say(f"{row[0]:10} {row[1]:{host}} {row[2]:10} {row[3]:10} {row[4]:10} {row[5]:15}")
    return 0


def _say(line: str) -> None:
    print(line)  # noqa: T201 (the tool's output)
