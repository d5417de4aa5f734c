"""`POST /v1/topics/{topic}/records`: writes records without a client, in the format of seeds."""

from __future__ import annotations

import asyncio

from kafkacompat.control_api.http.problems import ProblemError
from kafkacompat.control_api.seeds import Seed, parse_records
from kafkacompat.errors import KafkaCompatError
from kafkacompat.protocol.constants import ACKS_LEADER
from kafkacompat.protocol.records.batch import RecordBatchError
from kafkacompat.storage.errors import LogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.control_api.http.calls import Call
    from kafkacompat.server.broker_server import BrokerServer

    Plain = dict[str, Any]


BUILT_HERE_MAX = 500
"""The batches of more records are built beside the event loop: 10 µs for each."""
BATCHES_PER_TURN = 50
"""Batches that are appended in one turn of the event loop: 5 ms."""


async def write_records(call: Call) -> Plain:
    """Write records at the leaders, as acks=1 does. Returns the first and the last offset of each partition."""
    name, image, records = call.path["topic"], call.server.broker.image, call.body["records"]
    if name not in image.topics:
        raise ProblemError(404, "no-topic", f"there is no topic {name!r:.300}: create it with POST /v1/topics")
    partitions, now_ms = image.topics[name].partitions, call.server.now().wall_ms
    if len(records) > BUILT_HERE_MAX:
        batches = await asyncio.to_thread(_built, name, records, len(partitions), now_ms)
    else:
        batches = _built(name, records, len(partitions), now_ms)
    servers = dict(call.servers)
    missing = [index for index in batches if partitions[index].leader not in servers]
    if missing:
        raise ProblemError(409, "state", f"partition {missing[0]} of {name!r} is not led by a node of this process")
    written: list[Plain] = []
    count = 0
    for index, of_partition in sorted(batches.items()):
        server, offsets = servers[partitions[index].leader], []
        for batch in of_partition:
            offsets.append(_append(server, name, index, batch))
            count += 1
            if count % BATCHES_PER_TURN == 0:
                server.after_event()
                await asyncio.sleep(0)
        written.append({"partition": index, "first_offset": offsets[0][0], "last_offset": offsets[-1][1]})
    return {"topic": name, "partitions": written}


def _built(topic: str, records: list[Plain], partition_count: int, now_ms: int) -> dict[int, list[bytearray]]:
    """The batches of a body by partition. Raises ProblemError, KafkaCompatError."""
    return seed_of(topic, records).batches(topic, partition_count, now_ms)


def seed_of(topic: str, records: list[Plain]) -> Seed:
    """The records of a body. Raises ProblemError for one that cannot be read."""
    try:
        return Seed({}, parse_records({topic: records}))
    except KafkaCompatError as error:
        raise ProblemError(400, "records", str(error)) from None


def _append(server: BrokerServer, topic: str, index: int, batch: bytearray) -> tuple[int, int]:
    partition = server.broker.partitions.get(topic, index)
    if partition is None:
        raise ProblemError(409, "state", f"partition {index} of {topic!r} has no log here yet: try again")
    try:
        info = server.broker.partitions.append(partition, memoryview(batch), ACKS_LEADER, server.now())
    except (LogError, RecordBatchError) as refused:
        raise ProblemError(409, "state", f"the records of {topic}-{index} are not written: {refused}") from None
    return info.first_offset, info.last_offset
