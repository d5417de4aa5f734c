"""In their everyday form the loops run on one broker of ours; --full adds Apache Kafka and three brokers. CI takes one
in three of them in each run.
"""

from __future__ import annotations

import re

import pytest

EVERYDAY = re.compile(
    r"once\[kafkacompat-(confluent-kafka|kafka-python|aiokafka|java-tv2|franz-go|streams)\]"
    r"|upgraded\[kafkacompat-java-mixed\]"
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A kill of Apache Kafka takes 12 s and more, and three brokers share two cores: both are for --full."""
    for item in items:
        if "exactly_once" in item.nodeid:
            item.add_marker(pytest.mark.sampled if EVERYDAY.search(item.name) else pytest.mark.full)
