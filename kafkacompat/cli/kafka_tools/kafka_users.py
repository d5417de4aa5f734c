"""`kafka-configs --entity-type users`: the broker has no users and no quotas, and this says so as Kafka's tool does.

To describe them prints nothing, as against an Apache Kafka that has none. To alter them fails as Kafka's tool fails
against this broker. A broker that has the APIs may have users: the tool here leaves those to Kafka's own.
"""

from __future__ import annotations

import sys

from kafkacompat.cli.kafka_tools.arguments import ToolError, UsageError
from kafkacompat.protocol import api_keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkacompat.client.client import Client

USERS = "users"
SCRAM = ("SCRAM-SHA-256", "SCRAM-SHA-512")
QUOTAS = ("consumer_byte_rate", "controller_mutation_rate", "producer_byte_rate", "request_percentage")


def describe(client: Client) -> int:
    """Nothing, if the broker has no users. Returns the status."""
    _check(client)
    return 0


def alter(client: Client, names: Iterable[str], failed: str) -> int:
    """Refuse to change credentials and quotas. names: of the configs; failed: the first line. Returns the status."""
    _check(client)
    unknown = [name for name in names if name not in (*SCRAM, *QUOTAS)]
    if unknown:
        raise UsageError(
            "Only quota and SCRAM credential configs can be added for 'users' using --bootstrap-server. "
            f"Unexpected config names: Set({', '.join(unknown)})"
        )
    api = "ALTER_USER_SCRAM_CREDENTIALS" if any(name in SCRAM for name in names) else "ALTER_CLIENT_QUOTAS"
    exception = "org.apache.kafka.common.errors.UnsupportedVersionException"
    print(failed, file=sys.stderr)  # noqa: T201 (for the user)
    print(  # noqa: T201 (for the user)
        f"java.util.concurrent.ExecutionException: {exception}: The node does not support {api}", file=sys.stderr
    )
    return 1


def _check(client: Client) -> None:
    if api_keys.DESCRIBE_CLIENT_QUOTAS in client.any_connection().versions:
        raise ToolError("users: this broker may have some; describe and alter them with Apache Kafka's own tool")
