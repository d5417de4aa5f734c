"""`cub kafka-ready COUNT TIMEOUT_S -b HOST:PORT`, and `ub kafka-ready` of newer images: waits for brokers."""

from __future__ import annotations

import sys
import time

from kafkacompat.cli.kafka_tools.arguments import ToolError, parse
from kafkacompat.cli.kafka_tools.container_health import check

PAUSE_S = 0.1
VALUED = ("-b", "--bootstrap_broker_list", "--bootstrap-broker-list", "-c", "--config", "-s", "--security-protocol")


def run(arguments: list[str]) -> int:
    """Run the tool."""
    command, *rest = arguments or [""]
    if command == "zk-ready":
        return 0  # there is no ZooKeeper to wait for
    if command != "kafka-ready":
        raise ToolError(f"{command or 'no command'}: only kafka-ready is supported here")
    given = parse(rest, VALUED, max_rest=3)
    numbers = [text for text in given.rest if text.isdecimal()]
    servers = given.get(*VALUED[:3]) or next((text for text in given.rest if ":" in text), None)
    if len(numbers) < 2 or servers is None:
        raise ToolError("give the number of brokers, a time in seconds and -b HOST:PORT")
    return wait(int(numbers[0]), float(numbers[1]), servers.split(","))


def wait(count: int, timeout_s: float, servers: list[str]) -> int:
    """Wait until one of the servers knows so many brokers. Returns 1 when the time is over, as the original does."""
    deadline_s = time.monotonic() + timeout_s
    why = "no time to wait"
    while time.monotonic() < deadline_s:
        for server in servers:
            try:
                found = check(server.rpartition("://")[2].strip(), min(2.0, timeout_s))
            except ToolError as error:
                why = str(error)
                continue
            if found >= count:
                return 0
            why = f"expected {count} brokers but found only {found}"
        time.sleep(PAUSE_S)
    print(f"Kafka is not ready: {why}", file=sys.stderr)  # noqa: T201 (for the user)
    return 1
