"""`kafkacompat inspect`: each view fits its schema as JSON, and is a table where a person reads it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafkacompat.client.group_admin import commit_offsets
from kafkacompat.client.producing import OutgoingRecord, Producer
from tests.cli import control_api
from tests.cli.control_api import Node
from tests.cli.test_terminal import on_terminal


@pytest.fixture(scope="module")
def broker() -> Iterator[Node]:
    """A broker with records, a group, and a client that stays connected."""
    with control_api.node(topics={"orders": 2, "empty": 1}) as found, found.client() as client:
        found.run("inspect", "requests", "--on")
        producer = Producer(client)
        for number in range(3):
            producer.send("orders", OutgoingRecord(b"k", b"%d" % number, [("h", b"\xff")], partition=0))
        producer.send("orders", OutgoingRecord(None, None, partition=1))
        producer.flush()
        commit_offsets(client, "billing", {("orders", 0): 1})
        yield found


@pytest.mark.parametrize(
    ("kind", "verb"),
    [
        ("cluster", "cluster"), ("topic", "topics"), ("group", "groups"), ("record", "records orders"),
        ("producer", "producers"), ("connection", "connections"), ("request", "requests"),
    ],
)  # fmt: skip
def test_json_fits_the_schema(broker: Node, kind: str, verb: str) -> None:
    assert broker.printed(kind, "inspect", *verb.split())


def test_names_choose(broker: Node) -> None:
    assert [each["name"] for each in broker.printed("topic", "inspect", "topics", "empty")] == ["empty"]
    assert [each["group_id"] for each in broker.printed("group", "inspect", "groups", "billing")] == ["billing"]
    assert len(broker.printed("producer", "inspect", "producers", "-t", "orders", "-p", "1")) == 1
    assert broker.printed("producer", "inspect", "producers", "-t", "empty") == []


def test_records_are_chosen_by_partition_offset_and_count(broker: Node) -> None:
    def values(*flags: str) -> list[tuple[int, int, str | None]]:
        found = broker.printed("record", "inspect", "records", "orders", *flags)
        return [(each["partition"], each["offset"], each["value"]) for each in found]

    assert values() == [(0, 0, "0"), (0, 1, "1"), (0, 2, "2"), (1, 0, None)]
    assert values("-p", "0", "--from", "1") == [(0, 1, "1"), (0, 2, "2")]
    assert values("-n", "1") == [(0, 0, "0"), (1, 0, None)]


def test_more_than_a_page_of_records_is_shown() -> None:
    from kafkacompat.cli.inspect_verbs import PAGE_RECORDS

    count = 2 * PAGE_RECORDS + 1
    with control_api.node(topics={"long": 1}) as broker:
        with broker.client() as client:
            producer = Producer(client)
            for number in range(count):
                producer.send("long", OutgoingRecord(None, b"%d" % number))
            producer.flush()
        assert broker.run("inspect", "records", "long", "-f", "raw").text.split() == [str(n) for n in range(count)]
        assert len(broker.run("inspect", "records", "long", "-n", str(PAGE_RECORDS + 1)).json_lines) == PAGE_RECORDS + 1


def test_tables_are_for_terminals(broker: Node) -> None:
    written = on_terminal("inspect", "topics", "--control", broker.url, servers="")
    lines = written.decode().split("\r\n")
    assert lines[0].split("  ")[0] == "TOPIC"
    assert [line.split()[:3] for line in lines[1:-1]] == [
        ["empty", "0", "1"],
        ["orders", "0", "1"],
        ["orders", "1", "1"],
    ]
    assert broker.run("inspect", "topics", "-f", "csv").text.splitlines() == [
        "topic,partition,broker,leader,isr,log_start_offset,high_watermark,log_end_offset,size_bytes",
        *(line for line in broker.run("inspect", "topics", "-f", "csv").text.splitlines()[1:]),
    ]


def test_each_view_has_a_table(broker: Node) -> None:
    groups = broker.run("inspect", "groups", "-f", "table").text.splitlines()
    assert groups[1].split() == ["billing", "Empty", "0", "-", "1", "0", "2", "-"]
    records = broker.run("inspect", "records", "orders", "-p", "1", "-f", "table").text.splitlines()
    assert records[0].split() == [
        "PARTITION",
        "OFFSET",
        "TIMESTAMP",
        "KEY",
        "VALUE",
        "PRODUCER",
        "ID",
        "STATE",
        "CONTROL",
    ]
    cluster = broker.run("inspect", "cluster", "-f", "table")
    assert cluster.text.splitlines()[1].split()[:4] == ["1", "yes", "no", "no"]
    assert cluster.err.startswith("cluster ")
    connections = broker.run("inspect", "connections", "-f", "table").text
    assert "kafkacompat" in connections
    assert "Produce" in broker.run("inspect", "requests", "-f", "table").text
    assert broker.run("inspect", "producers", "-f", "table").text.count("orders") == 2


def test_a_journal_that_is_off_is_said_to_be() -> None:
    with control_api.node() as broker:
        assert broker.run("inspect", "requests", "-n", "5") == (
            0, b"", "the journal of requests is off: kafkacompat inspect requests --on switches it on\n",
        )  # fmt: skip
        assert broker.run("inspect", "requests", "--on").err == ""
        broker.run("topic", "list")
        shown = broker.printed("request", "inspect", "requests", "-n", "1")
        assert [each["api"] for each in shown] == ["Metadata"]
        broker.run("inspect", "requests", "--off")
        assert "is off" in broker.run("inspect", "requests").err


@pytest.mark.parametrize(
    "verb", [("topics", "nix"), ("groups", "nix"), ("records", "nix"), ("records", "orders", "-p", "9")]
)
def test_what_does_not_exist_is_3(broker: Node, verb: tuple[str, ...]) -> None:
    done = broker.run("inspect", *verb)
    assert (done.status, done.out, len(done.err.splitlines())) == (3, b"", 1)
    assert "GET /v1" not in done.err
