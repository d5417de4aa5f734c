"""What a container's user wants done at the first moment: topics from variables, scripts and seeds in a directory."""

from __future__ import annotations

import os
import subprocess

from kafkacompat.control_api.seeds import Seed
from kafkacompat.errors import KafkaCompatError, StartupError
from kafkacompat.protocol.constants import BROKER_DEFAULT
from kafkacompat.server.seed import NewTopic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kafkacompat.cli.ready_node import ReadyNode

HOOKS_DIRECTORY = "/docker-entrypoint-initdb.d"
SCRIPTS, SEEDS = ".sh", (".yaml", ".yml", ".json", ".jsonl")
"""The names of hooks end so; other files are left alone."""
TOPICS, CREATE_TOPICS = "KAFKACOMPAT_TOPICS", "KAFKA_CREATE_TOPICS"

_POLL_S = 0.05


def run(node: ReadyNode, environ: Mapping[str, str], directory: str = HOOKS_DIRECTORY) -> None:
    """Create the topics that the variables name, then run the scripts and write the seeds of the directory, by name.

    Scripts find a listener of the node in BOOTSTRAP_SERVERS. Raises KafkaCompatError with one line for a variable that
    cannot be read and for a hook that fails.
    """
    topics = topics_of(environ)
    if topics:
        try:
            node.write_seed(Seed(topics, {}))
        except KafkaCompatError as error:
            raise StartupError(f"{TOPICS}, {CREATE_TOPICS}: {error}") from None
    for name in _found(directory):
        if node.is_stopping():
            return
        path = f"{directory}/{name}"
        if name.endswith(SCRIPTS):
            _run_script(path, {**environ, "BOOTSTRAP_SERVERS": node.addresses[0]}, node.is_stopping)
        elif name.endswith(SEEDS):
            _write_seed(path, node)


def topics_of(environ: Mapping[str, str]) -> dict[str, NewTopic]:
    """The topics in KAFKACOMPAT_TOPICS, "a:3,b:1:1", and of KAFKA_CREATE_TOPICS, which other images
    read in the same form. What is left out is the broker's default. Raises StartupError.
    """
    topics = {}
    for variable in (TOPICS, CREATE_TOPICS):
        for entry in environ.get(variable, "").replace("\n", ",").split(","):
            if entry.strip():
                name, topic = _topic(variable, entry.strip())
                topics[name] = topic
    return topics


def _topic(variable: str, entry: str) -> tuple[str, NewTopic]:
    name, *numbers = (part.strip() for part in entry.split(":"))
    if not name or len(numbers) > 2 or not all(number.isdecimal() and int(number) for number in numbers):
        raise StartupError(f"{variable}: {entry!r} is not of the form name:partitions:replicas")
    counts = [int(number) for number in numbers] + [BROKER_DEFAULT] * 2
    return name, NewTopic(counts[0], counts[1])


def _found(directory: str) -> list[str]:
    try:
        return sorted(os.listdir(directory))  # noqa: PTH208 (pathlib costs start-up time)
    except OSError:
        return []


def _run_script(path: str, environ: Mapping[str, str], is_stopping: Callable[[], bool]) -> None:
    process = subprocess.Popen(["bash", path], env=environ, stdin=subprocess.DEVNULL)  # noqa: S603, S607 (the user's)
    while True:
        try:
            status = process.wait(_POLL_S)
        except subprocess.TimeoutExpired:
            if not is_stopping():
                continue
            process.kill()
            process.wait()
            return
        if status:
            raise StartupError(f"{path} failed with status {status}: mend it, or take it out of the directory")
        return


def _write_seed(path: str, node: ReadyNode) -> None:
    from kafkacompat.control_api.seed_files import load_seed

    seed = load_seed(path)
    try:
        node.write_seed(seed)
    except KafkaCompatError as error:
        raise StartupError(f"seed {path}: {error}") from None
