"""What each route answers, as JSON Schema: for the OpenAPI document, and for the tests, which hold every answer to it.

COMPONENTS have names, ANSWERS has the schema of each route that answers JSON. An object has all members that are listed
and perhaps its optional ones. A later version may add members, so the document does not forbid others; the tests do.
"""

from __future__ import annotations

from kafkacompat.control_api.http.api_examples import EXAMPLES
from kafkacompat.control_api.http.schemas import BOOLEAN, COUNT, INTEGER, STRING
from kafkacompat.protocol.constants import UNKNOWN_OFFSET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from kafkacompat.control_api.http.schemas import Schema

NUMBER: Schema = {"type": "number"}
OFFSET: Schema = {"type": "integer", "minimum": UNKNOWN_OFFSET}
"""An offset, an epoch or an id; -1 where there is none."""
ANYTHING: Schema = {}


def ref(name: str) -> Schema:
    """A component by name."""
    return {"$ref": f"#/components/schemas/{name}"}


def _or_null(schema: Schema) -> Schema:
    return {**schema, "type": [schema["type"], "null"]}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _map(members: Schema) -> Schema:
    return {"type": "object", "additionalProperties": members}


def _object(optional: Mapping[str, Schema] | None = None, **members: Schema) -> Schema:
    """An object with all of `members` and perhaps some `optional` ones."""
    return {
        "type": "object",
        "properties": {**members, **(optional or {})},
        **({"required": list(members)} if members else {}),
    }


def _one_of(*values: str) -> Schema:
    return {"type": "string", "enum": list(values)}


def _said(schema: Schema, says: str) -> Schema:
    return {**schema, "description": says}


_TEXT_OR_NULL = _or_null(STRING)
_AT_MS = _said(INTEGER, "Wall clock, ms since 1970.")
_IDS = _list(COUNT)
_END = {"type": ["integer", "string"], "description": 'A node id, or "clients".'}
_MISSING = {"missing": _said(_list(STRING), "What lacks, in words.")}

