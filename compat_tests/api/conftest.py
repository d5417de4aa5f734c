"""Both brokers at once, for tests that compare their answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest

from compat_tests.api.raw import NotAdvertisedError, RawClient, differences
from compat_tests.artifacts import KAFKA_VERSION
from compat_tests.broker_process import Broker
from compat_tests.releases import advertised
from compat_tests.report.collector import DIFFERENCES, LEDGER, PAIRS

Script = Callable[[RawClient], Any]
Compare = Callable[[Script], Any]


@pytest.fixture
def compare(request: pytest.FixtureRequest, shared_broker: Callable[[str], Broker], subject: str) -> Iterator[Compare]:
    """`compare(script)` runs a conversation on each broker and fails with every field in which the answers differ,
    but for what `decisions.py` says is meant.

    A script takes a connection and returns plain data (see `raw.facts`); what Apache Kafka answered is returned.
    """
    with ExitStack() as stack:
        yield comparison(request, stack, shared_broker(subject), shared_broker("kafka"))


def comparison(
    request: pytest.FixtureRequest, stack: ExitStack, subject: Broker, reference: Broker, *, at_once: bool = False
) -> Compare:
    """What `compare` is, for two brokers of the test's own. at_once: both hold a conversation at the same time, since
    most of it is waiting; a script then keeps no state outside of itself.
    """
    ledger = request.config.stash[LEDGER]
    item = request.node
    module = request.module.__name__.rpartition(".")[2].removeprefix("test_")
    ours, theirs = (stack.enter_context(RawClient(broker.bootstrap_servers)) for broker in (subject, reference))
    if ledger.release != KAFKA_VERSION:  # of the other releases, what they do not have is left out by name
        theirs.advertised = ledger.advertised = ledger.advertised or advertised(reference.bootstrap_servers)

    def talk(script: Script) -> tuple[Any, Any]:
        if at_once:
            with ThreadPoolExecutor(1) as pool:
                seen, expected = pool.submit(script, ours), script(theirs)
            return seen.result(), expected
        expected = script(theirs)
        ours.reconnect()  # a broker may close what has said nothing for as long as the other one took
        return script(ours), expected

    def run(script: Script) -> Any:
        try:
            seen, expected = talk(script)
        except NotAdvertisedError as missing:
            pytest.skip(f"Apache Kafka {ledger.release} does not offer {missing}")
        assert expected, "nothing was compared"
        found = ledger.undecided(item.nodeid, module, differences(seen, expected))
        item.stash[DIFFERENCES] = found
        assert not found, "\n".join(["the brokers differ", *map(str, found)])
        pairs = ledger.conversation(ours.exchanges, theirs.exchanges)
        item.stash[PAIRS] = item.stash.get(PAIRS, 0) + max(pairs, 1)  # a conversation in raw bytes is one
        ours.exchanges.clear()
        theirs.exchanges.clear()
        return expected

    return run
