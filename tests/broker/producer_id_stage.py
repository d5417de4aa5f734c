"""The interpreter of tests/scenarios/producer_ids.txt (see tests/transcripts.py).

A broker with clients on one side and a controller on the other, which answers when it is told to:

    init a            client a asks for a producer id (InitProducerId without a transactional id)
    block 0 1000      the controller allocates the ids from 0 to 999
    error NAME        the controller refuses
    lost              the request or its response is lost
    wait 50ms         time passes
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kafkacompat.protocol import error_codes
from kafkacompat.protocol.api_keys import ALLOCATE_PRODUCER_IDS
from kafkacompat.protocol.messages.allocate_producer_ids import AllocateProducerIdsResponse
from kafkacompat.protocol.messages.init_producer_id import InitProducerIdRequest
from tests.broker.harness import BrokerHarness
from tests.transcripts import duration_ms

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from tests.broker.harness import Answer


class Stage:
    """One scenario under way."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._harness = BrokerHarness()
        self._lines: list[str] = []
        self._waiting: dict[str, Answer] = {}
        self._allocate: Callable[..., None] | None = None
        self._others = self._harness.broker.channel.request
        monkeypatch.setattr(self._harness.broker.channel, "request", self._request)

    def play(self, line: str) -> list[str]:
        verb, *words = line.split()
        getattr(self, f"do_{verb}")(*words)
        for client in [client for client, answer in self._waiting.items() if answer.is_there]:
            response = self._waiting.pop(client).message
            self._lines.append(f"{client} has id {response.producer_id}, epoch {response.producer_epoch}")
        lines, self._lines = self._lines, []
        return lines

    def do_init(self, client: str) -> None:
        request = InitProducerIdRequest(transactional_id=None, producer_id=-1, producer_epoch=-1)
        self._waiting[client] = self._harness.begin(request, 4, self._harness.connect())

    def do_block(self, first: str, size: str) -> None:
        self._answer(AllocateProducerIdsResponse(producer_id_start=int(first), producer_id_len=int(size)))

    def do_error(self, name: str) -> None:
        self._answer(AllocateProducerIdsResponse(error_code=getattr(error_codes, name)))

    def do_lost(self) -> None:
        self._answer(None)

    def do_wait(self, duration: str) -> None:
        self._harness.advance(duration_ms(duration))

    def _answer(self, response: AllocateProducerIdsResponse | None) -> None:
        done, self._allocate = self._allocate, None
        assert done is not None
        done(response, self._harness.now)

    def _request(self, channel: str, api_key: int, version: int, request: Any, done: Any, **how: Any) -> None:
        if api_key != ALLOCATE_PRODUCER_IDS:
            self._others(channel, api_key, version, request, done, **how)
            return
        assert self._allocate is None, "a second request is on its way"
        self._allocate = done
        self._lines.append("asks the controller for a block")
