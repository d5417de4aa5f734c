"""A test case of unittest with a Kafka cluster."""

from __future__ import annotations

import os
import unittest

from kafkacompat.cluster import Cluster
from kafkacompat.testing.plugin_options import read_options
from kafkacompat.testing.unique_names import topic_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, ClassVar


class KafkaTestCase(unittest.TestCase):
    """`self.kafka` is a fresh cluster for each test, started when the test first uses it, and stopped after it.

        class OrdersTest(KafkaTestCase):
            kafka_options = {"topics": {"orders": 3}}

            def test_orders_arrive(self):
                producer = Producer(self.kafka.config_for("confluent"))

    kafka_options: the arguments of Cluster. Variables like KAFKACOMPAT_BROKERS=3 count for those that are not given.
    A fault rule with must_hit=True that never matched a request fails the test.
    With asyncio: `class OrdersTest(KafkaTestCase, unittest.IsolatedAsyncioTestCase)`.
    """

    kafka_options: ClassVar[Mapping[str, Any]] = {}
    _kafka: Cluster | None = None

    @property
    def kafka(self) -> Cluster:
        """The cluster of this test. Raises KafkaCompatError if it does not start."""
        if self._kafka is None:
            cluster = Cluster(**{**read_options(None, os.environ).arguments(), **self.kafka_options})
            self._kafka = cluster.start()
            self.addCleanup(self._end_kafka)
        return self._kafka

    def kafka_topic(self) -> str:
        """Create a topic with a new name, which contains that of the test."""
        name = topic_name(self._testMethodName, str(os.getpid()))
        self.kafka.create_topics([name])
        return name

    def _end_kafka(self) -> None:
        cluster, self._kafka = self._kafka, None
        assert cluster is not None
        try:
            for fault in cluster.faults.unmet():
                fault.check()
        finally:
            cluster.stop()
