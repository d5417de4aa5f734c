"""Assertions on a running cluster. They raise AssertionError, and need no client."""

from __future__ import annotations

from kafkacompat.cluster.views import Views
from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Any

    from kafkacompat.cluster.expectations import Comparison, Expected
    from kafkacompat.cluster.view_types import Group, Record

RECORDS_MAX = 100_000
"""The most records of a topic that are compared."""
COMMITTED, UNCOMMITTED = "committed", "uncommitted"
_ANY: object = object()
_LEFT_OUT = {"aborted": "aborted", "open": "in an open transaction", "above_hw": "not replicated yet"}
NORMAL_ERRORS = frozenset(
    (
        "COORDINATOR_LOAD_IN_PROGRESS", "COORDINATOR_NOT_AVAILABLE", "FETCH_SESSION_ID_NOT_FOUND",
        "LEADER_NOT_AVAILABLE", "MEMBER_ID_REQUIRED", "REBALANCE_IN_PROGRESS",
    )
)  # fmt: skip
"""Errors that clients get in normal operation and take as an instruction."""
_NOT_YET = (AssertionError, KeyError, IndexError)


class Assertions(Views):
    """The assertions that `Cluster` offers. Each raises AssertionError, and KafkaCompatError as the views do.

    timeout_s: wait at most this long; 0 looks once. Events of the brokers wake a waiting assertion.
    """

    def wait_until(self, condition: Callable[[], object], *, timeout_s: float = 10.0, what: str = "") -> None:
        """Wait until `condition()` is true. Raises AssertionError with what was seen last.

        The condition may use the views and anything else. One that raises AssertionError, KeyError or IndexError is not
        true yet. `what` says what is waited for.
        """
        __tracebackhide__ = True  # pytest shows the line of the test
        from kafkacompat.cluster.waiting import until

        def look() -> str | None:
            self._seen = {}
            try:
                result = condition()
            except _NOT_YET as error:
                return f"{type(error).__name__}: {error}"
            return None if result else f"the condition was {result!r}"

        try:
            told = until(self._run_on_all, look, timeout_s)
            if told is not None:
                name = what or getattr(condition, "__name__", repr(condition))
                raise AssertionError("\n".join([f"not within {timeout_s} s: {name}", told, *self._seen_lines()]))
        finally:
            self._seen = None

    def assert_produced(
        self,
        topic: str,
        expected: Expected | Sequence[Expected],
        *,
        key: object = _ANY,
        headers: Mapping[str, str | bytes | None] | None = None,
        partition: int | None = None,
        order: str = "per_key",
        read: str = COMMITTED,
        timeout_s: float = 0,
    ) -> None:
        """The records of a topic are these, and no others.

        expected: one or a list of: text or bytes (the whole value), None (a tombstone), a regex (searched in the
            value), a dict (a JSON object with at least these members; inside, regexes and functions work, too), or a
            function of the record. A list as a JSON value goes into a list.
        key, headers, partition: compare only the records with this key (None: without one), with these headers, of this
            partition.
        order: "per_key" for the records of each key (without keys, of each partition), "exact" for one partition's
            records, "any".
        read: "committed" leaves out transactions that are open or aborted, as consumers with read_committed do.
        """
        __tracebackhide__ = True
        from kafkacompat.cluster.expectations import EXACT, ORDERS, Comparison, difference
        from kafkacompat.cluster.waiting import until
        from kafkacompat.control_api.views.record_views import NotFoundError

        wanted: list[Any] = list(expected) if isinstance(expected, (list, tuple)) else [expected]
        if order not in ORDERS:
            raise KafkaCompatError(f"order={order!r}: use one of {', '.join(ORDERS)}")
        if read not in (COMMITTED, UNCOMMITTED):
            raise KafkaCompatError(f"read={read!r}: use {COMMITTED} or {UNCOMMITTED}")

        def look() -> str | None:
            try:
                records = self.records(topic, partition=partition, limit=RECORDS_MAX)
            except NotFoundError as error:
                is_empty = not wanted and topic not in self.topics(internal=True)
                return None if is_empty else f"expected records: {len(wanted)}, but {error}"
            compared_records, left_out = _divided(records, key, headers, read)
            if order == EXACT and len({record.partition for record in compared_records}) > 1:
                raise KafkaCompatError(f"{topic!r} has records in several partitions: order=exact needs partition=")
            compared: Comparison = Comparison(wanted, compared_records, order)
            return None if compared.is_equal else difference(topic, compared, left_out)

        told = until(self._run_on_all, look, timeout_s)
        if told is not None:
            raise AssertionError(_within(timeout_s) + told)

    def assert_consumed_up_to(
        self, group: str, topic: str, *, partition: int | None = None, offset: int | None = None, timeout_s: float = 0
    ) -> None:
        """The group has committed the topic (or one partition) up to this offset; None: up to the last record that
        consumers with read_committed get.
        """
        __tracebackhide__ = True
        from kafkacompat.cluster.waiting import until

        told = until(self._run_on_all, lambda: self._not_consumed(group, topic, partition, offset), timeout_s)
        if told is not None:
            raise AssertionError(_within(timeout_s) + told)

    def _not_consumed(self, group_id: str, topic: str, partition: int | None, offset: int | None) -> str | None:
        from kafkacompat.cluster.view_lines import record_line
        from kafkacompat.protocol.constants import UNKNOWN_OFFSET

        found = self.topics(internal=True).get(topic)
        if found is None:
            return f"there is no topic {topic!r}"
        group = self.groups().get(group_id)
        lines = []
        for each in found.partitions:
            if partition not in (None, each.partition):
                continue
            committed = UNKNOWN_OFFSET if group is None else group.offset(topic, each.partition)
            if committed >= (each.end_offset if offset is None else offset):
                continue
            name = f"{topic}-{each.partition}"
            if offset is not None:
                lines.append(f"  {name}: committed {_offset(committed)}, expected {offset}")
                continue
            left = self.records(topic, partition=each.partition, from_offset=max(committed, 0))
            left = [record for record in left if record.state == COMMITTED and record.control is None]
            if left:
                line = f"  {name}: committed {_offset(committed)} of {each.end_offset}, next is "
                lines.append(line + record_line(left[0]))
        if not lines:
            return None
        missing = "" if group is not None else " (there is no such group)"
        return "\n".join([f"group {group_id}{missing} has not consumed {topic}:", *lines])

    def assert_group(
        self,
        group: str,
        *,
        state: str | None = None,
        members: int | Collection[str] | None = None,
        generation: int | None = None,
        protocol: str | None = None,
        timeout_s: float = 0,
    ) -> None:
        """The group is as described; what is None is not compared. `members` is their number, or their client ids."""
        __tracebackhide__ = True
        from kafkacompat.cluster.waiting import until

        def look() -> str | None:
            found = self.groups().get(group)
            if found is None:
                known = ", ".join(self.groups()) or "none"
                return f"there is no group {group!r}; there are: {known}"
            wanted = {"state": state, "generation": generation, "protocol": protocol}
            return _other_group(found, wanted, members)

        told = until(self._run_on_all, look, timeout_s)
        if told is not None:
            raise AssertionError(_within(timeout_s) + told)

    def assert_no_errors(self, *, ignore: Collection[str] = ()) -> None:
        """No response in the journal has an error, and no connection was closed for a broken request.

        Errors of normal operation do not count (NORMAL_ERRORS: COORDINATOR_NOT_AVAILABLE, MEMBER_ID_REQUIRED, ...), nor
        those named in `ignore`, nor requests that met a fault rule. Only requests that the journal still has are seen.
        Raises KafkaCompatError if the journal is off.
        """
        __tracebackhide__ = True
        from kafkacompat.cluster.view_lines import request_lines

        requests, count = self.journaled()
        ignored = {*NORMAL_ERRORS, *ignore}
        failed = [
            each
            for each in requests
            if each.fault is None
            and (each.closed is not None or any(error.error not in ignored for error in each.errors or ()))
        ]
        if failed:
            lines = [f"{len(failed)} of the last {len(requests)} requests failed ({count} in all):"]
            lines += [f"  {line}" for line in request_lines(failed[:10])]
            lines += [f"  and {len(failed) - 10} more"] if len(failed) > 10 else []
            raise AssertionError("\n".join(lines))


