"""The Java tools, pointed at the broker of the test."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_tests.artifacts import KAFKA_VERSION, MissingToolError, java_program
from compat_tests.broker_process import Broker
from compat_tests.clients.java_tools.tools import Tools


@pytest.fixture(params=[KAFKA_VERSION, pytest.param("3.9.2", marks=pytest.mark.full)])
def tools_version(request: pytest.FixtureRequest) -> str:
    """The version of the tools."""
    return str(request.param)


@pytest.fixture
def tools(broker: Broker, tools_version: str, tmp_path: Path, pytestconfig: pytest.Config) -> Tools:
    """Skips (and says so) without Java only where this broker alone was asked for; otherwise that is an error."""
    try:
        java_program()
    except MissingToolError as missing:
        if pytestconfig.getoption("--broker") != "kafkacompat":
            raise
        pytest.skip(str(missing))
    return Tools(broker.bootstrap_servers, tmp_path, tools_version)
