"""A container engine, asked through its command line: builds the image, runs containers, and cleans up what it ran."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
APACHE, CONFLUENT = "kafkacompat/apache-kafka:4.3.1", "kafkacompat/cp-kafka:8.1.0"
"""The names by which the tests know the image: modules compare tags with releases."""
LABEL = "kafkacompat.tests"
DEADLINE_S = 60.0
BUILD_OPTIONS = "KAFKACOMPAT_DOCKER_BUILD"
"""More options for the build, such as --network host where containers reach no package registry otherwise."""


def missing_engine() -> str | None:
    """Why no engine can be used, None if one can."""
    if shutil.which("docker") is None:
        return "there is no docker on this machine"
    asked = subprocess.run(["docker", "info"], capture_output=True, text=True)
    if asked.returncode == 0:
        return None
    return "no container engine answers docker: " + (asked.stderr.strip().splitlines() or ["no reason"])[-1][:200]


def docker(*arguments: str, check: bool = True, timeout_s: float = 60) -> str:
    """Run docker; what it prints."""
    ended = subprocess.run(["docker", *arguments], capture_output=True, text=True, timeout=timeout_s)
    assert not check or ended.returncode == 0, f"docker {' '.join(arguments)}: {ended.stdout}{ended.stderr}"
    return ended.stdout.strip()


def build() -> None:
    """Build the image under both of its names."""
    options = os.environ.get(BUILD_OPTIONS, "").split()
    names = ["-t", APACHE, "-t", CONFLUENT]
    docker("build", *options, "-q", "-f", str(ROOT / "docker" / "Dockerfile"), *names, str(ROOT), timeout_s=900)


def wait_until(
    condition: Callable[[], object], what: Callable[[], object] = str, timeout_s: float = DEADLINE_S
) -> None:
    """Wait for it."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, what()
        time.sleep(0.02)


class Running:
    """A container that runs."""

    def __init__(self, name: str) -> None:
        self.name = name

    def logs(self) -> str:
        """Both streams."""
        ended = subprocess.run(["docker", "logs", self.name], capture_output=True, text=True)
        return ended.stdout + ended.stderr

    def inspect(self) -> Any:
        """What the engine knows of it."""
        return json.loads(docker("inspect", self.name))[0]

    def exec(self, *command: str) -> str:
        """Run a program inside; what it prints."""
        return docker("exec", self.name, *command)

    def port(self, port: int) -> int:
        """The host's port for one of the container."""
        return int(docker("port", self.name, f"{port}/tcp").splitlines()[0].rpartition(":")[2])

    def wait_ready(self) -> None:
        """Wait for the last of the lines that modules wait for."""
        wait_until(lambda: "[KafkaServer id=" in self.logs(), self.logs)


@contextmanager
def run(*options: str, image: str = APACHE, command: Sequence[str] = ()) -> Iterator[Running]:
    """Run a container, and remove it at the end with its volumes."""
    name = f"kafkacompat-{uuid.uuid4().hex[:8]}"
    docker("run", "-d", "--name", name, "--label", LABEL, *options, image, *command)
    try:
        yield Running(name)
    finally:
        docker("rm", "-f", "-v", name)
