"""Broker configs that topics fall back to, changed while both brokers run: how they are described, and what they do."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import TIMEOUT_S, RawClient
from compat_tests.api.shared_brokers import shared_brokers
from compat_tests.api.test_config_effects import record, start_offset, write
from compat_tests.broker_process import Broker
from kafkacompat.config.config_entry import DYNAMIC_BROKER, DYNAMIC_DEFAULT_BROKER
from kafkacompat.config.definitions import BROKER_CONFIGS, TOPIC_CONFIGS, broker_family
from kafkacompat.config.flags import CLUSTER_WIDE
from kafkacompat.protocol.messages import describe_configs, incremental_alter_configs

TOPIC, BROKER, SET, DELETE = 2, 4, 0, 1
NODE, ALL = "1", ""
MIN_ISR = "1"
"""The default of the only config that all brokers must have (KIP-966)."""
#: In the properties of both brokers: families of which a slower unit is set, and a value below the dynamic ones.
SETTINGS = {
    "log.retention.hours": "100", "log.retention.minutes": "7000", "log.roll.hours": "50",
    "log.roll.jitter.hours": "2", "log.flush.scheduler.interval.ms": "123456", "log.segment.bytes": "9000000",
}  # fmt: skip
SMALL = ("5", "6", "7")
#: A value of all brokers, of one, and of the topic.
VALUES: dict[str, tuple[str, str, str]] = {
    "cleanup.policy": ("compact", "compact,delete", "delete"),
    "compression.gzip.level": SMALL,
    "compression.lz4.level": SMALL,
    "compression.type": ("gzip", "zstd", "snappy"),
    "compression.zstd.level": SMALL,
    "message.timestamp.type": ("LogAppendTime", "CreateTime", "LogAppendTime"),
    "min.cleanable.dirty.ratio": ("0.25", "0.75", ".1"),
    "preallocate": ("true", "false", "true"),
    "unclean.leader.election.enable": ("true", "false", "true"),
}
FALLBACKS = [
    (name, fallback)
    for name in TOPIC_CONFIGS
    for fallback, _ in TOPIC_CONFIGS[name].synonyms
    if BROKER_CONFIGS[fallback].dynamic & CLUSTER_WIDE
]


@pytest.fixture(scope="module")
def shared_broker(pytestconfig: pytest.Config) -> Iterator[Callable[[str], Broker]]:
    """Brokers of this module's own: it changes what all topics fall back to."""
    yield from shared_brokers(pytestconfig, SETTINGS, lambda _made: None)


def alter_broker(client: RawClient, node: str, name: str, value: str | None) -> Any:
    """Set a config of one broker or of all, or take it away (None), and wait until the broker says so; both answers
    where it may not be taken away, and is set to its default instead."""
    change = incremental_alter_configs.AlterableConfig(name, DELETE if value is None else SET, value)
    resource = incremental_alter_configs.AlterConfigsResource(BROKER, node, [change])
    request = incremental_alter_configs.IncrementalAlterConfigsRequest([resource])
    answer = client.ask(incremental_alter_configs, 1, request)
    if answer["responses"][0]["error_code"]:
        return answer if node or value is not None else [answer, alter_broker(client, node, name, MIN_ISR)]
    source = DYNAMIC_BROKER if node else DYNAMIC_DEFAULT_BROKER
    deadline = time.monotonic() + TIMEOUT_S
    wanted = [] if value is None else [value]
    while [own for (own, own_source) in synonyms(client, name) if own_source == source] != wanted:
        assert time.monotonic() < deadline, synonyms(client, name)
        time.sleep(0.02)
    return answer


def synonyms(client: RawClient, name: str) -> list[tuple[str, int]]:
    """Value and source of each synonym of the same name, as the broker describes itself."""
    resource = describe_configs.DescribeConfigsResource(BROKER, NODE, [name])
    answer = client.call(describe_configs.API_KEY, 4, describe_configs.DescribeConfigsRequest([resource], True))
    return [(one.value, one.source) for one in answer.results[0].configs[0].synonyms if one.name == name]


