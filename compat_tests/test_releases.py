"""Other releases of Apache Kafka: what is decided about them holds for them alone, and what they lack is left out."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from compat_tests.api.raw import Difference, NotAdvertisedError, RawClient
from compat_tests.artifacts import KAFKA_VERSION
from compat_tests.decisions import Decision
from compat_tests.decisions_by_release import BY_RELEASE
from compat_tests.releases import RELEASES
from compat_tests.report.ledger import Ledger
from compat_tests.report.selection import too_old
from kafkacompat.broker.registry import APIS
from kafkacompat.protocol.messages import fetch

NEW_SETTING = Difference(".remote.copy.lag.ms", None, {"name": "remote.copy.lag.ms"})


@pytest.mark.parametrize("decision", BY_RELEASE, ids=lambda one: one.name)
def test_a_decision_is_about_another_release(decision: Decision) -> None:
    about = [release for release in RELEASES if re.fullmatch(decision.kafka, release)]
    assert about
    assert KAFKA_VERSION not in about


def test_a_decision_covers_its_release_alone() -> None:
    undecided = {
        release: Ledger(release).undecided("a test", "describe_configs", [NEW_SETTING]) for release in RELEASES
    }
    assert undecided == {"3.9.2": [NEW_SETTING], "4.3.1": [NEW_SETTING], "4.4.0": []}


def test_a_difference_beside_the_decided_ones_is_found() -> None:
    beside = [
        Difference(".remote.copy.lag.ms", {"name": "remote.copy.lag.ms"}, None),
        Difference(".remote.copy.lag.seconds", None, {}),
        Difference(".remote.copy.lag.ms.value", "1", "2"),
    ]
    assert Ledger("4.4.0").undecided("a test", "describe_configs", beside) == beside
    assert Ledger("4.4.0").undecided("a test", "produce", [NEW_SETTING]) == [NEW_SETTING]


def test_what_is_not_offered_is_not_asked() -> None:
    client = object.__new__(RawClient)  # it would not come to a socket
    client.advertised = {fetch.API_KEY: range(18)}
    with pytest.raises(NotAdvertisedError, match=r"^Fetch 18$"):
        client.start(fetch, 18, fetch.FetchRequest())
    client.advertised = {}
    with pytest.raises(NotAdvertisedError, match=r"^Fetch 4$"):
        client.start(fetch, 4, fetch.FetchRequest())


@pytest.mark.parametrize(
    ("release", "kind", "expected"),
    [
        ("3.9.2", "kafka", "Apache Kafka 3.9.2: it was otherwise"),
        ("3.9.2", "kafkacompat", ""),
        ("4.3.1", "kafka", ""),
        ("4.10.0", "kafka", ""),
        ("4.0.0", "kafka", "Apache Kafka 4.0.0: it was otherwise"),
    ],
)
def test_since(release: str, kind: str, expected: str) -> None:
    marker = pytest.mark.since("4.1", "it was otherwise").mark
    callspec = SimpleNamespace(params={"broker_kind": kind})
    item: Any = SimpleNamespace(iter_markers=lambda name: [marker], callspec=callspec, fixturenames=["broker"])
    assert too_old(item, release) == expected


def test_nothing_new_is_offered_yet() -> None:
    """The messages know 4.4; the broker says 4.3 until everything that 4.4 adds works."""
    newest = {18: 4, 42: 2}
    assert {key: APIS[key].max_version for key in newest} == newest
    assert not {93, 94} & APIS.keys()
