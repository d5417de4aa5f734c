"""The releases of Apache Kafka that the tests may compare with, and what one of them offers."""

from __future__ import annotations

from collections.abc import Mapping

from compat_tests.api.raw import RawClient
from compat_tests.artifacts import KAFKA_VERSION
from kafkacompat.protocol.messages import api_versions

RELEASES = ("3.9.2", KAFKA_VERSION, "4.4.0")
Advertised = Mapping[int, range]
"""Versions by API key."""


def advertised(bootstrap_servers: str) -> Advertised:
    """What a broker offers, as it says itself."""
    with RawClient(bootstrap_servers) as client:
        answer = client.call(api_versions.API_KEY, 0, api_versions.ApiVersionsRequest())
    return {each.api_key: range(each.min_version, each.max_version + 1) for each in answer.api_keys}
