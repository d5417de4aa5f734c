"""Messages of old formats are told from damaged batches."""

import pytest

from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.old_format import is_old_message
from tests.protocol.records.old_messages import old_message


def found(data: bytes, position: int = 0) -> bool:
    return is_old_message(lambda at, size: data[at : at + size], position, len(data))


@pytest.mark.parametrize("magic", [0, 1])
def test_whole_messages_are_recognized(magic: int) -> None:
    data = old_message(0, magic, None, None) + old_message(1, magic, b"k", b"v" * 3_000_000)
    assert found(data)
    assert found(data, len(old_message(0, magic, None, None)))
    assert not found(data[:-1], len(old_message(0, magic, None, None)))
    assert not found(data, 1)


@pytest.mark.parametrize("magic", [0, 1])
def test_no_changed_byte_of_one_is_one_but_in_its_offset(magic: int) -> None:
    data = old_message(0, magic, b"key", b"value")
    for at in range(8, len(data)):
        assert not found(data[:at] + bytes((data[at] ^ 1,)) + data[at + 1 :])


@pytest.mark.parametrize("magic", [0, 1, 2])
def test_batches_are_none_whatever_their_magic(magic: int) -> None:
    data = build_batch([Record(0, 1, b"k", b"v")])
    data[16] = magic
    assert not found(bytes(data))
    assert not found(bytes(data[:16]))
