"""The durability marker: it is trusted after a kill, a clean stop or with group commit, never otherwise."""

from random import Random

import pytest

from kafkacompat.config.broker import BrokerConfig
from kafkacompat.config.topic import TopicConfig
from kafkacompat.storage.durability_marker import BOOT_ID_PATH, FILE_NAME, MarkerContent, decode
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.log import Log
from kafkacompat.storage.manager import LogManager
from kafkacompat.storage.memfs import MemFs
from tests.storage.support import TOPIC_ID, append, at, batch, checkpoint, the_log

DIR = "/data"
PATH = f"{DIR}/{FILE_NAME}"
LOG_PATH = f"{DIR}/t-0/{0:020d}.log"
EPOCH = 17
INCARNATION = bytes(range(16, 32))
OTHER_ID = bytes(15) + b"x"
BATCHES = 5


class Machine:
    """A file system with a boot id, and what opens a data directory on it."""

    def __init__(self, *, flush_messages: int | None = None) -> None:
        self.fs = MemFs()
        self.fs.mkdir(BOOT_ID_PATH.rpartition("/")[0])
        properties = {"node.id": ("1", "test")}
        if flush_messages is not None:
            properties["log.flush.interval.messages"] = (str(flush_messages), "test")
        self.config = BrokerConfig(properties)
        self.boot("b00-1")

    def boot(self, boot_id: str) -> None:
        self.fs.write_atomic(BOOT_ID_PATH, f"{boot_id}\n".encode(), sync=False)

    def open(self) -> LogManager:
        self.fs.restart()
        flusher = Flusher(self.fs)
        return LogManager.open(self.fs, [DIR], self.config, at(), cluster_id=None, flusher=flusher, rng=Random(1))

    def open_log(self, manager: LogManager) -> Log:
        return manager.open_log("t", TOPIC_ID, 0, TopicConfig.resolve({}, self.config), at())

    def live(self) -> LogManager:
        """A life that registers and writes something."""
        manager = self.open()
        log = self.open_log(manager)
        manager.registered(EPOCH, INCARNATION)
        for _ in range(BATCHES):
            append(log, batch(2))
        return manager

    def claim(self) -> int:
        manager = self.open()
        self.open_log(manager)
        return manager.previous_broker_epoch


def test_after_a_kill_nothing_is_lost() -> None:
    machine = Machine()
    machine.live()
    assert machine.claim() == EPOCH
    assert machine.claim() == EPOCH  # killed again before it could register


def test_after_a_power_loss_nothing_is_proved_and_never_will_be() -> None:
    machine = Machine()
    machine.live()
    machine.boot("b00-2")
    assert machine.claim() == -1
    kept = decode(machine.fs.read_bytes(PATH))
    assert kept is not None
    assert (kept.broker_epoch, kept.boot_id) == (-1, "b00-1")  # and still known: which boot it was
    machine.boot("b00-1")
    assert machine.claim() == -1


def test_a_copy_made_between_two_incarnations_claims_the_earlier_one() -> None:
    """The controller knows of the later one, and believes no other claim."""
    machine = Machine()
    machine.live()
    copy = machine.fs.copy()
    machine.open_log(manager := machine.open())
    manager.registered(EPOCH + 1, INCARNATION)
    machine.fs = copy
    assert machine.claim() == EPOCH


def test_a_snapshot_of_a_running_brokers_volume_passes_for_the_newest_state_unless_its_session_is_removed() -> None:
    """What docs/data-directories.md tells operators: nothing in it says that it is not."""
    machine = Machine()
    manager = machine.live()
    snapshot = machine.fs.copy()
    append(the_log(manager, "t", 0), batch(2))
    machine.fs = snapshot
    assert machine.claim() == EPOCH
    machine.fs.remove(PATH)
    assert machine.claim() == -1


def test_a_system_without_a_boot_id_proves_nothing_by_it() -> None:
    machine = Machine()
    machine.fs.remove(BOOT_ID_PATH)
    machine.live()
    assert machine.claim() == -1


def test_with_group_commit_a_power_loss_takes_nothing_that_counts() -> None:
    machine = Machine(flush_messages=1)
    machine.live()
    machine.boot("b00-2")
    assert machine.claim() == EPOCH


def test_one_log_without_group_commit_removes_the_marker_before_it_writes() -> None:
    machine = Machine(flush_messages=1)
    manager = machine.live()
    relaxed = TopicConfig.resolve({"flush.messages": "2"}, machine.config)
    the_log(manager, "t", 0).config = relaxed
    machine.boot("b00-2")
    assert machine.claim() == -1


