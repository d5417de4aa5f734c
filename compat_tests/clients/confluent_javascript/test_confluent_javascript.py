"""@confluentinc/kafka-javascript: librdkafka as its users in JavaScript have it."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_tests.clients.contract import ClientContract
from compat_tests.clients.program import NODE, NPM, Program, build
from compat_tests.clients.samples import EDGE_SAMPLES

# its first build takes minutes where the binary that its makers offer cannot be had
pytestmark = pytest.mark.full

STEPS = [("npm", "ci", "--no-audit", "--no-fund"), ("node", "finish.js")]
LIBRARIES = {"CKJS_LINKING": "dynamic"}
"""Where it has to be built, it takes the libraries of this machine instead of fetching the sources of each."""


@pytest.fixture(scope="module")
def program() -> Program:
    """The library is built apart from the program, which is run as it stands."""
    here = Path(__file__).parent
    library = build("confluent-javascript", here / "library", [NODE, NPM], STEPS, LIBRARIES)
    return Program(["node", here / "program" / "main.js"], {"NODE_PATH": str(library / "node_modules")})


class TestConfluentJavaScript(ClientContract):
    assignors = ("range", "roundrobin", "cooperative-sticky")
    # it refuses a header without a value before anything is sent
    samples = tuple(one for one in EDGE_SAMPLES if all(value is not None for _, value in one.headers))
    error_names = {  # noqa: RUF012
        "topic exists": "false",
        "invalid topic name": "ERR_TOPIC_EXCEPTION",
        "invalid config": "ERR_INVALID_CONFIG",
        "unknown topic": "ERR_UNKNOWN_TOPIC_OR_PART",
        "fewer partitions": "ERR_INVALID_PARTITIONS",
        "record too large": "ERR_MSG_SIZE_TOO_LARGE",
        "offset out of range": "ERR__AUTO_OFFSET_RESET",
        "delete beyond the end": "ERR_OFFSET_OUT_OF_RANGE",
        "unknown group": "ERR_GROUP_ID_NOT_FOUND",
        "group in use": "ERR_NON_EMPTY_GROUP",
        "session too short": "ERR_INVALID_SESSION_TIMEOUT",
        "fenced instance": "ERR__FATAL",  # the broker's error is in its message alone
    }
    without = {  # noqa: RUF012
        "validate_only": "it is not implemented",
        "describe_configs": "it is not implemented",
        "alter_configs": "it is not implemented",
        "describe_cluster": "it is not implemented",
    }
