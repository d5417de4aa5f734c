"""Raft messages survive the translation to Kafka's messages and back, and frames of a real quorum are read and made."""

from __future__ import annotations

import json
from copy import copy
from pathlib import Path
from typing import Any

import pytest

from kafkacompat.protocol import api_keys, headers, messages
from kafkacompat.protocol.error_codes import (
    FENCED_LEADER_EPOCH,
    INCONSISTENT_CLUSTER_ID,
    INVALID_REQUEST,
    NONE,
    NOT_LEADER_OR_FOLLOWER,
)
from kafkacompat.protocol.messages.begin_quorum_epoch import BeginQuorumEpochRequest
from kafkacompat.protocol.messages.fetch import FetchResponse, SnapshotId
from kafkacompat.protocol.primitives import UnsupportedFieldError
from kafkacompat.replication.raft import wire
from kafkacompat.replication.raft.messages import (
    Answer,
    BeginEpoch,
    EndEpoch,
    Fetch,
    FetchAnswer,
    FetchSnapshot,
    SnapshotAnswer,
    Vote,
    VoteAnswer,
)
from kafkacompat.replication.raft.wire import TopLevelError

CLUSTER = "fzDAU5X9QHKjIfmKmCCk3w"
ONE, TWO = b"1" * 16, b"2" * 16
UNKNOWN = bytes(16)
NO_HIGH_WATERMARK = (1 << 63) - 1
LISTENERS = [("CONTROLLER", "localhost", 9093)]
ADDRESSES = {2: ("localhost", 9093)}
KEYS = (api_keys.VOTE, api_keys.BEGIN_QUORUM_EPOCH, api_keys.END_QUORUM_EPOCH, api_keys.FETCH, api_keys.FETCH_SNAPSHOT)
GOLDEN = Path(__file__).parents[2] / "golden"


def sent(key: int, message: Any, version: int) -> Any:
    """A request, through the codec."""
    parts: list[Any] = []
    messages.load(key).encode_request(message, version, parts)
    return messages.load(key).decode_request(b"".join(parts), 0, version)


def back(key: int, message: Any, version: int) -> Any:
    """An answer, through the codec."""
    parts: list[Any] = []
    messages.load(key).encode_response(message, version, parts)
    return messages.load(key).decode_response(b"".join(parts), 0, version)


def carried(message: Any, version: int) -> dict[str, Any]:
    """What of a request arrives."""
    key = wire.api_key(message)
    request = wire.request(message, version, CLUSTER, LISTENERS)
    return facts(wire.read_request(sent(key, request, version), CLUSTER))


def facts(message: object) -> dict[str, Any]:
    names = {name for kind in type(message).__mro__ for name in getattr(kind, "__slots__", ())}
    return {name: getattr(message, name) for name in names}


@pytest.mark.parametrize("version", [0, 1, 2])
def test_a_vote_says_what_its_version_can(version: int) -> None:
    vote = Vote(7, 1, ONE, 6, 55, pre_vote=version == 2, voter=(2, TWO))
    expected = facts(vote)
    if version == 0:
        expected |= {"candidate_directory_id": UNKNOWN, "voter": None}
    assert carried(vote, version) == expected


@pytest.mark.parametrize("version", [0, 1])
def test_no_version_before_2_can_ask_for_a_pre_vote(version: int) -> None:
    with pytest.raises(UnsupportedFieldError):
        carried(Vote(7, 1, ONE, 6, 55, pre_vote=True), version)


@pytest.mark.parametrize("version", [0, 1])
def test_a_leader_tells_of_its_epoch_and_of_its_end(version: int) -> None:
    begin, end = BeginEpoch(7, 1, (2, TWO)), EndEpoch(7, 1, ((3, ONE), (2, TWO)))
    assert carried(begin, version) == facts(begin) | ({} if version else {"voter": None})
    assert carried(end, version) == facts(end) | ({} if version else {"successors": ((3, UNKNOWN), (2, UNKNOWN))})


@pytest.mark.parametrize("version", range(13, 19))
def test_a_fetch_says_what_its_version_can(version: int) -> None:
    fetch = Fetch(2, TWO, 7, 55, 6, 44, max_wait_ms=123, max_bytes=4567)
    expected = facts(fetch)
    if version < 17:
        expected["directory_id"] = UNKNOWN
    if version < 18:
        expected["high_watermark"] = NO_HIGH_WATERMARK
    assert carried(fetch, version) == expected


