"""What all coordinators share: their shards on partitions that are led here (part of Kafka's CoordinatorRuntime)."""

from typing import Generic, TypeVar

from kafkacompat.broker.coordinator.loading import Loader
from kafkacompat.protocol.error_codes import NOT_COORDINATOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kafkacompat.broker import services
    from kafkacompat.broker.coordinator.coordinator_shard import CoordinatorShard
    from kafkacompat.broker.coordinator.runtime import CoordinatorContext
    from kafkacompat.broker.purgatory import Pending
    from kafkacompat.now import Now
    from kafkacompat.replication.partition import Partition

    Asked = TypeVar("Asked")
    Refusal = TypeVar("Refusal")

ShardT = TypeVar("ShardT", bound="CoordinatorShard")


class CoordinatorService(Generic[ShardT]):
    """The shards whose partitions this broker leads. A coordinator says what a shard is, by `_new_context`."""

    def __init__(
        self, node: "services.Coordinating", partition_for: "Callable[[str], int]", *, replays_every_record: bool
    ) -> None:
        self.partition_for = partition_for
        """The partition of the coordinator's topic that keeps a key: a group or a transactional id."""
        self._node = node
        self._replays_every_record = replays_every_record
        self._contexts: dict[int, CoordinatorContext[ShardT]] = {}
        self._loader = Loader(node.timers, lambda: node.is_ready)

    def unsettled(self) -> "Iterator[tuple[object, int]]":
        """What has work to do or records that are not committed, with a number that rises as some of it is done."""
        for context in self._contexts.values():
            if not context.is_settled:
                yield context, context.partition.high_watermark

    def shards(self) -> "Iterator[ShardT]":
        """The loaded shards."""
        return (context.shard for context in self._contexts.values() if context.is_active)

    def contexts(self) -> "Iterator[CoordinatorContext[ShardT]]":
        """The partitions that this broker coordinates, loaded or not."""
        return iter(self._contexts.values())

    def context_of(self, key: str) -> "CoordinatorContext[ShardT] | None":
        """The partition that keeps a key; None if another broker coordinates it."""
        return self._contexts.get(self.partition_for(key))

    def read(
        self, key: str, question: "Callable[[ShardT], Asked]", failed: "Callable[[int], Refusal]", now: "Now"
    ) -> "Asked | Refusal | Pending":
        """Read committed state from the key's shard: the answer, a Pending, or what `failed` says of an error."""
        context = self.context_of(key)
        return failed(NOT_COORDINATOR) if context is None else context.read(question, failed, now)

    def read_all(
        self, question: "Callable[[ShardT], Asked]", failed: "Callable[[int], Refusal]", now: "Now"
    ) -> "Iterator[Asked | Refusal | Pending]":
        """Read committed state from every shard, in order of partitions."""
        for index in sorted(self._contexts):
            yield self._contexts[index].read(question, failed, now)

    # Events of the broker.

    def on_elected(self, partition: "Partition", now: "Now") -> None:
        """This broker has become leader of a partition of the topic, or leads it in a new epoch: load its state."""
        self._drop(partition.index, now)
        context = self._contexts[partition.index] = self._new_context(partition)
        context.load(now)

    def on_resigned(self, partition: "Partition", now: "Now") -> None:
        """This broker is no longer leader of the partition."""
        self._drop(partition.index, now)

    def on_high_watermark(self, partition: "Partition", now: "Now") -> None:
        """A partition's high watermark has advanced, so records may be committed."""
        context = self._contexts.get(partition.index)
        if context is not None and context.partition is partition:
            context.on_high_watermark(now)

    def _drop(self, index: int, now: "Now") -> None:
        context = self._contexts.pop(index, None)
        if context is not None:
            self._dropping(context)
            context.unload(now)

    def _new_context(self, partition: "Partition") -> "CoordinatorContext[ShardT]":
        """The empty context of a partition."""
        raise NotImplementedError

    def _dropping(self, context: "CoordinatorContext[ShardT]") -> None:
        """The context's state is about to go: forget what belongs to it."""


def error_itself(error_code: int) -> int:
    """What questions are answered with whose answer may be an error code."""
    return error_code
