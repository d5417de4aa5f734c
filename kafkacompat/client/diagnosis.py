"""What is wrong between here and a cluster: steps from the name to a written record, each with findings in sentences.

A finding is `ok`, `warn` or `fail`. `row` names the symptom that a failure is; docs/cli.md has the list. Nothing is
changed in the cluster, unless a topic for a test write is given.
"""

from __future__ import annotations

import socket

from kafkacompat.client import errors
from kafkacompat.client.client import Client, parse_servers
from kafkacompat.client.connection import address_of
from kafkacompat.client.endpoint_probe import NO_SASL, Probe, is_loopback, probe
from kafkacompat.client.finding import Finding
from kafkacompat.client.known_clients import client_finding
from kafkacompat.client.texts import counted
from kafkacompat.protocol import error_codes as codes
from kafkacompat.protocol.api_keys import METADATA

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkacompat.client.security import Security
    from kafkacompat.protocol.messages.metadata import MetadataResponse

OFFSETS_TOPIC = "__consumer_offsets"
OFFSETS_REPLICAS = "offsets.topic.replication.factor"
READ, WRITE = 3, 4
"""Operations of ACLs (AclOperation)."""
UNKNOWN_OPERATIONS = -(2**31)
"""The broker was too old to say, or has no authorizer (MetadataResponse)."""


