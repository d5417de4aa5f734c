"""This broker and Apache Kafka on one machine in turn: what benchmarks of whole brokers and their directories share."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks import metered
from benchmarks.bars import Bar, Medians, judge
from benchmarks.measure import cpu_seconds
from compat_tests.apache_kafka import DEFAULT_JVM_OPTIONS, ApacheKafka
from compat_tests.api.raw import RawClient
from compat_tests.broker_process import remove_directory, scratch_directory
from compat_tests.kafkacompat_broker import KafkacompatBroker
from kafkacompat.protocol.messages import create_topics, list_offsets, produce
from kafkacompat.protocol.records.builder import Record, build_batch

RESULTS = Path(__file__).parent / "results"
KAFKA, OURS = "kafka", "kafkacompat"
LATEST, EARLIEST = -1, -2
PARTITIONS_PER_REQUEST = 500
TIMEOUT_S = 1_800
"""For one start, one stop, one request: ten thousand partitions are minutes of work for Apache Kafka."""
POLL_S = 0.01
Topics = Mapping[str, int]
"""Names and how many partitions each has."""


class Measured:
    """One of the two brokers, with a data directory of its own. `data` is known once it was started."""

    def __init__(self, name: str, config: Mapping[str, str] | None = None) -> None:
        self.name = name
        self._folder = scratch_directory("benchmark-")
        self._meter = self._folder / "meter"
        self._broker: ApacheKafka | KafkacompatBroker = (
            ApacheKafka(config=config, jvm_options=DEFAULT_JVM_OPTIONS)
            if name == KAFKA
            else KafkacompatBroker(config, program=metered.command(self._meter))
        )
        self.data = Path()

    def start(self) -> None:
        """Start it, and wait until it accepts clients."""
        self._broker.start(TIMEOUT_S)
        self.data = self._broker.data_dirs[0]
        if self.name == OURS:
            metered.begin(self._meter)

    def longest_turn(self) -> dict[str, float]:
        """Since the start or the last call; see `metered`. Empty for Apache Kafka, which has no loop."""
        return {} if self.name == KAFKA else metered.read(self._meter)

    def seconds_to_serve(self, topics: Topics) -> tuple[float, int]:
        """Start it; the time from exec until it answers for all partitions, and how many records are in them."""
        since = time.perf_counter()
        self.start()
        first = dict.fromkeys(topics, 1)
        while self._end_offsets(first) is None:
            self._wait(since)
        while (found := self._end_offsets(topics)) is None:
            self._wait(since)
        return time.perf_counter() - since, found

    def _wait(self, since: float) -> None:
        if time.perf_counter() - since > TIMEOUT_S:
            raise TimeoutError(
                f"{self.name} does not serve all partitions after {TIMEOUT_S} s\n{self._broker.log_tail()}"
            )
        time.sleep(POLL_S)

    def _end_offsets(self, topics: Topics) -> int | None:
        """Their sum; None while a partition is not served."""
        try:
            with RawClient(self.servers, TIMEOUT_S) as client:
                return sum(offsets(client, topics, LATEST))
        except (OSError, LookupError):
            return None

    @property
    def servers(self) -> str:
        return self._broker.bootstrap_servers

    @property
    def pid(self) -> int:
        return self._broker.pid if isinstance(self._broker, KafkacompatBroker) else self._broker.pids[1]

    @property
    def cpu_s(self) -> float:
        return cpu_seconds(self.pid)

    @property
    def log(self) -> Path:
        """What it writes to its standard output."""
        if isinstance(self._broker, KafkacompatBroker):
            return self._broker.log_path
        return self._broker.data_dirs[0].parent / "server-1.log"

    @property
    def log_loading_s(self) -> float:
        """How long the logs of the last start took to load, by Apache Kafka's own line."""
        found = re.findall(r"Loaded \d+ logs in (\d+)ms", self.log.read_text(errors="replace"))
        return int(found[-1]) / 1000

    def stop(self) -> None:
        self._broker.stop(TIMEOUT_S)

    def kill(self) -> None:
        self._broker.kill()

    def close(self) -> None:
        self._broker.close()
        remove_directory(self._folder)


