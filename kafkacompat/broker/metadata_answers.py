"""Answers to Metadata that are kept encoded: whole ones for one image, and topics until they change.

So that the question about all topics, which every client asks again and again, costs what has changed since.
"""

from kafkacompat.replication.metadata.image import EMPTY_IMAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from kafkacompat.replication.metadata.image import MetadataImage, PartitionImage, TopicImage
    from kafkacompat.steps import Steps

MAX_ANSWERS = 256
"""Distinct questions answered from memory until the image changes."""
MAX_ANSWER_BYTES = 256 * 1024
"""The question, which is the key, is no larger than its answer."""
MAX_TABLES = 6
"""Ways in which topics are encoded (version, listener, …) that are kept at a time."""
MAX_TABLE_BYTES = 16 * 1024 * 1024
"""Of encoded topics, in each of them."""
PIECES_MIN = 20
"""A topic of so many partitions keeps each of them, to encode only those that change."""
COPIES_A_UNIT = 20
"""So many topics or partitions that are encoded already cost one unit of work."""


class _Entry:
    __slots__ = ("encoded", "image", "pieces")

    def __init__(self, image: "TopicImage", encoded: bytes, pieces: list[bytes]) -> None:
        self.image = image
        self.encoded = encoded
        self.pieces = pieces


class Table:
    """Topics encoded in one way."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._size_bytes = 0

    def keep(self, image: "TopicImage", encoded: bytes, pieces: list[bytes]) -> None:
        """Remember a topic; when there is no room, all others are forgotten."""
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
        """The topic, if it is as it was."""
        entry = self._entries.get(image.name)
        return entry.encoded if entry is not None and entry.image is image else None

    def pieces(self, image: "TopicImage", encode: "Callable[[int, PartitionImage], bytes]") -> "Steps[list[bytes]]":
        """Each partition of a topic, encoded again if it has changed."""
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
        yield copies // COPIES_A_UNIT
        return found

    def forget_but(self, names: "MetadataImage") -> None:
        """Drop topics that are gone, when there may be many of them."""
        topics = names.topics
        if len(self._entries) > 2 * len(topics):
            self._entries = {name: entry for name, entry in self._entries.items() if name in topics}
            self._size_bytes = sum(map(_size, self._entries.values()))


class MetadataAnswers:
    """One for each broker."""

    def __init__(self) -> None:
        self.answers: dict[Hashable, list[bytes]] = {}
        self._image = EMPTY_IMAGE
        self._tables: dict[Hashable, Table] = {}

    def find(self, question: "Hashable", image: "MetadataImage") -> list[bytes] | None:
        """The answer if this was asked before on this image."""
        if self._image is not image:
            self.answers.clear()
            self._image = image
        return self.answers.get(question)

    def keep(self, question: "Hashable", image: "MetadataImage", parts: list[bytes]) -> None:
        """Remember an answer, unless it is large or the image has changed since."""
        if self._image is image and sum(map(len, parts)) <= MAX_ANSWER_BYTES:
            if len(self.answers) >= MAX_ANSWERS:
                self.answers.clear()
            self.answers[question] = parts

    def table(self, way: "Hashable") -> Table:
        """What is kept of topics that are encoded in that way; the one not used for longest makes room."""
        table = self._tables.pop(way, None) or Table()
        self._tables[way] = table
        if len(self._tables) > MAX_TABLES:
            del self._tables[next(iter(self._tables))]
        return table


def _size(entry: _Entry) -> int:
    return len(entry.encoded) * (2 if entry.pieces else 1)
