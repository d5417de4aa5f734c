"""AlterConfigs and IncrementalAlterConfigs, resource by resource.

Each resource succeeds or fails by itself; successes form one atomic batch. The rules of each resource type are in
`config_resources`. A change of a broker's configs is validated against its own configuration by the broker that got the
client's request (`validate_locally`); the active controller then accepts it for any broker.
"""

from collections import Counter

from kafkacompat.config import ConfigError
from kafkacompat.config.alter import DELETE, SET
from kafkacompat.protocol.error_codes import INVALID_REQUEST, NONE
from kafkacompat.protocol.messages import alter_configs as legacy
from kafkacompat.protocol.messages import incremental_alter_configs as incremental
from kafkacompat.replication.controller.config_resources import Operation, checker
from kafkacompat.replication.controller.limits import check_record_count
from kafkacompat.replication.metadata.image import BROKER_RESOURCE
from kafkacompat.replication.metadata.result import RefusedError, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.metadata.image import MetadataImage
    from kafkacompat.replication.metadata.settings import Settings

    Resource = tuple[int, str]


def alter_configs(
    request: legacy.AlterConfigsRequest,
    image: "MetadataImage",
    settings: "Settings",
    *,
    any_broker: bool = False,
    is_direct: bool = False,
) -> Result:
    """Replace all configs of each resource (key 33): configs that are not in the request are removed.

    any_broker: whether another broker has validated changes of brokers' configs, or a controller got the request.
    is_direct: whether a controller got it, from a client.
    """

    def operations(resource: legacy.AlterConfigsResource) -> list[Operation]:
        wanted = [Operation(config.name, SET, config.value) for config in resource.configs]
        names = {operation.name for operation in wanted}
        present = image.config(resource.resource_type, resource.resource_name)
        return wanted + [Operation(name, DELETE, None) for name in present if name not in names]

    records, outcomes = _alter(
        request.resources, operations, image, settings, any_broker=any_broker, is_direct=is_direct
    )
    responses = [
        legacy.AlterConfigsResourceResponse(error_code, message, resource_type, name)
        for (resource_type, name), error_code, message in outcomes
    ]
    return Result([] if request.validate_only else records, legacy.AlterConfigsResponse(responses=responses))


def incremental_alter_configs(
    request: incremental.IncrementalAlterConfigsRequest,
    image: "MetadataImage",
    settings: "Settings",
    *,
    any_broker: bool = False,
    is_direct: bool = False,
) -> Result:
    """Set, delete, append to or subtract from single configs (key 44, KIP-339); the rest as above."""

    def operations(resource: incremental.AlterConfigsResource) -> list[Operation]:
        return [Operation(config.name, config.config_operation, config.value) for config in resource.configs]

    records, outcomes = _alter(
        request.resources, operations, image, settings, any_broker=any_broker, is_direct=is_direct
    )
    responses = [
        incremental.AlterConfigsResourceResponse(error_code, message, resource_type, name)
        for (resource_type, name), error_code, message in outcomes
    ]
    return Result(
        [] if request.validate_only else records, incremental.IncrementalAlterConfigsResponse(responses=responses)
    )


def validate_locally(
    request: "legacy.AlterConfigsRequest | incremental.IncrementalAlterConfigsRequest",
    image: "MetadataImage",
    settings: "Settings",
) -> "dict[int, legacy.AlterConfigsResourceResponse | incremental.AlterConfigsResourceResponse]":
    """What the broker that the client has asked refuses itself, by position in the request: other brokers' configs,
    and what its own configuration does not allow (Kafka's ConfigAdminManager). The controller decides the rest.
    """
    if all(resource.resource_type != BROKER_RESOURCE for resource in request.resources):
        return {}
    if isinstance(request, legacy.AlterConfigsRequest):
        result = alter_configs(request, image, settings)
    else:
        result = incremental_alter_configs(request, image, settings)
    return {
        position: answer
        for position, answer in enumerate(result.response.responses)
        if answer.error_code != NONE and answer.resource_type == BROKER_RESOURCE
    }


def _alter(
    resources: "Sequence[legacy.AlterConfigsResource] | Sequence[incremental.AlterConfigsResource]",
    operations_of: "Callable[..., list[Operation]]",
    image: "MetadataImage",
    settings: "Settings",
    *,
    any_broker: bool,
    is_direct: bool,
) -> "tuple[list[Message], list[tuple[Resource, int, str | None]]]":
    times = Counter((resource.resource_type, resource.resource_name) for resource in resources)
    records: list[Message] = []
    outcomes: list[tuple[Resource, int, str | None]] = []
    for resource in resources:
        key = (resource.resource_type, resource.resource_name)
        try:
            if times[key] > 1:
                raise RefusedError(INVALID_REQUEST, "Each resource must appear at most once.")
            operations = operations_of(resource)
            _check_shape(operations)
            added = checker(key, image, settings, any_broker=any_broker, is_direct=is_direct).records(operations)
            check_record_count(range(len(records) + len(added)))
        except RefusedError as refused:
            outcomes.append((key, refused.error_code, refused.message))
        except ConfigError as error:
            outcomes.append((key, error.error_code, str(error)))
        else:
            records += added
            outcomes.append((key, NONE, None))
    return records, outcomes


def _check_shape(operations: list[Operation]) -> None:
    if len({operation.name for operation in operations}) < len(operations):
        raise RefusedError(INVALID_REQUEST, "Error due to duplicate config keys")
    unset = [operation.name for operation in operations if operation.kind != DELETE and operation.value is None]
    if unset:
        raise RefusedError(INVALID_REQUEST, f"Null value not supported for : {', '.join(unset)}")
