"""`kafkacompat doctor`: the report, its statuses, and no colour in a file."""

from __future__ import annotations

import re

from tests.cli.verbs import run


def test_the_report_of_a_sound_broker_is_the_same_each_time(servers: str) -> None:
    run("topic", "create", "examined", servers=servers)
    done = run("doctor", "--topic", "examined", servers=servers)
    text = re.sub(r"cluster \S+;", "cluster ID;", done.text.replace(servers, "ADDRESS"))
    assert (done.status, done.err) == (0, "")
    text = re.sub(r"coordinators  .*", "coordinators  ...", text)  # whether a group was there before
    assert text == (
        "ok    resolve       127.0.0.1 is 127.0.0.1\n"
        "ok    speaks        ADDRESS speaks Kafka\n"
        "ok    versions      as Kafka 4, for clients since java 2.1.0, librdkafka 1.8.2, kafkajs 1.15.0, "
        "sarama 1.30.1, kafka-python 2.0.2\n"
        "ok    metadata      cluster ID; brokers: 1 at ADDRESS\n"
        "ok    advertised    broker 1 advertises ADDRESS, as you reach it\n"
        "ok    controller    requests for the controller go to broker 1\n"
        "ok    coordinators  ...\n"
        "ok    topic         topic examined exists, 1 partition\n"
    )


def test_failures_have_advice_and_statuses(servers: str) -> None:
    gone = run("doctor", "localhost:1", servers=servers)
    assert gone.status == 6
    assert gone.text.endswith(
        "FAIL  connect       nothing listens at localhost:1\n"
        "                  → start the broker, or look up its port\n"
    )
    missing = run("doctor", "--topic", "none", "-f", "json", servers=servers)
    assert missing.status == 3
    assert missing.json_lines[-1] == {
        "step": "topic", "level": "fail", "text": "topic none does not exist (UNKNOWN_TOPIC_OR_PARTITION)",
        "advice": "create it: kafkacompat topic create none", "row": "no-topic", "kind": "missing",
    }  # fmt: skip
    assert run("doctor", "--client", "librdkafka:1.0", servers=servers).status == 7
    assert run("doctor", "--write", servers=servers).status == 2
