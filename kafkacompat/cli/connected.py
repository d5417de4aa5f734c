"""The flags with which a verb reaches a Kafka, the same for all verbs."""

from __future__ import annotations

import functools

import click

from kafkacompat.cli.exits import VerbError, verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from click.shell_completion import CompletionItem

    from kafkacompat.client.client import Client
    from kafkacompat.client.security import Security

DEFAULT_SERVERS = "localhost:9092"
COMPLETION_TIMEOUT_S = 0.2
MAX_COMPLETIONS = 1000
_OPTIONS = (
    click.option(
        "-b", "--bootstrap-servers", metavar="HOST:PORT,...", default=DEFAULT_SERVERS, show_default=True,
        envvar="KAFKACOMPAT_BOOTSTRAP_SERVERS", help="Where the cluster is.",
    ),
    click.option(
        "--timeout", "timeout_s", metavar="SECONDS", type=click.FloatRange(0.1, 86_400), default=30.0,
        show_default=True, help="Give up after so long.",
    ),
    click.option("--tls", is_flag=True, help="Connect with TLS."),
    click.option("--tls-ca", "ca_file", metavar="FILE", help="Certificates to trust, PEM. [default: the system's]"),
    click.option("--tls-cert", "cert_file", metavar="FILE", help="The client's certificate, PEM."),
    click.option("--tls-key", "key_file", metavar="FILE", help="Its key, PEM, if not in the same file."),
    click.option("--tls-no-verify", "no_verify", is_flag=True, help="Accept any certificate."),
    click.option("--sasl", "mechanism", metavar="MECHANISM", help="PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512."),
    click.option("--user", metavar="NAME", envvar="KAFKACOMPAT_USER", help="The user, with --sasl. [default PLAIN]"),
    click.option(
        "--password", metavar="TEXT", envvar="KAFKACOMPAT_PASSWORD",
        help="Better in the variable KAFKACOMPAT_PASSWORD: others may see the command line.",
    ),
    click.option(
        "--command-config", metavar="FILE",
        help="A client's properties file: bootstrap.servers, security.protocol, sasl.*, ssl.* (PEM).",
    ),
)  # fmt: skip
_NAMES = (
    "bootstrap_servers", "timeout_s", "tls", "ca_file", "cert_file", "key_file", "no_verify", "mechanism", "user",
    "password", "command_config",
)  # fmt: skip
_PROPERTY_FLAGS = {
    "ssl.truststore.location": "ca_file", "ssl.keystore.location": "cert_file", "sasl.mechanism": "mechanism",
    "sasl.username": "user", "sasl.password": "password",
}  # fmt: skip
"""Properties of a client, each with the flag that wins over it."""


def connected(function: Callable[..., object]) -> Callable[..., None]:
    """Give a verb the flags, and a client as its first argument."""

    @functools.wraps(function)
    def run(**given: Any) -> object:
        with client_of({name: given.pop(name) for name in _NAMES}) as client:
            return function(client, **given)

    return connection_options(verb(run))


def connection_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a verb the flags alone."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def client_of(given: dict[str, Any]) -> Client:
    """The client that the flags describe. Raises KafkaCompatError."""
    from kafkacompat.client.client import Client

    return Client(
        servers_of(given), security=security_of(given), timeout_s=given["timeout_s"], client_id="kafkacompat-cli"
    )


def servers_of(given: dict[str, Any]) -> str:
    """The bootstrap servers: of the flag, or else of the properties file."""
    in_file = _properties(given).get("bootstrap.servers")
    servers: str = given["bootstrap_servers"]
    return in_file if in_file and servers == DEFAULT_SERVERS else servers


def security_of(given: dict[str, Any]) -> Security | None:
    """TLS and credentials of the flags, which win over the properties file. None: neither of them."""
    properties = dict(_properties(given))
    protocol = properties.get("security.protocol", "PLAINTEXT").upper()
    has_tls = given["tls"] or given["ca_file"] or given["cert_file"] or given["no_verify"] or "SSL" in protocol
    has_sasl = given["mechanism"] or given["user"] or protocol.startswith("SASL_")
    if not has_tls and not has_sasl:
        return None
    from kafkacompat.client import security_properties

    properties["security.protocol"] = ("SASL_" if has_sasl else "") + ("SSL" if has_tls else "PLAINTEXT")
    properties |= {name: given[flag] for name, flag in _PROPERTY_FLAGS.items() if given[flag]}
    security = security_properties.security_of(properties)
    return security and security._replace(key_file=given["key_file"], verify=not given["no_verify"])


def _properties(given: dict[str, Any]) -> dict[str, str]:
    path = given["command_config"]
    if path is None:
        return {}
    from kafkacompat.config.properties import read_properties

    try:
        with open(path, encoding="latin-1") as file:  # noqa: PTH123 (pathlib costs start-up time)
            return read_properties(file.read())
    except (OSError, ValueError) as error:
        raise VerbError(f"--command-config {path}: {getattr(error, 'strerror', None) or error}", 2) from None


def complete_topics(ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Topics whose names begin so, for a shell's completion; none if the broker is slow or not there."""
    from click.shell_completion import CompletionItem

    from kafkacompat.errors import KafkaCompatError

    given = dict.fromkeys(_NAMES) | {name: ctx.params[name] for name in _NAMES if name in ctx.params}
    given["timeout_s"] = COMPLETION_TIMEOUT_S
    given["bootstrap_servers"] = given["bootstrap_servers"] or DEFAULT_SERVERS
    try:
        with client_of(given) as client:
            names = sorted(topic.name or "" for topic in client.metadata(None).topics)
    except KafkaCompatError:
        return []
    return [CompletionItem(name) for name in names if name.startswith(incomplete)][:MAX_COMPLETIONS]
