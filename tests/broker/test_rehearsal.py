"""A start that is refused leaves every byte of the data directory as it was, so that whoever wrote it goes on there."""

from __future__ import annotations

import errno
import logging
import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from kafkacompat.broker import rehearsal
from kafkacompat.broker.broker import Broker
from kafkacompat.config import BrokerConfig
from kafkacompat.errors import StartupError
from kafkacompat.now import Now
from kafkacompat.protocol.error_codes import INVALID_CONFIG, NONE
from kafkacompat.protocol.internal.cluster_metadata import ConfigRecord, FeatureLevelRecord, TopicRecord
from kafkacompat.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from kafkacompat.protocol.records.batch import read_header
from kafkacompat.replication.metadata import startup
from kafkacompat.replication.metadata.format import NewNode, format_cluster
from kafkacompat.replication.metadata.image import TOPIC_RESOURCE, Endpoint
from kafkacompat.replication.raft.batches import encode_record, metadata_batch
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.memfs import MemFs
from tests.broker.harness import BrokerHarness
from tests.protocol.records.old_messages import old_message
from tests.storage.support import left_open

ROOT = "/data"
META = f"{ROOT}/meta.properties"
LOG = f"{ROOT}/__cluster_metadata-0/00000000000000000000.log"
NOW = Now(2_000_000, 1_700_000_100_000)


class Refusal(NamedTuple):
    """Why a start is refused: what is done to the files, what the start is asked for, and a part of its line."""

    line: str
    change: Callable[[MemFs], None] = lambda _fs: None
    settings: dict[str, str] = {}  # noqa: RUF012 (of an immutable row)
    cluster_id: str | None = None


def replaced(path: str, old: bytes, new: bytes) -> Callable[[MemFs], None]:
    """A file in which something else stands."""

    def change(fs: MemFs) -> None:
        content = fs.read_bytes(path)
        assert old in content
        fs.write_atomic(path, content.replace(old, new), sync=True)

    return change


def appended(*values: bytes) -> Callable[[MemFs], None]:
    """A metadata log with one more batch of these records."""

    def change(fs: MemFs) -> None:
        content, position = fs.read_bytes(LOG), 0
        while position < len(content):
            header = read_header(content, position)
            position += header.size_bytes
        batch = metadata_batch(values, NOW.wall_ms, base_offset=header.next_offset, epoch=header.leader_epoch)
        fs.write_atomic(LOG, content + batch, sync=True)

    return change


def level(name: str, number: int) -> bytes:
    return encode_record(FeatureLevelRecord(name, number))


def damaged_in_the_middle(fs: MemFs) -> None:
    fs.set_byte(LOG, 70, fs.read_bytes(LOG)[70] ^ 0xFF)


def with_old_message(fs: MemFs) -> None:
    fs.write_atomic(LOG, fs.read_bytes(LOG) + old_message(10**6, 1, b"k", b"v" * 200), sync=True)


REFUSALS = {
    "another cluster": Refusal("belongs to cluster", cluster_id="another"),
    "another node": Refusal("belongs to broker 1, not to 2", settings={"node.id": "2"}),
    "a later meta.properties": Refusal("version", replaced(META, b"version=1", b"version=7")),
    "a meta.properties that is none": Refusal(
        "meta.properties", lambda fs: fs.write_atomic(META, b"\xff\x00 nothing", sync=True)
    ),
    "another directory": Refusal(
        "another directory.id", replaced(META, b"directory.id=", b"directory.id=BAAAAAAAAAAAAAAAAAAAAQ\n#")
    ),
    "no controller": Refusal(
        "does not make it a controller",
        settings={"process.roles": "broker", "controller.quorum.bootstrap.servers": "localhost:1"},
    ),
    "a later metadata.version": Refusal(
        r"metadata.version 31 \(supported: 29 to 30\)", appended(level("metadata.version", 31))
    ),
    "an earlier metadata.version": Refusal("metadata.version 28", appended(level("metadata.version", 28))),
    "a later share.version": Refusal("share.version 2", appended(level("share.version", 2))),
    "an unknown feature": Refusal("new.version 1", appended(level("new.version", 1))),
    "an unknown record": Refusal("is damaged", appended(b"\x01\x78\x00\x00")),
    "a later record": Refusal("is damaged", appended(encode_record(TopicRecord("t", bytes(16)))[:2] + b"\x09\x00")),
    "a damaged batch": Refusal("is damaged", damaged_in_the_middle),
    "an old message": Refusal("message format v1", with_old_message),
    "a quorum state that is none": Refusal(
        "quorum-state", lambda fs: fs.write_atomic(f"{ROOT}/__cluster_metadata-0/quorum-state", b"{", sync=True)
    ),
}  # fmt: skip


