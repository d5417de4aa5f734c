"""The state machine: all rules together."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import initialize

from compat_tests.generated import choices
from compat_tests.generated.group_rules import GroupRules
from compat_tests.generated.record_rules import RecordRules
from compat_tests.generated.shapes import Batch
from compat_tests.generated.topic_rules import TopicRules
from kafkacompat.protocol.messages import create_topics, produce


class TwoBrokers(GroupRules, RecordRules, TopicRules):
    """A sequence of steps, each taken on both brokers and compared."""

    @initialize(
        partitions=st.integers(1, 3), configs=choices.good_configs, batches=st.lists(choices.good_batches, max_size=5)
    )
    def begin(self, partitions: int, configs: dict[str, str], batches: list[Batch]) -> None:
        """Most sequences need a topic with records."""
        self.create(topic=0, partitions=partitions, configs=configs, version=create_topics.MAX_VERSION, dry=False)
        self.write(topic=0, partition=0, batches=batches, acks=-1, version=produce.MAX_VERSION)