def test_a_clean_stop_is_believed_by_its_marker() -> None:
    machine = Machine()
    machine.live().close(clean=True, high_watermarks={}, broker_epoch=EPOCH, now=at())
    machine.boot("b00-2")
    assert machine.claim() == EPOCH


def test_the_marker_is_removed_on_a_full_disk_too() -> None:
    machine = Machine()
    machine.live()
    machine.boot("b00-2")
    machine.fs.free_bytes = 10
    assert machine.claim() == -1
    assert not machine.fs.exists(PATH)


def test_a_marker_without_space_is_written_once_there_is_space() -> None:
    machine = Machine()
    machine.live()
    manager = machine.open()
    log = machine.open_log(manager)
    machine.fs.free_bytes = 10
    manager.registered(EPOCH + 1, INCARNATION)
    assert manager.metadata_directory.offline is None
    assert not machine.fs.exists(PATH), "an earlier life's proves nothing of this one"
    manager.write_missing_markers()
    assert manager.metadata_directory.offline is None
    machine.fs.free_bytes = None
    manager.restore_reserves()
    manager.write_missing_markers()
    append(log, batch(2))
    assert machine.claim() == EPOCH + 1


def test_a_disk_error_while_the_marker_is_written_takes_the_directory_offline() -> None:
    machine = Machine()
    manager = machine.open()
    machine.fs.fail_next(lambda operation: operation[0] == "write")
    manager.registered(EPOCH, INCARNATION)
    assert manager.metadata_directory.offline is not None


def test_one_batch_that_was_being_written_is_no_loss() -> None:
    machine = Machine()
    machine.live()
    size = machine.fs.size(LOG_PATH)
    machine.fs.open(LOG_PATH, append=True).truncate(size - 1)
    assert machine.claim() == EPOCH


@pytest.mark.parametrize("at_byte", [11, 90], ids=["length", "value"])
def test_what_recovery_truncates_beyond_that_is_a_loss(at_byte: int) -> None:
    machine = Machine()
    machine.live()
    size = machine.fs.size(LOG_PATH) // BATCHES
    machine.fs.flip_bit(LOG_PATH, size + at_byte, 6)
    assert machine.claim() == -1
    assert machine.claim() == -1


def test_a_disk_that_failed_proves_nothing() -> None:
    machine = Machine()
    machine.live().metadata_directory.take_offline(OSError(5, "I/O error"))
    assert machine.claim() == -1


def test_a_log_that_cannot_be_opened_is_a_loss() -> None:
    machine = Machine()
    machine.live()
    manager = machine.open()
    assert manager.previous_broker_epoch == EPOCH
    machine.fs.fail_next(lambda operation: operation[0] == "open" and operation[1] == LOG_PATH)
    with pytest.raises(OSError, match="injected"):
        machine.open_log(manager)
    assert manager.previous_broker_epoch == -1
    assert machine.claim() == -1  # nor will it be, whatever the next start can open


@pytest.mark.parametrize("has_records", [True, False])
def test_a_torn_topic_id_of_a_log_that_was_never_flushed_says_nothing(has_records: bool) -> None:
    machine = Machine()
    config = TopicConfig.resolve({}, machine.config)
    manager = machine.live()
    manager.open_log("u", TOPIC_ID, 0, config, at())
    if has_records:
        append(the_log(manager, "u", 0), batch())
    torn = machine.fs.open(f"{DIR}/u-0/partition.metadata", append=True)
    torn.truncate(0)
    manager = machine.open()
    manager.open_found(config, at(), but="")
    assert manager.previous_broker_epoch == (-1 if has_records else EPOCH)


def test_a_log_that_trips_over_a_mistake_of_ours_is_a_loss_and_holds_up_no_other(monkeypatch, caplog) -> None:
    machine = Machine()
    config = TopicConfig.resolve({}, machine.config)
    machine.live().open_log("u", TOPIC_ID, 0, config, at())
    opened = Log.open
    monkeypatch.setattr(
        Log, "open", lambda fs, path, *args, **kwargs: 1 // 0 if "t-0" in path else opened(fs, path, *args, **kwargs)
    )
    manager = machine.open()
    manager.open_found(config, at(), but="")
    assert list(manager.metadata_directory.logs) == [("u", 0)]
    assert manager.previous_broker_epoch == -1
    assert "a bug: the log of t-0" in caplog.text


