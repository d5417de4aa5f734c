"""`kafkacompat log dump`: what is in the files of a log, as Apache Kafka's kafka-dump-log.sh shows it or as JSON."""

from __future__ import annotations

import json
import sys

import click

from kafkacompat.cli.exits import FAILED, NOT_FOUND, USAGE, VerbError, say, say_error, verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.protocol.records.builder import Record
    from kafkacompat.storage.record_decoders import Decoder
    from kafkacompat.storage.tools.dump_findings import Findings
    from kafkacompat.storage.tools.dump_options import DumpOptions

_MAX_INT = 2**31 - 1
_SIZE = click.IntRange(0, _MAX_INT)
_STRING_DECODER = "org.apache.kafka.tools.api.StringDecoder"
_DECODERS = {
    "offsets_decoder": "offsets",
    "transaction_log_decoder": "transaction_log",
    "cluster_metadata_decoder": "cluster_metadata",
    "share_group_state_decoder": "share_group_state",
}
"""Which function of storage/record_decoders.py an option names."""
_NO_REMOTE_LOG = (
    "--remote-log-metadata-decoder: this broker has no tiered storage, so the records of __remote_log_metadata are not "
    "decoded; kafka-dump-log.sh of Apache Kafka decodes them"
)


@click.command()
@click.argument("paths", metavar="FILE...", nargs=-1, type=click.Path())
@click.option("--files", metavar="FILE,...", help="Files, separated by commas, as kafka-dump-log.sh has them.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object on each line.")
@click.option("-r", "--records", "--print-data-log", "with_records", is_flag=True, help="Keys and values of records.")
@click.option("--deep-iteration", is_flag=True, help="Each record of a batch; keys and values only with --records.")
@click.option("--verify-index-only", is_flag=True, help="Compare indexes with their segment, and print no entries.")
@click.option("--index-sanity-check", is_flag=True, help="Check of indexes only what a start of Apache Kafka checks.")
@click.option("--key-decoder-class", metavar="CLASS", help="What decodes keys: Kafka's String-, Integer-, LongDecoder.")
@click.option("--value-decoder-class", metavar="CLASS", help="What decodes values: as for keys.")
@click.option("--offsets-decoder", is_flag=True, help="Decode records of __consumer_offsets.")
@click.option("--transaction-log-decoder", is_flag=True, help="Decode records of __transaction_state.")
@click.option("--cluster-metadata-decoder", is_flag=True, help="Decode records of the metadata.")
@click.option("--share-group-state-decoder", is_flag=True, help="Decode records of __share_group_state.")
@click.option("--remote-log-metadata-decoder", is_flag=True, help="Refused: there is no tiered storage here.")
@click.option("--skip-record-metadata", is_flag=True, help="Of records, keys and values alone.")
@click.option("--max-bytes", metavar="N", type=_SIZE, default=_MAX_INT, help="Read only so much of a segment.")
@click.option(
    "--max-message-size", metavar="N", type=_SIZE, default=5 * 1024 * 1024, show_default=True,
    help="Size of the largest batch that an index names.",
)  # fmt: skip
@verb
def dump(*, paths: Sequence[str], files: str | None, as_json: bool, with_records: bool, **options: Any) -> int:
    """Print segments, indexes, producer snapshots and metadata snapshots as kafka-dump-log.sh does, or as JSON.

    The broker may run. The status is 1 if a file is corrupt somewhere, or does not fit the others.
    """
    from kafkacompat.storage.tools.dump_findings import Findings

    names = [*paths, *(files.split(",") if files else ())]
    if not names:
        raise VerbError("no file is given: say FILE... or --files FILE,...", USAGE)
    chosen = _options(as_json=as_json, with_records=with_records, **options)
    findings = Findings()
    status = 0
    show: Callable[[str, DumpOptions, Findings], int] = _json if as_json else _text
    for path in names:
        if as_json and len(names) > 1:
            say(f"{path}:")
        try:
            status = max(status, _shown(show, path, chosen, findings))
        except VerbError as error:  # the files behind it and the findings are shown, too
            say_error(error)
            status = max(status, error.status)
    for line in map(json.dumps, findings.rows()) if as_json else findings.lines():
        (sys.stdout if as_json else sys.stderr).write(line + "\n")
    return FAILED if findings.is_bad else status


def _options(
    *,
    as_json: bool,
    with_records: bool,
    deep_iteration: bool,
    verify_index_only: bool,
    index_sanity_check: bool,
    skip_record_metadata: bool,
    max_bytes: int,
    max_message_size: int,
    **decoders: Any,
) -> DumpOptions:
    from kafkacompat.storage.tools.dump_options import DumpOptions

    return DumpOptions(
        decoder=_decoder(with_contents=with_records and not as_json, **decoders),
        is_deep=with_records or deep_iteration,
        skips_record_metadata=skip_record_metadata,
        max_bytes=max_bytes,
        max_message_bytes=max_message_size,
        sanity_only=index_sanity_check,
        verify_only=verify_index_only,
    )


