"""A cache of encoded Metadata responses: whole responses for the current image, and topics until they change.

Clients ask for all topics again and again; with the cache that costs only what has changed since.
"""

from kafkacompat.replication.metadata.image import EMPTY_IMAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from kafkacompat.replication.metadata.image import MetadataImage, PartitionImage, TopicImage
    from kafkacompat.steps import Steps

MAX_ANSWERS = 256
"""The most distinct requests whose responses are kept for one image."""
MAX_ANSWER_BYTES = 8 * 1024 * 1024
"""The largest response that is kept: a hundred thousand topics."""
KEY_BYTES = 200
"""In memory for each topic that a request names: the request is the key of its response."""
MAX_KEPT_BYTES = 32 * 1024 * 1024
"""The size limit of all responses that are kept, with their keys."""
MAX_TABLES = 6
"""The most encodings of topics (version, listener, …) that are kept at a time."""
MAX_TABLE_BYTES = 16 * 1024 * 1024
"""The size limit of each of them."""
PIECES_MIN = 20
"""Topics with at least this many partitions keep each partition's encoding, to encode only those that change."""
COPIES_PER_UNIT = 20
"""Copying this many encoded topics or partitions costs one unit of work (`steps.py`)."""


class _Entry:
    __slots__ = ("encoded", "image", "pieces")

    def __init__(self, image: "TopicImage", encoded: bytes, pieces: list[bytes]) -> None:
        self.image = image
        self.encoded = encoded
        self.pieces = pieces


class Table:
    """Topics in one encoding."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._size_bytes = 0

    def keep(self, image: "TopicImage", encoded: bytes, pieces: list[bytes]) -> None:
        """Keep a topic; a full table is emptied first."""
        if self._size_bytes > MAX_TABLE_BYTES:
            self._entries.clear()
            self._size_bytes = 0
        kept = pieces if len(pieces) >= PIECES_MIN else []
        before = self._entries.get(image.name)
        if before is not None:
            self._size_bytes -= _size(before)
        entry = self._entries[image.name] = _Entry(image, encoded, kept)
        self._size_bytes += _size(entry)

    def encoded(self, image: "TopicImage") -> bytes | None:
        """The encoded topic; None if it has changed or is not kept."""
        entry = self._entries.get(image.name)
        return entry.encoded if entry is not None and entry.image is image else None

    def pieces(self, image: "TopicImage", encode: "Callable[[int, PartitionImage], bytes]") -> "Steps[list[bytes]]":
        """Each partition of a topic; those that have changed are encoded anew."""
        entry = self._entries.get(image.name)
        known = () if entry is None or not entry.pieces else entry.image.partitions
        found: list[bytes] = []
        copies = 0
        for index, partition in enumerate(image.partitions):
            if index < len(known) and known[index] is partition:
                assert entry is not None
                found.append(entry.pieces[index])
                copies += 1
            else:
                found.append(encode(index, partition))
                yield 1
        yield copies // COPIES_PER_UNIT
        return found

    def forget_others(self, names: "MetadataImage") -> None:
        """Drop deleted topics, once they may outnumber the others."""
        topics = names.topics
        if len(self._entries) > 2 * len(topics):
            self._entries = {name: entry for name, entry in self._entries.items() if name in topics}
            self._size_bytes = sum(map(_size, self._entries.values()))


class MetadataAnswers:
    """The cache of one broker."""

    def __init__(self) -> None:
        self.answers: dict[Hashable, list[bytes]] = {}
        self._image = EMPTY_IMAGE
        self._kept_bytes = 0
        self._begun: set[Hashable] = set()
        self._tables: dict[Hashable, Table] = {}

    def find(self, question: "Hashable", image: "MetadataImage") -> list[bytes] | None:
        """The response to an equal request on the same image, if kept."""
        if self._image is not image:
            self._clear()
            self._image = image
        return self.answers.get(question)

    def is_begun(self, question: "Hashable") -> bool:
        """Whether the response to an equal request is being encoded: who asks waits for that one."""
        return question in self._begun

    def begin(self, question: "Hashable") -> None:
        """The response is encoded from now on, until `end`."""
        self._begun.add(question)

    def end(self, question: "Hashable") -> None:
        """It is encoded, or nobody wants it any more."""
        self._begun.discard(question)

    def keep(self, question: "Hashable", image: "MetadataImage", parts: list[bytes], named_count: int) -> None:
        """Keep a response, unless it is too large or the image has changed meanwhile. `named_count`: topics that the
        request names.
        """
        size_bytes = sum(map(len, parts)) + named_count * KEY_BYTES
        if self._image is not image or size_bytes > MAX_ANSWER_BYTES or question in self.answers:
            return
        if len(self.answers) >= MAX_ANSWERS or self._kept_bytes + size_bytes > MAX_KEPT_BYTES:
            self._clear()
        self.answers[question] = parts
        self._kept_bytes += size_bytes

    def _clear(self) -> None:
        self.answers.clear()
        self._kept_bytes = 0

    def table(self, way: "Hashable") -> Table:
        """The table of an encoding; a new one replaces the least recently used."""
        table = self._tables.pop(way, None) or Table()
        self._tables[way] = table
        if len(self._tables) > MAX_TABLES:
            del self._tables[next(iter(self._tables))]
        return table


def _size(entry: _Entry) -> int:
    return len(entry.encoded) * (2 if entry.pieces else 1)
