"""CreateTopics: names, configs, placement, and the records of new topics."""

from collections import Counter

from kafkacompat.config import ConfigError
from kafkacompat.config.alter import check_topic_configs
from kafkacompat.config.describe import describe_topic
from kafkacompat.protocol.constants import BROKER_DEFAULT
from kafkacompat.protocol.error_codes import (
    INVALID_CONFIG,
    INVALID_PARTITIONS,
    INVALID_REPLICA_ASSIGNMENT,
    INVALID_REPLICATION_FACTOR,
    INVALID_REQUEST,
    INVALID_TOPIC_EXCEPTION,
    NONE,
    POLICY_VIOLATION,
    TOPIC_ALREADY_EXISTS,
)
from kafkacompat.protocol.internal.cluster_metadata import ClearElrRecord, ConfigRecord, PartitionRecord, TopicRecord
from kafkacompat.protocol.messages.create_topics import (
    CreatableTopicConfigs,
    CreatableTopicResult,
    CreateTopicsResponse,
)
from kafkacompat.replication.controller.limits import (
    MAX_PARTITIONS_PER_REQUEST,
    check_record_count,
)
from kafkacompat.replication.controller.partitions import check_assignment, new_partitions
from kafkacompat.replication.controller.placement import place
from kafkacompat.replication.metadata.ids import new_uuid
from kafkacompat.replication.metadata.image import TOPIC_RESOURCE
from kafkacompat.replication.metadata.result import RefusedError, Result
from kafkacompat.storage.partition_dir import MAX_TOPIC_NAME_LENGTH, NAME_CHARACTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random

    from kafkacompat.config import BrokerConfig
    from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.metadata.image import MetadataImage
    from kafkacompat.replication.metadata.settings import Settings
    from kafkacompat.steps import Steps

METADATA_TOPIC = "__cluster_metadata"
UNITS_PER_TOPIC = 5
"""The cost of a topic beside its partitions: checking its name, and an answer with all of its configs."""


def check_topic_name(name: str) -> None:
    """Kafka's Topic.validate. Raises RefusedError with INVALID_TOPIC_EXCEPTION."""
    if not name:
        reason = "the empty string is not allowed"
    elif name in (".", ".."):
        reason = f"'{name}' is not allowed"
    elif len(name) > MAX_TOPIC_NAME_LENGTH:
        reason = f"the length of '{name}' is longer than the max allowed length {MAX_TOPIC_NAME_LENGTH}"
    elif not NAME_CHARACTERS.issuperset(name):
        reason = f"'{name}' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'"
    else:
        return
    raise RefusedError(INVALID_TOPIC_EXCEPTION, f"Topic name is invalid: {reason}")


def create_topics(
    request: "CreateTopicsRequest", image: "MetadataImage", settings: "Settings", rng: "Random"
) -> "Steps[Result]":
    """Create topics (key 19). Each topic succeeds or fails by itself; successes form one atomic batch."""
    creation = _Creation(image, settings, rng)
    times = Counter(topic.name for topic in request.topics)
    results: dict[str, CreatableTopicResult] = {}
    try:
        _check_partition_total(request, creation.config)
        for topic in request.topics:
            try:
                if times[topic.name] > 1:
                    raise RefusedError(INVALID_REQUEST, "Duplicate topic name.")
                results[topic.name] = yield from creation.create(topic)
            except RefusedError as refused:
                results[topic.name] = _failed(topic.name, refused)
        check_record_count(creation.records)
    except RefusedError as refused:
        creation.records.clear()
        results = {name: _failed(name, refused) for name in times}
    response = CreateTopicsResponse(topics=list(results.values()))
    return Result([] if request.validate_only else creation.records, response)


def _failed(name: str, refused: RefusedError) -> CreatableTopicResult:
    return CreatableTopicResult(name, error_code=refused.error_code, error_message=refused.message, configs=[])


def _check_partition_total(request: "CreateTopicsRequest", config: "BrokerConfig") -> None:
    total = 0
    for topic in request.topics:
        count = config.get_int("num.partitions") if topic.num_partitions == BROKER_DEFAULT else topic.num_partitions
        total += len(topic.assignments) or max(0, count)
    if total > MAX_PARTITIONS_PER_REQUEST:
        raise RefusedError(POLICY_VIOLATION, "Excessively large number of partitions per request.")


