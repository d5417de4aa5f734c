"""The flags that all tools with a broker share."""

from __future__ import annotations

from kafkacompat.cli.kafka_tools.arguments import ToolError
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
        raise ToolError("Missing required argument: --bootstrap-server")
    if given.get(CONFIG, "--producer.config", "--consumer.config") is not None:
        raise ToolError("files with client settings are not supported here: use `kafkacompat topic --command-config`")
    return Client(servers, timeout_s=TIMEOUT_S, client_id="kafkacompat-tools")


def configs_of(texts: list[str]) -> dict[str, str]:
    """`a=b` texts as a dictionary; `a=b,c=d` in one text as well."""
    pairs = {}
    for text in texts:
        for item in text.split(","):
            name, equals, value = item.partition("=")
            if not equals:
                raise ToolError(f"{text}: write it as name=value")
            pairs[name.strip()] = value.strip("[]")
    return pairs
