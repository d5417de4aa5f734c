"""Files with a client's settings (`--command-config`), of which those count that the client here can honor.

They are `security.protocol`, `sasl.*` and `ssl.*` (PEM files), `client.id` and `default.api.timeout.ms`; of producers
`acks`; of consumers `group.id` and `auto.offset.reset`. Others have no effect. As in Kafka's tools, the address on the
command line wins over `bootstrap.servers`.
"""

from __future__ import annotations

from kafkacompat.cli.kafka_tools.arguments import ToolError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafkacompat.cli.kafka_tools.arguments import Arguments

CONFIG = "--command-config"
OLD_FLAGS = {
    "--config": "Option {0} has been deprecated", "--consumer.config": "Option {0} is deprecated",
    "--producer.config": "Warning: {0} is deprecated",
}  # fmt: skip
"""Older names of the flag, each with what its tool says of it."""
INTS = ("default.api.timeout.ms", "request.timeout.ms")
PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
ACKS = ("all", "-1", "0", "1")
RESETS = ("earliest", "latest", "none")


class ClientConfigError(ToolError):
    """The file cannot be read, or has a value that Kafka's clients refuse, too. The message names Java's exception."""


def file_of(given: Arguments, old_flag: str | None = None) -> str | None:
    """The path of the file, None without one. Standard output says when the tool's old name of the flag was used."""
    if old_flag is None or old_flag not in given:
        return given.get(CONFIG)
    if CONFIG in given:
        both = sorted((CONFIG, old_flag), reverse=old_flag == "--consumer.config")
        raise UsageError(f"Options {both[0]} and {both[1]} cannot be specified together.")
    says = OLD_FLAGS[old_flag].format(old_flag)
    print(f"{says} and will be removed in a future version. Use {CONFIG} instead.")  # noqa: T201 (as Kafka's tool)
    return given.get(old_flag)


def settings_of(path: str | None) -> dict[str, str]:
    """The settings in a file, checked. Raises ClientConfigError."""
    if path is None:
        return {}
    from kafkacompat.config.properties import read_properties

    try:
        with open(path, encoding="latin-1") as file:  # noqa: PTH123 (pathlib costs start-up time)
            found = read_properties(file.read())
    except FileNotFoundError:
        raise ClientConfigError(f"java.nio.file.NoSuchFileException: {path}") from None
    except (OSError, ValueError) as error:
        raise ClientConfigError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    check(found)
    return found


def check(settings: Mapping[str, str]) -> None:
    """Raises ClientConfigError for a value that a client of Kafka refuses, in its words."""
    for name in INTS:
        text = settings.get(name, "0").strip()
        if not text.removeprefix("-").isdecimal():
            raise _invalid(name, text, "Not a number of type INT")
        if int(text) < 0:
            raise _invalid(name, text, "Value must be at least 0")
    protocol = settings.get("security.protocol", PROTOCOLS[0])
    if protocol.upper() not in PROTOCOLS:
        known = f"String must be one of (case insensitive): {', '.join(PROTOCOLS)}"
        raise _invalid("security.protocol", protocol, known)
    if (acks := settings.get("acks", "all")) not in ACKS:
        raise _invalid("acks", acks, f"String must be one of: {', '.join(ACKS)}")
    if (reset := settings.get("auto.offset.reset", "latest")) not in RESETS:
        raise _invalid("auto.offset.reset", reset, f"The value must be one of: {', '.join(RESETS)}")


def _invalid(name: str, value: str, why: str) -> ClientConfigError:
    exception = "org.apache.kafka.common.config.ConfigException"
    return ClientConfigError(f"{exception}: Invalid value {value} for configuration {name}: {why}")
