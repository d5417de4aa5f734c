"""Lives of a broker that follow each other on one data directory: what they leave behind."""

from kafkacompat.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from kafkacompat.storage.memfs import MemFs
from tests.broker.harness import BrokerHarness
from tests.storage.support import batch

LIVES = 100
METADATA = "/data/__cluster_metadata-0/"


def _live(fs: MemFs, *, clean: bool = True, **config: str) -> None:
    """Start a broker, write a record with each, and stop it."""
    broker = BrokerHarness(fs, **config)
    if not broker.broker.image.topics:
        broker.create_topic("t", 2)
    while any(partition.leader != 1 for partition in broker.broker.image.topics["t"].partitions):
        broker.advance(10)  # after a kill it is elected anew
    for index in range(2):
        data = TopicProduceData("t", partition_data=[PartitionProduceData(index, bytes(batch()))])
        answer = broker.ask(ProduceRequest(acks=1, timeout_ms=1000, topic_data=[data]), 9)
        assert answer.responses[0].partition_responses[0].error_code == 0
    for _ in range(20):  # a snapshot of the metadata is written in steps
        broker.advance(1)
    broker.close(clean=clean)


def _names(fs: MemFs, folder: str, suffix: str) -> list[str]:
    return [path for path in fs.files() if path.startswith(folder) and path.endswith(suffix)]


def test_a_hundred_lives_leave_as_many_files_as_three() -> None:
    fs = MemFs()
    counts = []
    for _ in range(LIVES):
        _live(fs)
        counts.append(len(fs.files()))
    assert counts[-1] == counts[2]
    assert len(_names(fs, "/data/t-0/", ".snapshot")) == 2  # the last life's and the one it began with


def test_a_broker_that_is_killed_leaves_no_more() -> None:
    fs = MemFs()
    counts = []
    for life in range(30):
        _live(fs, clean=life % 3 == 0)
        fs.restart()
        counts.append(len(fs.files()))
    assert max(counts) <= counts[0] + 5


def test_what_short_lives_write_counts_towards_the_next_metadata_snapshot() -> None:
    fs = MemFs()
    for _ in range(LIVES):
        _live(fs, metadata_log_max_record_bytes_between_snapshots="20000", metadata_max_retention_bytes="60000")
    written = _names(fs, METADATA, ".checkpoint")
    assert len(written) <= 3
    newest = max(int(path.rpartition("/")[2][:20]) for path in written)
    assert newest > LIVES  # each life registers its broker: the later ones are in a snapshot, too
    again = BrokerHarness(fs)
    assert "t" in again.broker.image.topics
    again.close()


def test_lives_that_change_little_write_no_metadata_snapshot() -> None:
    fs = MemFs()
    for _ in range(10):
        _live(fs)
    assert len(_names(fs, METADATA, ".checkpoint")) == 1
