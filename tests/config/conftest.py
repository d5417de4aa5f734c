import json
from pathlib import Path
from typing import Any

import pytest

from kafkacompat.config import BrokerConfig


@pytest.fixture(scope="session")
def kafka_facts() -> dict[str, Any]:
    """What a running Apache Kafka 4.3.1 described, with the properties it was started with."""
    text = (Path(__file__).parent / "kafka_4_3_1_configs.json").read_text()
    facts: dict[str, Any] = json.loads(text)
    return facts


@pytest.fixture
def plain() -> BrokerConfig:
    """A broker that was told nothing."""
    return BrokerConfig.from_sources()
