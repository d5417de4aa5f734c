"""What the verbs of `kafkacompat spark` share, without Spark."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from kafkacompat.cli.exits import VerbError
from kafkacompat.cli.spark.spark_session import CONSOLE_PROGRESS, session_settings, time_ms, told_of
from kafkacompat.cli.spark.spark_verbs import spark
from kafkacompat.spark import extra

ARCHIVE = ("archive", "--to", "x", "-b", "a:1")
CAPTURE = ("capture", "--out", "x.kcf", "-b", "a:1")
IMPORT = ("import", "--from", "x", "--log-dir", "y")
REPLAY = ("replay", "--from", "x", "-b", "a:1")
AUDIT_LOG = ("audit", "log", "--log-dir", "x")
AUDIT_REPLICAS = ("audit", "replicas", "--log-dir", "x")
AUDIT_CLUSTERS = ("audit", "clusters", "--a", "a:1", "--b", "b:1")
WITH_TOPICS = (ARCHIVE, CAPTURE, IMPORT, REPLAY, AUDIT_LOG, AUDIT_REPLICAS)


def test_a_time_is_ms_or_iso_8601_in_utc_unless_it_says_otherwise() -> None:
    same = ("1777645740000", "2026-05-01T14:29Z", "2026-05-01T14:29:00", "2026-05-01T16:29+02:00")
    assert [time_ms(text, "--to-time") for text in same] == [1777645740000] * len(same)
    with pytest.raises(VerbError, match="--to-time: 'noon' is neither ms nor a time"):
        time_ms("noon", "--to-time")


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        *(((*verb, "--topics", "a("), 2, "'a(' is no regular expression: missing )") for verb in WITH_TOPICS),
        ((*ARCHIVE, "--max-records", "0"), 2, "--max-records"),
        ((*ARCHIVE, "--isolation", "dirty"), 2, "--isolation"),
        ((*CAPTURE, "--sample-keys", "all"), 1, "a share of keys is 1/100, 3/10 and the like, not 'all'"),
        ((*CAPTURE, "--sample-keys", "2/1"), 1, "a share of keys is"),
        ((*CAPTURE, "--mask", "none.py"), 1, "mask 'none.py': give a file and a function in it, such as mask.py:fn"),
        ((*CAPTURE, "--mask", "no-such.py:fn"), 1, "mask no-such.py cannot be read"),
        ((*CAPTURE, "--out", "no/such/x.kcf"), 1, "no/such/x.kcf cannot be written"),
        ((*IMPORT, "--chunk-offsets", "0"), 2, "--chunk-offsets"),
        ((*IMPORT, "--node-id", "-1"), 2, "--node-id"),
        ((*REPLAY, "--speed", "-1x"), 1, "speed is max, realtime, or times of it such as 10x, not '-1x'"),
        ((*REPLAY, "--compression", "rar"), 2, "--compression"),
        ((*REPLAY, "--topic-map", "a=x", "--topic-map", "b=x"), 1, "topic_map gives two topics the same name"),
        ((*REPLAY, "--resume", "../x"), 1, "'../x' is no id of a replay"),
        ((*REPLAY, "--resume", "0af3", "--topics", "a"), 1, "the topics, names and end of its first run: leave them"),
        ((*REPLAY, "--resume", "0af3", "--until-time", "5"), 1, "the topics, names and end of its first run"),
        ((*AUDIT_CLUSTERS, "--ignore", "key"), 2, "--ignore"),
        *(
            ((*verb, option, "no/such/x"), 2, "no/such/x cannot be written: give a file in a directory that exists")
            for verb in (AUDIT_LOG, AUDIT_CLUSTERS) for option in ("--json", "--junit", "--html")
        ),
        ((*AUDIT_LOG, "--json", "."), 2, ". cannot be written"),
        ((*AUDIT_CLUSTERS, "--topics", r"\p{Alpha}+"), 1, "no_such_package"),  # Spark matches it, and Java knows it
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_before_a_session_is_started(
    arguments: tuple[str, ...], status: int, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extra, "PACKAGES", ("no_such_package",))  # what a session would ask for first
    result = CliRunner().invoke(spark, arguments)
    assert (result.exit_code, result.stdout) == (status, "")
    assert told in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    "arguments",
    [
        AUDIT_LOG, AUDIT_REPLICAS, ("audit", "ledger", "--ledger", "x", "--log-dir", "x"),
        ("archive", "--to", "y", "--log-dir", "x"), ("capture", "--out", "y", "--log-dir", "x"),
    ],
)  # fmt: skip
def test_a_log_directory_that_is_none_is_said_before_a_session_is_started(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(extra, "PACKAGES", ())
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(spark, arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "there is no directory x: the path is a log directory, as in log.dirs of a broker" in result.stderr


def test_a_mask_and_a_directory_are_looked_at_before_a_session_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extra, "PACKAGES", ("no_such_package",))
    mask = tmp_path / "mask.py"
    for text, function, told in (
        ("1 / 0", "fn", "cannot be run: ZeroDivisionError"), ("def fn(r): return r", "gn", "has no function gn"),
    ):  # fmt: skip
        mask.write_text(text)
        result = CliRunner().invoke(spark, [*CAPTURE, "--mask", f"{mask}:{function}"])
        assert (result.exit_code, told in result.stderr) == (1, True), result.stderr
    result = CliRunner().invoke(spark, ["import", "--from", "x", "--log-dir", str(tmp_path)])
    assert (result.exit_code, "is not an empty directory" in result.stderr) == (1, True), result.stderr


def test_progress_is_shown_on_a_terminal_unless_it_is_set_otherwise() -> None:
    assert session_settings(None, (), is_terminal=True)[CONSOLE_PROGRESS] == "true"
    assert session_settings(None, (), is_terminal=False)[CONSOLE_PROGRESS] == "false"
    without = (f"{CONSOLE_PROGRESS}=false",)
    assert session_settings(None, without, is_terminal=True)[CONSOLE_PROGRESS] == "false"


def test_the_option_for_the_master_counts_more_than_the_setting() -> None:
    given = ("spark.master=local[2]", "a=b=c")
    assert session_settings(None, (), is_terminal=False)["spark.master"] == "local[*]"
    assert session_settings(None, given, is_terminal=False).items() >= {"spark.master": "local[2]", "a": "b=c"}.items()
    assert session_settings("spark://x:7077", given, is_terminal=False)["spark.master"] == "spark://x:7077"
    with pytest.raises(VerbError, match="--conf a: KEY=VALUE"):
        session_settings(None, ("a",), is_terminal=False)


class JavaException:
    """What py4j gives of one."""

    def __init__(self, text: str, cause: JavaException | None = None) -> None:
        self._text, self._cause = text, cause

    def toString(self) -> str:  # noqa: N802 (Java's name)
        return self._text

    def getCause(self) -> JavaException | None:  # noqa: N802 (Java's name)
        return self._cause


FULL = JavaException("java.io.IOException: No space left on device\n\tat x")
TRACE = JavaException("PythonException: Traceback (most recent call last):\n  File x\nDiskFullError: No space left\n")


@pytest.mark.parametrize(
    ("java", "told"),
    [
        (JavaException("A: failed"), "A: failed"),
        (JavaException("A: no\nmore", JavaException("B", FULL)), "A: no: java.io.IOException: No space left on device"),
        (JavaException("A: failed", TRACE), "A: failed: DiskFullError: No space left"),
        (JavaException("A: failed, B: why", JavaException("B: why")), "A: failed, B: why"),
        (None, "what Python says"),
    ],
)  # fmt: skip
def test_spark_is_quoted_with_the_cause(java: JavaException | None, told: str) -> None:
    for name in ("java_exception", "_origin"):
        error = RuntimeError("what Python says\nand more")
        setattr(error, name, java)
        assert told_of(error) == told


def test_causes_in_a_circle_and_long_lines_end() -> None:
    circle = JavaException("B" * 10_000)
    circle._cause = circle
    error = RuntimeError()
    error.java_exception = JavaException("A", circle)  # type: ignore[attr-defined]
    assert told_of(error) == f"A: {'B' * 500}"