def _decoder(
    *,
    with_contents: bool,
    key_decoder_class: str | None,
    value_decoder_class: str | None,
    remote_log_metadata_decoder: bool,
    **chosen: bool,
) -> Decoder | None:
    """The first decoder that is asked for, in Kafka's order; None if contents are not to be decoded."""
    from kafkacompat.storage import record_decoders

    if remote_log_metadata_decoder:
        raise VerbError(_NO_REMOTE_LOG, USAGE)
    for option, function in _DECODERS.items():
        if chosen[option]:
            found: Decoder = getattr(record_decoders, function)()
            return found
    if not with_contents and key_decoder_class is None and value_decoder_class is None:
        return None
    try:
        return record_decoders.contents(key_decoder_class or _STRING_DECODER, value_decoder_class or _STRING_DECODER)
    except ValueError as error:
        raise VerbError(str(error), USAGE) from None


def _shown(
    show: Callable[[str, DumpOptions, Findings], int], path: str, options: DumpOptions, findings: Findings
) -> int:
    try:
        return show(path, options, findings)
    except (BrokenPipeError, UnicodeEncodeError):  # of stdout
        raise
    except FileNotFoundError as error:
        raise VerbError(f"{error.filename or path} does not exist", NOT_FOUND) from None
    except OSError as error:
        raise VerbError(f"{path}: {error.strerror or error}") from None
    except ValueError as error:
        raise VerbError(str(error)) from None


def _text(path: str, options: DumpOptions, findings: Findings) -> int:
    fault = _write_text(path, options, findings, sys.stdout.write)
    if fault is None:
        return 0
    say(fault if fault.startswith(path) else f"{path}: {fault}")
    return FAILED


def _write_text(path: str, options: DumpOptions, findings: Findings, write: Callable[[str], object]) -> str | None:
    """Write the lines of a file. Returns why it cannot be read to its end."""
    from kafkacompat.protocol.records.batch import RecordBatchError
    from kafkacompat.storage.errors import CorruptSnapshotError
    from kafkacompat.storage.fs import RealFs
    from kafkacompat.storage.index import CorruptIndexError
    from kafkacompat.storage.tools.dump_text import dump_text

    try:
        for line in dump_text(RealFs(), path, options, findings):
            write(line + "\n")
    except (RecordBatchError, CorruptIndexError, CorruptSnapshotError) as error:
        return str(error)
    return None


def _json(path: str, options: DumpOptions, findings: Findings) -> int:
    from kafkacompat.protocol.records.batch import RecordBatchError
    from kafkacompat.storage.fs import RealFs
    from kafkacompat.storage.tools.dump import dump as lines_of

    if options.verify_only or options.sanity_only:
        return _checked(path, options, findings)
    status = 0
    for line in lines_of(RealFs(), path, None if options.max_bytes == _MAX_INT else options.max_bytes):
        sys.stdout.write(line + "\n")
        fields = json.loads(line)
        if "error" in fields or fields.get("is_valid") is False:
            status = FAILED
        elif options.is_deep and "record_count" in fields:
            try:
                for record in _records(path, fields["position"], fields["size_bytes"], options):
                    sys.stdout.write(record + "\n")
            except RecordBatchError as error:
                sys.stdout.write(json.dumps({"position": fields["position"], "error": str(error)}) + "\n")
                status = FAILED
    return status


def _checked(path: str, options: DumpOptions, findings: Findings) -> int:
    """Checks of indexes, without their text: what is wrong is printed with the findings."""
    fault = _write_text(path, options, findings, lambda _line: None)
    if fault is None:
        return 0
    sys.stdout.write(json.dumps({"path": path, "error": fault}) + "\n")
    return FAILED


def _records(path: str, position: int, size: int, options: DumpOptions) -> Iterator[str]:
    """The records of the batch at `position`, with keys and values as `consume` has them, or decoded. Raises
    RecordBatchError.
    """
    from kafkacompat.cli.rows import to_json
    from kafkacompat.protocol.records.batch import read_header
    from kafkacompat.protocol.records.reader import read_records

    with open(path, "rb") as file:  # noqa: PTH123 (pathlib costs start-up time)
        file.seek(position)
        batch = file.read(size)
    header = read_header(batch)
    for record in read_records(batch):
        yield to_json(_record_fields(header, record, options))


def _record_fields(header: BatchHeader, record: Record, options: DumpOptions) -> dict[str, object]:
    from kafkacompat.cli.record_json import text_of

    fields: dict[str, object] = {}
    if not options.skips_record_metadata:
        fields = {"offset": record.offset, "timestamp": record.timestamp, "is_control": header.is_control}
    if options.decoder is not None and not header.is_control:
        fields["key"], fields["value"] = options.decoder(record)
        return fields
    key, key_encoding = text_of(record.key)
    value, value_encoding = text_of(record.value)
    fields |= {"key": key, "value": value, "key_encoding": key_encoding, "value_encoding": value_encoding}
    return fields | {"headers": [[name, *text_of(content)] for name, content in record.headers]}
