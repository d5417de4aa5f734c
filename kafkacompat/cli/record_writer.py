"""How `consume` and the report of `produce` print records: JSON, columns, values."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO

    from kafkacompat.client.consuming import Fetched, IncomingRecord

COLUMNS = ("topic", "partition", "offset", "timestamp", "key", "value")
_WIDTHS = (20, 9, 8, 13, 16)


class Writer:
    """Prints records on `out`, a text stream of bytes underneath. `end` prints what belongs behind the last one."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def __call__(self, piece: Fetched, record: IncomingRecord) -> None:
        raise NotImplementedError

    def end(self) -> None:
        """After the last record."""


class JsonWriter(Writer):
    """A JSON object on each line."""

    def __init__(self, out: TextIO, *, decode_json: bool) -> None:
        super().__init__(out)
        self._decode_json = decode_json
        from kafkacompat.cli.record_json import record_to_json

        self._to_json = record_to_json

    def __call__(self, piece: Fetched, record: IncomingRecord) -> None:
        line = self._to_json(piece.topic, piece.partition, record, decode_json=self._decode_json)
        self._out.buffer.write(line.encode() + b"\n")


class RawWriter(Writer):
    """The value of each record and a newline."""

    def __call__(self, _piece: Fetched, record: IncomingRecord) -> None:
        self._out.buffer.write((record.value or b"") + b"\n")


class ColumnWriter(Writer):
    """Columns for people, or CSV. Bytes that are no UTF-8 are shown with \\x escapes."""

    def __init__(self, out: TextIO, *, is_csv: bool) -> None:
        super().__init__(out)
        self._is_csv = is_csv
        self._row(COLUMNS if is_csv else [name.upper() for name in COLUMNS])

    def __call__(self, piece: Fetched, record: IncomingRecord) -> None:
        texts = [None if data is None else data.decode("utf-8", "backslashreplace") for data in record[2:4]]
        self._row([piece.topic, piece.partition, record.offset, record.timestamp, *texts])

    def _row(self, cells: Any) -> None:
        if self._is_csv:
            import csv

            csv.writer(self._out, lineterminator="\n").writerow("" if cell is None else cell for cell in cells)
            return
        texts = [("-" if cell is None else str(cell)) for cell in cells]
        padded = [text.ljust(width) for text, width in zip(texts, _WIDTHS, strict=False)]
        self._out.write("  ".join([*padded, texts[-1]]) + "\n")
