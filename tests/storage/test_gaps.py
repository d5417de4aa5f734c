"""Gaps between two segments: the log is truncated if only a power loss can be the cause, and kept otherwise."""

import pytest

from kafkacompat.config.topic import TopicConfig
from kafkacompat.storage.durability_marker import FILE_NAME
from kafkacompat.storage.log import Log
from kafkacompat.storage.manager import LogManager
from kafkacompat.storage.memfs import MemFs
from tests.storage.support import PATH, TOPIC_ID, append, at, batch, checkpoint, open_log, topic_config
from tests.storage.test_durability_marker import DIR, EPOCH, INCARNATION, Machine

SMALL = 200
END = 18
POINTS = f"{DIR}/recovery-point-offset-checkpoint"


def _grow(log: Log) -> list[int]:
    """Some segments of one batch each; where they begin."""
    while log.log_end_offset < END:
        append(log, batch(3))
    return [segment.base_offset for segment in log.segments.all]


class Broker(Machine):
    """A machine with a log of small segments. ``gap`` is where the records of its second one were."""

    def open_log(self, manager: LogManager) -> Log:
        config = TopicConfig.resolve({"internal.segment.bytes": str(SMALL)}, self.config)
        return manager.open_log("t", TOPIC_ID, 0, config, at())

    def lose_second_segment(self, *, synced: bool = False) -> None:
        manager = self.open()
        log = self.open_log(manager)
        manager.registered(EPOCH, INCARNATION)
        bases = _grow(log)
        if synced:
            log.flush()
        checkpoint(manager, at(), {})
        self.gap = bases[1]
        self.fs.open(f"{DIR}/t-0/{self.gap:020d}.log", append=True).truncate(0)

    def end(self) -> int:
        return self.open_log(self.open()).log_end_offset


@pytest.fixture
def broker() -> Broker:
    found = Broker()
    found.lose_second_segment()
    return found


@pytest.mark.parametrize("policy", ["delete", "compact"])
def test_behind_the_recovery_point_a_loss_of_power_ends_the_log_at_a_gap(policy: str) -> None:
    fs = MemFs()
    config = topic_config(segment_bytes=SMALL, cleanup_policy=policy)
    log = open_log(fs, config)
    bases = _grow(log)
    log.close(clean=False, now=at())
    fs.open(f"{PATH}/{bases[1]:020d}.log", append=True).truncate(0)
    assert open_log(fs, config).log_end_offset == bases[1]


def test_another_boot_has_lost_power(broker: Broker) -> None:
    broker.boot("b00-2")
    assert broker.end() == broker.gap


def test_it_is_still_known_after_a_start_that_was_killed(broker: Broker) -> None:
    broker.boot("b00-2")
    broker.open()  # dies before it opens a log
    assert broker.end() == broker.gap


def test_a_kill_loses_no_records_so_a_gap_is_older_than_that(broker: Broker) -> None:
    assert broker.end() == END
    assert broker.claim() == -1  # but nobody vouches for it


def test_what_is_missing_below_the_recovery_point_was_taken_by_compaction() -> None:
    broker = Broker()
    broker.lose_second_segment(synced=True)
    broker.fs.remove(f"{DIR}/t-0/leader-epoch-checkpoint")  # so that all is read
    broker.boot("b00-2")
    assert broker.end() == END


def test_a_directory_of_apache_kafka_keeps_its_gaps_for_good(broker: Broker) -> None:
    broker.fs.remove(f"{DIR}/{FILE_NAME}")
    broker.boot("b00-2")
    manager = broker.open()
    assert broker.open_log(manager).log_end_offset == END
    manager.registered(EPOCH, INCARNATION)
    broker.boot("b00-3")
    assert broker.end() == END


def test_without_a_readable_recovery_point_no_gap_is_truncated(broker: Broker) -> None:
    broker.fs.open(POINTS, append=True).write([b"x"])
    broker.boot("b00-2")
    assert broker.end() == END
