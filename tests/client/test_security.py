"""TLS: certificates that are accepted and those that are not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafkacompat import Cluster
from kafkacompat.client import errors
from kafkacompat.client.client import Client
from kafkacompat.client.security import Security
from tests.client.tls import CA, tls_in_front_of


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with Cluster(topics=["orders"]) as cluster:
        yield cluster.bootstrap_servers


def topics(port: int, security: Security) -> list[str | None]:
    with Client(f"localhost:{port}", security=security, timeout_s=20) as client:
        return [topic.name for topic in client.metadata(None).topics]


def test_a_broker_behind_tls_answers(address: str) -> None:
    with tls_in_front_of(address) as port:
        assert topics(port, Security(tls=True, ca_file=CA)) == ["orders"]


@pytest.mark.parametrize(
    ("certificate", "ca", "why"),
    [
        ("elsewhere", CA, "not valid for 'localhost'"), ("expired", CA, "certificate has expired"),
        ("localhost", None, "unable to get local issuer certificate"),
    ],
)  # fmt: skip
def test_a_wrong_certificate_is_refused_unless_any_is_accepted(
    address: str, certificate: str, ca: str | None, why: str
) -> None:
    with tls_in_front_of(address, certificate) as port:
        with pytest.raises(errors.SecurityError, match=why):
            topics(port, Security(tls=True, ca_file=ca))
        assert topics(port, Security(tls=True, verify=False)) == ["orders"]


@pytest.mark.parametrize(("certificate", "is_accepted"), [("elsewhere", True), ("expired", False)])
def test_without_a_check_of_the_host_name_the_certificate_is_still_checked(
    address: str, certificate: str, is_accepted: bool
) -> None:
    security = Security(tls=True, ca_file=CA, checks_host_name=False)
    with tls_in_front_of(address, certificate) as port:
        if is_accepted:
            assert topics(port, security) == ["orders"]
        else:
            with pytest.raises(errors.SecurityError, match="expired"):
                topics(port, security)


def test_tls_to_a_plain_listener_and_back_is_named(address: str) -> None:
    with pytest.raises(errors.ClientError, match="TLS"):
        topics(int(address.rpartition(":")[2]), Security(tls=True, ca_file=CA))
    with tls_in_front_of(address) as port, pytest.raises(errors.ClientError, match=r"TLS|closed|lost"):
        topics(port, Security())


def test_files_that_cannot_be_read_are_named(address: str) -> None:
    with pytest.raises(errors.SecurityError, match=r"no-such\.pem"):
        topics(int(address.rpartition(":")[2]), Security(tls=True, ca_file="no-such.pem"))
