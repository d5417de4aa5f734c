"""COMPATIBILITY.md tells of the broker as it is: its last full run was of these APIs, and of every version of them."""

from __future__ import annotations

import tomllib

import pytest

from tests.tidy.pages.compatibility import last_run, offered
from tests.tidy.tree import text


def test_the_last_full_run_was_of_the_apis_that_are_offered_now() -> None:
    assert last_run()["offered"] == offered(), (
        "the table of APIs has changed since: run `pytest compat_tests --full --report DIR`, "
        "`python -m compat_tests.report DIR/results.json` and `python3 .ci/dev.py generate`"
    )


@pytest.mark.parametrize("name", sorted(offered()))
def test_every_version_was_answered(name: str) -> None:
    found = last_run()["apis"][name]
    lowest, highest = offered()[name]
    silent = {str(version) for version in range(lowest, highest + 1)} - {*found["compared"], *found["clients"]}
    assert silent <= REFUSED.get(name, set())


REFUSED = {"Produce": {"0", "1", "2"}}
"""Listed and refused, as Kafka does (KIP-896)."""


def test_every_client_suite_has_a_line() -> None:
    listed = {suite["where"] for suite in tomllib.loads(text("docs/clients.toml"))["suite"]}
    assert {f"compat_tests/clients/{client}" for client in last_run()["clients"]} <= listed
