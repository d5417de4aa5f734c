"""Assertions in the helpers say what differs."""

import pytest

pytest.register_assert_rewrite("tests.broker.coordinator.transcripts", "tests.broker.coordinator.world")
