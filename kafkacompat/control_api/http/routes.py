"""The one table of what the control API answers: requests are matched, checked and documented by it."""

from __future__ import annotations

from typing import NamedTuple

from kafkacompat.control_api.http.schemas import BOOLEAN, COUNT, STRING, an_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from kafkacompat.control_api.http.schemas import Schema

HERE = "kafkacompat.control_api.resources."


class Parameter(NamedTuple):
    """A parameter in the query or in the path. `path` ones are required."""

    name: str
    schema: Schema
    says: str
    place: str = "query"


class Route(NamedTuple):
    """A method of a resource.

    operation: "module:function" below kafkacompat.control_api, called with a `Call`; empty for a capability that is not
    there yet, which answers 501. body: the schema of the request's body. takes: the type of a body that is no JSON,
    and is read while it arrives. reads: a method other than GET that changes nothing, so that it is allowed everywhere.
    media_type: of the response.
    """

    method: str
    path: str
    operation: str
    says: str
    capability: str
    parameters: tuple[Parameter, ...] = ()
    body: Schema | None = None
    takes: str = ""
    reads: bool = False
    status: int = 200
    media_type: str = "application/json"

    @property
    def changes(self) -> bool:
        """Whether it is refused with 403 where changes are not allowed."""
        return self.method != "GET" and not self.reads


def _path(name: str, says: str, schema: Schema = STRING) -> Parameter:
    return Parameter(name, schema, says, "path")


NAME = {"type": "string", "maxLength": 1_000}
BROKER = _path("broker_id", "The id of a broker (node.id).", COUNT)
TOPIC = _path("topic", "The name of a topic.", NAME)
PARTITION = _path("partition", "The number of a partition.", COUNT)
SNAPSHOT = _path("snapshot_id", "The id of a snapshot.", NAME)
GROUP = _path("group_id", "The id of a group.", NAME)
LIMIT = Parameter("limit", {"type": "integer", "minimum": 0, "maximum": 10_000}, "The most that are returned.")
PAGE_LIMIT = Parameter("limit", {"type": "integer", "minimum": 1, "maximum": 1_000}, "The most on this page.")
TRANSACTIONAL_ID = {"type": "string", "maxLength": 32_767}
TRANSACTION_STATE = {
    "type": "string",
    "enum": ["Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort", "Dead"],
}
CONFIGS = Parameter("configs", {"type": "string", "enum": ["set", "all"]}, "all: Kafka's defaults, too.")

