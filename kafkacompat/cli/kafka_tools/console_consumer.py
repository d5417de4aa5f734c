"""`kafka-console-consumer`: prints the values of a topic's records, as a member of a group with --group."""

from __future__ import annotations

import sys
import time

from kafkacompat.cli.kafka_tools.arguments import Arguments, ToolError, UsageError, parse
from kafkacompat.cli.kafka_tools.client_config import check, file_of, settings_of
from kafkacompat.cli.kafka_tools.tool_client import CONFIG, SERVERS, client_of, pairs_of
from kafkacompat.client.consuming import Fetcher, IncomingRecord
from kafkacompat.client.partition_offsets import list_offsets
from kafkacompat.protocol.constants import EARLIEST_TIMESTAMP, LATEST_TIMESTAMP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

    from kafkacompat.client.client import Client, Place

    Taken = list[tuple[int, IncomingRecord]]

VALUED = (
    *SERVERS, CONFIG, "--topic", "--partition", "--offset", "--max-messages", "--timeout-ms", "--property",
    "--formatter-property", "--isolation-level", "--group", "--consumer-property", "--command-property",
    "--consumer.config",
)  # fmt: skip
DEFAULTS = {
    "print.timestamp": "false", "print.partition": "false", "print.offset": "false", "print.headers": "false",
    "print.key": "false", "print.value": "true", "key.separator": "\t", "line.separator": "\n",
    "headers.separator": ",", "null.literal": "null",
}  # fmt: skip
POLL_S = 0.5
FOREVER_S = 1e9
TIME_TYPES = ("CreateTime", "LogAppendTime")
RESET = "auto.offset.reset"


def run(arguments: list[str]) -> int:
    """Run the tool."""
    given = parse(arguments, VALUED, ("--from-beginning",))
    topic = given.get("--topic")
    if topic is None:
        raise UsageError("Exactly one of the following arguments is required: [topic], [include]")
    properties = _properties(given)
    settings = _settings(given)
    group = given.get("--group") or settings.get("group.id")
    if group != settings.get("group.id", group):
        raise UsageError(
            "The group ids provided in different places (directly using '--group', via '--consumer-property', or via "
            f"'--consumer.config') do not match. Detected group ids: '{group}', '{settings['group.id']}'"
        )
    if group is not None and "--partition" in given:
        raise UsageError("Options group and partition cannot be specified together.")
    if "--offset" in given and "--partition" not in given:
        raise UsageError("The partition is required when offset is specified.")
    most, timeout_ms = given.integer("--max-messages"), given.integer("--timeout-ms")
    patience_s = FOREVER_S if timeout_ms is None or timeout_ms < 0 else timeout_ms / 1000
    count = 0
    start = "earliest" if "--from-beginning" in given else settings.get(RESET, "latest")
    with client_of(given, settings) as client:
        records = _grouped(client, given, topic, group, start) if group else _alone(client, given, topic, start)
        last_s = time.monotonic()
        try:
            while (most is None or count < most) and time.monotonic() - last_s < patience_s:
                for partition, record in next(records):
                    if most is not None and count >= most:
                        break
                    _print(partition, record, properties)
                    count += 1
                    last_s = time.monotonic()
                sys.stdout.flush()
        finally:
            records.close()
    print(f"Processed a total of {count} messages", file=sys.stderr)  # noqa: T201 (as the original does)
    return 0


def _properties(given: Arguments) -> dict[str, str]:
    properties = pairs_of(given.get_all("--property", "--formatter-property"))
    for name in properties:
        if name not in DEFAULTS:
            raise ToolError(f"property {name} is not supported here; these are: {', '.join(sorted(DEFAULTS))}")
    return DEFAULTS | properties


def _settings(given: Arguments) -> dict[str, str]:
    settings = settings_of(file_of(given, "--consumer.config")) | pairs_of(
        given.get_all("--consumer-property", "--command-property")
    )
    check(settings)
    return settings


def _isolation(given: Arguments) -> int:
    return 1 if given.get("--isolation-level") == "read_committed" else 0


def _starts(client: Client, given: Arguments, places: list[Place], start: str) -> dict[Place, int]:
    if start.isdecimal():
        return dict.fromkeys(places, int(start))
    if start not in ("earliest", "latest"):
        raise UsageError(
            f"The provided offset value '{start}' is incorrect. Valid values are 'earliest', 'latest', or a "
            "non-negative long."
        )
    time_ms = EARLIEST_TIMESTAMP if start == "earliest" else LATEST_TIMESTAMP
    found = list_offsets(client, dict.fromkeys(places, time_ms), isolation=_isolation(given))
    return {place: each.offset for place, each in found.items()}


def _alone(client: Client, given: Arguments, topic: str, start: str) -> Generator[Taken, None, None]:
    """Without a group: what each poll brings, as partitions with records."""
    partition = given.integer("--partition")
    numbers = client.partitions(topic, auto_create=True) if partition is None else [partition]
    positions = _starts(client, given, [(topic, number) for number in numbers], given.get("--offset") or start)
    with Fetcher(client, positions, isolation=_isolation(given)) as fetcher:
        while True:
            yield [(piece.partition, record) for piece in fetcher.poll(POLL_S) for record in piece.records]


def _grouped(client: Client, given: Arguments, topic: str, group: str, start: str) -> Generator[Taken, None, None]:
    """As a member of a group: the same. What was taken is committed before the next poll, and at the end."""
    from kafkacompat.client.group_admin import committed_offsets
    from kafkacompat.client.group_member import GroupMember

    client.partitions(topic, auto_create=True)
    member = GroupMember(client, group, [topic])
    fetcher: Fetcher | None = None
    taken: dict[Place, int] = {}
    try:
        while True:
            if member.poll() or fetcher is None:
                committed = {place: found.offset for place, found in committed_offsets(client, group).items()}
                missing = [place for place in member.assignment if place not in committed]
                positions = {place: committed[place] for place in member.assignment if place in committed}
                positions |= _starts(client, given, missing, start) if missing else {}
                if fetcher is not None:
                    fetcher.close()
                fetcher, taken = Fetcher(client, positions, isolation=_isolation(given)), dict(positions)
                member.commit(positions)
            for piece in fetcher.poll(POLL_S) if fetcher.positions else _nothing():
                for record in piece.records:
                    taken[topic, piece.partition] = record.offset + 1
                    yield [(piece.partition, record)]
            member.commit(taken)
            yield []
    finally:
        if fetcher is not None:
            fetcher.close()
        member.commit(taken)
        member.leave()


def _nothing() -> tuple[()]:
    time.sleep(POLL_S)
    return ()


def _print(partition: int, record: IncomingRecord, properties: dict[str, str]) -> None:
    null = properties["null.literal"].encode()
    parts = []
    if properties["print.timestamp"] == "true":
        kind = TIME_TYPES[record.header.is_log_append_time]
        parts.append(f"{kind}:{record.timestamp}".encode())
    if properties["print.partition"] == "true":
        parts.append(f"Partition:{partition}".encode())
    if properties["print.offset"] == "true":
        parts.append(f"Offset:{record.offset}".encode())
    if properties["print.headers"] == "true":
        between = properties["headers.separator"].encode()
        headers = [key.encode() + b":" + (null if value is None else value) for key, value in record.headers]
        parts.append(between.join(headers) or b"NO_HEADERS")
    if properties["print.key"] == "true":
        parts.append(null if record.key is None else record.key)
    if properties["print.value"] == "true":
        parts.append(null if record.value is None else record.value)
    sys.stdout.buffer.write(properties["key.separator"].encode().join(parts) + properties["line.separator"].encode())
