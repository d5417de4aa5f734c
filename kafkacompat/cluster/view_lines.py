"""The values of views as lines of text, for reports and for assertions that fail."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkacompat.cluster.view_types import Connection, Group, Record, Request, Topic, Transaction

VALUE_MAX_CHARS = 80


def request_lines(requests: Iterable[Request]) -> list[str]:
    """Each request in one line."""
    return [request_line(each) for each in requests]


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


def captured_line(request: Request) -> str:
    """A request of a capture in one line, with its time (UTC), number and connection."""
    from datetime import UTC, datetime

    try:
        at = datetime.fromtimestamp(request.at_ms / 1000, UTC).strftime("%H:%M:%S.%f")[:-3]
    except (OverflowError, ValueError, OSError):  # a damaged time
        at = str(request.at_ms)
    return f"{at} {request.number} connection {request.connection} {request_line(request)}"


def topic_lines(topics: Iterable[Topic]) -> list[str]:
    """The ends of each partition."""
    lines = []
    for topic in topics:
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


def transaction_lines(transactions: Iterable[Transaction]) -> list[str]:
    """Each transactional id with the state of its transaction."""
    return [
        f"{each.transactional_id}: {each.state}, producer {each.producer_id}/{each.epoch}"
        + (f", open for {each.age_ms} of {each.timeout_ms} ms" if each.age_ms is not None else "")
        for each in transactions
    ]


def group_lines(groups: Iterable[Group]) -> list[str]:
    """Each group with its lag and the reason of its last rebalance."""
    lines = []
    for group in groups:
        line = f"{group.group_id}: {group.state}, generation {group.generation}, {len(group.members)} members"
        lines.append(f"{line}, lag {group.lag}" if group.offsets else line)
        lines += [
            f"  {each.topic}-{each.partition}: committed {each.committed_offset} of {each.end_offset}, lag {each.lag}"
            for each in group.offsets
            if each.lag != 0
        ]
        lines += [f"  rebalanced: {each.reason}" for each in group.rebalances[-1:]]
    return lines


def connection_lines(connections: Iterable[Connection]) -> list[str]:
    """Each connection with its client and what it waits for."""
    return [
        f"{each.client_id or 'unknown'} ({each.client_software_name or '?'} {each.client_software_version}) from "
        f"{each.peer}, idle {each.idle_ms} ms" + (f", waits for {', '.join(each.waits[0].keys)}" if each.waits else "")
        for each in connections
    ]


def record_lines(records: Iterable[Record]) -> list[str]:
    """Each record in one line."""
    return [record_line(each) for each in records]


def record_line(record: Record) -> str:
    """A record in one line: `orders-0@3 key=b'k' b'{"id": 1}'`."""
    line = f"{record.topic}-{record.partition}@{record.offset}"
    if record.key is not None:
        line += f" key={short(record.key)}"
    if record.headers:
        line += f" headers={short(dict(record.headers))}"
    return f"{line} {short(record.value)}"


def short(value: object) -> str:
    """The value as Python writes it, shortened in its middle."""
    text = repr(value)
    if len(text) <= VALUE_MAX_CHARS:
        return text
    half = VALUE_MAX_CHARS // 2 - 2
    return f"{text[:half]}...{text[-half:]}"
