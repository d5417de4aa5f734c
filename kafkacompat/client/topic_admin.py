"""Topics: list, describe, create, delete, more partitions, configs."""

from __future__ import annotations

import time
from typing import NamedTuple

from kafkacompat.client.client import LEFT_OUT, expired, pauses_s
from kafkacompat.client.errors import BrokerError
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import BROKER_DEFAULT
from kafkacompat.protocol.primitives import uuid_to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from kafkacompat.client.client import Client
    from kafkacompat.protocol.messages.create_topics import CreateTopicsResponse
    from kafkacompat.protocol.messages.metadata import MetadataResponseTopic

    Results = dict[str, BrokerError | None]

TOPIC_RESOURCE, BROKER_RESOURCE = 2, 4
SET, DELETE = 0, 1
"""Operations of IncrementalAlterConfigs."""
_TOPIC_STATES_VERSION = 6
"""From this version on DeleteTopics takes ids as well."""
SOURCES = {
    1: "topic", 2: "broker", 3: "default-broker", 4: "static-broker", 5: "default", 6: "broker-logger",
    7: "client-metrics", 8: "group",
}  # fmt: skip
"""Where a config's value comes from (DescribeConfigsResponse.ConfigSource)."""


class NewTopic(NamedTuple):
    """A topic to create; -1 leaves a number to the broker. `assignments`: the replicas of each partition instead."""

    partitions: int = BROKER_DEFAULT
    replicas: int = BROKER_DEFAULT
    configs: Mapping[str, str] = {}
    assignments: Sequence[Sequence[int]] = ()


class TopicPartition(NamedTuple):
    """A partition as Metadata describes it; `leader` is -1 without one. `error_code` is 0 or says what is wrong."""

    partition: int
    leader: int
    leader_epoch: int
    replicas: list[int]
    isr: list[int]
    offline: list[int]
    error_code: int


class Topic(NamedTuple):
    """A topic as Metadata describes it; `topic_id` as Kafka prints it."""

    name: str
    topic_id: str
    is_internal: bool
    partitions: list[TopicPartition]


class ConfigValue(NamedTuple):
    """A config in effect. `value` is None if it is sensitive or not set; `source` is one of SOURCES."""

    name: str
    value: str | None
    source: str
    is_sensitive: bool
    is_read_only: bool


def list_topics(client: Client) -> list[Topic]:
    """All topics, by name."""
    return sorted(_topic(found) for found in client.metadata(None).topics if found.error_code == errors.NONE)


def describe_topics(client: Client, names: Collection[str]) -> list[Topic]:
    """These topics, in this order. Raises BrokerError for the first that cannot be described."""
    for name in names:
        client.partitions(name)  # waits a moment for one that is new
    found = {each.name: each for each in client.metadata(list(names)).topics}
    for name in names:
        if found[name].error_code != errors.NONE:
            raise BrokerError(found[name].error_code, f"topic {name!r}")
    return [_topic(found[name]) for name in names]


def _topic(found: MetadataResponseTopic) -> Topic:
    partitions = [
        TopicPartition(
            each.partition_index, each.leader_id, each.leader_epoch, list(each.replica_nodes), list(each.isr_nodes),
            list(each.offline_replicas), each.error_code,
        )
        for each in found.partitions
    ]  # fmt: skip
    return Topic(found.name or "", uuid_to_text(found.topic_id), found.is_internal, sorted(partitions))


def create_topics(client: Client, topics: Mapping[str, NewTopic], *, validate_only: bool = False) -> Results:
    """Create topics. Returns None or the error of each."""
    answer = _created(client, topics, validate_only=validate_only)
    return {each.name: _error(each.error_code, each.name, each.error_message) for each in answer.topics}


def configs_when_created(client: Client, topics: Mapping[str, NewTopic]) -> dict[str, BrokerError | dict[str, str]]:
    """The configs that topics would have, the cluster's defaults among them, or why they cannot be created. Nothing is
    created. A cluster that does not say (before Kafka 2.4, or to who may not describe them) has no configs here.
    """
    answer = _created(client, topics, validate_only=True)
    return {
        each.name: _error(each.error_code, each.name, each.error_message)
        or {config.name: config.value for config in each.configs or () if config.value is not None}
        for each in answer.topics
    }


def _created(client: Client, topics: Mapping[str, NewTopic], *, validate_only: bool) -> CreateTopicsResponse:
    from kafkacompat.protocol.messages import create_topics as messages

    request = messages.CreateTopicsRequest(
        topics=[
            messages.CreatableTopic(
                name, BROKER_DEFAULT if topic.assignments else topic.partitions,
                BROKER_DEFAULT if topic.assignments else topic.replicas,
                [messages.CreatableReplicaAssignment(i, ids) for i, ids in enumerate(topic.assignments)],
                [messages.CreatableTopicConfig(key, value) for key, value in topic.configs.items()],
            )
            for name, topic in topics.items()
        ],
        timeout_ms=int(client.timeout_s * 1000),
        validate_only=validate_only,
    )  # fmt: skip
    response: CreateTopicsResponse = client.call_controller(
        messages, request, lambda answer: _first_code(answer.topics)
    )
    return response


