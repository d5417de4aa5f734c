"""AlterConfigs and IncrementalAlterConfigs in every version, on both brokers."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.combined import every_day, together
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, unordered, versions
from kafkacompat.protocol.messages import alter_configs, describe_configs, incremental_alter_configs

TOPIC, BROKER, LOGGER, METRICS, GROUP = 2, 4, 8, 16, 32
SET, DELETE, APPEND, SUBTRACT = 0, 1, 2, 3
SET_ON_TOPIC = 1


def own_configs(client: RawClient, topic: str) -> dict[str, Any]:
    """What is set on the topic itself, once a topic made now is there too: Kafka's broker hears of both in order."""
    topics.create(client, topic + "-later")
    resource = describe_configs.DescribeConfigsResource(TOPIC, topic, None)
    answer = client.call(describe_configs.API_KEY, 4, describe_configs.DescribeConfigsRequest([resource]))
    return {one.name: one.value for one in answer.results[0].configs if one.config_source == SET_ON_TOPIC}


@pytest.mark.api("AlterConfigs")
@pytest.mark.parametrize("validate_only", [False, True])
@pytest.mark.parametrize("version", every_day(versions(alter_configs)))
def test_alter(compare: Compare, topic: str, version: int, validate_only: bool) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 1, retention_ms="1234")
        said: dict[str, Any] = {}

        def alter(what: str, name: str = topic, kind: int = TOPIC, **configs: str | None) -> None:
            wanted = [alter_configs.AlterableConfig(key.replace("_", "."), value) for key, value in configs.items()]
            resource = alter_configs.AlterConfigsResource(kind, name, wanted)
            request = alter_configs.AlterConfigsRequest([resource], validate_only)
            said[what] = client.ask(alter_configs, version, request)

        alter("good", max_message_bytes="5000", cleanup_policy="compact")
        alter("another", segment_bytes="2000000")
        alter("bad value", retention_ms="soon")
        alter("out of range", min_insync_replicas="0")
        alter("unknown key", no_such_thing="1")
        alter("null", retention_ms=None)
        alter("bad list", cleanup_policy="shred")
        alter("empty list", cleanup_policy="")
        alter("empty number", retention_ms="")
        alter("config of a broker", log_retention_ms="1")
        alter("good and bad", retention_ms="5", segment_bytes="x")
        alter("lists of replicas", leader_replication_throttled_replicas="*")
        alter("bad list of replicas", leader_replication_throttled_replicas="here:and:there")
        alter("lags the wrong way round", min_compaction_lag_ms="9", max_compaction_lag_ms="8")
        alter("remote storage", remote_storage_enable="true")
        alter("unknown topic", topic + "-not", retention_ms="1")
        alter("unknown topic, bad value", topic + "-not", retention_ms="soon")
        alter("unknown topic, nothing", topic + "-not")
        alter("bad topic name", "not a name", retention_ms="1")
        alter("no name", "", retention_ms="1")
        alter("unknown type", kind=7, retention_ms="1")
        alter("another broker", "77", BROKER, log_cleaner_threads="2")
        alter("not a broker", "one", BROKER, log_cleaner_threads="2")
        alter("read-only broker config", "1", BROKER, broker_rack="a")
        alter("config of one broker for all", "", BROKER, broker_rack="a")
        alter("unknown broker config", "1", BROKER, no_such_thing="1")
        alter("bad broker config", "1", BROKER, log_cleaner_threads="many")
        alter("loggers of another broker", "77", LOGGER, root="INFO")
        alter("metrics without a name", "", METRICS, interval_ms="1000")
        alter("metrics, unknown key", topic, METRICS, no_such_thing="1")
        alter("group, unknown key", topic, GROUP, retention_ms="1")
        alter("group without a name", "", GROUP, consumer_session_timeout_ms="50000")
        alter("nothing left")
        # The same resource twice is left out: Apache Kafka 4.3.1 never answers it.
        said["nothing"] = client.ask(alter_configs, version, alter_configs.AlterConfigsRequest())
        said["set in the end"] = own_configs(client, topic)
        return said

    compare(script)


