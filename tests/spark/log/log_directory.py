"""A log directory as our storage writes it, and as a stopped broker leaves it."""

from __future__ import annotations

from pathlib import Path

from kafkacompat.protocol.records.builder import build_batch
from kafkacompat.spark.log.index_files import read_offset_index
from kafkacompat.spark.log.read_options import LogOptions, parse
from tests.spark.log.segment_files import records_from

RECORDS_PER_BATCH = 10


class LogDirectory:
    """Partitions of known records; each record's timestamp is 1_700_000_000_000 + its offset."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True)
        (path / "meta.properties").write_text("version=1\nnode.id=1\ncluster.id=x\n")
        self.high_watermarks: dict[str, int] = {}
        self.log_starts: dict[str, int] = {}
        self.cleaned: dict[str, int] = {}
        self.checkpoint()

    def partition(
        self,
        topic: str,
        partition: int,
        *,
        offsets: range = range(100),
        segments: int = 1,
        high_watermark: int | None = None,
    ) -> list[Path]:
        """Write segments of equal size with an index entry for each batch. Returns the paths of the segments."""
        folder = self.path / f"{topic}-{partition}"
        folder.mkdir()
        each = len(offsets) // segments
        paths = [self._segment(folder, offsets[number * each : (number + 1) * each]) for number in range(segments)]
        self.high_watermarks[f"{topic} {partition}"] = offsets.stop if high_watermark is None else high_watermark
        self.checkpoint()
        return paths

    def _segment(self, folder: Path, offsets: range) -> Path:
        path = folder / f"{offsets.start:020d}.log"
        data, index, times = b"", b"", b""
        for base in range(offsets.start, offsets.stop, RECORDS_PER_BATCH):
            batch = build_batch(records_from(base, RECORDS_PER_BATCH), base_offset=base)
            last = base + RECORDS_PER_BATCH - 1
            if data:
                index += (last - offsets.start).to_bytes(4) + len(data).to_bytes(4)
            times += (1_700_000_000_000 + last).to_bytes(8) + (last - offsets.start).to_bytes(4)
            data += batch
        path.write_bytes(data)
        path.with_suffix(".index").write_bytes(index)
        path.with_suffix(".timeindex").write_bytes(times)
        if index:
            assert read_offset_index(str(path)).size == len(index) // 8
        return path

    def start_at(self, topic: str, partition: int, offset: int) -> None:
        """The log start offset of a partition."""
        self.log_starts[f"{topic} {partition}"] = offset
        self.checkpoint()

    def checkpoint(self) -> None:
        """Write down what is known of the partitions."""
        for name, offsets in (
            ("replication-offset-checkpoint", self.high_watermarks),
            ("log-start-offset-checkpoint", self.log_starts),
            ("cleaner-offset-checkpoint", self.cleaned),
        ):
            lines = ["0", str(len(offsets)), *(f"{key} {offset}" for key, offset in offsets.items())]
            (self.path / name).write_text("".join(f"{line}\n" for line in lines))

    def options(self, **options: str) -> LogOptions:
        return parse({"path": str(self.path), **options})
