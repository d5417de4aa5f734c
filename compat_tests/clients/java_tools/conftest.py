"""The Java tools, pointed at the broker of the test."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_tests.artifacts import KAFKA_VERSION
from compat_tests.broker_process import Broker
from compat_tests.clients.java_tools.tools import Tools


@pytest.fixture(params=[KAFKA_VERSION, pytest.param("3.9.2", marks=pytest.mark.full)])
def tools_version(request: pytest.FixtureRequest) -> str:
    """The version of the tools."""
    return str(request.param)


@pytest.fixture
def tools(broker: Broker, tools_version: str, tmp_path: Path, needs_java: None) -> Tools:
    """The tools of that version, on the broker of the test."""
    return Tools(broker.bootstrap_servers, tmp_path, tools_version)
