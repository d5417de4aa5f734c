"""Programs of clients in other languages: built once, run, listened to, and told about when they break."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from compat_tests.artifacts import MissingToolError
from compat_tests.clients.program import Program, ProgramError, Tool, build

PYTHON = Tool((sys.executable, "--version"), "Python")
ECHO = "import json, sys; asked = json.loads(input()); print(json.dumps({'verb': sys.argv[1], **asked}))"
COUNTING = "import json\nfor n, line in enumerate(open(0)): print(json.dumps({'line': n, 'text': line}), flush=True)"


def python(code: str) -> Program:
    return Program([sys.executable, "-c", code])


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KAFKACOMPAT_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "sources"
    (folder / "node_modules").mkdir(parents=True)
    (folder / "main.txt").write_text("one")
    (folder / "node_modules" / "left.txt").write_text("left behind by a build in place")
    return folder


STEP = (sys.executable, "-c", "open('made.txt', 'w').write(open('main.txt').read())")


def test_built_from_a_copy_of_the_sources_once_for_each_state(sources: Path) -> None:
    first = build("client", sources, [PYTHON], [STEP])
    assert (first / "made.txt").read_text() == "one"
    assert not (first / "node_modules").exists()
    assert not (sources / "made.txt").exists()
    (first / "made.txt").write_text("kept")
    (sources / "node_modules" / "more.txt").write_text("no source")
    assert build("client", sources, [PYTHON], [STEP]) == first
    assert (first / "made.txt").read_text() == "kept"
    (sources / "main.txt").write_text("two")
    assert (build("client", sources, [PYTHON], [STEP]) / "made.txt").read_text() == "two"


def test_a_build_that_fails_leaves_nothing(sources: Path) -> None:
    with pytest.raises(ProgramError, match=r"status 3.*\nwhat went wrong"):
        build("client", sources, [PYTHON], [STEP, ("sh", "-c", "echo what went wrong; exit 3")])
    assert [path for path in (sources.parent / "cache" / "clients").iterdir() if path.is_dir()] == []


def test_a_tool_that_is_missing_is_named(sources: Path) -> None:
    with pytest.raises(MissingToolError, match="needs the tools of tomorrow"):
        build("client", sources, [Tool(("no-such-tool", "--version"), "the tools of tomorrow")], [STEP])


def test_answers_of_a_run() -> None:
    assert python(ECHO).run("produce", topic="t", value=None) == [{"verb": "produce", "topic": "t", "value": None}]


def test_answers_come_while_it_runs() -> None:
    with python(COUNTING).start("group", group="g") as running:
        assert running.take(20) == {"line": 0, "text": '{"group": "g"}\n'}
        assert running.take() is None
        running.send("commit")
        assert running.take(20) == {"line": 1, "text": "commit\n"}
        running.send("again")
        running.close_input()
        assert running.finish() == [{"line": 2, "text": "again\n"}]
        with pytest.raises(ProgramError, match="it ended"):
            running.take()


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import sys; sys.exit('broken pipe or so')", "ended with status 1"),
        ("print('no JSON')", "not an answer: 'no JSON"),
        ("print('[1]')", r"not an answer: '\[1\]"),
        ("import time; time.sleep(60)", "not done after 0.2 s"),
    ],
)
def test_a_program_that_breaks_is_an_error(code: str, said: str) -> None:
    with pytest.raises(ProgramError, match=said):
        python(code).run("consume", timeout_s=0.2 if "sleep" in code else 60)


def test_what_it_wrote_for_people_is_told() -> None:
    with pytest.raises(ProgramError) as caught:
        python("import sys; sys.exit('the disk is full')").run("consume")
    assert "the disk is full" in caught.value.__notes__[0]
