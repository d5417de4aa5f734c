"""Well-formed requests with values that no sane client sends, aimed at what the broker really has."""

from random import Random
from typing import Any

from kafkacompat.protocol.notation.compiler.schema import Field, Struct
from kafkacompat.protocol.primitives import ZERO_UUID
from tests.fuzz.batches import hostile_batch
from tests.protocol.random_messages import BITS, Kind

STRINGS = (
    "", "a", ".", "..", "a/../b", "/etc", "ünï-☃-🦜", "\0", "a\nb", "\u202eabc", "%s%n", "x" * 249, "y" * 250,
    "z" * 3000, "-1", "0", "9223372036854775808", "1e400", "none", "true", "٣", "null", "{}", "*",
)  # fmt: skip
CONFIGS = (
    ("cleanup.policy", ("compact", "delete", "compact,delete", "nothing", "")), ("retention.ms", ("-1", "-2", "1e3")),
    ("segment.bytes", ("1048576", "1", "99999999999", "-1")), ("compression.type", ("gzip", "zstd", "brotli")),
    ("min.insync.replicas", ("1", "0", "9")), ("max.message.bytes", ("0", "100", "1048588")),
    ("message.timestamp.type", ("LogAppendTime", "CreateTime", "x")), ("flush.messages", ("1", "0")),
    ("leader.replication.throttled.replicas", ("*", "0:1", "x:y")), ("no.such.config", ("1",)),
    ("log.retention.ms", ("1000", "x")), ("num.io.threads", ("8", "0")), ("advertised.listeners", ("x", "PLAINTEXT://h:1")),
)  # fmt: skip
SMALL = (0, 0, 0, 1, 1, 2, 3, -1, -2, -3, -4, -5, -6, 10, 100)
INTEGERS_BY_NAME = {
    "acks": (-1, -1, 0, 1, 1, 2), "replica_id": (-1, -1, -1, -2, 0, 1), "max_wait_ms": (0, 0, -1, 1000, 2**31 - 1),
    "max_bytes": (1, 0, -1, 1 << 20, 2**31 - 1), "partition_max_bytes": (1, 0, -1, 1 << 20, 2**31 - 1),
    "session_timeout_ms": (6000, 30_000, 0, -1, 1_800_001), "rebalance_timeout_ms": (1000, 60_000, 0, -1, 2**31 - 1),
    "timeout_ms": (0, 1000, -1, 2**31 - 1), "count": (1, 2, 4, 0, -1, 20_000, 2**31 - 1),
    "num_partitions": (1, 2, -1, 0, -2, 10_001, 2**31 - 1), "replication_factor": (1, -1, 0, 2, 2**15 - 1),
    "config_operation": (0, 1, 2, 3, 4, -1), "resource_type": (2, 2, 4, 4, 8, 16, 0, -1),
    "response_partition_limit": (2000, 1, 0, -1, 2**31 - 1),
}  # fmt: skip


NODE_IDS = (1, 1, 1, 1, 2, 3, 0, -1, -2)
EPOCHS = (0, 1, 1, 2, 3, -1)
OF_NODES = {
    "broker_id": NODE_IDS, "voter_id": NODE_IDS, "replica_id": NODE_IDS, "candidate_id": NODE_IDS,
    "leader_id": NODE_IDS, "controller_id": NODE_IDS, "replica_epoch": EPOCHS, "leader_epoch": EPOCHS,
    "current_leader_epoch": EPOCHS, "last_offset_epoch": EPOCHS, "partition_epoch": EPOCHS, "epoch": EPOCHS,
    "end_offset": (0, 0, 5, 20, -1), "position": (0, 0, 1, -1, 1 << 40), "leader_recovery_state": (0, 0, 1, 2, -1),
    "partition": (0, 0, 0, 1), "partition_index": (0, 0, 0, 1), "max_supported_version": (30, 30, 1, 0, -1),
    "min_supported_version": (1, 0, 7), "port": (9092, 0, 65_535),
}  # fmt: skip
"""What nodes say to each other, so that it is a little like the truth."""


