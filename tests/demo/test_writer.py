"""Writing for the demo, where there is nobody to write to."""

from __future__ import annotations

import pytest

pytest.importorskip("confluent_kafka")

from kafkacompat.demo import writer
from kafkacompat.demo.errors import DemoError


@pytest.mark.parametrize("address", ["localhost:1", "localhost:99999"])
def test_a_broker_that_does_not_answer_is_named_with_what_to_do(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "CONNECT_TIMEOUT_S", 0.3)
    with pytest.raises(DemoError, match=f"nobody answers at {address}: start the broker first"):
        writer.create_topics(address, {"flights": 1})
