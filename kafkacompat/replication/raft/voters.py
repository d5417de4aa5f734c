"""Who votes in the quorum, and where each is reached: as the log says (KIP-853), or as the configuration does."""

from kafkacompat.protocol.primitives import ZERO_UUID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Host = tuple[str, int]

KNOWN_LEVELS = (0, 1)
"""The levels of kraft.version that we know: the first and the last."""


class Voter:
    """One member of the voter set. `endpoints` are of its controller listeners: (name, host, port); `levels` are the
    first and the last level of kraft.version that it knows.
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
        """Its id and that of its directory."""
        return self.id, self.directory_id

    @property
    def address(self) -> "Host | None":
        """Host and port of its first controller listener."""
        return self.endpoints[0][1:] if self.endpoints else None

    def says_the_same_as(self, other: "Voter") -> bool:
        """Whether both are the same voter with the same listeners and levels."""
        return (self.key, self.endpoints, self.levels) == (other.key, other.endpoints, other.levels)


def static_voters(items: "Iterable[str]", listener: str) -> tuple[Voter, ...]:
    """The voters of controller.quorum.voters: id@host:port each. Which directory one has is not known (KIP-595)."""
    found = []
    for item in items:
        voter_id, _, address = item.partition("@")
        found.append(Voter(int(voter_id), ZERO_UUID, ((listener, *host_and_port(address)),)))
    return tuple(sorted(found, key=lambda voter: voter.id))


def host_and_port(address: str) -> "Host":
    """The two parts of host:port; an IPv6 address is in brackets there, and without them in what is returned."""
    host, _, port = address.rpartition(":")
    return host.removeprefix("[").removesuffix("]"), int(port)


class VoterChangeError(Exception):
    """The voters cannot be changed so, or not now: `error_code` is what to answer."""

    def __init__(self, error_code: int, message: str) -> None:
        super().__init__(message)
        self.error_code = error_code


class VoterHistory:
    """The voter sets in a log, each from its record's offset on: the newest counts, committed or not (KIP-853)."""

    __slots__ = ("_sets",)

    def __init__(self, sets: "Iterable[tuple[int, tuple[Voter, ...]]]" = ()) -> None:
        self._sets = list(sets)

    @property
    def newest(self) -> tuple[Voter, ...] | None:
        """None where the log says nothing of voters."""
        return self._sets[-1][1] if self._sets else None

    @property
    def offset(self) -> int:
        """Of the newest; −1 where there is none."""
        return self._sets[-1][0] if self._sets else -1

    def at(self, offset: int) -> tuple[Voter, ...] | None:
        """Who voted after the record at this offset."""
        return next((voters for since, voters in reversed(self._sets) if since <= offset), None)

    def add(self, offset: int, voters: tuple[Voter, ...]) -> None:
        """A record says so."""
        self._sets.append((offset, voters))

    def cut(self, offset: int) -> None:
        """The log ends at `offset` now."""
        while self._sets and self._sets[-1][0] >= offset:
            self._sets.pop()