def start(fs: MemFs | RealFs, refusal: Refusal, data_dir: str = ROOT) -> Broker:
    return Broker.open(
        config=BrokerConfig.from_sources({}, {"node.id": "1", **refusal.settings}), fs=fs, data_dir=data_dir,
        endpoints=[Endpoint("PLAINTEXT", "localhost", 9092)], now=NOW, rng=random.Random(1),
        cluster_id=refusal.cluster_id,
    )  # fmt: skip


@pytest.fixture(scope="module", params=[True, False], ids=["clean", "killed"])
def ended(request: pytest.FixtureRequest) -> MemFs:
    """What a broker with a topic left; after `kill -9` recovery would write a lot."""
    broker = BrokerHarness()
    broker.create_topic("t", 2)
    broker.advance(120_000)
    if request.param:
        broker.close()
    else:
        broker.fs.restart()
    return broker.fs


@pytest.mark.parametrize("why", REFUSALS)
def test_a_refused_start_changes_nothing(ended: MemFs, why: str) -> None:
    fs, refusal = ended.copy(), REFUSALS[why]
    refusal.change(fs)
    before = fs.files()
    with pytest.raises((StartupError, OSError), match=refusal.line) as refused:
        start(fs, refusal)
    assert "\n" not in str(refused.value)
    assert fs.files() == before


def on_disk(fs: MemFs, folder: Path) -> str:
    """A copy of the data directory in memory."""
    for path, content in fs.files().items():
        copy = folder / path.removeprefix("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(content)
    return f"{folder}{ROOT}"


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="Linux tells which files a process has open")
@pytest.mark.parametrize("why", REFUSALS)
def test_a_refused_start_leaves_no_file_open(ended: MemFs, tmp_path: Path, why: str) -> None:
    fs, refusal = ended.copy(), REFUSALS[why]
    refusal.change(fs)
    data_dir = on_disk(fs, tmp_path)
    with pytest.raises((StartupError, OSError), match=refusal.line):
        start(RealFs(temporary=True), refusal, data_dir)
    assert left_open(tmp_path) == []


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="Linux tells which files a process has open")
def test_a_broker_that_starts_has_the_files_of_no_rehearsal_open(ended: MemFs, tmp_path: Path) -> None:
    broker = start(RealFs(temporary=True), Refusal(""), on_disk(ended, tmp_path))
    assert left_open(tmp_path).count(f"{tmp_path}{LOG}") == 1
    broker.close(NOW, clean=True)
    assert left_open(tmp_path) == []


def test_what_is_not_refused_is_written(ended: MemFs) -> None:
    """The table would show nothing if a start wrote nothing."""
    fs = ended.copy()
    before = fs.files()
    start(fs, Refusal(""))
    assert fs.files() != before


def test_a_directory_in_use_is_refused_as_it_is() -> None:
    broker = BrokerHarness()
    before = broker.fs.files()
    with pytest.raises(StartupError, match="is locked by another broker"):
        start(broker.fs, Refusal(""))
    assert broker.fs.files() == before


def test_a_disk_that_cannot_be_read_is_no_reason_to_write(ended: MemFs, monkeypatch: pytest.MonkeyPatch) -> None:
    fs = ended.copy()
    before = fs.files()

    def broken(*_: object) -> bytes:
        raise OSError(errno.EIO, "input/output error")

    monkeypatch.setattr(fs, "read_bytes", broken)
    with pytest.raises((StartupError, OSError)):
        start(fs, Refusal(""))
    assert fs.files() == before


