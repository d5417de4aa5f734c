"""The voters of the quorum and their endpoints, from the log (KIP-853) or from the configuration (Kafka's VoterSet)."""

from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.protocol.primitives import ZERO_UUID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Host = tuple[str, int]

KNOWN_LEVELS = (0, 1)
"""The first and the last supported level of kraft.version."""


class Voter:
    """One voter of the set. `endpoints` are its controller listeners as (name, host, port); `levels` are the first and
    the last level of kraft.version that it supports.
    """

    __slots__ = ("directory_id", "endpoints", "id", "levels")

    def __init__(
        self,
        voter_id: int,
        directory_id: bytes,
        endpoints: tuple[tuple[str, str, int], ...] = (),
        levels: tuple[int, int] = KNOWN_LEVELS,
    ) -> None:
        self.id = voter_id
        self.directory_id = directory_id
        self.endpoints = endpoints
        self.levels = levels

    @property
    def key(self) -> tuple[int, bytes]:
        """Its id and its directory id."""
        return self.id, self.directory_id

    @property
    def address(self) -> "Host | None":
        """Host and port of its first controller listener."""
        return self.endpoints[0][1:] if self.endpoints else None

    def is_equivalent_to(self, other: "Voter") -> bool:
        """Whether both have the same key, endpoints and levels."""
        return (self.key, self.endpoints, self.levels) == (other.key, other.endpoints, other.levels)


def static_voters(items: "Iterable[str]", listener: str) -> tuple[Voter, ...]:
    """The voters of controller.quorum.voters, each as id@host:port. Their directory ids are unknown (KIP-595)."""
    found = []
    for item in items:
        voter_id, _, address = item.partition("@")
        found.append(Voter(int(voter_id), ZERO_UUID, ((listener, *host_and_port(address)),)))
    return tuple(sorted(found, key=lambda voter: voter.id))


def host_and_port(address: str) -> "Host":
    """Split host:port. The brackets around an IPv6 address are removed."""
    host, _, port = address.rpartition(":")
    return host.removeprefix("[").removesuffix("]"), int(port)


class VoterChangeError(Exception):
    """A change of the voters is refused, for now or for good; `error_code` is the answer."""

    def __init__(self, error_code: int, message: str) -> None:
        super().__init__(message)
        self.error_code = error_code


class VoterHistory:
    """The voter sets in a log by offset (Kafka's VoterSetHistory). The newest is in effect, committed or not."""

    __slots__ = ("_sets",)

    def __init__(self, sets: "Iterable[tuple[int, tuple[Voter, ...]]]" = ()) -> None:
        self._sets = list(sets)

    @property
    def newest(self) -> tuple[Voter, ...] | None:
        """The newest voter set; None if the log contains none."""
        return self._sets[-1][1] if self._sets else None

    @property
    def offset(self) -> int:
        """The offset of the newest voter set; −1 if there is none."""
        return self._sets[-1][0] if self._sets else UNKNOWN_OFFSET

    def at(self, offset: int) -> tuple[Voter, ...] | None:
        """The voter set in effect after the record at this offset."""
        return next((voters for since, voters in reversed(self._sets) if since <= offset), None)

    def add(self, offset: int, voters: tuple[Voter, ...]) -> None:
        """Add the voter set of the record at this offset."""
        self._sets.append((offset, voters))

    def truncate_to(self, offset: int) -> None:
        """Drop the voter sets from `offset` on."""
        while self._sets and self._sets[-1][0] >= offset:
            self._sets.pop()
