"""All epochs of a producer id, one InitProducerId after the other, until there is another producer id."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.conftest import Compare
from compat_tests.api.last_epochs.conftest import LONG_MS
from compat_tests.api.raw import RawClient
from compat_tests.api.transactional import Producer
from kafkacompat.protocol.messages import init_producer_id

VERSION, PROTOCOL = 4, 5
"""Of InitProducerId and of EndTxn."""
EPOCHS = 32_767
"""Those that a client is given: 0 to 32766."""
MORE = 3


@pytest.mark.full
@pytest.mark.api("InitProducerId", "EndTxn")
def test_every_epoch_that_a_client_is_given(compare: Compare, topic: str) -> None:
    """The last instance of each producer id ends a transaction, too."""

    def script(client: RawClient) -> Any:
        topics.create(client, topic)
        it = Producer(client, topic)
        it.find()
        request = init_producer_id.InitProducerIdRequest(topic, LONG_MS)
        given = []
        for _ in range(EPOCHS):
            answer = client.call(init_producer_id.API_KEY, VERSION, request)
            given.append((answer.error_code, answer.producer_id, answer.producer_epoch))
        told: dict[str, Any] = {"epochs": [_counted(given)]}
        it.pair = given[-1][1:]
        told["added"] = it.add(PROTOCOL, (topic, 0))
        told["ended"] = it.end(PROTOCOL, commit=True)
        told["row"] = it.row()
        given = [
            (answer["error_code"], it.pair[0], answer["producer_epoch"])
            for answer in (it.init(VERSION, ms=LONG_MS) for _ in range(MORE))
        ]
        told["epochs"].append(_counted(given))
        return told

    first, _ = compare(script)["epochs"]
    assert first == [(0, list(range(EPOCHS)))]


def _counted(given: list[tuple[int, int, int]]) -> list[tuple[int, list[int]]]:
    """The error code and the epochs of each producer id in turn; the ids are each broker's own."""
    return [(code, [epoch for _, _, epoch in each]) for (code, _), each in groupby(given, key=lambda one: one[:2])]
