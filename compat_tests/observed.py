"""What a test saw on one broker, compared with what the same test saw on the other.

A test takes the fixture `observed` and says what it saw: `observed("rows", rows)`. With `--broker both` the values of
the second run of a test are compared with those of the first; a difference fails the second one and names what differs.
Where there is nothing to compare with, because the test ran on one broker alone or failed on the other, the summary of
the run says so. A test that takes the fixture and sees nothing fails: it would compare nothing. What is marked `once`
is compared with nothing.

Loaded in a conftest's `pytest_configure`: `observed.load(config)`.
"""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest

MAX_SHOWN = 10
"""How many differing rows of a value a failure names."""
MAX_BYTES = 256
"""Longer texts and byte strings are compared by their length and SHA-256."""
PRIVATE_FIXTURES = ("topic", "group")
"""Fixtures whose values are another name in each run; in what was seen the fixture's name takes their place."""

Values = list[tuple[str, Any]]
"""What a test saw, in its order: a name and a plain value."""


class Observations:
    """What the tests of a run saw, by test and by broker."""

    def __init__(self) -> None:
        self.compared_tests = 0
        self.compared_values = 0
        self._seen: dict[str, dict[str, Values]] = {}

    def add(self, test: str, broker: str, values: Values) -> list[str]:
        """Keep what a test saw on a broker, and say how it differs from what it saw on others, a line each."""
        others = self._seen.setdefault(test, {})
        found = []
        for other, expected in others.items():
            self.compared_tests += 1
            self.compared_values += len(values)
            found += differences(other, expected, broker, values)
        others[broker] = values
        return found

    def alone(self) -> list[str]:
        """Tests that were seen on one broker only."""
        return sorted(test for test, brokers in self._seen.items() if len(brokers) < 2)


def differences(first: str, expected: Values, second: str, found: Values) -> list[str]:
    """How the values that a test saw on a second broker differ from those on a first one, a line each."""
    names, expected_names = [name for name, _ in found], [name for name, _ in expected]
    if names != expected_names:
        return [f"{second} saw {names}, {first} saw {expected_names}"]
    lines = []
    for number, ((name, here), (_, there)) in enumerate(zip(found, expected, strict=True), 1):
        if here != there:
            lines += [f"{name} (seen as number {number}): {line}" for line in _difference(first, there, second, here)]
    return lines


def _difference(first: str, there: Any, second: str, here: Any) -> list[str]:
    if not (isinstance(here, list) and isinstance(there, list)):
        return [f"{second} {here!r}, {first} {there!r}"]
    counted, expected = Counter(map(repr, here)), Counter(map(repr, there))
    lines = [
        *(f"only on {second}: {row}" for row in _shown(counted - expected)),
        *(f"only on {first}: {row}" for row in _shown(expected - counted)),
    ]
    return lines or [f"the same in another order: {second} {here!r}, {first} {there!r}"]


def _shown(rows: Counter[str]) -> list[str]:
    every = list(rows.elements())
    return every[:MAX_SHOWN] + ([f"and {len(every) - MAX_SHOWN} more"] if len(every) > MAX_SHOWN else [])


def plain(value: Any, private: Mapping[str, str]) -> Any:
    """The value as numbers, texts, lists and dicts; private names replaced. Raises TypeError for anything else."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        for name, word in private.items():
            value = value.replace(name, word)
        return value if len(value) <= MAX_BYTES else f"{len(value)} characters, {_digest(value.encode())}"
    if isinstance(value, (bytes, bytearray)):
        data = bytes(value)
        for name, word in private.items():
            data = data.replace(name.encode(), word.encode())
        return repr(data) if len(data) <= MAX_BYTES else f"{len(data)} bytes, {_digest(data)}"
    if isinstance(value, Mapping):
        return {plain(key, private): plain(value[key], private) for key in sorted(value, key=repr)}
    if isinstance(value, (set, frozenset)):
        return sorted((plain(one, private) for one in value), key=repr)
    if isinstance(value, Iterable):
        return [plain(one, private) for one in value]
    raise TypeError(f"{type(value).__name__} cannot be compared between brokers: give plain values")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


class Observed:
    """Takes what one test sees on one broker. `private` are names that are others in each run, and words for them."""

    def __init__(self, broker: str, private: Callable[[], Mapping[str, str]]) -> None:
        self.broker = broker
        self.values: Values = []
        self._private = private

    def __call__(self, name: str, value: Any) -> None:
        """Say that the test saw `value`; the other broker's run has to see the same under this name, in this order.

        What has no order is sorted by the test. Raises TypeError for what is neither a number, text, bytes, null nor
        made of these.
        """
        self.values.append((name, plain(value, self._private())))


def load(config: pytest.Config) -> None:
    """Make the fixture known, and compare; a second call does nothing."""
    if not config.pluginmanager.has_plugin(__name__):
        config.pluginmanager.register(sys.modules[__name__], __name__)


_RUN = pytest.StashKey[Observations]()
_TEST = pytest.StashKey[Observed]()


@pytest.fixture
def observed(broker_kind: str, request: pytest.FixtureRequest) -> Observed:
    """`observed(name, value)`: what the test saw, to be the same on every broker."""

    def private() -> dict[str, str]:
        funcargs = request.node.funcargs
        return {funcargs[name]: f"<{name}>" for name in PRIVATE_FIXTURES if name in funcargs}

    made = Observed(broker_kind, private)
    request.node.stash[_TEST] = made
    return made


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Any:
    result = yield
    seen = item.stash.get(_TEST, None)
    if seen is not None:
        assert seen.values, "VACUOUS: the test saw nothing that could be compared between brokers"
    if seen is not None and item.get_closest_marker("once") is None:
        run = item.config.stash.setdefault(_RUN, Observations())
        found = run.add(_test_of(item), seen.broker, seen.values)
        assert not found, "the brokers differ:\n" + "\n".join(found)
    return result


def _test_of(item: pytest.Item) -> str:
    """The test without the broker that it ran on."""
    callspec = getattr(item, "callspec", None)
    params = {} if callspec is None else {name: one for name, one in callspec.params.items() if name != "broker_kind"}
    return item.nodeid.partition("[")[0] + (f"{sorted(params.items())}" if params else "")


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    run = config.stash.get(_RUN, None)
    if run is None:
        return
    terminalreporter.section("seen on both brokers")
    terminalreporter.line(f"{run.compared_tests} tests saw the same {run.compared_values} values on both, or failed")
    alone = run.alone()
    if alone:
        terminalreporter.line(f"{len(alone)} tests ran on one broker alone and were compared with nothing:")
        for test in alone[:MAX_SHOWN]:
            terminalreporter.line(f"  {test}")
        if len(alone) > MAX_SHOWN:
            terminalreporter.line(f"  and {len(alone) - MAX_SHOWN} more")
