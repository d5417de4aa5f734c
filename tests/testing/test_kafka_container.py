"""KafkaContainer of testcontainers, with this project's image."""

from __future__ import annotations

from kafkacompat.testing import containers


def test_it_is_testcontainers_own_class_with_another_image() -> None:
    from testcontainers.community import kafka

    assert issubclass(containers.KafkaContainer, kafka.KafkaContainer)
