"""The table of topic configs in COMPATIBILITY.md: every one, what it does here, and the test that shows it."""

from __future__ import annotations

from functools import cache

from kafkacompat.config.checks import Between, ListOf, OneOf
from kafkacompat.config.definitions import TOPIC_CONFIGS
from kafkacompat.config.values import BOOLEAN, TYPE_NAMES, ConfigKey
from tests.config.effects.elsewhere import ELSEWHERE
from tests.config.effects.registry import SHOWN, load

TIER_OFF = "as in Kafka with the tier off"
KEPT: dict[str, str] = {
    "local.retention.bytes": f"kept: there is no remote tier, so all of a log is local, {TIER_OFF}",
    "local.retention.ms": f"kept: there is no remote tier, so all of a log is local, {TIER_OFF}",
    "remote.log.copy.disable": f"kept: there is no remote tier to copy to, {TIER_OFF}",
    "remote.log.delete.on.disable": f"kept: there is no remote tier to delete from, {TIER_OFF}",
    "remote.storage.enable": f"`true` is refused, INVALID_CONFIG: there is no remote tier, {TIER_OFF}",
}
"""Why a config that is checked, stored and described has no effect."""

PROOF_OF_KEPT: dict[str, str] = {
    "local.retention.bytes": "compat_tests/api/test_config_values.py::test_together",
    "local.retention.ms": "compat_tests/api/test_config_values.py::test_together",
    "remote.log.copy.disable": "compat_tests/api/test_config_values.py::test_together",
    "remote.log.delete.on.disable": "compat_tests/api/test_config_values.py::test_together",
    "remote.storage.enable": "compat_tests/api/test_config_values.py::test_contradictions_with_what_is_set",
}
"""The tests that compare with Apache Kafka what is refused of such a config, and what is taken and described."""


@cache
def proofs() -> dict[str, str]:
    """The test of each config, as `file::test` from the root of the checkout."""
    load()
    found = dict(PROOF_OF_KEPT)
    for (scope, name), test in SHOWN.items():
        if scope == "topic":
            module, _, function = test.rpartition(".")
            found[name] = f"{module.replace('.', '/')}.py::{function}"
    for path, tests in ELSEWHERE.items():
        found |= {name: f"tests/{path}::{test}" for name, test in tests.items() if name in TOPIC_CONFIGS}
    return found


def section() -> list[str]:
    """The lines of the section."""
    names = sorted(TOPIC_CONFIGS)
    obeyed = sum(TOPIC_CONFIGS[name].obeyed for name in names)
    return [
        "## Topic configs",
        "",
        f"All {len(names)} of Apache Kafka 4.3.1, with its defaults and limits: {obeyed} are obeyed, and the test",
        "of the row changes the config and sees the effect. Wrong, odd and contradictory values are compared with",
        "Apache Kafka in `compat_tests/api/test_config_values.py`.",
        "",
        "| config | type | default | valid values | here | shown by |",
        "|---|---|---|---|---|---|",
        *(_row(TOPIC_CONFIGS[name]) for name in names),
    ]


def _row(key: ConfigKey) -> str:
    default = "none" if key.default is None else f"`{key.default}`" if key.default else "empty"
    here = "obeyed" if key.obeyed else KEPT[key.name]
    kind = TYPE_NAMES[key.type].lower()
    return f"| `{key.name}` | {kind} | {default} | {valid(key)} | {here} | `{proofs()[key.name]}` |"


def valid(key: ConfigKey) -> str:
    """The values that a config takes, in words."""
    check = key.check
    if isinstance(check, Between):
        if check.high is None:
            return f"at least {check.low}"
        return f"{check.low} to {check.high}"
    if isinstance(check, OneOf):
        return ", ".join(check.words)
    if isinstance(check, ListOf):
        return f"any of {', '.join(check.words)}"
    if check is not None:
        return " ".join((check.__doc__ or "").partition(";")[0].partition(" (")[0].rstrip(".").split())
    return "true, false" if key.type == BOOLEAN else "any"
