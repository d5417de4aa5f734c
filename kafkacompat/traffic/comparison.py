"""Compares the answers of a replay with the captured ones, and learns from them which invented values belong together.

Left out: times and throttling, texts of errors, addresses, ids of nodes (a broker is there or not), and free space.
"""

from __future__ import annotations

from kafkacompat.protocol import api_keys
from kafkacompat.protocol.primitives import Message
from kafkacompat.traffic.bindings import MEMBER_ID, PRODUCER_ID, SESSION_ID, TOPIC_ID, Bindings
from kafkacompat.traffic.fetched import MISSING, FieldDifference, compare_fetches
from kafkacompat.traffic.invented import Place, Topics, inside, kind_of, scope_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

IGNORED = frozenset(
    (
        "throttle_time_ms", "error_message", "host", "port", "cluster_id", "log_append_time_ms",
        "client_host", "broker_epoch", "brokers", "node_endpoints", "rack", "finalized_features_epoch",
        "issue_timestamp_ms", "expiry_timestamp_ms", "max_timestamp_ms", "log_dir", "total_bytes", "usable_bytes",
        "partition_size", "offset_lag", "endpoint_type",
    )
)  # fmt: skip
NODES = frozenset(
    (
        "node_id", "broker_id", "controller_id", "leader_id", "replica_nodes", "isr_nodes", "offline_replicas",
        "replicas", "isr", "adding_replicas", "removing_replicas", "preferred_read_replica", "eligible_leader_replicas",
        "last_known_elr",
    )
)  # fmt: skip
"""Of these only counts whether there is one."""
_KEYS = (
    "name", "topic", "topic_name", "topic_id", "partition_index", "partition", "index", "group_id", "key", "member_id",
    "api_key", "resource_type", "resource_name", "producer_id", "transactional_id",
)  # fmt: skip
_UUID_CHARS = 36


class Comparison:
    """What a replay knows for comparing its answers."""

    def __init__(self) -> None:
        self.bindings = Bindings()
        self.topics = Topics()

    def differences(
        self, api_key: int, request: Message | None, captured: Message, replayed: Message, ends: Mapping[Any, int]
    ) -> list[FieldDifference]:
        """Where an answer differs. ends: the ends of partitions that were acknowledged before the request."""
        place = Place() if request is None else inside(request, Place(), self.topics)
        if api_key == api_keys.FETCH:
            return list(compare_fetches(captured, replayed, ends, self.bindings, self.topics))
        return list(self.messages(api_key, captured, replayed, place, ""))

    def messages(
        self, api_key: int, captured: Message, replayed: Message, place: Place, path: str
    ) -> Iterator[FieldDifference]:
        """The differences of two messages of one type."""
        self._learn_topic(captured)
        place = inside(captured, place, self.topics)
        field: str
        for field in captured.__slots__:
            if field in IGNORED:
                continue
            at = f"{path}.{field}" if path else field
            was: Any = getattr(captured, field)
            now: Any = getattr(replayed, field)
            kind = kind_of(api_key, field)
            if kind and not isinstance(was, list):
                if not self._fits(kind, place, was, now):
                    yield FieldDifference(at, self.translated(kind, place, was), now)
            elif isinstance(was, Message) and isinstance(now, Message):
                yield from self.messages(api_key, was, now, place, at)
            elif isinstance(was, list) and isinstance(now, list) and _is_struct(was, now):
                yield from self._lists(api_key, was, now, place, at)
            elif field in NODES:
                if _is_there(was) != _is_there(now):
                    yield FieldDifference(at, was, now)
            elif _plain(was) != _plain(now):
                yield FieldDifference(at, _plain(was), _plain(now))

    def translated(self, kind: str, place: Place, captured: Any) -> Any:
        """A captured value as the replay has it, if that is known."""
        return captured if captured is None else self.bindings.replayed(kind, scope_of(kind, place), captured)

    def _fits(self, kind: str, place: Place, was: Any, now: Any) -> bool:
        if was is None or now is None:
            return was is now
        if kind == SESSION_ID and 0 in (was, now):
            return bool(was == now)
        return self.bindings.bind(kind, scope_of(kind, place), was, now)

    def _learn_topic(self, message: Message) -> None:
        name, topic_id = getattr(message, "name", None), getattr(message, "topic_id", None)
        if isinstance(name, str) and name and isinstance(topic_id, bytes) and any(topic_id):
            self.topics.names[topic_id] = name

    def _lists(
        self, api_key: int, was: Sequence[Message], now: Sequence[Message], place: Place, path: str
    ) -> Iterator[FieldDifference]:
        """Items are matched by what they are about, wherever they stand."""
        self._match_members(was, now)
        there: dict[object, Message] = {}
        for number, each in enumerate(now):
            there.setdefault(self._key(each, number, is_captured=False), each)
        for number, each in enumerate(was):
            key = self._key(each, number, is_captured=True)
            at = f"{path}[{_key_text(key)}]"
            other = there.pop(key, None)
            if other is None:
                yield FieldDifference(at, each, MISSING)
            else:
                yield from self.messages(api_key, each, other, place, at)
        for new, each in there.items():
            yield FieldDifference(f"{path}[{_key_text(new)}]", MISSING, each)

    def _key(self, message: Message, number: int, *, is_captured: bool) -> tuple[object, ...]:
        found: list[object] = []
        has_name = bool(getattr(message, "name", None))
        for field in _KEYS:
            value: Any = getattr(message, field, None)
            if value is None or (field == "topic_id" and (has_name or not any(value))):
                continue
            kind = {"topic_id": TOPIC_ID, "member_id": MEMBER_ID, "producer_id": PRODUCER_ID}.get(field)
            if kind and is_captured:
                value = self.bindings.replayed(kind, (), value)
            found.append(value)
        return tuple(found) or (number,)

    def _match_members(self, was: Sequence[Message], now: Sequence[Message]) -> None:
        """Members whose ids have not been seen yet are matched by what else is known of them."""
        if not was or "member_id" not in was[0].__slots__:
            return
        ours: list[Any] = [each for each in was if not self.bindings.is_known(MEMBER_ID, (), _member(each))]
        theirs: list[Any] = [each for each in now if not self.bindings.is_taken(MEMBER_ID, _member(each))]
        for one, other in zip(sorted(ours, key=_looks), sorted(theirs, key=_looks), strict=False):
            if _looks(one) == _looks(other):
                self.bindings.bind(MEMBER_ID, (), one.member_id, other.member_id)


def _member(message: Any) -> str:
    return str(message.member_id)


def _looks(message: Any) -> tuple[str, str, bytes]:
    """A member without the random part of its id."""
    metadata = getattr(message, "metadata", None) or getattr(message, "member_metadata", None) or b""
    return message.member_id[:-_UUID_CHARS], getattr(message, "group_instance_id", None) or "", bytes(metadata)


def _is_struct(was: list[Any], now: list[Any]) -> bool:
    return any(isinstance(each[0], Message) for each in (was, now) if each)


def _is_there(value: Any) -> bool:
    return bool(value) if isinstance(value, list) else value is not None and value >= 0


def _plain(value: Any) -> Any:
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    return list(value) if isinstance(value, (tuple, list)) else value


def _key_text(key: object) -> str:
    assert isinstance(key, tuple)
    return ", ".join(each.hex() if isinstance(each, bytes) else str(each) for each in key)
