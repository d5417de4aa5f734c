"""`kafka-get-offsets`: the offsets of topics' partitions, as topic:partition:offset."""

from __future__ import annotations

import re

from kafkacompat.cli.kafka_tools.arguments import UsageError, parse
from kafkacompat.cli.kafka_tools.client_config import ClientConfigError, file_of, settings_of
from kafkacompat.cli.kafka_tools.tool_client import CONFIG, SERVERS, client_of
from kafkacompat.client import topic_admin
from kafkacompat.client.partition_offsets import list_offsets

VALUED = (*SERVERS, CONFIG, "--topic", "--partitions", "--time")
TIMES = {"latest": -1, "earliest": -2, "max-timestamp": -3}


def run(arguments: list[str]) -> int:
    """Run the tool."""
    try:
        given = parse(arguments, VALUED, ("--exclude-internal-topics",))
    except UsageError as error:
        raise UsageError(f"Error occurred: {error}") from None
    text = given.get("--time") or "latest"
    if text not in TIMES and not text.lstrip("-").isdecimal():
        raise UsageError(
            f"Error occurred: Malformed time argument {text}. Please use -1 or latest / -2 or earliest / -3 or "
            "max-timestamp, or a specified long format timestamp"
        )
    time_ms = TIMES[text] if text in TIMES else int(text)
    wanted = given.get("--partitions")
    only = None if wanted is None else {int(number) for number in wanted.split(",") if number.isdecimal()}
    try:
        settings = settings_of(file_of(given))
    except ClientConfigError as error:
        raise UsageError(f"Error occurred: {error}") from None
    with client_of(given, settings) as client:
        places = {
            (topic.name, each.partition): time_ms
            for topic in topic_admin.list_topics(client)
            if re.fullmatch(given.get("--topic") or ".*", topic.name)
            and not (topic.is_internal and "--exclude-internal-topics" in given)
            for each in topic.partitions
            if only is None or each.partition in only
        }
        if not places:
            raise UsageError("Error occurred: Could not match any topic-partitions with the specified filters")
        for (topic_name, partition), found in sorted(list_offsets(client, places).items()):
            if found.offset >= 0:  # there is no record that young
                print(f"{topic_name}:{partition}:{found.offset}")  # noqa: T201 (output)
    return 0
