"""Completion in a shell: verbs, flags and names of topics."""

from __future__ import annotations

import time

from tests.cli.verbs import run
from tests.waiting import wait_until


def completed(words: str, servers: str) -> list[str]:
    count = len(words.split(" ")) - 1
    environment = {"_KAFKACOMPAT_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(count)}
    done = run(servers=servers, environment=environment)
    return [line.partition(",")[2] for line in done.text.splitlines() if line]


def completed_at_last(words: str, servers: str) -> list[str]:
    """As `completed`, tried again while it is empty: a shell waits a fraction of a second, a busy broker needs more."""
    found: list[str] = []
    wait_until(lambda: found.extend(completed(words, servers)) or found, timeout_s=60)
    return found


def test_verbs_and_topics_are_completed(servers: str) -> None:
    run("topic", "create", "completed-one", "completed-two", "other", servers=servers)
    assert completed("kafkacompat comple", servers) == ["completion"]
    assert completed("kafkacompat topic desc", servers) == ["describe"]
    assert completed_at_last("kafkacompat topic describe completed-", servers) == ["completed-one", "completed-two"]
    assert completed_at_last("kafkacompat consume completed-t", servers) == ["completed-two"]
    assert completed_at_last("kafkacompat produce completed-o", servers) == ["completed-one"]


def test_a_flag_says_where_topics_are(servers: str) -> None:
    run("topic", "create", "by-flag", servers=servers)
    assert completed_at_last(f"kafkacompat topic describe -b {servers} by-f", "localhost:1") == ["by-flag"]


def test_without_a_broker_nothing_is_completed_soon() -> None:
    began_s = time.monotonic()
    assert completed("kafkacompat consume x", "localhost:1") == []
    assert time.monotonic() - began_s < 20


def test_scripts_are_for_each_shell(servers: str) -> None:
    for shell in ("bash", "zsh", "fish"):
        done = run("completion", shell, servers=servers)
        assert "_KAFKACOMPAT_COMPLETE" in done.text
    assert run("completion", "csh", servers=servers).status == 2