_AT = {"topic": NAME, "partition": COUNT}
_TO = {"type": "integer", "minimum": 0, "description": "A broker's id; left out: the next one."}
NEW_TOPIC = an_object(
    {
        "name": {"type": "string", "maxLength": 249},
        "partitions": {"type": "integer", "minimum": 1, "maximum": 10_000},
        "replicas": {"type": "integer", "minimum": 1, "maximum": 1_000},
        "configs": {"type": "object", "additionalProperties": STRING},
    },
    ("name",),
)  # fmt: skip
RESET = an_object(
    {
        "keep": {"type": "array", "items": {"type": "string", "enum": ["topics"]}},
        "close_connections": BOOLEAN,
        "delete_data": BOOLEAN,
        "part": {
            "type": "string", "enum": ["look", "drop", "renew", "serve"],
            "description": "Only this part, with the members below: asked of each node by the process that started it.",
        },
        "cluster_id": STRING,
        "first_producer_id": COUNT,
        "clock_offset_ms": {"type": "integer"},
    }
)  # fmt: skip
TAKE = an_object(
    {
        "barrier": {
            **an_object({"port": {**COUNT, "maximum": 65_535}, "token": NAME}, ("port", "token")),
            "description": "Only this node, which then stands still until the others are copied, too: asked of each"
                           " node by the process that started it.",
        }
    }
)  # fmt: skip
RESTORE = an_object({"close_connections": BOOLEAN, "delete_data": BOOLEAN})
ADVANCE = an_object(
    {"ms": {"type": "integer", "minimum": 0, "maximum": 100 * 366 * 86_400_000}, "sessions": BOOLEAN}, ("ms",)
)
LISTENERS = {"type": "object", "additionalProperties": STRING}
MOVE_LEADER = an_object({**_AT, "to": _TO}, ("topic",))
MOVE_COORDINATOR = an_object({"group_id": NAME, "transactional_id": TRANSACTIONAL_ID, "to": _TO})
MOVE_CONTROLLER = an_object({"to": _TO})
LAG = an_object({**_AT, "broker_id": COUNT}, ("topic", "broker_id"))
ISR = an_object({**_AT, "broker_id": COUNT, "in_sync": BOOLEAN}, ("topic", "broker_id", "in_sync"))
_END = {"type": ["integer", "string"], "description": 'A node id, "clients", "controllers" or "*".'}
LINK_DELAY = {
    "type": "integer", "minimum": 1, "maximum": 3_600_000,
    "description": "How much later each message arrives; without it nothing arrives.",
}  # fmt: skip
LINKS = an_object(
    {
        "links": {
            "type": "array",
            "maxItems": 1000,
            "items": an_object({"from": _END, "to": _END, "both": BOOLEAN, "delay_ms": LINK_DELAY}, ("from", "to")),
        }
    },
    ("links",),
)
DISK = an_object(
    {"directory": STRING, "fsync_delay_ms": {"type": "number", "minimum": 0}, "free_bytes": COUNT, "error": STRING}
)
EXPIRE = an_object({"group_id": NAME, "member": NAME}, ("group_id", "member"))
CAPTURE = an_object(
    {
        "max_bytes": {"type": "integer", "minimum": 4096, "maximum": 1 << 40},
        "redact": {"type": "array", "items": {"type": "string", "enum": ["values", "keys", "headers"]}, "maxItems": 3},
    }
)  # fmt: skip
JOURNAL = an_object({"is_on": BOOLEAN}, ("is_on",))
FAULT_ID = _path("fault_id", "The id of a fault rule.", COUNT)
FAULT = {
    "type": "object",
    "description": "A fault rule; docs/faults.md has its grammar.",
    "properties": {
        "when": {"type": ["object", "null"]}, "then": {"type": ["object", "string", "null"]},
        "times": {"type": ["integer", "null"]}, "skip": {"type": ["integer", "null"]},
        "duration_ms": {"type": ["integer", "null"]}, "probability": {"type": ["number", "null"]},
        "seed": {"type": ["integer", "null"]}, "observe": {"type": ["boolean", "null"]},
        "label": {"type": ["string", "null"]},
        "shared_counts": {
            "type": "string", "maxLength": 4096,
            "description": "Where nodes in several processes count together: given by the process that started them.",
        },
    },
}  # fmt: skip
HITS = (
    Parameter("hits", {"type": "integer", "minimum": 0, "maximum": 1_000_000_000}, "Wait for so many hits."),
    Parameter("timeout_ms", {"type": "integer", "minimum": 0, "maximum": 600_000}, "Wait so long; else 10,000."),
)
RECORDS = an_object({"records": {"type": "array", "items": {"type": "object"}, "maxItems": 100_000}}, ("records",))
_RANGE = an_object({"min": {"type": "integer"}, "max": {"type": "integer"}})
WAITED_FOR = ("cluster", "partitions", "groups", "connections", "producers", "transactions")
WAIT = an_object(
    {
        "what": {"type": "string", "enum": [*WAITED_FOR]},
        "where": {
            "type": "object",
            "additionalProperties": {
                "type": ["string", "integer", "boolean", "object"], "properties": _RANGE["properties"],
                "additionalProperties": False,
            },
        },
        "timeout_ms": {"type": "integer", "minimum": 0, "maximum": 600_000},
    },
    ("what",),
)  # fmt: skip

TEXT = "text/plain; version=0.0.4; charset=utf-8"
TAR = "application/x-tar"

