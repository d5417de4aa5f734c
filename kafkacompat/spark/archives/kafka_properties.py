"""How jobs reach a Kafka that wants TLS or credentials: the properties of Kafka's clients, for Spark's Kafka source and
for our own client, which asks for offsets and writes.

Files that properties name (PEM) are read where the driver and the tasks run.
"""

from __future__ import annotations

from collections.abc import Mapping

from kafkacompat.client.client import Client
from kafkacompat.client.security_properties import java_properties, security_of


def client_of(servers: str, properties: Mapping[str, str], client_id: str) -> Client:
    """Our client. Raises ClientError: SecurityError for properties that it cannot follow."""
    return Client(servers, security=security_of(properties), client_id=client_id)


def source_options(servers: str, properties: Mapping[str, str]) -> dict[str, str]:
    """Options `kafka.*` of Spark's source: all the properties, whatever they are about."""
    java = {f"kafka.{name}": value for name, value in java_properties(properties).items()}
    return java | {"kafka.bootstrap.servers": servers}
