"""TxnOffsetCommit in every version, and what readers of offsets see of open transactions, on both brokers."""

from __future__ import annotations

import time
from typing import Any

import pytest

from compat_tests.api import groups, topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import TIMEOUT_S, RawClient, unordered, versions
from compat_tests.api.transaction_cells import error_codes
from compat_tests.api.transactional import Producer
from kafkacompat.protocol.messages import delete_groups, list_groups, offset_delete, offset_fetch
from kafkacompat.protocol.messages import txn_offset_commit as api
from kafkacompat.protocol.primitives import ZERO_UUID

pytestmark = pytest.mark.api("TxnOffsetCommit")
ADDS_SINCE, MEMBERS_SINCE = 5, 3
SEVERAL_SINCE, STABLE_SINCE, TOPIC_IDS_SINCE = 8, 7, 10
"""Versions of OffsetFetch."""
UNSTABLE_OFFSET_COMMIT = 88
TV1 = 4
"""A version of EndTxn that leaves the epoch as it is."""
STRANGER = "raw-00000000-0000-0000-0000-000000000000"


class Offsets(Producer):
    """A transactional producer that sends offsets of a topic's partitions."""

    def __init__(self, client: RawClient, name: str, topic: str) -> None:
        super().__init__(client, name)
        self.topic = topic

    def request(
        self, group: str, *parts: tuple[Any, ...], topic: str | None = None, pair: tuple[int, int] | None = None,
        name: str | None = None, member: tuple[Any, ...] = (),
    ) -> api.TxnOffsetCommitRequest:  # fmt: skip
        """Partition, offset, leader epoch and metadata of each part."""
        wanted = api.TxnOffsetCommitRequestTopic(
            self.topic if topic is None else topic,
            partitions=[api.TxnOffsetCommitRequestPartition(*part) for part in parts or [(0, 5)]],
        )
        mine = self.id if name is None else name
        return api.TxnOffsetCommitRequest(mine, group, *(pair or self.pair), *member, topics=[wanted])

    def send(self, group: str, *parts: tuple[Any, ...], version: int = 4) -> Any:
        """Send offsets, below v5 after AddOffsetsToTxn."""
        if version < ADDS_SINCE:
            self.add_offsets(4, group)
        return self.client.ask(api, version, self.request(group, *parts))


def fetched(
    client: RawClient, group: str, topic: str | None, *, stable: bool, version: int = 8, topic_id: bytes = ZERO_UUID
) -> Any:
    """The offsets of partitions 0 to 2 of a topic, or of all."""
    if version >= SEVERAL_SINCE:
        who = ("", topic_id) if version >= TOPIC_IDS_SINCE else (topic or "", ZERO_UUID)
        asked = None if topic is None else [offset_fetch.OffsetFetchRequestTopics(*who, [0, 1, 2])]
        wanted = offset_fetch.OffsetFetchRequestGroup(group, topics=asked)
        request = offset_fetch.OffsetFetchRequest(groups=[wanted], require_stable=stable)
    else:
        old = None if topic is None else [offset_fetch.OffsetFetchRequestTopic(topic, [0, 1, 2])]
        request = offset_fetch.OffsetFetchRequest(group, old, require_stable=stable)
    return unordered(client.ask(offset_fetch, version, request, ["topic_id"]), "topics", "partitions")


def settled(client: RawClient, group: str, topic: str) -> Any:
    """The offsets once no transaction is open. Markers are written a moment after EndTxn was answered."""
    deadline = time.monotonic() + TIMEOUT_S
    while UNSTABLE_OFFSET_COMMIT in error_codes(answer := fetched(client, group, topic, stable=True)):
        assert time.monotonic() < deadline, answer
        client.exchanges.pop()
        time.sleep(0.02)
    return answer


