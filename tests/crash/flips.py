"""Each byte of each file changed in four ways: what a start makes of it, counted by kind of file.

A record that was never written is never served. What no checksum covers is counted as `unseen`, not hidden: a base
offset or an epoch in a segment that recovery does not read.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from kafkacompat.errors import StartupError
from kafkacompat.storage.checkpoints import CLEANER_FILE
from kafkacompat.storage.errors import LogError
from tests.crash.life import DIR, TOPIC, Life, at, open_log, open_manager
from tests.crash.quorum import Submitter
from tests.replication.quorum_world import LOG_DIR, open_quorum, register_broker
from tests.storage.support import checkpoint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkacompat.storage.memfs import MemFs

REFUSED, UNHARMED, LOST, UNSEEN, WRONG = "refused", "unharmed", "cut or offline", "unseen", "WRONG"


def flips(byte: int) -> Iterator[int]:
    """The other values that a byte gets."""
    yield from {byte ^ 0x41, byte ^ 0x01, 0x00, 0xFF} - {byte}


def kind(path: str) -> str:
    """What sort of file it is."""
    name = path.rpartition("/")[2].lstrip("0123456789-")
    return name if not path.endswith(".log") else f"{'metadata' if '__cluster' in path else 'segment'}{name}"


class Directory:
    """The files of a partition's life, and what its log holds."""

    root = DIR
    left_alone: frozenset[str] = frozenset()
    """Files that are not changed."""

    def __init__(self, seed: int, *, is_clean: bool) -> None:
        life = Life(seed)
        if is_clean:
            life.manager.close(clean=True, high_watermarks={}, broker_epoch=9, now=at())
        else:
            checkpoint(life.manager, at(), {})
        self.life = life
        self.found = life.fs.copy()

    def judge(self, fs: MemFs) -> str:
        """Start on it and read all that is served, as the bytes that a consumer checks."""
        try:
            manager, _ = open_manager(fs, self.life.config)
            log = open_log(manager, self.life.topic_config)
        except StartupError:
            return REFUSED
        except OSError:
            return LOST
        try:
            served = [(h.base_offset, bytes(data)) for h, data in log.batches(log.log_start_offset, log.log_end_offset)]
        except LogError:
            return LOST
        wrong = [(base, data) for base, data in served if self.life.batches.get(base, (0, b""))[1] != data]
        if not wrong:
            everything = {base for base, (end, _) in self.life.batches.items() if end > self.life.log_start}
            return UNHARMED if everything <= {base for base, _ in served} else LOST
        known = {data[16:] for _, data in self.life.batches.values()}
        bodies_known = all(data[16:] in known for _, data in wrong)
        return UNSEEN if bodies_known else _by_checksum([data for _, data in wrong])


class Interrupted(Directory):
    """As Apache Kafka leaves one that ends between two steps: segments that are to take the place of others, a replica
    that moves here from another directory, and the checkpoint of its cleaner. Only those files are changed.
    """

    def __init__(self, seed: int, *, is_clean: bool) -> None:
        super().__init__(seed, is_clean=is_clean)
        before = self.found.files()
        partition = f"{DIR}/{TOPIC}-0"
        future = f"{partition}.{'0f' * 16}-future"
        self.found.mkdir(future)
        first = min(path for path in before if path.startswith(f"{partition}/") and path.endswith(".log"))
        offset = int(first.rpartition("/")[2].removesuffix(".log"))
        self.found.write_atomic(f"{DIR}/{CLEANER_FILE}", b"0\n1\n%s 0 %d\n" % (TOPIC.encode(), offset), sync=True)
        for path, content in before.items():
            if path.startswith(f"{partition}/"):
                self.found.write_atomic(path.replace(partition, future), content, sync=True)
        for suffix in (".log", ".index", ".timeindex"):
            path = first.replace(".log", suffix)
            if path in before:
                self.found.write_atomic(f"{path}.swap", before[path], sync=True)
        after = self.found.files()
        self.left_alone = frozenset(path for path, content in before.items() if after[path] == content)


def _by_checksum(batches: list[bytes]) -> str:
    """A consumer refuses a batch whose checksum is wrong."""
    from kafkacompat.protocol.records.batch import check_crc

    return WRONG if any(check_crc(data, 0, len(data)) for data in batches) else LOST


class Quorum:
    """The files of a lone voter."""

    root = LOG_DIR
    left_alone: frozenset[str] = frozenset()

    def __init__(self, seed: int) -> None:
        run = Submitter(seed)
        self.found = run.fs.copy()
        self.moment = run.moments[-1]

    def judge(self, fs: MemFs) -> str:
        try:
            quorum = open_quorum(fs, clean=False)
            register_broker(quorum)
        except StartupError:
            return REFUSED
        topics = set(quorum.image.topics)
        if not self.moment.topics <= topics:
            return LOST
        return UNHARMED if self.moment.topics == topics and quorum.raft.leader_epoch > self.moment.epoch else WRONG


class Flips:
    """``found`` counts (kind of file, outcome); ``wrong`` names those that must not be."""

    def __init__(self) -> None:
        self.found: Counter[tuple[str, str]] = Counter()
        self.wrong: list[str] = []

    def run(self, directory: Directory | Quorum, *, every: int = 1) -> None:
        """Change each byte, or one of so many."""
        files = directory.found.files()
        for path, content in files.items():
            if not path.startswith(directory.root) or path.endswith(".lock") or path in directory.left_alone:
                continue
            for position in range(0, len(content), every):
                for value in flips(content[position]):
                    self._one(directory, path, position, value)

    def _one(self, directory: Directory | Quorum, path: str, position: int, value: int) -> None:
        fs = directory.found.copy()
        fs.set_byte(path, position, value)
        name = f"{path} at {position} = {value:#04x}"
        try:
            outcome = directory.judge(fs)
        except Exception as error:  # noqa: BLE001 - whatever it is, this is what came of it
            outcome = WRONG
            name += f": {type(error).__name__}: {error}"
        self.found[kind(path), outcome] += 1
        if outcome == WRONG:
            self.wrong.append(name)

    def __str__(self) -> str:
        kinds = sorted({kind for kind, _ in self.found})
        lines = []
        for each in kinds:
            outcomes = {outcome: count for (kind, outcome), count in sorted(self.found.items()) if kind == each}
            lines.append(f"{each:36}" + ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items()))
        return "\n".join(lines)