class Doctor:
    """Examines the cluster at `bootstrap_servers`; `steps` yields findings as they are made. Ends where going on is
    no use. `topic` is looked at as well, and written to if `write`; `client` is a name and version to fit.
    """

    def __init__(
        self, bootstrap_servers: str, *, security: Security | None = None, timeout_s: float = 5.0,
        topic: str | None = None, write: bool = False, client: str | None = None,
    ) -> None:  # fmt: skip
        self._servers = parse_servers(bootstrap_servers)
        self._security = security
        self._timeout_s = timeout_s
        self._topic = topic
        self._write = write
        self._client_wanted = client

    def steps(self) -> Iterator[Finding]:
        """The findings, in order."""
        open_at: list[Probe] = []
        for host, port in self._servers:
            found = probe(host, port, security=self._security, timeout_s=self._timeout_s)
            yield from _address_findings(found, is_bootstrap=True)
            if found.versions:
                open_at.append(found)
        if not open_at:
            return
        broker_addresses = [found for found in open_at if METADATA in found.versions]
        for found in open_at:
            if METADATA not in found.versions:
                yield Finding(
                    "versions", "fail", f"{found.address} has no Metadata: it is a controller's port",
                    "use the port of a broker: its listener is in advertised.listeners, not in "
                    "controller.listener.names", "controller-port", "refused",
                )  # fmt: skip
        if broker_addresses:
            yield client_finding(broker_addresses[0].versions, self._client_wanted)
            yield from self._cluster(broker_addresses)

    def _cluster(self, addresses: list[Probe]) -> Iterator[Finding]:
        seen: dict[str, MetadataResponse] = {}
        for found in addresses:
            with self._client(found.host, found.port) as client:
                try:
                    seen[found.address] = client.metadata(())
                except errors.ClientError as error:
                    yield _metadata_failure(found, error)
        if not seen:
            return
        ids = {answer.cluster_id for answer in seen.values()}
        if len(ids) > 1:
            which = "; ".join(f"{address} is of cluster {answer.cluster_id}" for address, answer in seen.items())
            yield Finding(
                "metadata", "fail", f"the addresses are of {len(ids)} clusters: {which}",
                "name brokers of one cluster only: a client takes whichever answers first", "two-clusters", "different",
            )  # fmt: skip
            return
        address, answer = next(iter(seen.items()))
        names = ", ".join(f"{each.node_id} at {address_of(each.host, each.port)}" for each in answer.brokers)
        yield Finding("metadata", "ok", f"cluster {answer.cluster_id}; brokers: {names or 'none'}")
        bootstrap = next(found for found in addresses if found.address == address)
        are_all_reached = True
        for broker in sorted(answer.brokers, key=lambda each: each.node_id):
            findings = list(self._advertised(broker.node_id, broker.host, broker.port, bootstrap))
            are_all_reached = are_all_reached and all(finding.level != "fail" for finding in findings)
            yield from findings
        if are_all_reached:
            with self._client(bootstrap.host, bootstrap.port) as client:
                yield from self._roles(client, answer)
                if self._topic is not None:
                    yield from self._topic_findings(client, self._topic)

    def _client(self, host: str, port: int) -> Client:
        return Client(address_of(host, port), security=self._security, timeout_s=self._timeout_s)

    def _advertised(self, node_id: int, host: str, port: int, bootstrap: Probe) -> Iterator[Finding]:
        if (host, port) == (bootstrap.host, bootstrap.port):
            yield Finding("advertised", "ok", f"broker {node_id} advertises {address_of(host, port)}, as you reach it")
            return
        found = probe(host, port, security=self._security, timeout_s=self._timeout_s)
        address, reached = address_of(host, port), bootstrap.address
        if is_loopback(host) and not is_loopback(bootstrap.host):
            yield Finding(
                "advertised", "fail", f"broker {node_id} advertises {address}, but you reach it at {reached}: "
                f"{host} is this machine, not the broker's",
                f"advertise the address that clients use: advertised.listeners=PLAINTEXT://{reached}",
                "advertises-localhost", "unreachable",
            )  # fmt: skip
        elif found.failure == "unresolved":
            yield Finding(
                "advertised", "fail", f"broker {node_id} advertises {address}, and the name {host} does not resolve "
                "here: it may be known inside the broker's network only",
                "give the broker two listeners, one for each side:\n"
                f"  listeners=INTERNAL://:{port},EXTERNAL://:{_other(port)}\n"
                f"  advertised.listeners=INTERNAL://{host}:{port},EXTERNAL://{bootstrap.host}:{_other(port)}\n"
                "  listener.security.protocol.map=INTERNAL:PLAINTEXT,EXTERNAL:PLAINTEXT\n"
                "  inter.broker.listener.name=INTERNAL",
                "unknown-name", "unreachable",
            )  # fmt: skip
        elif found.failure == "refused" and _is_same_host(host, bootstrap.host) and port != bootstrap.port:
            yield Finding(
                "advertised", "fail", f"broker {node_id} advertises port {port}, which is closed, and you reach it at "
                f"port {bootstrap.port}: the port is mapped",
                f"map it one to one (-p {port}:{port}), or advertise the mapped one: "
                f"advertised.listeners=PLAINTEXT://{bootstrap.host}:{bootstrap.port}",
                "mapped-port", "unreachable",
            )  # fmt: skip
        elif found.versions:
            yield Finding("advertised", "ok", f"broker {node_id} answers at {address}")
        else:
            yield from (
                finding._replace(step="advertised", text=f"broker {node_id}: {finding.text}")
                for finding in _address_findings(found, is_bootstrap=False)
                if finding.level != "ok"
            )

    def _roles(self, client: Client, answer: MetadataResponse) -> Iterator[Finding]:
        """The controller and the coordinators; nothing is created for it."""
        brokers = {each.node_id for each in answer.brokers}
        if answer.controller_id in brokers:
            yield Finding("controller", "ok", f"requests for the controller go to broker {answer.controller_id}")
        else:
            yield Finding(
                "controller", "fail", "no controller is known: topics cannot be created or changed",
                "see the logs of the controllers: a majority of them must run", "no-controller", "unreachable",
            )  # fmt: skip
        try:
            yield self._coordinators(client, answer)
        except errors.ClientError as error:
            yield Finding("coordinators", "warn", f"could not be examined: {error}")

    def _coordinators(self, client: Client, answer: MetadataResponse) -> Finding:
        from kafkacompat.client.topic_admin import BROKER_RESOURCE, describe_configs

        count = len(answer.brokers)
        (topic,) = client.metadata([OFFSETS_TOPIC]).topics
        if topic.error_code == codes.NONE:
            without = sum(partition.leader_id < 0 for partition in topic.partitions)
            if not without:
                return Finding("coordinators", "ok", f"{OFFSETS_TOPIC} has a leader for each partition")
            return Finding(
                "coordinators", "fail", f"{without} partitions of {OFFSETS_TOPIC} have no leader: groups wait",
                "start the brokers that hold them", "no-coordinator", "unreachable",
            )  # fmt: skip
        node_id = str(min(each.node_id for each in answer.brokers))
        configs = describe_configs(client, [node_id], resource_type=BROKER_RESOURCE)[node_id]
        replicas = int(next((each.value or "0" for each in configs if each.name == OFFSETS_REPLICAS), "0"))
        if replicas > count:
            return Finding(
                "coordinators", "fail", f"{OFFSETS_REPLICAS} is {replicas}, and there {_are(count)}: "
                "no group can have a coordinator (COORDINATOR_NOT_AVAILABLE)",
                f"for {counted(count, 'broker')} set in its configuration:\n"
                f"  {OFFSETS_REPLICAS}={count}\n  transaction.state.log.replication.factor={count}\n"
                "  transaction.state.log.min.isr=1",
                "too-many-replicas", "refused",
            )  # fmt: skip
        each = f"{counted(replicas, 'replica')} of each partition"
        return Finding("coordinators", "ok", f"the first group will create {OFFSETS_TOPIC}, {each}")

    def _topic_findings(self, client: Client, name: str) -> Iterator[Finding]:
        (found,) = client.metadata([name], authorized_operations=True).topics
        if found.error_code in (codes.UNKNOWN_TOPIC_OR_PARTITION, codes.INVALID_TOPIC_EXCEPTION):
            yield Finding(
                "topic", "fail", f"topic {name} does not exist (UNKNOWN_TOPIC_OR_PARTITION)",
                f"create it: kafkacompat topic create {name}", "no-topic", "missing",
            )  # fmt: skip
            return
        if found.error_code == codes.TOPIC_AUTHORIZATION_FAILED:
            yield _no_right(name, "see", "Describe", self._user())
            return
        operations = found.topic_authorized_operations
        if operations != UNKNOWN_OPERATIONS:
            for operation, word, right in ((WRITE, "write to", "Write"), (READ, "read from", "Read")):
                if not operations & (1 << operation):
                    yield _no_right(name, word, right, self._user())
        if not self._write:
            yield Finding("topic", "ok", f"topic {name} exists, {counted(len(found.partitions), 'partition')}")
            return
        yield self._test_write(client, name)

    def _user(self) -> str:
        return self._security.user if self._security is not None and self._security.user else "ANONYMOUS"

    def _test_write(self, client: Client, name: str) -> Finding:
        from kafkacompat.client.consuming import Fetcher
        from kafkacompat.client.producing import OutgoingRecord, Producer

        producer = Producer(client)
        try:
            producer.send(name, OutgoingRecord(b"kafkacompat-doctor", b"a test of kafkacompat doctor"))
            (place,) = producer.flush()
            with Fetcher(client, {(name, place.partition): place.offset}) as fetcher:
                records = [record for piece in fetcher.poll(self._timeout_s) for record in piece.records]
        except errors.BrokerError as error:
            if error.error_code == codes.TOPIC_AUTHORIZATION_FAILED:
                return _no_right(name, "write to", "Write", self._user())
            return Finding("write", "fail", str(error), kind="refused")
        except errors.ClientError as error:
            return Finding("write", "fail", str(error), kind="expired")
        where = f"partition {place.partition} of {name} at offset {place.offset}"
        if not any(record.offset == place.offset for record in records):
            return Finding("write", "fail", f"a record was written to {where}, and could not be read", kind="expired")
        return Finding("write", "ok", f"a record was written to {where}, and read again")