@pytest.mark.parametrize("version", versions(api))
def test_every_case(compare: Compare, topic: str, group: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 2)
        it = Offsets(client, topic, topic).start()
        ended = Offsets(client, topic + "-ended", topic).start()
        answers = {}
        if version < ADDS_SINCE:
            answers["not added"] = client.ask(api, version, it.request(group))
            it.add_offsets(4, group)
            ended.add_offsets(4, group)
        ended.end(TV1, commit=False)
        requests = {
            "first": it.request(group),
            "again": it.request(group, (0, 6)),
            "two partitions": it.request(group, (0, 6), (1, 7)),
            "twice the same": it.request(group, (0, 6), (0, 8)),
            "with epoch and metadata": it.request(group, (0, 6, 3, "note")),
            "null metadata": it.request(group, (0, 6, -1, None)),
            "longest metadata": it.request(group, (0, 6, -1, "x" * 4096)),
            "metadata too long": it.request(group, (0, 6, -1, "x" * 4097), (1, 1)),
            "negative offset": it.request(group, (0, -1)),
            "no such partition": it.request(group, (9, 6), (0, 6)),
            "no such partition, other order": it.request(group, (0, 6), (9, 6)),
            "negative partition": it.request(group, (-1, 6)),
            "no such topic": it.request(group, topic=topic + "-not"),
            "bad topic name": it.request(group, topic="not a name"),
            "nothing": api.TxnOffsetCommitRequest(it.id, group, *it.pair),
            "no partitions": api.TxnOffsetCommitRequest(
                it.id, group, *it.pair, topics=[api.TxnOffsetCommitRequestTopic(topic)]
            ),
            "no group": it.request(""),
            "no group, no such topic": it.request("", topic=topic + "-not"),
            "epoch below": it.request(group, pair=it.before()),
            "epoch above": it.request(group, pair=it.before(-1)),
            "another id": it.request(group, pair=it.other()),
            "unknown transactional id": it.request(group, name=topic + "-unknown", pair=(it.pair[0] + 999, 0)),
            "no transactional id": it.request(group, name="", pair=(it.pair[0] + 999, 0)),
        }
        return answers | client.ask_all(api, version, requests)

    compare(script)


@pytest.mark.parametrize("version", versions(api, MEMBERS_SINCE))
def test_who_may_commit(compare: Compare, topic: str, group: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 2)
        active, static, joining = group + "-active", group + "-static", group + "-joining"
        member_id, generation = groups.stable(client, active)
        static_id, static_generation = groups.stable(client, static, "one")
        joining_id, joining_generation = groups.new_member(client, joining)
        it = Offsets(client, topic, topic).start()
        for of in (group, active, static, joining, group + "-not"):
            it.add_offsets(4, of)
        requests = {
            "nobody in no group": it.request(group),
            "nobody": it.request(active),
            "nobody while it rebalances": it.request(joining),
            "member": it.request(active, member=(generation, member_id)),
            "member while it rebalances": it.request(joining, member=(joining_generation, joining_id)),
            "old generation": it.request(active, member=(generation - 1, member_id)),
            "generation to come": it.request(active, member=(generation + 1, member_id)),
            "no generation": it.request(active, member=(-1, member_id)),
            "generation of nobody": it.request(active, member=(generation, "")),
            "stranger": it.request(active, member=(generation, STRANGER)),
            "stranger without generation": it.request(active, member=(-1, STRANGER)),
            "static": it.request(static, member=(static_generation, static_id, "one")),
            "no such instance": it.request(static, member=(static_generation, static_id, "two")),
            "fenced instance": it.request(static, member=(static_generation, STRANGER, "one")),
            "instance of nobody": it.request(static, member=(-1, "", "one")),
            "generation of an unknown group": it.request(group + "-not", member=(3, STRANGER)),
            "stranger of an unknown group": it.request(group + "-not", member=(-1, STRANGER)),
            "generation of an empty group": it.request(group, member=(0, "")),
            "stranger of an empty group": it.request(group, member=(-1, STRANGER)),
            "metadata too long, stranger": it.request(active, (0, 1, -1, "x" * 5000), member=(generation, STRANGER)),
        }
        return client.ask_all(api, version, requests)

    compare(script)


