"""Changes that are awaited: what is said when they do not come, and when another one was quicker.

tests/cluster/test_leadership.py has those that do come.
"""

from __future__ import annotations

import asyncio
import re
from types import SimpleNamespace
from typing import Any

import pytest

from kafkacompat.control_api import moves


def test_a_change_that_does_not_come_says_what_is_missing_and_where_to_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moves, "TIMEOUT_S", 0.01)
    words = re.escape("no controller is active in this process within 0.01 s: see the log, and whether a majority")
    with pytest.raises(moves.NotInTimeError, match=words):
        asyncio.run(moves.move_controller([], None))


def test_a_controller_that_was_quicker_than_the_wanted_one_resigns_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    servers: list[Any] = [
        SimpleNamespace(broker=SimpleNamespace(node_id=node_id), after_event=lambda: None) for node_id in (1, 2, 3)
    ]
    elections = [(1, 5), (3, 6), (2, 7)]
    asked = []

    def resign(server: Any, to: int | None) -> None:
        asked.append((server.broker.node_id, to))
        del elections[0]

    monkeypatch.setattr(moves.leaders, "controller", lambda _: elections[0])
    monkeypatch.setattr(moves.leaders, "is_controller_active", lambda server: server.broker.node_id == elections[0][0])
    monkeypatch.setattr(moves.leaders, "move_controller", resign)
    assert asyncio.run(moves.move_controller(servers, 2)) == 2
    assert asked == [(1, 2), (3, 2)]
