"""`kafkacompat topic`: what it prints, what it does, and how it ends."""

from __future__ import annotations

from tests.cli.verbs import run


def test_topics_are_created_listed_described_altered_trimmed_and_deleted(servers: str) -> None:
    done = run("topic", "create", "tour", "-p", "2", "-c", "retention.ms=86400000", servers=servers)
    assert done == (0, b"", "topic tour created\n")
    assert {"name": "tour", "partitions": 2, "replicas": 1} in run(
        "topic", "list", "-f", "json", servers=servers
    ).json_lines
    run("produce", "tour", "-p", "1", "-f", "raw", servers=servers, stdin="a\nb\nc\n")
    (whole,) = run("topic", "describe", "tour", "-f", "json", servers=servers).json_lines
    assert whole["configs"] == {"retention.ms": "86400000"}
    assert [(row["partition"], row["log_start"], row["end"]) for row in whole["partitions"]] == [(0, 0, 0), (1, 0, 3)]
    trimmed = run("topic", "trim", "tour", "-p", "1", "-o", "2", servers=servers)
    assert trimmed.text == "PARTITION  LOG START\n1          2\n"
    altered = run("topic", "alter", "tour", "-p", "3", "-d", "retention.ms", servers=servers)
    assert altered == (0, b"", "topic tour altered\ntopic tour has 3 partitions\n")
    assert run("topic", "describe", "tour", servers=servers).text == (
        "PARTITION  LEADER  EPOCH  REPLICAS  ISR  LOG START  END\n"
        "0          1       0      1         1    0          0\n"
        "1          1       0      1         1    2          3\n"
        "2          1       0      1         1    0          0\n"
    )
    configs = run("topic", "describe", "tour", "--configs", "-f", "csv", servers=servers).text.splitlines()
    assert configs[0] == "name,value,source"
    assert "retention.ms,604800000,default" in configs
    assert run("topic", "delete", "tour", servers=servers) == (0, b"", "topic tour deleted\n")


def test_what_exists_and_what_does_not_have_statuses_of_their_own(servers: str) -> None:
    assert run("topic", "create", "twice", servers=servers).status == 0
    again = run("topic", "create", "twice", "fresh", servers=servers)
    assert again.status == 4
    assert "topic fresh created\n" in again.err
    assert "topic 'twice': Topic 'twice' already exists. (TOPIC_ALREADY_EXISTS)\n" in again.err
    assert run("topic", "create", "twice", "--if-not-exists", servers=servers).status == 0
    gone = run("topic", "delete", "nowhere", servers=servers)
    assert gone == (
        3,
        b"",
        "kafkacompat: topic 'nowhere': it does not exist (UNKNOWN_TOPIC_OR_PARTITION); "
        "kafkacompat topic list names those that do\n",
    )
    assert run("topic", "delete", "nowhere", "--if-exists", servers=servers).status == 0
    assert run("topic", "describe", "nowhere", servers=servers).status == 3


def test_a_dry_run_creates_nothing(servers: str) -> None:
    done = run("topic", "create", "dry", "--dry-run", servers=servers)
    assert done == (0, b"", "topic dry can be created\n")
    assert run("topic", "describe", "dry", servers=servers).status == 3


def test_a_refusal_says_why(servers: str) -> None:
    done = run("topic", "create", "wide", "-r", "3", servers=servers)
    assert done.status == 7
    assert "INVALID_REPLICATION_FACTOR" in done.err
    assert run("topic", "create", "wide", "-c", "retention.ms=soon", servers=servers).status == 7


def test_wrong_use_is_status_2(servers: str) -> None:
    assert run("topic", "create", servers=servers).status == 2
    assert run("topic", "create", "x", "-c", "novalue", servers=servers).status == 2
    assert run("topic", "alter", "x", servers=servers).status == 2


def test_an_unreachable_broker_is_status_6() -> None:
    done = run("topic", "list", servers="localhost:1")
    assert done.status == 6
    assert done.err == "kafkacompat: localhost:1: Connection refused; is a broker started, and does it listen there?\n"
    assert run("topic", "list", servers="no-such-host.invalid:9092").status == 6
    assert run("topic", "list", servers="localhost:port").status == 2
