"""Each route has a rule for nodes in several processes."""

from __future__ import annotations

from kafkacompat.control_api.http.access import Access
from kafkacompat.control_api.http.routes import ROUTES, is_available
from kafkacompat.control_api.joined import (
    joined_captures,
    joined_clock,
    joined_links,
    joined_moves,
    joined_state,
    joined_views,
)
from kafkacompat.control_api.joined.joined_nodes import JoinedNodes
from kafkacompat.control_api.joined.joined_routes import JoinedApplication
from kafkacompat.control_api.resources import node_resources, node_verbs, reset_parts


def test_what_a_rule_does_is_said() -> None:
    of_rules = (joined_captures, joined_clock, joined_links, joined_moves, joined_state, joined_views)
    for module in (*of_rules, node_resources, node_verbs, reset_parts):
        assert module.__doc__


def test_each_route_that_nodes_answer_has_a_rule() -> None:
    application = JoinedApplication(JoinedNodes(dict), Access(), None)
    assert set(application.rules) == {route.operation for route in ROUTES if is_available(route)}
