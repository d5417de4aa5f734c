"""Two brokers that are asked the same, and what of their answers has to be equal: everything but names, ids and times
that each broker makes up.
"""

from __future__ import annotations

import itertools
import secrets
import time
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from compat_tests.api import topics
from compat_tests.api.raw import Difference, RawClient, differences, presence, unordered
from compat_tests.generated.shapes import taken_apart
from compat_tests.report.ledger import Ledger
from kafkacompat.protocol.messages import describe_configs, incremental_alter_configs, list_offsets, metadata

MODULE = "generated"
"""What decisions call these tests."""
WAIT_S = 60.0
TOPIC_RESOURCE = 2
UNKNOWN_TOPIC_OR_PARTITION = 3
_TIMES = frozenset(("log_append_time_ms", "timestamp", "last_timestamp", "max_timestamp"))
_OWN = frozenset(("host", "port", "cluster_id"))


class DifferentError(AssertionError):
    """The brokers answered differently; the message has each field."""


class Tally:
    """What was done in a run."""

    def __init__(self, ledger: Ledger | None = None, test: str = "") -> None:
        self.sequences = 0
        self.steps = 0
        self.pairs = 0
        self.ledger = ledger or Ledger()
        self.test = test

    def __str__(self) -> str:
        return f"{self.sequences} sequences, {self.steps} steps, {self.pairs} pairs of answers compared"


class Brokers:
    """Where both brokers are, for all sequences of a run."""

    def __init__(self, ours: str, theirs: str, tally: Tally) -> None:
        self.addresses = ours, theirs
        self.tally = tally
        self.started_ms = int(time.time() * 1000) - 60_000
        self.canary = f"canary-{secrets.token_hex(4)}"
        self.counter = itertools.count(1_000_000)
        for address in self.addresses:
            with RawClient(address) as client:
                topics.create(client, self.canary)


