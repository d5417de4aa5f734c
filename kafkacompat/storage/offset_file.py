"""One ``*-offset-checkpoint`` file that is written beside the loop, and what a crash may find in it meanwhile."""

from kafkacompat.storage.checkpoints import write_offsets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.storage.fs import Fs

    TopicPartition = tuple[str, int]
    Offsets = dict[TopicPartition, int]


class OffsetFile:
    """The event loop sets the content; ``write`` may run on any thread and writes the newest content.

    So a file that is written later never holds older offsets than one that is written before. A write is durable when
    it ends, as in Kafka: what the file held before is gone for good. Calls of ``write`` must not overlap; all else is
    for the loop.
    """

    __slots__ = ("_fs", "_path", "_possible", "_wanted", "_written")

    def __init__(self, fs: "Fs", path: str, found: "Offsets") -> None:
        """``found``: what is in the file. Without anything there may be no file."""
        self._fs = fs
        self._path = path
        self._written = dict(found)
        self._wanted = self._written if found else {}
        self._possible = [self._written, self._wanted]

    def want(self, offsets: "Offsets") -> bool:
        """Have the file hold ``offsets``. Whether there is something to write."""
        if offsets != self._wanted:
            self._forget_old()
            self._wanted = dict(offsets)
            self._possible.append(self._wanted)
        return self.is_behind

    @property
    def is_behind(self) -> bool:
        """Whether there is something to write."""
        return self._wanted is not self._written

    def lower(self, offsets: "Offsets") -> bool:
        """Have it hold nothing above these. Whether there is something to write: a crash may find more."""
        self._forget_old()
        too_high = {
            key: offset for key, offset in offsets.items() if any(each.get(key, 0) > offset for each in self._possible)
        }
        return bool(too_high) and self.want(self._wanted | too_high)

    def may_hold(self, key: "TopicPartition") -> bool:
        """Whether a crash may find an offset for ``key``."""
        self._forget_old()
        return any(key in each for each in self._possible)

    def _forget_old(self) -> None:
        """What was there before the last write that has ended is not there any more."""
        while self._possible[0] is not self._written:
            del self._possible[0]

    def write(self) -> None:
        """Make the file what was wanted last, durably, unless it is. Raises OSError."""
        wanted = self._wanted
        if wanted is not self._written:
            write_offsets(self._fs, self._path, wanted, sync=True)
            self._written = wanted
