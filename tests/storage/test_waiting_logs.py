from random import Random

from kafkacompat.now import NEVER
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.manager import LogManager
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.waiting_logs import expire_producers
from tests.storage.support import BROKER, TOPIC_ID, append, at, batch, topic_config


def open_manager(fs: MemFs) -> LogManager:
    return LogManager.open(fs, ["/data"], BROKER, at(), cluster_id=None, flusher=Flusher(fs), rng=Random(1))


def test_flush_ms_may_be_set_behind_the_records() -> None:
    manager = open_manager(MemFs())
    log = manager.open_log("t", TOPIC_ID, 0, topic_config(), at())
    append(log, batch(), ms=5)
    assert manager.request_due_flushes(at(50)) == NEVER
    log.config = topic_config(flush_ms=100)
    assert manager.request_due_flushes(at(50)) == 105
    log.config = topic_config()
    assert manager.request_due_flushes(at(50)) == NEVER


def test_what_was_recovered_waits_for_flush_ms_as_well() -> None:
    fs = MemFs()
    manager = open_manager(fs)
    append(manager.open_log("t", TOPIC_ID, 0, topic_config(), at()), batch())
    manager.close(clean=False, high_watermarks={}, broker_epoch=1, now=at())
    manager = open_manager(fs)
    log = manager.open_log("t", TOPIC_ID, 0, topic_config(flush_ms=100), at(7))
    assert log.flushed_offset == 0
    assert manager.request_due_flushes(at(50)) == 107


def test_producers_expire_in_steps() -> None:
    manager = open_manager(MemFs())
    logs = [manager.open_log("t", TOPIC_ID, index, topic_config(), at()) for index in range(3)]
    for producer_id in range(1_000):
        logs[0].producers.update(producer_id, 0, 0, 0, 0, 0, 0, is_transactional=False)
    logs[2].producers.update(1, 0, 0, 0, 0, 0, 0, is_transactional=False)
    steps = expire_producers(manager.all_logs(), 1, at(86_400_000))
    assert next(steps) == 1
    assert 0 < len(logs[0].producers.entries) < 1_000
    del logs[0].producers.entries[500]  # others go on meanwhile
    assert set(steps) == {1}
    assert not any(log.producers.entries for log in logs)
