"""Nothing is defined that nothing uses: each name of a function, class or constant stands somewhere else as well.

The package alone counts, with its generated modules: what tests alone use is dead. Names that stand in tables of the
protocol, and those that a library calls, are no definitions of ours to use.
"""

from __future__ import annotations

import ast
import re
from collections import Counter

from tests.tidy.tree import files, is_generated, text, tree

TABLES = ("kafkacompat/protocol/api_keys.py", "kafkacompat/protocol/error_codes.py")
CALLED_BY_LIBRARIES = {
    "get_source": "importlib: the text of a module",
    "data_received": "asyncio", "eof_received": "asyncio", "format_commands": "click",
    "streamReader": "pyspark", "initialOffset": "pyspark", "getDefaultReadLimit": "pyspark",
    "reportLatestOffset": "pyspark", "prepareForTriggerAvailableNow": "pyspark", "pushFilters": "pyspark",
    "pytest_addoption": "pytest", "pytest_configure": "pytest", "pytest_runtest_call": "pytest",
    "pytest_runtest_makereport": "pytest", "pytest_runtest_teardown": "pytest",
    "on_partitions_revoked": "kafka-python", "on_partitions_assigned": "kafka-python",
}  # fmt: skip
FOR_USERS = {
    **dict.fromkeys(
        ("assert_produced", "assert_consumed_up_to", "assert_group", "assert_no_errors"),
        "Cluster's, in docs/inspection.md",
    ),
    "MEANINGS": "of exit statuses, in docs/cli.md",
    **dict.fromkeys(
        (
            "get_container_host_ip",
            "get_container_info",
            "get_exposed_port",
            "get_logs",
            "maybe_emulate_amd64",
            "tc_start",
            "waiting_for",
            "with_bind_ports",
            "with_cluster_id",
            "with_env_file",
            "with_envs",
            "with_exposed_ports",
            "with_kraft",
            "with_kwargs",
            "with_name",
            "_verify_min_kraft_version",
        ),
        "KafkaContainer's of testcontainers, in docs/pytest.md",
    ),
    "put_records": "generated modules use it where a message has records that are not compact",
}
FOR_TESTS = {
    "uninstall": "server/garbage.py: leaves a test's process as it was",
    "fail_next": "storage/memfs.py: a disk that fails", "flip_bit": "storage/memfs.py: a disk that lies",
    "set_byte": "storage/memfs.py: a disk that lies",
    "varint_size": "beside put_varint",
}  # fmt: skip
WILL_BE_USED = {
    "records_passed_over": "metrics: records of groups that could not be decoded",
    "timer_count": "broker/inspect.py: the web page and metrics; tests look through it already",
}
LAYOUT = re.compile(r"[A-Z_]+_OFFSET$")
"""Where the fields of a batch's header are (protocol/records/batch.py): a table that is whole."""


def definitions(name: str) -> list[str]:
    """Functions and classes at any depth, and names that the module assigns."""
    module = tree(name)
    found = [
        node.name
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]
    for statement in module.body:
        if isinstance(statement, ast.Assign):
            names = (node for target in statement.targets for node in ast.walk(target))
            found += [node.id for node in names if isinstance(node, ast.Name)]
    return [found_name for found_name in found if not found_name.startswith("__")]


def unused() -> set[str]:
    package = [name for name in files() if name.startswith("kafkacompat/") and name.endswith(".py")]
    words = Counter(word for name in package for word in re.findall(r"[A-Za-z_]\w*", text(name)))
    ours = [name for name in package if not is_generated(name) and name not in TABLES]
    return {
        f"{found} ({name})"
        for name in ours
        for found in definitions(name)
        if words[found] == 1 and not LAYOUT.match(found)
    }


def test_every_definition_is_used() -> None:
    excused = {*CALLED_BY_LIBRARIES, *FOR_USERS, *FOR_TESTS, *WILL_BE_USED}
    assert {found for found in unused() if found.split()[0] not in excused} == set()


def test_no_excuse_outlives_its_reason() -> None:
    still = {found.split()[0] for found in unused()}
    assert {*CALLED_BY_LIBRARIES, *FOR_USERS, *FOR_TESTS, *WILL_BE_USED} - still == set()
