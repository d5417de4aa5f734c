"""The control API of a container: from the host, through a mapped port, and from a program inside."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

import pytest

from tests.image.conftest import StartContainer
from tests.image.container import READY, RUN, Container
from tests.waiting import wait_until

PORT = 9644
TOKEN = "a-token-of-this-test"
RULE = '{"when": {"api": "Produce"}, "then": {"error": "NOT_LEADER_OR_FOLLOWER"}}'
INSIDE = """
import sys, urllib.request as r
request = r.Request(sys.argv[1], sys.argv[2].encode() or None, {"content-type": "application/json"})
try:
    print(r.urlopen(request).status)
except r.HTTPError as error:
    print(error.code)
"""


def from_outside(container: Container, path: str, token: str | None = None, host: str = "localhost") -> tuple[int, str]:
    """What a program on the host gets: status and body."""
    headers = {"host": f"{host}:{container.mapped[PORT]}"}
    if token is not None:
        headers["authorization"] = f"Bearer {token}"
    request = urllib.request.Request(f"http://127.0.0.1:{container.mapped[PORT]}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def from_inside(container: Container, path: str, body: str = "") -> int:
    """The status that a program in the container gets."""
    url = f"http://localhost:{PORT}{path}"
    ended = container.exec("/opt/kafkacompat/bin/python3", "-I", "-c", INSIDE, url, body)
    assert ended.returncode == 0, ended.stderr
    return int(ended.stdout)


def test_probes_and_metrics_are_open_to_all_and_v1_is_for_those_inside(start: StartContainer) -> None:
    container = start(RUN, {}, PORT)
    container.wait_for_log(READY)
    assert from_outside(container, "/healthz")[0] == 200
    assert from_outside(container, "/readyz", host="kafka")[0] == 200, "compose and Kubernetes have names of their own"
    status, metrics = from_outside(container, "/metrics")
    assert status == 200
    assert "kafka_server_replicamanager_leadercount" in metrics
    status, problem = from_outside(container, "/v1/cluster")
    assert status == 401
    assert "KAFKACOMPAT_CONTROL_TOKEN" in json.loads(problem)["detail"]
    assert from_outside(container, "/v1/cluster", token=TOKEN)[0] == 401
    assert from_inside(container, "/v1/cluster") == 200
    assert from_inside(container, "/v1/faults", RULE) == 201, "its data are temporary: nothing of the user's is at risk"


def test_a_token_opens_v1_to_others(start: StartContainer) -> None:
    container = start(RUN, {"KAFKACOMPAT_CONTROL_TOKEN": TOKEN}, PORT)
    container.wait_for_log(READY)
    assert from_outside(container, "/v1/cluster", token=TOKEN)[0] == 200
    assert from_outside(container, "/v1/cluster", token="another")[0] == 401
    assert from_outside(container, "/v1/cluster")[0] == 401
    assert from_inside(container, "/v1/cluster") == 200


@pytest.mark.parametrize(("environ", "status"), [({}, 403), ({"KAFKACOMPAT_ALLOW_FAULTS": "true"}, 201)])
def test_data_that_are_kept_are_changed_only_with_leave(
    start: StartContainer, environ: dict[str, str], status: int
) -> None:
    container = start(RUN, {"KAFKA_LOG_DIRS": "/home/appuser/data", **environ})
    container.wait_for_log(READY)
    assert from_inside(container, "/v1/faults", RULE) == status
    assert from_inside(container, "/v1/cluster") == 200


def test_the_node_is_not_ready_while_its_hooks_run(start: StartContainer) -> None:
    hook = "while [ ! -e /tmp/go-on ]; do sleep 0.05; done"
    container = start(
        ["bash", "-c", f"echo '{hook}' > /docker-entrypoint-initdb.d/a.sh; exec /etc/kafka/docker/run"], {}, PORT
    )

    def status() -> int:
        try:
            return from_outside(container, "/readyz")[0]
        except OSError:  # it does not listen yet
            return 0

    wait_until(lambda: status() == 503 and "hooks" in from_outside(container, "/readyz")[1], what=container.logs)
    container.copy("/tmp/go-on", "")
    container.wait_for_log(READY)
    assert status() == 200


def test_a_program_inside_makes_requests_fail_and_resets_the_broker(start: StartContainer) -> None:
    container = start(RUN, {"KAFKACOMPAT_TOPICS": "orders:2"})
    container.wait_for_log(READY)

    def run(*arguments: str) -> str:
        ended = container.exec("kafkacompat", *arguments)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    for _ in range(3):
        run("topic", "create", "extra")
        run("fault", "add", "--api", "metadata", "--topic", "extra", "--hide")
        assert container.exec("kafkacompat", "topic", "describe", "extra").returncode == 3
        run("fault", "remove", "--all")
        assert "extra" in run("topic", "list")
        run("reset", "--yes")
        assert [json.loads(line)["name"] for line in run("topic", "list", "-f", "json").splitlines()] == ["orders"]
    (saved,) = map(json.loads, run("snapshot", "save").splitlines())
    run("topic", "create", "extra")
    run("snapshot", "restore", saved["snapshot_id"], "--yes")
    assert "extra" not in run("topic", "list")


def test_three_brokers_have_one_control_port(start: StartContainer) -> None:
    container = start(RUN, {"KAFKACOMPAT_BROKERS": "3", "KAFKACOMPAT_CONTROL_TOKEN": TOKEN}, PORT)
    container.wait_for_log(READY)
    assert from_outside(container, "/readyz")[0] == 200, "all three are ready when the line is there"
    status, brokers = from_outside(container, "/v1/brokers", token=TOKEN)
    assert status == 200
    assert [broker["broker_id"] for broker in json.loads(brokers)["brokers"]] == [1, 2, 3]
    assert from_outside(container, "/v1/brokers")[0] == 401
    assert from_inside(container, "/v1/faults", RULE) == 201, "the parent hands it to all three"
