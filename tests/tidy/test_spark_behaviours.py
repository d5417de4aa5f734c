"""Every behaviour of Spark's list is proved by a test or has a reason why it is not."""

from __future__ import annotations

from compat_tests.spark.behaviours import all_tests, behaviours, marked


def test_the_list_is_whole() -> None:
    assert [one.number for one in behaviours()] == list(range(1, 55))


def test_each_is_proved_or_has_a_reason() -> None:
    assert [one.number for one in behaviours() if bool(one.tests) == bool(one.left_out)] == []


def test_each_test_says_what_it_proves() -> None:
    named = [test for test, _ in marked()]
    assert sorted(named) == sorted(test for test, _ in all_tests())
