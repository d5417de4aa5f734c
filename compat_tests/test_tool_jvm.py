"""The JVM that tools share answers as a JVM for each does, is replaced when it must be, and ends with its process."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from compat_tests.clients.java_tools.tools import (
    CONFIGS,
    CONSOLE_CONSUMER,
    CONSOLE_PRODUCER,
    TOPICS,
    VERIFIABLE_PRODUCER,
)
from compat_tests.tool_jvm.tools import END_OF_THE_JVM, Outcome, ToolJvm, run_alone
from kafkacompat import Cluster
from tests.waiting import wait_until

STARTS_ONE = """\
import sys, time
from compat_tests.tool_jvm.tools import ToolJvm
jvm = ToolJvm()
jvm.run(["org.apache.kafka.tools.TopicCommand"])
print(jvm.pid, flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def jvm() -> Iterator[ToolJvm]:
    made = ToolJvm()
    yield made
    made.close()


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with Cluster(topics={"orders": 1}) as cluster:
        yield cluster.bootstrap_servers


def without_frames(outcome: Outcome) -> Outcome:
    """A stack has other frames at its bottom in a JVM that stays."""
    return outcome._replace(stderr=re.sub(r"^\tat .*\n", "", outcome.stderr, flags=re.M))


def test_the_answers_are_those_of_processes(jvm: ToolJvm, servers: str) -> None:
    """Of success, of errors said and thrown, of what is read from stdin, and of tools that count in static fields."""
    at = ("--bootstrap-server", servers)
    read = (CONSOLE_CONSUMER, *at, "--topic", "orders", "--from-beginning", "--max-messages", "2")
    for words, stdin in (
        ((CONSOLE_PRODUCER, *at, "--topic", "orders"), "größer\ntwo\n"),
        (read, ""),
        ((CONFIGS, *at, "--describe", "--topic", "orders", "--all"), ""),
        ((TOPICS, *at, "--unheard"), ""),
    ):
        alone = without_frames(run_alone(*words, stdin=stdin))
        assert alone == without_frames(jvm.run(words, stdin)) == without_frames(jvm.run(words, stdin)), words


def test_a_tool_that_does_not_end_is_named_and_its_jvm_replaced(jvm: ToolJvm, servers: str) -> None:
    forever = [CONSOLE_CONSUMER, "--bootstrap-server", servers, "--topic", "orders"]
    with pytest.raises(subprocess.TimeoutExpired, match=r"ConsoleConsumer.*'orders'.*timed out after 2"):
        jvm.run(forever, timeout_s=2)
    assert jvm.pid is None
    assert "orders" in jvm.run([TOPICS, "--bootstrap-server", servers, "--list"]).stdout.split()


def test_a_tool_that_leaves_threads_has_its_jvm_replaced(jvm: ToolJvm, servers: str) -> None:
    """It would go on in the background: therefore `run` gives it a process of its own."""
    assert VERIFIABLE_PRODUCER.endswith(END_OF_THE_JVM)
    done = jvm.run([VERIFIABLE_PRODUCER, "--bootstrap-server", servers, "--topic", "orders", "--max-messages", "1"])
    assert done.status == 0
    assert jvm.pid is None


def test_the_jvm_ends_with_a_process_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", STARTS_ONE], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        os.kill(pid, 0)
        process.send_signal(signal.SIGKILL)

    def is_gone() -> bool:
        status = Path(f"/proc/{pid}/status")
        return not status.exists() or "\nState:\tZ" in status.read_text()

    wait_until(is_gone, what="the end of the JVM")
