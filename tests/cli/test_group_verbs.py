"""`kafkacompat group`: lag and offsets of groups."""

from __future__ import annotations

import pytest

from kafkacompat.client.client import Client
from kafkacompat.client.errors import BrokerError
from kafkacompat.client.group_admin import commit_offsets, committed_offsets, delete_offsets, describe_group
from tests.cli.verbs import run


def test_a_group_is_moved_listed_described_and_deleted(servers: str) -> None:
    run("topic", "create", "queue", "-p", "2", servers=servers)
    run("produce", "queue", "-p", "0", "-f", "raw", servers=servers, stdin="a\nb\nc\n")
    moved = run("group", "seek", "crew", "-t", "queue", "--to", "+1", servers=servers)
    assert moved.text == "TOPIC  PARTITION  OFFSET\nqueue  0          1\nqueue  1          0\n"
    assert run("group", "lag", "crew", servers=servers).text == (
        "TOPIC  PARTITION  COMMITTED  END  LAG  MEMBER\n"
        "queue  0          1          3    2    -\n"
        "queue  1          0          0    0    -\n"
    )
    assert run("group", "lag", "crew", "--sum", "-f", "raw", servers=servers).text == "2\n"
    assert {"group": "crew", "state": "Empty", "type": "classic", "coordinator": 1} in run(
        "group", "list", "-f", "json", servers=servers
    ).json_lines
    (whole,) = run("group", "describe", "crew", "-f", "json", servers=servers).json_lines
    assert (whole["state"], whole["type"], whole["members"], whole["coordinator"]) == ("Empty", "classic", [], 1)
    assert [row["lag"] for row in whole["offsets"]] == [2, 0]
    shown = run("group", "seek", "crew", "--to", "end", "-p", "0", "--dry-run", "-f", "csv", servers=servers)
    assert shown.text == "topic,partition,offset\nqueue,0,3\n"
    assert run("group", "lag", "crew", "--sum", "-f", "raw", servers=servers).text == "2\n"
    assert run("group", "seek", "crew", "--to", "end", servers=servers).status == 0
    assert run("group", "lag", "crew", "--sum", "-f", "raw", servers=servers).text == "0\n"
    gone = run("group", "delete", "crew", "-t", "queue", servers=servers)
    assert gone == (0, b"", "offsets of group crew deleted\n")
    assert run("group", "delete", "crew", servers=servers).status in (0, 3)  # without offsets nothing keeps it
    assert run("group", "delete", "crew", servers=servers) == (
        3,
        b"",
        "kafkacompat: group 'crew': it does not exist (GROUP_ID_NOT_FOUND); "
        "kafkacompat group list names those that do\n",
    )


def test_a_group_that_is_not_there_has_a_status_of_its_own(servers: str) -> None:
    for verb in ("describe", "lag"):
        assert run("group", verb, "nobody", servers=servers).status == 3
    nothing = run("group", "seek", "nobody", "--to", "end", servers=servers)
    assert nothing.status == 3
    assert "name a topic with --topic" in nothing.err


def test_a_deleted_topic_has_no_lag(servers: str) -> None:
    run("topic", "create", "brief", servers=servers)
    run("group", "seek", "mourners", "-t", "brief", "--to", "start", servers=servers)
    run("topic", "delete", "brief", servers=servers)
    done = run("group", "lag", "mourners", "-f", "json", servers=servers)
    assert done.status in (0, 3)
    assert all(row["lag"] is None for row in done.json_lines)


def test_offsets_are_committed_and_deleted_one_by_one(servers: str) -> None:
    with Client(servers) as client:
        run("topic", "create", "single", "-p", "3", servers=servers)
        commit_offsets(client, "loner", {("single", 0): 0, ("single", 2): 0})
        delete_offsets(client, "loner", [("single", 0)])
        assert list(committed_offsets(client, "loner")) == [("single", 2)]
        assert describe_group(client, "loner").type == "Classic"
        with pytest.raises(BrokerError, match="group 'stranger': it does not exist"):
            describe_group(client, "stranger")
