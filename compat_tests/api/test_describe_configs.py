"""DescribeConfigs and ListConfigResources in every version, on both brokers."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.combined import every_day, together
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, unordered, versions
from kafkacompat.protocol.messages import describe_configs as api
from kafkacompat.protocol.messages import list_config_resources

TOPIC, BROKER, LOGGER, METRICS, GROUP = 2, 4, 8, 16, 32
DOCS_SINCE = 3


@pytest.mark.api("DescribeConfigs")
@pytest.mark.parametrize("version", versions(api))
def test_every_case(compare: Compare, topic: str, group: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 1, retention_ms="1234", cleanup_policy="compact,delete")

        def describe(*resources: tuple[int, str, Any], synonyms: bool = False) -> api.DescribeConfigsRequest:
            return api.DescribeConfigsRequest([api.DescribeConfigsResource(*one) for one in resources], synonyms)

        some = ["retention.ms", "cleanup.policy", "max.message.bytes"]
        requests = {
            "topic": describe((TOPIC, topic, None)),
            "topic, some keys": describe((TOPIC, topic, some)),
            "topic, synonyms": describe((TOPIC, topic, None), synonyms=True),
            "topic, unknown key": describe((TOPIC, topic, ["no.such.thing"])),
            "topic, no keys": describe((TOPIC, topic, [])),
            "topic, one key twice": describe((TOPIC, topic, ["retention.ms", "retention.ms"])),
            "topic, known and unknown key": describe((TOPIC, topic, ["retention.ms", "no.such.thing"])),
            "topic, no keys, synonyms": describe((TOPIC, topic, []), synonyms=True),
            "topic, key of a broker": describe((TOPIC, topic, ["log.retention.ms"])),
            "broker, some keys": describe((BROKER, "1", ["log.retention.ms", "num.io.threads", "message.max.bytes"])),
            "broker, unknown key": describe((BROKER, "1", ["no.such.thing"])),
            "cluster, some keys": describe((BROKER, "", ["log.retention.ms"]), synonyms=True),
            "loggers, unknown one": describe((LOGGER, "1", ["no.such.logger"])),
            "loggers, no names": describe((LOGGER, "1", [])),
            "group, some keys": describe((GROUP, group, ["consumer.session.timeout.ms"])),
            "group, unknown key": describe((GROUP, group, ["retention.ms"])),
            "metrics, some keys": describe((METRICS, "unknown", ["interval.ms"])),
            "no type": describe((0, topic, None)),
            "negative type": describe((-1, topic, None)),
            "user quotas' type": describe((3, topic, None)),
            "unknown topic": describe((TOPIC, topic + "-not", None)),
            "bad topic name": describe((TOPIC, "not a name", None)),
            "topic without a name": describe((TOPIC, "", None)),
            "twice": describe((TOPIC, topic, some), (TOPIC, topic, some)),
            "cluster": describe((BROKER, "", None)),
            "another broker": describe((BROKER, "77", None)),
            "not a broker": describe((BROKER, "one", None)),
            "another broker's loggers": describe((LOGGER, "77", None)),
            "loggers of nobody": describe((LOGGER, "", None)),
            "group": describe((GROUP, group, None)),
            "group, synonyms": describe((GROUP, group, None), synonyms=True),
            "group without a name": describe((GROUP, "", None)),
            "metrics": describe((METRICS, "unknown", None)),
            "metrics without a name": describe((METRICS, "", None)),
            "unknown type": describe((7, topic, None)),
            "nothing": describe(),
        }
        return unordered(client.ask_all(api, version, requests), "configs")

    compare(script)


@pytest.mark.api("DescribeConfigs")
@pytest.mark.parametrize("synonyms", [False, True])
@pytest.mark.parametrize("version", versions(api))
def test_whole_broker(compare: Compare, version: int, synonyms: bool) -> None:
    """Which settings a broker has, and the values of those that are not where it runs."""

    def script(client: RawClient) -> Any:
        request = api.DescribeConfigsRequest([api.DescribeConfigsResource(BROKER, "1", None)], synonyms)
        (result,) = client.ask(api, version, request)["results"]
        return {"error": result["error_code"], **{config["name"]: config for config in result["configs"]}}

    compare(script)


@pytest.mark.api("DescribeConfigs")
@pytest.mark.parametrize("version", versions(api, DOCS_SINCE))
def test_documentation(compare: Compare, topic: str, version: int) -> None:
    """Each topic config says what it is for, in our own words."""

    def script(client: RawClient) -> Any:
        topics.create(client, topic)
        request = api.DescribeConfigsRequest([api.DescribeConfigsResource(TOPIC, topic, None)], False, True)
        (result,) = client.ask(api, version, request, ["documentation"])["results"]
        return {config["name"]: config["documentation"] for config in result["configs"]}

    compare(script)


@pytest.mark.api("ListConfigResources")
@pytest.mark.parametrize("version", versions(list_config_resources))
def test_list(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic)

        def listed(*types: int) -> Any:
            answer = client.ask(list_config_resources, version, list_config_resources.ListConfigResourcesRequest(types))
            found = answer["config_resources"]
            own = [one for one in found if one.get("resource_type") != TOPIC or one["resource_name"] == topic]
            return unordered({**answer, "config_resources": own}, "config_resources")

        if version == 0:
            return {"all": listed()}
        wanted = [(), (TOPIC,), (BROKER,), (LOGGER,), (METRICS,), (GROUP,), (TOPIC, BROKER), (7,), (TOPIC, 7)]
        return {str(types): listed(*types) for types in wanted}

    compare(script)


@pytest.mark.api("DescribeConfigs")
@pytest.mark.parametrize("version", every_day(versions(api), 3))
def test_together(compare: Compare, topic: str, version: int) -> None:
    """A mistake of each kind beside another, and beside what can be described."""
    kinds = {
        "good": (TOPIC, topic, ["retention.ms"]),
        "no keys": (TOPIC, topic, []),
        "unknown topic": (TOPIC, topic + "-not", None),
        "bad topic name": (TOPIC, "not a name", None),
        "another broker": (BROKER, "77", None),
        "group without a name": (GROUP, "", None),
    }

    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 1, retention_ms="1234")
        requests = {}
        for synonyms in (False, True):
            for what, several in together(kinds).items():
                resources = [api.DescribeConfigsResource(*one) for one in several]
                requests[f"{what}, {synonyms}"] = api.DescribeConfigsRequest(resources, synonyms)
        answers = unordered(client.ask_all(api, version, requests), "configs")
        for answer in answers.values():  # Kafka answers for groups first
            answer["results"].sort(key=lambda result: (result["resource_type"], result["resource_name"]))
        return answers

    compare(script)
