"""The programs that copy a topic in transactions: how each is started, and what has to be in its target in the end."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from compat_tests.artifacts import KAFKA_VERSION, Artifact, java_program, resolve
from compat_tests.clients.exactly_once.copying import ABORTED, CLIENTS, SESSION_TIMEOUT_MS, Job
from compat_tests.clients.java.using import JVM_OPTIONS
from compat_tests.clients.program import GO, JAVAC, build
from compat_tests.tool_jvm import tools as java

HERE = Path(__file__).parent
JAVA_COPIER = "org.apache.kafka.tools.TransactionalMessageCopier"
JAVA_2, JAVA_3 = "2.8.2", "3.9.2"
"""Java clients of before KIP-890's second part: they name each partition to the coordinator (TV1)."""
WORDS = 20
"""Different words that the word count counts."""

Command = Callable[[Job, int], tuple[Sequence[str], str]]
"""A job, and how often the program was started before -> what starts it, and its standard input."""
Values = Counter[bytes]


def _python(client: str) -> Command:
    def command(job: Job, _starts: int) -> tuple[Sequence[str], str]:
        return [sys.executable, "-m", "compat_tests.clients.exactly_once.copying", client], json.dumps(asdict(job))

    return command


def _java(*versions: str) -> Command:
    """The copier of Kafka's own system tests, of each version in turn. It ends when it has read what was there."""

    def command(job: Job, starts: int) -> tuple[Sequence[str], str]:
        return java.command(
            JAVA_COPIER, "--broker-list", job.bootstrap_servers, "--input-topic", job.source, "--input-partition", "0",
            "--output-topic", job.target, "--consumer-group", job.group, "--transactional-id", job.transactional_id,
            "--transaction-size", str(job.per_transaction), "--transaction-timeout", str(job.transaction_timeout_ms),
            "--enable-random-aborts", "--use-group-metadata", version=versions[starts % len(versions)],
        ), ""  # fmt: skip

    return command


def _franz_go(job: Job, _starts: int) -> tuple[Sequence[str], str]:
    told = asdict(job) | {"aborted": ABORTED, "session_timeout_ms": SESSION_TIMEOUT_MS}
    return [str(_franz_go_program()), "copy"], json.dumps(told) + "\n"


@cache
def _franz_go_program() -> Path:
    steps = [["go", "build", "-o", "client", "."]]
    return build("franz-go", HERE.parent / "franz_go" / "program", [GO], steps) / "client"


def _word_count(job: Job, _starts: int) -> tuple[Sequence[str], str]:
    folder, class_path = _word_count_program()
    return [
        java_program(), *JVM_OPTIONS, "-cp", class_path, "WordCount", job.bootstrap_servers, job.source, job.target,
        job.group, str(folder / "state"), str(WORDS), str(SESSION_TIMEOUT_MS), str(job.transaction_timeout_ms),
    ], ""  # fmt: skip


@cache
def _word_count_program() -> tuple[Path, str]:
    streams = Artifact("org.apache.kafka", "kafka-streams", KAFKA_VERSION)
    jars = sorted(resolve(f"kafka-streams-{KAFKA_VERSION}", [streams]).glob("*.jar"))
    compile_it = ["javac", "--release", "17", "-cp", os.pathsep.join(map(str, jars)), "-d", "built", "WordCount.java"]
    folder = build("word-count", HERE / "word_count", [JAVAC], [compile_it])
    return folder, os.pathsep.join(map(str, [*jars, folder / "built"]))


def copied(sent: Iterable[bytes]) -> Values:
    """Each record once."""
    return Counter(sent)


def counted(sent: Iterable[bytes]) -> Values:
    """For each word every number up to how often it was sent, once."""
    words = Counter(int(value) % WORDS for value in sent)
    return Counter(f"word-{word}:{n}".encode() for word, count in words.items() for n in range(1, count + 1))


@dataclass(frozen=True)
class Program:
    """How it is started, how many partitions it copies, and what has to be in the target, given the source's values."""

    command: Command
    partitions: int = 2
    expected: Callable[[Iterable[bytes]], Values] = copied


PROGRAMS: dict[str, Program] = {
    **{client.replace("_", "-"): Program(_python(client)) for client in CLIENTS},
    "java-tv2": Program(_java(KAFKA_VERSION), 1),
    "java-tv1": Program(_java(JAVA_3), 1),
    "java-2.8": Program(_java(JAVA_2), 1),
    "java-mixed": Program(_java(JAVA_2, KAFKA_VERSION, JAVA_3, KAFKA_VERSION), 1),
    "franz-go": Program(_franz_go),
    "streams": Program(_word_count, expected=counted),
}