def test_the_directory_of_a_deleted_topic_is_no_loss() -> None:
    machine = Machine()
    config = TopicConfig.resolve({}, machine.config)
    checkpoint(machine.live(), at(), {("t", 0): BATCHES})
    manager = machine.open()
    manager.open_found(config, at(), but="")
    manager.registered(EPOCH + 1, INCARNATION)
    assert manager.high_watermark_checkpoint("t", 0) == BATCHES
    manager.open_log("t", OTHER_ID, 0, config, at())
    assert manager.previous_broker_epoch == EPOCH
    manager = machine.open()
    manager.open_found(config, at(), but="")
    assert manager.previous_broker_epoch == EPOCH + 1
    assert (the_log(manager, "t", 0).log_end_offset, manager.high_watermark_checkpoint("t", 0)) == (0, 0)


@pytest.mark.parametrize("loses_power", [True, False])
@pytest.mark.parametrize("registers_again", [True, False])
def test_a_loss_that_is_found_after_the_registration_counts_if_that_claimed_none(
    loses_power: bool, registers_again: bool
) -> None:
    machine = Machine()
    machine.live()
    machine.fs.flip_bit(LOG_PATH, machine.fs.size(LOG_PATH) // BATCHES + 11, 6)
    if loses_power:
        machine.boot("b00-2")
    manager = machine.open()
    manager.registered(EPOCH + 1, INCARNATION)
    assert machine.open_log(manager).log_end_offset < 2 * BATCHES
    if registers_again:
        manager.registered(EPOCH + 2, INCARNATION)
    assert machine.claim() == (EPOCH + 1 + registers_again if loses_power else -1)


def test_a_log_that_does_not_name_its_topic_is_a_loss_that_a_registration_without_a_proof_has_told() -> None:
    machine = Machine()
    config = TopicConfig.resolve({}, machine.config)
    machine.live()
    machine.fs.open(f"{DIR}/t-0/partition.metadata", append=True).truncate(0)
    for epoch in (EPOCH + 1, EPOCH + 2):
        manager = machine.open()
        manager.open_found(config, at(), but="")
        assert manager.previous_broker_epoch == (EPOCH + 1 if epoch == EPOCH + 2 else -1)
        manager.registered(epoch, INCARNATION)
        manager.set_unnamed_aside("t", 0)
        assert "t-0" not in machine.fs.listdir(DIR)


def test_a_new_log_that_cannot_be_made_says_nothing_of_the_others() -> None:
    machine = Machine()
    manager = machine.live()
    machine.fs.fail_next(lambda operation: operation[0] == "mkdir" and operation[1].endswith("u-0"))
    with pytest.raises(OSError, match="injected"):
        manager.open_log("u", TOPIC_ID, 0, TopicConfig.resolve({}, machine.config), at())
    assert machine.claim() == EPOCH


def test_another_directory_is_another_session() -> None:
    machine = Machine()
    machine.live()
    content = machine.fs.read_bytes(PATH)
    other = Machine()
    other.config = BrokerConfig({"node.id": ("1", "test")})
    other.open()
    meta = other.fs.read_bytes(f"{DIR}/meta.properties")
    changed = meta.replace(meta.partition(b"directory.id=")[2][:4], b"AAAA")
    other.fs.write_atomic(f"{DIR}/meta.properties", changed, sync=True)
    other.fs.write_atomic(PATH, content, sync=True)
    assert other.claim() == -1


def test_a_file_with_any_byte_changed_is_no_session() -> None:
    content = MarkerContent("b00-1", bytes(range(16)), EPOCH, INCARNATION, is_group_commit=True).encode()
    assert decode(content) is not None
    for position in range(len(content)):
        for value in (content[position] ^ 0x41, content[position] ^ 1, 0, 0xFF):
            if value != content[position]:
                assert decode(content[:position] + bytes((value,)) + content[position + 1 :]) is None
    for size in range(len(content)):
        assert decode(content[:size]) is None


def test_one_of_a_later_version_proves_nothing_and_goes() -> None:
    """As if an older version were started again: what it does not know it cannot claim."""
    machine = Machine()
    machine.live()
    content = machine.fs.read_bytes(PATH)
    machine.fs.write_atomic(PATH, content.replace(b'{"version":1', b'{"version":2'), sync=True)
    assert machine.claim() == -1
    assert not machine.fs.exists(PATH)  # nor does the later version claim anything when it is back
