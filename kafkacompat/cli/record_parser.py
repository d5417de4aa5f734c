"""How `produce` reads records: JSON Lines, or lines of text."""

from __future__ import annotations

from kafkacompat.cli.exits import VerbError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkacompat.client.producing import OutgoingRecord

    Parsed = tuple[str | None, OutgoingRecord]

MAX_RECORD_BYTES = 64 * 1024 * 1024
"""Of one record's text."""


class Parser:
    """Turns pieces of input into records: pairs of topic (None: none named) and record. `count` were whole so far.

    With `topic_wins` a record's topic wins over the one on the command line; a copy of another topic's has its name.
    `feed` and `end` raise VerbError for what is no record.
    """

    topic_wins = False

    def __init__(self) -> None:
        self.count = 0
        self._rest = b""

    def feed(self, piece: bytes) -> Iterator[Parsed]:
        """The records that are whole now."""
        raise NotImplementedError

    def end(self) -> Iterator[Parsed]:
        """The record that the end of input completes, if any."""
        raise NotImplementedError

    def _keep(self, rest: bytes) -> None:
        if len(rest) > MAX_RECORD_BYTES:
            raise VerbError(f"it is longer than {MAX_RECORD_BYTES} bytes")
        self._rest = rest


class LineParser(Parser):
    """A record on each line."""

    def feed(self, piece: bytes) -> Iterator[Parsed]:
        lines = (self._rest + piece).split(b"\n")
        self._keep(lines.pop())
        for line in lines:
            yield from self._line(line)

    def end(self) -> Iterator[Parsed]:
        if self._rest:
            yield from self._line(self._rest)

    def _line(self, line: bytes) -> Iterator[Parsed]:
        yield self.parse(line)
        self.count += 1

    def parse(self, line: bytes) -> Parsed:
        """The record on a line: here its value."""
        from kafkacompat.client.producing import OutgoingRecord

        return None, OutgoingRecord(None, line)


class JsonParser(LineParser):
    """A JSON object on each line. Empty lines are left out."""

    def __init__(self) -> None:
        super().__init__()
        from kafkacompat.cli.record_json import record_from_json

        self._from_json = record_from_json

    def _line(self, line: bytes) -> Iterator[Parsed]:
        if line.strip():
            yield from super()._line(line)

    def parse(self, line: bytes) -> Parsed:
        return self._from_json(line)
