"""Makes the golden directories of a version: what clients may leave behind, after a clean stop and after `kill -9`."""

from __future__ import annotations

import json
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from compat_tests.api import groups, topics
from compat_tests.api.raw import RawClient
from kafkacompat.broker.registry import APIS
from kafkacompat.protocol.messages import (
    create_partitions,
    delete_records,
    delete_topics,
    describe_groups,
    incremental_alter_configs,
    init_producer_id,
    join_group,
    leave_group,
    offset_commit,
    produce,
    sync_group,
)
from kafkacompat.protocol.records.builder import Record, build_batch
from tests.golden.directories.content import BROKER_RESOURCE, NODE_ID, TOPIC_RESOURCE, Ask, content
from tests.waiting import pause, wait_until

DIRECTORIES = Path(__file__).resolve().parent
STOPPED, KILLED = "stopped", "killed"
EXPECTED = "expected.json"
MAX_BYTES = 200_000
"""Of all files of one version."""
SESSION_TIMEOUT_MS = 1_800_000
"""Members are still there when a later version has opened the directory."""
BROKER_SETTINGS = ("offsets.topic.num.partitions=4", "log.index.size.max.bytes=65536")
START_TIMEOUT_S = 60.0
PAUSE_S = 0.3
STEMS = {api.stem: key for key, api in APIS.items()}
CODECS = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}


def make(checkout: Path, python: str) -> Path:
    """Run the broker of a checkout, fill its directory, and keep it; the folder with what was kept."""
    shown = subprocess.run([python, "-m", "kafkacompat", "--version"], cwd=checkout, capture_output=True, check=True)
    version = shown.stdout.decode().split()[-1]
    target = DIRECTORIES / version
    target.mkdir(exist_ok=True)
    expected: dict[str, Any] = {"version": version, "made_at_ms": int(time.time() * 1000)}
    with tempfile.TemporaryDirectory(prefix="kafkacompat-golden-") as scratch:
        data = Path(scratch) / "data"
        with _serving(checkout, python, data, Path(scratch)) as (process, client):
            _fill(client)
            expected[STOPPED] = _seen(client)
            process.terminate()
            assert process.wait(START_TIMEOUT_S) == 0
        pack(data, target / f"{STOPPED}.tar.xz")
        with _serving(checkout, python, data, Path(scratch)) as (process, client):
            _fill_more(client)
            expected[KILLED] = _seen(client)
            process.kill()
            process.wait()
        pack(data, target / f"{KILLED}.tar.xz")
    keep(target, expected)
    return target


def keep(target: Path, expected: dict[str, Any]) -> None:
    """Write what clients saw beside the directories."""
    (target / EXPECTED).write_text(json.dumps(expected, indent=1, sort_keys=True) + "\n")
    size_bytes = sum(file.stat().st_size for file in target.iterdir())
    assert size_bytes <= MAX_BYTES, f"{target} has {size_bytes} bytes, and {MAX_BYTES} is the limit"


@contextmanager
def _serving(
    checkout: Path, python: str, data: Path, scratch: Path
) -> Iterator[tuple[subprocess.Popen[bytes], RawClient]]:
    state = scratch / "state.json"
    settings = [argument for setting in BROKER_SETTINGS for argument in ("--config", setting)]
    command = [python, "-m", "kafkacompat", "serve", "--port", "0", "--data-dir", str(data), "--state-file", str(state)]
    process = subprocess.Popen([*command, *settings], cwd=checkout, stdout=subprocess.DEVNULL)
    try:

        def is_ready() -> bool:
            assert process.poll() is None, "the broker did not start"
            return state.exists()

        wait_until(is_ready, START_TIMEOUT_S, "a broker that is ready")
        bootstrap_servers = json.loads(state.read_text())["bootstrap_servers"]
        topics.wait_for_coordinator(bootstrap_servers)
        with RawClient(bootstrap_servers) as client:
            yield process, client
    finally:
        process.kill()
        process.wait()
        state.unlink(missing_ok=True)


def asking(client: RawClient) -> Ask:
    """The requests that `content` makes, on a connection."""
    return lambda request, version: client.call(STEMS[type(request).__module__.rpartition(".")[2]], version, request)


def _seen(client: RawClient) -> dict[str, Any]:
    return content(asking(client), pause)


def pack(data: Path, archive: Path) -> None:
    with tarfile.open(archive, "w:xz") as tar:
        for file in sorted(data.rglob("*")):
            info = tar.gettarinfo(file, file.relative_to(data).as_posix())
            info.uid = info.gid = 0
            info.uname = info.gname = ""
            with file.open("rb") if file.is_file() else _nothing() as content_of:
                tar.addfile(info, content_of if file.is_file() else None)


