"""KafkaContainer of testcontainers, with this project's image."""

from __future__ import annotations

import pytest

from kafkacompat.testing import containers


def test_it_is_testcontainers_own_class_with_another_image() -> None:
    from testcontainers.community import kafka

    assert issubclass(containers.KafkaContainer, kafka.KafkaContainer)


def test_the_tag_says_for_which_release_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("testcontainers.core.container.DockerClient", lambda **_: None)  # there may be no engine
    assert containers.KafkaContainer("kafkacompat/apache-kafka:3.9.1").env["KAFKACOMPAT_VERSION"] == "3.9.1"
    assert "KAFKACOMPAT_VERSION" not in containers.KafkaContainer("kafkacompat/apache-kafka:latest").env
