"""At which offset of a log each leader epoch began: where histories of replicas diverge.

The rules are those of Kafka's ``LeaderEpochFileCache`` (KIP-101, KIP-279). Kept in the log's
``leader-epoch-checkpoint``, which is written at every change and synced with the batches: behind the recovery point,
recovery reads the epochs from the batches again.
"""

from bisect import bisect_left, bisect_right

from kafkacompat.protocol.constants import NO_PARTITION_LEADER_EPOCH, UNKNOWN_OFFSET
from kafkacompat.storage.checkpoints import CheckpointError, read_checkpoint, write_checkpoint
from kafkacompat.storage.fs import Fs
from kafkacompat.storage.reserve import is_shortage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

FILE_NAME = "leader-epoch-checkpoint"


class LeaderEpochs:
    """The epochs of one log and their start offsets; both ascend."""

    __slots__ = ("_epochs", "_fs", "_is_behind", "_is_held", "_starts", "is_synced", "path")

    def __init__(self, fs: Fs, path: str) -> None:
        """Without entries; the first change replaces the file at ``path``."""
        self._fs = fs
        self.path = path
        self.is_synced = True  # whether the file is durable; set by the sync
        self._is_held = self._is_behind = False  # behind: the file lacks a change
        self._epochs: list[int] = []
        self._starts: list[int] = []

    @classmethod
    def load(cls, fs: Fs, path: str) -> "LeaderEpochs":
        """The entries of the file at ``path``, none when it is missing. Raises CheckpointError, OSError."""
        loaded = cls(fs, path)
        for line, (epoch_text, start_text) in enumerate(read_checkpoint(fs, path, fields=2), 3):
            try:
                epoch, start_offset = int(epoch_text), int(start_text)
            except ValueError:
                raise CheckpointError(path, line, "an epoch or offset is no number") from None
            if epoch <= loaded.latest or start_offset < 0 or (loaded._starts and start_offset < loaded._starts[-1]):
                raise CheckpointError(path, line, "epochs and offsets do not ascend")
            loaded._epochs.append(epoch)
            loaded._starts.append(start_offset)
        return loaded

    @property
    def latest(self) -> int:
        """The last epoch, −1 without one."""
        return self._epochs[-1] if self._epochs else NO_PARTITION_LEADER_EPOCH

    @property
    def entries(self) -> list[tuple[int, int]]:
        """Every epoch and its start offset, oldest first."""
        return list(zip(self._epochs, self._starts, strict=True))

    def assign(self, epoch: int, start_offset: int) -> None:
        """From ``start_offset`` on, batches are of ``epoch``. Contradicting entries are dropped. Raises OSError."""
        assert epoch >= 0
        assert start_offset >= 0
        if self._epochs and epoch == self._epochs[-1] and start_offset >= self._starts[-1]:
            return
        keep = min(bisect_left(self._epochs, epoch), bisect_left(self._starts, start_offset))
        self._replace([*self._epochs[:keep], epoch], [*self._starts[:keep], start_offset])

    def adopt(self, others: "LeaderEpochs", log_start_offset: int) -> None:
        """Take over the last epochs of a log with the same records: no record may follow them yet. Raises OSError."""
        for epoch, start_offset in others.entries:
            if epoch > self.latest:
                self.assign(epoch, max(start_offset, log_start_offset))

    def end_offset_for(self, epoch: int, log_end_offset: int) -> tuple[int, int]:
        """The largest known epoch at or below ``epoch``, and the offset where the next one starts.

        For the latest epoch that is the log end. An epoch before all known ones is returned as it is, with the start
        of the first. (−1, −1) if the answer is unknown.
        """
        if epoch == NO_PARTITION_LEADER_EPOCH:
            return NO_PARTITION_LEADER_EPOCH, UNKNOWN_OFFSET
        if epoch == self.latest:
            return epoch, log_end_offset
        above = bisect_right(self._epochs, epoch)
        if above == len(self._epochs):
            return NO_PARTITION_LEADER_EPOCH, UNKNOWN_OFFSET
        return (self._epochs[above - 1] if above else epoch), self._starts[above]

    def epoch_at(self, offset: int) -> int:
        """The epoch of the batch at ``offset``, −1 before the first known epoch."""
        slot = bisect_right(self._starts, offset) - 1
        return self._epochs[slot] if slot >= 0 else NO_PARTITION_LEADER_EPOCH

    def truncate_from_end(self, offset: int) -> None:
        """The log now ends at ``offset``: drop the epochs that start there or later. Raises OSError."""
        keep = bisect_left(self._starts, offset)
        if keep < len(self._starts):
            self._replace(self._epochs[:keep], self._starts[:keep])

    def truncate_from_start(self, offset: int) -> None:
        """The log now starts at ``offset``: drop the epochs that end there or earlier. Raises OSError.

        Neither a full disk nor a want of descriptors prevents it: what stays in the file is dropped at the next start.
        """
        passed = bisect_right(self._starts, offset)
        if passed > 1 or (passed == 1 and self._starts[0] != offset):
            epochs, starts = self._epochs[passed - 1 :], [offset, *self._starts[passed:]]
            try:
                self._replace(epochs, starts)
            except OSError as error:
                if not is_shortage(error):
                    raise
                self._epochs, self._starts = epochs, starts

    def take_back(self, entries: "Sequence[tuple[int, int]]") -> None:
        """Return to former ``entries``: the batch with which an epoch was to begin was not written. Raises OSError.

        Neither a full disk nor a want of descriptors prevents it: what stays in the file is behind the end, and is
        dropped at the next start.
        """
        epochs, starts = [epoch for epoch, _ in entries], [start for _, start in entries]
        try:
            self._replace(epochs, starts)
        except OSError as error:
            if not is_shortage(error):
                raise
            self._epochs, self._starts = epochs, starts

    def clear(self) -> None:
        """Forget all entries, as for a log that starts anew. Raises OSError."""
        if self._epochs:
            self._replace([], [])

    def hold(self) -> None:
        """Keep the file unchanged until ``write``: after a crash in between the next start finds the same entries."""
        self._is_held = True

    def write(self) -> None:
        """Write the file if entries changed since ``hold``. Raises OSError."""
        self._is_held = False
        if self._is_behind:
            self._replace(self._epochs, self._starts)

    def write_between(self, log_start_offset: int, log_end_offset: int, *, is_late: bool) -> None:
        """``write`` the epochs between these offsets. A log without records keeps its last epoch.

        ``is_late``: a new log has no file until the next ``write``. Closed before that as in a crash, its next start
        reads the epochs of all batches.
        """
        self.truncate_from_start(log_start_offset)
        self.truncate_from_end(max(log_end_offset, log_start_offset + 1))
        self.write()
        if is_late and not self._epochs:
            self.hold()

    def _replace(self, epochs: list[int], starts: list[int]) -> None:
        """Write the file first, then change the entries."""
        if not self._is_held:
            write_checkpoint(self._fs, self.path, zip(epochs, starts, strict=True), sync=False)
            self.is_synced = False
        self._epochs, self._starts = epochs, starts
        self._is_behind = self._is_held
