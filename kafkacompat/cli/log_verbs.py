"""`kafkacompat log`: what is in the files of a log."""

from __future__ import annotations

import json
import sys
from itertools import chain

import click

from kafkacompat.cli.dump_verb import dump
from kafkacompat.cli.exits import FAILED, NOT_FOUND, USAGE, VerbError, say, verb


@click.group()
def log() -> None:
    """Look into the files of a log."""


log.add_command(dump)


@log.command()
@click.argument("directories", metavar="DIR...", type=click.Path(), nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="A JSON object on each line.")
@verb
def verify(*, directories: tuple[str, ...], as_json: bool) -> int:
    """Look for faults in the files of a data directory, or of one partition's. Nothing is written.

    Several are the log directories of one broker: what is wrong between them is named, too. Each fault has its file,
    its position and what recovery would do about it. The directories may be Apache Kafka's; no broker should run on
    them. The status is 1 if something is wrong, 2 for another directory, 3 for none.
    """
    import logging

    from kafkacompat.storage.fs import RealFs
    from kafkacompat.storage.tools.verify import verify as faults_of
    from kafkacompat.storage.tools.verify import verify_together

    storage_log = logging.getLogger("kafkacompat.storage")
    level = storage_log.level
    storage_log.setLevel(logging.CRITICAL)  # recovery speaks of what it only would do
    fs, paths, count = RealFs(), [each.rstrip("/") or "/" for each in directories], 0
    between = verify_together(fs, paths) if len(paths) > 1 else iter(())
    try:
        for fault in chain(*(faults_of(fs, each) for each in paths), between):
            count += 1
            sys.stdout.write((json.dumps(fault.as_dict()) if as_json else str(fault)) + "\n")
    except FileNotFoundError as error:
        raise VerbError(f"{error.filename} does not exist", NOT_FOUND) from None
    except OSError as error:
        raise VerbError(f"{error.filename or ', '.join(directories)}: {error.strerror or error}") from None
    except ValueError as error:
        raise VerbError(str(error), USAGE) from None
    finally:
        storage_log.setLevel(level)
    where = ", ".join(directories)
    say(f"{where}: {count} faults" if count else f"{where}: no fault was found")
    return FAILED if count else 0
