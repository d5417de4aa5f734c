"""Numbers that stand for something have a name, and each name has one home: sentinels `protocol/constants.py`, a moment
that does not come `now.py`, API keys and error codes their tables.
"""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from kafkacompat.protocol import api_keys, error_codes
from tests.tidy.tree import python_files, text, tree

if TYPE_CHECKING:
    from collections.abc import Mapping

HOMES = {"kafkacompat/protocol/constants.py", "kafkacompat/now.py"}
BY_THEMSELVES = {
    "NO_LEADER": "Kafka's LeaderConstants, beside the other values of metadata records",
    "NO_LEADER_CHANGE": "Kafka's LeaderConstants, of a change of metadata",
    "NO_STATE_CHANGE": "Kafka's LeaderRecoveryState, of a change of metadata",
    "UNFENCE": "Kafka's BrokerRegistrationFencingChange, of a change of metadata",
    "NEVER_FETCHED": "an offset, not a moment",
    "NOTHING_APPLIED": "an offset of the metadata log that every image is behind of",
    "FIRST_BOOTSTRAP_ID": "the first of many that count down",
    "NO_PORT": "a part of FindCoordinator's answer",
    "UNKNOWN_SERVER_ERROR": "an error code; the configuration is a leaf, which imports no table of them",
    "_TO_BE_FOUND": "a port that the operating system is to choose",
}
"""Constants with such a value that stand where they are used, as no one else has a use for them."""

NOT_SENTINELS = {
    "kafkacompat/broker/coordinator/group/classic/classic_group.py": "a member less",
    "kafkacompat/broker/coordinator/group/classic/members.py": "a record of a version without a rebalance time-out",
    "kafkacompat/broker/coordinator/group/shard.py": "the epoch of a member of a classic group",
    "kafkacompat/broker/coordinator/loading.py": "before the first iteration",
    "kafkacompat/cli/check.py": "any number of arguments, for click",
    "kafkacompat/cli/dump_verb.py": "any number of arguments, for click",
    "kafkacompat/cli/commands.py": "any number of arguments, for click",
    "kafkacompat/cli/consume.py": "any number of arguments, for click",
    "kafkacompat/cli/fault_verbs.py": "any number of arguments, for click",
    "kafkacompat/cli/group_verbs.py": "any number of arguments, for click",
    "kafkacompat/cli/inspect_verbs.py": "any number of arguments, for click",
    "kafkacompat/cli/log_verbs.py": "any number of arguments, for click",
    "kafkacompat/cli/snapshot_verbs.py": "any number of arguments, for click",
    "kafkacompat/cli/topic_verbs.py": "any number of arguments, for click",
    "kafkacompat/cli/txn_verbs.py": "any number of arguments, for click",
    "kafkacompat/config/checks.py": "gzip's own choice",
    "kafkacompat/config/topic.py": "a retention without a limit",
    "kafkacompat/protocol/headers.py": "the length of null",
    "kafkacompat/protocol/records/reader.py": "the length of null",
    "kafkacompat/replication/in_sync.py": "before the first partition epoch",
    "kafkacompat/server/peer_connection.py": "before the first correlation id",
    "kafkacompat/protocol/columns/record_decoder.py": "the length of null, one that none has, and the last of an array",
    "kafkacompat/spark/audit/audit_indexes.py": "before the first entry",
    "kafkacompat/spark/log/index_files.py": "before the first entry",
    "kafkacompat/storage/compaction/scan_arrays.py": "the length of null, and the last of an array",
    "kafkacompat/storage/tools/dump_text.py": "the size of a key or a value that is null",
    "kafkacompat/storage/fs.py": "a closed descriptor",
    "kafkacompat/storage/held_fs.py": "no descriptor",
    "kafkacompat/storage/index.py": "before the first entry",
    "kafkacompat/storage/log.py": "before the first offset",
    "kafkacompat/storage/log_directory.py": "the size of a disk that does not answer (DescribeLogDirs)",
    "kafkacompat/storage/memfs.py": "no descriptor, and a disk without a limit",
    "kafkacompat/storage/producer_state.py": "the epoch of no coordinator",
    "kafkacompat/storage/segment.py": "before the first batch",
    "kafkacompat/storage/slices.py": "no descriptor",
    "kafkacompat/storage/overlay_fs.py": "no descriptor",
    "kafkacompat/storage/producer_snapshots.py": "before the first offset",
}
"""Files in which a negative number stands without a name, and what for."""

HUGE = {"1 << 62", "-(1 << 62)", "2 ** 63 - 1"}
KEYED = {"RequestHeader": 0}
KEYED_IN_PACKAGE = {"RequestHeader": 0, "request": 1, "send": 3}
"""Calls that take an API key, and its place. Tests have others of the last two names."""


def sources() -> list[str]:
    """What is looked at: the package without the notation, whose numbers are Kafka's own."""
    return [name for name in python_files("kafkacompat/") if "/protocol/notation/" not in name]


def is_negative(node: ast.AST) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and _is_whole(node.operand)


