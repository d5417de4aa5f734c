"""What a test saw on two brokers is compared, and a difference fails the second run."""

from __future__ import annotations

import pytest

from compat_tests.observed import MAX_BYTES, Observations, differences, plain

pytest_plugins = ["pytester"]


def test_the_same_differs_in_nothing() -> None:
    seen = [("rows", [[0, 0, "a"], [0, 1, "b"]]), ("count", 2)]
    assert differences("one", seen, "two", list(seen)) == []


def test_rows_that_only_one_saw_are_named() -> None:
    found = differences("one", [("rows", [1, 2, 2, 3])], "two", [("rows", [1, 2, 4])])
    assert found == [
        "rows (seen as number 1): only on two: 4",
        "rows (seen as number 1): only on one: 2",
        "rows (seen as number 1): only on one: 3",
    ]


def test_order_and_names_and_single_values_count() -> None:
    assert "another order" in differences("one", [("rows", [1, 2])], "two", [("rows", [2, 1])])[0]
    assert differences("one", [("a", 1)], "two", [("a", 1), ("b", 1)]) == ["two saw ['a', 'b'], one saw ['a']"]
    assert differences("one", [("a", 1)], "two", [("a", 2)]) == ["a (seen as number 1): two 2, one 1"]


def test_many_differing_rows_are_counted() -> None:
    found = differences("one", [("rows", [])], "two", [("rows", list(range(100)))])
    assert len(found) == 11
    assert found[-1].endswith("and 90 more")


def test_a_test_is_compared_once_it_ran_on_a_second_broker() -> None:
    run = Observations()
    assert run.add("test", "one", [("a", 1)]) == []
    assert run.alone() == ["test"]
    assert run.add("test", "two", [("a", 2)]) != []
    assert run.alone() == []
    assert (run.compared_tests, run.compared_values) == (1, 1)


def test_values_become_plain() -> None:
    value = {"t-77": (bytearray(b"on t-77"), {3, 1}), "n": [None, True, 1.5]}
    assert plain(value, {"t-77": "<topic>"}) == {"<topic>": ["b'on <topic>'", [1, 3]], "n": [None, True, 1.5]}
    long = plain("x" * (MAX_BYTES + 1), {})
    assert long.startswith(f"{MAX_BYTES + 1} characters, ")
    assert long != plain("y" * (MAX_BYTES + 1), {})
    with pytest.raises(TypeError, match="object cannot be compared"):
        plain(object(), {})


SUITE = """
    import pytest

    @pytest.fixture(params=["one", "two"])
    def broker_kind(request):
        return request.param

    @pytest.fixture
    def topic(broker_kind):
        return "t-" + broker_kind

    def test_same(observed, topic):
        observed("topic", topic)

    def test_differs(observed, broker_kind):
        observed("rows", [broker_kind])

    def test_saw_nothing(observed):
        pass

    def test_fails_on_one(observed, broker_kind):
        observed("rows", [])
        assert broker_kind == "two"

    @pytest.mark.once
    def test_once(observed, broker_kind):
        observed("rows", [broker_kind])
"""


def test_in_a_run(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(SUITE)
    result = pytester.runpytest_subprocess("-p", "compat_tests.observed", "-p", "no:randomly", "-p", "no:cacheprovider")
    outcomes = result.parseoutcomes()
    assert outcomes == {"passed": 6, "failed": 4, "warnings": 1}
    result.stdout.fnmatch_lines(["*only on two: 'two'*", "*VACUOUS*"])
    result.stdout.fnmatch_lines(
        ["2 tests saw the same 2 values on both, or failed", "*1 tests ran on one broker alone*"]
    )