def test_a_fetch_by_name_alone_is_not_served() -> None:
    request = wire.request(Fetch(2, TWO, 7, 55, 6, 44), 12, CLUSTER)
    with pytest.raises(TopLevelError) as caught:
        wire.read_request(sent(api_keys.FETCH, request, 12), CLUSTER)
    assert caught.value.error_code == INVALID_REQUEST


MESSAGES = [Vote(7, 1, ONE, 6, 5, pre_vote=False), BeginEpoch(7, 1), EndEpoch(7, 1, ()), Fetch(2, TWO, 7, 5, 6, 4)]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_the_wrong_cluster_or_partition_is_refused_at_the_top(message: Any) -> None:
    key = wire.api_key(message)
    version = messages.load(key).MAX_VERSION
    assert _error(key, version, wire.request(message, version, "another")) == INCONSISTENT_CLUSTER_ID
    request: Any = wire.request(message, version, CLUSTER)
    request.topics = [*request.topics, *request.topics]
    assert _error(key, version, request) == INVALID_REQUEST
    request = wire.request(message, version, CLUSTER)
    request.topics[0].partitions = [*request.topics[0].partitions] * 2
    assert _error(key, version, request) == INVALID_REQUEST
    request = wire.request(message, version, CLUSTER)
    partition = request.topics[0].partitions[0]
    setattr(partition, "partition" if key == api_keys.FETCH else "partition_index", 1)
    assert _error(key, version, request) == INVALID_REQUEST
    request = wire.request(message, version, CLUSTER)
    is_fetch = key == api_keys.FETCH
    setattr(request.topics[0], *(("topic_id", TWO) if is_fetch else ("topic_name", "other")))
    assert _error(key, version, request) == INVALID_REQUEST


def _error(key: int, version: int, request: Any) -> int:
    """With what a request is refused; the refusal arrives as one."""
    with pytest.raises(TopLevelError) as caught:
        wire.read_request(sent(key, request, version), CLUSTER)
    answer = back(key, wire.refusal(key, caught.value.error_code), version)
    with pytest.raises(TopLevelError) as arrived:
        wire.read_response(answer)
    assert arrived.value.error_code == caught.value.error_code
    return caught.value.error_code


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_who_names_no_cluster_is_heard(message: Any) -> None:
    request: Any = wire.request(message, 13, CLUSTER)
    request.cluster_id = None
    assert facts(wire.read_request(request, CLUSTER)) == facts(message)


ANSWERS = [
    (api_keys.VOTE, VoteAnswer(NONE, -1, 7, granted=True)),
    (api_keys.VOTE, VoteAnswer(FENCED_LEADER_EPOCH, 2, 8, granted=False)),
    (api_keys.BEGIN_QUORUM_EPOCH, Answer(NONE, 2, 8)),
    (api_keys.END_QUORUM_EPOCH, Answer(FENCED_LEADER_EPOCH, 2, 8)),
    (api_keys.FETCH, FetchAnswer(NONE, 2, 8, high_watermark=5, log_start_offset=1, records=b"\0" * 70)),
    (api_keys.FETCH, FetchAnswer(NONE, 2, 8, high_watermark=5, log_start_offset=0, diverging=(6, 33))),
    (api_keys.FETCH, FetchAnswer(NOT_LEADER_OR_FOLLOWER, -1, 8)),
]


@pytest.mark.parametrize(("key", "answer"), ANSWERS)
def test_answers_arrive_with_leader_and_address(key: int, answer: Answer) -> None:
    module = messages.load(key)
    for version in range(max(module.MIN_VERSION, 13 if key == api_keys.FETCH else 0), module.MAX_VERSION + 1):
        arrived = back(key, wire.response(key, answer, version, ADDRESSES), version)
        assert facts(wire.read_response(arrived)) == facts(answer)
        tells_address = version >= wire.FIRST_VERSION_WITH_ENDPOINTS[key] and answer.leader_id == 2
        assert wire.leader_address(arrived) == ((2, "localhost", 9093) if tells_address else None)


@pytest.mark.parametrize(("key", "answer"), ANSWERS)
def test_an_epoch_behind_which_there_is_none_is_no_answer(key: int, answer: Answer) -> None:
    answer, version = copy(answer), messages.load(key).MAX_VERSION
    answer.epoch = 2**31 - 1
    arrived = back(key, wire.response(key, answer, version, {}), version)
    with pytest.raises(TopLevelError):
        wire.read_response(arrived)


def test_a_leader_tells_where_it_is() -> None:
    request = wire.request(BeginEpoch(7, 1, (2, TWO)), 1, CLUSTER, LISTENERS)
    assert isinstance(request, BeginQuorumEpochRequest)
    assert wire.leader_address(sent(api_keys.BEGIN_QUORUM_EPOCH, request, 1)) == (1, "localhost", 9093)


