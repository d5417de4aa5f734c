"""Both brokers at once, for tests that compare their answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from compat_tests.api.raw import RawClient, differences
from compat_tests.broker_process import Broker

Script = Callable[[RawClient], Any]
Compare = Callable[[Script], Any]


@pytest.fixture
def compare(pytestconfig: pytest.Config, shared_broker: Callable[[str], Broker]) -> Iterator[Compare]:
    """`compare(script)` runs a conversation on each broker and fails with every field in which the answers differ.

    A script takes a connection and returns plain data (see `raw.facts`); what Apache Kafka answered is returned.
    """
    if pytestconfig.getoption("--broker") != "both":
        pytest.skip("compares two brokers: needs --broker both")
    with ExitStack() as stack:
        ours, theirs = (
            stack.enter_context(RawClient(shared_broker(kind).bootstrap_servers)) for kind in ("kafkacompat", "kafka")
        )

        def run(script: Script) -> Any:
            expected = script(theirs)
            assert expected, "nothing was compared"
            found = differences(script(ours), expected)
            assert not found, "\n".join(["the brokers differ", *found])
            return expected

        yield run