COMPONENTS: dict[str, Schema] = {
    "problem": {
        "description": "What is wrong and what to do (RFC 9457).",
        **_object(
            {
                "errors": _list(_object({"did_you_mean": STRING}, pointer=STRING, message=STRING)),
                "capability": _said(STRING, "501: what this version lacks."),
                "seen": _said({}, "408: what came nearest to what was waited for."),
            },
            type=_said(STRING, "A URN that stays the same between versions."),
            title=STRING,
            status=INTEGER,
            detail=_said(STRING, "What to do."),
        ),
    },
    "index": _object(
        version=STRING, node_ids=_IDS, capabilities=_list(STRING), missing=_list(STRING), resources=_list(STRING)
    ),
    "health": _object(_MISSING, healthy=BOOLEAN, nodes=_map(_list(STRING))),
    "readiness": _object(_MISSING, ready=BOOLEAN, nodes=_map(_list(STRING))),
    "cluster": _object(
        cluster_id=STRING, controller_id=_said(OFFSET, "-1: no controller is known."), controller_epoch=INTEGER,
        voters=_IDS, metadata_offset=INTEGER, metadata_log_end_offset=INTEGER,
        metadata_version=_said(_or_null(COUNT), "The level of the feature metadata.version; null: none is known yet."),
        broker_ids=_IDS, topic_count=COUNT, ready=BOOLEAN, **_MISSING,
    ),
    "node": _object(
        node_id=COUNT, is_broker=BOOLEAN, is_active_controller=BOOLEAN,
        controller_id=_said(OFFSET, "-1: it knows no controller."), controller_epoch=INTEGER,
        metadata_offset=_said(INTEGER, "The last metadata record that it has applied."),
        is_applied=_said(BOOLEAN, "Its replicas and coordinators follow that."), is_disk_full=BOOLEAN,
        ailments=_said(_list(STRING), "Those of `missing` that are no matter of time."), **_MISSING,
    ),
    "verb_done": _object(broker_id=COUNT, is_running=BOOLEAN),
    "broker": _object(
        broker_id=COUNT, epoch=INTEGER, rack=_TEXT_OR_NULL, is_fenced=BOOLEAN, is_stopping=BOOLEAN,
        is_controller=BOOLEAN, endpoints=ref("listeners"),
    ),
    "listeners": _said(_map(STRING), "host:port by listener."),
    "topic": _object(
        name=STRING, topic_id=STRING, is_internal=BOOLEAN, configs=_map(ref("config")),
        partitions=_list(ref("partition")),
    ),
    "config": _object(
        value=_TEXT_OR_NULL,
        source=_one_of(
            "topic", "broker", "all_brokers", "static", "default", "broker_logger", "client_metrics", "group"
        ),
    ),
    "partition": _object(
        {"topic": _said(STRING, "Where one partition is asked for.")},
        partition=COUNT, leader=OFFSET, leader_epoch=INTEGER, partition_epoch=INTEGER, replicas=_IDS, isr=_IDS,
        elr=_IDS, adding=_IDS, removing=_IDS, logs=_list(ref("log")),
    ),
    "log": _object(
        broker=COUNT, is_leader=BOOLEAN, leader_epoch=OFFSET, log_start_offset=COUNT, high_watermark=COUNT,
        last_stable_offset=COUNT, log_end_offset=COUNT, size_bytes=COUNT, segment_count=COUNT,
        directory=STRING, dirty_ratio=_or_null(NUMBER),
        leader_epochs=_list({"type": "array", "description": "Epoch and its first offset.", "items": COUNT}),
        failure=_TEXT_OR_NULL,
        followers=_list(
            _object(broker=COUNT, log_end_offset=OFFSET, behind_ms=_or_null(COUNT)),
        ),
    ),
    "records": _object(
        topic=STRING, partition=COUNT, broker=COUNT, is_leader=BOOLEAN, log_start_offset=COUNT, high_watermark=COUNT,
        last_stable_offset=COUNT, log_end_offset=COUNT, records=_list(ref("record")),
        next_offset=_said(_or_null(COUNT), "`from` of the next page; null: that is all."),
    ),
    "record": _object(
        offset=COUNT, timestamp=INTEGER, timestamp_type=_one_of("create_time", "log_append_time"),
        leader_epoch=OFFSET, key=_TEXT_OR_NULL, key_encoding=ref("encoding"), value=_TEXT_OR_NULL,
        value_encoding=ref("encoding"),
        headers=_list({"type": "array", "description": "Name, value, \"base64\" if it is that.", "minItems": 2,
                       "maxItems": 3, "items": _TEXT_OR_NULL}),
        producer_id=OFFSET, producer_epoch=OFFSET, is_transactional=BOOLEAN,
        control=_said(_TEXT_OR_NULL, "The kind of a control record, such as commit and abort; null for data."),
        state=_one_of("committed", "aborted", "open", "above_hw"), codec=STRING,
    ),
    "encoding": {"type": ["string", "null"], "enum": ["utf8", "base64", None]},
    "written": _object(
        topic=STRING, partitions=_list(_object(partition=COUNT, first_offset=COUNT, last_offset=COUNT))
    ),
    "group": _object(
        group_id=STRING, type=STRING, coordinator=COUNT, protocol_type=_TEXT_OR_NULL, state=STRING,
        generation=INTEGER, protocol=_TEXT_OR_NULL, leader=_TEXT_OR_NULL, members=_list(ref("member")),
        offsets=_list(ref("group_offset")),
        rebalances=_list(_object(at_ms=_AT_MS, generation=INTEGER, reason=STRING)),
    ),
    "member": _object(
        member_id=STRING, instance_id=_TEXT_OR_NULL, client_id=_TEXT_OR_NULL, client_host=STRING,
        protocols=_list(STRING), subscription=_or_null(_list(STRING)), assignment=_or_null(_map(_IDS)),
        session_timeout_ms=COUNT, session_left_ms=COUNT, rebalance_timeout_ms=INTEGER, has_joined=BOOLEAN,
        has_synced=BOOLEAN,
    ),
    "group_offset": _object(
        topic=STRING, partition=COUNT, committed_offset=OFFSET, pending_offset=_or_null(OFFSET),
        end_offset=_or_null(COUNT), lag=_or_null(COUNT), leader_epoch=OFFSET, metadata=_TEXT_OR_NULL,
        committed_at_ms=_or_null(_AT_MS),
        open_transactions=_said(
            _list(_object(producer_id=COUNT, offset=OFFSET)), "What open transactions would commit; at most 100."
        ),
    ),
    "producer": _object(
        topic=STRING, partition=COUNT, producer_id=COUNT, epoch=OFFSET, last_sequence=OFFSET, last_offset=OFFSET,
        last_timestamp_ms=INTEGER, transaction_start_offset=OFFSET, transaction_start_ms=_or_null(INTEGER),
    ),
    "transactions": _object(
        transactions=_list(ref("transaction")),
        next=_said(_TEXT_OR_NULL, "`after` of the next page; null: that is all."),
    ),
    "transaction": _object(
        transactional_id=STRING, coordinator=COUNT, coordinator_epoch=INTEGER, producer_id=COUNT, epoch=OFFSET,
        state=STRING, is_committed=_said(BOOLEAN, "Whether its newest record is replicated."), timeout_ms=COUNT,
        age_ms=_said(_or_null(COUNT), "Since it began; null without an open transaction."), partition_count=COUNT,
        partitions=_said(_map(_IDS), "By topic, at most 100; those without their marker once it is prepared."),
        offset_partitions=_said(_IDS, "Those of __consumer_offsets: it commits offsets."),
    ),
    "fetch_session": _object(
        broker=COUNT, session_id=COUNT, epoch=INTEGER, is_follower=BOOLEAN, client_id=_TEXT_OR_NULL,
        connection=_or_null(COUNT), partition_count=COUNT,
        partitions=_list(
            _object(topic=STRING, partition=COUNT, fetch_offset=INTEGER, last_sent_high_watermark=INTEGER)
        ),
    ),
    "connection": _object(
        broker=COUNT, connection=COUNT, peer=STRING, listener=STRING, client_id=_TEXT_OR_NULL,
        client_software_name=STRING, client_software_version=STRING, request_count=COUNT, in_flight=COUNT,
        received_bytes=COUNT, unsent_bytes=COUNT, idle_ms=COUNT,
        waits=_list(_object(keys=_list(STRING), left_ms=COUNT)),
    ),
    "capture": _object(
        path=_said(STRING, "On the broker's machine."), size_bytes=COUNT, frame_count=COUNT,
        ended=_said(_TEXT_OR_NULL, "Why it has ended."),
    ),
    "requests": _object(is_on=BOOLEAN, count=COUNT, requests=_list(ref("request"))),
    "request": _object(
        broker=COUNT, number=COUNT, connection=COUNT, peer_host=STRING, client_id=STRING, api=STRING,
        version=_or_null(INTEGER), names=_list(STRING), at_ms=_AT_MS, took_ms=_or_null(NUMBER), request_bytes=COUNT,
        response_bytes=COUNT, errors=_or_null(_list(ref("request_error"))), closed=_TEXT_OR_NULL,
        fault=_TEXT_OR_NULL,
    ),
    "request_error": _object(code=INTEGER, error=STRING, entity=STRING, message=_TEXT_OR_NULL),
    "fault": {
        "description": "A fault rule with its counts; docs/faults.md has its grammar.",
        **_object(
            {"then": {"type": "object"}, "times": COUNT, "duration_ms": COUNT, "probability": NUMBER, "seed": INTEGER,
             "skip": COUNT},
            id=COUNT, label=STRING, when={"type": "object"}, observe=BOOLEAN, hits=COUNT, left=_or_null(COUNT),
            has_ended=BOOLEAN, near_misses=_list(ref("near_miss")),
        ),
    },
    "near_miss": _object(
        api=STRING, version=INTEGER, client_id=_TEXT_OR_NULL, failed=STRING, has=STRING, count=COUNT
    ),
    "clock": _object(wall_ms=_AT_MS, offset_ms=_said(INTEGER, "How far it is from the system's."), is_frozen=BOOLEAN),
    "snapshot": _object(
        snapshot_id=STRING, path=_said(STRING, "Where the tar lies until the nodes stop."), size_bytes=COUNT,
        cluster_id=STRING, created_ms=_AT_MS, node_ids=_IDS,
    ),
    "lagging": _object(lagging=_list(_object(broker_id=COUNT, topic=STRING, partition=COUNT))),
    "links": _object(
        links=_list(
            {
                "type": "object", "required": ["from", "to"],
                "properties": {"from": _END, "to": _END, "delay_ms": COUNT},
            }
        )
    ),
    "disk": _object({"directory": STRING, "fsync_delay_ms": NUMBER, "free_bytes": COUNT, "error": STRING}),
    "nothing": {"type": "object", "maxProperties": 0},
}  # fmt: skip

