"""A group of verbs whose modules are imported when one of them is called."""

from __future__ import annotations

from importlib import import_module

import click

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


VERBS = {
    "topic": ("kafkacompat.cli.topic_verbs", "topic", "List, create, describe, alter, delete and trim topics."),
    "produce": ("kafkacompat.cli.produce", "produce", "Write records that are read from standard input."),
    "consume": ("kafkacompat.cli.consume", "consume", "Print records."),
    "group": (
        "kafkacompat.cli.group_verbs",
        "group",
        "List and describe groups, see their lag, move and delete their offsets.",
    ),
    "txn": (
        "kafkacompat.cli.txn_verbs",
        "txn",
        "List and describe transactions, find those that hang, and abort them.",
    ),
    "fault": ("kafkacompat.cli.fault_verbs", "fault", "Let requests fail, wait or be lost."),
    "clock": ("kafkacompat.cli.clock_verbs", "clock", "See and move the brokers' time."),
    "reset": ("kafkacompat.cli.reset_verb", "reset", "Delete what was done since the broker's start."),
    "snapshot": ("kafkacompat.cli.snapshot_verbs", "snapshot", "Save the state of brokers of ours."),
    "inspect": ("kafkacompat.cli.inspect_verbs", "inspect", "Look into brokers of ours."),
    "health": ("kafkacompat.cli.health", "health", "Ask a broker for its versions and for the cluster."),
    "log": ("kafkacompat.cli.log_verbs", "log", "Look into the files of a log."),
    "config": ("kafkacompat.cli.explain", "config", "Say which values `serve` with the same flags would take."),
    "doctor": ("kafkacompat.cli.doctor", "doctor", "Find out why a client cannot use a cluster."),
    "bench": ("kafkacompat.cli.bench", "bench", "Measure how fast records are written and read."),
    "spark": ("kafkacompat.cli.spark.spark_verbs", "spark", "Archive, capture, replay and audit topics with Spark."),
    "traffic": ("kafkacompat.cli.traffic_verbs", "traffic", "Capture the traffic of clients, show it, and replay it."),
    "check": ("kafkacompat.cli.check", "check", "Read seeds, fault rules and server.properties as a broker would."),
    "completion": ("kafkacompat.cli.completion", "completion", "Print the completion script of a shell."),
}
"""The verbs beside `serve`: where each of them is, and its line of help."""


class LazyGroup(click.Group):
    """`places` has module, name and the line of help of each verb that is not imported yet."""

    def __init__(self, *given: Any, places: Mapping[str, tuple[str, str, str]], **named: Any) -> None:
        super().__init__(*given, **named)
        self._places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *self._places})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        place = self._places.get(cmd_name)
        if place is None:
            return super().get_command(ctx, cmd_name)
        module, name, _ = place
        command: click.Command = getattr(import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in --help, without an import."""
        rows = []
        for name in self.list_commands(ctx):
            command = None if name in self._places else super().get_command(ctx, name)
            rows.append((name, self._places[name][2] if command is None else command.get_short_help_str(80)))
        with formatter.section("Commands"):
            formatter.write_dl(rows)
