import pytest

from kafkacompat.protocol.records import control
from kafkacompat.protocol.records.batch import CorruptBatchError, check_crc, read_header
from kafkacompat.protocol.records.reader import read_records

# The first batch of a metadata snapshot as Apache Kafka 4.3.1 sent it: snapshot header, KRaft version, voters.
SNAPSHOT_BATCH = bytes.fromhex(
    "00000000000000000000009a00000001021282d3fc002000000002000001a1fd556cdc000001a1fd556cdcffffffffffffffffffffffff"
    "ffff000000032a0000000800000003160000000001a1fd556cbd00001e00000208000000050a000000010000820100000408000000066e"
    "00000200000001fedf97626c1b4234b35747e1c1616ef0020b434f4e54524f4c4c45520a6c6f63616c686f737485350000000001000000"
    "00"
)


def test_keys():
    assert control.encode_key(control.COMMIT).hex() == "00000001"
    assert control.encode_key(control.SNAPSHOT_HEADER).hex() == "00000003"
    for kind in control.NAMES:
        assert control.decode_key(control.encode_key(kind)) == kind
    assert control.decode_key(bytes.fromhex("0001 0063 ffff")) == 99


def test_end_transaction_value():
    assert control.encode_end_transaction(0).hex() == "000000000000"
    assert control.decode_end_transaction(control.encode_end_transaction(7)) == 7
    assert control.decode_end_transaction(bytes.fromhex("0001 00000009 05")) == 9


@pytest.mark.parametrize("data", [None, b"", b"\0\0\0", b"\xff\xff\0\1\0\0"])
def test_what_is_no_control_record(data):
    with pytest.raises(CorruptBatchError):
        control.decode_key(data)
    with pytest.raises(CorruptBatchError):
        control.decode_end_transaction(data)


def test_control_batch_of_apache_kafka():
    header = read_header(SNAPSHOT_BATCH)
    assert header.is_control
    assert check_crc(SNAPSHOT_BATCH, 0, len(SNAPSHOT_BATCH))
    kinds = [control.decode_key(record.key) for record in read_records(SNAPSHOT_BATCH)]
    assert kinds == [control.SNAPSHOT_HEADER, control.KRAFT_VERSION, control.KRAFT_VOTERS]