class _Creation:
    """The topics of one request, and the records and image so far."""

    __slots__ = ("_colliding", "_image", "_rng", "config", "records")

    def __init__(self, image: "MetadataImage", settings: "Settings", rng: "Random") -> None:
        self._image = image
        self._rng = rng
        self.config = settings.broker_config(image)
        self._colliding: dict[str, str] | None = None
        self.records: list[Message] = []

    def create(self, topic: "CreatableTopic") -> "Steps[CreatableTopicResult]":
        """Add one topic's records. Raises RefusedError."""
        yield UNITS_PER_TOPIC
        self._check_name(topic.name)
        configs = self._configs(topic)
        topic_id = new_uuid(self._rng, self._image.topics_by_id)
        partitions = yield from (
            self._assigned(topic, topic_id) if topic.assignments else self._placed(topic, topic_id)
        )
        self.records.append(TopicRecord(topic.name, topic_id))
        self.records += (ConfigRecord(TOPIC_RESOURCE, topic.name, name, value) for name, value in configs.items())
        if "min.insync.replicas" in configs:
            self.records.append(ClearElrRecord(topic.name))
        self.records += partitions
        return CreatableTopicResult(
            topic.name,
            topic_id,
            NONE,
            None,
            num_partitions=len(partitions),
            replication_factor=len(partitions[0].replicas),
            configs=[  # a topic's own as they were spelled
                CreatableTopicConfigs(
                    entry.name, configs.get(entry.name, entry.value), entry.read_only, entry.source, entry.sensitive
                )
                for entry in describe_topic(configs, self.config)
            ],
        )

    def _check_name(self, name: str) -> None:
        if name == METADATA_TOPIC:
            raise RefusedError(INVALID_REQUEST, f"Creation of internal topic {METADATA_TOPIC} is prohibited.")
        check_topic_name(name)
        if name in self._image.topics:
            raise RefusedError(TOPIC_ALREADY_EXISTS, f"Topic '{name}' already exists.")
        if "." in name or "_" in name:
            if self._colliding is None:  # "." and "_" look the same in names of metrics
                self._colliding = {other.replace(".", "_"): other for other in self._image.topics}
            other = self._colliding.get(name.replace(".", "_"))
            if other is not None:
                raise RefusedError(INVALID_TOPIC_EXCEPTION, f"Topic '{name}' collides with existing topic: {other}")

    def _configs(self, topic: "CreatableTopic") -> dict[str, str]:
        configs = {config.name: config.value for config in topic.configs}  # the last of duplicate names is valid
        unset = [name for name, value in configs.items() if value is None]
        if unset:
            message = f"Null value not supported for topic configs: {','.join(unset)}"
            raise RefusedError(INVALID_CONFIG, message)
        given = {name: value for name, value in configs.items() if value is not None}
        try:
            check_topic_configs(given, self.config)
        except ConfigError as error:
            raise RefusedError(error.error_code, str(error)) from None
        return given

    def _assigned(self, topic: "CreatableTopic", topic_id: bytes) -> "Steps[list[PartitionRecord]]":
        for field, value in (("replication factor", topic.replication_factor), ("numPartitions", topic.num_partitions)):
            if value != BROKER_DEFAULT:
                message = f"A manual partition assignment was specified, but {field} was not set to -1."
                raise RefusedError(INVALID_REQUEST, message)
        chosen: dict[int, list[int]] = {}
        replication_factor = None
        for assignment in topic.assignments:
            index = assignment.partition_index
            if index in chosen:
                message = f"Found multiple manual partition assignments for partition {index}"
                raise RefusedError(INVALID_REPLICA_ASSIGNMENT, message)
            check_assignment(self._image, index, assignment.broker_ids, replication_factor)
            chosen[index] = list(assignment.broker_ids)
            replication_factor = len(assignment.broker_ids)
        if sorted(chosen) != list(range(len(chosen))):
            message = "partitions should be a consecutive 0-based integer sequence"
            raise RefusedError(INVALID_REPLICA_ASSIGNMENT, message)
        return (yield from new_partitions(self._image, topic_id, 0, [chosen[index] for index in range(len(chosen))]))

    def _placed(self, topic: "CreatableTopic", topic_id: bytes) -> "Steps[list[PartitionRecord]]":
        factor, count = topic.replication_factor, topic.num_partitions
        if factor < BROKER_DEFAULT or factor == 0:
            message = "Replication factor must be larger than 0, or -1 to use the default value."
            raise RefusedError(INVALID_REPLICATION_FACTOR, message)
        if count < BROKER_DEFAULT or count == 0:
            raise RefusedError(INVALID_PARTITIONS, "Number of partitions was set to an invalid non-positive value.")
        factor = self.config.get_int("default.replication.factor") if factor == BROKER_DEFAULT else factor
        count = self.config.get_int("num.partitions") if count == BROKER_DEFAULT else count
        try:
            placed = place(self._image, topic.name, 0, count, factor)
        except RefusedError as error:
            message = f"Unable to replicate the partition {factor} time(s): {error.message}"
            raise RefusedError(error.error_code, message) from None
        return (yield from new_partitions(self._image, topic_id, 0, placed))
