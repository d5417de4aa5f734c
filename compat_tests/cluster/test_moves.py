"""A group's coordinator goes away: what each node says of it, from the last answer of the one to the first of the next.

Clients find their way by these error codes alone, so they are compared as sequences, without the times between them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Mapping
from functools import partial
from types import ModuleType
from typing import Any

import pytest

from compat_tests.api import groups
from compat_tests.api.raw import RawClient
from compat_tests.cluster.conftest import Compare
from compat_tests.cluster.party import Party
from kafkacompat.protocol.messages import (
    delete_groups,
    describe_groups,
    find_coordinator,
    heartbeat,
    join_group,
    leave_group,
    list_groups,
    offset_commit,
    offset_delete,
    offset_fetch,
    sync_group,
)
from kafkacompat.protocol.primitives import Message

TARGET = 3
GONE = "gone"
NOT_COORDINATOR, NOT_AVAILABLE, LOADING = 16, 15, 14
PASSING = (NOT_AVAILABLE, LOADING)
"""Said by some for a moment: whoever asks at another moment does not see it."""
MANY_COMMITS, PARTITIONS = 2_000, 100
"""So many commits, of so many partitions each, keep either broker loading until it was asked everything."""
ANSWER_TIMEOUT_S = 30.0
PAUSE_S = 0.002

Question = tuple[ModuleType, int, Message, Callable[[Any], int]]
"""API, version, request, and where its answer has the error code."""


def _top(answer: Any) -> int:
    return int(answer.error_code)


def _questions(group: str, topic: str, partitions: int, member_id: str, generation: int) -> dict[str, Question]:
    """What a member asks, and what others ask that changes nothing."""
    parts = [offset_commit.OffsetCommitRequestPartition(index, 5) for index in range(partitions)]
    commit = offset_commit.OffsetCommitRequest(
        group, generation, member_id, topics=[offset_commit.OffsetCommitRequestTopic(topic, partitions=parts)]
    )
    fetch = offset_fetch.OffsetFetchRequest(group, [offset_fetch.OffsetFetchRequestTopic(topic, [0])])
    leave = leave_group.LeaveGroupRequest(group, members=[leave_group.MemberIdentity("nobody")])
    return {
        "commit": (offset_commit, 7, commit, lambda answer: int(answer.topics[0].partitions[0].error_code)),
        "fetch": (offset_fetch, 7, fetch, _top),
        "beat": (heartbeat, 4, heartbeat.HeartbeatRequest(group, generation, member_id), _top),
        "join": (join_group, 7, groups.join_request(group, "nobody"), _top),
        "sync": (sync_group, 5, groups.sync_request(group, "nobody", generation), _top),
        "leave": (leave_group, 4, leave, _top),
        "describe": (
            describe_groups, 5, describe_groups.DescribeGroupsRequest([group]), lambda answer: _top(answer.groups[0]),
        ),
        "list": (list_groups, 4, list_groups.ListGroupsRequest(), _top),
        "delete offsets": (offset_delete, 0, offset_delete.OffsetDeleteRequest(group), _top),
        "delete": (
            delete_groups, 2, delete_groups.DeleteGroupsRequest([group]), lambda answer: _top(answer.results[0]),
        ),
    }  # fmt: skip


class Witness(threading.Thread):
    """Asks one node everything, over and over; keeps each answer that differs from the one before it."""

    def __init__(self, address: str, questions: Mapping[str, Question], group: str) -> None:
        super().__init__(daemon=True)
        self.seen: dict[str, list[Any]] = {"find": [], **{name: [] for name in questions}}
        self.rounds = 0
        """How often everything was asked."""
        self._address = address
        self._questions = questions
        self._group = group
        self._client: RawClient | None = None
        self._over = threading.Event()

    def run(self) -> None:
        while not self._over.is_set():
            self._note("find", self._find)
            for name, question in self._questions.items():
                self._note(name, partial(_ask, question))
            self.rounds += 1
            time.sleep(PAUSE_S)
        self._drop()

    def finish(self) -> None:
        self._over.set()
        self.join()

    def _find(self, client: RawClient) -> Any:
        answer = client.call(find_coordinator.API_KEY, 2, find_coordinator.FindCoordinatorRequest(self._group))
        return answer.error_code or f"node {answer.node_id}"

    def _note(self, name: str, ask: Callable[[RawClient], Any]) -> None:
        try:
            self._client = self._client or RawClient(self._address, ANSWER_TIMEOUT_S)
            answer = ask(self._client)
        except OSError:
            self._drop()
            answer = GONE
        if self.seen[name][-1:] != [answer]:
            self.seen[name].append(answer)

    def _drop(self) -> None:
        if self._client is not None:
            self._client.__exit__()
            self._client = None


def _ask(question: Question, client: RawClient) -> int:
    api, version, request, code = question
    return code(client.call(api.API_KEY, version, request))


def _without(passing: Collection[Any], seen: list[Any]) -> list[Any]:
    """What everybody sees, whenever he asks."""
    lasting = [answer for answer in seen if answer not in passing]
    return [answer for n, answer in enumerate(lasting) if not n or answer != lasting[n - 1]]


def _witnessed(party: Party, stops: str, commits: int) -> tuple[int, dict[int, Witness]]:
    """Take the coordinator of a group away while all nodes are asked; who takes it over, and what each has said."""
    partitions = PARTITIONS if commits else 1
    name = party.create([[1, 2, 3]] * partitions)
    group = party.group_of(TARGET)
    questions = _questions(group, name, partitions, *groups.stable(party.on(TARGET), group))
    for _ in range(commits):
        assert _ask(questions["commit"], party.on(TARGET)) == 0
    witnesses = {node: Witness(party.nodes.address_of(node), questions, group) for node in party.nodes.brokers}
    try:
        for witness in witnesses.values():
            witness.start()
        party.wait(lambda: all(each.seen["delete"] for each in witnesses.values()), "nobody is asked")
        getattr(party, stops)(TARGET)
        party.wait(lambda: party.coordinator(group) != TARGET, "nobody takes the group over")
        heir = party.coordinator(group)
        party.wait(lambda: witnesses[heir].seen["commit"][-1] == 0, "nothing can be committed")
        party.wait(lambda: witnesses[TARGET].seen["find"][-1] == GONE, "it is still there")
        enough = {node: witness.rounds + 2 for node, witness in witnesses.items()}  # one may be half over
        party.wait(
            lambda: all(witnesses[node].rounds >= rounds for node, rounds in enough.items()), "not all was asked again"
        )
    finally:
        for witness in witnesses.values():
            witness.finish()
        party.restore()
    return heir, witnesses


@pytest.mark.api(
    "FindCoordinator", "OffsetCommit", "OffsetFetch", "Heartbeat", "JoinGroup", "SyncGroup", "LeaveGroup",
    "DescribeGroups", "ListGroups", "OffsetDelete", "DeleteGroups",
)  # fmt: skip
@pytest.mark.parametrize(
    ("stops", "commits"),
    [
        ("stop", 0),
        pytest.param("kill", 0, marks=pytest.mark.full),
        pytest.param("stop", MANY_COMMITS, marks=pytest.mark.full),
    ],
    ids=["stop", "kill", "stop with many commits"],
)
def test_what_is_said_of_a_coordinator_that_moves(compare: Compare, stops: str, commits: int) -> None:
    """With many commits the next one is seen loading them, and what it answers meanwhile is compared, too."""

    def script(party: Party) -> Any:
        heir, witnesses = _witnessed(party, stops, commits)
        roles = {TARGET: "it", heir: "its heir", 3 - heir: "the third"}
        names = {f"node {node}": role for node, role in roles.items()}
        found = {}
        for node, witness in witnesses.items():
            passing: Collection[Any] = PASSING
            if node == TARGET:  # between the end of its part and its own it may be too quick for us
                passing = (*PASSING, NOT_COORDINATOR, f"node {heir}")
            elif commits and node == heir:
                passing = ()
            for question, seen in witness.seen.items():
                answers = _without(passing, seen)
                found[f"{roles[node]}: {question}"] = [names.get(str(answer), answer) for answer in answers]
        return found

    compare(script)
