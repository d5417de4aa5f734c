"""The table of releases says what the releases say, and a broker that stands for one offers no more than it."""

from __future__ import annotations

import pytest

from compat_tests.emulated_releases import EMULATED, ask, offer
from kafkacompat import Cluster
from kafkacompat.broker.as_release import versions_of
from kafkacompat.broker.release_table import FEATURES
from kafkacompat.config.releases import RELEASES


def test_all_releases_have_an_artifact() -> None:
    assert tuple(EMULATED) == RELEASES


@pytest.mark.full
@pytest.mark.parametrize("line", EMULATED)
def test_the_table_says_what_the_release_says(line: str) -> None:
    theirs = ask(line)
    assert theirs.versions == versions_of(line)
    assert theirs.features == FEATURES[line]
    with Cluster(version=line) as kafka:
        ours = offer(kafka.bootstrap_servers)
    assert set(ours.versions) <= set(theirs.versions)
    for key, (low, high) in ours.versions.items():
        assert theirs.versions[key][0] <= low <= high <= theirs.versions[key][1]
    for name, (_, level) in ours.features.items():
        assert level <= theirs.features[name][1]
