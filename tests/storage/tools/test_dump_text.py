"""Files of a log as Kafka's tool prints them. Compared with the tool itself by compat_tests/test_dump_log.py."""

import pytest

from kafkacompat.protocol.internal.control_records import (
    LeaderChangeMessage,
    LeaderChangeMessageVoter,
    encode_leader_change_message,
)
from kafkacompat.protocol.records import control
from kafkacompat.protocol.records.batch import CONTROL_BIT, CorruptBatchError, stamp_crc
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.storage.errors import CorruptSnapshotError
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.tools.dump_findings import Findings
from kafkacompat.storage.tools.dump_options import DumpOptions
from kafkacompat.storage.tools.dump_text import dump_text
from tests.storage.support import PATH, START_MS, append, at, batch, open_log, produced

SEGMENT = f"/{0:020d}.log"


def lines(fs: MemFs, path: str, options: DumpOptions | None = None) -> list[str]:
    first, *others = dump_text(fs, path, options or DumpOptions(), Findings())
    assert first == f"Dumping {path}"
    return others


def control_batch(kind: int, value: bytes) -> bytearray:
    data = build_batch([Record(0, 1, control.encode_key(kind), value)])
    data[22] |= CONTROL_BIT
    stamp_crc(data, 0, len(data))
    return data


def test_producers() -> None:
    fs = MemFs()
    log = open_log(fs)
    append(log, produced(5, 1, 0, 2))
    log.close(clean=True, now=at())
    assert lines(fs, f"{PATH}/{2:020d}.snapshot") == [
        "producerId: 5 producerEpoch: 1 coordinatorEpoch: -1 currentTxnFirstOffset: OptionalLong.empty "
        f"lastTimestamp: {START_MS + 1} firstSequence: 0 lastSequence: 1 lastOffset: 1 offsetDelta: 1 "
        f"timestamp: {START_MS + 1}"
    ]
    fs.flip_bit(f"{PATH}/{2:020d}.snapshot", 3)
    with pytest.raises(CorruptSnapshotError):
        lines(fs, f"{PATH}/{2:020d}.snapshot")


def test_sequences_of_records_and_gaps() -> None:
    fs = MemFs()
    fs.write_atomic(SEGMENT, bytes(batch()) + bytes(build_batch([Record(9, 1, None, b"v")], base_offset=9)), sync=False)
    findings = Findings()
    list(dump_text(fs, SEGMENT, DumpOptions(is_deep=True), findings))
    assert list(findings.lines()) == [f"Non-consecutive offsets in {SEGMENT}", "  0 is followed by 9"]
    assert not findings.is_bad


def test_control_records() -> None:
    fs = MemFs()
    parts: list[bytes] = []
    encode_leader_change_message(LeaderChangeMessage(0, 3, [LeaderChangeMessageVoter(1)], []), 0, parts)
    data = control_batch(control.COMMIT, control.encode_end_transaction(4))
    data += control_batch(control.LEADER_CHANGE, b"".join(parts)) + control_batch(77, b"")
    fs.write_atomic(SEGMENT, bytes(data), sync=False)
    found = [line.partition("headerKeys: [] ")[2] for line in lines(fs, SEGMENT, DumpOptions(is_deep=True))]
    assert [each for each in found if each] == [
        "endTxnMarker: COMMIT coordinatorEpoch: 4",
        'LeaderChange: {"version":0,"leaderId":3,"voters":[{"voterId":1}],"grantingVoters":[]}',
        "controlType: UNKNOWN(77)",
    ]
    fs.write_atomic(SEGMENT, bytes(control_batch(control.LEADER_CHANGE, b"\0")), sync=False)
    with pytest.raises(CorruptBatchError):
        lines(fs, SEGMENT, DumpOptions(is_deep=True))


def test_snapshots_of_the_metadata() -> None:
    fs = MemFs()
    for name, line in (
        ("00000000000000000012-0000000003", "Snapshot end offset: 12, epoch: 3"),
        ("bootstrap", "KRaft bootstrap snapshot"),
    ):
        fs.write_atomic(f"/{name}.checkpoint", b"", sync=False)
        assert lines(fs, f"/{name}.checkpoint") == [line]


def test_a_codec_that_does_not_exist_is_an_error() -> None:
    fs = MemFs()
    data = batch()
    data[22] |= 7
    fs.write_atomic(SEGMENT, bytes(data), sync=False)
    with pytest.raises(CorruptBatchError, match="codec 7"):
        lines(fs, SEGMENT)
