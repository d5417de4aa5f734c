"""The votes of one election or pre-vote (Kafka's EpochElection)."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class EpochElection:
    """The voters that granted their vote, and those that have not answered. Each voter counts once."""

    __slots__ = ("_majority", "_unrecorded", "granted")

    def __init__(self, voters: "Iterable[int]") -> None:
        self._unrecorded = set(voters)
        self._majority = len(self._unrecorded) // 2 + 1
        self.granted: set[int] = set()

    def record(self, voter_id: int, *, granted: bool) -> None:
        """Count a voter's answer. A voter that cannot be reached counts as a refusal."""
        if voter_id in self._unrecorded:
            self._unrecorded.discard(voter_id)
            if granted:
                self.granted.add(voter_id)

    @property
    def is_granted(self) -> bool:
        """Whether a majority has granted its vote."""
        return len(self.granted) >= self._majority

    @property
    def is_rejected(self) -> bool:
        """Whether a majority is out of reach."""
        return len(self.granted) + len(self._unrecorded) < self._majority
