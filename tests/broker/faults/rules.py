"""A broker with fault rules, without a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kafkacompat.broker.faults.rule import Rule, parse_rule
from kafkacompat.broker.faults.rules import FaultRules
from kafkacompat.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from kafkacompat.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from kafkacompat.protocol.records.builder import Record, build_batch
from tests.broker.harness import BrokerHarness

if TYPE_CHECKING:
    from kafkacompat.broker.faults.rule_errors import FaultRuleError


class Faulty(BrokerHarness):
    """A broker whose rules a test sets."""

    def __init__(self, **config: str) -> None:
        super().__init__(**config)
        self.rules = self.broker.fault_rules = FaultRules(self.broker)

    def rule(self, when: Any = None, then: Any = None, **more: Any) -> Rule:
        """Add a rule."""
        given = {"when": when, "then": then, **more}
        rule = parse_rule({name: value for name, value in given.items() if value is not None})
        self.rules.add(rule, self.now)
        return rule


def mistakes(error: FaultRuleError) -> dict[str, str]:
    """What is wrong, by its place in the rule."""
    return {mistake.pointer: mistake.message for mistake in error.mistakes}


NOT_LEADER = {"error": "NOT_LEADER_OR_FOLLOWER"}


def production(*partitions: int, topic: str = "t", acks: int = -1) -> ProduceRequest:
    data = [
        PartitionProduceData(index, build_batch([Record(0, 1_700_000_000_000, b"k", b"v")]))
        for index in partitions or (0,)
    ]
    return ProduceRequest(acks=acks, timeout_ms=100, topic_data=[TopicProduceData(topic, partition_data=data)])


def produced(answer: Any) -> dict[int, int]:
    return {each.index: each.error_code for topic in answer.responses for each in topic.partition_responses}


def ends(kafka: Faulty) -> list[int]:
    found = [kafka.view.replica("t", index) for index in (0, 1)]
    return [replica.log_end_offset for replica in found if replica is not None]


def poll(
    offset: int = 0, *, session: tuple[int, int] = (0, -1), wait_ms: int = 0, partitions: Any = (0, 1)
) -> FetchRequest:
    asked = [FetchPartition(index, fetch_offset=offset, partition_max_bytes=1000) for index in partitions]
    topics = [FetchTopic("t", partitions=asked)] if asked else []
    return FetchRequest(
        max_wait_ms=wait_ms, min_bytes=1, max_bytes=1000, session_id=session[0], session_epoch=session[1], topics=topics
    )


def fetched(answer: Any) -> dict[int, tuple[int, int]]:
    return {
        each.partition_index: (each.error_code, len(each.records or b""))
        for topic in answer.responses for each in topic.partitions
    }  # fmt: skip
