"""The notation says what Kafka's own schema files say, for 4.4 and for 4.3; no broker runs."""

from __future__ import annotations

import pytest

from compat_tests.artifacts import kafka_jars
from compat_tests.schemas import layouts, ours, theirs
from compat_tests.schemas.facts import Comparison
from compat_tests.schemas.known import KNOWN

RELEASES = sorted(KNOWN)
NEW_TAGS = {"4.3.1": ["StreamsGroupMetadataValue 0"]}
"""Versions to which a later release added tagged fields, which readers that do not know them pass over."""
AT_LEAST = {"messages": 270, "fields": 2_000, "facts": 20_000}
"""What 4.3.1 has, about; fewer would mean that files were not found."""


@pytest.mark.parametrize("release", RELEASES)
def test_every_field(release: str, counts: dict[str, str]) -> None:
    comparison = Comparison(ours.schema(), theirs.schema(kafka_jars(release)))
    counts[release] = str(comparison)
    found = {str(difference) for difference in comparison.differences}
    meant = [line for known in KNOWN[release] for line in known.differences]
    assert sorted(found) == sorted(meant)
    for what, count in AT_LEAST.items():
        assert getattr(comparison, what) > count


@pytest.mark.parametrize("release", RELEASES)
def test_every_version_on_the_wire(release: str) -> None:
    """Whatever the names: in each version that a release has, the same types stand in the same order."""
    mine, its = ours.schema(), theirs.schema(kafka_jars(release))
    differing, compared = [], 0
    for name in mine.keys() & its.keys():
        for version in layouts.versions(its[name]):
            compared += 1
            if layouts.layout(name, mine[name], version) != layouts.layout(name, its[name], version):
                differing.append(f"{name} {version}")
    assert differing == NEW_TAGS.get(release, [])
    assert compared > 700


def test_a_word_that_nobody_compares_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"says inverted, which is not compared"):
        theirs.read('{"name": "A // not a comment", // a comment\n "fields": [{"name": "B", "inverted": true}]}')