class Pools:
    """Names and ids that the broker knows; those that it gives out are added as they are seen."""

    def __init__(self, topics: tuple[str, ...]) -> None:
        self.integers: dict[str, tuple[int, ...]] = INTEGERS_BY_NAME
        self.strings: dict[str, tuple[str, ...]] = {}
        self.topics = [*topics, "__consumer_offsets", "__cluster_metadata", "new-topic", "no such topic"]
        self.groups = ["g1", "g2", "g3"]
        self.members = ["", ""]
        self.instances = ["i1", "i2"]
        self.topic_ids: list[bytes] = [ZERO_UUID]
        self.sessions = [0, 1]

    def learn(self, response: object) -> None:
        """Remember ids in a response, so that later requests get beyond the first check."""
        for name in getattr(response, "__slots__", ()):
            value = getattr(response, name)
            if name == "member_id" and value:
                _remember(self.members, value)
            elif name == "topic_id" and value != ZERO_UUID:
                _remember(self.topic_ids, value)
            elif name == "session_id" and value:
                _remember(self.sessions, value)
            elif isinstance(value, list):
                for each in value[:50]:
                    self.learn(each)


def _remember(pool: list[Any], value: Any) -> None:
    if value not in pool:
        pool.append(value)
        if len(pool) > 20:
            del pool[2]


class Sender:
    """Makes requests of one kind after another from one random stream."""

    def __init__(self, rng: Random, pools: Pools) -> None:
        self.rng = rng
        self.pools = pools

    def request(self, kind: Kind, version: int) -> Any:
        return self._struct(kind, kind.message.struct, version)

    def _struct(self, kind: Kind, struct: Struct, version: int) -> Any:
        values = {each.name: self._value(kind, struct, each, version) for each in struct.present(version)}
        for each in struct.tagged(version):
            if self.rng.random() < 0.4:
                values[each.name] = self._value(kind, struct, each, version)
        if "value" in values and "name" in values and self.rng.random() < 0.8:  # a config
            values["name"], choices = self.rng.choice(CONFIGS)
            values["value"] = self.rng.choice((*choices, values["value"]))
        return getattr(kind.module, struct.class_name)(**values)

    def _value(self, kind: Kind, owner: Struct, each: Field, version: int) -> Any:
        if version in each.nullable and self.rng.random() < 0.15:
            return None
        if not each.is_array:
            return self._one(kind, owner, each, version)
        items = [self._one(kind, owner, each, version) for _ in range(self.rng.choice((0, 1, 1, 1, 2, 3)))]
        if items and self.rng.random() < 0.2:
            items.append(items[0])  # a duplicate
        return items

    def _one(self, kind: Kind, owner: Struct, each: Field, version: int) -> Any:
        rng = self.rng
        if each.struct is not None:
            return self._struct(kind, each.struct, version)
        if each.type in BITS:
            return self._integer(each)
        match each.type:
            case "bool":
                return rng.random() < 0.5
            case "uint16" | "uint32":
                return rng.choice((*self.pools.integers.get(each.name, ()), 0, 1, 65535))
            case "float64":
                return rng.choice((0.0, -1.5, float("nan"), float("inf")))
            case "string":
                return self._string(owner, each)
            case "uuid":
                return rng.choice((*self.pools.topic_ids, rng.randbytes(16)))
            case "bytes":
                return rng.randbytes(rng.choice((0, 1, 30, 3000)))
            case "records":
                return memoryview(hostile_batch(rng))
        raise AssertionError(each)

    def _integer(self, each: Field) -> int:
        top = 1 << (BITS[each.type] - 1)
        choice = self.rng.random()
        if choice < 0.15:
            return self.rng.choice((top - 1, -top, self.rng.randrange(-top, top)))
        if each.name == "session_id" and choice < 0.7:
            return self.rng.choice(self.pools.sessions)
        if each.name in self.pools.integers:
            return max(-top, min(top - 1, self.rng.choice(self.pools.integers[each.name])))
        return self.rng.choice(SMALL)

    def _string(self, owner: Struct, each: Field) -> str:
        rng, name = self.rng, each.name
        if rng.random() < 0.2:
            return rng.choice(STRINGS)
        if name in self.pools.strings:
            return rng.choice(self.pools.strings[name])
        if "group" in name or name in ("key", "coordinator_keys"):
            return rng.choice(self.pools.groups)
        if name == "member_id":
            return rng.choice(self.pools.members)
        if name == "group_instance_id":
            return rng.choice(self.pools.instances)
        if "topic" in name or (name == "name" and "Config" not in owner.name):
            return rng.choice(self.pools.topics)
        if name == "resource_name":
            return rng.choice((*self.pools.topics, "1", "", "2"))
        if name == "protocol_type":
            return "consumer"
        return rng.choice(("range", "sticky", "a"))
