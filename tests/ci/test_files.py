"""The files for CI services and editors: they parse, name what exists, and their commands run."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from kafkacompat.cli.commands import root
from kafkacompat.client.client import Client
from kafkacompat.client.topic_admin import list_topics
from tests.tidy.tree import ROOT
from tests.waiting import wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="scripts of bash")
IMAGE = "kafkacompat/apache-kafka:4.3.1"
HEALTH = "/opt/kafkacompat/bin/container-health"


def load(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text())


def test_the_actions_script_starts_a_broker_with_its_seed_and_says_where(tmp_path: Path) -> None:
    seed, output, env = tmp_path / "seed.jsonl", tmp_path / "output", tmp_path / "env"
    seed.write_text('{"topic": "orders", "partitions": 3}\n')
    environ = {
        **os.environ, "PYTHON": sys.executable, "PORT": "0", "SEED": str(seed), "RUNNER_TEMP": str(tmp_path),
        "FLAGS": "--partitions 2\n--no-control\n", "GITHUB_OUTPUT": str(output), "GITHUB_ENV": str(env),
    }  # fmt: skip
    started = subprocess.run(
        ["bash", ROOT / "ops/ci/start.sh"], env=environ, capture_output=True, text=True, timeout=90
    )
    assert started.returncode == 0, started.stderr
    variables = dict(line.split("=", 1) for line in env.read_text().splitlines())
    try:
        outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())
        assert set(outputs) == set(load("action.yml")["outputs"])
        with Client(outputs["bootstrap-servers"]) as client:
            assert [(topic.name, len(topic.partitions)) for topic in list_topics(client)] == [("orders", 3)]
        assert "ready on" in Path(outputs["log"]).read_text()
        assert outputs["control-url"] == "", "the flag on the second line counts, too"
        assert variables["KAFKACOMPAT_BOOTSTRAP_SERVERS"] == outputs["bootstrap-servers"]
    finally:
        pid = int(variables["KAFKACOMPAT_PID"])
        os.kill(pid, signal.SIGTERM)
        wait_until(lambda: not (tmp_path / "kafkacompat-state.json").exists())


def test_the_actions_script_shows_why_a_broker_does_not_start(tmp_path: Path) -> None:
    environ = {**os.environ, "PYTHON": sys.executable, "FLAGS": "--unheard-of", "RUNNER_TEMP": str(tmp_path)}
    started = subprocess.run(
        ["bash", ROOT / "ops/ci/start.sh"], env=environ, capture_output=True, text=True, timeout=90
    )
    assert started.returncode == 1
    assert "--unheard-of" in started.stderr


def test_the_action_says_on_windows_what_to_do_there(tmp_path: Path) -> None:
    install = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"][0]
    environment = {"PATH": os.environ["PATH"], "RUNNER_OS": "Windows", "RUNNER_TEMP": str(tmp_path), "PYTHON": "none"}
    done = subprocess.run(["bash", "-c", install["run"]], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stdout.startswith("::error::this action needs a runner with Linux or macOS")
    assert not list(tmp_path.iterdir())


def test_the_action_hands_each_input_to_the_script() -> None:
    action = load("action.yml")
    assert action["runs"]["using"] == "composite"
    text = (ROOT / "action.yml").read_text()
    for name in action["inputs"]:
        assert f"inputs.{name} " in text, f"input {name} is not used"
    install, start = action["runs"]["steps"]
    assert all(step["shell"] == "bash" for step in (install, start))
    script = (ROOT / "ops/ci/start.sh").read_text()
    for name in start["env"]:
        assert re.search(rf"\$\{{{name}\b", script), f"{name} is not read"
    assert start["run"] == 'bash "$GITHUB_ACTION_PATH/ops/ci/start.sh"'
    flags = {flag for parameter in root.commands["serve"].params for flag in parameter.opts}
    assert set(re.findall(r"--[a-z-]+", script)) <= flags


def test_services_and_compose_files_use_the_image_as_it_is() -> None:
    dockerfile = (ROOT / "docker/Dockerfile").read_text()
    workflow = load("ops/ci/github-workflow.yml")["jobs"]
    service = workflow["service"]["services"]["kafka"]
    assert service["image"] == IMAGE
    assert f"--health-cmd {HEALTH} " in service["options"]
    assert f'CMD ["{HEALTH}"]' in dockerfile
    inputs = load("action.yml")["inputs"]
    assert set(workflow["action"]["steps"][1]["with"]) <= set(inputs)
    gitlab = load("ops/ci/gitlab-ci.yml")["test"]
    assert gitlab["services"][0]["name"] == IMAGE
    assert gitlab["variables"]["BOOTSTRAP_SERVERS"].startswith(gitlab["services"][0]["alias"] + ":9092")
    assert "EXPOSE 9092 9644\n" in dockerfile, "GitLab's runner waits for each exposed port"
    for name in ("docker/compose.yaml", "ops/ci/devcontainer/compose.yaml"):
        kafka = load(name)["services"]["kafka"]
        assert IMAGE in kafka["image"]
        assert re.fullmatch(r"\d+s", kafka["stop_grace_period"])


def test_the_devcontainer_names_its_compose_file_and_service() -> None:
    folder = ROOT / "ops/ci/devcontainer"
    document = json.loads((folder / "devcontainer.json").read_text())
    services = yaml.safe_load((folder / document["dockerComposeFile"]).read_text())["services"]
    assert document["service"] in services
    assert document["forwardPorts"] == ["kafka:9092"]
    assert services[document["service"]]["depends_on"]["kafka"]["condition"] == "service_healthy"


def test_the_hook_runs_a_verb_on_files_of_ours() -> None:
    (hook,) = load(".pre-commit-hooks.yaml")
    program, verb = hook["entry"].split()
    assert (program, hook["language"]) == ("kafkacompat", "python")
    assert verb in root.list_commands(None)  # type: ignore[arg-type]
    for path, is_ours in (
        ("tests/seeds/a.jsonl", True), ("faults/slow.yaml", True), ("server.properties", True), ("src/a.json", False),
    ):  # fmt: skip
        assert bool(re.search(hook["files"], path)) == is_ours
