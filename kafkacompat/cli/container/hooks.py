"""What a container's user wants done at the first moment: topics from variables, scripts and files in a directory."""

from __future__ import annotations

import os
import subprocess

from kafkacompat.cluster.startup_topics import create_topics
from kafkacompat.errors import KafkaCompatError, StartupError
from kafkacompat.protocol.constants import BROKER_DEFAULT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

HOOKS_DIRECTORY = "/docker-entrypoint-initdb.d"
TOPICS, CREATE_TOPICS = "KAFKACOMPAT_TOPICS", "KAFKA_CREATE_TOPICS"

_POLL_S = 0.05


def run(
    address: str, environ: Mapping[str, str], is_stopping: Callable[[], bool], directory: str = HOOKS_DIRECTORY
) -> None:
    """Create the topics that the variables name, then run `*.sh` and apply `*.yaml` of the directory, by name.

    address: a listener of this node, `host:port`. Scripts find it in BOOTSTRAP_SERVERS. is_stopping: whether to give
    up. Raises StartupError with one line for a variable that cannot be read and for a hook that fails.
    """
    topics = topics_of(environ)
    if topics:
        try:
            create_topics(address, topics)
        except (KafkaCompatError, OSError) as error:
            raise StartupError(f"{TOPICS}, {CREATE_TOPICS}: {error}") from None
    for name in _found(directory):
        if is_stopping():
            return
        path = f"{directory}/{name}"
        if name.endswith(".sh"):
            _run_script(path, {**environ, "BOOTSTRAP_SERVERS": address}, is_stopping)
        elif name.endswith((".yaml", ".yml")):
            _apply(path, address)


def topics_of(environ: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """Name to (partitions, replicas) of KAFKACOMPAT_TOPICS, "a:3,b:1:1", and of KAFKA_CREATE_TOPICS, which other images
    read in the same form. What is left out is the broker's default. Raises StartupError.
    """
    topics = {}
    for variable in (TOPICS, CREATE_TOPICS):
        for entry in environ.get(variable, "").replace("\n", ",").split(","):
            if entry.strip():
                name, counts = _topic(variable, entry.strip())
                topics[name] = counts
    return topics


def _topic(variable: str, entry: str) -> tuple[str, tuple[int, int]]:
    name, *numbers = (part.strip() for part in entry.split(":"))
    if not name or len(numbers) > 2 or not all(number.isdecimal() and int(number) for number in numbers):
        raise StartupError(f"{variable}: {entry!r} is not of the form name:partitions:replicas")
    counts = [int(number) for number in numbers]
    return name, ((counts + [BROKER_DEFAULT] * 2)[0], (counts + [BROKER_DEFAULT] * 2)[1])


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


def _apply(path: str, address: str) -> None:
    raise StartupError(f"{path}: files with seeds are not supported yet; create topics with a script ({address})")
