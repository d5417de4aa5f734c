"""The Java tools, pointed at the broker of the test."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_tests.artifacts import MissingToolError, java_program
from compat_tests.broker_process import Broker
from compat_tests.clients.java_tools.tools import Tools


@pytest.fixture
def tools(broker: Broker, tmp_path: Path, pytestconfig: pytest.Config) -> Tools:
    """Skips (and says so) without Java only where this broker alone was asked for; otherwise that is an error."""
    try:
        java_program()
    except MissingToolError as missing:
        if pytestconfig.getoption("--broker") != "kafkacompat":
            raise
        pytest.skip(str(missing))
    return Tools(broker.bootstrap_servers, tmp_path)
