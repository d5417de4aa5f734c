"""What a cluster knows when a test fails, as short texts for its report."""

from __future__ import annotations

from kafkacompat.cluster.views import Views
from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

REQUESTS_SHOWN = 20
FAILED_SHOWN = 5
"""So many earlier requests are shown if they failed."""
LINES_MAX = 40
"""The most lines of a section."""
CUT = "... (shortened)\n"


class StateReport(Views):
    """The report that `Cluster` offers."""

    def report(self, limit_bytes: int = 8_192) -> list[tuple[str, str]]:
        """Titles and texts for the report of a failed test, at most `limit_bytes` together: the last requests with
        their errors (if the journal is on), the ends of partitions, groups with their lag, faults, connected clients.

        A section without anything to say is left out; one that cannot be made says why.
        """
        from kafkacompat.cluster.view_lines import connection_lines, group_lines, topic_lines

        sections: list[tuple[str, Callable[[], list[str]]]] = [
            ("requests", lambda: _requests(self)),
            ("topics", lambda: topic_lines(self.topics().values())),
            ("groups", lambda: group_lines(self.groups().values())),
            ("faults", lambda: _faults(self)),
            ("connected clients", lambda: connection_lines(self.connections())),
        ]
        made = [(title, _made(make)) for title, make in sections]
        return shared([(title, lines) for title, lines in made if lines], limit_bytes)


def _made(make: Callable[[], list[str]]) -> list[str]:
    try:
        return make()
    except KafkaCompatError as error:
        return [str(error)]


def shared(sections: list[tuple[str, list[str]]], limit_bytes: int) -> list[tuple[str, str]]:
    """The sections as texts within the limit; what a short section leaves is for the longer ones."""
    texts = {}
    left_bytes = limit_bytes
    by_size = sorted(sections, key=lambda section: sum(map(len, section[1])))
    for index, (title, lines) in enumerate(by_size):
        share = left_bytes // (len(by_size) - index)
        texts[title] = _fitted(lines, share - len(title.encode()))
        left_bytes -= len(title.encode()) + len(texts[title].encode())
    return [(title, texts[title]) for title, _ in sections]


def _fitted(lines: list[str], limit_bytes: int) -> str:
    """The lines, or the last of them that fit: what came last is nearest to the failure."""
    kept: list[str] = []
    left_bytes = limit_bytes
    for line in reversed(lines[-LINES_MAX:]):
        left_bytes -= len(line.encode()) + 1
        if left_bytes < len(CUT):
            break
        kept.append(line)
    text = "".join(f"{line}\n" for line in reversed(kept))
    return text if len(kept) == len(lines) else (CUT + text)[: max(0, limit_bytes)]


def _requests(cluster: Views) -> list[str]:
    from kafkacompat.cluster.view_lines import request_lines

    if not cluster.has_journal:
        return []
    found, count = cluster.journaled()
    last = found[-REQUESTS_SHOWN:]
    failed = [each for each in found[:-REQUESTS_SHOWN] if each.errors or each.closed][-FAILED_SHOWN:]
    lines = ["earlier, with errors:", *request_lines(failed)] if failed else []
    if count > len(last):
        lines.append(f"the last {len(last)} of {count} requests:")
    return lines + request_lines(last)


def _faults(cluster: Views) -> list[str]:
    faults = getattr(cluster, "faults", None)
    lines = []
    for fault in faults or ():
        lines.append(str(fault))
        if not fault.hits:
            lines += [f"  nearly: {miss}" for miss in fault.near_misses]
    return lines
