"""The flags that say where a Kafka is and who asks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kafkacompat.cli.connected import security_of, servers_of
from kafkacompat.cli.exits import VerbError
from kafkacompat.client.security import Security
from tests.cli.verbs import run
from tests.client.tls import CA, tls_in_front_of

GIVEN = {
    "bootstrap_servers": "localhost:9092", "timeout_s": 30.0, "tls": False, "ca_file": None, "cert_file": None,
    "key_file": None, "no_verify": False, "mechanism": None, "user": None, "password": None, "command_config": None,
}  # fmt: skip


def given(**changes: Any) -> dict[str, Any]:
    return {**GIVEN, **changes}


def test_without_flags_nothing_is_protected() -> None:
    assert security_of(given()) is None
    assert servers_of(given()) == "localhost:9092"


@pytest.mark.parametrize("wrong", ["", "localhost:99999", "localhost:x,localhost:9092"])
def test_addresses_that_are_none_are_a_wrong_command_line(wrong: str) -> None:
    done = run("topic", "list", "-b", wrong, servers="")
    assert (done.status, done.out, done.err.count("\n")) == (2, b"", 1)


def test_flags_ask_for_tls_and_sasl() -> None:
    assert security_of(given(ca_file="ca.pem")) == Security(tls=True, ca_file="ca.pem")
    assert security_of(given(no_verify=True)) == Security(tls=True, verify=False)
    assert security_of(given(user="u", password="p")) == Security(mechanism="PLAIN", user="u", password="p")
    assert security_of(given(mechanism="scram-sha-256", user="u")) == Security(mechanism="SCRAM-SHA-256", user="u")


def test_a_properties_file_of_javas_tools_is_read(tmp_path: Path) -> None:
    path = tmp_path / "client.properties"
    path.write_text(
        "bootstrap.servers=there:1\nsecurity.protocol=SASL_SSL\nsasl.mechanism=SCRAM-SHA-512\n"
        "ssl.truststore.location=ca.pem\nssl.endpoint.identification.algorithm=\n"
        'sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="u" password="p";\n'
    )
    expected = Security(
        tls=True, ca_file="ca.pem", checks_host_name=False, mechanism="SCRAM-SHA-512", user="u", password="p"
    )
    assert security_of(given(command_config=str(path))) == expected
    assert security_of(given(command_config=str(path), user="v")) == expected._replace(user="v")
    assert servers_of(given(command_config=str(path))) == "there:1"
    assert servers_of(given(command_config=str(path), bootstrap_servers="here:1")) == "here:1"
    with pytest.raises(VerbError, match="No such file"):
        security_of(given(command_config=str(tmp_path / "none")))


def test_a_verb_speaks_tls(servers: str) -> None:
    """Metadata names the plain address, so only what the bootstrap server answers itself can be asked."""
    with tls_in_front_of(servers) as port:
        done = run("topic", "list", "--tls-ca", CA, "-f", "json", servers=f"localhost:{port}")
        assert (done.status, done.err) == (0, "")
        refused = run("topic", "list", "--tls", servers=f"localhost:{port}")
        assert refused.status == 7
        assert refused.err == (
            f"kafkacompat: localhost:{port}: the certificate is not accepted: unable to get local issuer certificate\n"
        )


def test_a_user_for_a_broker_without_sasl_is_refused_with_what_to_leave_out(servers: str) -> None:
    done = run("topic", "list", "--user", "u", servers=servers, environment={"KAFKACOMPAT_PASSWORD": "secret"})
    assert done == (
        7, b"", f"kafkacompat: {servers} takes no SASL: leave out user and mechanism, or name another listener\n"
    )  # fmt: skip
