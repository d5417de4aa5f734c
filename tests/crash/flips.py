"""Each byte of each file changed in four ways: what a start makes of it, counted by kind of file.

A record that was never written is never served. What no checksum covers is counted as `unseen`, not hidden: a base
offset or an epoch in a segment that recovery does not read, another start within the log. What is gone has a line with
file, position, size and reason, and the next start serves the same and takes no more.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING

from kafkacompat.config.topic import TopicConfig
from kafkacompat.errors import StartupError
from kafkacompat.storage.checkpoints import CLEANER_FILE
from kafkacompat.storage.errors import LogError
from tests.crash.life import DIR, TOPIC, Life, at, open_log, open_manager
from tests.crash.quorum import Submitter
from tests.crash.transactions import TransactionLife, check_transactions
from tests.replication.quorum_world import LOG_DIR, open_quorum, register_broker
from tests.storage.support import checkpoint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kafkacompat.storage.log import Log
    from kafkacompat.storage.memfs import MemFs

SMALL_BYTES, RANDOM_BYTES = 64 * 1024, 10_000
"""Each byte of a file of up to so many is changed; of a larger one so many, at random."""
LARGE_BYTES = 2 * SMALL_BYTES
BY_READERS = "served, and refused by readers for its checksum"
REFUSED, UNHARMED, LOST, UNSEEN, WRONG = "refused", "unharmed", "cut or offline", "unseen", "WRONG"
AGAIN_EVERY = 10
"""One of so many starts after which something or nothing is gone is followed by a second one."""
CUT = re.compile(r"(?P<path>\S+\.log): truncated to (?P<kept>\d+) bytes, (?P<removed>\d+) removed: \S")
REPLACED = re.compile(r"removing (?P<path>\S+\.log): \S+\.log\.swap has its records up to \d")
WHOLE = re.compile(r"(?P<path>\S+?)(/partition\.metadata names .*; it is set aside as \S| ends at \d.*: emptied$)")
"""What takes away all that a directory has."""
PLACE = re.compile(r"\b(position|offset|byte) \d")
"""What an error says of where it is."""


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
    every = 1
    """One byte of so many is enough where all are."""
    life_of: Callable[[int], Life] = Life
    said = ""
    """The error of the last start or read, which names the file."""
    served: object = None
    """What the last start had."""

    def __init__(self, seed: int, *, is_clean: bool) -> None:
        life = self.life_of(seed)
        self.is_clean = is_clean
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
        except StartupError as error:
            self.said = str(error)
            return REFUSED
        except OSError as error:
            self.said = str(error)
            return LOST
        try:
            served = [(h.base_offset, bytes(data)) for h, data in log.batches(log.log_start_offset, log.log_end_offset)]
        except LogError as error:
            self.said = str(error)
            return LOST
        self.served = served
        wrong = [(base, data) for base, data in served if self.life.batches.get(base, (0, b""))[1] != data]
        if not wrong:
            everything = {base for base, (end, _) in self.life.batches.items() if end > self.life.log_start}
            missing = everything - {base for base, _ in served}
            return self._judge_missing(log, min(missing)) if missing else self._judge_more(log)
        known = {data[16:] for _, data in self.life.batches.values()}
        bodies_known = all(data[16:] in known for _, data in wrong)
        return UNSEEN if bodies_known else _by_checksum([data for _, data in wrong])

    def _judge_missing(self, log: Log, offset: int) -> str:
        """A reader gets an error, or bytes that are there: the log does not end where a length is wrong."""
        if offset >= log.log_end_offset:
            return LOST
        if offset < log.log_start_offset:  # one within the log is what DeleteRecords leaves: the files have the records
            return UNSEEN if log.segments.all[0].base_offset <= offset else LOST
        try:
            part = log.read(offset, 1, end_offset=log.log_end_offset, at_least_one=True)
        except LogError as error:
            self.said = str(error)
            return LOST
        here = max(segment.size_bytes for segment in log.segments.all)
        is_there = part.position + len(part) <= here
        part.release()
        return UNSEEN if is_there else WRONG

    def _judge_more(self, log: Log) -> str:
        return UNHARMED

    def unsaid(self, lines: list[str]) -> str:
        """What is gone after the last start that no line accounts for: where it was cut, how much, and why."""
        if self.said:
            return "" if PLACE.search(self.said) else f"no place in {self.said!r}"
        cuts = {found["path"]: found for line in lines if (found := CUT.match(line))}
        before = {path.removesuffix(".swap"): len(content) for path, content in self.found.files().items()}
        for path, cut in cuts.items():
            if int(cut["kept"]) + int(cut["removed"]) != before[path]:
                return f"{cut[0]!r} of {before[path]} bytes"
        served = {base for base, _ in self.served} if isinstance(self.served, list) else set()
        folder = f"{self.root}/{TOPIC}-0/"
        if any(found["path"] == folder[:-1] for line in lines if (found := WHOLE.match(line))):
            return ""
        gone = {*cuts, *(found["path"] for line in lines if (found := REPLACED.match(line)))}
        logs = [path for path in before if path.startswith(folder) and path.endswith(".log")]
        for base, (end, _) in self.life.batches.items():
            if end > self.life.log_start and base not in served:
                segment = max(path for path in logs if path <= f"{folder}{base:020d}.log")
                if segment not in gone:
                    return f"offset {base} of {segment}"
        return ""


class WithTransactions(Directory):
    """Of a life with transactions. What readers are told of them is what the batches say, whatever is damaged; only the
    indexes of aborted ones and the snapshots of producers are changed.
    """

    life_of = TransactionLife

    def __init__(self, seed: int, *, is_clean: bool) -> None:
        super().__init__(seed, is_clean=is_clean)
        self.left_alone = frozenset(
            path for path in self.found.files() if not path.endswith((".txnindex", ".snapshot"))
        )

    def _judge_more(self, log: Log) -> str:
        check_transactions(log, list(log.batches(log.log_start_offset, log.log_end_offset)))
        return UNHARMED


class Interrupted(Directory):
    """As Apache Kafka leaves one that ends between two steps: segments that are to take the place of others, a replica
    that moves here from another directory, and the checkpoint of its cleaner: these are changed. Partitions that were
    deleted and set aside are there as well.
    """

    suffix = "swap"

    def __init__(self, seed: int, *, is_clean: bool) -> None:
        super().__init__(seed, is_clean=is_clean)
        before = self.found.files()
        partition = f"{DIR}/{TOPIC}-0"
        future = f"{partition}.{'0f' * 16}-future"
        self.found.mkdir(future)
        aside = [f"{partition}.{digit * 32}{suffix}" for digit, suffix in (("d", "-delete"), ("5", "-stray"))]
        for each in aside:
            self.found.mkdir(each)
        first = min(path for path in before if path.startswith(f"{partition}/") and path.endswith(".log"))
        offset = int(first.rpartition("/")[2].removesuffix(".log"))
        self.found.write_atomic(f"{DIR}/{CLEANER_FILE}", b"0\n1\n%s 0 %d\n" % (TOPIC.encode(), offset), sync=True)
        for path, content in before.items():
            if path.startswith(f"{partition}/"):
                for each in (future, *aside):
                    self.found.write_atomic(path.replace(partition, each), content, sync=True)
        for suffix in (".log", ".index", ".timeindex"):
            path = first.replace(".log", suffix)
            if path in before:
                self.found.write_atomic(f"{path}.{self.suffix}", before[path], sync=True)
        after = self.found.files()
        self.left_alone = frozenset(path for path in after if before.get(path) == after[path] or self.is_unread(path))

    def is_unread(self, path: str) -> bool:
        """Whether it is enough that the file is there: no start reads it."""
        return "-delete/" in path or "-stray/" in path


class Cleaned(Interrupted):
    """The same a moment earlier: the results of the compaction are not whole yet."""

    suffix = "cleaned"
    every = 10  # a start removes them unread

    def is_unread(self, path: str) -> bool:
        return not path.endswith(".cleaned")


class LargeLife(Life):
    """A life that ends with a segment of more than SMALL_BYTES."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.topic_config = self.log.config = TopicConfig.resolve({"segment.bytes": str(1 << 30)}, self.config)
        if not self.is_registered:
            self._register()
        while self.log.segments.all[-1].size_bytes <= LARGE_BYTES:
            self._lead()
        self._flush()


