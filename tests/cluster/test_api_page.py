"""docs/api.md lists each public name and argument of `Cluster`, and none that is not there."""

from __future__ import annotations

import inspect
import re

from kafkacompat import Cluster
from tests.tidy.tree import text

OF_THE_PLUGIN = {"has_journal", "journaled", "keeps_journal"}
"""Without an underscore, for pytest's plugin: nothing is promised about them."""


def listed() -> dict[str, set[str]]:
    section = text("docs/api.md").partition("## Names of `Cluster`")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (.+?) \| (`.*) \|$", section, re.MULTILINE)
    return {title: set(re.findall(r"`(\w+)`", re.sub(r"\(.*?\)", "", names))) for title, names in rows}


def test_the_list_is_that_of_the_class() -> None:
    rows = listed()
    assert rows.pop("arguments") == set(inspect.signature(Cluster).parameters)
    public = {name for name in dir(Cluster) if not name.startswith("_")}
    assert set().union(*rows.values()) == public - OF_THE_PLUGIN
    assert public >= OF_THE_PLUGIN


def test_arguments_of_reset_are_named() -> None:
    named = re.search(r"`reset` \((.*?)\)", text("docs/api.md"))
    assert named is not None
    assert re.findall(r"`(\w+)`", named[1]) == list(inspect.signature(Cluster.reset).parameters)[1:]
