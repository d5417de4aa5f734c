"""Every API that has entities can fail some of them, before the work and after it; every API can fail as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kafkacompat.broker.faults.selectors import versions_of
from kafkacompat.broker.faults.shapes import GROUP_RESOURCE, Level, Shape, notation, shape_of
from kafkacompat.broker.registry import APIS
from kafkacompat.protocol import api_keys
from kafkacompat.protocol import error_codes as errors
from tests.broker.faults.rules import Faulty

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kafkacompat.broker.registry import Api

NO_ERRORS_OF_ENTITIES = {
    "api_versions": "it names nothing",
    "join_group": "one group for each request: its error is that of the request",
    "heartbeat": "one group for each request",
    "sync_group": "one group for each request",
    "list_groups": "it names nothing; groups can be left out of its answer",
    "add_partitions_to_txn": "one transactional id for each request of a client; brokers ask for several",
    "add_offsets_to_txn": "one transactional id for each request",
    "write_txn_markers": "its partitions belong to producers, which the request does not name twice",
    "end_txn": "one transactional id for each request",
    "list_transactions": "it names nothing that can fail",
    "init_producer_id": "one transactional id for each request",
    "alter_replica_log_dirs": "its request names replicas by directory, and its response by topic",
    "describe_log_dirs": "its errors are those of directories, which the request does not name",
    "list_partition_reassignments": "its response has no errors of partitions; they can be left out of it",
    "envelope": "what is inside is matched",
    "describe_cluster": "it names nothing",
    "broker_registration": "one broker for each request",
    "broker_heartbeat": "one broker for each request",
    "unregister_broker": "one broker for each request",
    "allocate_producer_ids": "it names nothing",
    "controller_registration": "one controller for each request",
    "list_config_resources": "it names nothing; resources can be left out of its answer",
    "add_raft_voter": "one voter for each request",
    "remove_raft_voter": "one voter for each request",
    "update_raft_voter": "one voter for each request",
}
SAMPLES: dict[str, tuple[Any, Any]] = {
    "name": ("a", "b"), "topic_id": (bytes(15) + b"\1", bytes(15) + b"\2"), "partition": (0, 1), "group": ("g", "h"),
    "txn_id": ("x", "y"), "key": ("g", "h"),
    "resource_type": (GROUP_RESOURCE, GROUP_RESOURCE), "resource_name": ("r", "s"),
    "member_id": ("m", "n"), "group_instance_id": (None, None), "feature": ("f", "e"),
    "directory": (bytes(15) + b"\3", bytes(15) + b"\4"),
}  # fmt: skip
CODE = errors.POLICY_VIOLATION


def ends() -> Iterator[tuple[Api, int]]:
    """Each API in its oldest and its newest version."""
    for api in APIS.values():
        versions = list(versions_of(api))
        first = 3 if api.key == api_keys.PRODUCE else versions[0]
        yield api, first
        if versions[-1] != first:
            yield api, versions[-1]


def name(case: tuple[Api, int]) -> str:
    return f"{case[0].stem}-v{case[1]}"


WITH_ENTITIES = [case for case in ends() if shape_of(case[0].key, case[1]).has_errors]
OF_WHOLE = [case for case in ends() if not shape_of(case[0].key, case[1]).has_errors]


def test_every_api_has_errors_of_entities_or_a_reason() -> None:
    without = {
        api.stem for api in APIS.values()
        if not any(shape_of(api.key, version).has_errors for version in versions_of(api))
    }  # fmt: skip
    assert without == set(NO_ERRORS_OF_ENTITIES)


def request_of(api: Api, version: int) -> Any:
    """A request with two entities at each level."""
    shape = shape_of(api.key, version)
    request, _ = notation(api.key)
    message = vars(api.messages)[request.struct.class_name]()
    _fill(message, request.struct, shape.levels, api)
    if api.stem == "metadata":
        message.allow_auto_topic_creation = True
    if api.stem == "produce":
        message.acks = 1
    if hasattr(message, "session_epoch"):
        message.session_epoch = -1
    return message


def _fill(message: Any, struct: Any, levels: list[Level], api: Api) -> None:
    if not levels:
        return
    level = levels[0]
    field = next(each for each in struct.fields if each.name == level.asks)
    items = []
    for number in (0, 1):
        if field.struct is None:
            (role,) = level.asked
            items.append(SAMPLES[role][number])
            continue
        item = vars(api.messages)[field.struct.class_name]()
        for role, place in level.asked.items():
            assert place is not None
            setattr(item, place, SAMPLES[role][number])
        _fill(item, field.struct, levels[1:], api)
        items.append(item)
    setattr(message, level.asks or "", items)


def response_of(shape: Shape, request: Any) -> Any:
    """A handler's response that has no errors, with what was asked."""
    _, response = notation(shape.api.key)
    made = vars(shape.api.messages)[response.struct.class_name]()
    _answer(made, request, shape.levels, shape.api)
    return made


