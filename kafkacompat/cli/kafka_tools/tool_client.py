"""The flags that all tools with a broker share."""

from __future__ import annotations

from kafkacompat.cli.kafka_tools.arguments import ToolError, UsageError
from kafkacompat.cli.kafka_tools.client_config import CONFIG, file_of, settings_of
from kafkacompat.client.client import Client

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafkacompat.cli.kafka_tools.arguments import Arguments

__all__ = ["CONFIG", "SERVERS", "client_of", "pairs_of"]
SERVERS = ("--bootstrap-server", "--broker-list")
TIMEOUT_S = 30.0
CLIENT_ID = "kafkacompat-tools"


def client_of(given: Arguments, settings: Mapping[str, str] | None = None) -> Client:
    """A client of the cluster that the flags name. settings: of its file, if that was read. Raises ToolError."""
    servers = given.get(*SERVERS)
    if servers is None:
        raise UsageError('Missing required argument "[bootstrap-server]"')
    if settings is None:
        settings = settings_of(file_of(given))
    if not settings:
        return Client(servers, timeout_s=TIMEOUT_S, client_id=CLIENT_ID)
    from kafkacompat.client.security_properties import security_of

    timeout_ms = settings.get("default.api.timeout.ms")
    return Client(
        servers, security=security_of(settings), client_id=settings.get("client.id") or CLIENT_ID,
        timeout_s=TIMEOUT_S if timeout_ms is None else int(timeout_ms) / 1000,
    )  # fmt: skip


def pairs_of(texts: list[str]) -> dict[str, str]:
    """`name=value` texts as a dictionary. Raises ToolError."""
    pairs = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise ToolError(f"{text}: write it as name=value")
        pairs[name.strip()] = value
    return pairs
