"""`kafkacompat doctor` names the cause: each row of its table as a broken set-up, with the sentences that it says."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from kafkacompat import Cluster
from kafkacompat.client.diagnosis import Doctor
from kafkacompat.client.endpoint_probe import is_loopback, probe
from kafkacompat.client.finding import Finding
from kafkacompat.client.known_clients import FITS_KAFKA_4, client_finding
from kafkacompat.client.security import Security
from kafkacompat.protocol import error_codes as codes
from kafkacompat.protocol.messages.metadata import MetadataResponseTopic
from kafkacompat.protocol.messages.sasl_authenticate import SaslAuthenticateResponse
from kafkacompat.protocol.messages.sasl_handshake import SaslHandshakeResponse
from tests.client.fake_broker import RANGES, cluster, fake_broker
from tests.client.test_client import peer
from tests.client.tls import CA, tls_in_front_of

SASL_RANGES = {**RANGES, 17: (0, 1), 36: (0, 2)}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with Cluster(topics=["orders"], host="localhost", config={"auto.create.topics.enable": "false"}) as running:
        yield running.bootstrap_servers


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """Addresses of names that only this test knows. Others that end in .example do not resolve."""
    known: dict[str, list[str]] = {}
    real = socket.getaddrinfo

    def getaddrinfo(host: Any, port: Any, *given: Any, **named: Any) -> Any:
        if host in known:
            return [row for address in known[host] for row in real(address, port, *given, **named)]
        if str(host).endswith(".example") or host == "kafka-1":
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return real(host, port, *given, **named)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return known


def examine(servers: str, **named: Any) -> list[Finding]:
    return list(Doctor(servers, **{"timeout_s": 20.0, **named}).steps())


def failure(findings: list[Finding]) -> tuple[str, str, str, str]:
    """Row, kind, sentence and advice of the only failure."""
    (found,) = [finding for finding in findings if finding.level == "fail"]
    return found.row, found.kind, found.text, found.advice


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def test_a_probe_says_what_it_saw(address: str) -> None:
    host, _, port = address.rpartition(":")
    found = probe(host, int(port), security=None, timeout_s=20)
    assert (found.failure, found.mechanisms, found.is_tls) == (None, (), False)
    assert "open" in found.outcomes.values()
    assert is_loopback("127.0.0.9")
    assert not is_loopback("10.0.0.1")


def test_nothing_is_wrong_with_a_sound_broker(address: str) -> None:
    findings = examine(address, topic="orders", write=True)
    assert [(finding.step, finding.level) for finding in findings] == [
        ("resolve", "ok"), ("speaks", "ok"), ("versions", "ok"), ("metadata", "ok"), ("advertised", "ok"),
        ("controller", "ok"), ("coordinators", "ok"), ("write", "ok"),
    ]  # fmt: skip
    assert findings[-1].text == "a record was written to partition 0 of orders at offset 0, and read again"


def test_1_a_broker_that_advertises_localhost(names: dict[str, list[str]]) -> None:
    names["kafka.example"] = ["127.0.0.1"]
    with fake_broker({"metadata": lambda _: cluster("c", (1, "localhost", 9092))}) as port:
        assert failure(examine(f"kafka.example:{port}")) == (
            "advertises-localhost", "unreachable",
            f"broker 1 advertises localhost:9092, but you reach it at kafka.example:{port}: localhost is this machine, "
            "not the broker's",
            "advertise the address that clients use: advertised.listeners=PLAINTEXT://" f"kafka.example:{port}",
        )  # fmt: skip


def test_2_a_container_name_that_is_unknown_outside(names: dict[str, list[str]]) -> None:
    names["host.example"] = ["127.0.0.1"]
    with fake_broker({"metadata": lambda _: cluster("c", (1, "kafka-1", 9092))}) as port:
        assert failure(examine(f"host.example:{port}")) == (
            "unknown-name", "unreachable",
            "broker 1 advertises kafka-1:9092, and the name kafka-1 does not resolve here: it may be known inside the "
            "broker's network only",
            "give the broker two listeners, one for each side:\n"
            "  listeners=INTERNAL://:9092,EXTERNAL://:9093\n"
            "  advertised.listeners=INTERNAL://kafka-1:9092,EXTERNAL://host.example:9093\n"
            "  listener.security.protocol.map=INTERNAL:PLAINTEXT,EXTERNAL:PLAINTEXT\n"
            "  inter.broker.listener.name=INTERNAL",
        )  # fmt: skip


def test_2_a_name_that_is_none(names: dict[str, list[str]]) -> None:
    assert failure(examine("kafka-1:9092")) == (
        "unknown-name", "unreachable", "the name kafka-1 does not resolve here",
        "it may be misspelt, or known inside another network only, like that of containers",
    )  # fmt: skip
    assert failure(examine("no.example"))[3] == "it may be misspelt"


def test_3_a_mapped_port(names: dict[str, list[str]]) -> None:
    closed = closed_port()
    with fake_broker({"metadata": lambda _: cluster("c", (1, "localhost", closed))}) as port:
        assert failure(examine(f"localhost:{port}")) == (
            "mapped-port", "unreachable",
            f"broker 1 advertises port {closed}, which is closed, and you reach it at port {port}: the port is mapped",
            f"map it one to one (-p {closed}:{closed}), or advertise the mapped one: "
            f"advertised.listeners=PLAINTEXT://localhost:{port}",
        )  # fmt: skip


def test_4_a_name_with_an_address_where_nothing_listens(names: dict[str, list[str]], has_ipv6: bool) -> None:
    if not has_ipv6:
        pytest.skip("this machine has no IPv6")
    names["both.example"] = ["::1", "127.0.0.1"]

    def metadata(request: Any) -> object:
        topics = [MetadataResponseTopic(name=topic.name) for topic in request.topics]
        return cluster("c", (1, "both.example", port), topics=topics)

    with fake_broker({"metadata": metadata}) as port:
        found = next(each for each in examine(f"both.example:{port}") if each.row == "one-family")
    assert (found.level, found.kind, found.text, found.advice) == (
        "warn", "different",
        f"both.example is ::1 and 127.0.0.1, and port {port} is closed at ::1: it listens on IPv4 only",
        f"clients that try only the first address fail: use 127.0.0.1:{port}, or listen on both",
    )  # fmt: skip


def test_5_tls_to_a_plain_listener_and_back(address: str) -> None:
    assert failure(examine(address, security=Security(tls=True, ca_file=CA))) == (
        "wants-plain", "refused", f"{address} speaks Kafka without TLS, and was asked with TLS",
        "leave out --tls, or use the TLS listener's port; the broker's log has a request size near 369,295,616",
    )  # fmt: skip
    with tls_in_front_of(address) as port:
        assert failure(examine(f"localhost:{port}")) == (
            "wants-tls", "refused", f"localhost:{port} speaks TLS, and was asked without",
            'use --tls, or security.protocol=SSL; the broker\'s log has "Invalid receive" or an SSL error',
        )  # fmt: skip


def test_6_a_port_that_is_not_kafka() -> None:
    with ExitStack() as stack:
        port = stack.enter_context(_http())
        assert failure(examine(f"127.0.0.1:{port}")) == (
            "not-kafka", "unreachable", f"127.0.0.1:{port} is not Kafka: it speaks HTTP",
            "use the port of a Kafka listener",
        )  # fmt: skip


def _http() -> Any:
    """A server that answers each connection; a probe makes several."""
    import contextlib
    import threading

    @contextlib.contextmanager
    def serve() -> Iterator[int]:
        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    with connection:
                        connection.settimeout(0.2)
                        with contextlib.suppress(OSError):
                            connection.recv(1000)
                            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        with socket.create_server(("127.0.0.1", 0)) as server:
            thread = threading.Thread(target=accept)
            thread.start()
            try:
                yield server.getsockname()[1]
            finally:
                with contextlib.suppress(OSError):
                    server.shutdown(socket.SHUT_RDWR)
                thread.join(10)

    return serve()


def test_7_the_port_of_a_controller() -> None:
    ranges = {18: (0, 4), 52: (0, 2), 60: (0, 2)}
    with fake_broker({}, ranges) as port:
        assert failure(examine(f"localhost:{port}")) == (
            "controller-port", "refused", f"localhost:{port} has no Metadata: it is a controller's port",
            "use the port of a broker: its listener is in advertised.listeners, not in controller.listener.names",
        )  # fmt: skip


def offering(*mechanisms: str) -> Callable[[Any], SaslHandshakeResponse]:
    def answer(request: Any) -> SaslHandshakeResponse:
        is_known = request.mechanism in mechanisms
        return SaslHandshakeResponse(0 if is_known else codes.UNSUPPORTED_SASL_MECHANISM, mechanisms)

    return answer


def test_8_sasl_that_was_not_given_or_is_refused() -> None:
    refusal = SaslAuthenticateResponse(codes.SASL_AUTHENTICATION_FAILED, "Authentication failed: Invalid username")
    answers = {"sasl_handshake": offering("SCRAM-SHA-256", "PLAIN"), "sasl_authenticate": lambda _: refusal}
    advice = "it offers SCRAM-SHA-256, PLAIN: use --sasl SCRAM-SHA-256 --user NAME"
    with fake_broker(answers, SASL_RANGES) as port:
        where = f"localhost:{port}"
        assert failure(examine(where)) == ("sasl", "refused", f"{where} wants SASL, and no user was given", advice)
        other = Security(mechanism="SCRAM-SHA-512", user="u")
        assert failure(examine(where, security=other)) == (
            "sasl", "refused", f"{where}: it offers SCRAM-SHA-256, PLAIN, not SCRAM-SHA-512", advice,
        )  # fmt: skip
        wrong = Security(mechanism="PLAIN", user="u", password="p")
        assert failure(examine(where, security=wrong)) == (
            "sasl", "refused", f"{where}: Authentication failed: Invalid username", "check user and password",
        )  # fmt: skip


def test_8_sasl_that_nobody_asked_for(address: str) -> None:
    assert failure(examine(address, security=Security(mechanism="PLAIN", user="u"))) == (
        "sasl", "refused", f"{address}: the listener wants no SASL",
        "leave out --sasl and --user, or use the port of a SASL listener",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("certificate", "ca", "why", "advice"),
    [
        ("expired", CA, "certificate has expired",
         "it is for localhost, 127.0.0.1, valid from 2020-01-01 to 2021-01-01; renew it"),
        ("elsewhere", CA, "Hostname mismatch, certificate is not valid for 'localhost'.",
         "it is for kafka.example, valid from DATE to DATE; connect by a name of the certificate, or issue one for "
         "this name"),
        ("localhost", None, "unable to get local issuer certificate",
         "it is for localhost, 127.0.0.1, valid from DATE to DATE; name the authority that signed it with --tls-ca"),
    ],
)  # fmt: skip
def test_9_certificates(address: str, certificate: str, ca: str | None, why: str, advice: str) -> None:
    import re

    with tls_in_front_of(address, certificate) as port:
        row, kind, text, said = failure(examine(f"localhost:{port}", security=Security(tls=True, ca_file=ca)))
    if "DATE" in advice:
        said = re.sub(r"\d{4}-\d\d-\d\d", "DATE", said)
    assert (row, kind, text, said) == (
        "certificate", "refused", f"localhost:{port}: the certificate is not accepted: {why}", advice,
    )  # fmt: skip


def test_10_a_client_that_is_too_old(address: str) -> None:
    assert failure(examine(address, client="confluent-kafka:1.5.3")) == (
        "client-too-old", "refused",
        "librdkafka 1.5.3 is too old: the broker dropped requests of clients before 1.8.2, as Kafka 4.0 did",
        "use librdkafka 1.8.2 or newer, or a broker of Kafka 3.9",
    )  # fmt: skip
    for name, version in FITS_KAFKA_4.items():
        assert client_finding({1: (4, 18)}, f"{name}:{version}").level == "ok"
    assert client_finding({1: (0, 17)}, "java:0.9").level == "ok"
    assert client_finding({1: (4, 18)}, "mine:1").level == "warn"


def test_11_more_replicas_than_brokers() -> None:
    with Cluster(config={"offsets.topic.replication.factor": 3}) as running:
        assert failure(examine(running.bootstrap_servers)) == (
            "too-many-replicas", "refused",
            "offsets.topic.replication.factor is 3, and there is one broker: no group can have a coordinator "
            "(COORDINATOR_NOT_AVAILABLE)",
            "for 1 broker set in its configuration:\n  offsets.topic.replication.factor=1\n"
            "  transaction.state.log.replication.factor=1\n  transaction.state.log.min.isr=1",
        )  # fmt: skip


def test_12_two_clusters_in_one_list() -> None:
    with (
        fake_broker({"metadata": lambda _: cluster("one")}) as first,
        fake_broker({"metadata": lambda _: cluster("two")}) as second,
    ):
        assert failure(examine(f"localhost:{first},localhost:{second}")) == (
            "two-clusters", "different",
            f"the addresses are of 2 clusters: localhost:{first} is of cluster one; "
            f"localhost:{second} is of cluster two",
            "name brokers of one cluster only: a client takes whichever answers first",
        )  # fmt: skip


def test_13_silence() -> None:
    with peer(None) as port:
        assert failure(examine(f"127.0.0.1:{port}", timeout_s=0.3)) == (
            "silence", "expired", f"127.0.0.1:{port} accepts connections and says nothing within 0.3 s",
            "the broker may be paused or overloaded, or something else listens there",
        )  # fmt: skip


def test_13_silence_without_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(*_given: object, **_named: object) -> None:
        raise TimeoutError

    monkeypatch.setattr(socket, "create_connection", nothing)  # a firewall that drops packets
    assert failure(examine("127.0.0.1:9092", timeout_s=0.3)) == (
        "silence", "expired", "127.0.0.1:9092 neither answers nor refuses within 0.3 s",
        "a firewall may drop packets, the broker may be paused, or its queue of connections be full",
    )  # fmt: skip


def test_13_a_refusal() -> None:
    port = closed_port()
    assert failure(examine(f"127.0.0.1:{port}")) == (
        "refused", "unreachable", f"nothing listens at 127.0.0.1:{port}", "start the broker, or look up its port",
    )  # fmt: skip


def test_14_a_topic_that_does_not_exist(address: str) -> None:
    assert failure(examine(address, topic="nowhere")) == (
        "no-topic", "missing", "topic nowhere does not exist (UNKNOWN_TOPIC_OR_PARTITION)",
        "create it: kafkacompat topic create nowhere",
    )  # fmt: skip


def test_14_a_topic_that_a_user_may_not_write() -> None:
    readable = MetadataResponseTopic(name="orders", topic_authorized_operations=1 << 3 | 1 << 8)

    def metadata(request: Any) -> object:
        named = [topic.name for topic in request.topics or ()]
        topics = [readable] if named == ["orders"] else [MetadataResponseTopic(name=name) for name in named]
        return cluster("c", (1, "localhost", port), topics=topics)

    with fake_broker({"metadata": metadata}) as port:
        assert failure(examine(f"localhost:{port}", topic="orders")) == (
            "no-right", "refused", "user ANONYMOUS may not write to topic orders",
            "kafka-acls.sh --add --allow-principal User:ANONYMOUS --operation Write --topic orders",
        )  # fmt: skip