def described(client: RawClient, kind: int, who: str, name: str) -> Any:
    """Value, source and all synonyms in their order."""
    resource = describe_configs.DescribeConfigsResource(kind, who, [name])
    answer = client.ask(describe_configs, 4, describe_configs.DescribeConfigsRequest([resource], True))
    return answer["results"][0]["configs"]


@pytest.mark.api("DescribeConfigs", "IncrementalAlterConfigs")
@pytest.mark.parametrize(("name", "fallback"), FALLBACKS)
def test_synonyms_while_defaults_change(compare: Compare, topic: str, name: str, fallback: str) -> None:
    """The value in effect and all others behind it, in their order: of a topic with a value of its own, of one without,
    of the broker, and of the other broker configs that mean the same."""
    of_all, of_one, of_topic = VALUES.get(name, ("2000000", "3000000", "4000000"))

    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic)
        topics.create(client, topic + "-own", 1, **{name: of_topic})
        said: dict[str, Any] = {}

        def look(when: str) -> None:
            said[when] = [
                described(client, TOPIC, topic, name), described(client, TOPIC, topic + "-own", name),
                *(described(client, BROKER, node, each) for each in broker_family(fallback) for node in (NODE, ALL)),
            ]  # fmt: skip

        look("before")
        steps = [("all", ALL, of_all), ("one", NODE, of_one), ("all no more", ALL, None), ("one no more", NODE, None)]
        for when, node, value in steps:
            said[f"{when}: answer"] = alter_broker(client, node, fallback, value)
            look(when)
        return said

    compare(script)


#: A default of the broker, its value, and what a client tries.
ATTEMPTS: dict[str, tuple[str, Callable[[RawClient, str], Any]]] = {
    "message.max.bytes": ("500", lambda c, t: [write(c, t, record(n)) for n in (10, 1000)]),
    "min.insync.replicas": ("2", lambda c, t: [write(c, t, record(), acks=acks) for acks in (-1, 1)]),
    "log.cleanup.policy": ("compact", lambda c, t: [write(c, t, record(key=None))]),
    "log.message.timestamp.before.max.ms": ("60000", lambda c, t: [write(c, t, record(timestamp_ms=1000))]),
    "log.message.timestamp.after.max.ms": ("9000000000000", lambda c, t: [write(c, t, record(timestamp_ms=2**42))]),
    "log.message.timestamp.type": ("LogAppendTime", lambda c, t: [write(c, t, record(timestamp_ms=1000))]),
    "compression.type": ("gzip", lambda c, t: [write(c, t, record(100)), topics.stored(c, t)[:61][21:23]]),
}


@pytest.mark.api("IncrementalAlterConfigs", "Produce")
@pytest.mark.parametrize("node", [ALL, NODE], ids=["all", "one"])
@pytest.mark.parametrize("name", ATTEMPTS)
def test_a_topic_without_a_value_of_its_own_follows_the_default(
    compare: Compare, topic: str, name: str, node: str
) -> None:
    """Tried before the default of the broker is changed, with the change, and after it was taken away; beside a topic
    that keeps its own."""
    value, attempt = ATTEMPTS[name]
    own = next(each for each in TOPIC_CONFIGS if name in [fallback for fallback, _ in TOPIC_CONFIGS[each].synonyms])
    default = TOPIC_CONFIGS[own].default
    assert default is not None

    def script(client: RawClient) -> list[Any]:
        topics.create(client, topic)
        topics.create(client, topic + "-own", 1, **{own: default})
        said: list[Any] = []

        def attempts() -> None:
            said.append([attempt(client, each) for each in (topic, topic + "-own")])

        attempts()
        said.append(alter_broker(client, node, name, value))
        topics.create(client, topic + "-later")  # by then all that was changed before is in effect
        attempts()
        said.append(alter_broker(client, node, name, None))
        topics.create(client, topic + "-last")
        attempts()
        return [*said, start_offset(client, topic)]

    compare(script)
