"""The pytest plugin with the fixture `kafka`. Every pytest run loads it where this package is installed, so it imports
only pytest until a test requests the fixture.
"""

from __future__ import annotations

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkacompat.cluster import Cluster

MARKER = (
    "kafka(topics=..., config=..., brokers=3, processes=True, ...): the arguments of kafkacompat.Cluster for this "
    "test's `kafka` fixture"
)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line("markers", MARKER)


@pytest.fixture
def kafka(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """A fresh Kafka cluster for this test. `@pytest.mark.kafka(topics={"orders": 3})` creates topics,
    `@pytest.mark.kafka(brokers=3, processes=True)` starts brokers that can be killed.
    """
    from kafkacompat.cluster import Cluster

    marker = request.node.get_closest_marker("kafka")
    with Cluster(**(marker.kwargs if marker else {})) as cluster:
        yield cluster