class Side:
    """One of the brokers in one sequence: a connection, and the ids that it made up, with our names for them."""

    def __init__(self, address: str, brokers: Brokers) -> None:
        self.client = RawClient(address)
        self.topic_ids: dict[int, bytes] = {}
        self.session_ids: dict[int, int] = {}
        self.members: dict[tuple[int, int], str] = {}
        """What the member ids of (group, member) are called."""
        self.opened = False
        """Whether some topic's records are compressed by the broker."""
        self._brokers = brokers
        self._named: dict[Any, str] = {}

    def name(self, made_up: bytes, name: str) -> None:
        """Show an id by a name in what is compared."""
        self._named[made_up] = name

    def plain(self, value: Any, field: str = "") -> Any:
        """Facts without what is this broker's own."""
        if isinstance(value, dict):
            return {name: self.plain(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [self.plain(item, field) for item in value]
        if field == "records":
            return taken_apart(value, self.when, opened=self.opened)
        if field == "topic_id":
            return self._named.get(value, presence(value))
        if field in _TIMES:
            return self.when(value)
        return presence(value) if field in _OWN else value

    def when(self, timestamp_ms: Any) -> Any:
        """A time, or only that it is the broker's own."""
        is_now = isinstance(timestamp_ms, int) and 0 <= timestamp_ms - self._brokers.started_ms < 86_400_000
        return "now" if is_now else timestamp_ms

    def settle(self) -> None:
        """Wait until every change of metadata that was answered is in force.

        A broker takes changes one after the other: when a later one can be seen, the earlier ones are done with.
        """
        value = str(next(self._brokers.counter))
        name = self._brokers.canary
        changed = incremental_alter_configs.AlterableConfig("retention.bytes", 0, value)
        resource = incremental_alter_configs.AlterConfigsResource(TOPIC_RESOURCE, name, [changed])
        request = incremental_alter_configs.IncrementalAlterConfigsRequest([resource])
        answer = self.client.call(incremental_alter_configs.API_KEY, 1, request)
        assert answer.responses[0].error_code == 0, answer
        wanted = describe_configs.DescribeConfigsResource(TOPIC_RESOURCE, name, ["retention.bytes"])
        ask = describe_configs.DescribeConfigsRequest([wanted])

        def seen() -> bool:
            told = self.client.call(describe_configs.API_KEY, 4, ask).results[0]
            return bool(told.configs and told.configs[0].value == value)

        self.wait(seen, "a change of metadata")

    def wait_until_led(self, topic: str, partitions: int) -> None:
        """Wait until each partition of a topic serves."""
        self.wait(lambda: self._metadata_error(topic, partitions) == 0, f"leaders of {topic}")
        topics.wait_until_led(self.client, topic, partitions)

    def wait_until_gone(self, topic: str, partitions: int) -> None:
        """Wait until nobody serves the topic any more."""
        parts = [list_offsets.ListOffsetsPartition(index, -1, -1) for index in range(partitions)]
        request = list_offsets.ListOffsetsRequest(-1, 0, [list_offsets.ListOffsetsTopic(topic, parts)])

        def gone() -> bool:
            answer = self.client.call(list_offsets.API_KEY, topics.LIST_OFFSETS_VERSION, request).topics[0]
            return all(part.error_code == UNKNOWN_TOPIC_OR_PARTITION for part in answer.partitions)

        self.wait(lambda: self._metadata_error(topic, 0) == UNKNOWN_TOPIC_OR_PARTITION, f"{topic} to be unknown")
        self.wait(gone, f"{topic} to be gone")
        self.settle()

    def _metadata_error(self, topic: str, partitions: int) -> int:
        wanted = metadata.MetadataRequestTopic(name=topic)
        request = metadata.MetadataRequest([wanted], allow_auto_topic_creation=False)
        found = self.client.call(metadata.API_KEY, topics.METADATA_VERSION, request).topics[0]
        led = [part for part in found.partitions if part.error_code == 0 and part.leader_id >= 0]
        return int(found.error_code) or (0 if len(led) == partitions else -1)

    @staticmethod
    def wait(ready: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + WAIT_S
        while not ready():
            assert time.monotonic() < deadline, f"waited in vain for {what}"
            time.sleep(0.005)


class Pair:
    """Both brokers in one sequence."""

    def __init__(self, brokers: Brokers) -> None:
        self.brokers = brokers
        self.ours, self.theirs = (Side(address, brokers) for address in brokers.addresses)

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.ours, self.theirs

    def ask(
        self, what: str, api: ModuleType, version: int, request: Callable[[Side], Any], order_free: Sequence[str] = ()
    ) -> Any:
        """Ask both, compare, and return what Apache Kafka said, as it said it. Raises DifferentError.

        `request` makes the request for a side, as ids differ.
        """
        return self.compare(
            what, lambda side: side.client.ask(api, version, request(side)), order_free, f"{api.__name__} v{version}"
        )

    def compare(self, what: str, answer: Callable[[Side], Any], order_free: Sequence[str] = (), asked: str = "") -> Any:
        """Compare what `answer` says of each side."""
        ours, theirs = (answer(side) for side in self.sides)
        found = differences(
            unordered(self.ours.plain(ours), *order_free), unordered(self.theirs.plain(theirs), *order_free), f".{what}"
        )
        tally = self.brokers.tally
        self._fail(tally.ledger.undecided(tally.test, MODULE, found), asked.rpartition(".")[2])
        return theirs

    @staticmethod
    def _fail(found: list[Difference], asked: str) -> None:
        if found:
            raise DifferentError("\n".join([f"the brokers differ ({asked})", *map(str, found)]))

    def close(self) -> None:
        """Enter what was compared, and hang up."""
        tally = self.brokers.tally
        tally.pairs += tally.ledger.conversation(self.ours.client.exchanges, self.theirs.client.exchanges)
        for side in self.sides:
            side.client.__exit__()
