"""`kafka-topics`: list, describe, create, delete and alter topics, with Kafka's flags and output."""

from __future__ import annotations

import re

from kafkacompat.cli.kafka_tools import kafka_names
from kafkacompat.cli.kafka_tools.arguments import Arguments, UsageError, parse
from kafkacompat.cli.kafka_tools.tool_client import CONFIG, SERVERS, client_of, pairs_of
from kafkacompat.client import topic_admin
from kafkacompat.client.errors import BrokerError
from kafkacompat.client.topic_admin import NewTopic
from kafkacompat.protocol.constants import BROKER_DEFAULT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.client.client import Client
    from kafkacompat.client.topic_admin import Results, Topic, TopicPartition

VALUED = (*SERVERS, CONFIG, "--topic", "--partitions", "--replication-factor", "--config")
ACTIONS = ("--list", "--describe", "--create", "--alter", "--delete")
FILTERS: dict[str, Callable[[TopicPartition, int], bool]] = {
    "--under-replicated-partitions": lambda each, _: len(each.isr) < len(each.replicas),
    "--unavailable-partitions": lambda each, _: each.leader < 0,
    "--under-min-isr-partitions": lambda each, min_isr: len(each.isr) < min_isr,
    "--at-min-isr-partitions": lambda each, min_isr: len(each.isr) == min_isr,
}
"""Flags that let a description show only some partitions: of a partition and its topic's min.insync.replicas."""
SWITCHES = (*ACTIONS, *FILTERS, "--if-not-exists", "--if-exists", "--exclude-internal", "--topics-with-overrides")
DEFAULT = "default"
COLLISION = (
    "WARNING: Due to limitations in metric names, topics with a period ('.') or underscore ('_') could collide. To "
    "avoid issues it is best to use either, but not both."
)


class TopicCommandError(Exception):
    """What Kafka's tool reports on standard output, with status 1."""


def run(arguments: list[str]) -> int:
    """Run the tool."""
    given = parse(arguments, VALUED, SWITCHES)
    action = given.one_of(ACTIONS, " or ")
    if action in ("--create", "--alter", "--delete"):
        given.require("--topic")
    if given.get(*SERVERS) is None:
        raise UsageError("--bootstrap-server must be specified")
    with client_of(given) as client:
        try:
            _ACTIONS[action](client, given)
        except (BrokerError, TopicCommandError) as error:
            text = kafka_names.sentence(error) if isinstance(error, BrokerError) else str(error)
            _say(f"Error while executing topic command : {text}")
            return 1
    return 0


def _list(client: Client, given: Arguments) -> None:
    for topic in _chosen(client, given):
        _say(topic.name)


def _describe(client: Client, given: Arguments) -> None:
    found = _chosen(client, given)
    if not found:
        _check_exists(given)
    configs = topic_admin.describe_configs(client, [topic.name for topic in found]) if found else {}
    filters = [keeps for flag, keeps in FILTERS.items() if flag in given]
    for topic in found:
        own = {each.name: each.value for each in configs[topic.name] if each.source != DEFAULT}
        replicas = len(topic.partitions[0].replicas) if topic.partitions else 0
        if not filters and ("--topics-with-overrides" not in given or own):
            _say(
                f"Topic: {topic.name}\tTopicId: {topic.topic_id}\tPartitionCount: {len(topic.partitions)}\t"
                f"ReplicationFactor: {replicas}\tConfigs: {','.join(f'{name}={own[name]}' for name in own)}"
            )
        if "--topics-with-overrides" in given:
            continue
        min_isr = next((int(each.value or 1) for each in configs[topic.name] if each.name == "min.insync.replicas"), 1)
        for each in topic.partitions:
            if all(keeps(each, min_isr) for keeps in filters):
                leader = "none" if each.leader < 0 else each.leader
                _say(
                    f"\tTopic: {topic.name}\tPartition: {each.partition}\tLeader: {leader}\t"
                    f"Replicas: {_ids(each.replicas)}\tIsr: {_ids(each.isr)}\tElr: \tLastKnownElr: "
                )


def _create(client: Client, given: Arguments) -> None:
    name = given.require("--topic")
    partitions, replicas = given.integer("--partitions"), given.integer("--replication-factor")
    new = NewTopic(
        BROKER_DEFAULT if partitions is None else partitions,
        BROKER_DEFAULT if replicas is None else replicas,
        pairs_of(given.get_all("--config")),
    )
    if "--if-not-exists" in given and any(topic.name == name for topic in topic_admin.list_topics(client)):
        return
    if "." in name or "_" in name:
        _say(COLLISION)
    _check(topic_admin.create_topics(client, {name: new}))
    _say(f"Created topic {name}.")


def _delete(client: Client, given: Arguments) -> None:
    found = [topic.name for topic in _chosen(client, given)]
    if found:
        _check(topic_admin.delete_topics(client, found))
    else:
        _check_exists(given)


def _alter(client: Client, given: Arguments) -> None:
    count = given.integer("--partitions")
    if count is None:
        raise UsageError('Missing required argument "[partitions]"')
    found = [topic.name for topic in _chosen(client, given)]
    if found:
        _check(topic_admin.create_partitions(client, dict.fromkeys(found, count)))
    else:
        _check_exists(given)


def _chosen(client: Client, given: Arguments) -> list[Topic]:
    """The topics that --topic names, a regular expression, or all."""
    pattern = given.get("--topic")
    return [
        topic
        for topic in topic_admin.list_topics(client)
        if (pattern is None or re.fullmatch(pattern, topic.name))
        and not (topic.is_internal and "--exclude-internal" in given)
    ]


def _check_exists(given: Arguments) -> None:
    if given.get("--topic") is not None and "--if-exists" not in given:
        raise TopicCommandError(f"Topic '{given.get('--topic')}' does not exist as expected")


def _check(results: Results) -> None:
    for error in results.values():
        if error is not None:
            raise error


def _ids(ids: list[int]) -> str:
    return ",".join(map(str, ids))


def _say(line: str) -> None:
    print(line)  # noqa: T201 (the tool's output)


_ACTIONS = {
    "--list": _list, "--describe": _describe, "--create": _create, "--delete": _delete, "--alter": _alter,
}  # fmt: skip
