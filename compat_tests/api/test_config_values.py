"""Values of topic configs that are wrong, and odd spellings, on both brokers: with every API that sets them."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import TIMEOUT_S, RawClient
from kafkacompat.config.definitions import TOPIC_CONFIGS
from kafkacompat.config.values import BOOLEAN, DOUBLE, INT, LIST, LONG, STRING
from kafkacompat.protocol.messages import alter_configs, create_topics, describe_configs, incremental_alter_configs

TOPIC, SET, APPEND, SUBTRACT = 2, 0, 2, 3
INT_MAX, LONG_MAX = 2**31 - 1, 2**63 - 1

Values = list[str | None]
NUMBERS: Values = [
    "0", "1", "-1", "-2", "-3", "2", "9", "10", "17", "18", "22", "23", "-131072", "-131073", "4", "3", "1048575",
    "1048576", str(INT_MAX), str(INT_MAX + 1), str(-INT_MAX - 1), str(-INT_MAX - 2), str(LONG_MAX), str(LONG_MAX + 1),
    str(-LONG_MAX - 1), str(-LONG_MAX - 2), "9" * 400, "0" * 1500 + "7", "1" + "0" * 2000,
    "+5", "-0", "+0", "++5", "+-5", "+", "-", "0x10", "010", "1e3", "1.0", "5.", "5L", "5l", "1_000", "1,000", "5 5",
    " 5", "5 ", "\t5\n", "\x005\x1f", "\xa05", "\u20035", "\u0665", "\uff15", "\U0001d7d3", "\u00b2", "\u2212" "5",
    "null", "None", "NaN", "Infinity", "true", "five",
]  # fmt: skip
DOUBLES: Values = [
    "0", "1", "0.0", "1.0", "-0.0", "-0.1", "1.0000001", "0.5000", ".5", "5e-1", "5E-1", "+.5", "1d", "0.5f", "0.5D",
    "1e-400", "1e400", "NaN", "-NaN", "+NaN", "nan", "Infinity", "-Infinity", "inf", "0x1p-1", "0X.8P0", "0x1",
    "0x1p-1f", "0x1.p-1", "0x.p1", "1e", "e1", ".", "", " 0.5 ", "0.5 5", "0,5", "0_5", "half", "1e-5", "0.00012345",
    "0.1e1", "0." + "3" * 500, "0.1000000000000000055511151231257827", "\xa00.5", "\u0660.5", "\x000.5", "0.5ff",
    "--0.5",
]  # fmt: skip
BOOLEANS: Values = [
    "true", "TRUE", "True", "tRuE", "false", "FALSE", " true", "true ", "\ttrue\n", "\x00true", "\xa0true", "yes", "1",
    "0", "on", "t", "truefalse", "true,false", "fal\u017fe", "null",
]  # fmt: skip
CODECS: Values = [
    "gzip", "GZIP", " gzip", "gzip ", "none", "uncompressed", "producer", "snappy", "lz4", "zstd", "gzip,lz4", "brotli",
    "null",
]  # fmt: skip
TIMES: Values = ["CreateTime", "createtime", "LogAppendTime", "LOGAPPENDTIME", " LogAppendTime", "NoTimestampType"]
POLICIES: Values = [
    "delete", "compact", "delete,compact", "compact,delete", " compact , delete ", "compact,,delete", ",", ",compact",
    "compact,", "compact,compact", "delete,delete,compact,delete", "COMPACT", "Delete", "shred", "compact,shred",
    "compact;delete", "compact delete", "\tcompact\n,\x0bdelete\f", "compact\xa0,delete", "compact\x00,delete",
    "\x00compact", "compact\u2003", "[compact]", "null", ",".join(["compact"] * 3000), "none", "compact,none",
]  # fmt: skip
REPLICAS: Values = [
    "*", "none", "0:1", "0:1,1:1", "0:1, 1:1", " 0:1", "0:1,0:1", "0:1,*", "*,*", " * ", "0:1,", ",0:1", ",", "0", ":",
    "0:", ":1", "0:1:2", "-1:1", "0:-1", "a:1", "0:b", "0: 1", "0 :1", "+0:1", "\u0660:\u0661", "99999999999:1",
    "0:99999999999", "0:1;1:2", "*:*", "0:*", "null", "none,0:1", "00:01", "0x0:1",
]  # fmt: skip
OF_TYPE = {INT: NUMBERS, LONG: NUMBERS, DOUBLE: DOUBLES, BOOLEAN: BOOLEANS}
OF_NAME = {
    "compression.type": CODECS,
    "message.timestamp.type": TIMES,
    "cleanup.policy": POLICIES,
    "leader.replication.throttled.replicas": REPLICAS,
    "follower.replication.throttled.replicas": REPLICAS,
}
DESCRIBED = (
    "cleanup.policy", "compression.type", "internal.segment.bytes", "leader.replication.throttled.replicas",
    "message.timestamp.type", "min.cleanable.dirty.ratio", "min.insync.replicas", "preallocate", "retention.ms",
)  # fmt: skip
"""One of each type, and the internal one: the others of these types are read and printed by the same code."""
EVERYWHERE: Values = [None, "", " ", "\n", "\x00", "\xa0", "x" * 300, "\N{SNOWMAN}", "'", '"5"']

#: Several configs at once: contradictions, and what only looks like one.
TOGETHER: dict[str, dict[str, str | None]] = {
    "lags the wrong way round": {"min.compaction.lag.ms": "9", "max.compaction.lag.ms": "8"},
    "lags that are equal": {"min.compaction.lag.ms": "8", "max.compaction.lag.ms": "8"},
    "lags, one odd": {"min.compaction.lag.ms": "+9", "max.compaction.lag.ms": " 8 "},
    "lags without compaction": {
        "cleanup.policy": "delete", "min.compaction.lag.ms": "9", "max.compaction.lag.ms": "8",
    },
    "least lag at the limit": {"min.compaction.lag.ms": str(LONG_MAX)},
    "local retention longer": {"local.retention.ms": "9", "retention.ms": "8"},
    "local retention larger": {"local.retention.bytes": "9", "retention.bytes": "8"},
    "local retention without end": {"local.retention.ms": "-1", "retention.ms": "8"},
    "local retention as the other": {"local.retention.ms": "-2", "local.retention.bytes": "-2"},
    "remote": {"remote.storage.enable": "true"},
    "remote, odd": {"remote.storage.enable": " TRUE "},
    "remote, off": {"remote.storage.enable": "false"},
    "remote and compacted": {"remote.storage.enable": "true", "cleanup.policy": "compact"},
    "remote and local retention": {"remote.storage.enable": "true", "local.retention.ms": "9", "retention.ms": "8"},
    "remote deletion without it": {"remote.log.delete.on.disable": "true"},
    "remote deletion, off": {"remote.storage.enable": "false", "remote.log.delete.on.disable": "true"},
    "no copies": {"remote.log.copy.disable": "true"},
    "no copies, off": {"remote.storage.enable": "false", "remote.log.copy.disable": "true"},
    "no copies, local retention": {
        "remote.log.copy.disable": "true", "local.retention.ms": "9", "retention.ms": "10",
    },
    "no policy, remote": {"cleanup.policy": "", "remote.storage.enable": "true"},
    "jitter beyond the segment": {"segment.ms": "5", "segment.jitter.ms": "9"},
    "segments of both kinds": {"segment.bytes": "2000000", "internal.segment.bytes": "1000"},
    "messages beyond segments": {"segment.bytes": "1048576", "max.message.bytes": str(INT_MAX)},
    "two mistakes": {"retention.ms": "soon", "segment.ms": "later"},
    "a mistake and a contradiction": {
        "retention.ms": "soon", "min.compaction.lag.ms": "9", "max.compaction.lag.ms": "8",
    },
    "unknown and bad": {"no.such.thing": "1", "retention.ms": "soon"},
    "null and bad": {"segment.ms": None, "retention.ms": "soon"},
}  # fmt: skip
UNKNOWN = [
    "no.such.thing", "", " ", "Retention.ms", "retention.ms ", " retention.ms", "retention_ms",
    "message.format.version", "message.downconversion.enable", "log.retention.ms",
    "log.preallocate", "min.insync.replica", "retention.ms\x00",
    "internal.segment.bytes", "\N{SNOWMAN}", "x" * 300, "confluent.tier.enable", "topic.id",
]  # fmt: skip


def values(name: str) -> Values:
    """What is tried of a config: what is odd for its type, and for any."""
    key = TOPIC_CONFIGS[name]
    return [*OF_NAME.get(name, OF_TYPE.get(key.type, [])), *EVERYWHERE]


@pytest.mark.api("DescribeConfigs")
def test_these_are_all(compare: Compare, topic: str) -> None:
    """Apache Kafka describes the topic configs of our table and no other one; each has the same type and default."""

    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 1, internal_segment_bytes="2000000")
        resource = describe_configs.DescribeConfigsResource(TOPIC, topic, None)
        answer = client.call(describe_configs.API_KEY, 4, describe_configs.DescribeConfigsRequest([resource], True))
        return {one.name: (one.config_type, one.value, one.config_source) for one in answer.results[0].configs}

    assert set(compare(script)) == set(TOPIC_CONFIGS)


def test_every_type_has_its_values() -> None:
    """Of each config some values are tried that only its type knows."""
    assert {key.type for key in map(TOPIC_CONFIGS.__getitem__, TOPIC_CONFIGS)} <= {*OF_TYPE, LIST, STRING}
    assert all(len(values(name)) > len(EVERYWHERE) for name in TOPIC_CONFIGS)


def create(topic: str, validate_only: bool, **configs: str | None) -> create_topics.CreateTopicsRequest:
    wanted = [create_topics.CreatableTopicConfig(name, value) for name, value in configs.items()]
    topic_wanted = create_topics.CreatableTopic(topic, 1, 1, [], wanted)
    return create_topics.CreateTopicsRequest([topic_wanted], 10_000, validate_only)


def replace(topic: str, validate_only: bool, **configs: str | None) -> alter_configs.AlterConfigsRequest:
    wanted = [alter_configs.AlterableConfig(name, value) for name, value in configs.items()]
    return alter_configs.AlterConfigsRequest([alter_configs.AlterConfigsResource(TOPIC, topic, wanted)], validate_only)


def change(
    topic: str, validate_only: bool, operation: int = SET, **configs: str | None
) -> incremental_alter_configs.IncrementalAlterConfigsRequest:
    api = incremental_alter_configs
    wanted = [api.AlterableConfig(name, operation, value) for name, value in configs.items()]
    return api.IncrementalAlterConfigsRequest([api.AlterConfigsResource(TOPIC, topic, wanted)], validate_only)


def shown(value: str | None) -> str:
    """A value as the name of a case: long ones by their length."""
    return json.dumps(value) if value is None or len(value) < 60 else f"{json.dumps(value[:20])} of {len(value)}"


def verdict(answer: Any) -> tuple[int, bool]:
    """The error code of an answer about one resource, and whether it has a message."""
    (result,) = answer.get("topics") or answer.get("responses")
    return result["error_code"], bool(result["error_message"])


def said_of(client: RawClient, topic: str, configs: dict[str, str | None], *, validate_only: bool = True) -> Any:
    """What each of the three APIs says of the same configs."""
    return {
        "incremental": verdict(
            client.ask(incremental_alter_configs, 1, change(topic, validate_only, **configs))
        ),
        "alter": verdict(client.ask(alter_configs, 2, replace(topic, validate_only, **configs))),
        "create": verdict(client.ask(create_topics, 7, create(topic + "-new", True, **configs), ["topic_id"])),
    }  # fmt: skip


def own(client: RawClient, topic: str, name: str) -> Any:
    """How a broker describes a config of a topic, once it has heard of the topic."""
    resource = describe_configs.DescribeConfigsResource(TOPIC, topic, [name])
    request = describe_configs.DescribeConfigsRequest([resource], True)
    deadline = time.monotonic() + TIMEOUT_S
    while (result := client.call(describe_configs.API_KEY, 4, request).results[0]).error_code:
        assert time.monotonic() < deadline, result
        time.sleep(0.02)
    return [(one.value, one.config_source, [(s.value, s.source) for s in one.synonyms]) for one in result.configs]


@pytest.mark.api("IncrementalAlterConfigs", "AlterConfigs", "CreateTopics")
@pytest.mark.parametrize("name", TOPIC_CONFIGS)
def test_values(compare: Compare, topic: str, name: str) -> None:
    """Each value is taken or refused by every API in the same way; of what is refused the broker says why."""

    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic)
        return {shown(value): said_of(client, topic, {name: value}) for value in values(name)}

    found = compare(script)
    assert any(code for of_one in found.values() for code, _ in of_one.values()), "nothing was refused"


@pytest.mark.api("CreateTopics")
@pytest.mark.parametrize("name", TOPIC_CONFIGS)
def test_how_create_topics_repeats_them(compare: Compare, topic: str, name: str) -> None:
    """CreateTopics answers with all configs of the topic that would be: its own ones as they were spelled."""

    def script(client: RawClient) -> dict[str, Any]:
        return {
            shown(value): client.ask(create_topics, 7, create(topic, True, **{name: value}), ["topic_id"])["topics"][0][
                "configs"
            ]
            for value in values(name)
        }

    compare(lambda client: unordered_by_name(script(client)))


def unordered_by_name(answers: dict[str, Any]) -> dict[str, Any]:
    return {what: found and {one["name"]: one for one in found} for what, found in answers.items()}


@pytest.mark.api("CreateTopics", "DescribeConfigs")
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in DESCRIBED else pytest.mark.full) for name in TOPIC_CONFIGS],
)
def test_how_they_are_described(compare: Compare, topic: str, name: str) -> None:
    """DescribeConfigs prints what was understood, without blanks, signs and duplicates."""

    def script(client: RawClient) -> dict[str, Any]:
        said: dict[str, Any] = {}
        for number, value in enumerate(one for one in values(name) if one is not None and len(one) < 1000):
            one = f"{topic}-{number}"
            if verdict(client.ask(create_topics, 7, create(one, False, **{name: value}), ["topic_id"]))[0] == 0:
                said[shown(value)] = own(client, one, name)
        return said

    compare(script)


@pytest.mark.api("IncrementalAlterConfigs", "AlterConfigs", "CreateTopics")
@pytest.mark.parametrize("what", TOGETHER)
def test_together(compare: Compare, topic: str, what: str) -> None:
    """Configs that contradict each other are refused by each API; what only looks so is taken and described."""

    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic)
        said = {
            "validated": said_of(client, topic, TOGETHER[what]),
            "set": said_of(client, topic, TOGETHER[what], validate_only=False),
        }
        topics.create(client, topic + "-later")  # a broker hears of both in order
        return {**said, "described": {name: own(client, topic, name) for name in TOGETHER[what]}}

    compare(script)


@pytest.mark.api("IncrementalAlterConfigs", "AlterConfigs", "CreateTopics")
def test_contradictions_with_what_is_set(compare: Compare, topic: str) -> None:
    """A change is looked at with what the topic has already: IncrementalAlterConfigs adds, AlterConfigs replaces."""

    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 1, min_compaction_lag_ms="100", local_retention_ms="50", cleanup_policy="compact")
        changes: list[dict[str, str | None]] = [
            {"max.compaction.lag.ms": "99"}, {"max.compaction.lag.ms": "100"}, {"max.compaction.lag.ms": "+100"},
            {"retention.ms": "49"}, {"remote.storage.enable": "true"}, {"local.retention.ms": "-1"}, {},
        ]  # fmt: skip
        return {str(change_of): said_of(client, topic, change_of) for change_of in changes}

    compare(script)


@pytest.mark.api("IncrementalAlterConfigs", "AlterConfigs", "CreateTopics")
def test_unknown_names(compare: Compare, topic: str) -> None:
    """Names that are none of a topic's configs, or only nearly."""

    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic)
        return {
            f"{shown(name)}={shown(value)}": said_of(client, topic, {name: value})
            for name in UNKNOWN
            for value in ("1", "", None)
        }

    compare(script)


@pytest.mark.api("IncrementalAlterConfigs", "DescribeConfigs")
@pytest.mark.parametrize("name", [name for name in TOPIC_CONFIGS if TOPIC_CONFIGS[name].type == LIST])
@pytest.mark.parametrize("operation", [APPEND, SUBTRACT])
def test_items_of_lists(compare: Compare, topic: str, name: str, operation: int) -> None:
    """Items that are added or taken away are compared as they are spelled."""
    start = {"cleanup.policy": " compact , delete "}.get(name, "0:1, 1:1 ,0:1")

    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 1, **{name: start})
        tried = values(name)
        said: dict[str, Any] = {}
        for number, value in enumerate(tried):
            if value is None or len(value) < 1000:
                request = change(topic, False, operation, **{name: value})
                answer = verdict(client.ask(incremental_alter_configs, 1, request))
                topics.create(client, f"{topic}-{number}")
                said[shown(value)] = [answer, own(client, topic, name)]
        return said

    compare(script)
