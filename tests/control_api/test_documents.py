"""What docs/control-api.md shows works, in its order, and names each resource."""

from __future__ import annotations

import re
import shlex

from kafkacompat.control_api.http.routes import ROUTES, is_available
from kafkacompat.control_api.resources.wait_resource import FIELDS
from tests.control_api.harness import serving
from tests.tidy.tree import text

PAGE = text("docs/control-api.md")
BASE = "http://127.0.0.1:9644"


def commands() -> list[list[str]]:
    blocks = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    return [shlex.split(line[2:]) for block in blocks for line in block.splitlines() if line.startswith("$ ")]


def test_the_examples_work() -> None:
    given = commands()
    assert len(given) >= 9
    with serving() as (_, api):
        for command in given:
            assert command[:2] == ["curl", "-s"]
            assert command[-1].startswith(BASE)
            options = dict(zip(command[2:-1:2], command[3:-1:2], strict=True))
            assert not options.keys() - {"--json", "-X"}
            body = options.get("--json")
            method = options.get("-X", "GET" if body is None else "POST")
            raw = None if body is None else body.encode()
            answered = api.send(method, command[-1].removeprefix(BASE), raw=raw)
            assert answered.status in (200, 201), (command, answered)


def test_each_resource_and_each_field_is_named() -> None:
    words = PAGE.replace("/v1/clock/{advance,freeze,resume}", "/v1/clock/advance /v1/clock/freeze /v1/clock/resume")
    for verb in ("kill", "stop", "start", "restart", "pause", "resume"):
        words = words.replace(
            "{kill,stop,start,restart,pause,resume}",
            f"{verb} /v1/brokers/{{broker_id}}/{{kill,stop,start,restart,pause,resume}}",
        )
    words = words.replace(".../records", "/v1/topics/{topic}/partitions/{partition}/records")
    missing = [route.path for route in ROUTES if is_available(route) and route.path not in words]
    assert missing == []
    for what, fields in FIELDS.items():
        assert f"| `{what}` | {', '.join(fields)} |" in PAGE
