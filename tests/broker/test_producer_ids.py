"""Whoever waits for a producer id gets one, whatever the controller says first and however many wait."""

from pathlib import Path

import pytest

from kafkacompat.broker.producer_ids import RETRY_MS
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.api_keys import ALLOCATE_PRODUCER_IDS
from kafkacompat.protocol.messages.allocate_producer_ids import AllocateProducerIdsResponse
from kafkacompat.protocol.messages.init_producer_id import InitProducerIdRequest
from tests import transcripts
from tests.broker.harness import BrokerHarness
from tests.broker.producer_id_stage import Stage

REQUEST = InitProducerIdRequest(transactional_id=None, producer_id=-1, producer_epoch=-1)
BLOCK = 1_000


@pytest.fixture
def harness() -> BrokerHarness:
    return BrokerHarness()


class SlowController:
    """Answers when a test says so."""

    def __init__(self, harness: BrokerHarness, monkeypatch: pytest.MonkeyPatch) -> None:
        self._harness = harness
        self.asked = []
        self.count = 0
        self._others = harness.broker.channel.request
        monkeypatch.setattr(harness.broker.channel, "request", self._request)

    def _request(self, channel, api_key, version, request, done, *, timeout_ms, now):
        if api_key != ALLOCATE_PRODUCER_IDS:
            return self._others(channel, api_key, version, request, done, timeout_ms=timeout_ms, now=now)
        self.asked.append(done)
        self.count += 1
        return None

    def answer(self, response: AllocateProducerIdsResponse | None) -> None:
        (done,) = self.asked
        self.asked.clear()
        done(response, self._harness.now)


def test_who_waits_while_the_broker_registers_again_gets_an_id(harness, monkeypatch):
    monkeypatch.setattr(harness.broker.lifecycle, "broker_epoch", 999)
    waiting = [harness.begin(REQUEST, 4) for _ in range(3)]
    harness.advance(RETRY_MS)
    assert not any(one.is_there for one in waiting)
    monkeypatch.undo()
    harness.advance(RETRY_MS)
    assert [(one.message.error_code, one.message.producer_id) for one in waiting] == [(0, 0), (0, 1), (0, 2)]


def test_more_than_a_block_is_for_get_the_next_one_at_once(harness, monkeypatch):
    controller = SlowController(harness, monkeypatch)
    waiting = [harness.begin(REQUEST, 4, harness.connect()) for _ in range(2 * BLOCK + 1)]
    for first in (0, 5 * BLOCK, 7 * BLOCK):
        controller.answer(AllocateProducerIdsResponse(producer_id_start=first, producer_id_len=BLOCK))
    ids = [one.message.producer_id for one in waiting]
    assert ids == [*range(BLOCK), *range(5 * BLOCK, 6 * BLOCK), 7 * BLOCK]
    assert not controller.asked  # nobody waits any more
    assert harness.begin(REQUEST, 4).message.producer_id == 7 * BLOCK + 1


@pytest.mark.parametrize(
    "refusal",
    [None, AllocateProducerIdsResponse(error_code=errors.STALE_BROKER_EPOCH), AllocateProducerIdsResponse()],
    ids=["no answer", "error", "nothing"],
)
def test_after_a_refusal_there_is_a_pause_and_an_end(harness, monkeypatch, refusal):
    controller = SlowController(harness, monkeypatch)
    waiting = [harness.begin(REQUEST, 4) for _ in range(2)]
    timeout_ms = harness.broker.request_timeout_ms
    for _ in range(timeout_ms // RETRY_MS):
        controller.answer(refusal)
        assert not controller.asked
        assert not any(one.is_there for one in waiting)
        harness.advance(RETRY_MS)
    for one in waiting:
        assert one.message.error_code == errors.COORDINATOR_LOAD_IN_PROGRESS
        assert (one.message.producer_id, one.message.producer_epoch) == (-1, -1)
    assert controller.count <= timeout_ms // RETRY_MS + 1
    controller.asked.clear()
    count = controller.count
    harness.advance(10 * RETRY_MS)
    assert controller.count == count


CASES = transcripts.titles([transcripts.SCENARIOS / "producer_ids.txt"])


@pytest.mark.parametrize(("path", "title"), CASES, ids=[title for _, title in CASES])
def test_conversation(path: Path, title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    transcripts.check(path, title, Stage(monkeypatch))
