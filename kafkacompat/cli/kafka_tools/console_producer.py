"""`kafka-console-producer`: a record for each line of standard input."""

from __future__ import annotations

import sys

from kafkacompat.cli.kafka_tools.arguments import ToolError, parse
from kafkacompat.cli.kafka_tools.client_config import check, file_of, settings_of
from kafkacompat.cli.kafka_tools.tool_client import CONFIG, SERVERS, client_of, pairs_of
from kafkacompat.client.producing import OutgoingRecord, Producer

VALUED = (
    *SERVERS, CONFIG, "--topic", "--property", "--reader-property", "--producer-property", "--compression-codec",
    "--request-required-acks", "--producer.config", "--command-property", "--batch-size", "--timeout", "--max-block-ms",
    "--message-send-max-retries", "--retry-backoff-ms", "--request-timeout-ms", "--line-reader",
)  # fmt: skip
PROPERTIES = frozenset({"parse.key", "key.separator"})
ACKS = {"all": -1, "-1": -1, "1": 1, "0": 0}


def run(arguments: list[str]) -> int:
    """Run the tool."""
    given = parse(arguments, VALUED, ("--sync",))
    properties = pairs_of(given.get_all("--property", "--reader-property"))
    for name in properties:
        if name not in PROPERTIES:
            raise ToolError(f"property {name} is not supported here; these are: {', '.join(sorted(PROPERTIES))}")
    settings = settings_of(file_of(given, "--producer.config")) | pairs_of(
        given.get_all("--producer-property", "--command-property")
    )
    check(settings)
    acks = given.get("--request-required-acks") or settings.get("acks", "all")
    if acks not in ACKS:
        raise ToolError(f"acks {acks}: give all, 1 or 0")
    separator = properties.get("key.separator", "\t").encode() if properties.get("parse.key") == "true" else None
    topic = given.require("--topic")
    with client_of(given, settings) as client:
        codec = given.get("--compression-codec") or "none"  # which wins over a property, as in Kafka's tool
        producer = Producer(client, acks=ACKS[acks], compression=codec, auto_create=True)
        for number, line in enumerate(sys.stdin.buffer, 1):
            producer.send(topic, _record(line.rstrip(b"\r\n"), separator, number))
            if producer.is_full or sys.stdin.isatty():
                producer.flush()
        producer.flush()
    return 0


def _record(line: bytes, separator: bytes | None, number: int) -> OutgoingRecord:
    if separator is None:
        return OutgoingRecord(None, line)
    key, found, value = line.partition(separator)
    if not found:
        raise ToolError(f"No key separator found on line number {number}: {line.decode('utf-8', 'replace')!r}")
    return OutgoingRecord(key, value)
