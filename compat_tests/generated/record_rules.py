"""Rules that write, read, look for and delete records."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from compat_tests.api.raw import CLOSED
from compat_tests.generated import choices
from compat_tests.generated.base import Base
from compat_tests.generated.pair import Side
from compat_tests.generated.shapes import Batch, Sequence, encoded
from kafkacompat.protocol.messages import (
    api_versions,
    delete_records,
    describe_producers,
    fetch,
    list_offsets,
    offset_for_leader_epoch,
    produce,
)

PRODUCE_BY_ID_SINCE, FETCH_BY_ID_SINCE, SESSIONS_SINCE = 13, 13, 7
FINAL_EPOCH, NO_SESSION = -1, 0
spots = st.lists(
    st.tuples(choices.partition_numbers, choices.offsets), min_size=1, max_size=3, unique_by=lambda s: s[0]
)
time_spots = st.lists(
    st.tuples(choices.partition_numbers, choices.times), min_size=1, max_size=3, unique_by=lambda s: s[0]
)
Spots = list[tuple[int, int | str]]


class RecordRules(Base):
    """Records in the topics."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.sequences: dict[tuple[int, int, int], int] = {}
        self.session_epochs: dict[int, int] = {}

    def forget(self, topic: int) -> None:
        """Its producers start anew."""
        super().forget(topic)
        self.sequences = {place: known for place, known in self.sequences.items() if place[0] != topic}

    @rule(
        topic=choices.topic_numbers, partition=choices.partition_numbers,
        batches=st.lists(choices.batches, min_size=1, max_size=4), acks=st.sampled_from((-1, -1, 1, 0, 2)),
        version=choices.versions(produce),
    )  # fmt: skip
    def write(self, topic: int, partition: int, batches: list[Batch], acks: int, version: int) -> None:
        """Batches in a request each, one after the other."""
        for batch in batches:
            self._write(topic, [(partition, encoded(batch))], acks, version)

    @rule(
        topic=choices.topic_numbers,
        parts=st.lists(
            st.tuples(choices.partition_numbers, st.lists(choices.batches, max_size=2)),
            max_size=3, unique_by=lambda part: part[0],
        ),
        version=choices.versions(produce),
    )  # fmt: skip
    def write_together(self, topic: int, parts: list[tuple[int, list[Batch]]], version: int) -> None:
        """Any number of batches for any partitions, in one request."""
        self._write(topic, [(p, b"".join(map(encoded, batches))) for p, batches in parts], -1, version)

    @rule(
        topic=choices.topic_numbers, partition=choices.partition_numbers, who=st.integers(0, choices.PRODUCERS - 1),
        moves=st.lists(
            st.tuples(choices.sequence_moves, st.integers(0, 2)),
            min_size=1, max_size=4,
        ),
        batch=choices.good_batches, version=choices.versions(produce),
    )  # fmt: skip
    def write_idempotent(
        self, topic: int, partition: int, who: int, moves: list[tuple[str | int, int]], batch: Batch, version: int
    ) -> None:
        """A producer writes a batch with (sequence, epoch) after (sequence, epoch)."""
        place = topic, partition, who
        for move, epoch in moves:
            following = self.sequences.get(place, 0)
            known = {"next": following, "again": max(0, following - len(batch.records)), "gap": following + 3}
            first = known[move] if isinstance(move, str) else move
            answer = self._write(topic, [(partition, encoded(batch, Sequence(who, epoch, first)))], -1, version)
            if answer["responses"][0]["partition_responses"][0]["error_code"] == 0:
                self.sequences[place] = (first + len(batch.records)) & (2**31 - 1)

    def _write(self, topic: int, parts: list[tuple[int, bytes]], acks: int, version: int) -> Any:
        self.next_millisecond()

        def request(side: Side) -> produce.ProduceRequest:
            data = [produce.PartitionProduceData(partition, records) for partition, records in parts]
            name, topic_id = self.named(side, topic, by_id=version >= PRODUCE_BY_ID_SINCE)
            return produce.ProduceRequest(None, acks, 10_000, [produce.TopicProduceData(name, topic_id, data)])

        if acks == 0:
            return self.pair.compare("produce", lambda side: _unanswered(side, version, request(side)), (), "produce")
        return self.pair.ask("produce", produce, version, request, ["responses", "partition_responses"])

    @rule(
        topic=choices.topic_numbers, spots=spots, partition_max_bytes=choices.odd_sizes,
        max_bytes=choices.sizes, epoch=choices.epochs, isolation=choices.isolation_levels,
        version=choices.versions(fetch),
    )  # fmt: skip
    def read(
        self,
        topic: int,
        spots: Spots,
        partition_max_bytes: int,
        max_bytes: int,
        epoch: int,
        isolation: int,
        version: int,
    ) -> None:
        places = self._places(topic, spots)

        def request(side: Side) -> fetch.FetchRequest:
            parts = [
                fetch.FetchPartition(p, epoch, at, partition_max_bytes=self.size(partition_max_bytes))
                for p, at in places
            ]
            wanted = fetch.FetchTopic(*self.named(side, topic, by_id=version >= FETCH_BY_ID_SINCE), parts)
            return fetch.FetchRequest(
                max_wait_ms=0, min_bytes=0, max_bytes=self.size(max_bytes), isolation_level=isolation, topics=[wanted]
            )

        what = "fetch" if self.size(partition_max_bytes) >= 0 else "fetch of a negative size"
        self.pair.ask(what, fetch, version, lambda side: _without_session(request(side)))

    @rule(
        session=st.integers(0, choices.SESSIONS - 1), move=choices.session_moves,
        topic=choices.topic_numbers, spots=st.one_of(spots, st.just([])),
        forgotten=st.lists(choices.partition_numbers, max_size=1), partition_max_bytes=choices.sizes,
        version=choices.versions(fetch, SESSIONS_SINCE),
    )  # fmt: skip
    def read_in_session(
        self, session: int, move: str | int, topic: int, spots: Spots, forgotten: list[int], partition_max_bytes: int,
        version: int,
    ) -> None:  # fmt: skip
        """Go on in a fetch session; `move` says with which epoch."""
        places = self._places(topic, spots)
        named = {"next": self.session_epochs.get(session, 0), "first": 0, "end": FINAL_EPOCH}
        epoch = named[move] if isinstance(move, str) else move

        def answer(side: Side) -> Any:
            parts = [
                fetch.FetchPartition(p, -1, at, partition_max_bytes=self.size(partition_max_bytes)) for p, at in places
            ]
            name, topic_id = self.named(side, topic, by_id=version >= FETCH_BY_ID_SINCE)
            before = side.session_ids.get(session, NO_SESSION)
            told = side.client.ask(fetch, version, fetch.FetchRequest(
                max_wait_ms=0, min_bytes=0, max_bytes=1 << 20, session_id=before, session_epoch=epoch,
                topics=[fetch.FetchTopic(name, topic_id, parts)] if parts else [],
                forgotten_topics_data=[fetch.ForgottenTopic(name, topic_id, forgotten)] if forgotten else [],
            ))  # fmt: skip
            now = side.session_ids[session] = told["session_id"] or before
            return {**told, "session_id": "none" if not told["session_id"] else "same" if now == before else "new"}

        told = self.pair.compare("session", answer, (), f"fetch v{version}")
        if told["error_code"] == 0:
            self.session_epochs[session] = self.session_epochs.get(session, 0) + 1 if epoch not in (0, -1) else 1

    @rule(
        topic=choices.topic_numbers, spots=time_spots, epoch=choices.epochs, isolation=choices.isolation_levels,
        version=choices.versions(list_offsets),
    )  # fmt: skip
    def look_up(self, topic: int, spots: list[tuple[int, int]], epoch: int, isolation: int, version: int) -> None:
        epoch, isolation = (epoch if version >= 4 else -1), (isolation if version >= 2 else 0)
        parts = [list_offsets.ListOffsetsPartition(part, epoch, self.timestamp(when)) for part, when in spots]
        wanted = list_offsets.ListOffsetsTopic(self.topic(topic), parts)
        request = list_offsets.ListOffsetsRequest(-1, isolation, [wanted])
        self.pair.ask("offsets", list_offsets, version, lambda _: request, ["partitions"])

    @rule(topic=choices.topic_numbers, spots=spots, version=choices.versions(delete_records))
    def trim(self, topic: int, spots: Spots, version: int) -> None:
        parts = [delete_records.DeleteRecordsPartition(*place) for place in self._places(topic, spots)]
        request = delete_records.DeleteRecordsRequest(
            [delete_records.DeleteRecordsTopic(self.topic(topic), parts)], 10_000
        )
        self.pair.ask("delete records", delete_records, version, lambda _: request, ["partitions"])

    @rule(
        topic=choices.topic_numbers, partition=choices.partition_numbers, current=choices.epochs,
        epoch=st.integers(-1, 3), version=choices.versions(offset_for_leader_epoch),
    )  # fmt: skip
    def end_of_epoch(self, topic: int, partition: int, current: int, epoch: int, version: int) -> None:
        part = offset_for_leader_epoch.OffsetForLeaderPartition(partition, current, epoch)
        wanted = offset_for_leader_epoch.OffsetForLeaderTopic(self.topic(topic), [part])
        request = offset_for_leader_epoch.OffsetForLeaderEpochRequest(-1, [wanted])
        self.pair.ask("end of epoch", offset_for_leader_epoch, version, lambda _: request)

    @rule(topic=choices.topic_numbers, partition=choices.partition_numbers)
    def producers(self, topic: int, partition: int) -> None:
        wanted = describe_producers.TopicRequest(self.topic(topic), [partition])
        request = describe_producers.DescribeProducersRequest([wanted])
        self.pair.ask("producers", describe_producers, 0, lambda _: request, ["active_producers"])

    def _places(self, topic: int, spots: Spots) -> list[tuple[int, int]]:
        return [(partition, self.offset(topic, partition, spot)) for partition, spot in spots]

    def leave_all(self, side: Side) -> None:
        """End the fetch sessions."""
        super().leave_all(side)
        for session_id in side.session_ids.values():
            request = fetch.FetchRequest(max_wait_ms=0, session_id=session_id, session_epoch=FINAL_EPOCH)
            side.client.call(fetch.API_KEY, SESSIONS_SINCE, request)


def _without_session(request: fetch.FetchRequest) -> fetch.FetchRequest:
    request.session_epoch = FINAL_EPOCH
    return request


def _unanswered(side: Side, version: int, request: produce.ProduceRequest) -> Any:
    """What follows a request that has no answer: another request is answered, or the connection is gone."""
    body: list[Any] = []
    produce.encode_request(request, version, body)
    side.client.send(produce.API_KEY, version, b"".join(body))
    answer = side.client.ask(api_versions, 0, api_versions.ApiVersionsRequest())
    return CLOSED if answer == CLOSED else "goes on"
