"""`kafka-server-start FILE [--override KEY=VALUE ...]`: serves in the foreground."""

from __future__ import annotations

from kafkacompat.cli.kafka_tools.arguments import ToolError, parse


def run(arguments: list[str]) -> int:
    """Run the tool."""
    if "-daemon" in arguments:
        raise ToolError("-daemon is not supported: a container runs its broker in the foreground")
    given = parse(arguments, ("--override",), max_rest=1)
    if not given.rest:
        raise ToolError("give a server.properties file: kafka-server-start FILE [--override KEY=VALUE]")
    from kafkacompat.cli.container.start import run_file

    return run_file(given.rest[0], given.get_all("--override"))