def test_one_of_several_voters_looks_for_levels_in_its_whole_log() -> None:
    """What it replays at the start is only the newest snapshot: what is committed behind that, others know."""
    fs = MemFs()
    ends = {node: Endpoint("CONTROLLER", "localhost", 9000 + node) for node in (1, 2, 3)}
    nodes = [NewNode(node, f"{ROOT}{node}", end) for node, end in ends.items()]
    format_cluster(fs, nodes, now=NOW, rng=random.Random(1))
    log = f"{ROOT}1/__cluster_metadata-0/00000000000000000000.log"
    settings = {"process.roles": "broker,controller", "controller.quorum.bootstrap.servers": "localhost:9001"}

    def opened() -> Broker:
        return Broker.open(
            config=BrokerConfig.from_sources({}, {"node.id": "1", **settings}), fs=fs, data_dir=f"{ROOT}1",
            endpoints=[Endpoint("PLAINTEXT", "localhost", 9092)], now=NOW, rng=random.Random(1),
            controller_endpoints=[ends[1]],
        )  # fmt: skip

    def written(name: str, number: int) -> None:
        batch = metadata_batch([level(name, number)], NOW.wall_ms, base_offset=0, epoch=1)
        fs.write_atomic(log, bytes(batch), sync=True)

    written("metadata.version", 33)
    before = fs.files()
    with pytest.raises(StartupError, match=r"metadata\.version 33"):
        opened()
    assert fs.files() == before
    written("metadata.version", 30)
    opened()


def test_levels_that_are_kept_are_named_before_anything_is_written(
    ended: MemFs, caplog: pytest.LogCaptureFixture
) -> None:
    fs = ended.copy()
    appended(level("group.version", 1), level("streams.version", 1))(fs)
    before, at_the_line = fs.files(), {}

    class Seen(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "frozen" in record.getMessage():
                at_the_line.update(fs.files())

    logger = logging.getLogger(startup.__name__)
    handler = Seen()
    logger.addHandler(handler)
    try:
        start(fs, Refusal(""))
    finally:
        logger.removeHandler(handler)
    assert "group.version 1, streams.version 1: groups of these kinds are frozen" in caplog.text
    assert caplog.text.count("frozen") == 1
    assert at_the_line == before


def test_topics_of_a_remote_tier_are_served_as_far_as_they_are_here(
    ended: MemFs, caplog: pytest.LogCaptureFixture
) -> None:
    """Apache Kafka with the tier off starts, too, says it for each topic, and refuses changes until it is set false."""
    fs = ended.copy()
    appended(encode_record(ConfigRecord(TOPIC_RESOURCE, "t", "remote.storage.enable", "true")))(fs)
    broker = BrokerHarness(fs)
    assert sum("remote.storage.enable is true for topics (t)" in line for line in caplog.messages) == 1

    def altered(name: str, value: str) -> int:
        change = AlterableConfig(name, 0, value)
        asked = IncrementalAlterConfigsRequest([AlterConfigsResource(TOPIC_RESOURCE, "t", [change])])
        return int(broker.ask(asked, 1).responses[0].error_code)

    assert altered("retention.ms", "1000") == INVALID_CONFIG
    assert altered("remote.storage.enable", "false") == NONE
    assert altered("retention.ms", "1000") == NONE


def test_what_is_rehearsed_is_said_once(ended: MemFs, caplog: pytest.LogCaptureFixture) -> None:
    """The end of the metadata log is torn: that it was truncated is logged by the recovery that did it."""
    fs = ended.copy()
    if fs.exists(f"{ROOT}/.kafka_cleanshutdown"):
        fs.remove(f"{ROOT}/.kafka_cleanshutdown")
    fs.write_atomic(LOG, fs.read_bytes(LOG) + bytes(40), sync=True)
    start(fs, Refusal(""))
    assert sum("truncated to" in line and LOG in line for line in caplog.messages) == 1


def test_other_brokers_of_the_process_go_on_logging(
    ended: MemFs, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    logger, replay_dry = logging.getLogger("kafkacompat.broker.broker"), rehearsal.replay_dry

    def meanwhile(*arguments: object, **options: object) -> object:
        logger.warning("of the rehearsal")
        other = threading.Thread(target=logger.warning, args=("of another broker",))
        other.start()
        other.join()
        return replay_dry(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(rehearsal, "replay_dry", meanwhile)
    start(ended.copy(), Refusal(""))
    logger.warning("of the start")
    said = [line for line in caplog.messages if line.startswith("of ")]
    assert said == ["of another broker", "of the start"]


def test_the_metadata_log_of_a_single_voter_is_decoded_once(ended: MemFs, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    replay = startup.metadata_log.replay

    def counted(*arguments: object, **options: object) -> object:
        calls.append(options)
        return replay(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(startup.metadata_log, "replay", counted)
    start(ended.copy(), Refusal(""))
    assert calls.count({}) == 1
