"""The matcher decides as a naive one does, which looks at every rule and every entity without a table."""

from __future__ import annotations

from fnmatch import fnmatchcase
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from kafkacompat.broker.connection import Connection
from kafkacompat.broker.faults.gate import Gate
from kafkacompat.broker.faults.matcher import Matcher
from kafkacompat.broker.faults.rule import parse_rule
from kafkacompat.broker.registry import APIS
from kafkacompat.protocol.api_keys import HEARTBEAT, LIST_OFFSETS, OFFSET_COMMIT, PRODUCE
from kafkacompat.protocol.messages.heartbeat import HeartbeatRequest
from kafkacompat.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from kafkacompat.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from kafkacompat.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from kafkacompat.replication.metadata.image import EMPTY_IMAGE

TOPICS, GROUPS, CLIENTS = ["a", "ab", "b"], ["g", "h"], ["one", "two"]
VERSIONS = {PRODUCE: (3, 9), LIST_OFFSETS: (1, 6), OFFSET_COMMIT: (2, 8), HEARTBEAT: (0, 4)}
NAMES = {PRODUCE: "produce", LIST_OFFSETS: "list_offsets", OFFSET_COMMIT: "offset_commit", HEARTBEAT: "heartbeat"}
CARRIES = {
    PRODUCE: {"topic", "partition"}, LIST_OFFSETS: {"topic", "partition"},
    OFFSET_COMMIT: {"topic", "partition", "group"}, HEARTBEAT: {"group"},
}  # fmt: skip


class Asked:
    """A request, and what a reader of it would say: its entities as (topic, partition, group)."""

    def __init__(self, rng: Random) -> None:
        self.key = rng.choice(list(NAMES))
        self.version = rng.choice(VERSIONS[self.key])
        self.client = rng.choice(CLIENTS)
        self.node = rng.choice((1, 2))
        group = rng.choice(GROUPS)
        places = {
            topic: sorted(rng.sample(range(3), rng.randint(1, 3))) for topic in rng.sample(TOPICS, rng.randint(1, 3))
        }
        self.entities: list[tuple[Any, Any, Any]] = [(t, p, None) for t, found in places.items() for p in found]
        self.request: Any
        if self.key == PRODUCE:
            topics: Any = [TopicProduceData(t, partition_data=[PartitionProduceData(p) for p in found])
                           for t, found in places.items()]  # fmt: skip
            self.request = ProduceRequest(acks=1, topic_data=topics)
        elif self.key == LIST_OFFSETS:
            topics = [ListOffsetsTopic(t, [ListOffsetsPartition(p) for p in found]) for t, found in places.items()]
            self.request = ListOffsetsRequest(topics=topics)
        elif self.key == OFFSET_COMMIT:
            topics = [OffsetCommitRequestTopic(t, partitions=[OffsetCommitRequestPartition(p) for p in found])
                      for t, found in places.items()]  # fmt: skip
            self.request = OffsetCommitRequest(group, topics=topics)
            self.entities = [(t, p, group) for t, p, _ in self.entities]
        else:
            self.request = HeartbeatRequest(group)
            self.entities = [(None, None, group)]

    def passage(self) -> Any:
        coordinators = SimpleNamespace(partition_for=lambda _row, _key: 0)
        services = SimpleNamespace(
            node_id=self.node, image=EMPTY_IMAGE, coordinators=coordinators, rng=Random(1), journal=None
        )
        context = SimpleNamespace(
            frame=b"",
            header=SimpleNamespace(api_key=self.key, api_version=self.version, client_id=self.client),
            services=services, connection=Connection(1, "127.0.0.1", "PLAINTEXT"), version=self.version,
            client_id=self.client,
        )  # fmt: skip
        return SimpleNamespace(api=APIS[self.key], request=self.request, context=context)


def random_rule(rng: Random) -> dict[str, Any]:
    when: dict[str, Any] = {}
    keys = rng.sample(list(NAMES), rng.randint(1, 3)) if rng.random() < 0.7 else list(NAMES)
    if len(keys) < len(NAMES):
        when["api"] = [NAMES[key] for key in keys]
    if rng.random() < 0.3:
        when["client_id"] = rng.choice([*CLIENTS, "t*"])
    if rng.random() < 0.2:
        when["broker"] = rng.choice((1, 2))
    if rng.random() < 0.2:
        when["version"] = rng.choice(["0-3", "4+"])
    for name, values in (("topic", [*TOPICS, "a*", ["a", "b"]]), ("partition", [0, 1, [1, 2]]), ("group", GROUPS)):
        if rng.random() < 0.3 and all(name in CARRIES[key] for key in keys if "api" in when):
            when[name] = rng.choice(values)
    if when.get("group") and not {"topic", "partition"}.isdisjoint(when) and "api" not in when:
        del when["group"]
    then: dict[str, Any] = rng.choice(
        [{"error": {"code": 44}}, {"error": {"code": 44, "level": "top"}}, {"delay": 1}, {"drop": "after"}]
    )
    rule: dict[str, Any] = {"when": when, "then": then}
    if rng.random() < 0.15:
        rule["observe"] = True
    if rng.random() < 0.2:
        rule["times"] = rng.randint(1, 3)
    if rng.random() < 0.2:
        rule["skip"] = rng.randint(1, 3)
    return rule


