"""Sends captured requests to another broker and compares its answers.

The file is walked in its order: a request is sent when every answer that the capture has before it has come, so that
what depended on an answer does so again. Values that brokers invent are replaced (`invented.py`).
"""

from __future__ import annotations

import time

from kafkacompat.broker.registry import APIS
from kafkacompat.broker.request_facts import names_in
from kafkacompat.protocol import api_keys, error_codes
from kafkacompat.protocol.headers import decode_request_header
from kafkacompat.protocol.records.batch import RecordBatchError, read_header
from kafkacompat.traffic.capture_file import CLOSE, OPEN, REDACTED, REQUEST, RESPONSE, CaptureFile
from kafkacompat.traffic.comparison import Comparison
from kafkacompat.traffic.decoding import decode, decode_response
from kafkacompat.traffic.fetched import FieldDifference, Words
from kafkacompat.traffic.invented import rewrite
from kafkacompat.traffic.redaction import WITH_RECORDS
from kafkacompat.traffic.replay_connections import ReplayConnections
from kafkacompat.traffic.replay_report import Difference, ReplayReport
from kafkacompat.traffic.tap import CLOSED_BY_CLIENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Collection
    from typing import Any

    from kafkacompat.protocol.primitives import Message
    from kafkacompat.traffic.capture_file import Entry
    from kafkacompat.traffic.decoding import Decoded
    from kafkacompat.traffic.replay_connections import ReplayConnection

DIFFERENCES_MAX = 100
"""So many differences are kept; the others are only counted."""
SETTLE_S = 0.01
"""Without a pace: the pause between a request that is not answered and the next one of another connection, so that the
broker gets them in this order; no longer than it was in the capture.
"""
ANSWER_TIMEOUT_S = 30.0
MISSING_MAX = 3
"""After so many missing answers in a row the broker is not asked further: a capture of 1,000 connections would wait for
hours.
"""
SASL = frozenset((api_keys.SASL_HANDSHAKE, api_keys.SASL_AUTHENTICATE))
ACKS_NONE = 0
THERE = Words("there")


class _Sent:
    """A request that was sent, with what its answer is compared by."""

    __slots__ = ("appended", "client_id", "ends", "entry", "message", "names", "number")

    def __init__(self, number: int, entry: Entry) -> None:
        self.number = number
        self.entry = entry
        self.message: Message | None = None
        self.client_id = ""
        self.names: list[str] = []
        self.ends: dict[Any, int] = {}
        self.appended: dict[Any, int] = {}  # records by partition


class _Peer:
    """A captured connection: its socket, and requests without answers, by correlation id."""

    __slots__ = ("answers", "connection", "sent")

    def __init__(self, connection: ReplayConnection) -> None:
        self.connection = connection
        self.sent: dict[int, list[_Sent]] = {}
        self.answers: dict[int, list[bytes]] = {}