def _no_right(name: str, word: str, right: str, user: str) -> Finding:
    return Finding(
        "topic", "fail", f"user {user} may not {word} topic {name}",
        f"kafka-acls.sh --add --allow-principal User:{user} --operation {right} --topic {name}", "no-right", "refused",
    )  # fmt: skip


def _address_findings(found: Probe, *, is_bootstrap: bool) -> Iterator[Finding]:
    """Findings about one address: the name, the connection, what speaks, TLS, SASL."""
    if found.failure == "unresolved":
        hint = "" if "." in found.host else ", or known inside another network only, like that of containers"
        yield Finding(
            "resolve", "fail", f"the name {found.host} does not resolve here",
            f"it may be misspelt{hint}", "unknown-name", "unreachable",
        )  # fmt: skip
        return
    if is_bootstrap:
        yield Finding("resolve", "ok", f"{found.host} is {', '.join(found.addresses)}")
    closed = [each for each, outcome in found.outcomes.items() if outcome == "refused"]
    opened = [each for each, outcome in found.outcomes.items() if outcome == "open"]
    if closed and opened:
        family = "IPv6" if ":" in opened[0] else "IPv4"
        yield Finding(
            "connect", "warn", f"{found.host} is {' and '.join(found.outcomes)}, and port {found.port} is closed at "
            f"{', '.join(closed)}: it listens on {family} only",
            f"clients that try only the first address fail: use {address_of(opened[0], found.port)}, or listen on both",
            "one-family", "different",
        )  # fmt: skip
    yield _outcome(found)


