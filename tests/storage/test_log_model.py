"""The log compared with a list of batches: after any operations both hold the same."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, precondition, rule

from kafkacompat.protocol.records.batch import split
from kafkacompat.storage.files import FileCache
from kafkacompat.storage.log import Log
from kafkacompat.storage.memfs import MemFs
from tests.storage.support import PATH, TOPIC_ID, append, at, batch, read_bytes, topic_config

CONFIG = topic_config(segment_bytes=900, index_interval_bytes=150)


class LogAgainstList(RuleBasedStateMachine):
    slices = Bundle("slices")

    def __init__(self) -> None:
        super().__init__()
        self.fs = MemFs()
        self.model: list[tuple[int, int, bytes]] = []  # first offset, last offset, bytes
        self.start = self.end = 0
        self.epoch = 0
        self.held: list[tuple[object, bytes]] = []
        self.log = self._open(clean=False)

    def _open(self, *, clean: bool) -> Log:
        return Log.open(
            self.fs,
            PATH,
            CONFIG,
            topic_id=TOPIC_ID,
            recovery_point=self.end if clean else 0,
            log_start_offset=self.start,
            clean=clean,
            now=at(),
            files=FileCache(self.fs, 2),
        )

    @rule(count=st.integers(1, 5), size=st.integers(0, 200), new_epoch=st.booleans())
    def append(self, count: int, size: int, new_epoch: bool) -> None:
        self.epoch += new_epoch
        info = append(self.log, batch(count, value=bytes(size // count)), epoch=self.epoch)
        assert (info.first_offset, info.last_offset) == (self.end, self.end + count - 1)
        self.end += count
        self.model.append((info.first_offset, info.last_offset, read_bytes(self.log, info.first_offset)))

    @rule(data=st.data())
    def truncate(self, data: st.DataObject) -> None:
        boundaries = [first for first, _, _ in self.model if first >= self.start] + [self.end]
        offset = data.draw(st.sampled_from(boundaries))
        self.log.truncate_to(offset)
        self.end = offset
        self.model = [entry for entry in self.model if entry[0] < offset]
        self.epoch += 1
        self.held.clear()  # truncated bytes may be overwritten: only followers truncate, and nobody reads there then

    @precondition(lambda self: self.end > self.start)
    @rule(data=st.data())
    def delete_before(self, data: st.DataObject) -> None:
        self.start = data.draw(st.integers(self.start, self.end))
        self.log.delete_records_before(self.start, at())

    @rule(clean=st.booleans())
    def restart(self, clean: bool) -> None:
        for piece, _ in self.held:
            piece.release()  # type: ignore[attr-defined]
        self.held.clear()
        self.log.close(clean=clean, now=at())
        self.fs.restart()
        self.log = self._open(clean=clean)

    @precondition(lambda self: self.end > self.start)
    @rule(data=st.data(), max_bytes=st.integers(1, 3000))
    def read(self, data: st.DataObject, max_bytes: int) -> None:
        offset = data.draw(st.integers(self.start, self.end - 1))
        end = data.draw(st.sampled_from([last + 1 for _, last, _ in self.model if last >= offset]))
        piece = self.log.read(offset, max_bytes, end_offset=end, at_least_one=True)
        content = piece.read(0, len(piece))
        expected = b"".join(raw for _, last, raw in self.model if offset <= last < end)
        assert content
        assert expected.startswith(content)
        first = split(content[: split_size(content)])[0][1]
        assert first.base_offset <= offset <= first.last_offset
        assert len(content) <= max(max_bytes, first.size_bytes)
        self.held.append((piece, content))

    @invariant()
    def what_is_held_stays_readable(self) -> None:
        for piece, content in self.held:
            assert piece.read(0, len(content)) == content  # type: ignore[attr-defined]

    @invariant()
    def it_is_the_list(self) -> None:
        assert (self.log.log_start_offset, self.log.log_end_offset) == (self.start, self.end)
        got = [(h.base_offset, h.last_offset, bytes(raw)) for h, raw in self.log.batches(self.start, self.end)]
        assert got == [entry for entry in self.model if entry[1] >= self.start]

    def teardown(self) -> None:
        for piece, _ in self.held:
            piece.release()  # type: ignore[attr-defined]


def split_size(content: bytes) -> int:
    return 12 + int.from_bytes(content[8:12], "big")


TestLogAgainstList = LogAgainstList.TestCase
TestLogAgainstList.settings = settings(max_examples=60, stateful_step_count=30)
