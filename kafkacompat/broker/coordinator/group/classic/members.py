"""A member of a classic group."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from kafkacompat.protocol.internal.consumer_offsets import MemberMetadata
    from kafkacompat.protocol.messages.join_group import JoinGroupRequestProtocol

#: Protocols in order of preference: (name, metadata).
Protocols = tuple[tuple[str, bytes], ...]

#: A new member cannot send heartbeats before its first generation, as it does not know its id. It is removed after this
#: time even if its JoinGroup waits (Kafka's internal group.new.member.join.timeout).
NEW_MEMBER_JOIN_TIMEOUT_MS = 5 * 60 * 1000


class Client:
    """The sender of a request: client id, and address in Kafka's form ("/127.0.0.1")."""

    __slots__ = ("host", "id")

    def __init__(self, client_id: str, host: str) -> None:
        self.id = client_id
        self.host = host


class Member:
    """One member.

    deadline_ms: the end of its session (monotonic). timer_ms: when the session's timer fires. A heartbeat moves the
    deadline only; a timer that fires early is set again.
    """

    __slots__ = (
        "assignment",
        "client",
        "deadline_ms",
        "id",
        "instance_id",
        "is_new",
        "protocols",
        "rebalance_timeout_ms",
        "session_timeout_ms",
        "timer_ms",
    )

    def __init__(
        self,
        member_id: str,
        instance_id: str | None,
        client: Client,
        *,
        rebalance_timeout_ms: int,
        session_timeout_ms: int,
        protocols: Protocols,
        assignment: bytes = b"",
    ) -> None:
        self.id = member_id
        self.instance_id = instance_id
        self.client = client
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.session_timeout_ms = session_timeout_ms
        self.protocols = protocols
        self.assignment = assignment
        self.is_new = False
        self.deadline_ms = 0
        self.timer_ms: int | None = None

    @property
    def is_static(self) -> bool:
        """Whether it has a group.instance.id (KIP-345)."""
        return self.instance_id is not None

    def metadata(self, protocol: str) -> bytes:
        """Its metadata for a protocol that it supports."""
        return next(metadata for name, metadata in self.protocols if name == protocol)

    def vote(self, candidates: frozenset[str]) -> str:
        """Its preferred protocol among the candidates, of which it supports at least one."""
        return next(name for name, _ in self.protocols if name in candidates)

    def restore_session(self, former: "Member") -> None:
        """Copy from the member's former object what records do not contain: its session and its other protocols."""
        self.deadline_ms = former.deadline_ms
        self.timer_ms = former.timer_ms
        self.is_new = former.is_new
        if self.protocols[0] in former.protocols:
            self.protocols = former.protocols


def protocols_of(protocols: "Sequence[JoinGroupRequestProtocol]") -> Protocols:
    """The protocols of a JoinGroup request, the first of each name, as in Kafka."""
    by_name: dict[str, bytes] = {}
    for protocol in protocols:
        by_name.setdefault(protocol.name, bytes(protocol.metadata))
    return tuple(by_name.items())


def member_of(record: "MemberMetadata", protocol: str | None) -> Member:
    """The member in a group's record, which contains the chosen protocol only."""
    return Member(
        record.member_id,
        record.group_instance_id,
        Client(record.client_id, record.client_host),
        rebalance_timeout_ms=record.session_timeout if record.rebalance_timeout == -1 else record.rebalance_timeout,
        session_timeout_ms=record.session_timeout,
        protocols=((protocol or "", bytes(record.subscription)),),
        assignment=bytes(record.assignment),
    )


def new_member_id(name: str, rng: "random.Random") -> str:
    """`<client id or instance id>-<random uuid>`, as in Kafka."""
    digits = f"{(rng.getrandbits(128) & ~(0xF << 76 | 3 << 62)) | (4 << 76 | 2 << 62):032x}"
    return f"{name}-{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def subscribed_topics(subscriptions: "Sequence[bytes]") -> frozenset[str] | None:
    """The topics in consumer protocol subscriptions; None if one cannot be decoded.

    Decodes the fields of version 0 only, with which all later versions begin (Kafka's ConsumerProtocol).
    """
    topics: set[str] = set()
    try:
        for subscription in subscriptions:
            pos = 6  # behind the version and the count
            for _ in range(_int32_at(subscription, 2)):
                end = pos + 2 + int.from_bytes(subscription[pos : pos + 2])
                if end > len(subscription):
                    return None
                topics.add(subscription[pos + 2 : end].decode())
                pos = end
    except ValueError:
        return None
    return frozenset(topics)


def _int32_at(data: bytes, pos: int) -> int:
    if len(data) < pos + 4:
        raise ValueError("too short")
    return int.from_bytes(data[pos : pos + 4], signed=True)
