"""`kafkacompat log`: what is in the files of a log."""

from __future__ import annotations

import json
import sys

import click

from kafkacompat.cli.exits import FAILED, NOT_FOUND, USAGE, VerbError, say, verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@click.group()
def log() -> None:
    """Look into the files of a log."""


@log.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@click.option("-r", "--records", "with_records", is_flag=True, help="The records of each batch of a segment as well.")
@verb
def dump(*, files: Sequence[str], with_records: bool) -> int:
    """Print batches of segments, entries of indexes and producers of snapshots, a JSON object on each line.

    The broker may run. The status is 1 if a file is corrupt somewhere.
    """
    from kafkacompat.storage.dump import dump as lines_of
    from kafkacompat.storage.fs import RealFs

    status = 0
    for path in files:
        if len(files) > 1:
            say(f"{path}:")
        try:
            for line in lines_of(RealFs(), path):
                sys.stdout.write(line + "\n")
                fields = json.loads(line)
                if "error" in fields or fields.get("is_valid") is False:
                    status = FAILED
                elif with_records and "record_count" in fields:
                    _write_records(path, fields["position"], fields["size_bytes"])
        except FileNotFoundError:
            raise VerbError(f"{path} does not exist", NOT_FOUND) from None
        except OSError as error:
            raise VerbError(f"{path}: {error.strerror or error}") from None
        except ValueError as error:
            raise VerbError(str(error)) from None
    return status


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
    from kafkacompat.storage.verify import verify as faults_of

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


def _write_records(path: str, position: int, size: int) -> None:
    for line in _records(path, position, size):
        sys.stdout.write(line + "\n")


def _records(path: str, position: int, size: int) -> Iterator[str]:
    """The records of the batch at `position`, with keys and values as `consume` has them."""
    from kafkacompat.cli.record_json import text_of
    from kafkacompat.cli.rows import to_json
    from kafkacompat.protocol.records.batch import RecordBatchError, read_header
    from kafkacompat.protocol.records.reader import read_records

    with open(path, "rb") as file:  # noqa: PTH123 (pathlib costs start-up time)
        file.seek(position)
        batch = file.read(size)
    try:
        is_control = read_header(batch).is_control
        for record in read_records(batch):
            key, key_encoding = text_of(record.key)
            value, value_encoding = text_of(record.value)
            yield to_json(
                {
                    "offset": record.offset, "timestamp": record.timestamp, "is_control": is_control, "key": key,
                    "value": value, "key_encoding": key_encoding, "value_encoding": value_encoding,
                    "headers": [[name, *text_of(content)] for name, content in record.headers],
                }
            )  # fmt: skip
    except RecordBatchError as error:
        yield to_json({"position": position, "error": str(error)})
