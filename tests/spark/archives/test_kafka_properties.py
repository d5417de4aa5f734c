"""Properties of Kafka's clients for Spark's source and for our own client, without Spark."""

from __future__ import annotations

import pytest

from kafkacompat.client.errors import SecurityError
from kafkacompat.spark.archives.kafka_properties import client_of, source_options


def test_all_properties_are_options_of_the_source_and_the_servers_are_those_that_were_given() -> None:
    given = {"security.protocol": "SSL", "fetch.min.bytes": "9", "bootstrap.servers": "other:1"}
    assert source_options("a:1", given) == {
        "kafka.security.protocol": "SSL", "kafka.fetch.min.bytes": "9", "kafka.bootstrap.servers": "a:1",
    }  # fmt: skip


def test_a_client_does_not_leave_out_what_it_cannot_do() -> None:
    with pytest.raises(SecurityError, match=r"security\.protocol is one of"):
        client_of("a:1", {"security.protocol": "TLS"}, "test")
