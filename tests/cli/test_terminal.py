"""Colour is for terminals, and Ctrl-C ends a verb with status 130."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.cli.processes import command
from tests.cli.verbs import run
from tests.waiting import wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal is needed")
GREEN = b"\x1b[32m"


def on_terminal(*arguments: str, servers: str) -> bytes:
    """What a verb writes to a terminal."""
    import pty

    master, slave = pty.openpty()
    try:
        process = subprocess.Popen(
            [*command(), *arguments], stdin=slave, stdout=slave, stderr=slave,
            env={**os.environ, "KAFKACOMPAT_BOOTSTRAP_SERVERS": servers, "TERM": "xterm"},
        )  # fmt: skip
        os.close(slave)
        written = b""
        while True:
            try:
                piece = os.read(master, 65_536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            written += piece
        process.wait(60)
    finally:
        os.close(master)
    return written


def test_colour_is_for_terminals(servers: str) -> None:
    assert GREEN in on_terminal("doctor", servers=servers)
    assert GREEN not in run("doctor", servers=servers).out


def test_data_are_the_same_on_a_terminal(servers: str) -> None:
    run("topic", "create", "terminal", servers=servers)
    run("produce", "terminal", "-f", "raw", servers=servers, stdin="x\n")
    assert on_terminal("consume", "terminal", "-f", "raw", servers=servers) == b"x\r\n"


def test_ctrl_c_ends_a_verb_with_130(servers: str) -> None:
    run("topic", "create", "followed", servers=servers)
    run("produce", "followed", "-f", "raw", servers=servers, stdin="x\n")
    process = subprocess.Popen(
        [*command(), "consume", "followed", "-F", "-f", "raw"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "KAFKACOMPAT_BOOTSTRAP_SERVERS": servers},
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdout, process.stderr:
        assert process.stdout.readline() == b"x\n"
        process.send_signal(signal.SIGINT)
        wait_until(lambda: process.poll() is not None, what="the end of consume")
        assert (process.returncode, process.stderr.read()) == (130, b"")


def test_what_is_typed_is_produced_at_once(servers: str) -> None:
    run("topic", "create", "typed", servers=servers)
    process = subprocess.Popen(
        [*command(), "produce", "typed", "-f", "raw", "-o", "%v@%o\n"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env={**os.environ, "KAFKACOMPAT_BOOTSTRAP_SERVERS": servers},
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdout, process.stderr:
        for number in range(3):
            process.stdin.write(b"line\n")
            process.stdin.flush()
            assert process.stdout.readline() == b"line@%d\n" % number
        process.stdin.close()
        assert process.wait(60) == 0
        assert process.stderr.read() == b"produced 3 records\n"