def create(servers: str, topics: Topics, config: Mapping[str, str] | None = None) -> None:
    """Create topics, and wait until all their partitions are served."""
    configs = [create_topics.CreatableTopicConfig(name, value) for name, value in (config or {}).items()]
    with RawClient(servers, TIMEOUT_S) as client:
        for name, count in topics.items():
            wanted = create_topics.CreatableTopic(name, count, 1, configs=configs)
            request = create_topics.CreateTopicsRequest([wanted], TIMEOUT_S * 1000)
            answer = client.call(create_topics.API_KEY, 7, request)
            assert not answer.topics[0].error_code, answer.topics[0]
        deadline_s = time.monotonic() + TIMEOUT_S
        while True:
            try:
                list(offsets(client, topics, LATEST))
            except LookupError as error:
                if time.monotonic() > deadline_s:
                    raise TimeoutError(str(error)) from None
                time.sleep(POLL_S)
            else:
                return


def offsets(client: RawClient, topics: Topics, timestamp_ms: int) -> Iterator[int]:
    """What ListOffsets says of each partition. Raises LookupError if one is not served."""
    wanted = [
        list_offsets.ListOffsetsTopic(
            name, [list_offsets.ListOffsetsPartition(index, -1, timestamp_ms) for index in range(count)]
        )
        for name, count in topics.items()
    ]
    answer = client.call(list_offsets.API_KEY, 7, list_offsets.ListOffsetsRequest(-1, 0, wanted))
    for topic in answer.topics:
        for partition in topic.partitions:
            if partition.error_code:
                raise LookupError(f"{topic.name}-{partition.partition_index}: error {partition.error_code}")
            yield partition.offset


def batch_of(records: int, value_bytes: int, timestamp_ms: int) -> bytes:
    """A batch whose values cannot be compressed."""
    made = [Record(number, timestamp_ms, None, os.urandom(value_bytes)) for number in range(records)]
    return bytes(build_batch(made, base_offset=0))


def write(client: RawClient, topics: Topics, batch: bytes, times: int = 1) -> None:
    """Write a batch so often to each partition."""
    for name, count in topics.items():
        for first in range(0, count, PARTITIONS_PER_REQUEST):
            indexes = range(first, min(first + PARTITIONS_PER_REQUEST, count))
            parts = [produce.PartitionProduceData(index, batch) for index in indexes]
            data = [produce.TopicProduceData(name=name, partition_data=parts)]
            for _ in range(times):
                answer = client.call(produce.API_KEY, 9, produce.ProduceRequest(None, -1, TIMEOUT_S * 1000, data))
                codes = {part.error_code for part in answer.responses[0].partition_responses}
                assert codes == {0}, codes


def report(
    title: str, about: str, medians: Medians, metrics: Mapping[str, str], bars: Iterable[Bar], machine: dict[str, Any]
) -> tuple[list[str], bool]:
    """Markdown, and whether all bars held. `metrics`: their names, and what the table calls them."""
    verdicts = [verdict for bar in bars for verdict in judge(bar, medians)]
    lines = [f"# {title}", "", ", ".join(f"{name}: {value}" for name, value in machine.items()), "", about, ""]
    lines += [f"| | | {KAFKA} | {OURS} | ratio |", "|---|---|--:|--:|--:|"]
    for row, columns in medians.items():
        for metric, text in metrics.items():
            kafka, ours = (columns.get(name, {}).get(metric) for name in (KAFKA, OURS))
            if kafka is not None or ours is not None:  # a load has no ratio
                values = ["" if value is None else f"{value:,.2f}" for value in (kafka, ours)]
                ratio = f"{ours / kafka:.2f}" if kafka and ours is not None and metric != "load" else ""
                lines.append(f"| {row} | {text} | {' | '.join(values)} | {ratio} |")
    lines += ["", f"{sum(verdict.held for verdict in verdicts)} of {len(verdicts)} bars held:", ""]
    lines += [
        f"- {'held' if each.held else '**missed**'}: {each.bar.text}: {each.value:,.2f}, at most {each.limit:,.2f}"
        for each in verdicts
    ]
    return lines, all(verdict.held for verdict in verdicts)


def store(stem: str, folder: Path, lines: list[str], machine: dict[str, Any], samples: object) -> None:
    """Both forms: to read and to compare."""
    base = folder / f"{stem}-{machine['date'][:10]}-{machine['version']}"
    folder.mkdir(parents=True, exist_ok=True)
    Path(f"{base}.md").write_text("\n".join(lines) + "\n")
    Path(f"{base}.json").write_text(json.dumps({"facts": machine, "samples": samples}, indent=1) + "\n")
