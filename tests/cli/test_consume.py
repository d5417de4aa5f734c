"""`kafkacompat produce` and `consume`: records go in as they came out."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path

import pytest

from kafkacompat.cli.exits import VerbError
from kafkacompat.cli.positions import parse_range, parse_time
from tests.cli.verbs import run

RECORDS = [
    {"key": "a", "value": "1", "headers": [["h", "x"], ["h", None]], "timestamp": 1_700_000_000_000, "partition": 0},
    {"key": None, "value": None, "partition": 1},
    {"key": "/w==", "key_encoding": "base64", "value": "ÄÖ\u2028\n\t\0", "partition": 1},
    {"value": {"n": [1, 2.5, None]}, "value_encoding": "json", "headers": [["b", "gA==", "base64"]], "partition": 0},
]


def create(servers: str, *names: str, partitions: int = 2) -> None:
    assert run("topic", "create", *names, "-p", str(partitions), servers=servers).status == 0


def lines(records: list[dict[str, object]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def test_json_that_comes_out_goes_in_and_comes_out_the_same(servers: str) -> None:
    create(servers, "json-first", "json-second")
    done = run("produce", "json-first", servers=servers, stdin=lines(RECORDS))
    assert done == (0, b"", "produced 4 records\n")
    first = run("consume", "json-first", servers=servers)
    assert [record["value"] for record in first.json_lines if record["partition"] == 0] == ["1", '{"n":[1,2.5,null]}']
    assert run("produce", "json-second", servers=servers, stdin=lines(_elsewhere(first.json_lines))).status == 0
    second = run("consume", "json-second", servers=servers)
    assert second.text.replace("json-second", "json-first") == first.text


def _elsewhere(records: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{**record, "topic": "json-second"} for record in records]


def test_positions_choose_records(servers: str) -> None:
    create(servers, "places", partitions=1)
    records = [{"value": str(number), "timestamp": 1_700_000_000_000 + 1000 * number} for number in range(10)]
    run("produce", "places", servers=servers, stdin=lines(records))

    def values(*arguments: str) -> str:
        return run("consume", "places", "-f", "raw", *arguments, servers=servers).text.replace("\n", "")

    assert values() == "0123456789"
    assert values("--tail", "2") == "89"
    assert values("--from", "7") == values("-o", "7") == values("-o", "7:") == "789"
    assert values("--to", "3") == values("-o", ":3") == "012"
    assert values("-o", "2:5") == values("--from", "+2", "--to", "-5") == "234"
    assert values("-o", "@1700000003000:@1700000005000") == values("-o", "@1700000003000:2s") == "34"
    assert values("--from", "@2023-11-14T22:13:28Z") == values("-o", "@2023-11-14T22:13:28Z") == "89"
    assert values("-o", "@:2023-11-14T22:13:21Z") == "0"
    assert values("--from", "end") == values("--from", "@2100-01-01") == ""
    assert values("-n", "3") == "012"
    assert values("--from", "8", "-n", "5", "--wait", "0.3") == "89"
    assert values("--from", "8", "-n", "1", "--wait", "0") == "8"  # no wait is none for what is there


def test_filters_choose_records(servers: str) -> None:
    create(servers, "filters", partitions=1)
    records = [
        {"key": "ab", "value": "one", "headers": [["kind", "order"]]}, {"key": "b", "value": "two"},
        {"value": "three", "headers": [["kind", None]]},
    ]  # fmt: skip
    run("produce", "filters", servers=servers, stdin=lines(records))

    def values(*arguments: str) -> list[str]:
        return run("consume", "filters", "-f", "raw", *arguments, servers=servers).text.split()

    assert values("--key", "b") == ["one", "two"]
    assert values("--key", "^b") == ["two"]
    assert values("--value", "o$") == ["two"]
    assert values("--header", "kind") == ["one", "three"]
    assert values("--header", "kind=ord") == ["one"]
    assert run("consume", "filters", "--key", "(", servers=servers).status == 2


def test_waiting_for_records_that_do_not_come_is_status_5(servers: str) -> None:
    create(servers, "waiting", partitions=1)
    assert run("consume", "waiting", "-n", "1", "--wait", "0.3", servers=servers) == (
        5, b"", "kafkacompat: 0 of 1 record came within 0.3 s\n",
    )  # fmt: skip


def test_columns_are_for_people_and_for_spreadsheets(servers: str) -> None:
    create(servers, "columns", partitions=1)
    raw = base64.b64encode(b"\xffx").decode()
    record = {"key": 'a,"', "value": raw, "value_encoding": "base64", "timestamp": 1_700_000_000_000}
    run("produce", "columns", servers=servers, stdin=lines([record]))
    assert run("consume", "columns", "-f", "csv", servers=servers).text == (
        'topic,partition,offset,timestamp,key,value\ncolumns,0,0,1700000000000,"a,""",\\xffx\n'
    )
    assert run("consume", "columns", "-f", "table", servers=servers).text == (
        "TOPIC                 PARTITION  OFFSET    TIMESTAMP      KEY               VALUE\n"
        'columns               0          0         1700000000000  a,"               \\xffx\n'
    )


def test_a_reader_that_goes_away_is_no_failure(servers: str, tmp_path: Path) -> None:
    create(servers, "pipe", partitions=1)
    text = "".join(f"a line that fills the pipe {number}\n" for number in range(20_000))
    run("produce", "pipe", "-f", "raw", servers=servers, stdin=text)
    script = (
        f"{os.sys.executable} -m kafkacompat consume pipe -f raw 2>{tmp_path}/err | head -1; echo ${{PIPESTATUS[0]}}"  # type: ignore[attr-defined]
    )
    import subprocess

    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, timeout=60,
        env={**os.environ, "KAFKACOMPAT_BOOTSTRAP_SERVERS": servers},
    )  # fmt: skip
    assert done.stdout == "a line that fills the pipe 0\n0\n"
    assert (tmp_path / "err").read_text() == ""


def test_ranges_are_rpks() -> None:
    def texts(text: str) -> tuple[str | None, str | None]:
        begin, end = parse_range(text)
        return begin and begin.text, end and end.text

    assert texts("start") == ("start", None)
    assert texts(":end") == (None, "end")
    assert texts("+3:-2") == ("+3", "-2")
    assert texts("@-1h:end") == ("@-1h", "@end")
    assert texts("@2023-11-14T22:13:20Z:@2023-11-14T22:13:21+01:00") == (
        "@2023-11-14T22:13:20Z", "@2023-11-14T22:13:21+01:00",
    )  # fmt: skip
    assert parse_time("2023-11-14") == 1_699_920_000_000
    assert parse_time("1700000000") == 1_700_000_000_000
    for wrong in ("soon", "@soon", "1:2:3", "@"):
        with pytest.raises(VerbError):
            parse_range(wrong)
