"""The rules, the dashboard and a scrape, read by Prometheus' own tool."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import yaml

from tests.control_api.harness import serving
from tests.tidy.tree import ROOT, text

OPS = ROOT / "ops"
LINT = 3
"""The exit code of `check metrics` for names that its lint does not like."""
DISLIKED = {
    "kafka_log_logcleanermanager_time_since_last_run_ms",
    "kafka_log_logcleanermanager_uncleanable_bytes",
    "kafka_log_logcleanermanager_uncleanable_partitions_count",
    "kafka_log_logmanager_cordonedlogdirectorycount",
    "kafka_log_logmanager_logdirectorycordoned",
    "kafka_log_logmanager_logdirectoryoffline",
    "kafka_server_brokermetadatametrics_last_applied_record_lag_ms",
    "kafka_server_replicaalterlogdirsmanager_deadthreadcount",
    "kafka_server_replicaalterlogdirsmanager_failedpartitionscount",
    "kafka_server_replicaalterlogdirsmanager_maxlag",
    "kafka_server_socket_server_metrics_connection_count",
    "kafka_server_socket_server_metrics_connections_software",
    # those above are Kafka's names, as Strimzi's rules make them
    "kafkacompat_clock_offset_ms",  # units are written as everywhere in kafkacompat
    "kafkacompat_loop_lag_ms",
}


def promtool(*arguments: str | Path, sent: str = "") -> subprocess.CompletedProcess[str]:
    program = shutil.which("promtool")
    assert program, (
        "promtool is not on the PATH: it is in Debian's package prometheus, see install_promtool in .ci/dev.py"
    )
    return subprocess.run([program, *map(str, arguments)], input=sent, capture_output=True, text=True, timeout=60)


def passes(*arguments: str | Path) -> str:
    done = promtool(*arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_rules_are_valid_and_each_fires_as_its_unit_test_says() -> None:
    count = len(re.findall(r"- alert:", text("ops/prometheus-rules.yaml")))
    assert f"{count} rules found" in passes("check", "rules", OPS / "prometheus-rules.yaml")
    passes("test", "rules", OPS / "prometheus-rules.test.yaml")


def test_expressions_of_the_dashboard_are_valid(tmp_path: Path) -> None:
    panels = json.loads(text("ops/grafana-dashboard.json"))["panels"]
    expressions = [target["expr"] for panel in panels for target in panel["targets"]]
    rules = [{"record": f"panel:{number}", "expr": each} for number, each in enumerate(expressions)]
    file = tmp_path / "panels.yaml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))
    assert f"{len(expressions)} rules found" in passes("check", "rules", file)


def test_a_scrape_is_valid_and_only_names_that_are_kafkas_are_disliked() -> None:
    with serving(topics={"orders": (2, 2)}, brokers=2) as (_, api):
        api.send("POST", "/v1/faults", {"when": {"api": "metadata"}, "observe": True, "label": 'a "b" \\ c'})
        api.send("POST", "/v1/wait", {"what": "connections"})
        scraped = api.send("GET", "/metrics?node_id=1").text
    done = promtool("check", "metrics", sent=scraped)
    assert done.returncode == LINT, done.stderr
    assert {line.split()[0] for line in done.stderr.splitlines()} <= DISLIKED, done.stderr
    assert promtool("check", "metrics", sent=scraped + "nonsense {\n").returncode == 1
