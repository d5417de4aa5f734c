"""`container-launch`: the end of `/etc/kafka/docker/launch`. One process writes the settings and serves."""

from __future__ import annotations

from kafkacompat.cli.kafka_tools.arguments import parse


def run(arguments: list[str]) -> int:
    """Run the tool."""
    parse(arguments)
    from kafkacompat.cli.container.start import run_apache

    return run_apache()
