"""ApiVersions on both brokers: what we advertise is a part of what Apache Kafka advertises."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, facts
from kafkacompat.protocol.messages import api_versions as api

TOO_NEW = 5


def test_no_version_that_kafka_does_not_have(compare: Compare) -> None:
    """Keys that are missing here do not work yet; those that are here have Kafka's range."""
    seen: list[dict[int, tuple[int, int]]] = []

    def script(client: RawClient) -> str:
        answer = client.call(api.API_KEY, 4, api.ApiVersionsRequest("raw", "1.0"))
        seen.append({key.api_key: (key.min_version, key.max_version) for key in answer.api_keys})
        return "answered"

    compare(script)
    theirs, ours = seen
    assert {key: span for key, span in ours.items() if theirs.get(key) != span} == {}
    assert len(ours) > 20


@pytest.mark.parametrize("version", range(api.MIN_VERSION, api.MAX_VERSION + 1))
def test_answer_without_its_lists(compare: Compare, version: int) -> None:
    def script(client: RawClient) -> Any:
        answer = client.call(api.API_KEY, version, api.ApiVersionsRequest("raw", "1.0"))
        assert len(answer.api_keys) > 20
        return {**facts(answer, ["finalized_features_epoch"]), "api_keys": [], "supported_features": [],
                "finalized_features": []}  # fmt: skip

    compare(script)


def test_version_too_new_is_answered_in_version_0(compare: Compare) -> None:
    def script(client: RawClient) -> Any:
        client.send(api.API_KEY, TOO_NEW, b"\x01\x01\x00")
        body = client.receive()[4:]
        answer = api.decode_response(body, 0, 0)
        return {"error": answer.error_code, "keys": [facts(k) for k in answer.api_keys if k.api_key == api.API_KEY]}

    compare(script)


@pytest.mark.parametrize(("name", "software_version"), [("", "1"), ("with space", "1"), ("raw", ""), ("-raw", "1")])
def test_bad_software_name(compare: Compare, name: str, software_version: str) -> None:
    def script(client: RawClient) -> Any:
        answer = client.call(api.API_KEY, 3, api.ApiVersionsRequest(name, software_version))
        return {"error": answer.error_code, "has keys": bool(answer.api_keys)}

    compare(script)
