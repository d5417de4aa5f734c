"""A transaction that hangs: open on a partition, while no coordinator knows of it."""

from __future__ import annotations

import time

from kafkacompat.client.client import Client
from kafkacompat.protocol.messages import produce
from kafkacompat.protocol.records.builder import Record, build_batch

HANGING_ID = 424_242
HANGING_EPOCH = 3
VERIFIED_VERSION = 11
"""The last version of Produce that does not add partitions to transactions itself, and names topics."""


def leave_hanging(servers: str, topic: str, age_s: int, producer_id: int = HANGING_ID) -> None:
    """Write a transactional batch to partition 0. The broker must not verify transactions
    (`transaction.partition.verification.enable`).
    """
    written_ms = int((time.time() - age_s) * 1000)
    batch = build_batch(
        [Record(0, written_ms, None, b"lost")], producer_id=producer_id, producer_epoch=HANGING_EPOCH, base_sequence=0,
        is_transactional=True,
    )  # fmt: skip
    data = [produce.TopicProduceData(topic, partition_data=[produce.PartitionProduceData(0, memoryview(batch))])]
    with Client(servers) as client:
        request = produce.ProduceRequest("nobody", -1, 10_000, data)
        answer = client.call_node(client.leader((topic, 0)), produce, request, max_version=VERIFIED_VERSION)
    assert answer.responses[0].partition_responses[0].error_code == 0