class Large(Directory):
    """Only the large segment is changed."""

    life_of = LargeLife

    def __init__(self, seed: int, *, is_clean: bool) -> None:
        super().__init__(seed, is_clean=is_clean)
        files = self.found.files()
        self.left_alone = frozenset(path for path, content in files.items() if len(content) <= SMALL_BYTES)
        assert self.left_alone < set(files)


def _by_checksum(batches: list[bytes]) -> str:
    """A consumer refuses a batch whose checksum is wrong."""
    from kafkacompat.protocol.records.batch import check_crc

    return WRONG if any(check_crc(data, 0, len(data)) for data in batches) else BY_READERS


DIRECTORIES: dict[str, type[Directory]] = {
    "a partition": Directory,
    "interrupted": Interrupted,
    "cleaned": Cleaned,
    "transactions": WithTransactions,
    "a large segment": Large,
}
"""What is changed, by the kind of directory."""


class Quorum:
    """The files of a lone voter."""

    root = LOG_DIR
    left_alone: frozenset[str] = frozenset()
    every = 1
    is_clean = False
    said = ""
    served: object = None

    def __init__(self, seed: int) -> None:
        run = Submitter(seed)
        self.found = run.fs.copy()
        self.moment = run.moments[-1]

    def judge(self, fs: MemFs) -> str:
        try:
            quorum = open_quorum(fs, clean=False)
            register_broker(quorum)
        except StartupError as error:
            self.said = str(error)
            return REFUSED
        topics = self.served = set(quorum.image.topics)
        if not self.moment.topics <= topics:
            return LOST
        return UNHARMED if self.moment.topics == topics and quorum.raft.leader_epoch > self.moment.epoch else WRONG

    def unsaid(self, lines: list[str]) -> str:
        """Whether no line says where the log was cut, how much and why."""
        return "" if any(map(CUT.match, lines)) else "topics"


