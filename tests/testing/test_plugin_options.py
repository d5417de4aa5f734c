"""The plugin's options: the command line counts before the ini file, and that before the environment."""

from __future__ import annotations

import pytest

from kafkacompat.errors import KafkaCompatError
from kafkacompat.testing.plugin import OPTIONS
from kafkacompat.testing.plugin_options import KINDS, PluginOptions, read_options
from tests.testing.pytest_runs import run

pytest_plugins = ["pytester"]


def test_the_options_that_are_described_are_those_that_are_read() -> None:
    assert {name.replace("-", "_"): kind for name, kind, _ in OPTIONS} == KINDS
    assert tuple(KINDS) == PluginOptions._fields


def test_the_environment_alone_counts_outside_of_pytest() -> None:
    assert read_options(None, {}) == PluginOptions()
    environ = {"KAFKACOMPAT_BROKERS": "3", "KAFKACOMPAT_PROCESSES": "yes", "KAFKACOMPAT_KEEP": "0"}
    options = read_options(None, environ)
    assert options == PluginOptions(brokers=3, processes=True, keep=False)
    assert options.arguments() == {"brokers": 3, "processes": True}


@pytest.mark.parametrize(
    ("variable", "value", "advice"), [("BROKERS", "three", "give a number"), ("KEEP", "perhaps", "use true or false")]
)
def test_a_value_that_cannot_be_read_is_named(variable: str, value: str, advice: str) -> None:
    with pytest.raises(KafkaCompatError, match=f"KAFKACOMPAT_{variable}={value}: {advice}"):
        read_options(None, {f"KAFKACOMPAT_{variable}": value})


def test_each_place_overrides_the_next(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    pytester.makepyfile(
        """
        import os
        from kafkacompat.testing.plugin_options import read_options

        def test_options(request):
            options = read_options(request.config, os.environ)
            assert [str(options.brokers), str(options.keep)] == os.environ["EXPECTED"].split()
        """
    )

    def expect(brokers: str, keep: str, *arguments: str) -> None:
        monkeypatch.setenv("EXPECTED", f"{brokers} {keep}")
        run(pytester, *arguments).assert_outcomes(passed=1)

    monkeypatch.setenv("KAFKACOMPAT_BROKERS", "4")
    monkeypatch.setenv("KAFKACOMPAT_KEEP", "true")
    expect("4", "True")
    pytester.makeini("[pytest]\nkafkacompat_brokers = 3\nkafkacompat_keep = false\n")
    expect("3", "False")
    expect("2", "True", "--kafkacompat-brokers", "2", "--kafkacompat-keep")
