"""Real brokers whose only controller was killed: what must go on does, also when their leases are long over."""

from __future__ import annotations

import sys

import pytest

from compat_tests.chaos.outage import Outage

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="nodes are processes with signals")

OUTAGE_S = 8.0
"""A lease is over after 6.75. A minute: `python -m compat_tests.chaos.outage`, and simulated: `tests/sim/nodes`."""


def test_clients_notice_nothing() -> None:
    outage = Outage("kafkacompat")
    try:
        outage.run(OUTAGE_S)
        assert outage.without_success(OUTAGE_S) == []
        refused = {
            (name, said)
            for name, answers in outage.answers.items()
            for at_s, said in answers
            if at_s > 0 and said != "0" and name != "produce acks=0"  # which may be seen before it is done
        }
        assert not refused
    finally:
        outage.close()
