"""Names for what a test has on a broker that many share."""

from kafkacompat.testing.unique_names import TEST_NAME_CHARACTERS_MAX, topic_name


def test_a_topic_is_named_by_test_and_worker_and_is_never_the_same() -> None:
    names = {topic_name("test_orders[größe-1.5/2]", "gw1") for _ in range(50)}
    assert len(names) == 50
    assert {name[:-8] for name in names} == {"test-orders-gr-e-1-5-2-gw1-"}


def test_a_name_is_never_too_long_or_empty() -> None:
    assert topic_name("x" * 1000, "main")[:-8] == "x" * TEST_NAME_CHARACTERS_MAX + "-main-"
    assert topic_name("[ü]", "main").startswith("test-main-")
