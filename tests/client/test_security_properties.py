"""TLS and credentials in the properties of clients."""

from __future__ import annotations

from kafkacompat.client.security_properties import security_of


def test_tls_and_credentials_of_properties() -> None:
    assert security_of({"sasl.username": "ann"}) is None
    jaas = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="ann" password="secret";'
    found = security_of({
        "security.protocol": "sasl_ssl", "sasl.mechanism": "SCRAM-SHA-256", "sasl.jaas.config": jaas,
        "ssl.truststore.location": "ca.pem", "ssl.endpoint.identification.algorithm": "",
    })  # fmt: skip
    assert found is not None
    assert (found.tls, found.mechanism, found.user, found.password) == (True, "SCRAM-SHA-256", "ann", "secret")
    assert (found.ca_file, found.verify) == ("ca.pem", False)
