"""`kafka-topics`: list, describe, create, delete and alter topics, with Kafka's flags and output."""

from __future__ import annotations

import re

from kafkacompat.cli.kafka_tools.arguments import Arguments, ToolError, parse
from kafkacompat.cli.kafka_tools.tool_client import CONFIG, SERVERS, client_of, configs_of
from kafkacompat.client import topic_admin
from kafkacompat.client.topic_admin import NewTopic
from kafkacompat.protocol.constants import BROKER_DEFAULT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.client.client import Client
    from kafkacompat.client.topic_admin import Results, Topic

VALUED = (*SERVERS, CONFIG, "--topic", "--partitions", "--replication-factor", "--config")
ACTIONS = ("--list", "--describe", "--create", "--delete", "--alter")
SWITCHES = (*ACTIONS, "--if-not-exists", "--if-exists", "--exclude-internal")
OVERRIDDEN = "topic"


def run(arguments: list[str]) -> int:
    """Run the tool."""
    given = parse(arguments, VALUED, SWITCHES)
    chosen = [action for action in ACTIONS if action in given]
    if len(chosen) != 1:
        raise ToolError(f"Command must include exactly one action: {', '.join(ACTIONS)}")
    with client_of(given) as client:
        _ACTIONS[chosen[0]](client, given)
    return 0


def _list(client: Client, given: Arguments) -> None:
    for topic in _chosen(client, given):
        _say(topic.name)


def _describe(client: Client, given: Arguments) -> None:
    found = _chosen(client, given)
    if not found and given.get("--topic") is not None and "--if-exists" not in given:
        raise ToolError(f"Topic '{given.get('--topic')}' does not exist as expected")
    configs = topic_admin.describe_configs(client, [topic.name for topic in found]) if found else {}
    for topic in found:
        own = ",".join(f"{each.name}={each.value}" for each in configs[topic.name] if each.source == OVERRIDDEN)
        replicas = len(topic.partitions[0].replicas) if topic.partitions else 0
        _say(
            f"Topic: {topic.name}\tTopicId: {topic.topic_id}\tPartitionCount: {len(topic.partitions)}\t"
            f"ReplicationFactor: {replicas}\tConfigs: {own}"
        )
        for each in topic.partitions:
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
        configs_of(given.get_all("--config")),
    )
    if "--if-not-exists" in given and any(topic.name == name for topic in topic_admin.list_topics(client)):
        return
    _check(topic_admin.create_topics(client, {name: new}))
    _say(f"Created topic {name}.")


def _delete(client: Client, given: Arguments) -> None:
    given.require("--topic")
    found = [topic.name for topic in _chosen(client, given)]
    if found:
        _check(topic_admin.delete_topics(client, found))
    elif "--if-exists" not in given:
        raise ToolError(f"Topic '{given.get('--topic')}' does not exist as expected")


def _alter(client: Client, given: Arguments) -> None:
    count = given.integer("--partitions")
    if count is None:
        raise ToolError("Missing required argument: --partitions")
    given.require("--topic")
    found = [topic.name for topic in _chosen(client, given)]
    if found:
        _check(topic_admin.create_partitions(client, dict.fromkeys(found, count)))
    elif "--if-exists" not in given:
        raise ToolError(f"Topic '{given.get('--topic')}' does not exist as expected")


def _chosen(client: Client, given: Arguments) -> list[Topic]:
    """The topics that --topic names, a regular expression, or all."""
    pattern = given.get("--topic")
    return [
        topic
        for topic in topic_admin.list_topics(client)
        if (pattern is None or re.fullmatch(pattern, topic.name))
        and not (topic.is_internal and "--exclude-internal" in given)
    ]


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
