"""Documents say what is there: files that they name exist, commands that they show are known, code in them runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.tidy.tree import PACKAGE, ROOT, files, text

DOCUMENTS = [name for name in files() if name.endswith(".md")]
PATH = re.compile(r"`([\w.-]+(?:/[\w.<>*-]+)*/?)`")
LINK = re.compile(r"\]\(([^)#]+)[^)]*\)")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
EXAMPLE = re.compile(r"^( *)```(?:python|text)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
MODULE = re.compile(r"`([\w/]+\.py)`")
MIN_EXAMPLES = 8
SUFFIXES = (".py", ".md", ".toml", ".txt", ".svg", ".yml", "/")
# names of files in a data directory or of examples, which look like paths
MAX_MINUTES = 75
EXAMPLES = {"server.properties", "storage.py", "__cluster_metadata-0/"}


def blocks(language: str) -> list[str]:
    return [code for kind, code in BLOCK.findall(text("README.md")) if kind == language]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_named_files_exist(document: str) -> None:
    prose = BLOCK.sub("", text(document))
    named = [
        path for path in PATH.findall(prose) if path.endswith(SUFFIXES) and "<" not in path and path not in EXAMPLES
    ]
    here = (ROOT / document).parent
    missing = [path for path in named if not any(list(top.glob(path)) for top in (ROOT, PACKAGE, here))]
    assert missing == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document: str) -> None:
    targets = [target for target in LINK.findall(text(document)) if "://" not in target]
    assert [target for target in targets if not ((ROOT / document).parent / target).exists()] == []


def test_each_page_is_found_from_the_readme() -> None:
    found, ahead = {"README.md"}, ["README.md"]
    while ahead:
        here = ahead.pop()
        for target in LINK.findall(text(here)):
            page = os.path.normpath(Path(here).parent / target)
            if page.endswith(".md") and page not in found and (ROOT / page).exists():
                found.add(page)
                ahead.append(page)
    assert [page for page in DOCUMENTS if page.startswith("docs/") and page not in found] == []


def test_examples_are_what_the_code_says() -> None:
    """Each example of CONTRIBUTING.md is in the file that is named last before it; `...` is what is left out."""
    prose = text("CONTRIBUTING.md")
    examples = list(EXAMPLE.finditer(prose))
    assert len(examples) >= MIN_EXAMPLES
    for example in examples:
        path = MODULE.findall(prose[: example.start()])[-1]
        source = text(path if (ROOT / path).is_file() else f"kafkacompat/{path}")
        code = re.sub(f"^{example[1]}", "", example[2], flags=re.MULTILINE)
        assert [part for part in re.split(r"^\.\.\.\n", code, flags=re.MULTILINE) if part not in source] == [], path


def test_client_suites_exist() -> None:
    suites = tomllib.loads(text("docs/clients.toml"))["suite"]
    assert [suite["where"] for suite in suites if not (ROOT / suite["where"]).exists()] == []


@pytest.mark.parametrize("code", [pytest.param(code, id=str(number)) for number, code in enumerate(blocks("python"))])
def test_code_of_the_readme_runs(code: str, tmp_path: Path) -> None:
    is_test = "def test_" in code
    (tmp_path / "test_orders.py").write_text(code)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"] if is_test else [sys.executable]
    done = subprocess.run([*command, "test_orders.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def test_commands_of_the_readme_are_known() -> None:
    lines = [line for code in blocks("sh") for line in code.splitlines()]
    tasks = {line.split()[2] for line in lines if line.startswith("python3 .ci/dev.py ")}
    helped = subprocess.run([sys.executable, ".ci/dev.py", "help"], cwd=ROOT, capture_output=True, text=True).stdout
    assert tasks
    assert [task for task in tasks if f"dev.py {task} " not in helped] == []
    flags = {
        word for line in lines if line.startswith("kafkacompat serve") for word in line.split() if word.startswith("--")
    }
    command = [sys.executable, "-m", "kafkacompat", "serve", "--help"]
    options = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    assert flags
    assert [flag for flag in flags if flag not in options] == []


def test_the_stages_of_ci_are_in_the_time_table() -> None:
    table = text("docs/testing.md")
    stages = re.findall(r'^stage "(.*)"\nrun_stage (\d+) "\$PYTHON" (.*?)(?: -q)?$', text(".ci/run"), re.MULTILINE)
    rows = [re.escape(f"| {stage} | `python3 {task}` | {minutes} | ") + r"(\d+) \|" for stage, minutes, task in stages]
    shares = [re.search(row, table) for row in rows]
    assert shares
    assert [row for row, share in zip(rows, shares, strict=True) if share is None] == []
    assert sum(int(share[1]) for share in shares if share is not None) < MAX_MINUTES
    (whole,) = re.findall(r"^WHOLE_MINUTES=(\d+)$", text(".ci/run"), re.MULTILINE)
    assert int(whole) <= MAX_MINUTES
    assert f"ended after {whole} minutes" in table
