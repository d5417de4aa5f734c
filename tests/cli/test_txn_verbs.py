"""`kafkacompat txn`: transactions, producers, and hanging transactions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from confluent_kafka import Producer

from kafkacompat import Cluster
from kafkacompat.client.client import Client
from kafkacompat.client.errors import BrokerError
from kafkacompat.client.transaction_admin import abort_on_partition, describe_producers
from tests.cli.verbs import run
from tests.hanging import HANGING_EPOCH, HANGING_ID, leave_hanging


@pytest.fixture(scope="module")
def kafka() -> Iterator[Cluster]:
    """A broker that lets transactional batches in without asking their coordinator, as those before KIP-890."""
    with Cluster(topics={"orders": 2}, config={"transaction.partition.verification.enable": "false"}) as cluster:
        yield cluster


@pytest.fixture
def producer(kafka: Cluster) -> Producer:
    """A producer with an open transaction of the id `shop`, on partition 1 of orders."""
    made = Producer(kafka.config_for("confluent") | {"transactional.id": "shop"})
    made.init_transactions(30)
    made.begin_transaction()
    made.produce("orders", b"apple", partition=1)
    made.flush(30)
    return made


def test_transactions_are_listed_and_described(kafka: Cluster, producer: Producer) -> None:
    servers = kafka.bootstrap_servers
    (row,) = run("txn", "list", "-f", "json", servers=servers).json_lines
    assert (row["transactional_id"], row["coordinator"], row["state"]) == ("shop", 1, "Ongoing")
    for flags, count in (
        (("--state", "Ongoing"), 1), (("--state", "Empty"), 0), (("--producer-id", str(row["producer_id"])), 1),
        (("--producer-id", "999999"), 0), (("--pattern", "sh.p"), 1), (("--pattern", "s"), 0),
        (("--longer-than", "1d"), 0), (("--longer-than", "1ms"), 1),
    ):  # fmt: skip
        assert len(run("txn", "list", *flags, "-f", "json", servers=servers).json_lines) == count, flags
    (active,) = run("txn", "producers", "orders", "-p", "1", "-f", "json", servers=servers).json_lines
    (apple,) = [each for each in kafka.records("orders", partition=1) if each.state == "open"]
    assert (active["producer_id"], active["start_offset"]) == (row["producer_id"], apple.offset)
    (found,) = run("txn", "describe", "shop", "-f", "json", servers=servers).json_lines
    assert found["partitions"] == ["orders-1"]
    assert (found["state"], found["producer_id"], found["producer_epoch"]) == (
        "Ongoing",
        row["producer_id"],
        active["producer_epoch"],
    )
    assert found["timeout_ms"] == 60_000
    assert 0 <= found["open_ms"] <= 600_000


def test_a_hanging_transaction_is_found_and_aborted(kafka: Cluster, producer: Producer) -> None:
    servers = kafka.bootstrap_servers
    leave_hanging(servers, "orders", age_s=3600)
    (found,) = run("txn", "find-hanging", "-f", "json", servers=servers).json_lines
    (lost,) = [each for each in kafka.records("orders", partition=0) if each.state == "open"]
    assert (found["topic"], found["partition"], found["start_offset"]) == ("orders", 0, lost.offset)
    assert (found["producer_id"], found["producer_epoch"], found["transactional_id"]) == (
        HANGING_ID,
        HANGING_EPOCH,
        None,
    )
    assert found["idle_ms"] >= 3_600_000
    assert run("txn", "find-hanging", "--idle", "2h", "-f", "json", servers=servers).json_lines == []
    young = run("txn", "find-hanging", "--idle", "1ms", "-f", "json", servers=servers).json_lines
    assert [each["partition"] for each in young] == [0], "the open one of `shop` is known to its coordinator"
    assert run("txn", "find-hanging", "-t", "orders", "-p", "1", "-f", "json", servers=servers).json_lines == []

    abort = ("txn", "abort", "orders", "-p", "0", "--start-offset", str(lost.offset))
    done = run(*abort, servers=servers)
    assert done == (0, b"", f"transaction of producer {HANGING_ID} aborted on partition 0 of topic 'orders'\n")
    assert run("txn", "find-hanging", "-f", "json", servers=servers).json_lines == []
    assert {each.state for each in kafka.records("orders", partition=0) if each.control is None} == {"aborted"}
    again = run(*abort, servers=servers)
    assert again.status == 3
    assert (
        f"has no open transaction that begins at offset {lost.offset}; kafkacompat txn producers orders shows"
        in again.err
    )
    producer.commit_transaction(30)
    written = [each for each in kafka.records("orders", partition=1) if each.control is None]
    assert written[-1].state == "committed"


def test_a_marker_of_an_older_epoch_is_refused(kafka: Cluster) -> None:
    leave_hanging(kafka.bootstrap_servers, "orders", age_s=0, producer_id=HANGING_ID + 1)
    with Client(kafka.bootstrap_servers) as client:
        (left,) = [each for each in describe_producers(client, [("orders", 0)]) if each.start_offset is not None]
        with pytest.raises(BrokerError, match="INVALID_PRODUCER_EPOCH"):
            abort_on_partition(client, left._replace(producer_epoch=HANGING_EPOCH - 1))
        abort_on_partition(client, left)
        assert all(each.start_offset is None for each in describe_producers(client, [("orders", 0)]))


def test_what_is_not_there_or_not_valid_has_a_status(servers: str) -> None:
    unknown = run("txn", "describe", "nobody", servers=servers)
    assert unknown == (
        3, b"",
        "kafkacompat: transactional id 'nobody': it does not exist (TRANSACTIONAL_ID_NOT_FOUND); "
        "kafkacompat txn list names those that do\n",
    )  # fmt: skip
    assert run("txn", "list", "--pattern", "(", servers=servers).status == 7
    assert run("txn", "list", "--state", "Sleeping", servers=servers).status == 2
    assert run("txn", "producers", "no-such-topic", servers=servers).status == 3