class Replay:
    """One replay of a file to (host, port).

    speed: 1 is the pace of the capture, 2 twice as fast, None as fast as answers come. ignore: APIs whose answers are
    not compared, or paths of fields in them as `Metadata.controller_id`. timeout_s: how long an answer may take beyond
    the time that it took in the capture.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        address: tuple[str, int],
        *,
        speed: float | None = None,
        ignore: Collection[str] = (),
        timeout_s: float = ANSWER_TIMEOUT_S,
    ) -> None:
        self._path = path
        self._connections = ReplayConnections(address)
        self._speed = speed
        self._ignore = frozenset(ignore)
        self._timeout_s = timeout_s
        self._comparison = Comparison()
        self._peers: dict[int, _Peer] = {}
        self._acknowledged: dict[Any, int] = {}
        self._differences: list[Difference] = []
        self._counts = dict.fromkeys(("requests", "sent", "compared", "skipped", "differences"), 0)
        self._missing_in_a_row = 0
        self._began_s = 0.0
        self._last: tuple[int, int] | None = None  # connection and time of the last request, while it is unanswered

    def run(self) -> ReplayReport:
        """Replay the file. Raises CaptureFileError for one that is damaged, KafkaCompatError if nobody answers."""
        self._began_s = time.monotonic()
        with CaptureFile(self._path) as capture:
            try:
                for entry in capture:
                    self._carry_out(entry)
            finally:
                self._connections.close_all()
            counts = self._counts
            return ReplayReport(
                counts["sent"], counts["compared"], counts["skipped"], self._differences, counts["differences"],
                capture.cut_at, time.monotonic() - self._began_s,
            )  # fmt: skip

    def _carry_out(self, entry: Entry) -> None:
        if self._missing_in_a_row >= MISSING_MAX:
            self._counts["skipped"] += entry.kind == REQUEST
            return
        if entry.kind == RESPONSE:
            self._answered(entry)
            return
        if self._speed is not None and entry.kind in (OPEN, REQUEST, CLOSE):
            due_s = self._began_s + entry.at_us / 1e6 / self._speed
            self._connections.pause(due_s - time.monotonic())
        if entry.kind == REQUEST:
            self._send(entry)
        elif entry.kind == CLOSE:
            self._close(entry)

    def _peer(self, number: int) -> _Peer:
        if number not in self._peers:
            self._peers[number] = _Peer(self._connections.open())
        return self._peers[number]

    # Requests

    def _send(self, entry: Entry) -> None:
        self._counts["requests"] += 1
        sent = _Sent(self._counts["requests"], entry)
        peer = self._peer(entry.connection)
        is_secret = entry.flags & REDACTED and entry.api_key not in WITH_RECORDS
        if is_secret or entry.api_key in SASL or peer.connection.closed:
            self._counts["skipped"] += 1
            return
        if self._speed is None and self._last is not None and self._last[0] != entry.connection:
            self._connections.pause(min(SETTLE_S, (entry.at_us - self._last[1]) / 1e6))
        frame = self._frame(entry, sent)
        self._counts["sent"] += 1
        self._last = entry.connection, entry.at_us
        peer.sent.setdefault(entry.correlation_id, []).append(sent)
        self._connections.send(peer.connection, frame)

    def _frame(self, entry: Entry, sent: _Sent) -> bytes:
        """The request for this broker; as it was captured if it cannot be decoded."""
        sent.ends = dict(self._acknowledged) if entry.api_key == api_keys.FETCH else {}
        try:
            header, position = decode_request_header(entry.payload)
            sent.client_id = header.client_id or ""
            decoded = decode(entry)
        except ValueError:
            return entry.payload
        sent.message = decoded.message
        api = APIS.get(entry.api_key)
        if api is not None:
            topics = self._comparison.topics
            sent.names = names_in(entry.payload, position, api, entry.api_version, topics.names.get)
        if entry.api_key == api_keys.PRODUCE:
            self._note_appends(decoded, sent)
        return self._rewritten(entry)

    def _rewritten(self, entry: Entry) -> bytes:
        copy = decode(entry)  # another one than that which the answer is compared by: it keeps the captured values
        if not rewrite(copy.message, entry.api_key, self._comparison.bindings, self._comparison.topics):
            return entry.payload
        try:
            return copy.encode(is_request=True)
        except ValueError:
            return entry.payload

    def _note_appends(self, decoded: Decoded, sent: _Sent) -> None:
        """How many records go to which partition."""
        request: Any = decoded.message
        if request.acks == ACKS_NONE:
            return
        for topic in request.topic_data:
            label = topic.name or self._comparison.topics.label(topic.topic_id)
            for partition in topic.partition_data:
                sent.appended[label, partition.index] = _record_count(bytes(partition.records or b""))

    # Answers

    def _answered(self, entry: Entry) -> None:
        peer = self._peer(entry.connection)
        waiting = peer.sent.get(entry.correlation_id)
        if not waiting:
            return  # skipped, or asked before the capture
        sent = waiting.pop(0)
        if not waiting:
            del peer.sent[entry.correlation_id]
        answer = self._await(peer, entry, (entry.at_us - sent.entry.at_us) / 1e6)
        self._counts["compared"] += 1
        is_late = answer is None and not peer.connection.closed
        self._missing_in_a_row = self._missing_in_a_row + 1 if is_late else 0
        if self._last is not None and self._last[0] == entry.connection and not peer.sent:
            self._last = None
        if answer is not None:
            self._compare(sent, entry, answer)
        elif peer.connection.closed:
            self._differ(sent, [FieldDifference("the answer", THERE, Words(f"missing: {peer.connection.closed}"))])
        else:
            self._differ(
                sent, [FieldDifference("the answer", THERE, Words(f"not there within {self._timeout_s:g} s more"))]
            )
            self._connections.close(peer.connection)  # later answers would be taken for others

    def _await(self, peer: _Peer, entry: Entry, took_s: float) -> bytes | None:
        """The answer with this correlation id; None if it does not come."""
        deadline_s = time.monotonic() + max(0.0, took_s) + self._timeout_s
        while True:
            while peer.connection.answers:
                answer = peer.connection.answers.popleft()
                if len(answer) >= 4:
                    correlation_id = int.from_bytes(answer[:4], "big", signed=True)
                    peer.answers.setdefault(correlation_id, []).append(answer)
            found = peer.answers.get(entry.correlation_id)
            if found:
                first = found.pop(0)
                if not found:
                    del peer.answers[entry.correlation_id]
                return first
            left_s = deadline_s - time.monotonic()
            if peer.connection.closed or left_s <= 0:
                return None
            self._connections.wait(left_s)

    def _compare(self, sent: _Sent, entry: Entry, answer: bytes) -> None:
        key = entry.api_key
        try:
            captured = decode(entry)
        except ValueError:
            if entry.payload != answer:
                self._differ(sent, [FieldDifference("the answer", entry.payload, answer)])
            return
        try:
            replayed = decode_response(answer, key, captured.version)
        except ValueError as error:
            self._differ(sent, [FieldDifference("the answer", Words("well-formed"), Words(error))])
            return
        found = self._comparison.differences(key, sent.message, captured.message, replayed.message, sent.ends)
        if key == api_keys.PRODUCE:
            self._note_ends(sent, captured.message)
        if entry.flags & REDACTED and key not in WITH_RECORDS:
            return  # learnt from, but not whole
        self._differ(sent, found)

    def _note_ends(self, sent: _Sent, response: Any) -> None:
        for topic in response.responses:
            label = topic.name or self._comparison.topics.label(topic.topic_id)
            for partition in topic.partition_responses:
                place = label, partition.index
                if partition.error_code == error_codes.NONE and partition.base_offset >= 0:
                    end = partition.base_offset + sent.appended.get(place, 0)
                    self._acknowledged[place] = max(end, self._acknowledged.get(place, 0))

    def _close(self, entry: Entry) -> None:
        """The end of a connection; requests that the broker refused by it have to be refused again."""
        peer = self._peers.pop(entry.connection, None)
        if peer is None:
            return
        reason = entry.fields.get("reason")
        refused = [each for waiting in peer.sent.values() for each in waiting]
        if refused and reason not in (None, CLOSED_BY_CLIENT):
            deadline_s = time.monotonic() + self._timeout_s
            while not (peer.connection.closed or peer.connection.answers) and time.monotonic() < deadline_s:
                self._connections.wait(deadline_s - time.monotonic())
            self._counts["compared"] += 1
            if not peer.connection.closed:
                self._differ(refused[0], [FieldDifference("the connection", Words(f"closed: {reason}"), Words("open"))])
        self._connections.close(peer.connection)
        if self._last is not None and self._last[0] == entry.connection:
            self._last = None

    def _differ(self, sent: _Sent, fields: list[FieldDifference]) -> None:
        entry = sent.entry
        name = api_keys.name(entry.api_key) if entry.api_key in api_keys.STEMS else "unknown"
        if name in self._ignore:
            return
        fields = [each for each in fields if not self._is_ignored(name, each.path)]
        if not fields:
            return
        self._counts["differences"] += 1
        if len(self._differences) < DIFFERENCES_MAX:
            self._differences.append(
                Difference(
                    sent.number, entry.connection, sent.client_id, name, entry.api_version, sent.names, entry.at_us,
                    fields,
                )
            )  # fmt: skip

    def _is_ignored(self, api: str, path: str) -> bool:
        """Whether `ignore` names the field or one that it is in, without what is in brackets."""
        parts = [part.partition("[")[0] for part in path.split(".")]
        return any(".".join([api, *parts[:end]]) in self._ignore for end in range(1, len(parts) + 1))


def _record_count(records: bytes) -> int:
    count = at = 0
    try:
        while at < len(records):
            header = read_header(records, at)
            count += header.last_offset_delta + 1
            at += header.size_bytes
    except RecordBatchError:
        pass
    return count
