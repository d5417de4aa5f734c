"""`kafkacompat config`: which value a setting of a broker has here, or a variable of ours, and where it comes from."""

from __future__ import annotations

import os

import click

from kafkacompat.cli.exits import NOT_FOUND, VerbError, say, verb
from kafkacompat.cli.rows import formatted, print_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from kafkacompat.config import BrokerConfig


@click.command()
@click.option("--explain", "names", metavar="NAME", multiple=True, help="Explain this setting. Repeatable.")
@click.option("--config", "configs", metavar="KEY=VALUE", multiple=True, help="As for serve. Repeatable.")
@click.option("--properties", metavar="FILE", type=click.Path(dir_okay=False), help="As for serve.")
@click.option("--from-env", is_flag=True, help="Read KAFKA_* variables too, as for serve.")
@click.option("--all", "with_all", is_flag=True, help="Settings that are not set as well.")
@formatted
@verb
def config(*, names: Sequence[str], with_all: bool, words: str, **given: Any) -> None:
    """Say which values `serve` with the same flags would take for a broker's settings, and from where.

    Variables of ours, KAFKACOMPAT_*, are explained as well.
    """
    from kafkacompat.cli.options import ServeOptions
    from kafkacompat.cli.variables import VARIABLES, unknown
    from kafkacompat.config.definitions import BROKER_CONFIGS
    from kafkacompat.config.values import ConfigError
    from kafkacompat.server.settings import broker_config

    options = ServeOptions(**given)
    try:
        flags, file = options.settings(), options.file_settings()
        effective, _ = broker_config(flags, file)
    except ConfigError as error:
        raise VerbError(str(error)) from None
    names = [_setting(name) for name in names]
    _check(names)
    rows = [_row(effective, name, file) for name in names or [*sorted({*BROKER_CONFIGS, *flags, *file}), *VARIABLES]]
    if not names:
        for line in unknown(os.environ):
            say(line)
        if not with_all:
            rows = [row for row in rows if row["source"] != "default"]
    print_rows(rows, ("name", "value", "source"), words)


def _setting(name: str) -> str:
    """The setting for which a variable of Kafka's images stands; other names as they are. Says which it is."""
    from kafkacompat.config.environment import NO_CONFIGS, PREFIX, config_name

    if not name.startswith(PREFIX):
        return name
    if name in NO_CONFIGS:
        raise VerbError(f"{name} is a variable of Kafka's scripts, and no setting of a broker", NOT_FOUND)
    setting = config_name(name)
    say(f"{name} is {setting}; it is read in the container, and by serve with --from-env")
    return setting


def _check(names: Sequence[str]) -> None:
    """Raises VerbError for a name that neither a setting nor a variable has."""
    from kafkacompat.cli.variables import VARIABLES
    from kafkacompat.config.definitions import BROKER_CONFIGS, broker_key

    for name in names:
        if broker_key(name) is None and name not in VARIABLES:
            from difflib import get_close_matches

            close = get_close_matches(name, [*BROKER_CONFIGS, *VARIABLES], 1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise VerbError(f"{name} is no setting of a broker{hint}", NOT_FOUND)


def _row(effective: BrokerConfig, name: str, file: dict[str, str]) -> dict[str, object]:
    """A setting with its value and the source, to the variable that set it. Secrets are hidden."""
    from kafkacompat.cli.variables import HIDDEN, VARIABLES, value_of
    from kafkacompat.config.broker import FROM_FILE
    from kafkacompat.config.config_entry import is_sensitive
    from kafkacompat.config.definitions import broker_key
    from kafkacompat.config.environment import PREFIX, config_name

    if name in VARIABLES:
        value, where = value_of(VARIABLES[name], os.environ)
        return {"name": name, "value": value, "source": where}
    source = effective.source_of(name)
    if source == FROM_FILE:
        variables = [
            variable
            for variable in sorted(os.environ)
            if variable.startswith(PREFIX) and config_name(variable) == name and os.environ[variable] == file.get(name)
        ]
        source = f"variable {variables[0]}" if variables else source
    value = effective.text(name)
    is_hidden = value is not None and is_sensitive(broker_key(name))
    return {"name": name, "value": HIDDEN if is_hidden else value, "source": source}
