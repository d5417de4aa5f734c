"""`kafkacompat log`: what is in the files of a log."""

from __future__ import annotations

import json
import sys

import click

from kafkacompat.cli.dump_verb import dump
from kafkacompat.cli.exits import FAILED, NOT_FOUND, USAGE, VerbError, say, verb


@click.group()
def log() -> None:
    """Look into the files of a log."""


log.add_command(dump)


@log.command()
@click.argument("directory", metavar="DIR", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="A JSON object on each line.")
@verb
def verify(*, directory: str, as_json: bool) -> int:
    """Look for faults in the files of a data directory, or of one partition's. Nothing is written.

    Each fault is named with its file, its position and what recovery would do about it. The directory may be Apache
    Kafka's; no broker should run on it. The status is 1 if something is wrong, 2 for another directory, 3 for none.
    """
    import logging

    from kafkacompat.storage.fs import RealFs
    from kafkacompat.storage.tools.verify import verify as faults_of

    storage_log = logging.getLogger("kafkacompat.storage")
    level = storage_log.level
    storage_log.setLevel(logging.CRITICAL)  # recovery speaks of what it only would do
    count = 0
    try:
        for fault in faults_of(RealFs(), directory.rstrip("/") or "/"):
            count += 1
            sys.stdout.write((json.dumps(fault.as_dict()) if as_json else str(fault)) + "\n")
    except FileNotFoundError:
        raise VerbError(f"{directory} does not exist", NOT_FOUND) from None
    except OSError as error:
        raise VerbError(f"{directory}: {error.strerror or error}") from None
    except ValueError as error:
        raise VerbError(str(error), USAGE) from None
    finally:
        storage_log.setLevel(level)
    say(f"{directory}: {count} faults" if count else f"{directory}: no fault was found")
    return FAILED if count else 0
