"""`kafkacompat check`: whether files for a broker can be read: seeds, fault rules and server.properties."""

from __future__ import annotations

import json

import click

from kafkacompat.cli.exits import FAILED, say, verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

PROPERTIES = ".properties"
LINES = ".jsonl"


@click.command()
@click.argument("paths", metavar="FILE...", nargs=-1, required=True, type=click.Path(dir_okay=False))
@verb
def check(*, paths: Sequence[str]) -> int:
    """Read seeds, fault rules and server.properties as a broker would.

    A FILE is *.properties, a seed (*.jsonl, *.json, *.yaml), or fault rules (`when` and `then`).

    Prints a line for each mistake, of a seed for the first one; the status is 1 if there is one. Nothing is started.
    """
    mistakes = [line for path in paths for line in mistakes_of(path)]
    for line in mistakes:
        say(line)
    return FAILED if mistakes else 0


def mistakes_of(path: str) -> list[str]:
    """What is wrong with a file, a line for each, which begins with its path."""
    from kafkacompat.config.values import ConfigError
    from kafkacompat.errors import KafkaCompatError

    try:
        if path.endswith(PROPERTIES):
            return _settings(path)
        rules = _rules(path)
        if rules is None:
            from kafkacompat.control_api.seed_files import load_seed

            load_seed(path)
            return []
        from kafkacompat.broker.faults.rule import parse_rule

        return [line for rule in rules for line in _mistakes_of_rule(path, rule, parse_rule)]
    except (KafkaCompatError, ConfigError) as error:
        text = " ".join(str(error).split())
        return [text if path in text else f"{path}: {text}"]
    return []


def _settings(path: str) -> list[str]:
    from kafkacompat.cli.options import read_properties_file
    from kafkacompat.config import BrokerConfig, ConfigError
    from kafkacompat.config.properties import apply_file_and_flags
    from kafkacompat.server.settings import broker_config

    settings, mistakes = read_properties_file(path), list[str]()
    for name, value in settings.items():
        try:
            BrokerConfig.from_sources({name: value}, {}, {})
        except ConfigError as error:
            mistakes.append(f"{path}: {error}")
    # what belongs together is looked at when each setting is right
    _, _, warnings = apply_file_and_flags(settings, {}) if mistakes else ((), (), broker_config({}, settings)[1])
    return mistakes + [f"{path}: {warning}" for warning in warnings]


def _mistakes_of_rule(path: str, rule: dict[str, Any], parse: Callable[[dict[str, Any]], object]) -> list[str]:
    from kafkacompat.broker.faults.rule_errors import FaultRuleError

    try:
        parse(rule)
    except FaultRuleError as error:
        return [f"{path}: {mistake}" for mistake in error.mistakes] or [f"{path}: {error}"]
    return []


def _rules(path: str) -> list[dict[str, Any]] | None:
    """The fault rules in a file; None: it is none of theirs."""
    if path.endswith(LINES):
        return None
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123 (pathlib costs start-up time)
            text = file.read()
        document = json.loads(text) if path.endswith(".json") else _yaml(text)
    except (OSError, ValueError, RecursionError):
        return None  # the seed's reader says what is wrong
    rules = document if isinstance(document, list) else [document]
    return rules if rules and all(isinstance(rule, dict) and "then" in rule for rule in rules) else None


def _yaml(text: str) -> Any:
    try:
        import yaml  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        return None
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError):
        return None
