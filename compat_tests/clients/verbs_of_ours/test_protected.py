"""Verbs on a protected Apache Kafka: SASL and TLS as its own listeners speak them, and transactions."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from confluent_kafka import Producer

from compat_tests.apache_kafka import ApacheKafka
from compat_tests.broker_process import Broker
from kafkacompat.client.client import Client
from kafkacompat.client.errors import SecurityError
from kafkacompat.client.security import Security
from kafkacompat.protocol.messages import alter_user_scram_credentials as scram

TIMEOUT_S = 120
JAAS = (
    "org.apache.kafka.common.security.plain.PlainLoginModule required "
    'username="admin" password="secret" user_admin="secret";'
)
SASL = {
    "listener.security.protocol.map": "PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT",
    "inter.broker.listener.name": "PLAINTEXT",
    "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
    "sasl.mechanism.inter.broker.protocol": "PLAIN",
    "listener.name.plaintext.plain.sasl.jaas.config": JAAS,
    "listener.name.plaintext.scram-sha-256.sasl.jaas.config":
        "org.apache.kafka.common.security.scram.ScramLoginModule required;",
    "listener.name.plaintext.scram-sha-512.sasl.jaas.config":
        "org.apache.kafka.common.security.scram.ScramLoginModule required;",
}  # fmt: skip
ADMIN = ("--user", "admin", "--password", "secret")
CERTIFICATES = Path(__file__).parents[3] / "tests" / "client" / "certificates"


@contextmanager
def apache(config: dict[str, str]) -> Iterator[str]:
    broker = ApacheKafka(config=config)
    try:
        broker.start()
        yield broker.bootstrap_servers
    finally:
        broker.close()


def run(servers: str, *arguments: str, stdin: str = "") -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "kafkacompat", *arguments], input=stdin, capture_output=True, text=True,
        timeout=TIMEOUT_S, env={**os.environ, "KAFKACOMPAT_BOOTSTRAP_SERVERS": servers},
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def reference_only(broker_kind: str) -> None:
    if broker_kind != "kafka":
        pytest.skip("kafkacompat has neither SASL nor TLS yet")


@pytest.mark.usefixtures("reference_only")
def test_sasl_of_apache_kafka() -> None:
    with apache(SASL) as servers:
        assert run(servers, "topic", "create", "kept", *ADMIN)[0] == 0
        add_scram_user(servers)
        for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512"):
            bob = ("--sasl", mechanism, "--user", "bob", "--password", "pw")
            assert run(servers, "produce", "kept", "-f", "raw", *bob, stdin=f"{mechanism}\n")[0] == 0
        assert run(servers, "consume", "kept", "-f", "raw", *ADMIN)[1] == "SCRAM-SHA-256\nSCRAM-SHA-512\n"
        status, _, error = run(servers, "topic", "list", "--sasl", "SCRAM-SHA-256", "--user", "bob", "--password", "no")
        assert status == 7
        assert "refuses user 'bob'" in error
        status, text, _ = run(servers, "doctor")
        assert status == 7
        assert f"FAIL  sasl          {servers} wants SASL, and no user was given" in text
        assert run(servers, "doctor", *ADMIN)[0] == 0
        status, text, _ = run(servers, "doctor", "--user", "admin", "--password", "wrong")
        assert "check user and password" in text
        with Client(servers, security=Security(mechanism="OTHER")) as client, pytest.raises(SecurityError):
            client.metadata(())


def add_scram_user(servers: str) -> None:
    with Client(servers, security=Security(mechanism="PLAIN", user="admin", password="secret")) as client:
        for mechanism, name in ((1, "sha256"), (2, "sha512")):
            salt = os.urandom(16)
            salted = hashlib.pbkdf2_hmac(name, b"pw", salt, 4096)
            row = scram.ScramCredentialUpsertion("bob", mechanism, 4096, salt, salted)
            request = scram.AlterUserScramCredentialsRequest(upsertions=[row])
            answer = client.call_controller(scram, request, lambda response: response.results[0].error_code)
            assert [result.error_code for result in answer.results] == [0]


@pytest.mark.usefixtures("reference_only")
def test_tls_of_apache_kafka() -> None:
    config = {
        "listener.security.protocol.map": "PLAINTEXT:SSL,CONTROLLER:PLAINTEXT",
        "inter.broker.listener.name": "PLAINTEXT",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(CERTIFICATES / "localhost.pem"),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(CERTIFICATES / "ca.pem"),
    }
    trust = ("--tls-ca", str(CERTIFICATES / "ca.pem"))
    with apache(config) as servers:
        assert run(servers, "topic", "create", "kept", *trust)[0] == 0
        assert run(servers, "produce", "kept", "-f", "raw", *trust, stdin="x\n" * 1000)[0] == 0
        assert run(servers, "consume", "kept", "-f", "raw", *trust)[1] == "x\n" * 1000
        assert run(servers, "doctor", *trust)[0] == 0
        status, text, _ = run(servers, "doctor")
        assert status == 7
        assert f"{servers} speaks TLS, and was asked without" in text
        status, text, _ = run(servers, "doctor", "--tls")
        assert "name the authority that signed it with --tls-ca" in text


@pytest.mark.api("Fetch")
def test_read_committed_leaves_aborted_and_open_transactions_out(broker: Broker, topic: str) -> None:
    servers = broker.bootstrap_servers
    assert run(servers, "topic", "create", topic)[0] == 0
    producer = Producer({"bootstrap.servers": servers, "transactional.id": topic})
    producer.init_transactions(TIMEOUT_S)
    for value, commits in (("kept", True), ("aborted", False), ("also kept", True)):
        producer.begin_transaction()
        producer.produce(topic, value)
        producer.flush(TIMEOUT_S)
        (producer.commit_transaction if commits else producer.abort_transaction)(TIMEOUT_S)
    producer.begin_transaction()
    producer.produce(topic, "open")
    producer.flush(TIMEOUT_S)
    assert run(servers, "consume", topic, "-f", "raw", "--read-committed")[1] == "kept\nalso kept\n"
    assert run(servers, "consume", topic, "-f", "raw")[1] == "kept\naborted\nalso kept\nopen\n"
    control = run(servers, "consume", topic, "-f", "%a{control-bit} %a{transactional-bit}\n", "--print-control")[1]
    assert control.split("\n")[:-1] == ["0 1", "1 1"] * 3 + ["0 1"]
    producer.abort_transaction(TIMEOUT_S)
