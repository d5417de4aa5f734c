"""`kafka-storage`: `format`, `random-uuid` and `info`, with Kafka's flags and lines."""

from __future__ import annotations

import os

from kafkacompat.cli.kafka_tools.arguments import Arguments, ToolError, parse
from kafkacompat.cli.options import read_properties_file
from kafkacompat.errors import StartupError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

VALUED = (
    "--add-scram", "-S", "--cluster-id", "-t", "--config", "-c", "--feature", "-f", "--initial-controllers", "-I",
    "--release-version", "-r",
)  # fmt: skip
SWITCHES = ("--ignore-formatted", "-g", "--no-initial-controllers", "-N", "--standalone", "-s")


def run(arguments: list[str]) -> int:
    """Run the tool."""
    action, *rest = arguments or ["--help"]
    if action == "random-uuid":
        from kafkacompat.cli.format import random_id

        parse(rest)
        _say(random_id())
        return 0
    if action == "format":
        return _format(parse(rest, VALUED, SWITCHES))
    if action == "info":
        return _info(parse(rest, ("--config", "-c")))
    raise ToolError(f"{action}: choose one of format, info, random-uuid")


def _format(given: Arguments) -> int:
    if given.get("--add-scram", "-S") is not None:
        raise ToolError("--add-scram: there is no SASL yet, so there are no SCRAM users")
    path = given.require("--config", "-c")
    cluster_id = given.require("--cluster-id", "-t")
    settings = read_properties_file(path)
    directory = _directory(path, settings)
    if os.path.exists(f"{directory}/meta.properties"):  # noqa: PTH110 (pathlib costs start-up time)
        if "--ignore-formatted" in given or "-g" in given:
            _say(f"Log directory {directory} is already formatted.")
            return 0
        raise ToolError(
            f"Log directory {directory} is already formatted. Use --ignore-formatted to ignore this directory and "
            "format the others."
        )
    if "process.roles" not in settings:
        _say(f"{path} has no process.roles: the broker formats {directory} when it starts")
        return 0
    from kafkacompat.cli import format as formatting

    try:
        formatting.run(
            path, cluster_id,
            standalone="--standalone" in given or "-s" in given,
            initial_controllers=given.get("--initial-controllers", "-I"),
            no_initial="--no-initial-controllers" in given or "-N" in given,
        )  # fmt: skip
    except StartupError as error:
        raise ToolError(str(error)) from None
    _say(f"Formatting metadata directory {directory} with metadata.version 4.3-IV0.")
    return 0


def _info(given: Arguments) -> int:
    path = given.require("--config", "-c")
    directory = _directory(path, read_properties_file(path))
    _say(f"Found log directory:\n  {directory}\n")
    try:
        with open(f"{directory}/meta.properties", encoding="latin-1") as file:  # noqa: PTH123
            text = file.read()
    except OSError:
        _say(f"Found problem:\n  {directory} is not formatted.\n")
        return 1
    from kafkacompat.config.properties import read_properties

    found = ", ".join(f"{name}={value}" for name, value in sorted(read_properties(text).items()))
    _say(f"Found metadata: {{{found}}}\n")
    return 0


def _directory(path: str, settings: Mapping[str, str]) -> str:
    """The one data directory."""
    text = settings.get("metadata.log.dir") or settings.get("log.dirs") or settings.get("log.dir")
    if not text:
        raise ToolError(f"{path} has no data directory: set log.dirs")
    if "," in text:
        raise ToolError(f"{path}: log.dirs has several directories, which are not supported yet: give one")
    return text.strip()


def _say(line: str) -> None:
    print(line)  # noqa: T201 (the tool's output)