Changes = list[tuple[str, int, str | None]]
TOPIC_CHANGES: dict[str, Changes] = {
    "set": [("max.message.bytes", SET, "5000"), ("cleanup.policy", SET, "compact")],
    "append": [("cleanup.policy", APPEND, "delete")],
    "append what is there": [("cleanup.policy", APPEND, "delete")],
    "subtract": [("cleanup.policy", SUBTRACT, "compact")],
    "subtract what is not there": [("cleanup.policy", SUBTRACT, "compact")],
    "delete": [("max.message.bytes", DELETE, None)],
    "delete with a value": [("retention.ms", DELETE, "5")],
    "delete what is not set": [("segment.bytes", DELETE, None)],
    "append to a number": [("retention.ms", APPEND, "5")],
    "subtract from a number": [("retention.ms", SUBTRACT, "5")],
    "append to a list of replicas": [("leader.replication.throttled.replicas", APPEND, "0:1")],
    "append a bad one": [("leader.replication.throttled.replicas", APPEND, "here:and:there")],
    "subtract the last": [("leader.replication.throttled.replicas", SUBTRACT, "0:1")],
    "append what is no policy": [("cleanup.policy", APPEND, "shred")],
    "subtract all policies": [("cleanup.policy", SUBTRACT, "delete,compact")],
    "append nothing": [("cleanup.policy", APPEND, "")],
    "append to an unknown key": [("no.such.thing", APPEND, "1")],
    "set and unset": [("retention.ms", SET, "5"), ("segment.ms", DELETE, None)],
    "set and a bad one": [("retention.ms", SET, "8"), ("segment.ms", SET, "soon")],
    "same key twice": [("retention.ms", SET, "5"), ("retention.ms", SET, "6")],
    "unknown operation": [("retention.ms", 9, "5")],
    "bad value": [("retention.ms", SET, "soon")],
    "null value": [("retention.ms", SET, None)],
    "null append": [("cleanup.policy", APPEND, None)],
    "unknown key": [("no.such.thing", SET, "1")],
    "delete an unknown key": [("no.such.thing", DELETE, None)],
    "empty key": [("", SET, "1")],
    "no changes": [],
}


def other_changes(topic: str, group: str) -> dict[str, tuple[int, str, Changes]]:
    """Changes of other resources than a topic that is there."""
    return {
        "unknown topic": (TOPIC, topic + "-not", [("retention.ms", SET, "5")]),
        "bad topic name": (TOPIC, "not a name", [("retention.ms", SET, "5")]),
        "no topic name": (TOPIC, "", [("retention.ms", SET, "5")]),
        "unknown type": (7, topic, [("retention.ms", SET, "5")]),
        "another broker": (BROKER, "77", [("log.cleaner.threads", SET, "2")]),
        "not a broker": (BROKER, "one", [("log.cleaner.threads", SET, "2")]),
        "read-only broker config": (BROKER, "1", [("broker.rack", SET, "a")]),
        "config of one broker for all": (BROKER, "", [("broker.rack", SET, "a")]),
        "one broker's replicas in sync": (BROKER, "1", [("min.insync.replicas", SET, "1")]),
        "too few of them": (BROKER, "1", [("min.insync.replicas", SET, "0")]),
        "all brokers', not set": (BROKER, "", [("min.insync.replicas", DELETE, None)]),
        "and a mistake": (BROKER, "", [("min.insync.replicas", DELETE, None), ("broker.rack", SET, "a")]),
        "unknown broker config": (BROKER, "1", [("no.such.thing", SET, "1")]),
        "append to a broker's number": (BROKER, "1", [("log.cleaner.threads", APPEND, "1")]),
        "loggers of another broker": (LOGGER, "77", [("root", SET, "INFO")]),
        "loggers of nobody": (LOGGER, "", [("root", SET, "INFO")]),
        "group": (GROUP, group, [("consumer.session.timeout.ms", SET, "50000")]),
        "group, too much": (GROUP, group, [("consumer.session.timeout.ms", SET, "99999999")]),
        "group, unknown key": (GROUP, group, [("retention.ms", SET, "5")]),
        "group without a name": (GROUP, "", [("consumer.session.timeout.ms", SET, "50000")]),
        "metrics": (METRICS, group, [("interval.ms", SET, "1000")]),
        "metrics, bad value": (METRICS, group, [("interval.ms", SET, "5")]),
        "metrics, unknown key": (METRICS, group, [("retention.ms", SET, "5")]),
        "metrics without a name": (METRICS, "", [("interval.ms", SET, "1000")]),
    }


