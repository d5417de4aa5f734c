"""Changes that are awaited: what is said when they do not come. tests/cluster/test_leadership.py has those that do."""

from __future__ import annotations

import asyncio
import re

import pytest

from kafkacompat.control_api import moves


def test_a_change_that_does_not_come_says_what_is_missing_and_where_to_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moves, "TIMEOUT_S", 0.01)
    words = re.escape("no controller is active in this process within 0.01 s: see the log, and whether a majority")
    with pytest.raises(moves.NotInTimeError, match=words):
        asyncio.run(moves.move_controller([], None))
