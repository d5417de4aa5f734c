"""`kafka-consumer-groups`, and `kafka-console-consumer --group`, whose output compat_tests compares with Kafka's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kafkacompat import Cluster
from kafkacompat.cli.kafka_tools import console_consumer, group_tables, kafka_names
from kafkacompat.cli.kafka_tools.arguments import ToolError, UsageError
from kafkacompat.cli.kafka_tools.kafka_consumer_groups import run
from kafkacompat.cli.kafka_tools.offset_resets import _time_ms, quoted
from kafkacompat.client.client import Client
from kafkacompat.client.errors import BrokerError
from kafkacompat.client.group_admin import committed_offsets
from kafkacompat.client.group_member import GroupMember
from kafkacompat.protocol import error_codes as errors

Output = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    records = {"orders": [{"value": str(n), "partition": n % 2} for n in range(6)]}
    config = {"group.initial.rebalance.delay.ms": "0"}
    with Cluster(topics={"orders": 2}, records=records, config=config) as kafka:
        yield kafka.bootstrap_servers


@pytest.fixture
def group(servers: str, capsys: Output, request: pytest.FixtureRequest) -> str:
    """A group that has read four records and left."""
    name = request.node.name
    read = ["--topic", "orders", "--group", name, "--from-beginning", "--max-messages", "4"]
    assert console_consumer.run(["--bootstrap-server", servers, *read]) == 0
    return str(name)


def test_a_member_of_a_group_goes_on_where_it_was(servers: str, group: str, capsys: Output) -> None:
    first = capsys.readouterr().out.split()
    with Client(servers) as client:
        assert sum(each.offset for each in committed_offsets(client, group).values()) == 4
    read = ["--bootstrap-server", servers, "--topic", "orders", "--group", group, "--timeout-ms", "1500"]
    assert console_consumer.run(read) == 0
    second = capsys.readouterr()
    assert sorted(first + second.out.split()) == [str(n) for n in range(6)]
    assert second.err == "Processed a total of 2 messages\n"


def test_groups_are_listed_and_described(servers: str, group: str, capsys: Output) -> None:
    at = ["--bootstrap-server", servers]
    capsys.readouterr()
    assert run([*at, "--list"]) == 0
    assert group in capsys.readouterr().out.split()
    assert run([*at, "--list", "--state", "empty", "--type"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["GROUP", "TYPE", "STATE"]
    assert [group, "Classic", "Empty"] in [line.split() for line in lines]
    assert run([*at, "--describe", "--group", group]) == 0
    printed = capsys.readouterr()
    assert [line.split()[:3] for line in printed.out.splitlines()[2:]] == [
        [group, "orders", "0"],
        [group, "orders", "1"],
    ]
    assert printed.err == f"\nConsumer group '{group}' has no active members.\n"
    assert run([*at, "--describe", "--group", "missing"]) == 0
    assert "GroupIdNotFoundException: Group missing not found." in capsys.readouterr().out


def test_a_group_with_a_member(servers: str, capsys: Output) -> None:
    at = ["--bootstrap-server", servers]
    with Client(servers) as client:
        member = GroupMember(client, "active", ["orders"])
        member.poll()
        assert run([*at, "--describe", "--group", "active", "--members", "--verbose"]) == 0
        assert "orders:0,1" in capsys.readouterr().out
        assert run([*at, "--describe", "--group", "active", "--state"]) == 0
        assert capsys.readouterr().out.splitlines()[2].split()[-3:] == ["range", "Stable", "1"]
        reset = ["--reset-offsets", "--group", "active", "--topic", "orders", "--to-latest", "--execute"]
        assert run([*at, *reset]) == 0
        assert "the group 'active' is inactive, but the current state is Stable." in capsys.readouterr().out
        assert committed_offsets(client, "active") == {}
        assert run([*at, "--delete", "--group", "active"]) == 0
        assert "GroupNotEmptyException: The group is not empty." in capsys.readouterr().out
        member.leave()


def test_offsets_are_reset_exported_and_deleted(servers: str, group: str, capsys: Output, tmp_path: Path) -> None:
    at = ["--bootstrap-server", servers]
    reset = [*at, "--reset-offsets", "--group", group]

    def offsets() -> list[int]:
        with Client(servers) as client:
            return [each.offset for _, each in sorted(committed_offsets(client, group).items())]

    before = offsets()
    assert run([*reset, "--topic", "orders", "--to-earliest"]) == 0
    assert "WARN: No action will be performed as the --execute option is missing." in capsys.readouterr().err
    assert offsets() == before
    for scenario, expected in (
        (["--to-earliest"], [0, 0]), (["--shift-by", "2"], [2, 2]), (["--to-offset", "99"], [3, 3]),
        (["--to-datetime", "2020-01-01T00:00:00.000"], [0, 0]), (["--to-latest"], [3, 3]),
        (["--by-duration", "P1DT1H1M1.5S"], [0, 0]), (["--to-current"], [0, 0]),
    ):  # fmt: skip
        assert run([*reset, "--topic", "orders", *scenario, "--execute"]) == 0
        assert (scenario, offsets()) == (scenario, expected)
    capsys.readouterr()
    assert run([*reset, "--topic", "orders:1", "--to-latest", "--export", "--dry-run"]) == 0
    exported = capsys.readouterr().out
    assert exported == "orders,1,3\n\n"
    (tmp_path / "offsets.csv").write_text(exported)
    assert run([*reset, "--from-file", str(tmp_path / "offsets.csv"), "--execute"]) == 0
    assert offsets() == [0, 3]
    assert run([*at, "--delete-offsets", "--group", group, "--topic", "orders:0"]) == 0
    assert offsets() == [3]
    assert run([*at, "--delete", "--group", group]) == 0
    assert f"Deletion of requested consumer groups ('{group}') was successful." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--describe"], r"\[describe\] takes one of"), (["--delete-offsets", "--group", "g"], r"\[group\], \[topic\]"),
        (["--describe", "--group", "g", "--members", "--state"], "at most one"),
        (["--list", "--describe"], "exactly one"),
        (["--reset-offsets", "--group", "g", "--topic", "orders"], "one of the following scenarios"),
        (["--reset-offsets", "--group", "g", "--to-latest"], "--all-topics, --topic"),
        (["--list", "--state", "shoe"], "Invalid state list 'shoe'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_kafkas_words(servers: str, arguments: list[str], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        run(["--bootstrap-server", servers, *arguments])


def test_what_is_not_there_is_said() -> None:
    with pytest.raises(ToolError, match="not supported here"):
        run(["--bootstrap-server", "127.0.0.1:1", "--validate-regex"])
    for scenario, text in (("--to-datetime", "soon"), ("--by-duration", "P"), ("--by-duration", "1h")):
        with pytest.raises(UsageError):
            _time_ms(scenario, text)
    assert group_tables.assignment_text([]) == "-"
    assert [quoted(text) for text in ("a-b", "a" * 25, 'a"b', "a b")] == ["a-b", f'"{"a" * 25}"', '"a""b"', '"a b"']
    timed_out = kafka_names.exception(BrokerError(errors.REQUEST_TIMED_OUT, "group 'g'", "It took too long."))
    assert timed_out == "org.apache.kafka.common.errors.TimeoutException: It took too long."
