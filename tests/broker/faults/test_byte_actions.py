"""What the actions on bytes make of a response."""

from __future__ import annotations

import pytest

from kafkacompat.broker.faults.byte_actions import Corrupt, Cut, Drip, Limit
from kafkacompat.broker.faults.rule import parse_rule
from kafkacompat.broker.faults.rule_errors import FaultRuleError
from tests.broker.faults.rules import Faulty, ends, produced, production

FRAME = (12).to_bytes(4, "big") + (7).to_bytes(4, "big") + b"response"


def data(action) -> bytes:
    return b"".join(piece for _, piece in action.pieces(FRAME))


@pytest.mark.parametrize("count", [0, 1, 4, 6, 16, 100])
def test_cut_sends_the_beginning(count: int) -> None:
    assert data(Cut(after_bytes=count)) == FRAME[:count]
    assert Cut.closes


@pytest.mark.parametrize(("bit", "at", "mask"), [(0, 4, 0x80), (7, 4, 1), (33, 8, 0x40), (95, 15, 1), (96, 4, 0x80)])
def test_corrupt_flips_one_bit_after_the_size(bit: int, at: int, mask: int) -> None:
    changed = data(Corrupt(bit=bit))
    assert [index for index in range(len(FRAME)) if changed[index] != FRAME[index]] == [at]
    assert changed[at] ^ FRAME[at] == mask


def test_corrupt_announces_another_size_or_correlation_id() -> None:
    assert data(Corrupt(length=5)) == (17).to_bytes(4, "big") + FRAME[4:]
    assert data(Corrupt(length=-20)) == (-8).to_bytes(4, "big", signed=True) + FRAME[4:]
    assert data(Corrupt(length=(1 << 31) - 1))[:4] == b"\x7f\xff\xff\xff"
    assert data(Corrupt(correlation_id=-2)) == FRAME[:4] + b"\xff\xff\xff\xfe" + FRAME[8:]


def test_drip_and_limit_send_everything_in_pieces() -> None:
    drip = list(Drip(piece=5, every_ms=3).pieces(FRAME))
    assert drip == [(0, FRAME[:5]), (3, FRAME[5:10]), (3, FRAME[10:15]), (3, FRAME[15:])]
    fast = list(Limit(bytes_per_s=500).pieces(FRAME))
    assert fast == [(0, FRAME[:10]), (20, FRAME[10:])]
    slow = list(Limit(bytes_per_s=10).pieces(FRAME))
    assert slow[:2] == [(0, FRAME[:1]), (100, FRAME[1:2])]
    assert data(Limit(bytes_per_s=10)) == FRAME


@pytest.mark.parametrize(
    ("then", "members"),
    [
        ({"cut": 10}, {"after_bytes": 10}), ("cut", {"after_bytes": 0}), ({"corrupt": {"bit": 3}}, {"bit": 3}),
        ({"limit": 100}, {"bytes_per_s": 100}), ("drip", {"piece": 1, "every_ms": 10}),
        ({"drip": {"piece": 7, "every_ms": 0.5}}, {"piece": 7, "every_ms": 0.5}),
    ],
)  # fmt: skip
def test_they_are_read_and_written_as_data(then: object, members: dict[str, object]) -> None:
    rule = parse_rule({"when": {"api": "fetch"}, "then": then})
    assert rule.action.as_dict() == members


@pytest.mark.parametrize(
    "then",
    [
        {"cut": -1}, {"corrupt": {}}, "corrupt", {"corrupt": {"bit": 1, "length": 1}}, {"corrupt": {"bit": -1}},
        "limit",
        {"limit": 0}, {"drip": {"piece": 0}}, {"drip": {"every": 3}}, {"corrupt": {"correlation_id": 1 << 31}},
    ],
)  # fmt: skip
def test_what_cannot_be_is_a_mistake(then: object) -> None:
    with pytest.raises(FaultRuleError):
        parse_rule({"when": {"api": "fetch"}, "then": then})


def test_a_response_is_treated_when_the_work_is_done() -> None:
    kafka = Faulty()
    kafka.create_topic("t", 2)
    connection, treated = kafka.connect(), []
    connection.treat_bytes = lambda correlation_id, fault: treated.append((correlation_id, fault.kind))
    kafka.rule({"api": "produce"}, {"cut": 3})
    assert produced(kafka.ask(production(0), 9, connection)) == {0: 0}
    assert (treated, ends(kafka)) == ([(7, "cut")], [1, 0])
    kafka.begin(production(0, acks=0), 9, connection)
    assert (len(treated), ends(kafka)) == (1, [2, 0]), "what is not answered has no bytes"
