"""A handler's docstring is the first thing that a reader sees of an API, and COMPATIBILITY.md is made from it."""

from __future__ import annotations

import inspect
import re

import pytest

from kafkacompat.broker.connection import BROKER
from kafkacompat.broker.registry import APIS, Api
from kafkacompat.protocol.api_keys import NAMES, STEMS
from tests.tidy.pages.compatibility import Heading, gaps
from tests.tidy.tree import ROOT, python_files

rows = pytest.mark.parametrize("api", APIS.values(), ids=lambda api: api.stem)


@rows
def test_the_first_line_says_what_the_table_says(api: Api) -> None:
    heading = Heading.of(api)
    assert (heading.name, heading.key) == (NAMES[api.key], api.key)
    assert api.stem == STEMS[api.key]
    assert (heading.listed_from, heading.max_version) == (api.min_version, api.max_version)


@rows
def test_the_flexible_version_is_told(api: Api) -> None:
    flexible = api.messages.FLEXIBLE_VERSION
    if flexible is not None and api.min_version < flexible <= api.max_version:
        said = " ".join((inspect.getdoc(api.handler) or "").split())
        assert re.search(rf"\bv{flexible}\b[^.,;]* flexible\b", said), f"a line for v{flexible}, which is flexible"


@rows
def test_a_gap_is_a_whole_sentence(api: Api) -> None:
    for gap in gaps(api):
        assert gap.endswith("."), gap


@rows
def test_versions_are_ones_that_kafka_has(api: Api) -> None:
    assert api.messages.MIN_VERSION <= Heading.of(api).min_version <= api.max_version <= api.messages.MAX_VERSION


@rows
def test_a_handler_is_one_plain_function(api: Api) -> None:
    assert list(inspect.signature(api.handler.handle).parameters) == ["request", "context"]
    assert not inspect.iscoroutinefunction(api.handler.handle)


@rows
def test_a_handler_offers_what_its_row_says(api: Api) -> None:
    """What `broker/handler.py` declares; the registry imports modules by name, so that no type checker sees it."""
    functions = {name for name, value in vars(api.handler).items() if inspect.isfunction(value)}
    assert [name.lstrip("_") for name in inspect.signature(api.handler.failed).parameters] == ["request", "error_code"]
    assert ("validate_locally" in functions) is api.validates_locally
    if api.validates_locally:
        validate = api.local_validator.validate_locally
        assert list(inspect.signature(validate).parameters) == ["request", "context"]
        assert api.forwards
    assert api.is_of_peers is (BROKER not in api.listeners)


def test_no_handler_is_left_out_of_the_table() -> None:
    files = {name.rpartition("/")[2][:-3] for name in python_files("kafkacompat/broker/handlers/")}
    assert files - {"__init__"} == {api.stem for api in APIS.values()}


def test_all_changes_of_the_metadata_go_through_the_active_controller() -> None:
    """It is the one list of what can be done; voters alone are changed by the quorum itself."""
    calls = [name for name in python_files("kafkacompat/broker/") if "quorum.submit(" in (ROOT / name).read_text()]
    assert calls == []