ROUTES: tuple[Route, ...] = (
    Route("GET", "/healthz", "health:healthz", "Whether the event loop turns and the disks are sound.", "health"),
    Route(
        "GET", "/readyz", "health:readyz", "Whether clients can be served; 503 with what is missing.", "health",
    ),
    Route(
        "GET", "/metrics", "metrics:metrics", "Metrics in Prometheus' text format.", "metrics",
        (
            Parameter("partitions", BOOLEAN, "Whether series of each partition are written; up to 1,000 they are."),
            Parameter("node_id", COUNT, "Which node, if several run in one process."),
        ),
        media_type=TEXT,
    ),
    Route("GET", "/v1", "cluster_resources:index", "Version, capabilities, resources.", "cluster"),
    Route("GET", "/v1/openapi.json", "openapi:document", "This API as an OpenAPI 3.1 document.", "cluster"),
    Route("GET", "/v1/cluster", "cluster_resources:cluster", "The cluster: id, controller, quorum, ready.", "cluster"),
    Route("GET", "/v1/nodes", "node_resources:nodes", "The nodes that answer here, and how far each is.", "cluster"),
    Route("GET", "/v1/brokers", "cluster_resources:brokers", "All registered brokers.", "cluster"),
    Route("GET", "/v1/brokers/{broker_id}", "cluster_resources:broker", "One broker.", "cluster", (BROKER,)),
    Route(
        "GET", "/v1/brokers/{broker_id}/advertised", "change_resources:see_advertised", "Its advertised addresses.",
        "advertised", (BROKER,),
    ),
    Route(
        "PUT", "/v1/brokers/{broker_id}/advertised", "change_resources:put_advertised",
        "Advertise other addresses, {LISTENER: \"host:port\"}; those of the start with {}.", "advertised", (BROKER,),
        LISTENERS,
    ),
    Route(
        "GET", "/v1/topics", "view_resources:topics", "All topics, their configs, partitions and replicas.", "views",
        (CONFIGS,),
    ),
    Route("POST", "/v1/topics", "change_resources:create_topic", "A new topic.", "topics", (), NEW_TOPIC, status=201),
    Route("GET", "/v1/topics/{topic}", "view_resources:topic", "One topic.", "views", (TOPIC, CONFIGS)),
    Route("DELETE", "/v1/topics/{topic}", "change_resources:delete_topic", "Delete a topic.", "topics", (TOPIC,)),
    Route(
        "GET", "/v1/topics/{topic}/partitions/{partition}", "view_resources:partition", "One partition.", "views",
        (TOPIC, PARTITION),
    ),
    Route(
        "GET", "/v1/topics/{topic}/partitions/{partition}/records", "view_resources:records",
        "A page of records, with producers, markers and what is not committed.", "views",
        (TOPIC, PARTITION, Parameter("from", COUNT, "The first offset; left out: the log start."), LIMIT),
    ),
    Route(
        "POST", "/v1/topics/{topic}/records", "record_writing:write_records", "Write records in the format of seeds.",
        "records", (TOPIC,), RECORDS, status=201,
    ),
    Route("GET", "/v1/groups", "view_resources:groups", "All groups, their members, offsets and lag.", "views"),
    Route("GET", "/v1/groups/{group_id}", "view_resources:group", "One group.", "views", (GROUP,)),
    Route(
        "GET", "/v1/producers", "view_resources:producers", "Idempotent producers that leaders know.", "views",
        (
            Parameter("topic", NAME, "Only of this topic."), Parameter("partition", COUNT, "Only of this partition."),
            Parameter("producer_id", COUNT, "Only with this producer id."), LIMIT,
        ),
    ),
    Route(
        "GET", "/v1/transactions", "view_resources:transactions", "A page of transactional ids, in their order.",
        "transactions",
        (
            Parameter("transactional_id", TRANSACTIONAL_ID, "Only this one."),
            Parameter("producer_id", COUNT, "Only with this producer id."),
            Parameter("state", TRANSACTION_STATE, "Only in this state."),
            Parameter("after", TRANSACTIONAL_ID, "`next` of the page before."), PAGE_LIMIT,
        ),
    ),
    Route("GET", "/v1/fetch_sessions", "view_resources:fetch_sessions", "Fetch sessions (KIP-227).", "views"),
    Route("GET", "/v1/connections", "view_resources:connections", "Open connections, and what they wait for.", "views"),
    Route("GET", "/v1/requests", "view_resources:requests", "The last requests of clients.", "views", (LIMIT,)),
    Route(
        "PUT", "/v1/requests", "view_resources:switch_requests", "Switch the journal of requests on or off.", "views",
        (), JOURNAL,
    ),
    Route("GET", "/v1/captures", "capture_resources:list_all", "The capture of traffic that runs.", "captures"),
    Route(
        "POST", "/v1/captures", "capture_resources:start", "Capture what clients send and are answered into a file.",
        "captures", (), CAPTURE, status=201,
    ),
    Route("DELETE", "/v1/captures", "capture_resources:stop", "End the capture; its file stays.", "captures"),
    Route("GET", "/v1/near_misses", "fault_resources:near_misses", "Requests that nearly matched a rule.", "faults"),
    Route("GET", "/v1/faults", "fault_resources:list_all", "All fault rules, with their hits.", "faults"),
    Route("POST", "/v1/faults", "fault_resources:add", "A new fault rule.", "faults", (), FAULT, status=201),
    Route("DELETE", "/v1/faults", "fault_resources:clear", "Remove all fault rules.", "faults"),
    Route(
        "GET", "/v1/faults/{fault_id}", "fault_resources:get", "One rule; with `hits` it waits for them.", "faults",
        (FAULT_ID, *HITS),
    ),
    Route("DELETE", "/v1/faults/{fault_id}", "fault_resources:remove", "Remove a rule.", "faults", (FAULT_ID,)),
    Route("POST", "/v1/wait", "wait_resource:wait", "Wait until something is as said.", "wait", (), WAIT, reads=True),
    Route("POST", "/v1/reset", "change_resources:reset", "Go back to the start.", "reset", (), RESET),
    Route("GET", "/v1/clock", "change_resources:see_clock", "The brokers' time.", "clock"),
    Route(
        "POST", "/v1/clock/advance", "change_resources:advance", "Move their time forward.", "clock", (), ADVANCE,
    ),
    Route("POST", "/v1/clock/freeze", "change_resources:freeze", "Stop the brokers' time.", "clock"),
    Route("POST", "/v1/clock/resume", "change_resources:resume", "Let it go on.", "clock"),
    Route(
        "POST", "/v1/leaders/move", "cluster_faults:move_leader", "Elect another leader of a partition.", "moves", (),
        MOVE_LEADER,
    ),
    Route(
        "POST", "/v1/coordinators/move", "cluster_faults:move_coordinator",
        "Move the coordinator of a group or of a transactional id.", "moves", (), MOVE_COORDINATOR,
    ),
    Route(
        "POST", "/v1/controller/move", "cluster_faults:move_controller", "Let the active controller resign.", "moves",
        (), MOVE_CONTROLLER,
    ),
    Route(
        "POST", "/v1/isr", "cluster_faults:change_isr", "Make a replica leave the ISR, or return.", "isr", (), ISR,
    ),
    Route("GET", "/v1/lag", "cluster_faults:see_lag", "Replicas that stopped fetching.", "lag"),
    Route("PUT", "/v1/lag", "cluster_faults:lag", "Let a follower stop fetching a partition.", "lag", (), LAG),
    Route(
        "DELETE", "/v1/lag", "cluster_faults:catch_up", "Let followers fetch again: all, or one.", "lag",
        (
            Parameter("topic", NAME, "With broker_id: only this follower."),
            Parameter("partition", COUNT, "Left out: 0."), Parameter("broker_id", COUNT, "The follower."),
        ),
    ),
    Route(
        "POST", "/v1/sessions/expire", "cluster_faults:expire_session", "End the session of a group's member.",
        "sessions", (), EXPIRE,
    ),
    Route("GET", "/v1/links", "machine_faults:see_links", "The links that are cut or slow.", "links"),
    Route("PUT", "/v1/links", "machine_faults:put_links", "Cut or slow these links only.", "links", (), LINKS),
    Route("DELETE", "/v1/links", "machine_faults:delete_links", "End the faults of all links.", "links"),
    Route(
        "PUT", "/v1/brokers/{broker_id}/disk", "machine_faults:put_disk", "A slow, full or broken disk.", "disk",
        (BROKER,), DISK,
    ),
    Route("DELETE", "/v1/brokers/{broker_id}/disk", "machine_faults:delete_disk", "A sound disk.", "disk", (BROKER,)),
    Route("POST", "/v1/heal", "cluster_faults:heal", "End faults of links and disks, and lag.", "links"),
    *(
        Route("POST", f"/v1/brokers/{{broker_id}}/{verb}", f"node_verbs:{verb}", says, "processes", (BROKER,))
        for verb, says in (
            ("kill", "End a broker like a crash."), ("stop", "Stop it cleanly."), ("start", "Start it again."),
            ("restart", "Stop it cleanly, and start it."), ("pause", "Let it answer nothing."),
            ("resume", "End the pause."),
        )
    ),
    Route("GET", "/v1/snapshots", "snapshot_resources:list_all", "The snapshots that are kept.", "snapshots"),
    Route(
        "POST", "/v1/snapshots", "snapshot_resources:take", "Copy all nodes in one moment.", "snapshots", (),
        TAKE, status=201,
    ),
    Route("GET", "/v1/snapshots/{snapshot_id}", "snapshot_resources:get", "One snapshot.", "snapshots", (SNAPSHOT,)),
    Route(
        "GET", "/v1/snapshots/{snapshot_id}/file", "snapshot_resources:get_file", "The tar of a snapshot.", "snapshots",
        (SNAPSHOT,), media_type=TAR,
    ),
    Route(
        "PUT", "/v1/snapshots/{snapshot_id}/file", "snapshot_uploads:put_file",
        "Keep a snapshot that was saved elsewhere: its tar, or that compressed with zstd.", "snapshots", (SNAPSHOT,),
        takes=TAR, status=201,
    ),
    Route(
        "DELETE", "/v1/snapshots/{snapshot_id}", "snapshot_resources:remove", "Forget a snapshot.", "snapshots",
        (SNAPSHOT,),
    ),
    Route(
        "POST", "/v1/snapshots/{snapshot_id}/restore", "snapshot_resources:restore", "Go back to a snapshot.",
        "snapshots", (SNAPSHOT,), RESTORE,
    ),
)  # fmt: skip