class Naive:
    """Rules as dicts with counts."""

    def __init__(self, rules: list[dict[str, Any]]) -> None:
        self.rules = [
            {"rule": rule, "hits": 0, "skip": rule.get("skip", 0), "left": rule.get("times", -1)} for rule in rules
        ]

    def decide(self, asked: Asked) -> tuple[int | None, dict[tuple[Any, Any, Any], int]]:
        """The rule that has the whole request, and the rules that have entities."""
        owners: dict[tuple[Any, Any, Any], int] = {}
        for number, state in enumerate(self.rules):
            rule = state["rule"]
            found = self._matched(rule["when"], asked)
            if not found or not state["left"]:
                continue
            (kind,) = rule["then"]
            is_shared = kind == "error" and rule["then"]["error"].get("level") != "top" and asked.key != HEARTBEAT
            if rule.get("observe"):
                self._take(state)
            elif is_shared:
                free = [entity for entity in found if entity not in owners]
                if free and self._take(state):
                    owners.update(dict.fromkeys(free, number))
                    if len(owners) == len(asked.entities):
                        break
            elif not owners and self._take(state):
                return number, {}
        return None, owners

    @staticmethod
    def _matched(when: dict[str, Any], asked: Asked) -> list[tuple[Any, Any, Any]]:
        low, high = {"0-3": (0, 3), "4+": (4, 99), None: (0, 99)}[when.get("version")]
        if (
            NAMES[asked.key] not in when.get("api", NAMES.values())
            or not fnmatchcase(asked.client, when.get("client_id", "*"))
            or asked.node != when.get("broker", asked.node)
            or not low <= asked.version <= high
        ):
            return []
        found = []
        for entity in asked.entities:
            for name, has in zip(("topic", "partition", "group"), entity, strict=True):
                wanted = when.get(name)
                wanted = wanted if isinstance(wanted, list) else [wanted]
                if wanted != [None] and not any(
                    has is not None and fnmatchcase(str(has), str(each)) for each in wanted
                ):
                    break
            else:
                found.append(entity)
        return found

    @staticmethod
    def _take(state: dict[str, Any]) -> bool:
        if state["skip"]:
            state["skip"] -= 1
            return False
        state["hits"] += 1
        state["left"] -= 1
        return True


@pytest.mark.parametrize("seed", range(60))
def test_it_decides_as_a_naive_matcher(seed: int) -> None:
    rng = Random(seed)
    given = [random_rule(rng) for _ in range(rng.randint(1, 8))]
    rules = [parse_rule(rule) for rule in given]
    number = {rule.id: index for index, rule in enumerate(rules)}
    matcher, naive = Matcher(rules), Naive(given)
    for _ in range(60):
        asked = Asked(rng)
        plan = matcher.plan(asked.passage())
        whole = None if plan is None or plan.whole is None else number[plan.whole.rule.id]
        owners = {} if plan is None else {
            (entity.topic, entity.partition, entity.group): number[match.rule.id]
            for match in plan.shared for entity in match.entities
        }  # fmt: skip
        assert (whole, owners) == naive.decide(asked), (given, asked.request)
    assert [rule.hits for rule in rules] == [state["hits"] for state in naive.rules]


@pytest.mark.parametrize("seed", range(60))
def test_the_gate_lets_pass_only_what_no_rule_matches(seed: int) -> None:
    rng = Random(seed)
    given = [{**random_rule(rng), "observe": True} for _ in range(rng.randint(1, 4))]
    for rule in given:
        rule.pop("skip", None)
        rule.pop("times", None)
    matcher = Matcher([parse_rule(rule) for rule in given])
    gates = {node: Gate(matcher.by_key, node) for node in (1, 2)}
    passed = 0
    for _ in range(300):
        asked, naive = Asked(rng), Naive(given)
        naive.decide(asked)
        passage = asked.passage()
        if gates[asked.node].passes(asked.request, passage.context):
            passed += 1
            assert not any(state["hits"] for state in naive.rules), (given, asked.request)
    assert passed or not all("group" in rule["when"] or "topic" in rule["when"] for rule in given)


def test_an_api_that_no_rule_can_match_has_no_entry() -> None:
    matcher = Matcher([parse_rule({"when": {"api": ["produce", "fetch"], "topic": "t"}, "then": "drop"})])
    assert sorted(matcher.by_key) == [0, 1]
    assert Matcher([]).by_key == {}
