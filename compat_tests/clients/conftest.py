"""What holds in the tests of all clients."""

from __future__ import annotations

import pytest

from compat_tests.clients.samples import REFERENCE_WAIT_S, WAIT_S, Patience


@pytest.fixture(autouse=True)
def patience(broker_kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """How long the clients of this test may take."""
    monkeypatch.setattr(Patience, "wait_s", REFERENCE_WAIT_S if broker_kind == "kafka" else WAIT_S)