@pytest.mark.api("IncrementalAlterConfigs")
@pytest.mark.parametrize("validate_only", [False, True])
@pytest.mark.parametrize("version", versions(incremental_alter_configs))
def test_incremental(compare: Compare, topic: str, group: str, version: int, validate_only: bool) -> None:
    api = incremental_alter_configs

    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 1, retention_ms="1234")

        def alter(kind: int, name: str, changes: Changes, times: int = 1) -> api.IncrementalAlterConfigsRequest:
            resource = api.AlterConfigsResource(kind, name, [api.AlterableConfig(*change) for change in changes])
            return api.IncrementalAlterConfigsRequest([resource] * times, validate_only)

        requests = {what: alter(TOPIC, topic, changes) for what, changes in TOPIC_CHANGES.items()}
        requests |= {what: alter(*change) for what, change in other_changes(topic, group).items()}
        requests["twice"] = alter(TOPIC, topic, [("retention.ms", SET, "7")], 2)
        requests["nothing"] = api.IncrementalAlterConfigsRequest()
        said = client.ask_all(api, version, requests)
        return {**said, "set in the end": own_configs(client, topic)}

    compare(script)


def mistakes(topic: str) -> dict[str, tuple[int, str, str, str | None]]:
    """One mistake of each kind, and what is right: the resource, a config and its value."""
    return {
        "good": (TOPIC, topic, "retention.ms", "7"),
        "bad value": (TOPIC, topic + "-a", "retention.ms", "soon"),
        "unknown topic": (TOPIC, topic + "-not", "retention.ms", "7"),
        "bad topic name": (TOPIC, "not a name", "retention.ms", "7"),
        "null": (TOPIC, topic + "-b", "retention.ms", None),
        "another broker": (BROKER, "77", "log.cleaner.threads", "2"),
        "unknown type": (7, topic, "retention.ms", "7"),
    }


@pytest.mark.api("AlterConfigs")
@pytest.mark.parametrize("version", every_day(versions(alter_configs)))
def test_alter_together(compare: Compare, topic: str, version: int) -> None:
    def resource(kind: int, name: str, key: str, value: str | None) -> alter_configs.AlterConfigsResource:
        return alter_configs.AlterConfigsResource(kind, name, [alter_configs.AlterableConfig(key, value)])

    def script(client: RawClient) -> dict[str, Any]:
        for suffix in ("", "-a", "-b"):
            topics.create(client, topic + suffix)
        requests = {
            what: alter_configs.AlterConfigsRequest([resource(*one) for one in several], True)
            for what, several in together(mistakes(topic)).items()
        }
        return unordered(client.ask_all(alter_configs, version, requests), "responses")

    compare(script)


@pytest.mark.api("IncrementalAlterConfigs")
@pytest.mark.parametrize("version", versions(incremental_alter_configs))
def test_incremental_together(compare: Compare, topic: str, version: int) -> None:
    api = incremental_alter_configs

    def resource(kind: int, name: str, key: str, value: str | None) -> api.AlterConfigsResource:
        return api.AlterConfigsResource(kind, name, [api.AlterableConfig(key, SET, value)])

    def script(client: RawClient) -> dict[str, Any]:
        for suffix in ("", "-a", "-b"):
            topics.create(client, topic + suffix)
        requests = {
            what: api.IncrementalAlterConfigsRequest([resource(*one) for one in several], True)
            for what, several in together(mistakes(topic)).items()
        }
        return unordered(client.ask_all(api, version, requests), "responses")

    compare(script)
