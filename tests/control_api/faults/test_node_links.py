"""Faults of a node's links are added to those that are there, and end for one peer or for all."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kafkacompat.control_api.faults.node_links import add_links, faults, heal_links, set_links


class Links:
    """What of `FaultyLinks` is used."""

    def __init__(self, *_: object) -> None:
        self.incoming: dict[int | str, int | None] = {}
        self.outgoing: dict[int | str, int | None] = {}

    def set(self, incoming: dict[int | str, int | None], outgoing: dict[int | str, int | None]) -> None:
        self.incoming, self.outgoing = dict(incoming), dict(outgoing)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr("kafkacompat.server.faulty_links.FaultyLinks", Links)
    return SimpleNamespace(links=None, broker=SimpleNamespace(node_id=1))


def test_nothing_is_made_before_the_first_fault(server: Any) -> None:
    set_links(server, {}, {})
    heal_links(server)
    assert (server.links, faults(server)) == (None, {})


def test_a_fault_is_added_and_takes_the_place_of_the_one_of_its_link(server: Any) -> None:
    add_links(server, {2: None}, {"clients": 5})
    add_links(server, {3: 7}, {"clients": None})
    assert faults(server) == {(2, 1): None, (3, 1): 7, (1, "clients"): None}


def test_the_faults_of_one_peer_end_or_all(server: Any) -> None:
    set_links(server, {2: None, 3: 7}, {2: 5})
    heal_links(server, 2)
    assert faults(server) == {(3, 1): 7}
    heal_links(server)
    assert faults(server) == {}