@contextmanager
def _nothing() -> Iterator[Any]:
    yield None


# What clients do


def _fill(client: RawClient) -> None:
    forever = {"retention_ms": "-1"}
    topics.create(client, "codecs", 5, **forever)
    for partition, codec in enumerate(CODECS.values()):
        for number in range(3):
            write(client, "codecs", partition, records(5, f"batch {number}"), compression=codec)
    topics.create(client, "rolled", 1, segment_ms="200", index_interval_bytes="64", **forever)
    for number in range(4):  # a batch whose records are so much later begins a segment
        write(client, "rolled", 0, records(6, f"segment {number}", later_ms=1000 * number))
    topics.create(client, "stamped", 1, message_timestamp_type="LogAppendTime", **forever)
    write(client, "stamped", 0, records(3, "stamped"))
    topics.create(client, "tables", 2, cleanup_policy="compact", **forever)
    table = [Record(0, topics.BASE_TIMESTAMP_MS, b"a", b"1"), Record(1, topics.BASE_TIMESTAMP_MS + 1, b"a", None)]
    write(client, "tables", 0, table)
    topics.create(client, "trimmed", 1, **forever)
    write(client, "trimmed", 0, records(4, "before"))
    write(client, "trimmed", 0, records(4, "after"))
    _delete_before(client, "trimmed", 3)
    topics.create(client, "grown", 1, **forever)
    _grow(client, "grown", 3)
    topics.create(client, "empty", 1, max_message_bytes="100000")
    topics.create(client, "deleted", 2)
    write(client, "deleted", 0, records(2, "gone"))
    _delete(client, "deleted")
    _sequence(client, "codecs", 3)
    _alter(client, TOPIC_RESOURCE, "empty", "max.message.bytes", "200000")
    _alter(client, TOPIC_RESOURCE, "empty", "flush.messages", "7")
    _alter(client, BROKER_RESOURCE, "", "log.cleaner.threads", "2")
    _alter(client, BROKER_RESOURCE, NODE_ID, "max.connections", "1000")
    _form_static_group(client)
    _form_group(client, "left", leaves=True)
    _form_group(client, "dynamic", leaves=False)
    commit(client, "plain", "codecs", {0: 5, 1: 7, 4: 15})


def _fill_more(client: RawClient) -> None:
    write(client, "codecs", 0, records(2, "later"), compression=CODECS["zstd"])
    write(client, "rolled", 0, records(2, "later"))
    commit(client, "plain", "codecs", {0: 6})
    commit(client, "newest", "rolled", {0: 1})
    topics.create(client, "newest", 1, retention_ms="-1")
    write(client, "newest", 0, records(1, "newest"))
    _alter(client, TOPIC_RESOURCE, "newest", "segment.bytes", "2000000")


def produce_one(client: RawClient, topic: str) -> int:
    """One more record for partition 0; its offset."""
    return write(client, topic, 0, [Record(0, int(time.time() * 1000), b"one more", b"record")])


def records(count: int, text: str, later_ms: int = 0) -> list[Record]:
    headers = (("kind", b"golden"), ("nothing", None))
    return [
        Record(
            n,
            topics.BASE_TIMESTAMP_MS + later_ms + n,
            f"key {n}".encode() if n else None,
            f"{text} {n}".encode(),
            headers,
        )
        for n in range(count)
    ]


def write(client: RawClient, topic: str, partition: int, batch: list[Record], **more: Any) -> int:
    data = bytes(build_batch(batch, **more))
    wanted = produce.TopicProduceData(topic, partition_data=[produce.PartitionProduceData(partition, data)])
    answer = client.call(produce.API_KEY, 9, produce.ProduceRequest(None, -1, 10_000, [wanted]))
    found = answer.responses[0].partition_responses[0]
    assert found.error_code == 0, found
    return int(found.base_offset)


def _sequence(client: RawClient, topic: str, partition: int) -> None:
    """An idempotent producer's two batches."""
    producer = client.call(init_producer_id.API_KEY, 4, init_producer_id.InitProducerIdRequest(None, 60_000))
    assert producer.error_code == 0, producer
    for sequence in (0, 4):
        write(
            client, topic, partition, records(4, f"idempotent {sequence}"), producer_id=producer.producer_id,
            producer_epoch=producer.producer_epoch, base_sequence=sequence,
        )  # fmt: skip


