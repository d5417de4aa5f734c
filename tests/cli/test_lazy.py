"""The list of verbs: each is there, and its help is shown without its import."""

from __future__ import annotations

from importlib import import_module

import click
import pytest

from kafkacompat.cli.commands import root
from kafkacompat.cli.lazy import VERBS


@pytest.mark.parametrize("name", VERBS)
def test_each_verb_is_where_the_list_says_with_the_help_it_says(name: str) -> None:
    module, attribute, line = VERBS[name]
    command = getattr(import_module(module), attribute)
    assert isinstance(command, click.Command)
    assert command.help
    assert command.help.startswith(line.rstrip("."))


def test_the_help_names_all_verbs() -> None:
    text = root.get_help(click.Context(root))
    assert [name for name in VERBS if f"\n  {name} " not in text] == []
    assert "\n  serve " in text
