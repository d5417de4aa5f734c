"""Reads the options of the pytest plugin: command line, then ini file, then environment."""

from __future__ import annotations

from typing import NamedTuple

from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    import pytest

KINDS = {
    "external": str,
    "brokers": int,
    "processes": bool,
    "version": str,
    "reuse": bool,
    "keep": bool,
    "log_level": str,
}
"""The types of the options; `kafkacompat.testing.plugin.OPTIONS` describes them."""
WORDS = {
    "1": True, "true": True, "yes": True, "on": True,
    "0": False, "false": False, "no": False, "off": False,
}  # fmt: skip


class PluginOptions(NamedTuple):
    """The options; None where nothing was given."""

    external: str | None = None
    brokers: int | None = None
    processes: bool | None = None
    version: str | None = None
    reuse: bool | None = None
    keep: bool | None = None
    log_level: str | None = None

    def arguments(self) -> dict[str, Any]:
        """Those that are arguments of Cluster."""
        given = {"brokers": self.brokers, "processes": self.processes, "version": self.version}
        return {name: value for name, value in given.items() if value is not None}


def read_options(config: pytest.Config | None, environ: Mapping[str, str]) -> PluginOptions:
    """The options of a pytest run. config: None outside of pytest, where only the environment counts.

    Raises KafkaCompatError for a value that cannot be read.
    """
    found: dict[str, Any] = {}
    for name, kind in KINDS.items():
        key = f"kafkacompat_{name}"
        variable, value = key.upper(), None
        if config is not None:
            value = config.getoption(key)
            if value is None:
                value, variable = config.getini(key), key
                value = None if value in (None, "", []) else value  # older versions of pytest have no None
        if value is None and environ.get(key.upper(), "") != "":
            value, variable = environ[key.upper()], key.upper()
        found[name] = None if value is None else _parsed(variable, kind, value)
    return PluginOptions(**found)


def _parsed(name: str, kind: type, value: Any) -> Any:
    if isinstance(value, kind):
        return value
    text = str(value).strip()
    if kind is bool:
        if text.lower() not in WORDS:
            raise KafkaCompatError(f"{name}={text}: use true or false")
        return WORDS[text.lower()]
    try:
        return kind(text)
    except ValueError:
        raise KafkaCompatError(f"{name}={text}: give a number") from None
