"""`kafka-storage`: `format`, `random-uuid` and `info`, with Kafka's flags and lines."""

from __future__ import annotations

from kafkacompat.cli.kafka_tools.arguments import Arguments, ToolError, parse
from kafkacompat.cli.options import read_properties_file
from kafkacompat.errors import StartupError

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
    from kafkacompat.cli import format as formatting
    from kafkacompat.replication.metadata.format import read_formatted, verify_formatted
    from kafkacompat.storage.fs import RealFs

    node_id, directories = _node(path)
    formatted, unreadable = read_formatted(RealFs(), directories)
    try:
        verify_formatted(formatted, node_id, cluster_id)
    except StartupError as error:
        raise ToolError(str(error)) from None
    if formatted and "--ignore-formatted" not in given and "-g" not in given:
        raise ToolError(
            f"Log directory {next(iter(formatted))} is already formatted. Use --ignore-formatted to ignore this "
            "directory and format the others."
        )
    for each in unreadable:
        _say(f"I/O error trying to read log directory {each}. Ignoring...")
    left_out = {*formatted, *unreadable}
    if len(unreadable) == len(directories):
        raise ToolError("No available log directories to format.")
    if len(left_out) == len(directories):
        _say("All of the log directories are already formatted.")
        return 0
    if "process.roles" not in settings:
        _say(f"{path} has no process.roles: the broker formats {', '.join(directories)} when it starts")
        return 0
    try:
        formatting.run(
            path, cluster_id,
            standalone="--standalone" in given or "-s" in given,
            initial_controllers=given.get("--initial-controllers", "-I"),
            no_initial="--no-initial-controllers" in given or "-N" in given,
            left_out=left_out,
        )  # fmt: skip
    except StartupError as error:
        raise ToolError(str(error)) from None
    for each in directories:
        if each not in left_out:
            kind = "metadata" if each == directories[0] else "data"
            _say(f"Formatting {kind} directory {each} with metadata.version 4.3-IV0.")
    return 0


def _info(given: Arguments) -> int:
    from kafkacompat.config.properties import read_properties

    directories = sorted(_node(given.require("--config", "-c"))[1])
    _say(f"Found log director{'y' if len(directories) == 1 else 'ies'}:")
    for each in directories:
        _say(f"  {each}")
    _say("")
    found: dict[str, str] = {}
    problems = []
    for each in directories:
        try:
            with open(f"{each}/meta.properties", encoding="latin-1") as file:  # noqa: PTH123
                text = file.read()
        except OSError:
            problems.append(f"{each} is not formatted.")
            continue
        found = found or read_properties(text)
    if found:
        pairs = ", ".join(f"{name}={value}" for name, value in sorted(found.items()))
        _say(f"Found metadata: {{{pairs}}}\n")
    if problems:
        _say(f"Found problem{'' if len(problems) == 1 else 's'}:")
        for problem in problems:
            _say(f"  {problem}")
        _say("")
    return 1 if problems else 0


def _node(path: str) -> tuple[int, list[str]]:
    """The id of the node and its data directories; that of the metadata log is the first one."""
    from kafkacompat.server.settings import broker_config, data_dir, log_dirs

    try:
        config, _ = broker_config({}, read_properties_file(path))
        metadata = data_dir(config, None)
        others = log_dirs(config, None)
    except StartupError as error:
        raise ToolError(str(error)) from None
    if metadata is None:
        raise ToolError(f"{path} has no data directory: set log.dirs")
    return config.get_int("node.id"), list(dict.fromkeys((metadata, *others)))


def _say(line: str) -> None:
    print(line)  # noqa: T201 (the tool's output)
