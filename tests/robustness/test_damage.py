"""Every file of a stopped broker, damaged in many ways: the next start repairs it, or refuses in one line that names
the file; a client never gets a record that was not written there.

What the checksum of a batch does not cover (its offset and epoch) is checked at recovery, so not behind the recovery
point: there a flipped offset is served as it is, until segments have checksums of their own.
"""

from random import Random

import pytest

from tests.robustness.damage import Files, Outcome, Records, damages, make, start

FLIPS = 4


@pytest.fixture(scope="module", params=[True, False], ids=["clean", "unclean"])
def stopped(request) -> tuple[Files, Records]:
    return make(clean=request.param)


def test_undamaged_files_serve_everything(stopped):
    files, records = stopped
    outcome = start(files)
    assert (outcome.refusal, outcome.errors, outcome.bad_batches) == ("", set(), 0)
    assert outcome.records == records


def test_all_kinds_of_files_are_there(stopped):
    files, _records = stopped
    names = {path.rpartition("/")[2].lstrip("0123456789") for path in files}
    assert names >= {
        "meta.properties", "bootstrap.checkpoint", "quorum-state", ".log", "leader-epoch-checkpoint",
        "partition.metadata", ".snapshot", "replication-offset-checkpoint", "recovery-point-offset-checkpoint",
    }  # fmt: skip


def test_damaged_files_are_repaired_or_refused(stopped):
    files, records = stopped
    rng = Random(5)
    repaired = refused = 0
    for path, content in sorted(files.items()):
        for name, damaged in damages(content, rng, FLIPS).items():
            changed = {other: data for other, data in files.items() if other != path}
            if damaged is not None:
                changed[path] = damaged
            outcome = start(changed)
            _check(path, name, outcome, records)
            refused += bool(outcome.refusal)
            repaired += not outcome.refusal and outcome.records == records
    assert repaired > 200
    assert refused > 20


def _check(path: str, name: str, outcome: Outcome, records: Records) -> None:
    where = f"{path}: {name}"
    if outcome.refusal:
        assert "\n" not in outcome.refusal, where
        assert path.rpartition("/")[2] in outcome.refusal, f"{where}: {outcome.refusal}"
        return
    is_segment = path.endswith(".log")
    for partition, served in outcome.records.items():
        for offset, value in served.items():
            if is_segment and offset not in records[partition]:
                assert value in records[partition].values(), where  # a flipped base offset
            else:
                assert records[partition][offset] == value, where
    if not is_segment and not path.endswith("partition.metadata"):  # whose directory is set aside as a stray
        assert outcome.records == records, where
        assert not outcome.errors, where


@pytest.mark.parametrize("damaged", [None, b""])
def test_a_broker_that_stopped_cleanly_does_not_begin_anew_without_its_metadata(damaged):
    files, _records = make(clean=True)
    path = "/data/__cluster_metadata-0/00000000000000000000.log"
    files.pop(path)
    if damaged is not None:
        files[path] = damaged
    assert start(files).refusal.startswith(f"{path} is missing or empty")
