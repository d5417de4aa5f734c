"""The flags that all tools with a broker share."""

from __future__ import annotations

from kafkacompat.cli.kafka_tools.arguments import ToolError, UsageError
from kafkacompat.client.client import Client

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.cli.kafka_tools.arguments import Arguments

SERVERS = ("--bootstrap-server", "--broker-list")
CONFIG = "--command-config"
TIMEOUT_S = 30.0


def client_of(given: Arguments) -> Client:
    """A client of the cluster that the flags name. Raises ToolError."""
    servers = given.get(*SERVERS)
    if servers is None:
        raise UsageError('Missing required argument "[bootstrap-server]"')
    if given.get(CONFIG, "--producer.config", "--consumer.config") is not None:
        raise ToolError("files with client settings are not supported here: use `kafkacompat topic --command-config`")
    return Client(servers, timeout_s=TIMEOUT_S, client_id="kafkacompat-tools")


def pairs_of(texts: list[str]) -> dict[str, str]:
    """`name=value` texts as a dictionary. Raises ToolError."""
    pairs = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise ToolError(f"{text}: write it as name=value")
        pairs[name.strip()] = value
    return pairs
