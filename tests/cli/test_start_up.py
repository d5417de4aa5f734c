"""Verbs start fast: what each imports is counted, as clocks of busy machines say little."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.test_imports import LIST, ours

NEVER = {
    "asyncio",
    "dataclasses",
    "email",
    "http",
    "importlib.metadata",
    "logging",
    "multiprocessing",
    "ssl",
    "cramjam",
}
BARE = "import click, click.shell_completion, json, socket, base64, datetime, csv"
"""What click and the standard library import is not ours. (click's completion imports asyncio on some versions.)"""
OWN_MODULES_MAX = {
    ("topic", "list"): 25, ("health", "-q"): 23, ("produce", "starts"): 41, ("consume", "starts"): 41,
    ("consume", "starts", "-f", "%v"): 41, ("group", "list"): 27,
}  # fmt: skip


def loaded_by(*arguments: str) -> set[str]:
    code = f"""
import sys, kafkacompat.cli
try:
    kafkacompat.cli.main({list(arguments)!r})
except SystemExit as end:
    assert not end.code, end.code
print("MODULES", end=" ")
{LIST}
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, input='{"value":"x"}\n'
    )
    assert done.returncode == 0, done.stderr
    return {entry.partition("=")[0] for entry in done.stdout.rpartition("MODULES")[2].split()}


def bare() -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{BARE}\n{LIST}"], capture_output=True, text=True, timeout=60
    )
    return {entry.partition("=")[0] for entry in done.stdout.split()}


@pytest.mark.parametrize("arguments", OWN_MODULES_MAX, ids=" ".join)
def test_a_verb_imports_little(servers: str, arguments: tuple[str, ...]) -> None:
    from tests.cli.verbs import run

    run("topic", "create", "starts", "--if-not-exists", servers=servers)
    loaded = loaded_by(*arguments, "-b", servers)
    assert not NEVER & (loaded - bare())
    own = ours(dict.fromkeys(loaded, ""))
    assert len(own) <= OWN_MODULES_MAX[arguments], sorted(own)
    assert not {name for name in own if name.startswith(("kafkacompat.broker", "kafkacompat.server"))}
