"""What rules of all kinds share: the names of this sequence, and the little that is known to choose arguments by."""

from __future__ import annotations

import re
import secrets
import time
from typing import Any

from hypothesis.stateful import RuleBasedStateMachine

from compat_tests.api.topics import BASE_TIMESTAMP_MS, LIST_OFFSETS_VERSION
from compat_tests.generated.pair import Brokers, Pair, Side
from kafkacompat.protocol.messages import delete_topics, list_offsets
from kafkacompat.protocol.records.compression import NAMES

NO_LIMIT = 1 << 20
NOT_AN_ID = bytes(15) + b"\x01"
_SPOT = re.compile(r"(start|end)([+-]\d+)?")
_TIMESTAMPS = {"start": -2, "end": -1}


class Base(RuleBasedStateMachine):
    """One sequence on both brokers, on topics and groups that no other sequence uses."""

    def __init__(self, brokers: Brokers) -> None:
        super().__init__()
        self.pair = Pair(brokers)
        self.prefix = f"gen-{secrets.token_hex(5)}"
        self.partitions: dict[int, int] = {}
        """The topics that are there, with their numbers of partitions."""
        self.tally = brokers.tally
        self.tally.sequences += 1
        self.tally.steps -= 1

    def check_invariants(self, *arguments: Any) -> None:
        """Hypothesis calls this before the first step and after each: they are counted here, which prints nothing."""
        self.tally.steps += 1
        super().check_invariants(*arguments)

    def topic(self, number: int) -> str:
        return f"{self.prefix}-{number}"

    def group(self, number: int) -> str:
        return f"{self.prefix}-g{number}"

    def topic_id(self, side: Side, number: int) -> bytes:
        """The id of the topic, or of the last one that was there by this name."""
        return side.topic_ids.get(number, NOT_AN_ID)

    def named(self, side: Side, number: int, *, by_id: bool) -> tuple[str, bytes]:
        """Name and id of a topic as a request wants them."""
        return ("", self.topic_id(side, number)) if by_id else (self.topic(number), self.topic_id(side, number))

    def offset(self, topic: int, partition: int, spot: int | str) -> int:
        """An offset that is a number, or told as "start", "end-2" or "end+1"."""
        if isinstance(spot, int):
            return spot
        matched = _SPOT.fullmatch(spot)
        assert matched is not None, spot
        part = list_offsets.ListOffsetsPartition(partition, -1, _TIMESTAMPS[matched[1]])
        request = list_offsets.ListOffsetsRequest(-1, 0, [list_offsets.ListOffsetsTopic(self.topic(topic), [part])])
        answer = self.pair.ask("where", list_offsets, LIST_OFFSETS_VERSION, lambda _: request)
        return int(answer["topics"][0]["partitions"][0]["offset"]) + int(matched[2] or 0)

    def note_compression(self, chosen: str | None) -> None:
        """From now on a topic may have records that its broker compresses."""
        if chosen in NAMES[1:]:
            for side in self.pair.sides:
                side.opened = True

    def size(self, wanted: int) -> int:
        """A limit in bytes, none where the brokers' bytes are their own."""
        return NO_LIMIT if self.pair.ours.opened else wanted

    def forget(self, topic: int) -> None:
        """A topic is gone."""

    def timestamp(self, when: int) -> int:
        """A time in a question: below 0 as it is, else in ms after the base."""
        return when if when < 0 else BASE_TIMESTAMP_MS + when

    def next_millisecond(self) -> None:
        """Where brokers stamp records with their own time, the order of these times must not be chance."""
        time.sleep(0.002)

    def teardown(self) -> None:
        """Leave nothing on the brokers that costs memory, and compare nothing."""
        names = [self.topic(number) for number in self.partitions]
        request: Any = delete_topics.DeleteTopicsRequest([delete_topics.DeleteTopicState(n) for n in names], (), 10_000)
        try:
            for side in self.pair.sides:
                self.leave_all(side)
                if names:
                    side.client.call(delete_topics.API_KEY, 6, request)
        finally:
            self.pair.close()

    def leave_all(self, side: Side) -> None:
        """End what a broker keeps for the sequence besides topics."""