def _is_whole(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def constants(module: ast.Module) -> list[str]:
    """The names of a module's constants that can only stand for something else."""
    found: list[str] = []
    for node in module.body:
        if not isinstance(node, ast.Assign):
            continue
        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        for target in node.targets:
            names = target.elts if isinstance(target, ast.Tuple) else [target] * len(values)
            found += [
                ast.unparse(name)
                for name, value in zip(names, values, strict=False)
                if is_negative(value) or ast.unparse(value) in HUGE
            ]
    return found


def bare(module: ast.Module) -> list[int]:
    """The lines with a negative number that has no name. Slices, ranges and arithmetic are meant as numbers."""
    meant: set[ast.AST] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Subscript):
            meant |= set(ast.walk(node.slice))
        elif isinstance(node, ast.BinOp):
            meant |= {node.left, node.right}
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("range", "Between"):
            meant |= set(node.args)
    for statement in module.body:
        if isinstance(statement, ast.Assign):
            meant |= set(ast.walk(statement))
    return [node.lineno for node in ast.walk(module) if isinstance(node, ast.UnaryOp) and is_negative(node)
            and node not in meant]  # fmt: skip


def bare_api_keys(module: ast.Module, keyed: Mapping[str, int] = KEYED_IN_PACKAGE) -> list[int]:
    """The lines where an API key is given as a number: in a call, compared, or looked up."""
    lines = []
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            place = keyed.get(name)
            given = [node.args[place]] if place is not None and len(node.args) > place else []
            given += [keyword.value for keyword in node.keywords if keyword.arg == "api_key"]
            lines += [each.lineno for each in given if _is_whole(each)]
        elif isinstance(node, ast.Compare) and ast.unparse(node.left).endswith("api_key"):
            lines += [each.lineno for each in node.comparators if _is_whole(each)]
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value) == "APIS" and _is_whole(node.slice):
            lines.append(node.lineno)
    return lines


def test_a_sentinel_is_defined_once_and_in_its_home() -> None:
    elsewhere = [
        f"{name}: {constant}"
        for name in sources()
        if name not in HOMES
        for constant in constants(tree(name))
        if constant not in BY_THEMSELVES
    ]
    assert elsewhere == []
    counts = Counter(constant for name in sources() for constant in constants(tree(name)))
    assert [constant for constant, count in counts.items() if count > 1] == ["UNKNOWN_SERVER_ERROR"]


def test_a_negative_number_has_a_name() -> None:
    found = {name for name in sources() if bare(tree(name))}
    assert sorted(found) == sorted(NOT_SENTINELS)


@pytest.mark.parametrize("constant", BY_THEMSELVES)
def test_each_exception_is_there(constant: str) -> None:
    assert any(constant in constants(tree(name)) for name in sources() if name not in HOMES)


def test_api_keys_come_from_the_table() -> None:
    found = [f"{name}:{line}" for name in sources() for line in bare_api_keys(tree(name))]
    # Most of the others have no such call: a file without the word is not parsed.
    others = [name for name in python_files("tests/", "compat_tests/", "benchmarks/") if _may_have_keys(name)]
    found += [f"{name}:{line}" for name in others for line in bare_api_keys(tree(name), KEYED)]
    assert found == []
    known = set(api_keys.KEYS.values())
    named = [
        f"{name}: {ast.unparse(node)}"
        for name in sources()
        for node in tree(name).body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple) and _pairs_key_and_version(node, known)
    ]
    assert named == []


def _may_have_keys(name: str) -> bool:
    said = text(name)
    return any(word in said for word in (*KEYED, "api_key", "APIS"))


def _pairs_key_and_version(node: ast.Assign, known: set[int]) -> bool:
    """`HEARTBEAT, HEARTBEAT_VERSION = 63, 2`."""
    names = [ast.unparse(name) for target in node.targets for name in getattr(target, "elts", ())]
    values = node.value.elts if isinstance(node.value, ast.Tuple) else []
    key = values[0]
    is_pair = len(names) == len(values) == 2 and names[1].endswith("_VERSION") and not names[0].endswith("_VERSION")
    return is_pair and isinstance(key, ast.Constant) and key.value in known


def test_error_codes_come_from_their_table() -> None:
    """The configuration is a leaf, which imports nothing of the package."""
    others = [name for name in sources() if not name.startswith(("kafkacompat/protocol/", "kafkacompat/config/"))]
    assert [f"{name}: {code}" for name in others for code in error_codes_of(tree(name))] == []


def error_codes_of(module: ast.Module) -> list[str]:
    """Error codes of Kafka's that a module defines itself."""
    return [
        ast.unparse(target)
        for node in module.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and _is_whole(node.value)
        for target in node.targets
        if vars(error_codes).get(ast.unparse(target)) == node.value.value
    ]


def test_what_is_looked_for_is_found() -> None:
    module = ast.parse(
        "NO_EPOCH = -1\nA, B = 0, -2\nNEVER = 1 << 62\ndef f(x=-1): send(a, b, c, 63, 2)\n"
        "if a[-1] == b - 1 and header.api_key == 3: RequestHeader(18, 0)\nrequest(X, 62, 4, api_key=7)\n"
        "APIS[60]\nHEARTBEAT, HEARTBEAT_VERSION = 63, 2"
    )
    assert error_codes_of(ast.parse("INVALID_REQUEST = 42\nLEFT = 42")) == ["INVALID_REQUEST"]
    assert constants(module) == ["NO_EPOCH", "B", "NEVER"]
    assert bare(module) == [4]
    assert sorted(bare_api_keys(module)) == [4, 5, 5, 6, 6, 7]
    assert _pairs_key_and_version(module.body[-1], {63})  # type: ignore[arg-type]