def test_nobody_tells_where_nodes_without_an_id_are() -> None:
    request = wire.request(BeginEpoch(7, -2, (2, TWO)), 1, CLUSTER, LISTENERS)
    assert wire.leader_address(sent(api_keys.BEGIN_QUORUM_EPOCH, request, 1)) is None


def test_a_fetch_may_be_sent_to_a_snapshot() -> None:
    answer = FetchAnswer(NONE, 2, 8, high_watermark=5, snapshot_id=(166, 1))
    arrived = wire.read_response(back(api_keys.FETCH, wire.response(api_keys.FETCH, answer, 18, {}), 18))
    assert isinstance(arrived, FetchAnswer)
    assert (arrived.snapshot_id, arrived.records) == ((166, 1), None)
    half = wire.response(api_keys.FETCH, answer, 18, ADDRESSES)
    assert isinstance(half, FetchResponse)
    half.responses[0].partitions[0].snapshot_id = SnapshotId(166, -1)
    with pytest.raises(TopLevelError):
        wire.read_response(back(api_keys.FETCH, half, 18))


def test_a_piece_of_a_snapshot() -> None:
    key = api_keys.FETCH_SNAPSHOT
    asked = FetchSnapshot(4, TWO, 7, (166, 1), 40, max_bytes=100)
    request = wire.read_request(sent(key, wire.request(asked, 1, CLUSTER), 1), CLUSTER)
    assert facts(request) == facts(asked)
    answer = SnapshotAnswer(NONE, 2, 7, (166, 1), size_bytes=1011, position=40, data=b"piece")
    arrived = wire.read_response(back(key, wire.response(key, answer, 1, ADDRESSES), 1))
    assert facts(arrived) == facts(answer)


def _is_raft(frame: dict[str, Any]) -> bool:
    return frame["key"] in KEYS and frame["client"].startswith("raft-client")


FRAMES = [
    frame for frame in map(json.loads, (GOLDEN / "index.jsonl").read_text().splitlines()) if _is_raft(frame)
]  # fmt: skip


def test_there_are_frames_of_a_real_quorum() -> None:
    assert [sum(frame["key"] == key for frame in FRAMES) for key in KEYS] == [11, 3, 3, 6, 1]


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: frame["name"])
def test_frames_of_a_real_quorum_are_read_and_made_again(frame: dict[str, Any]) -> None:
    key, version = frame["key"], frame["version"]
    data = (GOLDEN / f"{frame['name']}.request").read_bytes()
    pos = headers.decode_request_header(data)[1]
    request: Any = messages.load(key).decode_request(data, pos, version)
    listeners = [(each.name, each.host, each.port) for each in getattr(request, "leader_endpoints", ())]
    parts: list[Any] = []
    message = wire.read_request(request, request.cluster_id)
    made = wire.request(message, version, request.cluster_id, listeners)
    messages.load(key).encode_request(made, version, parts)
    assert b"".join(parts) == data[pos:]

    data = (GOLDEN / f"{frame['name']}.response").read_bytes()
    pos = headers.decode_response_header(data, flexible=True)[1]
    response = messages.load(key).decode_response(data, pos, version)
    address = wire.leader_address(response)
    addresses = {} if address is None else {address[0]: address[1:]}
    parts.clear()
    answer = wire.response(key, wire.read_response(response), version, addresses)
    messages.load(key).encode_response(answer, version, parts)
    assert b"".join(parts) == data[pos:]


def test_a_snapshot_of_another_partition_is_refused_by_itself() -> None:
    asked: Any = wire.request(FetchSnapshot(4, ONE, 7, (166, 1), 0), 1, CLUSTER)
    assert wire.unknown_partition(asked) is None
    asked.topics[0].partitions[0].partition = 3
    with pytest.raises(TopLevelError):
        wire.read_request(asked, CLUSTER)
    refused: Any = wire.unknown_partition(asked)
    module = messages.load(api_keys.FETCH_SNAPSHOT)
    parts: list[bytes] = []
    module.encode_response(refused, 1, parts)
    (topic,) = module.decode_response(b"".join(parts), 0, 1).topics
    assert (topic.name, topic.partitions[0].index, topic.partitions[0].error_code) == ("__cluster_metadata", 3, 3)


def test_a_leader_that_goes_tells_where_it_listens() -> None:
    made: Any = wire.request(EndEpoch(7, 1, ((2, TWO),)), 1, CLUSTER, [("CONTROLLER", "h", 9093)])
    assert [(each.name, each.host, each.port) for each in made.leader_endpoints] == [("CONTROLLER", "h", 9093)]
