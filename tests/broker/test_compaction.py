"""Whether and when a node looks for logs to compact."""

from tests.broker.test_log_cleaner import cleaner, produce, records, rounds, sealed, with_topic


def test_other_logs_are_left_alone() -> None:
    kafka = with_topic({"cleanup.policy": "delete"})
    produce(kafka)
    before = len(records(kafka))
    rounds(kafka)
    assert len(records(kafka)) == before
    assert kafka.broker.compaction.cleaner is None


def test_a_node_may_do_without() -> None:
    kafka = with_topic(settings={"log.cleaner.enable": "false"})
    produce(kafka)
    rounds(kafka)
    assert sealed(kafka) > 2


def test_the_next_look_comes_after_the_backoff() -> None:
    kafka = with_topic(settings={"log.cleaner.backoff.ms": "500"})
    rounds(kafka, after_ms=500)
    produce(kafka)
    rounds(kafka, after_ms=499)
    assert sealed(kafka) > 2
    rounds(kafka, after_ms=1)
    assert sealed(kafka) == 2


def test_nothing_begins_after_the_stop() -> None:
    kafka = with_topic()
    produce(kafka)
    rounds(kafka)
    kafka.broker.compaction.stop()
    produce(kafka)
    rounds(kafka)
    assert cleaner(kafka).passes == 1
