"""Examples in the OpenAPI document: bodies of requests, and what answers look like."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Plain = dict[str, Any]

BODIES: dict[tuple[str, str], Plain] = {
    ("PUT", "/v1/brokers/{broker_id}/advertised"): {"PLAINTEXT": "localhost:32768"},
    ("PUT", "/v1/brokers/{broker_id}/disk"): {"fsync_delay_ms": 200},
    ("POST", "/v1/topics"): {"name": "orders", "partitions": 3, "configs": {"cleanup.policy": "compact"}},
    ("POST", "/v1/topics/{topic}/records"): {
        "records": [
            {"key": "k1", "value": "paid", "headers": [["trace", "7"]]},
            {"value": "/w==", "value_encoding": "base64", "partition": 0, "timestamp": 1767225600000},
        ]
    },
    ("PUT", "/v1/requests"): {"is_on": True},
    ("POST", "/v1/captures"): {"max_bytes": 10000000, "redact": ["values"]},
    ("POST", "/v1/faults"): {
        "when": {"api": "produce", "topic": "orders", "client_id": "billing-*"},
        "then": {"error": {"code": "NOT_ENOUGH_REPLICAS"}}, "times": 2, "label": "too few replicas",
    },
    ("POST", "/v1/wait"): {
        "what": "groups", "where": {"group_id": "billing", "state": "Stable", "member_count": {"min": 2}},
        "timeout_ms": 30000,
    },
    ("POST", "/v1/reset"): {"keep": ["topics"], "close_connections": True},
    ("POST", "/v1/snapshots"): {},
    ("POST", "/v1/snapshots/{snapshot_id}/restore"): {"close_connections": True},
    ("POST", "/v1/clock/advance"): {"ms": 300000, "sessions": False},
    ("POST", "/v1/leaders/move"): {"topic": "orders", "partition": 0, "to": 2},
    ("POST", "/v1/coordinators/move"): {"group_id": "billing"},
    ("POST", "/v1/controller/move"): {"to": 3},
    ("POST", "/v1/isr"): {"topic": "orders", "broker_id": 2, "in_sync": False},
    ("PUT", "/v1/lag"): {"topic": "orders", "partition": 0, "broker_id": 3},
    ("POST", "/v1/sessions/expire"): {"group_id": "billing", "member": "till-1"},
    ("PUT", "/v1/links"): {"links": [{"from": 1, "to": 2, "both": True}, {"from": "clients", "to": 3}]},
}  # fmt: skip
"""By method and path."""

_CONNECTION: Plain = {
    "broker": 1, "connection": 4, "peer": "127.0.0.1:51432", "listener": "PLAINTEXT", "client_id": "till-1",
    "client_software_name": "apache-kafka-java", "client_software_version": "4.3.1", "request_count": 12,
    "in_flight": 1, "received_bytes": 1840, "unsent_bytes": 0, "idle_ms": 120,
    "waits": [{"keys": ["orders-0"], "left_ms": 380}],
}  # fmt: skip
_LOG: Plain = {
    "broker": 1, "is_leader": True, "leader_epoch": 0, "log_start_offset": 0, "high_watermark": 42,
    "last_stable_offset": 42, "log_end_offset": 42, "size_bytes": 3180, "segment_count": 1,
    "directory": "/var/lib/kafka/orders-0", "dirty_ratio": None, "leader_epochs": [[0, 0]],
    "failure": None, "followers": [{"broker": 2, "log_end_offset": 42, "behind_ms": 0}],
}  # fmt: skip
_PARTITION: Plain = {
    "partition": 0, "leader": 1, "leader_epoch": 0, "partition_epoch": 0, "replicas": [1, 2], "isr": [1, 2],
    "elr": [], "adding": [], "removing": [], "logs": [_LOG],
}  # fmt: skip
_NEAR_MISS: Plain = {
    "api": "produce", "version": 12, "client_id": "shop", "failed": "client_id", "has": "shop", "count": 3,
}  # fmt: skip
_RECORD: Plain = {
    "offset": 41, "timestamp": 1767225600000, "timestamp_type": "create_time", "leader_epoch": 0, "key": "k1",
    "key_encoding": "utf8", "value": "paid", "value_encoding": "utf8", "headers": [["trace", "7"]], "producer_id": 1000,
    "producer_epoch": 0, "is_transactional": False, "control": None, "state": "committed", "codec": "none",
}  # fmt: skip

EXAMPLES: dict[str, Plain] = {
    "problem": {
        "type": "urn:kafkacompat:problem:parameters", "title": "Bad request", "status": 400,
        "detail": "path/broker_id: it has to be an integer",
        "errors": [{"pointer": "path/broker_id", "message": "it has to be an integer"}],
    },
    "readiness": {
        "ready": False, "nodes": {"1": ["it hands over its partitions"]}, "missing": ["it hands over its partitions"],
    },
    "cluster": {
        "cluster_id": "K9f4xvcfQuOb5Fb9Pbdw_g", "controller_id": 1, "controller_epoch": 2, "voters": [1, 2, 3],
        "metadata_offset": 31, "metadata_log_end_offset": 32, "metadata_version": 29, "broker_ids": [1, 2, 3],
        "topic_count": 1, "ready": True, "missing": [],
    },
    "broker": {
        "broker_id": 1, "epoch": 4, "rack": None, "is_fenced": False, "is_stopping": False, "is_controller": True,
        "endpoints": {"PLAINTEXT": "127.0.0.1:9092"},
    },
    "topic": {
        "name": "orders", "topic_id": "eOHPwTnSQ7uvzbZzVMzKDA", "is_internal": False,
        "configs": {"cleanup.policy": {"value": "compact", "source": "topic"}}, "partitions": [_PARTITION],
    },
    "partition": _PARTITION,
    "log": _LOG,
    "records": {
        "topic": "orders", "partition": 0, "broker": 1, "is_leader": True, "log_start_offset": 0, "high_watermark": 42,
        "last_stable_offset": 42, "log_end_offset": 42, "records": [_RECORD], "next_offset": None,
    },
    "record": _RECORD,
    "written": {"topic": "orders", "partitions": [{"partition": 0, "first_offset": 40, "last_offset": 41}]},
    "group": {
        "group_id": "billing", "type": "classic", "coordinator": 1, "protocol_type": "consumer", "state": "Stable",
        "generation": 1, "protocol": "range", "leader": "till-1-0a1b", "members": [
            {
                "member_id": "till-1-0a1b", "instance_id": None, "client_id": "till-1", "client_host": "/127.0.0.1",
                "protocols": ["range"], "subscription": ["orders"], "assignment": {"orders": [0]},
                "session_timeout_ms": 45000, "session_left_ms": 44100, "rebalance_timeout_ms": 300000,
                "has_joined": False, "has_synced": True,
            }
        ],
        "offsets": [
            {
                "topic": "orders", "partition": 0, "committed_offset": 40, "pending_offset": None, "end_offset": 42,
                "lag": 2, "leader_epoch": 0, "metadata": "", "committed_at_ms": 1767225600000,
                "open_transactions": [{"producer_id": 1000, "offset": 42}],
            }
        ],
        "rebalances": [{"at_ms": 1767225590000, "generation": 0, "reason": "member till-1-0a1b joins"}],
    },
    "transaction": {
        "transactional_id": "shop", "coordinator": 1, "coordinator_epoch": 0, "producer_id": 1000, "epoch": 4,
        "state": "Ongoing", "is_committed": True, "timeout_ms": 60000, "age_ms": 1200, "partition_count": 3,
        "partitions": {"orders": [0, 2]}, "offset_partitions": [17],
    },
    "connection": _CONNECTION,
    "request": {
        "broker": 1, "number": 7, "connection": 4, "peer_host": "127.0.0.1", "client_id": "till-1", "api": "Produce",
        "version": 12, "names": ["orders"], "at_ms": 1767225600000, "took_ms": 0.4, "request_bytes": 153,
        "response_bytes": 61, "errors": [
            {"code": 19, "error": "NOT_ENOUGH_REPLICAS", "entity": "orders-0", "message": None}
        ],
        "closed": None, "fault": "too few replicas",
    },
    "fault": {
        "id": 1, "label": "too few replicas", "when": {"api": "produce", "topic": "orders", "client_id": "billing-*"},
        "then": {"error": {"code": "NOT_ENOUGH_REPLICAS", "level": "entity", "work": "before"}}, "times": 2,
        "observe": False, "hits": 0, "left": 2, "has_ended": False, "near_misses": [_NEAR_MISS],
    },
    "clock": {"wall_ms": 1767225600000, "offset_ms": 300000, "is_frozen": False},
    "links": {"links": [{"from": 1, "to": 2}, {"from": 2, "to": 1}, {"from": "clients", "to": 3}]},
}  # fmt: skip
"""Of the components in `response_schemas.py`, by name."""
