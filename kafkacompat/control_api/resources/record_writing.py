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
    from kafkacompat.replication.metadata.image import TopicImage
    from kafkacompat.server.broker_server import BrokerServer

    Plain = dict[str, Any]


BUILT_HERE_MAX = 500
"""The batches of more records are built beside the event loop: 10 µs for each."""
BATCHES_PER_TURN = 50
"""Batches that are appended in one turn of the event loop: 5 ms."""


async def write_records(call: Call) -> Plain:
    """Write records at the leaders, as acks=1 does. Returns the first and the last offset of each partition.

    Nodes may stop, restart and be reset between two turns, so each turn looks for the leaders again. A topic that gets
    more partitions meanwhile gets the records where a producer with older metadata would send them.
    """
    name, image, records = call.path["topic"], call.server.broker.image, call.body["records"]
    if name not in image.topics:
        raise ProblemError(404, "no-topic", f"there is no topic {name!r:.300}: create it with POST /v1/topics")
    topic, now_ms = image.topics[name], call.server.now().wall_ms
    if len(records) > BUILT_HERE_MAX:
        batches = await asyncio.to_thread(_built, name, records, len(topic.partitions), now_ms)
    else:
        batches = _built(name, records, len(topic.partitions), now_ms)
    leaders = _Leaders(call, topic)
    for index in batches:
        leaders.of(index)
    written: list[Plain] = []
    in_turn: dict[BrokerServer, None] = {}
    for index, of_partition in sorted(batches.items()):
        offsets = []
        for batch in of_partition:
            if leaders.written_count and leaders.written_count % BATCHES_PER_TURN == 0:
                for each in in_turn:
                    each.after_event()
                in_turn.clear()
                await asyncio.sleep(0)
                leaders.find()
            server = leaders.of(index)
            offsets.append(_append(server, name, index, batch))
            in_turn[server] = None
            leaders.written_count += 1
        written.append({"partition": index, "first_offset": offsets[0][0], "last_offset": offsets[-1][1]})
    return {"topic": name, "partitions": written}


class _Leaders:
    """The leaders of a topic that run in this process: those of the last `find`, which is good for one turn.

    A node that stops is none of them, although its broker could still be written to: its logs are about to be closed.
    """

    def __init__(self, call: Call, topic: TopicImage) -> None:
        self._call = call
        self._topic = topic
        self.written_count = 0
        """Batches that are written, for the errors."""
        self.find()

    def find(self) -> None:
        """Look for them again. Raises ProblemError if no node runs, or none has the topic."""
        servers = self._call.again().servers
        self._servers = {node_id: each for node_id, each in servers.items() if each.is_open and each.is_listening}
        name = self._topic.name
        if not self._servers:
            raise self._problem(f"no node runs in this process that could take the records of {name!r:.300}")
        image = next(iter(self._servers.values())).broker.image
        topic = image.topics.get(name)
        if topic is None or topic.topic_id != self._topic.topic_id:
            raise self._problem(f"topic {name!r:.300} was deleted while its records were written")
        self._topic = topic

    def of(self, index: int) -> BrokerServer:
        """The leader of a partition. Raises ProblemError if it does not run here."""
        leader = self._topic.partitions[index].leader
        if leader not in self._servers:
            raise self._problem(
                f"partition {index} of {self._topic.name!r:.300} is not led by a node that runs in this process"
            )
        return self._servers[leader]

    def _problem(self, detail: str) -> ProblemError:
        return ProblemError(409, "state", f"{detail}: try again ({self.written_count} batches are written)")


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
