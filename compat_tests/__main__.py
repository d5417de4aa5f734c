"""The suite as a program, for any broker: `kafkacompat compat HOST:PORT`, or `python -m compat_tests HOST:PORT`."""

from __future__ import annotations

import importlib.util
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

FOLDER = Path(__file__).resolve().parent
CONNECT_TIMEOUT_S = 5

NEEDS: Mapping[str, Sequence[str]] = {
    "api": ("java", "mvn"),
    "generated": ("java", "mvn"),
    "spark": ("java", "mvn"),
    "clients/exactly_once": ("java", "mvn"),
    "clients/java": ("java", "javac", "mvn"),
    "clients/java_tools": ("java", "mvn"),
    "clients/franz_go": ("go",),
    "clients/sarama": ("go",),
    "clients/kafkajs": ("node", "npm"),
    "clients/confluent_javascript": ("node", "npm"),
    "clients/rust": ("cargo", "cmake"),
    "clients/kcat": ("kcat",),
    "kafka_tools": ("java", "mvn"),
}
"""Programs that a suite cannot do without. The suites that compare with Apache Kafka start it from Maven."""

NOT_ELSEWHERE = frozenset({"ci", "clients", "cluster", "containers", "control_api", "schemas", "traffic"})
"""Folders whose own tests are about files of this project, or start and stop brokers: they say nothing of one that runs
somewhere else. Folders in `clients` are suites."""


def suites() -> list[str]:
    """Folders with tests that talk to a broker somewhere else, by name; some need brokers of their own."""
    found = {path.parent.relative_to(FOLDER).as_posix() for path in FOLDER.glob("*/**/test_*.py")}
    return sorted(found - NOT_ELSEWHERE)


def missing_programs(suite: str) -> list[str]:
    """What a suite needs and this machine lacks."""
    missing = [program for program in NEEDS.get(suite, ()) if shutil.which(program) is None]
    if suite == "spark" and importlib.util.find_spec("pyspark") is None:
        missing.append("pyspark")
    return missing


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("address", metavar="HOST:PORT")
@click.option("--suite", "chosen", multiple=True, metavar="NAME", help="Run this suite alone. Repeatable.")
@click.option("--full", is_flag=True, help="Run the tests that take long, too.")
@click.option("--report", default="compat-report", show_default=True, metavar="DIR", help="Where the report goes.")
@click.option("--list", "list_only", is_flag=True, help="Say which suites there are and what each still needs here.")
@click.argument("pytest_arguments", nargs=-1, type=click.UNPROCESSED)
def main(
    address: str, chosen: Sequence[str], *, full: bool, report: str, list_only: bool, pytest_arguments: Sequence[str]
) -> None:
    """Run the compatibility suite on the broker at HOST:PORT: clients of several languages, and requests whose answers
    are compared with those of an Apache Kafka that is started beside it. The suite makes topics and groups of its own
    on that broker and leaves them there. What follows the options goes to pytest.
    """
    known = suites()
    if list_only:
        for suite in known:
            missing = missing_programs(suite)
            click.echo(f"{suite:30} {'needs ' + ', '.join(missing) if missing else 'ready'}")
        return
    if wrong := sorted(set(chosen) - set(known)):
        raise click.UsageError(f"no suite {', '.join(wrong)}; there are {', '.join(known)}")
    _check_answers(address)
    sys.exit(
        _run(address, _ready(chosen or known, picked=bool(chosen)), full=full, report=report, rest=pytest_arguments)
    )


def _check_answers(address: str) -> None:
    """Better one line now than an error for each test."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise click.UsageError(f"{address} is no address: give HOST:PORT, as in localhost:9092")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_TIMEOUT_S).close()
    except (OSError, OverflowError) as error:
        raise click.ClickException(
            f"nobody answers at {address} ({error}); start the broker first, or check host and port"
        ) from None


def _ready(wanted: Sequence[str], *, picked: bool) -> list[str]:
    """The suites that can run here; the others are named. One that was asked for by name must be able to run."""
    lacking = {suite: missing for suite in wanted if (missing := missing_programs(suite))}
    for suite, missing in lacking.items():
        click.echo(f"left out: {suite} needs {', '.join(missing)}, which is not installed here", err=True)
    ready = [suite for suite in wanted if suite not in lacking]
    if not ready or (picked and lacking):
        raise click.ClickException("nothing was run: install what is missing, or choose other suites with --suite")
    return ready


def _run(address: str, ready: Sequence[str], *, full: bool, report: str, rest: Sequence[str]) -> int:
    command = [
        sys.executable, "-m", "pytest", "-c", str(FOLDER / "suite.ini"), "--rootdir", str(FOLDER.parent),
        "--broker", address, "--report", str(Path(report).resolve()), *(["--full"] if full else []),
        *rest, *(str(FOLDER / suite) for suite in ready),
    ]  # fmt: skip
    return subprocess.run(command, cwd=FOLDER.parent, check=False).returncode


if __name__ == "__main__":
    main(prog_name="kafkacompat compat")
