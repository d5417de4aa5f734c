"""KafkaContainer with this project's image, and what is said where testcontainers is missing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kafkacompat.testing import containers


def test_without_testcontainers_the_extra_is_named() -> None:
    code = """
import sys
sys.modules["testcontainers"] = None
from kafkacompat.testing.containers import LocalKafka
try:
    from kafkacompat.testing.containers import KafkaContainer
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "pip install 'kafkacompat[testcontainers]'" in done.stdout
    assert "LocalKafka" in done.stdout


def test_other_names_are_not_there() -> None:
    with pytest.raises(AttributeError):
        containers.Redpanda  # noqa: B018
