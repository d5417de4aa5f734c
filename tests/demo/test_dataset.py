"""Files become records, byte for byte."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from kafkacompat.demo import dataset
from kafkacompat.demo.errors import DemoError
from tests.demo import samples

NAMES = {"UA": "United Air Lines Inc.", "AA": "American Airlines Inc."}


def test_a_flight_is_its_line_at_its_scheduled_departure() -> None:
    data = samples.FLIGHTS_HEADER + samples.ON_TIME + b"\n" + samples.CANCELLED + b"\n"
    on_time, cancelled = dataset.parse_flights(data, NAMES)
    assert on_time.key == b"UA"
    assert on_time.value == samples.ON_TIME
    assert on_time.timestamp_ms == 1_357_035_300_000  # 2013-01-01T10:15:00Z
    assert on_time.headers == (("airline", b"United Air Lines Inc."), ("tailnum", b"N14228"))
    assert cancelled.timestamp_ms == 1_357_075_800_000  # 21:30: it has a schedule though it never left
    assert cancelled.headers[1] == ("tailnum", b"NA")


def test_no_more_flights_than_asked_for() -> None:
    assert len(dataset.parse_flights(samples.flights_csv(10), NAMES | {"9E": "Endeavor"}, limit=4)) == 4


@pytest.mark.parametrize("line", [b"2013,1,1", samples.ON_TIME.replace(b"UA", b"ZZ"), samples.ON_TIME[:-1] + b"?"])
def test_a_line_that_is_no_flight_is_named(line: bytes) -> None:
    with pytest.raises(DemoError, match=r"line 3 of flights\.csv"):
        dataset.parse_flights(samples.FLIGHTS_HEADER + samples.EARLY + b"\n" + line + b"\n", NAMES)


def test_side_files_have_a_key_and_a_time() -> None:
    (weather,) = dataset.parse_side_file(samples.SIDE_FILES["weather"], "origin", "time_hour")
    assert (weather.key, weather.timestamp_ms) == (b"EWR", 1_357_020_000_000)
    plane = dataset.parse_side_file(samples.SIDE_FILES["planes"], "tailnum")[1]
    assert plane == (b"N102UW", b"N102UW,1998,Fixed wing multi engine", dataset.START_OF_2013_MS, ())


def test_the_package_is_found_without_importing_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = samples.write_package(tmp_path, flights=5)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    assert dataset.locate() == expected
    data = dataset.load(expected)
    assert {topic: len(found) for topic, found in data.topics.items()} == {
        "flights": 5, "airlines": 3, "airports": 1, "planes": 2, "weather": 1,
    }  # fmt: skip


def test_a_missing_package_is_one_line_with_the_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset, "find_spec", lambda _name: None)
    with pytest.raises(DemoError, match=r"pip install 'kafkacompat\[demo\]'"):
        dataset.locate()


def test_a_damaged_file_is_one_line_with_the_cure(tmp_path: Path) -> None:
    data = samples.write_package(tmp_path, flights=1)
    (data / "flights.csv.zip").write_bytes(b"not a zip")
    with pytest.raises(DemoError, match="force-reinstall"):
        dataset.load(data)
