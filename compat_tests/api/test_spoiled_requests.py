"""A request of each API cut off anywhere, and with counts that lie, to both brokers: who closes, and who answers."""

from __future__ import annotations

import struct

import pytest

from compat_tests.api import topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient
from compat_tests.api.samples_of_requests import SAMPLES, encoded, every_version, name_of, said_to, sample
from kafkacompat.broker.registry import APIS
from kafkacompat.protocol import messages
from kafkacompat.protocol.primitives import Message

pytestmark = pytest.mark.api("ApiVersions")
"""What shows that the broker lives on. What is spoiled is hardly ever answered."""
EVERYDAY_CUTS = 5
COUNTS = {"largest": 2**31 - 1, "a million": 1_000_000, "null": -1, "negative": -2, "least": -(2**31)}
COMPACT_COUNTS = {
    "largest": b"\xff\xff\xff\xff\x07",
    "a million": b"\xc1\x84\x3d",
    "null": b"\x00",
    "negative": b"\xff\xff\xff\xff\x0f",
    "too long": b"\x82\x80\x80\x80\x80\x00",
    "longer than need be": b"\x82\x80\x00",
    "without end": b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
}


def newest() -> list[tuple[int, int]]:
    return [(key, APIS[key].max_version) for key in SAMPLES]


@pytest.mark.parametrize("case", newest(), ids=name_of)
def test_cut_off(compare: Compare, case: tuple[int, int]) -> None:
    frame = sample(*case)
    cuts = range(0, len(frame), max(1, len(frame) // EVERYDAY_CUTS))

    def script(client: RawClient) -> dict[str, str]:
        said = {f"{cut} of {len(frame)} bytes": said_to(client, frame[:cut], *case) for cut in cuts}
        return {**said, "afterwards": topics.is_alive(client)}

    compare(script)


@pytest.mark.full
@pytest.mark.parametrize("case", every_version(), ids=name_of)
def test_cut_off_anywhere(compare: Compare, case: tuple[int, int]) -> None:
    frame = sample(*case)

    def script(client: RawClient) -> dict[str, str]:
        said = {f"{cut} of {len(frame)} bytes": said_to(client, frame[:cut], *case) for cut in range(len(frame))}
        return {**said, "afterwards": topics.is_alive(client)}

    compare(script)


def with_counts_that_lie(case: tuple[int, int]) -> dict[str, bytes]:
    """The sample with another count before its first list. Where that is, shows in which byte a list without items
    differs first: the count's last, or, in flexible versions, its only one."""
    key, version = case
    frame = sample(key, version)
    at = _first_difference(frame, encoded(key, version, _emptied(SAMPLES[key](version))))
    if at is None:
        return {}
    if version >= messages.load(key).FLEXIBLE_VERSION:
        return {name: frame[:at] + lie + frame[at + 1 :] for name, lie in COMPACT_COUNTS.items()}
    return {name: frame[: at - 3] + struct.pack(">i", lie) + frame[at + 1 :] for name, lie in COUNTS.items()}


def _emptied(request: Message) -> Message:
    """The request with its first list emptied. Samples are shared: a copy."""
    fields = {name: getattr(request, name) for cls in type(request).__mro__ for name in getattr(cls, "__slots__", ())}
    first = next((name for name, value in fields.items() if isinstance(value, list) and value), None)
    return type(request)(**fields | ({first: []} if first else {}))


def _first_difference(one: bytes, other: bytes) -> int | None:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)


@pytest.mark.parametrize("case", every_version(), ids=name_of)
def test_counts_that_lie(compare: Compare, case: tuple[int, int]) -> None:
    frames = with_counts_that_lie(case) or {"no list": sample(*case)[:-1]}

    def script(client: RawClient) -> dict[str, str]:
        said = {name: said_to(client, frame, *case) for name, frame in frames.items()}
        return {**said, "afterwards": topics.is_alive(client)}

    compare(script)
