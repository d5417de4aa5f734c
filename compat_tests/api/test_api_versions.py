"""ApiVersions on both brokers: what we advertise is a part of what Apache Kafka advertises."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, facts, versions
from kafkacompat.broker.connection import BROKER
from kafkacompat.broker.registry import APIS_OF
from kafkacompat.protocol.api_keys import NAMES
from kafkacompat.protocol.messages import api_versions as api

pytestmark = pytest.mark.api("ApiVersions")
TOO_NEW = 100


def test_no_version_that_kafka_does_not_have(compare: Compare) -> None:
    """Keys that are missing here do not work yet; those that are here have Kafka's range."""

    def script(client: RawClient) -> dict[str, str]:
        answer = client.call(api.API_KEY, 4, api.ApiVersionsRequest("raw", "1.0"))
        offered = {key.api_key: f"{key.min_version}-{key.max_version}" for key in answer.api_keys}
        return {NAMES[key]: offered.get(key, "none") for key in APIS_OF[BROKER]}

    assert len(compare(script)) > 20


@pytest.mark.parametrize("version", versions(api))
def test_answer_without_its_lists(compare: Compare, version: int) -> None:
    def script(client: RawClient) -> Any:
        answer = client.call(api.API_KEY, version, api.ApiVersionsRequest("raw", "1.0"))
        assert len(answer.api_keys) > 20
        found = {**facts(answer, ["finalized_features_epoch"]), "api_keys": [], "supported_features": [],
                 "finalized_features": []}  # fmt: skip
        return client.noted(api.API_KEY, version, found)

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