def _answer(made: Any, asked: Any, levels: list[Level], api: Api) -> None:
    if not levels:
        return
    level = levels[0]
    items = []
    for question in getattr(asked, level.asks or "") or ():
        item = vars(api.messages)[level.item_class]()
        for role, place in level.asked.items():
            setattr(item, level.answered[role], question if place is None else getattr(question, place))
        if hasattr(item, "records"):
            item.records = b""
        if hasattr(item, "unaligned_records"):
            item.unaligned_records = b""
        _answer(item, question, levels[1:], api)
        items.append(item)
    setattr(made, level.answers or "", items)


def codes(shape: Shape, response: Any) -> list[int]:
    """The errors of all entities, in order."""
    found = [response]
    for level in shape.levels:
        found = [item for each in found for item in getattr(each, level.answers or "")]
    return [item.error_code for item in found]


def selector(shape: Shape) -> dict[str, Any]:
    """Selects the first entity of a request."""
    roles = [role for level in shape.levels for role in level.asked]
    found: dict[str, Any] = {"api": shape.api.stem}
    if "partition" in roles:
        found["partition"] = 0
    if "name" in roles and shape.levels[0].asks != "groups":
        found["topic"] = "a"
    elif "topic_id" in roles:
        found["topic_id"] = "AAAAAAAAAAAAAAAAAAAAAQ"
    if "group" in roles or "key" in roles:
        found["group"] = "g"
    if "txn_id" in roles:
        found["txn_id"] = "x"
    if "resource_name" in roles:
        found["resource"] = "r"
    if "member_id" in roles:
        found["resource"] = "m"
    if "feature" in roles:
        found["resource"] = "f"
    return found


def count_of(shape: Shape, request: Any) -> int:
    found = [request]
    for level in shape.levels:
        found = [item for each in found for item in getattr(each, level.asks or "") or ()]
    return len(found)


@pytest.fixture
def kafka() -> Faulty:
    return Faulty()


@pytest.mark.parametrize("case", WITH_ENTITIES, ids=name)
@pytest.mark.parametrize("work", ["before", "after"])
def test_the_matched_entities_fail_and_the_others_are_answered(
    kafka: Faulty, monkeypatch: pytest.MonkeyPatch, case: tuple[Api, int], work: str
) -> None:
    api, version = case
    shape = shape_of(api.key, version)
    handled: list[Any] = []

    def handle(request: Any, _context: Any) -> Any:
        handled.append(request)
        return response_of(shape, request)

    monkeypatch.setattr(api.handler, "handle", handle)
    request = request_of(api, version)
    rule = kafka.rule(selector(shape), {"error": {"code": CODE, "level": "entity", "work": work}})
    answer = kafka.begin(request, version).message
    found = codes(shape, answer)
    failed = found.count(CODE)
    assert found.count(0) == len(found) - failed
    assert 0 < failed < len(found) == count_of(shape, request)
    assert found[0] == CODE
    assert codes(shape, answer).index(0) > 0
    expected = len(found) - failed if work == "before" and api.stem != "fetch" else len(found)
    assert [count_of(shape, each) for each in handled] == [expected]
    assert rule.hits == 1
    assert getattr(answer, "error_code", 0) == 0


@pytest.mark.parametrize("case", WITH_ENTITIES, ids=name)
def test_if_all_entities_are_refused_nothing_is_done(
    kafka: Faulty, monkeypatch: pytest.MonkeyPatch, case: tuple[Api, int]
) -> None:
    api, version = case
    shape = shape_of(api.key, version)
    handled: list[Any] = []

    def handle(request: Any, _context: Any) -> Any:
        handled.append(request)
        return response_of(shape, request)

    monkeypatch.setattr(api.handler, "handle", handle)
    kafka.rule({"api": api.stem}, {"error": {"code": CODE, "level": "entity", "work": "before"}})
    request = request_of(api, version)
    answer = kafka.begin(request, version).message
    assert set(codes(shape, answer)) == {CODE}
    assert len(codes(shape, answer)) == count_of(shape, request)
    assert len(handled) == (api.stem == "fetch")


# ApiVersions v0 is what a client falls back to; its error is tested by name.
@pytest.mark.parametrize("case", [case for case in ends() if (case[0].stem, case[1]) != ("api_versions", 0)], ids=name)
@pytest.mark.parametrize("work", ["before", "after"])
def test_the_whole_request_fails_in_the_form_of_the_api(
    kafka: Faulty, monkeypatch: pytest.MonkeyPatch, case: tuple[Api, int], work: str
) -> None:
    api, version = case
    shape = shape_of(api.key, version)
    handled: list[Any] = []

    def handle(request: Any, _context: Any) -> Any:
        handled.append(request)
        return response_of(shape, request)

    monkeypatch.setattr(api.handler, "handle", handle)
    rule = kafka.rule({"api": api.stem}, {"error": {"code": CODE, "level": "top", "work": work}})
    answer = kafka.begin(request_of(api, version), version).message
    if shape.has_top_error:
        assert answer.error_code == CODE
    elif shape.has_errors:
        items = getattr(answer, shape.levels[0].answers or "")
        assert {CODE} == {item.error_code for item in items if hasattr(item, "error_code")} | set(codes(shape, answer))
    assert len(handled) == (work == "after")
    assert rule.hits == 1
