"""The stage of the conversations in tests/scenarios/fetch_sessions.txt (see tests/transcripts.py): clients of a broker.

The broker leads topic t, with three partitions; its cache has room for two sessions. Sessions are called A, B, ... in
the order in which they are made.

    produce t-0 2                 two records are written
    fetch new t-0@0 t-1@0         a client asks for a session of two partitions, from offset 0
    fetch A 1 t-0@2               the session's next request, of epoch 1, names what has changed
    fetch A 2 forget=t-1          ... or what the client no longer wants
    fetch A final t-0@0           ... or ends the session, as do `fetch A new` and `fetch none`, which has none
    fetch A 3 wait=500ms          the fetch waits for records
    wait 2m                       time passes

`ids` is a version that names topics by id; `follower=2` is the fetch of a replica, which gets no records on this
listener.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kafkacompat.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic, ForgottenTopic
from tests.broker.handlers.test_produce_fetch import batch, produce_request
from tests.broker.harness import BrokerHarness
from tests.transcripts import ERROR_NAMES, duration_ms

if TYPE_CHECKING:
    from tests.broker.harness import Answer

BY_NAME, BY_ID = 12, 13
FINAL, NEW = -1, 0
NO_SESSION = 0
MAX_BYTES = 1 << 20


class Stage:
    """One scenario under way."""

    def __init__(self) -> None:
        self.broker = BrokerHarness(max_incremental_fetch_session_cache_slots="2")
        self.broker.create_topic("t", 3)
        self.topic_id = self.broker.broker.image.topics["t"].topic_id
        self.sessions: dict[str, int] = {}
        self.waiting: Answer | None = None

    def play(self, line: str) -> list[str]:
        verb, *words = line.split()
        options = dict(word.split("=") for word in words if "=" in word)
        lines = getattr(self, f"do_{verb}")([word for word in words if "=" not in word], options)
        return [*lines, *self._late()]

    def do_produce(self, words: list[str], _options: dict[str, str]) -> list[str]:
        index, count = int(words[0].removeprefix("t-")), int(words[1])
        self.broker.ask(produce_request((index, batch(*[b"x"] * count))), 9)
        return []

    def do_wait(self, words: list[str], _options: dict[str, str]) -> list[str]:
        self.broker.advance(duration_ms(words[0]))
        return []

    def do_fetch(self, words: list[str], options: dict[str, str]) -> list[str]:
        asked = [word for word in words if "@" in word]
        by_id = "ids" in words
        session_id, epoch = self._session_of([word for word in words if "@" not in word and word != "ids"])
        request = FetchRequest(
            replica_id=int(options.get("follower", -1)),
            max_wait_ms=duration_ms(options["wait"]) if "wait" in options else 0,
            min_bytes=1,
            max_bytes=MAX_BYTES,
            session_id=session_id,
            session_epoch=epoch,
            topics=[self._topic(asked, by_id=by_id)] if asked else [],
            forgotten_topics_data=[self._forgotten(options["forget"], by_id=by_id)] if "forget" in options else [],
        )
        answer = self.broker.begin(request, BY_ID if by_id else BY_NAME, self.broker.connect())
        if not answer.is_there:
            self.waiting = answer
            return ["waits"]
        return self._told(answer.message)

    def _late(self) -> list[str]:
        if self.waiting is None or not self.waiting.is_there:
            return []
        answer, self.waiting = self.waiting, None
        return ["the waiting fetch is answered:", *(f"  {line}" for line in self._told(answer.message))]

    def _session_of(self, words: list[str]) -> tuple[int, int]:
        if words[0] in ("new", "none"):
            return NO_SESSION, NEW if words[0] == "new" else FINAL
        epoch = {"new": NEW, "final": FINAL}.get(words[1])
        return self.sessions.get(words[0], 1), int(words[1]) if epoch is None else epoch

    def _topic(self, asked: list[str], *, by_id: bool) -> FetchTopic:
        partitions = []
        for word in asked:
            place, offset = word.split("@")
            index = int(place.removeprefix("t-"))
            partitions.append(FetchPartition(index, fetch_offset=int(offset), partition_max_bytes=MAX_BYTES))
        return FetchTopic("", self.topic_id, partitions) if by_id else FetchTopic("t", partitions=partitions)

    def _forgotten(self, text: str, *, by_id: bool) -> ForgottenTopic:
        indexes = [int(place.removeprefix("t-")) for place in text.split(",")]
        return ForgottenTopic("", self.topic_id, indexes) if by_id else ForgottenTopic("t", partitions=indexes)

    def _told(self, response: Any) -> list[str]:
        if response.error_code:
            return [ERROR_NAMES[response.error_code]]
        lines = [f"session {self._name(response.session_id)}"]
        for topic in response.responses:
            for data in topic.partitions:
                error = f", {ERROR_NAMES[data.error_code]}" if data.error_code else ""
                lines.append(f"t-{data.partition_index}: {records(data.records)}hw {data.high_watermark}{error}")
        return lines if len(lines) > 1 else [f"{lines[0]}, nothing new"]

    def _name(self, session_id: int) -> str:
        if session_id == NO_SESSION:
            return "none"
        for name, known in self.sessions.items():
            if known == session_id:
                return name
        name = chr(ord("A") + len(self.sessions))
        self.sessions[name] = session_id
        return name


def records(data: Any) -> str:
    """The offsets of one batch or of none."""
    if not data:
        return ""
    first, last_delta = int.from_bytes(data[:8], "big"), int.from_bytes(data[23:27], "big")
    return f"records {first}-{first + last_delta}, "
