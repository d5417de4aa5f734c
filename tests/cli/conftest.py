"""One cluster for all verbs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafkacompat import Cluster


@pytest.fixture(scope="session")
def servers() -> Iterator[str]:
    """The address of a broker that creates no topics on use."""
    with Cluster(config={"auto.create.topics.enable": "false"}) as cluster:
        yield cluster.bootstrap_servers
