"""The list of our environment variables is whole, and `config` says what each of them does here."""

from __future__ import annotations

import re

from kafkacompat.cli.variables import HIDDEN, PREFIX, VARIABLES, unknown
from kafkacompat.testing.plugin import OPTIONS
from tests.cli.test_explain import explained
from tests.cli.verbs import run
from tests.tidy.tree import ROOT, files

READ_HERE = re.compile(rf"\b{PREFIX}[A-Z_]*[A-Z]\b")
NOT_READ = {
    "KAFKACOMPAT_COMPLETE": "click's, for completion",
    "KAFKACOMPAT_NAME": "stands for any option of the pytest plugin",
    "KAFKACOMPAT_BASE": "an argument of a build",
}


def test_each_variable_that_is_read_is_in_the_list() -> None:
    named = {
        name
        for path in files()
        if path.startswith(("kafkacompat/", "docker/", "ops/"))
        and path.endswith((".py", ".sh", "/run", "/launch", ".yaml"))
        for name in READ_HERE.findall((ROOT / path).read_text(encoding="utf-8"))
    }
    assert named - set(VARIABLES) - set(NOT_READ) == set()
    of_container = {
        name
        for path in (ROOT / "kafkacompat" / "cli" / "container").glob("*.py")
        for name in READ_HERE.findall(path.read_text(encoding="utf-8"))
    }
    assert {name for name, row in VARIABLES.items() if "container" in row.readers} == of_container
    of_pytest = {PREFIX + name.upper().replace("-", "_") for name, _, _ in OPTIONS}
    assert {name for name, row in VARIABLES.items() if "pytest" in row.readers} == of_pytest
    assert set(VARIABLES) - of_pytest - named == set()


def test_the_page_has_the_list() -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(KAFKACOMPAT_\w+)` \| (.*?) \| (.*?) \|$", page, re.MULTILINE)
    assert rows == [(row.name, row.readers, row.says) for row in VARIABLES.values()]


def test_values_have_a_source_and_secrets_are_hidden() -> None:
    loop, token = "KAFKACOMPAT_LOOP", "KAFKACOMPAT_CONTROL_TOKEN"
    ask = ["--explain", loop, "--explain", token]
    assert explained(*ask, environment={loop: "", token: ""}) == {
        loop: ("uvloop, if it is installed", "default"), token: (None, "default"),
    }  # fmt: skip
    assert explained(*ask, environment={loop: "asyncio", token: "secret"}) == {
        loop: ("asyncio", "environment"), token: (HIDDEN, "environment"),
    }  # fmt: skip
    assert explained(environment={loop: "asyncio"})[loop] == ("asyncio", "environment")
    assert explained("--all")["KAFKACOMPAT_TOPICS"] == (None, "default")


def test_a_variable_that_nothing_reads_is_said_to_be() -> None:
    assert unknown({"KAFKACOMPAT_BOOTSTRAP_SERVER": "x", "KAFKA_HOME": "y"}) == [
        "KAFKACOMPAT_BOOTSTRAP_SERVER is read by nothing; did you mean KAFKACOMPAT_BOOTSTRAP_SERVERS?"
    ]
    done = run("config", servers="", environment={"KAFKACOMPAT_CONTROLL": "x"})
    assert done.err == "KAFKACOMPAT_CONTROLL is read by nothing; did you mean KAFKACOMPAT_CONTROL?\n"
    in_a_job = dict.fromkeys(("KAFKACOMPAT_LOG", "KAFKACOMPAT_PID", "KAFKACOMPAT_BOOTSTRAP_SERVERS"), "x")
    assert unknown(in_a_job) == []
    assert run("config", "--explain", "KAFKACOMPAT_LOP", servers="").err == (
        "kafkacompat: KAFKACOMPAT_LOP is no setting of a broker; did you mean KAFKACOMPAT_LOOP?\n"
    )
