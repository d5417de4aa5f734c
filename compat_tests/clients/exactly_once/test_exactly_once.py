"""Each client's program copies a topic in transactions while it and the broker are killed: each record arrives once."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from compat_tests.broker_process import Broker
from compat_tests.clients.exactly_once.cluster import CONFIG, Cluster, OneBroker, Replicated
from compat_tests.clients.exactly_once.loop import PER_TRANSACTION, Plan, run, transaction_timeout_ms
from compat_tests.clients.exactly_once.programs import PROGRAMS
from compat_tests.kafkacompat_broker import KafkacompatBroker
from compat_tests.recorder.client import Recorder

pytestmark = pytest.mark.api("InitProducerId", "TxnOffsetCommit", "EndTxn")

KILLS, KILLS_IN_FULL = 4, 50


@pytest.fixture
def kills(request: pytest.FixtureRequest) -> int:
    """How often something is killed."""
    return int(os.environ.get("KAFKACOMPAT_KILLS", KILLS_IN_FULL if request.config.getoption("--full") else KILLS))


def holds(plan: Plan, cluster: Cluster, group: str, folder: Path) -> None:
    """Run a loop: nothing is missing, nothing too much."""
    finding = run(plan, cluster, group, folder)
    assert not finding.missing, finding
    assert not finding.doubled, finding
    assert finding.sent > PER_TRANSACTION * plan.kills
    print(f"{plan}: {finding}")


def seed_of(group: str) -> int:
    return zlib.crc32(group.encode())


@pytest.mark.parametrize("client", PROGRAMS)
def test_each_record_arrives_once(
    client: str, kills: int, broker_kind: str, new_broker: Callable[..., Broker], group: str, tmp_path: Path
) -> None:
    plan = Plan(client, kills, seed_of(group), transaction_timeout_ms=transaction_timeout_ms(broker_kind))
    holds(plan, OneBroker(new_broker(CONFIG)), group, tmp_path)


@pytest.mark.parametrize("client", ["java-mixed", "confluent-kafka"])
def test_while_transaction_version_is_upgraded(
    client: str, kills: int, broker_kind: str, new_broker: Callable[..., Broker], group: str, tmp_path: Path
) -> None:
    timeout_ms = transaction_timeout_ms(broker_kind)
    plan = Plan(client, kills, seed_of(group), upgrades=True, transaction_timeout_ms=timeout_ms)
    holds(plan, OneBroker(new_broker(CONFIG)), group, tmp_path)


@pytest.mark.once
@pytest.mark.parametrize("client", ["confluent-kafka", "java-tv2"])
def test_a_broker_that_drops_markers_is_found(
    client: str, broker_kind: str, recorder: Recorder, group: str, tmp_path: Path
) -> None:
    """Under both protocols the records of a transaction without its marker share the fate of the next one."""
    if broker_kind != "kafkacompat":
        pytest.skip("the mistake is planted in a broker of ours")
    broker = KafkacompatBroker(
        CONFIG, stand_in=lambda port: recorder.listen("127.0.0.1", port), seed="markers_are_dropped"
    )
    try:
        broker.start()
        finding = run(Plan(client, KILLS, seed_of(group)), OneBroker(broker), group, tmp_path)
    finally:
        broker.close()
    assert finding.missing or finding.doubled, finding


@pytest.mark.parametrize("client", ["java-tv2", "java-mixed", "confluent-kafka", "franz-go", "streams"])
def test_with_three_brokers(
    client: str, kills: int, broker_kind: str, recorder: Recorder, group: str, tmp_path: Path
) -> None:
    if broker_kind not in ("kafka", "kafkacompat"):
        pytest.skip("brokers somewhere else cannot be killed")
    cluster = Replicated(broker_kind, 3, CONFIG, lambda port: recorder.listen("127.0.0.1", port))
    try:
        timeout_ms = transaction_timeout_ms(broker_kind)
        plan = Plan(client, kills, seed_of(group), replicas=3, transaction_timeout_ms=timeout_ms)
        holds(plan, cluster, group, tmp_path)
    finally:
        cluster.close()
