"""Topics from variables, and scripts of a directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkacompat.cli.container.hooks import run, topics_of
from kafkacompat.errors import StartupError

NOBODY = "127.0.0.1:1"


def never() -> bool:
    return False


def test_topics_have_partitions_and_replicas_or_the_brokers_defaults() -> None:
    environ = {"KAFKACOMPAT_TOPICS": "a:3,b:1:1, c", "KAFKA_CREATE_TOPICS": "d:2:1\n"}
    assert topics_of(environ) == {"a": (3, -1), "b": (1, 1), "c": (-1, -1), "d": (2, 1)}
    assert topics_of({}) == {}


@pytest.mark.parametrize("text", ["a:0", "a:b", ":3", "a:1:1:1", "a:-1"])
def test_an_entry_that_cannot_be_read_is_shown(text: str) -> None:
    with pytest.raises(StartupError, match="name:partitions:replicas"):
        topics_of({"KAFKACOMPAT_TOPICS": text})


def test_scripts_run_in_the_order_of_their_names_and_know_the_address(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for name in ("20-b.sh", "10-a.sh", "README"):
        (tmp_path / name).write_text(f'echo {name} "$BOOTSTRAP_SERVERS" >> {out}\n')
    run(NOBODY, {"PATH": "/usr/bin:/bin"}, never, str(tmp_path))
    assert out.read_text() == f"10-a.sh {NOBODY}\n20-b.sh {NOBODY}\n"


def test_a_script_that_fails_ends_the_start(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text("exit 3\n")
    with pytest.raises(StartupError, match="status 3"):
        run(NOBODY, {"PATH": "/usr/bin:/bin"}, never, str(tmp_path))


def test_a_stop_ends_a_script_that_goes_on(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text("exec sleep 600\n")
    (tmp_path / "b.sh").write_text(f"touch {tmp_path}/never\n")
    run(NOBODY, {"PATH": "/usr/bin:/bin"}, lambda: True, str(tmp_path))
    answers = iter([False, True])
    run(NOBODY, {"PATH": "/usr/bin:/bin"}, lambda: next(answers, True), str(tmp_path))
    assert not (tmp_path / "never").exists()


def test_a_missing_directory_holds_no_hooks(tmp_path: Path) -> None:
    run(NOBODY, {}, never, str(tmp_path / "missing"))
