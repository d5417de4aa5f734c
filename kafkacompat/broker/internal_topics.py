"""Internal topics, and the automatic creation of topics on first use (Kafka's AutoTopicCreationManager)."""

import logging

from kafkacompat.broker.coordinator.coordinators import BY_TOPIC
from kafkacompat.broker.network import FORWARD
from kafkacompat.broker.purgatory import METADATA_KEY
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.api_keys import CREATE_TOPICS
from kafkacompat.protocol.constants import BROKER_DEFAULT
from kafkacompat.storage.partition_dir import is_topic_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from typing import Protocol

    from kafkacompat.broker import services
    from kafkacompat.now import Now
    from kafkacompat.protocol.messages.create_topics import CreatableTopic

    class Node(services.Configured, services.Metadata, services.Waiting, services.ControllerCalls, Protocol):
        """The services that automatic creation uses."""


log = logging.getLogger(__name__)

ADMIN_CLIENT_ID = "__admin_client"
"""The one client that may produce to internal topics (Kafka's KafkaApis.handleProduceRequest)."""
CREATE_TOPICS_VERSION = 7


def may_produce(client_id: str | None, topic: str) -> bool:
    """Whether a client may produce to the topic. Coordinators append without this check."""
    return topic not in BY_TOPIC or client_id == ADMIN_CLIENT_ID


class InternalTopics:
    """Creates topics through the controller."""

    def __init__(self, node: "Node") -> None:
        self._node = node
        self._creating: dict[str, list[dict[str, int]]] = {}  # topic -> where its error goes, one dict per caller

    def is_internal(self, topic: str) -> bool:
        """Whether clients see the topic marked as internal."""
        return topic in BY_TOPIC

    def auto_create(self, names: "Sequence[str]", now: "Now") -> "tuple[dict[str, int], list[Hashable]]":
        """Create the topics that do not exist. Returns a dict of errors by topic, which is filled in as answers arrive,
        and the keys to wait for.
        """
        from kafkacompat.protocol.messages.create_topics import CreateTopicsRequest

        missing = [name for name in dict.fromkeys(names) if name not in self._node.image.topics]
        failures: dict[str, int] = {}
        asked = [name for name in missing if name not in self._creating]
        for name in missing:
            self._creating.setdefault(name, []).append(failures)
        if asked:
            timeout_ms = self._node.request_timeout_ms
            request = CreateTopicsRequest(topics=[self._topic(name) for name in asked], timeout_ms=timeout_ms)
            self._node.channel.request(
                FORWARD, CREATE_TOPICS, CREATE_TOPICS_VERSION, request,
                lambda response, at: self._created(asked, response, at), timeout_ms=timeout_ms, now=now,
            )  # fmt: skip
        is_there = all(name in failures or name in self._node.image.topics for name in missing)
        return failures, [] if is_there else [METADATA_KEY]

    def _created(self, asked: "Sequence[str]", response: object, now: "Now") -> None:
        from kafkacompat.protocol.messages.create_topics import CreateTopicsResponse

        waiting = {name: self._creating.pop(name) for name in asked}
        results = response.topics if isinstance(response, CreateTopicsResponse) else ()
        for result in results:
            name, error = result.name, result.error_code
            if error in (errors.NONE, errors.TOPIC_ALREADY_EXISTS):
                continue
            for failures in waiting.get(name, ()):
                failures[name] = error
            if is_topic_name(name):  # an illegal name is the client's mistake, and it gets the error
                reason = result.error_message or errors.name(error)
                log.warning("topic %s, which a client asked for, cannot be created: %s", name, reason)
        self._node.purgatory.touch(METADATA_KEY, now)

    def _topic(self, name: str) -> "CreatableTopic":
        from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig

        row = BY_TOPIC.get(name)
        if row is None:
            return CreatableTopic(name, BROKER_DEFAULT, BROKER_DEFAULT)
        config = self._node.config
        configs = [CreatableTopicConfig(key, value) for key, value in row.topic_configs(config).items()]
        return CreatableTopic(name, row.partition_count(config), row.replication_factor(config), configs=configs)
