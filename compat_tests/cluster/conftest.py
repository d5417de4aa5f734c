"""Two clusters of three, and a conversation that both hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import count
from typing import Any

import pytest

from compat_tests.api.raw import differences
from compat_tests.chaos import view
from compat_tests.chaos.nodes import KINDS, Nodes
from compat_tests.cluster.party import Party
from compat_tests.report.collector import DIFFERENCES, LEDGER, PAIRS, RECORDER
from compat_tests.running import closed_at_the_end

SETTINGS: Mapping[str, str] = {
    "auto.create.topics.enable": "false",
    "auto.leader.rebalance.enable": "false",
    "broker.rack": "rack-{node}",
    "log.initial.task.delay.ms": "86400000",
    "offsets.load.buffer.size": "1",  # Apache Kafka takes longer to load groups then: that can be seen
    "replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector",
}
Script = Callable[[Party], Any]
Compare = Callable[[Script], Any]
_TAGS = count()
READY_TIMEOUT_S = 60.0


@pytest.fixture(scope="session")
def _running_clusters() -> Iterator[dict[str, Nodes]]:
    yield from closed_at_the_end()


@pytest.fixture
def shared_cluster(_running_clusters: dict[str, Nodes], request: pytest.FixtureRequest) -> Callable[[str], Nodes]:
    """`shared_cluster(kind)` is the running cluster of that kind that all tests share. Who stops a node brings it back.

    Also known as `shared_broker`, by which the collector sees that a test talks to a broker.
    """
    recorder = request.config.stash[RECORDER]

    def running(kind: str) -> Nodes:
        if kind not in KINDS:
            pytest.skip(f"{kind} is no cluster of three that may be stopped and killed")
        if kind not in _running_clusters:
            made = KINDS[kind](3, config=SETTINGS, stand_in=lambda port: recorder.listen("127.0.0.1", port))
            _running_clusters[kind] = made  # closed at the end, started or not
            made.start()
            view.create(made, "is-ready", 1, 3)
            with ExitStack() as stack:
                Party(made, "is-ready", "0", stack).coordinator("any")  # who asks first makes the topic of groups
            view.wait(lambda: view.is_well(made), READY_TIMEOUT_S)
            recorder.take()
        return _running_clusters[kind]

    return running


@pytest.fixture
def shared_broker(shared_cluster: Callable[[str], Nodes]) -> Callable[[str], Nodes]:
    return shared_cluster


@pytest.fixture
def nodes(broker_kind: str, shared_broker: Callable[[str], Nodes]) -> Nodes:
    """The running cluster of the kind that the test runs on."""
    return shared_broker(broker_kind)


@pytest.fixture
def party(nodes: Nodes, topic: str) -> Iterator[Party]:
    """The same to talk to."""
    with ExitStack() as stack:
        yield Party(nodes, topic, f"t{next(_TAGS)}", stack)


@pytest.fixture
def compare(request: pytest.FixtureRequest, shared_broker: Callable[[str], Nodes], topic: str) -> Iterator[Compare]:
    """`compare(script)` holds a conversation with both clusters and fails with every field in which the answers differ,
    but for what `decisions.py` says is meant. What Apache Kafka answered is returned.

    With `--broker kafka` Apache Kafka is compared with itself: that shows whether a question has one answer alone.
    """
    chosen = request.config.getoption("--broker")
    if chosen == "kafkacompat":
        pytest.skip("compares two clusters, runs with --broker both")
    subject = shared_broker("kafka" if chosen == "kafka" else "kafkacompat")
    reference = shared_broker("kafka")
    with ExitStack() as stack:
        ours, theirs = (Party(each, topic, f"t{next(_TAGS)}", stack) for each in (subject, reference))
        yield lambda script: _compared(request, script, ours, theirs)


def _compared(request: pytest.FixtureRequest, script: Script, ours: Party, theirs: Party) -> Any:
    ledger = request.config.stash[LEDGER]
    item = request.node
    module = request.module.__name__.rpartition(".")[2].removeprefix("test_")
    seen, expected = _held(script, ours, theirs)
    assert expected, "nothing was compared"
    found = ledger.undecided(item.nodeid, module, differences(seen, expected))
    item.stash[DIFFERENCES] = found
    assert not found, "\n".join(["the clusters differ", *map(str, found)])
    pairs = ledger.conversation(ours.exchanges, theirs.exchanges)
    item.stash[PAIRS] = item.stash.get(PAIRS, 0) + max(pairs, 1)
    return expected


def _held(script: Script, ours: Party, theirs: Party) -> tuple[Any, Any]:
    """What both said, at the same time: most of a conversation is waiting for sessions to end and nodes to start."""
    if ours.nodes is theirs.nodes:  # one would stop the other's nodes
        return script(ours), script(theirs)
    with ThreadPoolExecutor(2) as pool:
        seen, expected = pool.submit(script, ours), pool.submit(script, theirs)
    return seen.result(), expected.result()
