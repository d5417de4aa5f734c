"""`kafkacompat completion`: the script that lets a shell complete verbs, flags and topics."""

from __future__ import annotations

import click

from kafkacompat.cli.exits import verb


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@verb
def completion(*, shell: str) -> None:
    """Print the completion script of a shell: `source <(kafkacompat completion bash)`."""
    from click.shell_completion import get_completion_class

    from kafkacompat.cli.commands import root

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(root, {}, "kafkacompat", "_KAFKACOMPAT_COMPLETE").source())
