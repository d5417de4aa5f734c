"""What the tables call obeyed is what the source reads, and what a test changes and sees the effect of."""

import ast
import re
from pathlib import Path

import kafkacompat
from kafkacompat.config.definitions import BROKER_CONFIGS, TOPIC_CONFIGS
from tests.config.effects.elsewhere import ELSEWHERE
from tests.config.effects.registry import SHOWN, load

PACKAGE = Path(kafkacompat.__file__).parent
TESTS = Path(__file__).parent.parent
TABLES = re.compile(
    r"config/(broker|docs|topic_keys|group_keys|alter|checks|definitions|describe|protection)|demo/|protocol/|client/"
    r"|cli/connected"  # names of a client's settings
)
SOURCE = "\n".join(
    path.read_text() for path in PACKAGE.rglob("*.py") if not TABLES.match(path.relative_to(PACKAGE).as_posix())
)

#: Read, and not obeyed: checked when it is asked for, or named as what is not here; metadata are in one log directory.
CHECKED_ONLY = {"log.cleanup.policy", "metadata.log.dir", "remote.storage.enable"}

#: Settings that are read where it counts, and whose effect no test has shown yet. The list only gets shorter.
NOT_SHOWN: set[str] = set()


def _is_read(name: str) -> bool:
    attribute = re.escape(name.replace(".", "_"))
    return f'"{name}"' in SOURCE or re.search(rf"config\.{attribute}\b", SOURCE) is not None


def test_topic_configs_are_obeyed_when_they_are_read():
    wrong = [name for name in TOPIC_CONFIGS if _is_read(name) != TOPIC_CONFIGS[name].obeyed]
    assert set(wrong) - CHECKED_ONLY == set()


def test_broker_configs_are_obeyed_when_they_are_read_or_stand_in_for_a_topic_s():
    stand_ins = {
        fallback for key in map(TOPIC_CONFIGS.__getitem__, TOPIC_CONFIGS) if key.obeyed for fallback, _ in key.synonyms
    }
    wrong = [name for name in BROKER_CONFIGS if (name in stand_ins or _is_read(name)) != BROKER_CONFIGS[name].obeyed]
    assert set(wrong) - CHECKED_ONLY == set()


def test_of_everything_that_is_obeyed_a_test_shows_the_effect():
    load()
    elsewhere = {name for found in ELSEWHERE.values() for name in found}
    shown = {name for _, name in SHOWN} | elsewhere
    obeyed = {name for table in (BROKER_CONFIGS, TOPIC_CONFIGS) for name in table if table[name].obeyed}
    assert obeyed - shown - NOT_SHOWN == set(), "listed as obeyed, and no test shows it"
    assert shown - obeyed == set(), "not listed as obeyed"
    assert NOT_SHOWN & shown == set(), "shown by now"
    for scope, table in (("broker", BROKER_CONFIGS), ("topic", TOPIC_CONFIGS)):
        of_scope = {name for in_scope, name in SHOWN if in_scope == scope}
        assert {name for name in table if table[name].obeyed} - of_scope - elsewhere - NOT_SHOWN == set(), scope


def test_the_tests_that_show_effects_are_there():
    for path, found in ELSEWHERE.items():
        source = (TESTS / path).read_text()
        functions = {
            node.name
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        for name, function in found.items():
            assert function in functions, f"{path}: {function}"
            said = {name, name.replace(".", "_"), name.partition(".")[2].replace(".", "_")}
            assert any(each in source for each in said), f"{path} does not name {name}"
