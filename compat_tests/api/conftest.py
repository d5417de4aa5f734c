"""Both brokers at once, for tests that compare their answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from compat_tests.api.raw import RawClient, differences
from compat_tests.broker_process import Broker
from compat_tests.decisions import Ledger

Script = Callable[[RawClient], Any]
Compare = Callable[[Script], Any]
_LEDGER = pytest.StashKey[Ledger]()


@pytest.fixture
def compare(request: pytest.FixtureRequest, shared_broker: Callable[[str], Broker]) -> Iterator[Compare]:
    """`compare(script)` runs a conversation on each broker and fails with every field in which the answers differ,
    but for what `decisions.py` says is meant.

    A script takes a connection and returns plain data (see `raw.facts`); what Apache Kafka answered is returned.
    """
    config = request.config
    if config.getoption("--broker") != "both":
        pytest.skip("compares two brokers: needs --broker both")
    ledger = config.stash.setdefault(_LEDGER, Ledger())
    module = request.module.__name__.rpartition(".")[2].removeprefix("test_")
    with ExitStack() as stack:
        ours, theirs = (
            stack.enter_context(RawClient(shared_broker(kind).bootstrap_servers)) for kind in ("kafkacompat", "kafka")
        )

        def run(script: Script) -> Any:
            expected = script(theirs)
            assert expected, "nothing was compared"
            found = ledger.undecided(module, differences(script(ours), expected))
            ledger.conversations += 1
            ledger.answers += theirs.answered
            assert not found, "\n".join(["the brokers differ", *map(str, found)])
            return expected

        yield run


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say how much was compared, and which decisions were met."""
    if _LEDGER in config.stash:
        terminalreporter.write_sep("-", "two brokers")
        for line in config.stash[_LEDGER].lines():
            terminalreporter.write_line(line)
