"""Apache Kafka's TransactionsCommand: open transactions are listed, described and terminated; one that no coordinator
knows of is found and aborted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import KafkaException, Producer

from compat_tests.broker_process import Broker
from compat_tests.clients.java_tools.tools import TRANSACTIONS, ToolError, Tools, table
from compat_tests.clients.samples import Patience
from tests.hanging import HANGING_EPOCH, HANGING_ID, leave_hanging
from tests.waiting import wait_until

HOUR_S = 3600
LONGEST_MS = 900_000
"""The longest time-out: no transaction ends by itself while tools start."""
SETTINGS = {"transaction.partition.verification.enable": "false"}
"""Before KIP-890 brokers took transactional batches without asking the coordinator, and transactions could hang."""


@pytest.fixture
def tools(new_broker: Callable[..., Broker], tmp_path: Path, needs_java: None) -> Tools:
    """The newest tools, on a broker on which transactions can hang. Those of 3.9 cannot filter by pattern."""
    return Tools(new_broker(SETTINGS).bootstrap_servers, tmp_path)


def rows(tools: Tools, first: str, *words: str) -> list[dict[str, str]]:
    """The table that the tool prints. first: its first column."""
    return table(tools.run(TRANSACTIONS, *words), first)


def listed(tools: Tools, *words: str) -> dict[str, tuple[str, str]]:
    """The producer id and state of each transactional id in the tool's list."""
    found = rows(tools, "TransactionalId", "list", *words)
    return {each["TransactionalId"]: (each["ProducerId"], each["TransactionState"]) for each in found}


def described(tools: Tools, transactional_id: str) -> dict[str, str]:
    (found,) = rows(tools, "CoordinatorId", "describe", "--transactional-id", transactional_id)
    return found


def producers(tools: Tools, topic: str, partition: int, *words: str) -> list[dict[str, str]]:
    return rows(tools, "ProducerId", "describe-producers", "--topic", topic, "--partition", str(partition), *words)


def begun(tools: Tools, topic: str, transactional_id: str) -> Producer:
    """A producer with an open transaction in partition 1."""
    producer = Producer(
        {
            "bootstrap.servers": tools.bootstrap_servers, "transactional.id": transactional_id,
            "transaction.timeout.ms": LONGEST_MS, "log_level": 0,
        }
    )  # fmt: skip
    producer.init_transactions(Patience.wait_s)
    producer.begin_transaction()
    producer.produce(topic, b"apple", partition=1)
    assert producer.flush(Patience.wait_s) == 0
    return producer


@pytest.mark.full("kafka")
@pytest.mark.api("ListTransactions", "DescribeTransactions", "DescribeProducers", "InitProducerId")
def test_an_open_transaction_is_listed_and_described_and_terminated(tools: Tools, topic: str) -> None:
    tools.create(topic, 2)
    producer = begun(tools, topic, "shop")
    ended = begun(tools, topic, "stall")
    ended.commit_transaction(Patience.wait_s)

    # an answer to EndTxn comes when the end is decided, and markers and the row behind it
    wait_until(lambda: listed(tools)["stall"][1] == "CompleteCommit")
    found = listed(tools)
    assert {name: state for name, (_, state) in found.items()} == {"shop": "Ongoing", "stall": "CompleteCommit"}
    assert set(listed(tools, "--transactional-id-pattern", "sh.*", "--duration-filter", "1")) == {"shop"}
    assert listed(tools, "--duration-filter", str(HOUR_S * 1000)) == {}
    shop = described(tools, "shop")
    assert (shop["ProducerId"], shop["ProducerEpoch"]) == (found["shop"][0], "0")
    assert (shop["TransactionState"], shop["TopicPartitions"]) == ("Ongoing", f"{topic}-1")
    assert int(shop["TransactionDurationMs"]) >= 0
    told = producers(tools, topic, 1, "--broker-id", shop["CoordinatorId"])
    starts = {each["ProducerId"]: each["CurrentTransactionStartOffset"] for each in told}
    assert starts == {found["shop"][0]: "0", found["stall"][0]: "None"}

    tools.run(TRANSACTIONS, "forceTerminateTransaction", "--transactionalId", "shop")
    assert described(tools, "shop")["TransactionState"] in ("Empty", "CompleteAbort")
    with pytest.raises(KafkaException) as raised:
        producer.commit_transaction(Patience.wait_s)
    assert raised.value.args[0].fatal(), raised.value  # the epoch is not its own any more
    assert {each["CurrentTransactionStartOffset"] for each in producers(tools, topic, 1)} == {"None"}


@pytest.mark.full("kafka")
@pytest.mark.api("DescribeProducers", "ListTransactions", "WriteTxnMarkers")
def test_one_that_hangs_is_found_and_aborted_and_no_other(tools: Tools, topic: str) -> None:
    tools.create(topic, 2)
    producer = begun(tools, topic, "shop")
    leave_hanging(tools.bootstrap_servers, topic, age_s=HOUR_S)
    (found,) = rows(tools, "Topic", "find-hanging", "--topic", topic)
    del found["LastTimestamp"]
    assert found == {
        "Topic": topic, "Partition": "0", "ProducerId": str(HANGING_ID), "ProducerEpoch": str(HANGING_EPOCH),
        "CoordinatorEpoch": "-1", "StartOffset": "0", "Duration(min)": "60",
    }  # fmt: skip
    broker_id = described(tools, "shop")["CoordinatorId"]
    (same,) = rows(tools, "Topic", "find-hanging", "--broker-id", broker_id)
    assert (same["Topic"], same["Partition"]) == (topic, "0")
    assert rows(tools, "Topic", "find-hanging", "--topic", topic, "--max-transaction-timeout", "90") == []

    with pytest.raises(ToolError) as refused:
        tools.run(TRANSACTIONS, "abort", "--topic", topic, "--partition", "0", "--start-offset", "7")
    assert "Could not find any open transactions starting at offset 7" in refused.value.output
    tools.run(TRANSACTIONS, "abort", "--topic", topic, "--partition", "0", "--start-offset", "0")
    assert rows(tools, "Topic", "find-hanging", "--topic", topic) == []
    (aborted,) = producers(tools, topic, 0)
    assert (aborted["CurrentTransactionStartOffset"], aborted["LatestCoordinatorEpoch"]) == ("None", "0")

    leave_hanging(tools.bootstrap_servers, topic, age_s=HOUR_S, producer_id=HANGING_ID + 1)
    pair = ("--producer-id", str(HANGING_ID + 1), "--producer-epoch", str(HANGING_EPOCH), "--coordinator-epoch", "-1")
    tools.run(TRANSACTIONS, "abort", "--topic", topic, "--partition", "0", *pair)  # as for brokers before 3.0
    assert rows(tools, "Topic", "find-hanging", "--topic", topic) == []
    producer.commit_transaction(Patience.wait_s)
