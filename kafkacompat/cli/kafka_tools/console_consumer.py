"""`kafka-console-consumer`: prints the values of a topic's records, without a group."""

from __future__ import annotations

import sys
import time

from kafkacompat.cli.kafka_tools.arguments import ToolError, parse
from kafkacompat.cli.kafka_tools.tool_client import CONFIG, SERVERS, client_of, configs_of
from kafkacompat.client.consuming import Fetcher, IncomingRecord
from kafkacompat.client.partition_offsets import list_offsets
from kafkacompat.protocol.constants import EARLIEST_TIMESTAMP, LATEST_TIMESTAMP

VALUED = (
    *SERVERS, CONFIG, "--topic", "--partition", "--offset", "--max-messages", "--timeout-ms", "--property",
    "--formatter-property", "--isolation-level", "--group", "--consumer-property", "--consumer.config",
)  # fmt: skip
PROPERTIES = frozenset({"print.key", "print.value", "key.separator"})
POLL_S = 0.5
FOREVER_S = 1e9


def run(arguments: list[str]) -> int:
    """Run the tool."""
    given = parse(arguments, VALUED, ("--from-beginning",))
    if given.get("--group") is not None:
        raise ToolError("--group is not supported here: leave it out, and the topic is read without a group")
    properties = configs_of(given.get_all("--property", "--formatter-property"))
    for name in properties:
        if name not in PROPERTIES:
            raise ToolError(f"property {name} is not supported here; these are: {', '.join(sorted(PROPERTIES))}")
    topic, most = given.require("--topic"), given.integer("--max-messages")
    timeout_ms, partition = given.integer("--timeout-ms"), given.integer("--partition")
    count = 0
    with client_of(given) as client:
        numbers = client.partitions(topic, auto_create=True) if partition is None else [partition]
        start = given.get("--offset") or ("earliest" if "--from-beginning" in given else "latest")
        if start.isdecimal():
            positions = {(topic, number): int(start) for number in numbers}
        else:
            times = {
                (topic, number): EARLIEST_TIMESTAMP if start == "earliest" else LATEST_TIMESTAMP for number in numbers
            }
            positions = {place: found.offset for place, found in list_offsets(client, times).items()}
        patience_s = FOREVER_S if timeout_ms is None or timeout_ms < 0 else timeout_ms / 1000
        last_s = time.monotonic()
        isolation = 1 if given.get("--isolation-level") == "read_committed" else 0
        with Fetcher(client, positions, isolation=isolation) as fetcher:
            while (most is None or count < most) and time.monotonic() - last_s < patience_s:
                for piece in fetcher.poll(min(POLL_S, patience_s)):
                    for record in piece.records[: None if most is None else most - count]:
                        _print(record, properties)
                        count += 1
                        last_s = time.monotonic()
                sys.stdout.flush()
    print(f"Processed a total of {count} messages", file=sys.stderr)  # noqa: T201 (as the original does)
    return 0


def _print(record: IncomingRecord, properties: dict[str, str]) -> None:
    parts = []
    if properties.get("print.key") == "true":
        parts.append(b"null" if record.key is None else record.key)
    if properties.get("print.value", "true") == "true":
        parts.append(b"null" if record.value is None else record.value)
    sys.stdout.buffer.write(properties.get("key.separator", "\t").encode().join(parts) + b"\n")
