"""`kafka-broker-api-versions`: what each broker serves. Scripts call it to learn whether a broker answers."""

from __future__ import annotations

from kafkacompat.cli.kafka_tools.arguments import parse
from kafkacompat.cli.kafka_tools.tool_client import CONFIG, SERVERS, client_of
from kafkacompat.protocol import api_keys


def run(arguments: list[str]) -> int:
    """Run the tool."""
    with client_of(parse(arguments, (*SERVERS, CONFIG))) as client:
        versions = client.any_connection().versions
        for broker in sorted(client.metadata(()).brokers, key=lambda each: each.node_id):
            lines = [
                f"\t{_name(key)}({key}): {low if low == high else f'{low} to {high}'} [usable: {high}]"
                for key, (low, high) in sorted(versions.items())
            ]
            title = f"{broker.host}:{broker.port} (id: {broker.node_id} rack: {broker.rack or 'null'} isFenced: false)"
            print(f"{title} -> (\n" + ",\n".join(lines) + "\n)")  # noqa: T201 (the tool's output)
    return 0


def _name(key: int) -> str:
    names = {number: name for name, number in vars(api_keys).items() if name.isupper() and isinstance(number, int)}
    return names.get(key, "UNKNOWN").title().replace("_", "")
