"""Reports the directories of this broker's replicas to the controller (KIP-858, Kafka's AssignmentsManager).

The metadata is outdated when a broker's disk was replaced: it returns with a new directory id, while its replicas are
assigned to the old one, and the controller would never elect them as leaders again.
"""

import logging

from kafkacompat.broker.network import ALTER_ISR
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.api_keys import ASSIGN_REPLICAS_TO_DIRS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from kafkacompat.broker import services
    from kafkacompat.now import Now
    from kafkacompat.protocol.messages.assign_replicas_to_dirs import AssignReplicasToDirsRequest
    from kafkacompat.replication.metadata.image import TopicImage

    class Node(
        services.Identity, services.Metadata, services.Storage, services.Waiting, services.ControllerCalls, Protocol
    ):
        """What this uses of its node."""

    Replica = tuple[bytes, bytes, int]  # directory id, topic id, partition

log = logging.getLogger(__name__)

ASSIGN_VERSION = 0
MAX_REPLICAS = 2_000
"""Per request, a little below Kafka's limit; the others go with the next one."""
RETRY_MS = 500


class DirectoryAssignments:
    """Checks a broker's replicas after each metadata change, and sends corrections one request at a time."""

    def __init__(self, node: "Node") -> None:
        self._node = node
        self._seen: Mapping[str, TopicImage] = {}  # of the last image in which all were right
        self._is_asking = False

    def check(self, now: "Now") -> None:
        """Compare the directories in the metadata with the actual ones, and send corrections."""
        broker = self._node
        if self._is_asking or broker.broker_epoch < 0:
            return
        if broker.image.topics is not self._seen:
            found = self._misplaced()
            if found:
                self._ask(found, now)
            else:
                self._seen = broker.image.topics

    def _misplaced(self) -> "list[Replica]":
        """Replicas of this broker with another directory in the metadata; those in an offline one are left out."""
        node_id, logs = self._node.node_id, self._node.logs
        found = []
        for name, topic in self._node.image.topics.items():
            seen = self._seen.get(name)
            if seen is topic:
                continue
            known = () if seen is None else seen.partitions
            for index, partition in enumerate(topic.partitions):
                is_seen = index < len(known) and known[index] is partition
                if is_seen or node_id not in partition.replicas:
                    continue
                directory = logs.directory_for(name, index)
                if directory.offline is None and partition.directory(node_id) != directory.directory_id:
                    found.append((directory.directory_id, topic.topic_id, index))
        return found

    def _ask(self, found: "list[Replica]", now: "Now") -> None:
        self._is_asking = True
        log.info("reporting the directories of %d replicas to the controller", len(found))
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
        """Check again after a pause, whatever the response was: accepted assignments are in the image by then."""
        self._is_asking = False
        code = getattr(response, "error_code", errors.NONE)
        if code != errors.NONE:
            log.warning("the controller refuses the directories of replicas: error %d", code)
        self._node.timers.set(self, now.monotonic_ms + RETRY_MS, self.check)
