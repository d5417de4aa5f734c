"""`KafkaContainer`, which runs this project's image with testcontainers, and `LocalKafka`, which needs no engine."""

from __future__ import annotations

from kafkacompat.testing.local_kafka import LocalKafka

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.testing.kafka_container import KafkaContainer

__all__ = ["KafkaContainer", "LocalKafka"]


def __getattr__(name: str) -> object:
    """KafkaContainer is imported on first use, because it needs testcontainers. Raises MissingExtraError."""
    if name != "KafkaContainer":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from kafkacompat.testing.kafka_container import KafkaContainer

    return KafkaContainer
