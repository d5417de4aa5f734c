"""ApiVersions (18), versions 0-4: the APIs, versions and features that the listener supports.

v1 adds the throttle time. v3 is flexible and adds the client's software name and version (KIP-511) and the features of
the node (KIP-584); its response header stays at v0, because a client reads it before it knows the versions. v4 lists
features with a minimum level of 0 (KAFKA-17011).

Behavior:
- An unsupported version is answered in the format of v0, with UNSUPPORTED_VERSION and the supported versions of
  ApiVersions.
- An invalid software name or version is answered with INVALID_REQUEST.
- The APIs are those of the listener's kind: a broker's or a controller's.
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
"""The finalized features that a controller reports before it knows a leader, as in Kafka."""


def handle(request: ApiVersionsRequest, context: "Context") -> ApiVersionsResponse:
    """Keep the client's software name and version, and list the APIs and features."""
    if context.version != context.header.api_version:
        return _unsupported_version()
    context.connection.client_id = context.client_id
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
    """The response that fails the whole request."""
    return ApiVersionsResponse(error_code=error_code)


def _finalized(services: "Services") -> "dict[str, int]":
    """Finalized levels by name. The quorum knows that of kraft.version; the image does not."""
    return {**(services.image.features or LOWEST_FEATURES), KRAFT_VERSION: services.quorum.kraft_level}


def _unsupported_version() -> ApiVersionsResponse:
    """The response in the format of v0 to an unsupported version: the client retries with a listed one."""
    own = APIS[API_KEY]
    return ApiVersionsResponse(
        error_code=errors.UNSUPPORTED_VERSION, api_keys=[ApiVersion(own.key, own.min_version, own.max_version)]
    )
