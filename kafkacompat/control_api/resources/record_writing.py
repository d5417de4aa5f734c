"""`POST /v1/topics/{topic}/records`: writes records without a client, in the format of seeds."""

from __future__ import annotations

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


def write_records(call: Call) -> Plain:
    """Write records at the leaders, as acks=1 does. Returns the first and the last offset of each partition."""
    name, image = call.path["topic"], call.server.broker.image
    if name not in image.topics:
        raise ProblemError(404, "no-topic", f"there is no topic {name!r:.300}: create it with POST /v1/topics")
    partitions = image.topics[name].partitions
    batches = seed_of(name, call.body["records"]).batches(name, len(partitions), call.server.now().wall_ms)
    missing = [index for index in batches if partitions[index].leader not in call.servers]
    if missing:
        raise ProblemError(409, "state", f"partition {missing[0]} of {name!r} is not led by a node of this process")
    written = []
    for index, of_partition in sorted(batches.items()):
        offsets = [_append(call.servers[partitions[index].leader], name, index, batch) for batch in of_partition]
        written.append({"partition": index, "first_offset": offsets[0][0], "last_offset": offsets[-1][1]})
    return {"topic": name, "partitions": written}


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