def _delete_before(client: RawClient, topic: str, offset: int) -> None:
    wanted = delete_records.DeleteRecordsTopic(topic, [delete_records.DeleteRecordsPartition(0, offset)])
    answer = client.call(delete_records.API_KEY, 2, delete_records.DeleteRecordsRequest([wanted], 10_000))
    assert answer.topics[0].partitions[0].error_code == 0, answer


def _grow(client: RawClient, topic: str, count: int) -> None:
    wanted = create_partitions.CreatePartitionsTopic(topic, count, None)
    answer = client.call(create_partitions.API_KEY, 3, create_partitions.CreatePartitionsRequest([wanted], 10_000))
    assert answer.results[0].error_code == 0, answer
    topics.wait_until_led(client, topic, count)


def _delete(client: RawClient, topic: str) -> None:
    request = delete_topics.DeleteTopicsRequest([delete_topics.DeleteTopicState(topic)], timeout_ms=10_000)
    assert client.call(delete_topics.API_KEY, 6, request).responses[0].error_code == 0


def _alter(client: RawClient, kind: int, name: str, config: str, value: str) -> None:
    alteration = incremental_alter_configs.AlterableConfig(config, 0, value)
    resource = incremental_alter_configs.AlterConfigsResource(kind, name, [alteration])
    request = incremental_alter_configs.IncrementalAlterConfigsRequest([resource])
    answer = client.call(incremental_alter_configs.API_KEY, 1, request).responses[0]
    assert answer.error_code == 0, answer


# Groups


def join(group: str, member_id: str = "", instance: str | None = None) -> join_group.JoinGroupRequest:
    return groups.join_request(
        group, member_id, instance=instance, session_timeout_ms=SESSION_TIMEOUT_MS,
        rebalance_timeout_ms=SESSION_TIMEOUT_MS,
    )  # fmt: skip


def sync(client: RawClient, group: str, joined: Any, instance: str | None, shares: dict[str, bytes]) -> None:
    assert joined.error_code == 0, joined
    assignments = [sync_group.SyncGroupRequestAssignment(member, share) for member, share in shares.items()]
    request = sync_group.SyncGroupRequest(
        group, joined.generation_id, joined.member_id, instance, groups.PROTOCOL_TYPE, "range", assignments
    )
    answer = client.call(sync_group.API_KEY, 5, request)
    assert answer.error_code == 0, answer


def _member_count(client: RawClient, group: str) -> int:
    answer = client.call(describe_groups.API_KEY, 5, describe_groups.DescribeGroupsRequest([group]))
    return len(answer.groups[0].members)


def _form_static_group(client: RawClient) -> None:
    """Two static members, the second of which joins later."""
    first = client.call(join_group.API_KEY, 9, join("static", instance="one"))
    sync(client, "static", first, "one", {first.member_id: b"all of it"})
    with client.another() as other, ThreadPoolExecutor(1) as pool:
        joining = pool.submit(other.call, join_group.API_KEY, 9, join("static", instance="two"))
        wait_until(lambda: _member_count(client, "static") == 2)
        again = client.call(join_group.API_KEY, 9, join("static", first.member_id, "one"))
        second = joining.result(START_TIMEOUT_S)
        sync(client, "static", again, "one", {again.member_id: b"one half", second.member_id: b"other half"})
        sync(other, "static", second, "two", {})
    commit(client, "static", "rolled", {0: 9}, again, "one")


def _form_group(client: RawClient, group: str, *, leaves: bool) -> None:
    refused = client.call(join_group.API_KEY, 9, join(group))
    joined = client.call(join_group.API_KEY, 9, join(group, refused.member_id))
    sync(client, group, joined, None, {joined.member_id: b"assigned"})
    commit(client, group, "codecs", {2: 3}, joined)
    if leaves:
        request = leave_group.LeaveGroupRequest(group, members=[leave_group.MemberIdentity(joined.member_id)])
        assert client.call(leave_group.API_KEY, 5, request).error_code == 0


def commit(
    client: RawClient, group: str, topic: str, offsets: dict[int, int], joined: Any = None, instance: str | None = None
) -> None:
    partitions = [
        offset_commit.OffsetCommitRequestPartition(index, offset, -1, f"at {offset}")
        for index, offset in offsets.items()
    ]
    generation, member_id = (-1, "") if joined is None else (joined.generation_id, joined.member_id)
    wanted = offset_commit.OffsetCommitRequestTopic(topic, partitions=partitions)
    request = offset_commit.OffsetCommitRequest(group, generation, member_id, instance, topics=[wanted])
    answer = client.call(offset_commit.API_KEY, 8, request)
    assert all(one.error_code == 0 for one in answer.topics[0].partitions), answer