def _outcome(found: Probe) -> Finding:
    address, failure = found.address, found.failure
    if failure is None:
        how = "Kafka" if not found.is_tls else f"Kafka with TLS, certificate for {found.certificate_names or 'no name'}"
        return Finding("speaks", "ok", f"{address} speaks {how}")
    if failure == "refused":
        return Finding(
            "connect", "fail", f"nothing listens at {address}",
            "start the broker, or look up its port", "refused", "unreachable",
        )  # fmt: skip
    if failure == "silent":
        return Finding(
            "connect", "fail", f"{address} neither answers nor refuses within {found.timeout_s:g} s",
            "a firewall may drop packets, the broker may be paused, or its queue of connections be full",
            "silence", "expired",
        )  # fmt: skip
    if failure == "mute":
        return Finding(
            "speaks", "fail", f"{address} accepts connections and says nothing within {found.timeout_s:g} s",
            "the broker may be paused or overloaded, or something else listens there", "silence", "expired",
        )  # fmt: skip
    rest = {
        "wants-tls": (
            f"{address} speaks TLS, and was asked without",
            "use --tls, or security.protocol=SSL; the broker's log has \"Invalid receive\" or an SSL error",
            "wants-tls",
        ),
        "wants-plain": (
            f"{address} speaks Kafka without TLS, and was asked with TLS",
            "leave out --tls, or use the TLS listener's port; the broker's log has a request size near 369,295,616",
            "wants-plain",
        ),
        "not-kafka": (f"{address} is not Kafka: {found.detail}", "use the port of a Kafka listener", "not-kafka"),
        "certificate": (
            f"{address}: the certificate is not accepted: {found.detail}", _certificate_advice(found), "certificate",
        ),
        "sasl": (f"{address}: {found.detail}", _sasl_advice(found), "sasl"),
        "lost": (f"{address}: {found.detail}", "see the broker's log", "lost"),
    }  # fmt: skip
    text, advice, row = rest[failure]
    kind = "unreachable" if failure in ("not-kafka", "lost") else "refused"
    step = {"certificate": "tls", "sasl": "sasl"}.get(failure, "speaks")
    return Finding(step, "fail", text, advice, row, kind)


def _certificate_advice(found: Probe) -> str:
    lines = []
    if found.certificate_names:
        lines.append(f"it is for {found.certificate_names}, valid from {found.valid_from} to {found.valid_to}")
    if "local issuer" in found.detail or "self" in found.detail:
        lines.append("name the authority that signed it with --tls-ca")
    elif "expired" in found.detail:
        lines.append("renew it")
    else:
        lines.append("connect by a name of the certificate, or issue one for this name")
    return "; ".join(lines)


def _sasl_advice(found: Probe) -> str:
    if found.detail == NO_SASL:
        return "leave out --sasl and --user, or use the port of a SASL listener"
    if not found.mechanisms:
        return "check user and password"
    first = next((each for each in found.mechanisms if each.startswith(("PLAIN", "SCRAM"))), found.mechanisms[0])
    return f"it offers {', '.join(found.mechanisms)}: use --sasl {first} --user NAME"


def _metadata_failure(found: Probe, error: errors.ClientError) -> Finding:
    """A listener with SASL answers ApiVersions to anyone, and closes at the next request."""
    if found.mechanisms:
        return Finding(
            "sasl", "fail", f"{found.address} wants SASL, and no user was given", _sasl_advice(found), "sasl", "refused"
        )
    return Finding("metadata", "fail", str(error), "see the broker's log", "lost", "unreachable")


def _is_same_host(one: str, other: str) -> bool:
    if one == other or (is_loopback(one) and is_loopback(other)):
        return True
    try:
        return bool(
            {row[4][0] for row in socket.getaddrinfo(one, None)}
            & {row[4][0] for row in socket.getaddrinfo(other, None)}
        )
    except OSError:
        return False


def _other(port: int) -> int:
    return port + 1 if port < 65_535 else port - 1


def _are(count: int) -> str:
    return "is one broker" if count == 1 else f"are {count} brokers"
