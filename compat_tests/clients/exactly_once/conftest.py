"""In its everyday form the loops run on this broker with most clients, and on Apache Kafka with Kafka's own program."""

from __future__ import annotations

import re

import pytest

EVERYDAY = re.compile(
    r"once\[(kafka-java-tv2|kafkacompat-(confluent-kafka|kafka-python|aiokafka|java-tv2|franz-go|streams))\]"
    r"|upgraded\[kafkacompat-java-mixed\]|brokers\[kafkacompat-java-tv2\]"
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A kill of Apache Kafka takes 12 s and more, so most loops on it are for --full."""
    for item in items:
        if "exactly_once" in item.nodeid and not EVERYDAY.search(item.name):
            item.add_marker(pytest.mark.full)