@pytest.mark.parametrize("version", versions(offset_fetch, STABLE_SINCE))
@pytest.mark.parametrize("commit", [True, False])
def test_what_readers_see(compare: Compare, topic: str, group: str, commit: bool, version: int) -> None:
    """Two producers, and a plain commit between an offset and its marker."""

    def script(client: RawClient) -> dict[str, Any]:
        topic_id = topics.create(client, topic, 3)
        groups.commit(client, group, topic, {0: 1})
        first, second = (Offsets(client, f"{topic}-{n}", topic).start() for n in (1, 2))
        answers: dict[str, Any] = {}

        def look(when: str) -> None:
            for stable in (False, True):
                for what, wanted in (("topic", topic), ("all", None)):
                    answers[f"{when}: {what}, stable {stable}"] = fetched(
                        client, group, wanted, stable=stable, version=version, topic_id=topic_id
                    )

        look("before")
        first.send(group, (0, 10), (1, 11))
        second.send(group, (0, 20))
        look("open")
        groups.commit(client, group, topic, {1: 30, 2: 31})
        look("after a plain commit")
        second.end(TV1, commit=True)
        first.end(TV1, commit=commit)
        answers["after"] = settled(client, group, topic)
        look("ended")
        return answers

    compare(script)


@pytest.mark.api("OffsetDelete", "DeleteGroups")
def test_what_deletes_open_offsets(compare: Compare, topic: str, group: str) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 3)
        it = Offsets(client, topic, topic).start()
        doomed = group + "-doomed"
        groups.commit(client, group, topic, {0: 1})
        for of in (group, doomed):
            it.send(of, (0, 10), (1, 11), (2, 12))
        parts = [offset_delete.OffsetDeleteRequestPartition(index) for index in (0, 1)]
        wanted = [offset_delete.OffsetDeleteRequestTopic(topic, parts)]
        answers = {
            "delete": client.ask(offset_delete, 0, offset_delete.OffsetDeleteRequest(group, wanted)),
            "deleted": fetched(client, group, topic, stable=True),
            "group": client.ask(delete_groups, 2, delete_groups.DeleteGroupsRequest([doomed])),
            "no group": fetched(client, doomed, topic, stable=True),
        }
        it.end(TV1, commit=True)
        answers |= {"after": settled(client, group, topic), "nothing": settled(client, doomed, topic)}
        found = client.call(list_groups.API_KEY, 5, list_groups.ListGroupsRequest())
        answers["groups"] = sorted(each.group_id for each in found.groups if each.group_id.startswith(group))
        return answers

    compare(script)


def test_an_aborted_transaction_leaves_an_empty_group(compare: Compare, topic: str, group: str) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 3)
        it = Offsets(client, topic, topic).start()
        it.send(group)
        it.end(TV1, commit=False)
        answers = {"offsets": settled(client, group, topic), "all": fetched(client, group, None, stable=True)}
        found = client.call(list_groups.API_KEY, 5, list_groups.ListGroupsRequest())
        answers["groups"] = [
            (each.group_id, each.protocol_type, each.group_state, each.group_type)
            for each in found.groups
            if each.group_id == group
        ]
        return answers

    compare(script)


@pytest.mark.parametrize("version", versions(api, ADDS_SINCE))
def test_each_transaction_has_an_epoch_of_its_own(compare: Compare, topic: str, group: str, version: int) -> None:
    """TxnOffsetCommit from v5 on needs no AddOffsetsToTxn; the former epoch is fenced by the marker (KIP-890)."""

    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 3)
        it = Offsets(client, topic, topic).start()
        answers: dict[str, Any] = {"sent": client.ask(api, version, it.request(group, (0, 1)))}
        former = it.pair
        it.end(5, commit=True)
        answers["first"] = settled(client, group, topic)
        answers["late"] = client.ask(api, version, it.request(group, (0, 9), pair=former))
        it.settle()
        answers["next"] = client.ask(api, version, it.request(group, (1, 2)))
        it.end(5, commit=False)
        answers["second"] = settled(client, group, topic)
        return answers

    compare(script)
