"""ApiVersions (18), versions 0-4: what this node speaks on the listener that is asked.

v0 is also the layout of the answer to a version that we do not know (with UNSUPPORTED_VERSION). v1 adds the throttle
time. v3 is flexible and tells the client's software name and version (KIP-511) and our features (KIP-584); its
response header stays at v0, because a client reads it before it knows anything. v4 lets features start at version 0
(KAFKA-17011).
"""

import re

from kafkacompat.broker.registry import APIS, APIS_OF
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.api_versions import (
    API_KEY,
    ApiVersion,
    ApiVersionsRequest,
    ApiVersionsResponse,
    FinalizedFeatureKey,
    SupportedFeatureKey,
)
from kafkacompat.replication.metadata.features import KRAFT_VERSION, METADATA_VERSION, SUPPORTED_FEATURES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context, Services

SOFTWARE_PATTERN = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")
FIRST_VERSION_WITH_SOFTWARE = 3
FIRST_VERSION_WITH_MIN_ZERO = 4
LOWEST_FEATURES = {METADATA_VERSION: 7}
"""What a controller says is finalized before it has heard of a leader, as Kafka's do."""


def handle(request: ApiVersionsRequest, context: "Context") -> ApiVersionsResponse:
    """Remember who the client says it is, and answer the table of APIs and features."""
    if context.version != context.header.api_version:
        return _unsupported_version()
    if context.version >= FIRST_VERSION_WITH_SOFTWARE:
        names = (request.client_software_name, request.client_software_version)
        if not all(SOFTWARE_PATTERN.fullmatch(name) for name in names):
            return ApiVersionsResponse(error_code=errors.INVALID_REQUEST)
        context.connection.software_name, context.connection.software_version = names
    image = context.services.image
    lowest = 0 if context.version >= FIRST_VERSION_WITH_MIN_ZERO else 1
    return ApiVersionsResponse(
        api_keys=[
            ApiVersion(api.key, api.min_version, api.max_version) for api in APIS_OF[context.connection.kind].values()
        ],
        supported_features=[
            SupportedFeatureKey(name, minimum, maximum)
            for name, (minimum, maximum) in sorted(SUPPORTED_FEATURES.items())
            if minimum >= lowest or lowest == 0
        ],
        finalized_features_epoch=image.offset,
        finalized_features=[
            FinalizedFeatureKey(name, level, level)
            for name, level in sorted(_finalized(context.services).items())
            if level > 0
        ],
    )


def failed(_request: ApiVersionsRequest, error_code: int) -> ApiVersionsResponse:
    """The response that refuses the whole request."""
    return ApiVersionsResponse(error_code=error_code)


def _finalized(services: "Services") -> "dict[str, int]":
    """Levels by name. That of kraft.version is the quorum's affair and in no image."""
    return {**(services.image.features or LOWEST_FEATURES), KRAFT_VERSION: services.quorum.kraft_level}


def _unsupported_version() -> ApiVersionsResponse:
    """The answer, in the layout of v0, to a version that we do not know: the client then picks one that we list."""
    own = APIS[API_KEY]
    return ApiVersionsResponse(
        error_code=errors.UNSUPPORTED_VERSION, api_keys=[ApiVersion(own.key, own.min_version, own.max_version)]
    )
