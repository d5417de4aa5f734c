"""Reports the directories of this broker's replicas to the controller (KIP-858, Kafka's AssignmentsManager).

The metadata does not name the directory of a new replica where a broker has several: the broker chooses. It is
outdated when a disk was replaced: the broker returns with a new directory id, while its replicas are assigned to the
old one, and the controller would never elect them as leaders again.
"""

import logging
from functools import partial

from kafkacompat.broker.network import ALTER_ISR
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.api_keys import ASSIGN_REPLICAS_TO_DIRS
from kafkacompat.steps import UNITS_PER_STEP, Stepped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol

    from kafkacompat.broker import services
    from kafkacompat.now import Now
    from kafkacompat.protocol.messages.assign_replicas_to_dirs import AssignReplicasToDirsRequest
    from kafkacompat.replication.metadata.image import TopicImage
    from kafkacompat.steps import Steps

    class Node(
        services.Identity, services.Metadata, services.Storage, services.Waiting, services.ControllerCalls, Protocol
    ):
        """What this uses of its node."""

    Replica = tuple[bytes, bytes, int]  # directory id, topic id, partition

log = logging.getLogger(__name__)

ASSIGN_VERSION = 0
MAX_REPLICAS = 500
"""Per request; the others go with the next one. Apache Kafka has 2,250: so many hold a controller's loop for 40 ms."""
BATCH_MS = 100
"""How long a correction waits for others, unless a request is full; and the next request for the last one."""
RETRY_MIN_MS = 100
RETRY_MAX_MS = 10_000
"""After a failure; each further one doubles the pause."""
CHECK_MS = 500
"""After a success the corrections are in the image by then."""
COMPARED_PER_UNIT = 4
"""Partitions that are compared for a unit of work."""


class DirectoryAssignments:
    """Checks a broker's replicas after each metadata change, and sends corrections one request at a time."""

    def __init__(self, node: "Node") -> None:
        self._node = node
        self._seen: Mapping[str, TopicImage] = {}  # of the last image in which all were right
        self._is_asking = False  # or waiting to, or comparing
        self._has_more = False  # than the request that was sent last
        self._failures = 0  # in a row

    def check(self, now: "Now") -> None:
        """Compare the directories in the metadata with the actual ones, and send corrections."""
        broker = self._node
        if self._is_asking or broker.broker_epoch < 0:
            return
        if broker.image.topics is not self._seen or broker.logs.opened_topics:
            self._is_asking = True
            self._compare(Stepped(self._misplaced()), self._compared, now)

    def _compare(self, work: Stepped, done: "Callable[[Any, Now], None]", now: "Now") -> None:
        """In several turns, where thousands of partitions may be misplaced."""
        if work.resume():
            done(work.result, now)
        else:
            self._node.timers.set(self, now.monotonic_ms, partial(self._compare, work, done))

    def _compared(self, found: "list[Replica]", now: "Now") -> None:
        if not found or self._node.broker_epoch < 0:
            self._is_asking = False
            self.check(now)  # the metadata may have changed meanwhile
        elif len(found) >= MAX_REPLICAS:
            self._ask(found, now)
        else:
            self._node.timers.set(self, now.monotonic_ms + BATCH_MS, self._ask_for_all)

    def logs_opened(self, now: "Now") -> None:
        """Logs were opened after the image was checked, maybe. Where there is one directory, the metadata named it
        before.
        """
        if self._node.logs.opened_topics:
            self.check(now)

    def _ask_for_all(self, now: "Now") -> None:
        self._compare(Stepped(self._misplaced()), self._compared_again, now)

    def _compared_again(self, found: "list[Replica]", now: "Now") -> None:
        if found and self._node.broker_epoch >= 0:
            self._ask(found, now)
        else:
            self._is_asking = False
            self.check(now)

    def _misplaced(self) -> "Steps[list[Replica]]":
        """Replicas of this broker with another directory in the metadata, whose logs are open or were when it failed;
        those whose future replicas have all records, too (Kafka's ``ReplicaAlterLogDirsThread``). Without any, all that
        was compared is right.
        """
        node_id, logs, topics = self._node.node_id, self._node.logs, self._node.image.topics
        opened = set(logs.opened_topics)
        logs.opened_topics.clear()  # others may open meanwhile
        found, compared = [], 0
        for name in opened if topics is self._seen else topics:
            topic = topics.get(name)
            seen = None if name in opened else self._seen.get(name)
            if topic is None or seen is topic:
                continue
            known = () if seen is None else seen.partitions
            for index, partition in enumerate(topic.partitions):
                is_seen = index < len(known) and known[index] is partition
                if is_seen or node_id not in partition.replicas:
                    continue
                compared += 1
                if compared % (COMPARED_PER_UNIT * UNITS_PER_STEP) == 0:
                    yield UNITS_PER_STEP
                assigned = partition.directory(node_id)
                directory = logs.directory_to_report(name, index, topic.topic_id, assigned)
                if directory is not None and directory.directory_id != assigned:
                    found.append((directory.directory_id, topic.topic_id, index))
        if found:
            logs.opened_topics.update(opened)
        else:
            self._seen = topics
        return found

    def _ask(self, found: "list[Replica]", now: "Now") -> None:
        log.info("reporting the directories of %d replicas to the controller", len(found))
        self._has_more = len(found) > MAX_REPLICAS
        self._node.channel.request(
            ALTER_ISR, ASSIGN_REPLICAS_TO_DIRS, ASSIGN_VERSION, self._request(found[:MAX_REPLICAS]), self._answered,
            timeout_ms=self._node.request_timeout_ms, now=now,
        )  # fmt: skip

    def _request(self, found: "list[Replica]") -> "AssignReplicasToDirsRequest":
        from kafkacompat.protocol.messages import assign_replicas_to_dirs as messages

        by_directory: dict[bytes, dict[bytes, list[int]]] = {}
        for directory_id, topic_id, index in found:
            by_directory.setdefault(directory_id, {}).setdefault(topic_id, []).append(index)
        directories = [
            messages.AssignReplicasToDirsRequestDirectoryData(
                directory_id,
                [
                    messages.AssignReplicasToDirsRequestTopicData(
                        topic_id, [messages.AssignReplicasToDirsRequestPartitionData(index) for index in indexes]
                    )
                    for topic_id, indexes in by_topic.items()
                ],
            )
            for directory_id, by_topic in by_directory.items()
        ]
        return messages.AssignReplicasToDirsRequest(self._node.node_id, self._node.broker_epoch, directories)

    def _answered(self, response: object | None, now: "Now") -> None:
        """Check again after a pause, whatever the response was."""
        code = getattr(response, "error_code", errors.NONE)
        if response is not None and code == errors.NONE:
            self._failures, pause_ms = 0, BATCH_MS if self._has_more else CHECK_MS
        else:
            pause_ms = min(RETRY_MIN_MS << min(self._failures, 10), RETRY_MAX_MS)
            self._failures += 1
            if code != errors.NONE:
                log.warning("the controller refuses the directories of replicas: error %d", code)
        self._node.timers.set(self, now.monotonic_ms + pause_ms, self._check_again)

    def _check_again(self, now: "Now") -> None:
        self._is_asking = False
        self.check(now)
