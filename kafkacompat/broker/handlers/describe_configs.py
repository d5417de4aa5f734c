"""DescribeConfigs (32), versions 1-4: the configs of resources, with their sources and fallbacks.

v1 adds synonyms (KIP-226), v3 types and documentation (KIP-569), v4 is flexible.

Behavior:
- Resources are topics, brokers, groups and client metrics subscriptions. Broker loggers and unknown types:
  INVALID_REQUEST.
- A broker describes itself and, for the empty name, the cluster's defaults. Another broker's id: INVALID_REQUEST.
- A topic that does not exist: UNKNOWN_TOPIC_OR_PARTITION.
- A response has at most about MAX_ENTRIES configs; the remaining resources answer INVALID_REQUEST.
"""

from kafkacompat.config import describe
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
    encode_describe_configs_resource_result,
)
from kafkacompat.replication.metadata.image import (
    BROKER_LOGGER_RESOURCE,
    BROKER_RESOURCE,
    CLIENT_METRICS_RESOURCE,
    GROUP_RESOURCE,
    TOPIC_RESOURCE,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.config.config_entry import ConfigEntry
    from kafkacompat.steps import Steps


MAX_ENTRIES = 200_000  # a response can be hundreds of times larger than its request
ENTRIES_PER_UNIT = 10
"""This many configs cost one unit of work (`steps.py`); most are encoded already."""


class _Refused(Exception):  # noqa: N818 (a result, not an error of ours)
    def __init__(self, error_code: int, message: str) -> None:
        super().__init__(message)
        self.error_code = error_code


def handle(request: DescribeConfigsRequest, context: "Context") -> "Steps[DescribeConfigsResponse]":
    """Describe each resource, or return its error."""
    results = []
    left = MAX_ENTRIES
    for resource in request.resources:
        result = DescribeConfigsResult(resource_type=resource.resource_type, resource_name=resource.resource_name)
        try:
            if left <= 0:
                raise _Refused(
                    errors.INVALID_REQUEST, f"the response has over {MAX_ENTRIES} configs: ask for fewer resources"
                )
            entries = _describe(resource, context)
        except _Refused as refused:
            result.error_code, result.error_message = refused.error_code, str(refused)
        else:
            left -= len(entries)
            result.error_message = ""
            configs = [_encoded(entry, request, context.version) for entry in entries]
            result.configs = configs  # type: ignore[assignment] # encoded already
            yield 1 + len(entries) // ENTRIES_PER_UNIT
        results.append(result)
    return DescribeConfigsResponse(results=results)


def _describe(resource: DescribeConfigsResource, context: "Context") -> "list[ConfigEntry]":
    describe_kind = _BY_TYPE.get(resource.resource_type)
    if describe_kind is None:
        raise _Refused(errors.INVALID_REQUEST, f"resource type {resource.resource_type} has no configs")
    return describe_kind(resource, context)


def _topic(resource: DescribeConfigsResource, context: "Context") -> "list[ConfigEntry]":
    services, name = context.services, resource.resource_name
    if name not in services.image.topics:
        raise _Refused(services.unknown_topic_error(name), f"topic {name!r} does not exist")
    overrides = services.image.config(TOPIC_RESOURCE, name)
    return describe.describe_topic(overrides, services.config, resource.configuration_keys)


def _broker(resource: DescribeConfigsResource, context: "Context") -> "list[ConfigEntry]":
    services, name = context.services, resource.resource_name
    if not name:
        return describe.describe_cluster(services.config, resource.configuration_keys)
    _check_own_id(name, services.node_id)
    return describe.describe_broker(services.config, resource.configuration_keys)


def _group(resource: DescribeConfigsResource, context: "Context") -> "list[ConfigEntry]":
    services, name = context.services, resource.resource_name
    if not name:
        raise _Refused(errors.INVALID_REQUEST, "the group id must not be empty")
    return describe.describe_group(
        services.image.config(GROUP_RESOURCE, name), services.config, resource.configuration_keys
    )


def _client_metrics(resource: DescribeConfigsResource, context: "Context") -> "list[ConfigEntry]":
    name = resource.resource_name
    if not name:
        raise _Refused(errors.INVALID_REQUEST, "the name of the client metrics subscription must not be empty")
    overrides = context.services.image.config(CLIENT_METRICS_RESOURCE, name)
    return describe.describe_client_metrics(overrides, resource.configuration_keys)


def _broker_logger(_resource: DescribeConfigsResource, _context: "Context") -> "list[ConfigEntry]":
    raise _Refused(errors.INVALID_REQUEST, "log levels are set with --log-level; loggers have no configs here")


def _check_own_id(name: str, node_id: int) -> None:
    if name != str(node_id):
        raise _Refused(
            errors.INVALID_REQUEST, f"unexpected broker id: this is broker {node_id}, but the request asks for {name!r}"
        )


def _encoded(entry: "ConfigEntry", request: DescribeConfigsRequest, version: int) -> bytes:
    """The encoded entry. Topics share the entries that they inherit, so these are encoded once."""
    way = (version, request.include_synonyms, request.include_documentation)
    found = entry.encoded.get(way)
    if found is None:
        result = _result(entry, with_synonyms=way[1], with_docs=way[2])
        found = entry.encoded[way] = encode_describe_configs_resource_result(result, version)
    return found


def _result(entry: "ConfigEntry", *, with_synonyms: bool, with_docs: bool) -> DescribeConfigsResourceResult:
    return DescribeConfigsResourceResult(
        entry.name,
        entry.value,
        entry.read_only,
        config_source=entry.source,
        is_sensitive=entry.sensitive,
        synonyms=[DescribeConfigsSynonym(*synonym) for synonym in entry.synonyms] if with_synonyms else (),
        config_type=entry.type,
        documentation=entry.documentation if with_docs else None,
    )


_BY_TYPE = {
    TOPIC_RESOURCE: _topic,
    BROKER_RESOURCE: _broker,
    GROUP_RESOURCE: _group,
    CLIENT_METRICS_RESOURCE: _client_metrics,
    BROKER_LOGGER_RESOURCE: _broker_logger,
}


def failed(request: DescribeConfigsRequest, error_code: int) -> DescribeConfigsResponse:
    """The response that answers every resource of the request with one error."""
    return DescribeConfigsResponse(
        results=[
            DescribeConfigsResult(error_code, None, resource.resource_type, resource.resource_name)
            for resource in request.resources
        ]
    )
