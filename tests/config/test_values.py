import contextlib
import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacompat.config import ConfigError
from kafkacompat.config.definitions import BROKER_CONFIGS, TOPIC_CONFIGS
from kafkacompat.config.values import (
    BOOLEAN,
    CLASS,
    DOUBLE,
    INT,
    LIST,
    LONG,
    SHORT,
    STRING,
    format_value,
    java_double,
    parse_text,
    parse_value,
)


@pytest.mark.parametrize(
    ("type_code", "text", "value"),
    [
        (BOOLEAN, " TRUE ", True),
        (BOOLEAN, "false", False),
        (BOOLEAN, "fal\u017fe", False),
        (INT, "+007", 7),
        (INT, "0" * 5000 + "7", 7),
        (INT, "-0", 0),
        (INT, "-2147483648", -(2**31)),
        (SHORT, "32767", 32767),
        (LONG, " 5 ", 5),
        (LONG, "\x005\x1f", 5),
        (LONG, "\u0665", 5),
        (LONG, "９", 9),
        (LONG, "9223372036854775807", 2**63 - 1),
        (DOUBLE, "1e-1", 0.1),
        (DOUBLE, "0.5d", 0.5),
        (DOUBLE, "-Infinity", -math.inf),
        (DOUBLE, "1.7976931348623157E308", 1.7976931348623157e308),
        (DOUBLE, "0x1.8p-1", 0.75),
        (DOUBLE, "-0X.8P0d", -0.5),
        (DOUBLE, "0x1p99999", math.inf),
        (DOUBLE, "1e400", math.inf),
        (LIST, " delete , compact ", ("delete", "compact")),
        (LIST, "\x00a\x0b,\x00b", ("a", "\x00b")),
        (LIST, "a\xa0,b", ("a\xa0", "b")),
        (LIST, "", ()),
        (LIST, "a,", ("a", "")),
        (STRING, " in between ", "in between"),
        (CLASS, " a.B ", "a.B"),
    ],
)
def test_texts_are_read_as_java_reads_them(type_code: int, text: str, value: object) -> None:
    assert parse_text(type_code, text) == value


@pytest.mark.parametrize(
    ("type_code", "text"),
    [
        (BOOLEAN, "yes"),
        (BOOLEAN, ""),
        (INT, "2147483648"),
        (INT, "1e6"),
        (SHORT, "32768"),
        (LONG, ""),
        (LONG, "+"),
        (LONG, "1_000"),
        (LONG, "0x10"),
        (LONG, "5 5"),
        (LONG, "\xa05"),
        (LONG, "\U0001d7d3"),
        (LONG, "+-5"),
        (BOOLEAN, "\xa0true"),
        (LONG, "9" * 5000),
        (DOUBLE, ""),
        (DOUBLE, "d"),
        (DOUBLE, "nan"),
        (DOUBLE, "1_0"),
        (DOUBLE, "--1"),
        (DOUBLE, "1e"),
        (DOUBLE, "0x1"),
        (DOUBLE, "0x.p1"),
        (DOUBLE, "0x"),
    ],
)
def test_texts_that_do_not_fit_the_type(type_code: int, text: str) -> None:
    with pytest.raises(ValueError, match="it "):
        parse_text(type_code, text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.5"),
        (0.0, "0.0"),
        (1.7976931348623157e308, "1.7976931348623157E308"),
        (1e7, "1.0E7"),
        (12345678.5, "1.23456785E7"),
        (9999999.0, "9999999.0"),
        (0.001, "0.001"),
        (0.00025, "2.5E-4"),
        (-1e-5, "-1.0E-5"),
        (math.nan, "NaN"),
        (math.inf, "Infinity"),
    ],
)
def test_doubles_are_printed_as_java_prints_them(value: float, text: str) -> None:
    assert java_double(value) == text


@given(st.floats(allow_nan=False))
def test_a_printed_double_reads_back(value: float) -> None:
    assert struct.pack(">d", float(java_double(value).replace("Infinity", "inf"))) == struct.pack(">d", value)


@given(st.integers(-(2**63), 2**63 - 1))
def test_a_printed_long_reads_back(value: int) -> None:
    assert parse_text(LONG, str(value)) == value


@given(st.text())
def test_any_text_is_a_value_or_a_refusal(text: str) -> None:
    for table in (TOPIC_CONFIGS, BROKER_CONFIGS):
        for name in ("compression.gzip.level", "compression.type", "min.insync.replicas"):
            with contextlib.suppress(ConfigError):
                key = table[name]
                assert parse_value(key, format_value(key, parse_value(key, text)) or "") is not None


def test_lists_without_a_double() -> None:
    assert parse_value(TOPIC_CONFIGS["cleanup.policy"], "delete,delete") == ("delete",)
    replicas = TOPIC_CONFIGS["leader.replication.throttled.replicas"]
    assert parse_value(replicas, "0:1,0:1") == ("0:1", "0:1")
    assert parse_value(replicas, ",0:1,") == ("", "0:1", "")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("controller.quorum.voters", "1@localhost"),
        ("controller.quorum.voters", "x@localhost:9093"),
        ("controller.quorum.bootstrap.servers", "localhost:99999"),
        ("max.connections.per.ip.overrides", "127.0.0.1"),
        ("group.consumer.migration.policy", "sideways"),
        ("listeners", ""),
        ("process.roles", "broker,zookeeper"),
        ("compression.gzip.level", "0"),
        ("remote.log.storage.system.enable", "true"),
        ("log.cleaner.min.cleanable.ratio", "1.5"),
    ],
)
def test_limits_of_broker_configs(name: str, text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_value(BROKER_CONFIGS[name], text)
    assert caught.value.name == name
    assert name in str(caught.value)


def test_every_default_keeps_to_its_own_limits() -> None:
    for table in (BROKER_CONFIGS, TOPIC_CONFIGS):
        for name in table:
            key = table[name]
            if key.default is not None:
                assert format_value(key, parse_value(key, key.default)) == key.default
