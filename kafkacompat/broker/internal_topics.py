"""Topics that nobody creates by hand: Kafka's own, and those that a client's question brings into being."""

from kafkacompat.broker.purgatory import METADATA_KEY
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from kafkacompat.replication.controller.topics import create_topics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from kafkacompat.broker.broker import Broker
    from kafkacompat.now import Now

GROUP_TOPIC = "__consumer_offsets"
TRANSACTION_TOPIC = "__transaction_state"
SHARE_TOPIC = "__share_group_state"
INTERNAL_TOPICS = frozenset((GROUP_TOPIC, TRANSACTION_TOPIC, SHARE_TOPIC))
BROKER_DEFAULT = -1


class InternalTopics:
    """Creates topics on behalf of the broker."""

    def __init__(self, broker: "Broker") -> None:
        self._broker = broker

    def is_internal(self, topic: str) -> bool:
        """Whether clients see the topic marked as internal."""
        return topic in INTERNAL_TOPICS

    def holds_groups(self, topic: str) -> bool:
        """Whether the group coordinator keeps its state there."""
        return topic == GROUP_TOPIC

    def ensure(self, name: str, now: "Now") -> "Hashable | None":
        """None when the topic is there; else it is being created, and this is the key to wait for."""
        _, wait_for = self.auto_create([name], now)
        return wait_for[0] if wait_for else None

    def auto_create(self, names: "Sequence[str]", now: "Now") -> "tuple[dict[str, int], list[Hashable]]":
        """Create the topics that are not there. Returns the errors by name, and the keys to wait for."""
        missing = [name for name in dict.fromkeys(names) if name not in self._broker.image.topics]
        if not missing:
            return {}, []
        request = CreateTopicsRequest(topics=[self._topic(name) for name in missing])
        submission = self._broker.quorum.submit(
            lambda image, _now: create_topics(request, image, self._broker.settings, self._broker.rng), now
        )
        response = submission.response
        assert isinstance(response, CreateTopicsResponse)
        failures = {
            result.name: result.error_code
            for result in response.topics
            if result.error_code not in (errors.NONE, errors.TOPIC_ALREADY_EXISTS)
        }
        waits = not submission.committed and len(failures) < len(missing)
        return failures, [METADATA_KEY] if waits else []

    def _topic(self, name: str) -> CreatableTopic:
        config = self._broker.config
        if name == GROUP_TOPIC:
            count = config.get_int("offsets.topic.num.partitions")
            factor = config.get_int("offsets.topic.replication.factor")
            configs = {
                "cleanup.policy": "compact",
                "compression.type": "producer",
                "segment.bytes": str(config.get_int("offsets.topic.segment.bytes")),
            }
        elif name == TRANSACTION_TOPIC:
            count = config.get_int("transaction.state.log.num.partitions")
            factor = config.get_int("transaction.state.log.replication.factor")
            configs = {
                "cleanup.policy": "compact",
                "compression.type": "uncompressed",
                "min.insync.replicas": str(config.get_int("transaction.state.log.min.isr")),
                "segment.bytes": str(config.get_int("transaction.state.log.segment.bytes")),
                "unclean.leader.election.enable": "false",
            }
        else:
            count, factor, configs = BROKER_DEFAULT, BROKER_DEFAULT, {}
        return CreatableTopic(
            name, count, factor, configs=[CreatableTopicConfig(key, value) for key, value in configs.items()]
        )
