"""Fetch sessions (KIP-227) on both brokers: made, continued, changed, refused, ended."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, facts, versions
from kafkacompat.protocol.messages import fetch as api
from kafkacompat.protocol.messages.delete_records import (
    API_KEY as DELETE_RECORDS,
)
from kafkacompat.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)

pytestmark = pytest.mark.api("Fetch")

BY_ID_SINCE = 13
OWN = ["topic_id", "session_id", "host", "port"]
NO_SESSION, FINAL, INITIAL = 0, -1, 0


class Session:
    """Fetches of one topic; remembers the id that the broker gave."""

    def __init__(self, client: RawClient, topic: str, topic_id: bytes, version: int) -> None:
        self._client = client
        self._topic = "" if version >= BY_ID_SINCE else topic
        self._topic_id = topic_id
        self._version = version
        self.id = NO_SESSION

    def ask(self, epoch: int, *spots: tuple[int, int], forget: tuple[int, ...] = (), **more: Any) -> Any:
        """Ask for (partition, offset) pairs; what the session is, is told as whether there is one and the same."""
        asked = [api.FetchPartition(index, -1, offset, partition_max_bytes=1 << 20) for index, offset in spots]
        request = api.FetchRequest(
            max_wait_ms=more.get("max_wait_ms", 0), min_bytes=more.get("min_bytes", 0), max_bytes=1 << 20,
            session_id=more.get("session_id", self.id), session_epoch=epoch,
            topics=[api.FetchTopic(self._topic, self._topic_id, asked)] if asked else (),
            forgotten_topics_data=[api.ForgottenTopic(self._topic, self._topic_id, list(forget))] if forget else (),
        )  # fmt: skip
        response = self._client.call(api.API_KEY, self._version, request)
        before, self.id = self.id, response.session_id or self.id
        told = "none" if not response.session_id else "same" if response.session_id == before else "new"
        return {"session": told, **self._client.noted(api.API_KEY, self._version, facts(response, OWN))}


@pytest.mark.parametrize("version", versions(api, 7))
def test_sessions(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topic_id = topics.create(client, topic, 3)
        topics.produce(client, topic, 5)
        session = Session(client, topic, topic_id, version)
        answers = {"made": session.ask(INITIAL, (0, 0), (1, 0))}
        answers["nothing new"] = session.ask(1, (0, 5))
        topics.produce(client, topic, 2, 1)
        answers["data for one"] = session.ask(2)
        answers["moved on, the other has nothing"] = session.ask(3, (1, 2))
        answers["one more partition"] = session.ask(4, (2, 0))
        answers["one forgotten"] = session.ask(5, forget=(1,))
        topics.produce(client, topic, 1, 1)
        answers["the forgotten one is silent"] = session.ask(6)
        answers["an unknown partition"] = session.ask(7, (9, 0))
        answers["it stays unknown"] = session.ask(8)
        answers["out of range"] = session.ask(9, (0, 99), forget=(9,))
        answers["in range again"] = session.ask(10, (0, 5))
        answers["an epoch too early"] = session.ask(5)
        answers["an epoch too late"] = session.ask(50)
        answers["the right one still works"] = session.ask(11)
        answers["an id that nobody has"] = session.ask(1, session_id=session.id ^ 0x2AAA)
        answers["all forgotten"] = session.ask(12, forget=(0, 2))
        answers["then it is gone"] = session.ask(13)
        return answers

    compare(script)


@pytest.mark.parametrize("version", [7, 12, 13, 17])
def test_sessions_end(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topic_id = topics.create(client, topic, 2)
        topics.produce(client, topic, 3)
        session = Session(client, topic, topic_id, version)
        answers = {"without a session": session.ask(FINAL, (0, 0))}
        answers["made"] = session.ask(INITIAL, (0, 0), (1, 0))
        answers["made anew in its place"] = session.ask(INITIAL, (0, 1))
        answers["closed, with a last fetch"] = session.ask(FINAL, (0, 2))
        answers["closed is gone"] = session.ask(1)
        answers["made of nothing"] = session.ask(INITIAL, session_id=NO_SESSION)
        answers["an id with a first epoch"] = session.ask(INITIAL, (0, 0), session_id=12345)
        return answers

    compare(script)


@pytest.mark.parametrize("version", [7, 17])
def test_a_log_start_that_moves_is_told(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topic_id = topics.create(client, topic, 1)
        topics.produce(client, topic, 5)
        session = Session(client, topic, topic_id, version)
        answers = {"made": session.ask(INITIAL, (0, 5))}
        gone = DeleteRecordsTopic(topic, [DeleteRecordsPartition(0, 2)])
        client.call(DELETE_RECORDS, 2, DeleteRecordsRequest([gone], 5_000))
        answers["start moved"] = session.ask(1)
        answers["told once"] = session.ask(2)
        return answers

    compare(script)


def test_names_and_ids_do_not_mix(compare: Compare, topic: str) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topic_id = topics.create(client, topic, 1)
        by_name, by_id = Session(client, topic, topic_id, 12), Session(client, topic, topic_id, 13)
        answers = {"by name": by_name.ask(INITIAL, (0, 0)), "by id": by_id.ask(INITIAL, (0, 0))}
        answers["ids in a session of names"] = by_id.ask(1, (0, 0), session_id=by_name.id)
        answers["names in a session of ids"] = by_name.ask(1, (0, 0), session_id=by_id.id)
        return answers

    compare(script)
