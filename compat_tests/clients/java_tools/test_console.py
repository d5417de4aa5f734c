"""The console producer and consumer and the performance tools."""

from __future__ import annotations

import re

import pytest

from compat_tests.clients.java_tools.tools import (
    CONSOLE_CONSUMER,
    CONSOLE_PRODUCER,
    CONSUMER_PERFORMANCE,
    OFFSETS,
    PRODUCER_PERFORMANCE,
    Tools,
)
from compat_tests.clients.samples import CODECS, MEGABYTE

pytestmark = pytest.mark.api("Produce", "Fetch")

SHOW_ALL = (
    "--formatter-property", "print.key=true", "--formatter-property", "print.headers=true",
    "--formatter-property", "print.offset=true", "--formatter-property", "print.partition=true",
    "--formatter-property", "null.literal=<null>",
)  # fmt: skip


def consume(tools: Tools, topic: str, count: int, *arguments: str) -> list[str]:
    output = tools.run(
        CONSOLE_CONSUMER, "--topic", topic, "--max-messages", str(count), "--timeout-ms", "20000", *arguments
    )
    return output.splitlines()


def test_keys_headers_and_nulls(tools: Tools, topic: str) -> None:
    lines = "h1:v1,h2:v2\tkey1\tvalue1\nh1:v1\tkey2\tNIL\nNIL\tNIL\tvalue3\n"
    tools.run(
        CONSOLE_PRODUCER, "--topic", topic, "--reader-property", "parse.key=true",
        "--reader-property", "parse.headers=true", "--reader-property", "null.marker=NIL", stdin=lines,
    )  # fmt: skip
    assert consume(tools, topic, 3, "--from-beginning", *SHOW_ALL) == [
        "Partition:0\tOffset:0\th1:v1,h2:v2\tkey1\tvalue1",
        "Partition:0\tOffset:1\th1:v1\tkey2\t<null>",
        "Partition:0\tOffset:2\tNO_HEADERS\t<null>\tvalue3",
    ]


@pytest.mark.full
def test_every_codec_in_one_partition(tools: Tools, topic: str) -> None:
    expected = []
    for codec in CODECS:
        lines = [f"{codec}-{n}" * 20 for n in range(50)]
        tools.run(CONSOLE_PRODUCER, "--topic", topic, f"--compression-codec={codec or 'none'}", stdin="\n".join(lines))
        expected += lines
    assert consume(tools, topic, 250, "--from-beginning") == expected
    assert consume(tools, topic, 2, "--partition", "0", "--offset", "149") == expected[149:151]


@pytest.mark.full
@pytest.mark.api("JoinGroup", "OffsetCommit", "OffsetFetch")
def test_group_goes_on_where_it_stopped(tools: Tools, topic: str, group: str) -> None:
    tools.run(CONSOLE_PRODUCER, "--topic", topic, stdin="\n".join(f"line {n}" for n in range(10)))
    first = consume(tools, topic, 4, "--group", group, "--from-beginning", "--command-property", "max.poll.records=4")
    second = consume(tools, topic, 6, "--group", group, "--from-beginning")
    assert first + second == [f"line {n}" for n in range(10)]


@pytest.mark.api("ListOffsets")
def test_performance_tools(tools: Tools, topic: str) -> None:
    tools.create(topic, 2)
    output = tools.run(
        PRODUCER_PERFORMANCE, "--topic", topic, "--num-records", "50000", "--record-size", "100",
        "--throughput", "-1", "--command-property", "acks=all", "compression.type=lz4",
    )  # fmt: skip
    assert output.splitlines()[-1].startswith("50000 records sent")
    assert total(tools.run(OFFSETS, "--topic", topic)) == 50_000
    output = tools.run(CONSUMER_PERFORMANCE, "--topic", topic, "--num-records", "50000", "--timeout", "20000")
    fields = re.split(r",\s*", output.splitlines()[-1])
    assert int(fields[4]) >= 50_000


def total(offsets: str) -> int:
    """The sum of what GetOffsetShell says: lines of topic:partition:offset."""
    return sum(int(line.rsplit(":", 1)[1]) for line in offsets.split())


@pytest.mark.full
def test_megabyte_records(tools: Tools, topic: str) -> None:
    output = tools.run(
        PRODUCER_PERFORMANCE, "--topic", topic, "--num-records", "20", "--record-size", str(MEGABYTE),
        "--throughput", "-1",
    )  # fmt: skip
    assert output.splitlines()[-1].startswith("20 records sent")
    lines = consume(tools, topic, 20, "--from-beginning")
    assert [len(line) for line in lines] == [MEGABYTE] * 20