ANSWERS: dict[tuple[str, str], Schema] = {
    ("GET", "/healthz"): ref("health"),
    ("GET", "/readyz"): ref("readiness"),
    ("GET", "/v1"): ref("index"),
    ("GET", "/v1/openapi.json"): {"type": "object", "description": "This document.", "required": ["openapi"]},
    ("GET", "/v1/cluster"): ref("cluster"),
    ("GET", "/v1/nodes"): _object(nodes=_list(ref("node"))),
    **{
        ("POST", f"/v1/brokers/{{broker_id}}/{verb}"): ref("verb_done")
        for verb in ("kill", "stop", "start", "restart", "pause", "resume")
    },
    ("GET", "/v1/brokers"): _object(brokers=_list(ref("broker"))),
    ("GET", "/v1/brokers/{broker_id}"): ref("broker"),
    ("GET", "/v1/brokers/{broker_id}/advertised"): ref("listeners"),
    ("PUT", "/v1/brokers/{broker_id}/advertised"): ref("listeners"),
    ("PUT", "/v1/brokers/{broker_id}/disk"): ref("disk"),
    ("DELETE", "/v1/brokers/{broker_id}/disk"): ref("nothing"),
    ("GET", "/v1/topics"): _object(topics=_list(ref("topic"))),
    ("POST", "/v1/topics"): ref("topic"),
    ("GET", "/v1/topics/{topic}"): ref("topic"),
    ("DELETE", "/v1/topics/{topic}"): ref("nothing"),
    ("GET", "/v1/topics/{topic}/partitions/{partition}"): ref("partition"),
    ("GET", "/v1/topics/{topic}/partitions/{partition}/records"): ref("records"),
    ("POST", "/v1/topics/{topic}/records"): ref("written"),
    ("GET", "/v1/groups"): _object(groups=_list(ref("group"))),
    ("GET", "/v1/groups/{group_id}"): ref("group"),
    ("GET", "/v1/producers"): _object(producers=_list(ref("producer"))),
    ("GET", "/v1/transactions"): ref("transactions"),
    ("GET", "/v1/fetch_sessions"): _object(fetch_sessions=_list(ref("fetch_session"))),
    ("GET", "/v1/connections"): _object(connections=_list(ref("connection"))),
    ("GET", "/v1/requests"): ref("requests"),
    ("PUT", "/v1/requests"): ref("requests"),
    ("GET", "/v1/captures"): _object(captures=_list(ref("capture"))),
    ("POST", "/v1/captures"): _object(captures=_list(ref("capture"))),
    ("DELETE", "/v1/captures"): _object(captures=_list(ref("capture"))),
    ("GET", "/v1/near_misses"): _object(
        near_misses=_list(_object(fault_id=COUNT, label=STRING, requests=_list(ref("near_miss"))))
    ),
    ("GET", "/v1/faults"): _object(faults=_list(ref("fault"))),
    ("POST", "/v1/faults"): ref("fault"),
    ("DELETE", "/v1/faults"): _object(faults=_list(ref("fault"))),
    ("GET", "/v1/faults/{fault_id}"): ref("fault"),
    ("DELETE", "/v1/faults/{fault_id}"): ref("fault"),
    ("POST", "/v1/wait"): _object(
        what=STRING, found=_said(_list({"type": "object"}), "The first five."), count=_said(COUNT, "Of all.")
    ),
    ("POST", "/v1/reset"): _object(
        {
            "metadata_offset": OFFSET,
            "first_producer_id": COUNT,
            "own_addresses": _list(STRING),
            "ends": _list(STRING),
            "topics": _map(_object(partitions=COUNT, replicas=COUNT, configs=_map(STRING))),
        },
        connections=_said(_list(ref("connection")), "Those of clients that were open before it."),
    ),
    ("GET", "/v1/snapshots"): _object(snapshots=_list(ref("snapshot"))),
    ("POST", "/v1/snapshots"): ref("snapshot"),
    ("GET", "/v1/snapshots/{snapshot_id}"): ref("snapshot"),
    ("DELETE", "/v1/snapshots/{snapshot_id}"): ref("snapshot"),
    ("PUT", "/v1/snapshots/{snapshot_id}/file"): ref("snapshot"),
    ("POST", "/v1/snapshots/{snapshot_id}/restore"): _object(
        connections=_said(_list(ref("connection")), "Those of clients that were open before it.")
    ),
    ("GET", "/v1/clock"): ref("clock"),
    ("POST", "/v1/clock/advance"): _object(
        wall_ms=_AT_MS, fired=_said(_list(STRING), "The timers that became due, in order.")
    ),
    ("POST", "/v1/clock/freeze"): ref("clock"),
    ("POST", "/v1/clock/resume"): ref("clock"),
    ("POST", "/v1/leaders/move"): _object(leader=COUNT),
    ("POST", "/v1/coordinators/move"): _object(coordinator=COUNT),
    ("POST", "/v1/controller/move"): _object(controller=COUNT),
    ("POST", "/v1/isr"): _object(isr=_IDS),
    ("GET", "/v1/lag"): ref("lagging"),
    ("PUT", "/v1/lag"): ref("lagging"),
    ("DELETE", "/v1/lag"): ref("lagging"),
    ("POST", "/v1/sessions/expire"): _object(member_id=STRING),
    ("GET", "/v1/links"): ref("links"),
    ("PUT", "/v1/links"): ref("links"),
    ("DELETE", "/v1/links"): ref("links"),
    ("POST", "/v1/heal"): ref("nothing"),
}
"""By method and path. A route whose answer is not here cannot be documented: a test says so."""

UNAVAILABLE = {"/healthz", "/readyz"}
"""Routes that answer with the same schema under 503."""


def with_examples() -> dict[str, Any]:
    """The components, each with its example if it has one."""
    return {
        name: {**schema, "examples": [EXAMPLES[name]]} if name in EXAMPLES else schema
        for name, schema in COMPONENTS.items()
    }
