"""Take out one call after the other, and see that some test fails.

    python -m tests.wiring                                     the files that put parts together
    python -m tests.wiring kafkacompat/broker/scheduled_tasks.py ...    these files
    python -m tests.wiring --jobs 2 --list                     what would be taken out

The tests run once with a tracer, which tells who passes which line. Then a pytest that has collected them forks a child
for each cut; in its memory the call is gone, and the tests that pass there run, quick ones first, until one fails. What
no test misses is printed at the end, and the exit status is 1 unless `KNOWN` says why nothing can fail. What runs in
other processes is whole: tests that start some are of no use here.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

import pytest

from tests.tidy.tree import ROOT
from tests.wiring.children import Children
from tests.wiring.cuts import find_cuts
from tests.wiring.known import KNOWN
from tests.wiring.passing import PYTEST_OPTIONS, load, record

FILES = (
    "kafkacompat/broker/broker.py",
    "kafkacompat/broker/compaction.py",
    "kafkacompat/broker/log_cleaner.py",
    "kafkacompat/broker/scheduled_tasks.py",
    "kafkacompat/broker/control/controller_server.py",
    "kafkacompat/broker/control/controller_channel.py",
    "kafkacompat/broker/control/lifecycle.py",
    "kafkacompat/broker/control/quorum_channel.py",
    "kafkacompat/broker/control/reached_brokers.py",
    "kafkacompat/broker/replicas/alter_isr.py",
    "kafkacompat/broker/replicas/delayed_follower_fetches.py",
    "kafkacompat/broker/replicas/fetcher.py",
    "kafkacompat/broker/replicas/fetchers.py",
    "kafkacompat/broker/replicas/follower_fetch.py",
    "kafkacompat/broker/replicas/partition_events.py",
    "kafkacompat/broker/replicas/replica_alter_log_dirs.py",
    "kafkacompat/broker/replicas/replica_manager.py",
    "kafkacompat/broker/replicas/retention_check.py",
    "kafkacompat/control_api/http/application.py",
    "kafkacompat/control_api/resources/capture_resources.py",
    "kafkacompat/control_api/captures.py",
    "kafkacompat/control_api/clock.py",
    "kafkacompat/control_api/resources/cluster_faults.py",
    "kafkacompat/control_api/faults/faults.py",
    "kafkacompat/control_api/faults/healing.py",
    "kafkacompat/control_api/resources/health.py",
    "kafkacompat/control_api/http/http.py",
    "kafkacompat/control_api/http/http_bodies.py",
    "kafkacompat/control_api/joined/joined_clock.py",
    "kafkacompat/control_api/joined/joined_faults.py",
    "kafkacompat/control_api/joined/joined_links.py",
    "kafkacompat/control_api/joined/joined_moves.py",
    "kafkacompat/control_api/joined/joined_nodes.py",
    "kafkacompat/control_api/joined/joined_routes.py",
    "kafkacompat/control_api/joined/joined_snapshots.py",
    "kafkacompat/control_api/joined/joined_state.py",
    "kafkacompat/control_api/faults/leaders.py",
    "kafkacompat/control_api/resources/machine_faults.py",
    "kafkacompat/control_api/faults/moves.py",
    "kafkacompat/control_api/joined/node_client.py",
    "kafkacompat/control_api/faults/node_links.py",
    "kafkacompat/control_api/views/request_views.py",
    "kafkacompat/control_api/resources/snapshot_resources.py",
    "kafkacompat/control_api/state.py",
    "kafkacompat/control_api/http/turns.py",
    "kafkacompat/control_api/resources/wait_resource.py",
    "kafkacompat/replication/controller/active.py",
    "kafkacompat/replication/metadata/batch_accumulator.py",
    "kafkacompat/replication/metadata/log.py",
    "kafkacompat/replication/metadata/quorum.py",
    "kafkacompat/replication/partition.py",
    "kafkacompat/replication/raft/client.py",
    "kafkacompat/replication/raft/elections.py",
    "kafkacompat/replication/raft/follower.py",
    "kafkacompat/replication/raft/kafka_raft_log.py",
    "kafkacompat/replication/raft/leader.py",
    "kafkacompat/server/broker_reset.py",
    "kafkacompat/server/broker_server.py",
    "kafkacompat/storage/directory_moves.py",
    "kafkacompat/storage/flush.py",
    "kafkacompat/storage/future_logs.py",
    "kafkacompat/storage/log_directory.py",
    "kafkacompat/storage/manager.py",
    "kafkacompat/storage/offset_checkpoints.py",
)
TESTS = (
    "tests/broker", "tests/control_api", "tests/replication", "tests/storage", "tests/server", "tests/sim/nodes",
    "tests/cluster/test_joined_processes.py", "tests/cluster/test_process_resets.py", "tests/cluster/test_state.py",
)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", default=FILES)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", default="", help="cuts whose line holds this text")
    parser.add_argument("--tests", nargs="+", default=TESTS, help="folders and modules of tests")
    parser.add_argument("--map", type=Path, help="keep who passes which line in this file, and use it if it is there")
    parser.add_argument("--budget", type=float, default=240, help="seconds of tests for a cut, as the tracer saw them")
    options = parser.parse_args()
    cuts = [cut for path in options.files for cut in find_cuts(path, (ROOT / path).read_text())]
    cuts = [cut for cut in cuts if options.only in str(cut)]
    if options.list:
        _say("\n".join(map(str, cuts)))
        return 0
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory(prefix="wiring-") as directory:
        file = options.map or Path(directory) / "map"
        if not file.exists():
            record(options.files, options.tests, file)
        passing = load(file)
    for test in passing.failed:
        _say(f"left out, as it fails under the tracer: {test}")
    children = Children(cuts, passing, options.jobs, options.budget, _say)
    status = pytest.main([*PYTEST_OPTIONS, *options.tests], plugins=[children])
    if status != pytest.ExitCode.OK:
        return int(status)
    unexplained = [cut for cut in children.missed if cut.key not in KNOWN]
    for cut in children.missed:
        _say(f"missed: {cut} ({KNOWN.get(cut.key, 'not explained')})")
    _say(f"{len(cuts)} taken out, {len(children.missed)} missed, {len(unexplained)} of them unexplained")
    return 1 if unexplained else 0


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
