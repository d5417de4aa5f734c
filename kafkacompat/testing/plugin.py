"""The pytest plugin: the fixture `kafka`. Loaded by every pytest run where this package is installed, so it imports
nothing but pytest until a test asks for a broker.
"""

from __future__ import annotations

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkacompat.cluster import Cluster

MARKER = (
    "kafka(topics=..., config=..., brokers=3, processes=True, ...): how the cluster of this test's `kafka` fixture is "
    "made, as for kafkacompat.Cluster"
)


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", MARKER)


@pytest.fixture
def kafka(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """A fresh Kafka cluster for this test. `@pytest.mark.kafka(topics={"orders": 3})` makes it with topics,
    `@pytest.mark.kafka(brokers=3, processes=True)` with brokers that can be killed.
    """
    from kafkacompat.cluster import Cluster

    marker = request.node.get_closest_marker("kafka")
    with Cluster(**(marker.kwargs if marker else {})) as cluster:
        yield cluster