def delete_topics(client: Client, names: Collection[str]) -> Results:
    """Delete topics. Returns None or the error of each."""
    from kafkacompat.protocol.messages import delete_topics as messages

    timeout_ms = int(client.timeout_s * 1000)

    def request(version: int) -> messages.DeleteTopicsRequest:
        if version >= _TOPIC_STATES_VERSION:
            topics = [messages.DeleteTopicState(name) for name in names]
            return messages.DeleteTopicsRequest(topics, timeout_ms=timeout_ms)
        return messages.DeleteTopicsRequest(topic_names=list(names), timeout_ms=timeout_ms)

    response: messages.DeleteTopicsResponse = client.call_controller(
        messages, request, lambda answer: _first_code(answer.responses)
    )
    return {each.name or "": _error(each.error_code, each.name or "", None) for each in response.responses}


def create_partitions(client: Client, counts: Mapping[str, int]) -> Results:
    """Let topics have more partitions. Returns None or the error of each."""
    from kafkacompat.protocol.messages import create_partitions as messages

    request = messages.CreatePartitionsRequest(
        [messages.CreatePartitionsTopic(name, count, None) for name, count in counts.items()],
        timeout_ms=int(client.timeout_s * 1000),
    )
    response: messages.CreatePartitionsResponse = client.call_controller(
        messages, request, lambda answer: _first_code(answer.results)
    )
    return {each.name: _error(each.error_code, each.name, each.error_message) for each in response.results}


def alter_configs(
    client: Client, changes: Mapping[str, Mapping[str, str | None]], *, resource_type: int = TOPIC_RESOURCE
) -> Results:
    """Set configs of topics, or with the value None back to the default. Returns None or the error of each."""
    from kafkacompat.protocol.messages import incremental_alter_configs as messages

    request = messages.IncrementalAlterConfigsRequest(
        [
            messages.AlterConfigsResource(
                resource_type, name,
                [messages.AlterableConfig(key, DELETE if new is None else SET, new) for key, new in pairs.items()],
            )
            for name, pairs in changes.items()
        ]
    )  # fmt: skip

    def once(answer: messages.IncrementalAlterConfigsResponse) -> int:
        return _first_code(answer.responses)

    if resource_type == BROKER_RESOURCE and len(changes) == 1 and next(iter(changes)).isdecimal():
        response = client.call_node(int(next(iter(changes))), messages, request)
    else:
        response = client.call_controller(messages, request, once)
    return {
        each.resource_name: _error(each.error_code, each.resource_name, each.error_message)
        for each in response.responses
    }


def describe_configs(
    client: Client, names: Collection[str], *, resource_type: int = TOPIC_RESOURCE
) -> dict[str, list[ConfigValue]]:
    """The configs of topics (or of brokers by id), by name. Raises BrokerError."""
    from kafkacompat.protocol.messages import describe_configs as messages

    request = messages.DescribeConfigsRequest(
        [messages.DescribeConfigsResource(resource_type, name, None) for name in names]
    )
    if resource_type == BROKER_RESOURCE and len(names) == 1 and next(iter(names)).isdecimal():
        response: messages.DescribeConfigsResponse = client.call_node(int(next(iter(names))), messages, request)
    else:
        response = client.call(messages, request)
    for result in response.results:
        if result.error_code != errors.NONE:
            raise BrokerError(result.error_code, f"topic {result.resource_name!r}", result.error_message)
    for name in set(names).difference(result.resource_name for result in response.results):
        raise BrokerError(errors.UNKNOWN_SERVER_ERROR, f"topic {name!r}", LEFT_OUT)
    return {
        result.resource_name: sorted(
            ConfigValue(
                each.name, each.value, SOURCES.get(each.config_source, "unknown"), each.is_sensitive, each.read_only
            )
            for each in result.configs
        )
        for result in response.results
    }


def wait_for_leaders(client: Client, names: Collection[str]) -> None:
    """Wait until each partition of these topics has a leader. Raises ExpiredError, BrokerError."""
    for pause_s in pauses_s(time.monotonic() + client.timeout_s):
        topics = client.metadata(list(names)).topics
        if all(
            topic.error_code == errors.NONE and all(partition.leader_id >= 0 for partition in topic.partitions)
            for topic in topics
        ):
            return
        if pause_s is not None:
            time.sleep(pause_s)
    raise expired(f"topics {', '.join(names)} have no leaders", client.timeout_s)


def _first_code(results: Sequence[object]) -> int:
    """NOT_CONTROLLER stands in every row, so the first says it."""
    return getattr(results[0], "error_code", errors.NONE) if results else errors.NONE


def _error(code: int, name: str, message: str | None) -> BrokerError | None:
    return None if code == errors.NONE else BrokerError(code, f"topic {name!r}", message)
