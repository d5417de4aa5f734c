"""Messages as Kafka's converters write them as JSON."""

from kafkacompat.protocol.internal.cluster_metadata import BrokerRegistrationChangeRecord
from kafkacompat.protocol.internal.consumer_offsets import OffsetCommitValue
from kafkacompat.protocol.internal.control_records import KRaftVersionRecord
from kafkacompat.protocol.message_json import json_text, write_json


def test_fields_are_those_of_the_version() -> None:
    value = OffsetCommitValue(5, 3, "m", 7, 9, bytes(15) + b"\xff")
    assert list(write_json("consumer_offsets", value, 1)) == [
        "offset",
        "metadata",
        "commitTimestamp",
        "expireTimestamp",
    ]
    assert write_json("consumer_offsets", value, 4) == {
        "offset": 5, "leaderEpoch": 3, "metadata": "m", "commitTimestamp": 7, "topicId": "AAAAAAAAAAAAAAAAAAAA_w",
    }  # fmt: skip


def test_tagged_fields_are_shown_if_they_are_not_the_default() -> None:
    record = BrokerRegistrationChangeRecord(broker_id=1, broker_epoch=2)
    assert write_json("cluster_metadata", record, 3) == {"brokerId": 1, "brokerEpoch": 2}
    record.cordoned_log_dirs = []  # null is its default
    record.fenced = 1
    assert write_json("cluster_metadata", record, 3) == {
        "brokerId": 1, "brokerEpoch": 2, "fenced": 1, "cordonedLogDirs": [],
    }  # fmt: skip


def test_names_are_kafkas() -> None:
    assert write_json("control_records", KRaftVersionRecord(0, 1), 0) == {"version": 0, "kRaftVersion": 1}


def test_text_is_jacksons() -> None:
    assert json_text({"a": 'é"\\u001f', "b": "\x1f\n\x7f", "c": None}) == (
        '{"a":"é\\"\\\\u001f","b":"\\u001F\\n\x7f","c":null}'
    )
