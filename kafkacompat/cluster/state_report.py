"""What a cluster knows when a test fails, as short texts for its report."""

from __future__ import annotations

from kafkacompat.cluster.views import Views
from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.cluster.view_types import Connection, Group, Request, Topic

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
        sections: list[tuple[str, Callable[[], list[str]]]] = [
            ("requests", lambda: _requests(self)),
            ("topics", lambda: _topics(self.topics())),
            ("groups", lambda: _groups(self.groups())),
            ("faults", lambda: _faults(self)),
            ("connected clients", lambda: _connections(self.connections())),
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
    if not cluster.has_journal:
        return []
    found, count = cluster.journaled()
    last = found[-REQUESTS_SHOWN:]
    failed = [each for each in found[:-REQUESTS_SHOWN] if each.errors or each.closed][-FAILED_SHOWN:]
    lines = ["earlier, with errors:", *map(request_line, failed)] if failed else []
    if count > len(last):
        lines.append(f"the last {len(last)} of {count} requests:")
    return lines + [request_line(each) for each in last]


def request_line(request: Request) -> str:
    """A request in one line: `billing: Produce v10 orders, 0.6 ms: NOT_LEADER_OR_FOLLOWER (orders-0)`."""
    took = "not answered" if request.took_ms is None else f"{request.took_ms:.1f} ms"
    names = f" {', '.join(request.names[:3])}" if request.names else ""
    line = f"{request.client_id or request.peer_host}: {request.api} v{request.version}{names}, {took}"
    if request.errors:
        errors = (f"{each.error} ({each.entity})" if each.entity else each.error for each in request.errors)
        line += f": {', '.join(errors)}"
    if request.closed is not None:
        line += f": closed, {request.closed}"
    return line + (f" [fault {request.fault}]" if request.fault is not None else "")


def _topics(topics: dict[str, Topic]) -> list[str]:
    lines = []
    for topic in topics.values():
        for partition in topic.partitions:
            leader = partition.leader_log
            if leader is None:
                lines.append(f"{topic.name}-{partition.partition}: no leader, replicas {partition.replicas}")
                continue
            line = f"{topic.name}-{partition.partition}: {leader.log_start_offset} to {leader.log_end_offset}"
            if leader.high_watermark != leader.log_end_offset:
                line += f", high watermark {leader.high_watermark}"
            if leader.last_stable_offset != leader.high_watermark:
                line += f", last stable {leader.last_stable_offset}"
            if len(partition.replicas) > 1:
                line += f", leader {partition.leader}, isr {partition.isr} of {partition.replicas}"
            lines.append(line)
    return lines


def _groups(groups: dict[str, Group]) -> list[str]:
    lines = []
    for group in groups.values():
        line = f"{group.group_id}: {group.state}, generation {group.generation}, {len(group.members)} members"
        lines.append(f"{line}, lag {group.lag}" if group.offsets else line)
        lines += [
            f"  {each.topic}-{each.partition}: committed {each.committed_offset} of {each.end_offset}, lag {each.lag}"
            for each in group.offsets
            if each.lag != 0
        ]
        lines += [f"  rebalanced: {each.reason}" for each in group.rebalances[-1:]]
    return lines


def _faults(cluster: Views) -> list[str]:
    faults = getattr(cluster, "faults", None)
    return [] if faults is None else [str(fault) for fault in faults]


def _connections(connections: list[Connection]) -> list[str]:
    return [
        f"{each.client_id or 'unknown'} ({each.client_software_name or '?'} {each.client_software_version}) from "
        f"{each.peer}, idle {each.idle_ms} ms" + (f", waits for {', '.join(each.waits[0].keys)}" if each.waits else "")
        for each in connections
    ]
