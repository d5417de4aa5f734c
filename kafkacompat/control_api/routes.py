"""The one table of what the control API answers: requests are matched, checked and documented by it."""

from __future__ import annotations

from typing import NamedTuple

from kafkacompat.control_api.schemas import BOOLEAN, STRING, an_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from kafkacompat.control_api.schemas import Schema

HERE = "kafkacompat.control_api."


class Parameter(NamedTuple):
    """A parameter in the query or in the path. `path` ones are required."""

    name: str
    schema: Schema
    says: str
    place: str = "query"


class Route(NamedTuple):
    """A method of a resource.

    operation: "module:function" below kafkacompat.control_api, called with a `Call`; empty for a capability that is not
    there yet, which answers 501. body: the schema of the request's body. changes: refused with 403 where changes are
    not allowed. media_type: of the response.
    """

    method: str
    path: str
    operation: str
    says: str
    capability: str
    parameters: tuple[Parameter, ...] = ()
    body: Schema | None = None
    changes: bool = False
    status: int = 200
    media_type: str = "application/json"


def _path(name: str, says: str, schema: Schema = STRING) -> Parameter:
    return Parameter(name, schema, says, "path")


BROKER = _path("broker_id", "The id of a broker (node.id).", {"type": "integer", "minimum": 0})

TEXT = "text/plain; version=0.0.4; charset=utf-8"

ROUTES: tuple[Route, ...] = (
    Route("GET", "/healthz", "health:healthz", "Whether the event loop turns and the disks are sound.", "health"),
    Route(
        "GET", "/readyz", "health:readyz", "Whether clients can be served; 503 with what is missing.", "health",
    ),
    Route(
        "GET", "/metrics", "metrics:metrics", "Metrics in Prometheus' text format.", "metrics",
        (Parameter("partitions", BOOLEAN, "Whether series of each partition are written; up to 1,000 they are."),),
        media_type=TEXT,
    ),
    Route("GET", "/v1", "cluster_resources:index", "Version, capabilities, resources.", "cluster"),
    Route("GET", "/v1/openapi.json", "openapi:document", "This API as an OpenAPI 3.1 document.", "cluster"),
    Route("GET", "/v1/cluster", "cluster_resources:cluster", "The cluster: id, controller, quorum, ready.", "cluster"),
    Route("GET", "/v1/brokers", "cluster_resources:brokers", "All registered brokers.", "cluster"),
    Route("GET", "/v1/brokers/{broker_id}", "cluster_resources:broker", "One broker.", "cluster", (BROKER,)),
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
