import pytest

from kafkacompat.spark.log.log_files import LogReadError
from kafkacompat.spark.log.read_options import EARLIEST, INTERNAL, LATEST, NAMES, parse


def test_the_defaults_are_those_of_sparks_kafka_source() -> None:
    batch, stream = parse({"path": "/d"}), parse({"path": "/d"}, is_stream=True)
    assert (batch.starting, batch.ending) == (EARLIEST, LATEST)
    assert (stream.starting, stream.max_offsets_per_trigger) == (LATEST, None)
    assert batch.fail_on_data_loss
    assert batch.is_bounded
    assert not batch.is_read_committed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "which log directory"),
        ({"chekCrcs": "true"}, "unknown option chekcrcs: there are path, "),
        ({"level": "rows"}, "level is records or batches: 'rows'"),
        ({"checkCrcs": "yes"}, "checkCrcs is true or false"),
        ({"splitBytes": "0"}, "splitBytes is a number above 0"),
        ({"startingOffsets": "5"}, "startingOffsets is earliest, latest, or offsets as in"),
        ({"startingOffsets": "latest"}, "startingOffsets of a batch"),
        ({"endingOffsets": "earliest"}, "endingOffsets is latest"),
        ({"topics": "a", "subscribe": "b"}, "topics and subscribe exclude each other"),
        ({"topics": "("}, "is no regular expression"),
        ({"subscribe": " , "}, "subscribe names no topic"),
        ({"assign": '{"orders": 0}'}, "assign is partitions as in"),
        ({"assign": "{}"}, "assign is partitions as in"),
        ({"startingOffsetsByTimestamp": '{"orders": 5}'}, "startingOffsetsByTimestamp is times in ms as in"),
        ({"endingOffsetsByTimestamp": '{"orders": {"0": -1}}'}, "endingOffsetsByTimestamp is times in ms as in"),
        ({"startingOffsetsByTimestampStrategy": "earliest"}, "Strategy is error or latest"),
        ({"maxBytesPerTrigger": "5"}, "are for streams"),
    ],
)
def test_what_cannot_be_meant_is_an_error_that_names_the_option(options: dict[str, str], message: str) -> None:
    with pytest.raises(LogReadError, match=message):
        parse(({"path": "/d"} if options else {}) | options)


def test_a_stream_has_no_end() -> None:
    with pytest.raises(LogReadError, match="a stream has no end"):
        parse({"path": "/d", "endingOffsets": "latest"}, is_stream=True)


def test_paths_come_one_by_one_with_commas_or_as_a_list() -> None:
    assert parse({"path": "/a, /b"}).paths == ("/a", "/b")
    assert parse({"paths": '["/a,b", "/c"]'}).paths == ("/a,b", "/c")


def test_offsets_are_given_by_partition_and_names_in_any_case() -> None:
    options = parse({"PATH": "/d", "STARTINGOFFSETS": '{"orders": {"0": 23, "1": -2}}'})
    assert options.starting == {("orders", 0): 23, ("orders", 1): EARLIEST}
    assert len(set(NAMES)) == len(NAMES)


def test_only_topics_of_kafkas_own_are_left_out() -> None:
    wants = parse({"path": "data"}).topics
    assert [name for name in (*INTERNAL, "__mine", "orders") if wants(name, 0)] == ["__mine", "orders"]
    assert {"__consumer_offsets", "__transaction_state", "__share_group_state", "__cluster_metadata"} == INTERNAL
    assert parse({"path": "data", "subscribe": "__consumer_offsets"}).topics("__consumer_offsets", 0)
