"""In its everyday form the loop runs on this broker with each client, and on Apache Kafka with Kafka's own program."""

from __future__ import annotations

import pytest

KAFKAS_OWN = "[kafka-java]"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A kill of Apache Kafka takes 12 s and more, so the other clients' loops on it are for --full."""
    for item in items:
        if "exactly_once" in item.nodeid and "[kafka-" in item.name and not item.name.endswith(KAFKAS_OWN):
            item.add_marker(pytest.mark.full)