class Lines(logging.Handler):
    """What was logged, and nobody else hears."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())

    @contextmanager
    def heard(self) -> Iterator[None]:
        logger, disabled = logging.getLogger("kafkacompat"), logging.root.manager.disable
        logging.disable(logging.NOTSET)
        logger.propagate, level = False, logger.level
        logger.setLevel(logging.INFO)
        logger.addHandler(self)
        try:
            yield
        finally:
            logger.removeHandler(self)
            logger.propagate = True
            logger.setLevel(level)
            logging.disable(disabled)


class Flips:
    """``found`` counts (kind of file, outcome); ``wrong`` names those that must not be: a record that was never
    written, a crash, something that is gone without a line that says what, refused without one that names a file, and
    a second start that finds something else than the first.
    """

    def __init__(self) -> None:
        self._lines = Lines()
        self._starts = 0
        self.found: Counter[tuple[str, str]] = Counter()
        self.wrong: list[str] = []

    def run(self, directory: Directory | Quorum, *, every: int = 1) -> None:
        """Change each byte, or one of so many."""
        with self._lines.heard():
            self._run(directory, every)

    def _run(self, directory: Directory | Quorum, every: int) -> None:
        files = directory.found.files()
        for path, content in files.items():
            if not path.startswith(directory.root) or path.endswith(".lock") or path in directory.left_alone:
                continue
            if len(content) > SMALL_BYTES:
                rng = Random(path)
                for position in rng.sample(range(len(content)), RANDOM_BYTES // every):
                    self._one(directory, path, position, rng.choice(sorted(flips(content[position]))))
                continue
            for position in range(0, len(content), every):
                for value in flips(content[position]):
                    self._one(directory, path, position, value)

    def _one(self, directory: Directory | Quorum, path: str, position: int, value: int) -> None:
        fs = directory.found.copy()
        fs.set_byte(path, position, value)
        name = f"{path} at {position} = {value:#04x}"
        self._lines.lines.clear()
        directory.said = ""
        try:
            outcome = directory.judge(fs)
        except Exception as error:  # noqa: BLE001 - whatever it is, this is what came of it
            outcome = WRONG
            name += f": {type(error).__name__}: {error}"
        lines = [*self._lines.lines]
        if outcome in (LOST, REFUSED) and not any(directory.root in line for line in (*lines, directory.said)):
            name, outcome = f"{name}: {outcome}, and nothing was said", WRONG
        if outcome == LOST and (unsaid := directory.unsaid(lines)):
            name, outcome = f"{name}: {unsaid} is gone, and no line says so", WRONG
        if outcome not in (REFUSED, WRONG):
            self._starts += 1
            if not self._starts % AGAIN_EVERY and (other := self._again(directory, fs, outcome)):
                name, outcome = f"{name}: {other}", WRONG
        self.found[kind(path), outcome] += 1
        if outcome == WRONG:
            self.wrong.append(name)

    def _again(self, directory: Directory | Quorum, fs: MemFs, outcome: str, *, is_first: bool = True) -> str:
        """What differs at a start after that one, which was killed. The first after a clean stop has read less."""
        served, again, before = directory.served, fs.copy(), [*self._lines.lines]
        self._lines.lines.clear()
        directory.said = ""
        second = directory.judge(again)
        lines = [*self._lines.lines]
        cuts = [line for line in lines if CUT.match(line)]
        is_healed, is_end_read = second == UNHARMED and outcome == LOST, second == UNSEEN == outcome
        if directory.is_clean and is_first and not cuts and (is_healed or is_end_read):
            return self._again(directory, again, second, is_first=False)  # an index is made again, an end is read
        if directory.is_clean and is_first and cuts and second in (LOST, UNSEEN):
            unsaid = directory.unsaid(before + lines) if second == LOST else ""
            return (
                f"{unsaid} is gone at the second start, and no line says so"
                if unsaid
                else self._again(directory, again, second, is_first=False)
            )
        if second != outcome or directory.served != served:
            return f"{outcome} at the first start, {second} at the second: {lines} {directory.said}"
        return f"cut again: {cuts}" if cuts else ""

    def __str__(self) -> str:
        kinds = sorted({kind for kind, _ in self.found})
        lines = []
        for each in kinds:
            outcomes = {outcome: count for (kind, outcome), count in sorted(self.found.items()) if kind == each}
            lines.append(f"{each:36}" + ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items()))
        return "\n".join(lines)