def _within(timeout_s: float) -> str:
    return f"within {timeout_s} s: " if timeout_s > 0 else ""


def _offset(committed: int) -> str:
    return "nothing" if committed < 0 else str(committed)


def _other_group(found: Group, wanted: Mapping[str, object], members: int | Collection[str] | None) -> str | None:
    from kafkacompat.cluster.view_lines import group_lines

    lines = [
        f"  {name} is {getattr(found, name)!r}, expected {value!r}"
        for name, value in wanted.items()
        if value is not None and getattr(found, name) != value
    ]
    client_ids = sorted(member.client_id for member in found.members)
    if isinstance(members, int):
        if len(client_ids) != members:
            lines.append(f"  it has {len(client_ids)} members, expected {members}: {', '.join(client_ids) or 'none'}")
    elif members is not None and client_ids != sorted(members):
        lines.append(f"  its members are {client_ids}, expected {sorted(members)}")
    return "\n".join([f"group {found.group_id} is not as expected:", *lines, *group_lines([found])]) if lines else None


def _divided(
    records: Sequence[Record], key: object, headers: Mapping[str, str | bytes | None] | None, read: str
) -> tuple[list[Record], list[tuple[Record, str]]]:
    """The records to compare, and the others with the reason why not."""
    wanted_key = key.encode() if isinstance(key, str) else key
    wanted_headers = {name: text.encode() if isinstance(text, str) else text for name, text in (headers or {}).items()}
    compared, left_out = [], []
    for record in records:
        if record.control is not None:
            continue
        if record.state == "above_hw" or (read == COMMITTED and record.state != COMMITTED):
            left_out.append((record, _LEFT_OUT[record.state]))
        elif wanted_key is not _ANY and record.key != wanted_key:
            left_out.append((record, "with another key"))
        elif any((name, content) not in record.headers for name, content in wanted_headers.items()):
            left_out.append((record, "with other headers"))
        else:
            compared.append(record)
    return compared, left_out
