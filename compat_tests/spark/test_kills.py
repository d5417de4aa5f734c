"""The short form of `python -m compat_tests.spark.kills`: one kill of a driver, and differences that it must find."""

from __future__ import annotations

import random
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from compat_tests.broker_process import Broker
from compat_tests.spark import kills
from compat_tests.spark.kill_jobs import (
    DRIVER,
    EXECUTOR,
    JOBS,
    NODE,
    TARGETS,
    DifferenceError,
    Place,
    compare,
    targets_of,
)
from compat_tests.spark.kills import ROUNDS_MAX, Kills, NothingKilledError, torment, workers_in
from tests.waiting import wait_until

SEED = 7
PER_CODEC = 60
STANDALONE_S = 900
TOOK_S = 2.0
"""About what a run takes on an idle machine, in a session that is there."""


@pytest.mark.spark_behaviour
def test_what_is_missing_or_too_much_is_found(spark: SparkSession) -> None:
    def frame(*values: int) -> DataFrame:
        return spark.createDataFrame([(value,) for value in values], "value int")

    assert compare(frame(1, 2, 2), frame(2, 1, 2)) == 3
    for found, told in (((1, 2), "1 records are missing, and 0"), ((1, 2, 2, 3), "0 records are missing, and 1"),
                        ((1, 2, 3), "1 records are missing, and 1")):  # fmt: skip
        with pytest.raises(DifferenceError, match=told):
            compare(frame(*found), frame(1, 2, 2))


@pytest.mark.parametrize("on_cluster", [False, True])
@pytest.mark.parametrize("job", JOBS)
@pytest.mark.spark_behaviour
def test_a_job_is_asked_for_what_it_has(job: str, on_cluster: bool) -> None:
    has = targets_of(job, None, on_cluster=on_cluster)
    assert ({EXECUTOR, NODE} <= {*has}) == on_cluster
    assert targets_of(job, ",".join(reversed(has)), on_cluster=on_cluster) == tuple(reversed(has))
    for given in {*TARGETS, "brokers", ""} - {*has}:
        with pytest.raises(ValueError, match=re.escape(f"{job} has no {given} to kill: {', '.join(has)}")):
            targets_of(job, given, on_cluster=on_cluster)


@pytest.mark.spark_behaviour
def test_workers_are_found_where_they_work_whoever_their_parent_is(tmp_path: Path) -> None:
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    asleep = "import sys, time; print(flush=True); time.sleep(60)"
    worker = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {asleep!r}, 'pyspark.daemon'])"
    for folder in (here, elsewhere):
        folder.mkdir()
        subprocess.run([sys.executable, "-c", worker], cwd=folder, check=True)  # its child is left alone
    wait_until(lambda: len(workers_in(tmp_path)) == 2)
    (found,) = workers_in(here)
    assert found.cwd() == str(here)
    for each in workers_in(tmp_path):
        each.kill()


class _Unharmed(Kills):
    """Each run ends well, before anything was killed."""

    def _run(self) -> str:
        return ""


class _Sound:
    """A job whose results are right."""

    kills = (DRIVER,)

    def command(self, at: Place) -> list[str]:
        raise NotImplementedError

    def run(self, at: Place) -> None:
        raise NotImplementedError

    def check(self, at: Place) -> int:
        return at.number


@pytest.mark.spark_behaviour
def test_rounds_in_which_nothing_is_killed_come_to_an_end(spark: SparkSession, tmp_path: Path) -> None:
    place = Place(None, spark, tmp_path, tmp_path, 0)  # type: ignore[arg-type]
    killer = _Unharmed(_Sound(), place, random.Random(SEED), (DRIVER,), TOOK_S)  # type: ignore[arg-type]
    with pytest.raises(NothingKilledError, match=f"nothing was killed in {ROUNDS_MAX} rounds: driver"):
        killer.run(1)
    assert (killer.rounds, list(tmp_path.iterdir())) == (ROUNDS_MAX, [])


class _Idle:
    """In place of a broker."""

    def start(self) -> None:
        pass

    def close(self) -> None:
        pass


@pytest.mark.parametrize("error", [DifferenceError("1 records are missing"), RuntimeError("a mistake")])
@pytest.mark.spark_behaviour
def test_a_run_that_fails_prints_its_seed_and_the_command_that_repeats_it(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def raises(*_: object, **given: object) -> None:
        seeds.append(given["seed"])
        raise error

    seeds = list[object]()
    monkeypatch.setattr(kills, "torment", raises)
    monkeypatch.setattr(kills, "session", lambda *_: nullcontext())  # the tests have a session of their own
    monkeypatch.setitem(kills.BROKERS, "kafkacompat", _Idle)  # type: ignore[arg-type]
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    given = f"--job replay --broker kafkacompat --kills 5 --seed {SEED} --targets {DRIVER} --per-codec {PER_CODEC}"
    for flags in (given, given.replace(f" --seed {SEED}", "")):
        monkeypatch.setattr(sys, "argv", ["kills", *flags.split()])
        assert kills.main() == 1
        first, *_, failed, last = capsys.readouterr().out.splitlines()
        again = f"python -m compat_tests.spark.kills {given}".replace(f"--seed {SEED}", f"--seed {seeds[-1]}")
        assert (first, failed, last) == (f"seed {seeds[-1]}; again: {again}", f"FAILED: {error}", f"again: {again}")
    assert seeds[0] == SEED


@pytest.mark.api("Produce", "Fetch", "AddPartitionsToTxn", "TxnOffsetCommit", "EndTxn")
@pytest.mark.spark_behaviour
def test_a_replay_survives_a_kill_of_its_driver(
    spark: SparkSession, new_broker: Callable[..., Broker], tmp_path: Path
) -> None:
    killer = torment(
        spark, tmp_path, "replay", new_broker(), kills=1, seed=SEED, targets=(DRIVER,), per_codec=PER_CODEC,
        took_s=TOOK_S,
    )  # fmt: skip
    assert killer.struck == {DRIVER: 1}


@pytest.mark.full
@pytest.mark.spark_behaviour
def test_an_import_survives_kills_of_executors_and_nodes(pytestconfig: pytest.Config) -> None:
    given = f"--job import --standalone --targets {EXECUTOR},{NODE} --kills 3 --seed {SEED} --per-codec {PER_CODEC}"
    command = [sys.executable, "-m", "compat_tests.spark.kills", *given.split()]  # a session of its own
    done = subprocess.run(command, cwd=pytestconfig.rootpath, capture_output=True, text=True, timeout=STANDALONE_S)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-5000:]
    assert "import on kafkacompat, in a standalone cluster: survived 3 kills" in done.stdout
