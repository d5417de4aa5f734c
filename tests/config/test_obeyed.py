"""What the tables call obeyed is what the source reads."""

import re
from pathlib import Path

import kafkacompat
from kafkacompat.config.definitions import BROKER_CONFIGS, TOPIC_CONFIGS

PACKAGE = Path(kafkacompat.__file__).parent
TABLES = re.compile(
    r"config/(broker|docs|topic_keys|group_keys|alter|checks|definitions|describe|protection)|demo/|protocol/"
)
SOURCE = "\n".join(
    path.read_text() for path in PACKAGE.rglob("*.py") if not TABLES.match(path.relative_to(PACKAGE).as_posix())
)

#: Read, and not obeyed: checked when it is asked for, and nothing is deleted or compacted yet.
CHECKED_ONLY = {"cleanup.policy", "log.cleanup.policy"}


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
