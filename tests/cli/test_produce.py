"""`kafkacompat produce`: what is written, and what is refused."""

from __future__ import annotations

import re

import pytest

from kafkacompat.cli.exits import VerbError
from kafkacompat.cli.record_json import record_from_json
from tests.cli.test_consume import create
from tests.cli.verbs import run


def test_the_argument_wins_over_the_topic_of_a_record(servers: str) -> None:
    create(servers, "argument", "named")
    run("produce", "argument", servers=servers, stdin='{"topic":"named","value":"x"}\n')
    run("produce", servers=servers, stdin='{"topic":"named","value":"y"}\n')
    assert run("consume", "argument", "-f", "raw", servers=servers).text == "x\n"
    assert run("consume", "named", "-f", "raw", servers=servers).text == "y\n"
    assert run("produce", servers=servers, stdin='{"value":"z"}\n').status == 1


def test_flags_complete_records(servers: str) -> None:
    create(servers, "flags", partitions=3)
    done = run(
        "produce", "flags", "-f", "raw", "-k", "21", "-H", "a=1", "-Z", "-z", "zstd", "-o", "json", "-q",
        servers=servers, stdin="one\n\n",
    )  # fmt: skip
    assert done.err == ""
    assert [(row["key"], row["value"], row["headers"]) for row in done.json_lines] == [
        ("21", "one", [["a", "1"]]), ("21", None, [["a", "1"]]),
    ]  # fmt: skip
    assert [(row["partition"], row["offset"]) for row in done.json_lines] == [(0, 0), (0, 1)]  # as Java's producer


@pytest.mark.parametrize(
    ("codec", "acks"),
    [*((codec, "all") for codec in ("none", "gzip", "snappy", "lz4", "zstd")), ("gzip", "1"), ("gzip", "0")],
)
def test_each_codec_and_each_acks_delivers(servers: str, codec: str, acks: str) -> None:
    topic = f"codec-{codec}-{acks}"
    create(servers, topic, partitions=1)
    text = "".join(f"value {number}\n" for number in range(500))
    assert run("produce", topic, "-f", "raw", "--acks", acks, "-z", codec, servers=servers, stdin=text).status == 0
    arrived = run("consume", topic, "-f", "raw", "-n", "500", "--wait", "20", servers=servers)
    assert arrived == (0, text.encode(), "")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("hello", "no JSON"), ("[1]", "JSON object"), ('{"valu":1}', "unknown field 'valu'"),
        ('{"value":1}', "value must be a string"), ('{"value":"=","value_encoding":"base64"}', "no base64"),
        ('{"partition":"1"}', "partition must be an integer"), ('{"headers":["a"]}', "a header is"),
        ('{"value":"","value_encoding":"rot13"}', "utf8, base64 or json"),
    ],
)  # fmt: skip
def test_what_is_no_record_is_named(text: str, why: str) -> None:
    with pytest.raises(VerbError, match=re.escape(why)):
        record_from_json(text)


def test_records_before_a_wrong_one_are_written(servers: str) -> None:
    create(servers, "halfway", partitions=1)
    done = run("produce", "halfway", servers=servers, stdin='{"value":"good"}\n{"value":1}\n')
    assert done.status == 1
    assert done.err.startswith("kafkacompat: record 2: value must be a string")
    assert run("consume", "halfway", "-f", "raw", servers=servers).text == "good\n"


def test_a_partition_that_is_not_there_is_status_3(servers: str) -> None:
    create(servers, "few", partitions=1)
    assert run("produce", "few", servers=servers, stdin='{"partition":7,"value":"x"}\n').status == 3
    assert run("produce", "few", "--repartition", servers=servers, stdin='{"partition":7,"value":"x"}\n').status == 0
    assert run("consume", "few", "-p", "7", servers=servers).status == 3
    assert run("produce", "no-topic", servers=servers, stdin="{}\n").status == 3
