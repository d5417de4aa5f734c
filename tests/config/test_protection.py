"""What would protect a broker of Kafka's and does nothing here is never taken in silence."""

from __future__ import annotations

import pytest

from kafkacompat.config import BrokerConfig, ConfigError
from kafkacompat.config.protection import check_alteration, check_start, listed, stored_protection

STOCK_MAP = "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL"
TWO = {
    "listeners": "INSIDE://:9092,CTL://:9093",
    "controller.listener.names": "CTL",
    "listener.security.protocol.map": "INSIDE:PLAINTEXT,CTL:PLAINTEXT",
}

ENDS_ANY_START = [
    {"authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer"},
    {"super.users": "User:admin"},
    {"allow.everyone.if.no.acl.found": "false"},
    {"allow.everyone.if.no.acl.found": "true"},
    {"security.inter.broker.protocol": "SASL_SSL"},
    {"listeners": "PLAINTEXT://:9092,SSL://:9093"},
    {"listeners": "sasl_ssl://:9093"},
    {"listeners": "OUTSIDE://:9092", "listener.security.protocol.map": "OUTSIDE:SSL"},
    {"listener.security.protocol.map": "PLAINTEXT:SSL"},
    {"listener.name.plaintext.ssl.keystore.location": "/keys"},
    {"listener.name.PLAINTEXT.ssl.client.auth": "required"},
    {"listener.name.plaintext.sasl.enabled.mechanisms": "PLAIN"},
    {"listener.name.plaintext.plain.sasl.jaas.config": "PlainLoginModule required;"},
    {"listener.name.plaintext.scram-sha-256.sasl.jaas.config": "ScramLoginModule required;"},
    {**TWO, "listener.name.inside.ssl.keystore.location": "/keys"},
    {**TWO, "listener.name.ctl.ssl.keystore.location": "/keys"},
]

WARNS = [
    ({"listener.security.protocol.map": STOCK_MAP}, ["SASL_PLAINTEXT, SASL_SSL, SSL"]),
    ({"ssl.keystore.location": "/keys", "ssl.client.auth": "required"}, ["ssl.client.auth, ssl.keystore.location"]),
    ({"sasl.enabled.mechanisms": "PLAIN"}, ["sasl.enabled.mechanisms"]),
    ({"listener.name.outside.ssl.keystore.location": "/keys"}, ["listener.name.outside.ssl.keystore.location"]),
    ({"ssl.provider": "x", "listener.security.protocol.map": STOCK_MAP}, ["ssl.provider", "SASL_SSL"]),
    ({f"ssl.{number}": "x" for number in range(9)}, ["and 4 more"]),
]

HARMLESS = [
    {},
    {"authorizer.class.name": "", "super.users": "  "},
    {"security.inter.broker.protocol": "PLAINTEXT"},
    {"listeners": "PLAINTEXT://:9092", "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT"},
    {"listener.name.plaintext.max.connections": "5"},
    {"early.start.listeners": "CONTROLLER", **TWO},
]


@pytest.mark.parametrize("settings", ENDS_ANY_START)
def test_protection_that_is_not_there_ends_the_start(settings: dict[str, str]) -> None:
    with pytest.raises(ConfigError) as caught:
        check_start(settings)
    assert caught.value.name in settings
    assert "\n" not in str(caught.value)
    assert "required" not in str(caught.value)  # no secret, and nothing else of the value


@pytest.mark.parametrize(("settings", "words"), WARNS)
def test_what_protects_nothing_in_kafka_either_is_a_warning(settings: dict[str, str], words: list[str]) -> None:
    warnings = check_start(settings)
    assert len(warnings) == len(words)
    for warning, word in zip(warnings, words, strict=True):
        assert word in warning


@pytest.mark.parametrize("settings", HARMLESS)
def test_no_word_about_what_is_plaintext_anyway(settings: dict[str, str]) -> None:
    assert check_start(settings) == []


def test_listeners_that_a_start_adds_count() -> None:
    settings = {"listener.name.controller.ssl.keystore.location": "/keys"}
    assert check_start(settings)
    with pytest.raises(ConfigError, match="no TLS"):
        check_start(settings, ["CONTROLLER"])


@pytest.mark.parametrize("settings", [settings for settings in ENDS_ANY_START if len(settings) == 1])
def test_no_client_sets_it_either(settings: dict[str, str]) -> None:
    ((name, value),) = settings.items()
    with pytest.raises(ConfigError) as caught:
        check_alteration(name, value, BrokerConfig({}))
    assert caught.value.error_code == 40  # INVALID_CONFIG


def test_clients_protect_no_listener_whatever_its_name() -> None:
    with pytest.raises(ConfigError, match="no TLS"):
        check_alteration("listener.name.other.ssl.keystore.location", "/keys", BrokerConfig({}))
    check_alteration("listener.name.other.max.connections", "5", BrokerConfig({}))
    check_alteration("listener.security.protocol.map", STOCK_MAP, BrokerConfig({}))
    inside = BrokerConfig.from_sources(TWO)
    check_alteration("listeners", "INSIDE://:9092", inside)
    with pytest.raises(ConfigError, match="wants SSL"):
        check_alteration("listener.security.protocol.map", "INSIDE:SSL,CTL:PLAINTEXT", inside)


def test_stored_settings_are_found_and_named_in_one_line_of_limited_length() -> None:
    config = BrokerConfig({})
    assert stored_protection({"num.io.threads": "8", "super.users": ""}, config) == []
    assert stored_protection({"super.users": "User:a", "num.io.threads": "8"}, config) == ["super.users"]
    odd = stored_protection({f"listener.name.a\n{number}.ssl.provider": "x" for number in range(9)}, config)
    assert listed(odd) == ", ".join(f"listener.name.a\\n{n}.ssl.provider" for n in range(5)) + " and 4 more"
    assert len(listed(["x" * 30_000] * 9)) < 500
