"""FindCoordinator in every version, on both brokers."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, versions
from compat_tests.api.transactional import Producer
from kafkacompat.protocol.messages import find_coordinator as api

pytestmark = pytest.mark.api("FindCoordinator")
SEVERAL_SINCE = 4
OWN = ["host", "port"]
SHARE = 2


@pytest.mark.parametrize("version", versions(api))
def test_every_case(compare: Compare, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        def request(key_type: int, *keys: str) -> api.FindCoordinatorRequest:
            if version >= SEVERAL_SINCE:
                return api.FindCoordinatorRequest(key_type=key_type, coordinator_keys=keys)
            return api.FindCoordinatorRequest(keys[0] if keys else "", key_type)

        requests = {
            "group": request(0, "any"),
            "no name": request(0, ""),
            "two": request(0, "one", "other"),
            "twice": request(0, "one", "one"),
            "none": request(0),
            "transaction": request(1, "any"),
            "transaction without a name": request(1, ""),
            "share group": request(SHARE, "group:AAAAAAAAAAAAAAAAAAAAAQ:0"),
            "share group, bad key": request(SHARE, "group"),
            "unknown type": request(7, "any"),
            "negative type": request(-1, "any"),
            "unknown type, none": request(7),
            "unknown type, two": request(7, "one", "other"),
            "long name": request(0, "x" * 10_000),
            "a name and none": request(0, "one", ""),
        }
        if version == 0:  # knows groups alone
            requests = {name: request for name, request in requests.items() if request.key_type == 0}
        else:  # Kafka makes the topic of transactions meanwhile, and answers COORDINATOR_NOT_AVAILABLE
            Producer(client, "any").find()
        return client.ask_all(api, version, requests, OWN)

    compare(script)
