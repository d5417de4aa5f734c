"""TLS and credentials in the properties of clients."""

from __future__ import annotations

import pytest

from kafkacompat.client.errors import SecurityError
from kafkacompat.client.security_properties import java_properties, security_of

PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"
SASL = {"security.protocol": "SASL_PLAINTEXT"}


def test_tls_and_credentials_of_properties() -> None:
    assert security_of({"sasl.username": "ann"}) is None
    jaas = f'{PLAIN} username="ann" password="secret";'
    found = security_of({
        "security.protocol": "sasl_ssl", "sasl.mechanism": "SCRAM-SHA-256", "sasl.jaas.config": jaas,
        "ssl.truststore.location": "ca.pem", "ssl.endpoint.identification.algorithm": "",
    })  # fmt: skip
    assert found is not None
    assert (found.tls, found.mechanism, found.user, found.password) == (True, "SCRAM-SHA-256", "ann", "secret")
    assert (found.ca_file, found.verify, found.checks_host_name) == ("ca.pem", True, False)


@pytest.mark.parametrize(
    ("options", "user", "password"),
    [
        (r'username="a\"b\\c" password="";', 'a"b\\c', ""),
        ("username='ann' password='s\"e=c;ret';", "ann", 's"e=c;ret'),
        ("username = ann password=secret;", "ann", "secret"),
    ],
)
def test_options_of_jaas_are_read_as_kafka_reads_them(options: str, user: str, password: str) -> None:
    found = security_of({**SASL, "sasl.jaas.config": f"{PLAIN} {options}"})
    assert found is not None
    assert (found.user, found.password) == (user, password)


@pytest.mark.parametrize(
    ("properties", "told"),
    [
        ({"security.protocol": "SASL_TLS"}, "security.protocol is one of PLAINTEXT, SSL, .*, not 'SASL_TLS'"),
        ({"security.protocol": "SSL", "ssl.truststore.type": "JKS"}, "ssl.truststore.type=JKS: .* PEM only"),
        ({"security.protocol": "SSL", "ssl.keystore.type": "PKCS12"}, "ssl.keystore.type=PKCS12: .* PEM only"),
        ({"security.protocol": "SSL", "ssl.truststore.certificates": "x"}, "give certificates as files"),
    ],
)
def test_what_the_client_cannot_do_is_not_left_out(properties: dict[str, str], told: str) -> None:
    with pytest.raises(SecurityError, match=told):
        security_of(properties)


def test_the_same_properties_for_java() -> None:
    given = {
        **SASL,
        "sasl.username": 'a"n',
        "sasl.password": "p\\",
        "ssl.ca.location": "ca.pem",
        "fetch.min.bytes": "9",
    }
    java = java_properties(given)
    assert java == {
        **SASL, "sasl.mechanism": "PLAIN", "sasl.jaas.config": rf'{PLAIN} username="a\"n" password="p\\";',
        "ssl.truststore.location": "ca.pem", "ssl.truststore.type": "PEM", "fetch.min.bytes": "9",
    }  # fmt: skip
    assert security_of(java) == security_of(given), "read back by our own client"
    scram = java_properties({**given, "sasl.mechanism": "scram-sha-512"})
    assert scram["sasl.jaas.config"].startswith("org.apache.kafka.common.security.scram.ScramLoginModule required ")
    own = {
        **SASL, "sasl.jaas.config": "theirs", "sasl.username": "x", "ssl.truststore.location": "t",
        "ssl.truststore.type": "JKS",
    }  # fmt: skip
    assert java_properties(own) == {
        **SASL, "sasl.mechanism": "PLAIN", "sasl.jaas.config": "theirs", "ssl.truststore.location": "t",
        "ssl.truststore.type": "JKS",
    }  # fmt: skip
