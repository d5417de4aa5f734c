"""Whatever a user types, each verb ends with a documented status and at most a line on stderr, never a traceback.

The commands and their flags are those that there are: a new one is tried with the rest.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from kafkacompat.cli import main
from kafkacompat.cli.commands import root
from kafkacompat.cli.exits import MEANINGS
from kafkacompat.spark import extra
from tests.cli.control_api import Node, node
from tests.cli.processes import TIMEOUT_S, command

ODD = (
    "",
    " ",
    "-",
    "--",
    "-1",
    "0",
    "nan",
    "1e999",
    "9" * 30,
    "x" * 5000,
    "a\nb",
    "ü\udcff",
    "%",
    "{",
    "@",
    "a=b",
    ":1",
    "[::1]",
)
INTERRUPTS_MAX, INTERRUPT_TIMEOUT_S = 6, 5.0
"""Python notices an interrupt just before a call that blocks when that call returns; who waits presses Ctrl-C again."""
RUNS = frozenset({"serve", "demo", "compat", "capture"})
"""Verbs that run for long when their flags are right: tried with wrong ones only, in tests of their own."""
CLOSED = {
    "KAFKACOMPAT_BOOTSTRAP_SERVERS": "127.0.0.1:1", "KAFKACOMPAT_CONTROL": "http://127.0.0.1:1",
    "KAFKACOMPAT_STATE_FILE": "",
}  # fmt: skip


class Verb(NamedTuple):
    """A command without commands below it."""

    words: tuple[str, ...]
    command: click.Command

    def __str__(self) -> str:
        return " ".join(self.words)


def verbs(group: click.Group = root, words: tuple[str, ...] = ()) -> Iterator[Verb]:
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        assert found is not None
        if isinstance(found, click.Group):
            yield from verbs(found, (*words, name))
        elif name not in RUNS:
            yield Verb((*words, name), found)


VERBS = list(verbs())


class Ended(NamedTuple):
    status: object
    out: str
    err: str


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[..., Ended]:
    """Runs a command line in this process, with noise on stdin and nothing that can be reached. There is no Spark: its
    JVM would say more than our line.
    """
    monkeypatch.setattr(extra, "PACKAGES", ("no_such_package",))
    for name, value in CLOSED.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    noise = tmp_path / "noise"
    noise.write_bytes(random.Random(7).randbytes(3000))

    def run(*arguments: str) -> Ended:
        with noise.open() as stdin:
            monkeypatch.setattr(sys, "stdin", stdin)
            with pytest.raises(SystemExit) as end:
                main(arguments)
        return Ended(end.value.code, *capfd.readouterr())

    return run


def check(done: Ended, *, arguments: object) -> None:
    assert done.status in MEANINGS, (arguments, done)
    assert "Traceback" not in done.err, (arguments, done)
    lines = done.err.splitlines()
    if done.status not in (0, 8):
        assert lines or done.out, (arguments, done)
        assert len(lines) <= 3, (arguments, done)


def arguments_of(verb: Verb, odd: str) -> list[str]:
    """An odd value for each argument that has to be given."""
    return [odd for each in verb.command.params if isinstance(each, click.Argument) and each.required]


@pytest.mark.parametrize("verb", VERBS, ids=str)
def test_odd_values_of_flags_and_arguments_are_answered(verb: Verb, ended: Callable[..., Ended]) -> None:
    chance = random.Random(str(verb))
    flags = [each for each in verb.command.params if isinstance(each, click.Option)]
    for odd in ODD:
        for flag in chance.sample(flags, min(len(flags), 3)):
            given = [*verb.words, flag.opts[-1], *([] if flag.is_flag else [odd])]
            needed = ["--", *arguments_of(verb, chance.choice(ODD))]
            check(
                ended(*given, "--timeout", "0.2", *needed) if _has_timeout(verb) else ended(*given, *needed),
                arguments=given,
            )
        given = [*verb.words, *(["--timeout", "0.2"] if _has_timeout(verb) else []), "--", *arguments_of(verb, odd)]
        check(ended(*given), arguments=given)


def _has_timeout(verb: Verb) -> bool:
    return any(each.name == "timeout_s" for each in verb.command.params)


@pytest.mark.parametrize("verb", VERBS, ids=str)
def test_a_flag_that_does_not_exist_is_one_line(verb: Verb, ended: Callable[..., Ended]) -> None:
    done = ended(*verb.words, "--no-such-flag")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("kafkacompat: No such option '--no-such-flag'")
    assert done.err.endswith(f"see kafkacompat {verb} --help\n")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("verb", [each for each in VERBS if _has_timeout(each) and each.words[0] != "traffic"], ids=str)
def test_nothing_that_listens_is_6_and_one_line(verb: Verb, ended: Callable[..., Ended]) -> None:
    extra = {
        "add": ["--drop"], "advance": ["1s"], "trim": ["-o", "end"], "seek": ["--to", "start"], "alter": ["-p", "3"],
        "reset": ["--yes"], "remove": ["--all"], "restore": ["--yes"], "abort": ["-p", "0", "--start-offset", "0"],
    }.get(verb.words[-1], [])  # fmt: skip
    needed = [] if verb.words[-1] == "advance" else arguments_of(verb, "1")
    done = ended(*verb.words, *extra, *needed)
    if verb.words == ("doctor",):
        assert done.status == 6
        assert "nothing listens at 127.0.0.1:1" in done.out
        return
    assert (done.status, done.out, done.err.count("\n")) == (6, "", 1), done
    assert done.err.startswith("kafkacompat: ")


@pytest.fixture(scope="module")
def broker() -> Iterator[Node]:
    """A broker with a record, for tests that change nothing."""
    with node(topics={"orders": 2}, records={"orders": [{"value": "ü"}]}) as found:
        yield found
        assert found.run("fault", "list").out == b""
        assert len(found.cluster.records("orders")) == 1


def test_noise_on_stdin_is_one_line(broker: Node) -> None:
    noise = random.Random(8).randbytes(5000)
    for arguments in (("produce", "orders"), ("fault", "add", "--json", "-")):
        done = broker.run(*arguments, stdin=noise)
        assert done.status in (1, 2)
        assert "Traceback" not in done.err
        assert len(done.err.splitlines()) == 1


OF_CLICK = (("--help",), ("topic", "--help"), ("random-uuid",))
"""What click prints itself: silent as well, with its own status."""
PRINTING = (
    *OF_CLICK, ("topic", "list"), ("topic", "describe", "orders"), ("consume", "orders"), ("inspect", "topics"),
    ("inspect", "cluster"), ("doctor",), ("config", "--all"), ("health",), ("clock", "show"), ("completion", "bash"),
)  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
@pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
def test_a_reader_that_is_gone_or_never_was_is_no_failure(broker: Node, arguments: tuple[str, ...]) -> None:
    environment = {
        **os.environ, "KAFKACOMPAT_CONTROL": broker.url,
        "KAFKACOMPAT_BOOTSTRAP_SERVERS": broker.cluster.bootstrap_servers,
    }  # fmt: skip
    reading, writing = os.pipe()
    os.close(reading)
    try:
        gone = subprocess.run(
            [*command(), *arguments], stdout=writing, stderr=subprocess.PIPE, env=environment, timeout=TIMEOUT_S
        )
    finally:
        os.close(writing)
    assert gone.stderr == b""
    assert gone.returncode == (1 if arguments in OF_CLICK else 0)
    closed = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *command(), *arguments], stderr=subprocess.PIPE, env=environment,
        timeout=TIMEOUT_S,
    )  # fmt: skip
    assert (closed.returncode, closed.stderr) == (0, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")  # noqa: PTH110
@pytest.mark.parametrize("arguments", [("--help",), ("topic", "list"), ("inspect", "cluster")], ids=" ".join)
def test_a_full_disk_behind_stdout_is_one_line(broker: Node, arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        done = subprocess.run(
            [*command(), *arguments], stdout=full, stderr=subprocess.PIPE, timeout=TIMEOUT_S,
            env={
                **os.environ, "KAFKACOMPAT_CONTROL": broker.url,
                "KAFKACOMPAT_BOOTSTRAP_SERVERS": broker.cluster.bootstrap_servers,
            },
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, b"kafkacompat: No space left on device\n")


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT")
def test_ctrl_c_ends_a_wait_with_130() -> None:
    with node() as broker:
        waiting = subprocess.Popen(
            [*command(), "fault", "add", "--control", broker.url, "--api", "fetch", "--drop", "--wait-hits", "1"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert waiting.stdout is not None
        assert waiting.stderr is not None
        with waiting.stdout, waiting.stderr:
            assert b"waiting for 1 hit" in waiting.stderr.readline()
            for _ in range(INTERRUPTS_MAX):
                waiting.send_signal(signal.SIGINT)
                with suppress(subprocess.TimeoutExpired):
                    waiting.wait(INTERRUPT_TIMEOUT_S)
                    break
            else:
                waiting.kill()
                pytest.fail(f"it waits in spite of Ctrl-C: {waiting.stderr.read()!r}")
            assert (waiting.returncode, waiting.stdout.read(), waiting.stderr.read()) == (130, b"", b"")
        assert len(broker.run("fault", "list").json_lines) == 1  # it stays until it is removed


def test_an_encoding_that_is_too_small_is_one_line(broker: Node) -> None:
    done = broker.run("inspect", "records", "orders", PYTHONIOENCODING="ascii")
    assert (done.status, done.err) == (1, "kafkacompat: stdout takes ascii only: set PYTHONIOENCODING=utf-8\n")


@pytest.mark.parametrize(
    ("arguments", "status", "line"),
    [
        (("serve", "--port", "x"), 2, "Invalid value for '--port': 'x' is not a valid integer range"),
        (("serve", "--data-dir", ""), 2, "it is empty: give a value, or leave the flag out"),
        (("serve", "--seed", "/nowhere/seed"), 1, "cannot be read"),
        (("serve", "--config", "a"), 1, "it has to be written as KEY=VALUE"),
        (("serve", "--control", "nowhere", "--port", "0"), 1, "give HOST:PORT"),
        (("serve", "--properties", "/nowhere/file"), 1, "choose a readable file"),
        (("demo", "--flights", "1"), 2, "is not in the range"),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)
def test_a_start_that_cannot_be_is_one_line(arguments: tuple[str, ...], status: int, line: str) -> None:
    done = subprocess.run([*command(), *arguments], capture_output=True, text=True, timeout=TIMEOUT_S)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (status, "", 1), done.stderr
    assert line in done.stderr


def test_the_verbs_are_all_there() -> None:
    names = {str(verb) for verb in VERBS}
    assert {"topic create", "fault add", "clock advance", "reset", "inspect records", "format"} <= names
