"""What a client needs to connect to a cluster: its settings in the form that it takes, and a group name."""

from __future__ import annotations

import secrets

from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_KEYS = {
    "aiokafka": "bootstrap_servers",
    "confluent": "bootstrap.servers",
    "java": "bootstrap.servers",
    "kafka-python": "bootstrap_servers",
    "spark": "kafka.bootstrap.servers",
}
"""Settings whose value is host:port of all brokers, separated by commas."""
_LIST_KEYS = {
    "franz-go": "SeedBrokers",
    "kafkajs": "brokers",
    "sarama": "addrs",
}
"""Settings whose value is a list: of kafkajs the option of that name, in Go the arguments of kgo.SeedBrokers and of
sarama.NewClient.
"""


def client_settings(client: str, bootstrap_servers: str) -> dict[str, Any]:
    """The settings of a client. Raises KafkaCompatError for an unknown one."""
    if client in _KEYS:
        return {_KEYS[client]: bootstrap_servers}
    if client in _LIST_KEYS:
        return {_LIST_KEYS[client]: bootstrap_servers.split(",")}
    raise KafkaCompatError(f"unknown client {client!r}: use one of {', '.join(sorted({**_KEYS, **_LIST_KEYS}))}")


def unique_group_id(prefix: str) -> str:
    """A group name that no other test uses."""
    return f"{prefix}-{secrets.token_hex(4)}"
