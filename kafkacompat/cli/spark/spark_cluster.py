"""How the verbs of `kafkacompat spark` reach a cluster: its address, and the properties of a client."""

from __future__ import annotations

from pathlib import Path

import click

from kafkacompat.cli.exits import USAGE, VerbError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

SERVERS = "bootstrap.servers"


def with_properties(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a verb the options for `properties_of`: `command_config` and `command_properties`."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


_OPTIONS = (
    click.option(
        "--command-config", metavar="FILE",
        help="A client's properties file: bootstrap.servers, security.protocol, sasl.*, ssl.* (PEM), and others.",
    ),
    click.option(
        "--command-property", "command_properties", metavar="KEY=VALUE", multiple=True,
        help="One such property; it wins over the file. Repeatable.",
    ),
)  # fmt: skip


def properties_of(path: str | None, pairs: tuple[str, ...] = (), option: str = "--command-config") -> dict[str, str]:
    """What a properties file says, and pairs that win over it. Raises VerbError, which names the option; SecurityError
    for what our client cannot follow.
    """
    from kafkacompat.client.security_properties import security_of
    from kafkacompat.config.properties import read_properties

    found: dict[str, str] = {}
    if path is not None:
        try:
            found = read_properties(Path(path).read_text(encoding="latin-1"))
        except (OSError, ValueError) as error:
            raise VerbError(f"{option} {path}: {getattr(error, 'strerror', None) or error}", USAGE) from None
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (name and equals):
            raise VerbError(f"--command-property {pair}: KEY=VALUE, such as security.protocol=SSL", USAGE)
        found[name] = value
    security_of(found)
    return found


def cluster_of(
    bootstrap_servers: str | None, command_config: str | None, command_properties: tuple[str, ...]
) -> tuple[str | None, dict[str, str]]:
    """Bootstrap servers, of the flag or else of the properties, and the other properties. Raises as `properties_of`."""
    properties = properties_of(command_config, command_properties)
    in_properties = properties.pop(SERVERS, None)
    return bootstrap_servers or in_properties, properties


def check_one_source(bootstrap_servers: str | None, log_dirs: tuple[str, ...]) -> None:
    """Raises VerbError unless records come either from a cluster or from log directories."""
    if (bootstrap_servers is None) == (not log_dirs):
        raise VerbError("give --bootstrap-servers or --log-dir, one of them", USAGE)


def needed(bootstrap_servers: str | None) -> str:
    """Raises VerbError if neither a flag nor a file has said where the cluster is."""
    if bootstrap_servers is None:
        raise VerbError(f"give --bootstrap-servers, or {SERVERS} in --command-config", USAGE)
    return bootstrap_servers
