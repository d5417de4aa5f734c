"""What a pass over a log needs to know, as plain data: it may run in another process."""

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self


class Request:
    """A pass over the sealed segments in the directory ``path``: their base offsets and sizes in bytes.

    ``first_dirty``, ``upper_bound``: see ``plan.Plan``. ``aborted``: the transactions whose marker is in the active
    segment (``AbortedTransaction.as_tuple``); ``indexed``: base offsets of the sealed segments that may have a
    transaction index. ``last_records``: see ``clean_rules.LastRecords``. ``map_bytes``: memory for keys, whose hashes
    have the ``secret``.
    """

    __slots__ = (
        "aborted",
        "bytes_per_second",
        "delete_retention_ms",
        "first_dirty",
        "index_interval_bytes",
        "indexed",
        "last_records",
        "map_bytes",
        "max_index_bytes",
        "now_ms",
        "path",
        "secret",
        "segment_bytes",
        "segments",
        "upper_bound",
    )  # fmt: skip

    def __init__(
        self,
        *,
        path: str,
        segments: list[tuple[int, int]],
        first_dirty: int,
        upper_bound: int,
        aborted: list[tuple[int, int, int, int]],
        indexed: list[int],
        last_records: dict[int, tuple[int, int]],
        secret: bytes,
        map_bytes: int,
        now_ms: int,
        delete_retention_ms: int,
        segment_bytes: int,
        max_index_bytes: int,
        index_interval_bytes: int,
        bytes_per_second: float,
    ) -> None:
        self.path = path
        self.segments = segments
        self.first_dirty = first_dirty
        self.upper_bound = upper_bound
        self.aborted = aborted
        self.indexed = indexed
        self.last_records = last_records
        self.secret = secret
        self.map_bytes = map_bytes
        self.now_ms = now_ms
        self.delete_retention_ms = delete_retention_ms
        self.segment_bytes = segment_bytes
        self.max_index_bytes = max_index_bytes
        self.index_interval_bytes = index_interval_bytes
        self.bytes_per_second = bytes_per_second

    @property
    def bytes_per_offset(self) -> float:
        """Bytes on disk for each offset of the segments: of a record, where few offsets are missing."""
        size_bytes = sum(size_bytes for _, size_bytes in self.segments)
        return size_bytes / max(1, self.upper_bound - self.segments[0][0])

    def encode(self) -> str:
        """One line of JSON."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        fields["secret"] = self.secret.hex()
        fields["last_records"] = [[producer_id, *last] for producer_id, last in self.last_records.items()]
        return json.dumps(fields)

    @classmethod
    def decode(cls, line: str) -> "Self":
        """What ``encode`` wrote."""
        fields = json.loads(line)
        fields["secret"] = bytes.fromhex(fields["secret"])
        fields["segments"] = [(base_offset, size_bytes) for base_offset, size_bytes in fields["segments"]]
        fields["aborted"] = [tuple(each) for each in fields["aborted"]]
        fields["last_records"] = {producer_id: (last, epoch) for producer_id, last, epoch in fields["last_records"]}
        return cls(**fields)
