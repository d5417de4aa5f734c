"""`python -m benchmarks.restart_load`: how long groups take to load after a broker was killed while they committed.

A client commits the same 1,000 offsets over and over. After the second pass of its cleaner the broker is killed
(SIGKILL) at a random moment. This process opens a copy of its directory and loads the groups, then the broker starts
again, for the next round. Loads are CPU times, which a busy machine leaves alone.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.loading import PARTITIONS_OF_A_GROUP, started, turns_of
from compat_tests.kafkacompat_broker import KafkacompatBroker
from kafkacompat.client.client import Client
from kafkacompat.protocol.messages import create_topics, offset_commit
from kafkacompat.server.clock import SystemClock

COMMITS = 3_000_000
OFFSETS = 1_000
ROUNDS = 10
KILLED_WITHIN = 150_000
"""Commits: each broker is killed after a random number of them, at most so many after the second pass."""
PASSES = 2
RATE = 10_000
"""Commits a second, after the first `COMMITS`, which come as fast as they can."""
BAR_S = 0.5
TOPIC = "orders"
GROUPS = OFFSETS // PARTITIONS_OF_A_GROUP
COMPACTING = "compacting __consumer_offsets"


def passes_of(broker: KafkacompatBroker) -> int:
    """How many passes over the groups' log have ended, by the log of the broker."""
    return max(0, broker.log_path.read_text().count(COMPACTING) - 1)


def commit(client: Client, offset: int) -> None:
    """One offset for each partition of each group."""
    offsets = [offset_commit.OffsetCommitRequestPartition(index, offset) for index in range(PARTITIONS_OF_A_GROUP)]
    topics = [offset_commit.OffsetCommitRequestTopic(TOPIC, partitions=offsets)]
    for number in range(GROUPS):
        group = f"group-{number}"
        answer = client.call_coordinator(
            group, offset_commit, offset_commit.OffsetCommitRequest(group, topics=topics),
            lambda response: response.topics[0].partitions[0].error_code, max_version=7,
        )  # fmt: skip
        codes = {partition.error_code for partition in answer.topics[0].partitions}
        assert codes == {0}, f"errors of OffsetCommit: {codes}"


def write(broker: KafkacompatBroker, first: int, least: int, rng: random.Random) -> int:
    """Commit from the offset `first` on: so many as fast as it goes, then at the rate until the cleaner has made its
    passes, then up to a random moment. Returns the next offset.
    """
    offset = first
    with Client(broker.bootstrap_servers) as client:
        if not first:
            topic = create_topics.CreatableTopic(TOPIC, PARTITIONS_OF_A_GROUP, 1)
            client.call_controller(
                create_topics, create_topics.CreateTopicsRequest([topic], 10_000),
                lambda response: response.topics[0].error_code,
            )  # fmt: skip
        while (offset - first) * OFFSETS < least:
            commit(client, offset)
            offset += 1
        since_s, begun, done, end = time.monotonic(), offset, passes_of(broker), None
        while end is None or offset < end:
            commit(client, offset)
            offset += 1
            if end is None and passes_of(broker) >= done + PASSES:
                end = offset + rng.randrange(KILLED_WITHIN) // OFFSETS
            time.sleep(max(0.0, since_s + (offset - begun) * OFFSETS / RATE - time.monotonic()))
    return offset


def load(data_dir: Path, newest: int) -> tuple[int, list[float]]:
    """Load the groups from a copy of the directory. The number of records in their log, and each turn's time in ms."""
    with tempfile.TemporaryDirectory(prefix="kafkacompat-restart-") as root:
        copy = Path(root) / "data"
        shutil.copytree(data_dir, copy)
        (copy / ".lock").unlink(missing_ok=True)
        broker, partition = started(str(copy))
        log = partition.log
        left = sum(header.record_count for header, _ in log.batches(log.log_start_offset, log.log_end_offset))
        turns = turns_of(broker, partition)
        shard = next(broker.groups.shards())
        topics = [shard.offsets.topics(f"group-{number}") for number in range(GROUPS)]
        found = [committed[0] for each in topics for committed in each[TOPIC].values()]
        assert len(found) == OFFSETS
        assert min(found) == newest, "a commit that was acknowledged is lost"
        broker.close(SystemClock().now(), clean=False)
    return left, turns


def main() -> int:
    """Prints a table; returns 1 if a load took longer than the bar."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.restart_load", description=__doc__)
    parser.add_argument("--commits", type=int, default=COMMITS, help="before the first kill (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="kills (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    broker = KafkacompatBroker({"offsets.topic.num.partitions": "1"})
    offset, worst_s = 0, 0.0
    print("| commits | records left | load, s of CPU | longest turn, ms |\n|--:|--:|--:|--:|")
    try:
        for number in range(options.rounds):
            broker.start()
            offset = write(broker, offset, 0 if number else options.commits, rng)
            data_dir = broker.data_dirs[0]
            broker.kill()
            left, turns = load(data_dir, offset - 1)
            load_s = sum(turns) / 1000
            worst_s = max(worst_s, load_s)
            print(f"| {offset * OFFSETS:,} | {left:,} | {load_s:.2f} | {max(turns):.1f} |", flush=True)
    finally:
        broker.close()
    print(f"\nworst: {worst_s:.2f} s (at most {BAR_S})")
    return int(worst_s > BAR_S)


if __name__ == "__main__":
    sys.exit(main())
