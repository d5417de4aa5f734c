"""AlterConfigs and IncrementalAlterConfigs in every version, on both brokers."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient
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


@pytest.mark.parametrize("validate_only", [False, True])
@pytest.mark.parametrize("version", range(alter_configs.MIN_VERSION, alter_configs.MAX_VERSION + 1))
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
        alter("unknown topic", topic + "-not", retention_ms="1")
        alter("bad topic name", "not a name", retention_ms="1")
        alter("no name", "", retention_ms="1")
        alter("unknown type", kind=7, retention_ms="1")
        alter("another broker", "77", BROKER, log_cleaner_threads="2")
        alter("not a broker", "one", BROKER, log_cleaner_threads="2")
        alter("read-only broker config", "1", BROKER, broker_rack="a")
        alter("group without a name", "", GROUP, consumer_session_timeout_ms="50000")
        alter("nothing left")
        # The same resource twice is left out: Apache Kafka 4.3.1 never answers it.
        said["nothing"] = client.ask(alter_configs, version, alter_configs.AlterConfigsRequest())
        said["set in the end"] = own_configs(client, topic)
        return said

    compare(script)


@pytest.mark.parametrize("validate_only", [False, True])
@pytest.mark.parametrize(
    "version", range(incremental_alter_configs.MIN_VERSION, incremental_alter_configs.MAX_VERSION + 1)
)
def test_incremental(compare: Compare, topic: str, group: str, version: int, validate_only: bool) -> None:
    api = incremental_alter_configs

    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 1, retention_ms="1234")
        said: dict[str, Any] = {}

        def alter(what: str, *changes: tuple[str, int, str | None], name: str = topic, kind: int = TOPIC) -> None:
            resource = api.AlterConfigsResource(kind, name, [api.AlterableConfig(*change) for change in changes])
            request = api.IncrementalAlterConfigsRequest([resource], validate_only)
            said[what] = client.ask(api, version, request)

        alter("set", ("max.message.bytes", SET, "5000"), ("cleanup.policy", SET, "compact"))
        alter("append", ("cleanup.policy", APPEND, "delete"))
        alter("append what is there", ("cleanup.policy", APPEND, "delete"))
        alter("subtract", ("cleanup.policy", SUBTRACT, "compact"))
        alter("subtract what is not there", ("cleanup.policy", SUBTRACT, "compact"))
        alter("delete", ("max.message.bytes", DELETE, None))
        alter("delete with a value", ("retention.ms", DELETE, "5"))
        alter("delete what is not set", ("segment.bytes", DELETE, None))
        alter("append to a number", ("retention.ms", APPEND, "5"))
        alter("subtract from a number", ("retention.ms", SUBTRACT, "5"))
        alter("same key twice", ("retention.ms", SET, "5"), ("retention.ms", SET, "6"))
        alter("unknown operation", ("retention.ms", 9, "5"))
        alter("bad value", ("retention.ms", SET, "soon"))
        alter("null value", ("retention.ms", SET, None))
        alter("null append", ("cleanup.policy", APPEND, None))
        alter("unknown key", ("no.such.thing", SET, "1"))
        alter("delete an unknown key", ("no.such.thing", DELETE, None))
        alter("empty key", ("", SET, "1"))
        alter("unknown topic", ("retention.ms", SET, "5"), name=topic + "-not")
        alter("bad topic name", ("retention.ms", SET, "5"), name="not a name")
        alter("no topic name", ("retention.ms", SET, "5"), name="")
        alter("unknown type", ("retention.ms", SET, "5"), kind=7)
        alter("no changes")
        alter("another broker", ("log.cleaner.threads", SET, "2"), name="77", kind=BROKER)
        alter("not a broker", ("log.cleaner.threads", SET, "2"), name="one", kind=BROKER)
        alter("read-only broker config", ("broker.rack", SET, "a"), name="1", kind=BROKER)
        alter("group", ("consumer.session.timeout.ms", SET, "50000"), name=group, kind=GROUP)
        alter("group, too much", ("consumer.session.timeout.ms", SET, "99999999"), name=group, kind=GROUP)
        alter("group, unknown key", ("retention.ms", SET, "5"), name=group, kind=GROUP)
        alter("group without a name", ("consumer.session.timeout.ms", SET, "50000"), name="", kind=GROUP)
        alter("metrics", ("interval.ms", SET, "1000"), name=group, kind=METRICS)
        alter("metrics, bad value", ("interval.ms", SET, "5"), name=group, kind=METRICS)
        alter("metrics, unknown key", ("retention.ms", SET, "5"), name=group, kind=METRICS)
        alter("metrics without a name", ("interval.ms", SET, "1000"), name="", kind=METRICS)
        resource = api.AlterConfigsResource(TOPIC, topic, [api.AlterableConfig("retention.ms", SET, "7")])
        twice = api.IncrementalAlterConfigsRequest([resource, resource], validate_only)
        said["twice"] = client.ask(api, version, twice)
        said["nothing"] = client.ask(api, version, api.IncrementalAlterConfigsRequest())
        said["set in the end"] = own_configs(client, topic)
        return said

    compare(script)
