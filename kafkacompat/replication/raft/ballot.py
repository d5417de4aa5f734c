"""The count of one election, or of the question whether to stand in one."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Ballot:
    """Who votes for us, and who does not or cannot be asked. The same voter is counted once."""

    __slots__ = ("_majority", "_open", "granted")

    def __init__(self, voters: "Iterable[int]") -> None:
        self._open = set(voters)
        self._majority = len(self._open) // 2 + 1
        self.granted: set[int] = set()

    def count(self, voter_id: int, *, granted: bool) -> None:
        """Take one voter's word."""
        if voter_id in self._open:
            self._open.discard(voter_id)
            if granted:
                self.granted.add(voter_id)

    @property
    def is_won(self) -> bool:
        return len(self.granted) >= self._majority

    @property
    def is_lost(self) -> bool:
        """No majority can come any more."""
        return len(self.granted) + len(self._open) < self._majority