class Match(NamedTuple):
    """The routes of a path by method, and the texts of its parameters."""

    routes: dict[str, Route]
    path: dict[str, str]


def find(segments: list[str], routes: tuple[Route, ...] = ROUTES) -> Match | None:
    """The routes of a path (its decoded parts); None if there is no such resource."""
    found: dict[str, Route] = {}
    texts: dict[str, str] = {}
    for route in routes:
        matched = _matched(route.path.split("/")[1:], segments)
        if matched is not None:
            found[route.method] = route
            texts.update(matched)
    return Match(found, texts) if found else None


def _matched(parts: list[str], segments: list[str]) -> dict[str, str] | None:
    if len(parts) != len(segments):
        return None
    texts = {}
    for part, segment in zip(parts, segments, strict=True):
        if part.startswith("{"):
            texts[part[1:-1]] = segment
        elif part != segment:
            return None
    return texts


def is_available(route: Route) -> bool:
    """Whether it is implemented."""
    return bool(route.operation)


def capabilities() -> dict[str, bool]:
    """The capabilities, and whether they are there."""
    found: dict[str, bool] = {}
    for route in ROUTES:
        found[route.capability] = found.get(route.capability, False) or is_available(route)
    return found


def schema_of(parameters: tuple[Parameter, ...], place: str) -> Schema:
    """The schema of all parameters of a place, as one object."""
    properties: Mapping[str, Any] = {each.name: each.schema for each in parameters if each.place == place}
    return an_object(properties)
