"""`container-configure FILE`: writes the settings of the node, for `/etc/confluent/docker/configure`."""

from __future__ import annotations

from kafkacompat.cli.kafka_tools.arguments import ToolError, parse


def run(arguments: list[str]) -> int:
    """Run the tool."""
    given = parse(arguments, max_rest=1)
    if not given.rest:
        raise ToolError("give the file to write")
    from kafkacompat.cli.container.start import setup

    setup(None, given.rest[0])
    return 0
