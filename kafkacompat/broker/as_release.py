"""The step of a broker that stands for an older release: clients get no newer versions, features and errors.

It narrows what works here to what that release offered. What the release offered and does not work here stays missing;
docs/releases.md lists it.
"""

from kafkacompat.broker.connection import BROKER, CloseConnection
from kafkacompat.broker.release_table import FEATURES, VERSIONS
from kafkacompat.config.releases import is_before
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.api_keys import ADD_PARTITIONS_TO_TXN, API_VERSIONS, OFFSET_COMMIT, WRITE_TXN_MARKERS
from kafkacompat.protocol.constants import NO_NODE
from kafkacompat.protocol.messages.api_versions import (
    ApiVersion,
    ApiVersionsResponse,
    FinalizedFeatureKey,
    SupportedFeatureKey,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.broker.answers import Response
    from kafkacompat.broker.pipeline import Passage
    from kafkacompat.broker.registry import Api

NOT_OFFERED = (1, 0)
"""No version is in this range."""
FIRST_OF_BROKERS = 4
"""The version of AddPartitionsToTxn from which it is for brokers."""
FIRST_WITH_GROUP_ID_NOT_FOUND = "4.0"
"""Before it, OffsetCommit answered ILLEGAL_GENERATION for a group that does not exist."""


def versions_of(release: str) -> dict[int, tuple[int, int]]:
    """Lowest and highest versions by API key, of a release."""
    found = {}
    for entry in VERSIONS[release].split():
        key, _, levels = entry.partition(":")
        low, _, high = levels.partition("-")
        found[int(key)] = (int(low), int(high))
    return found


class AsRelease:
    """Sees what clients ask for, where the release offered less or answered otherwise."""

    def __init__(self, release: str) -> None:
        self._release = release
        self._versions = versions_of(release)
        self._features = FEATURES[release]
        self._is_old_coordinator = is_before(release, FIRST_WITH_GROUP_ID_NOT_FOUND)

    def sees(self, api: "Api") -> bool:
        """Whether the release offered fewer versions, or answered otherwise."""
        if BROKER not in api.listeners or api.is_of_peers:
            return False
        low, high = self._versions.get(api.key, NOT_OFFERED)
        is_narrower = low > api.min_version or high < api.max_version
        return is_narrower or api.key == API_VERSIONS or (api.key == OFFSET_COMMIT and self._is_old_coordinator)

    def on_request(self, passage: "Passage") -> None:
        """Refuse a version that the release did not have. Requests of nodes pass."""
        context, key = passage.context, passage.api.key
        if context.connection.kind != BROKER or context.connection.is_forwarded or _is_of_broker(passage):
            passage.proceed()
            return
        low, high = self._versions.get(key, NOT_OFFERED)
        if key == API_VERSIONS:
            if context.version > high:
                context.version = 0  # as for a version that nobody has
            passage.proceed(lambda response: passage.answer(self._narrowed(response)))
            return
        if not low <= context.version <= high:
            raise CloseConnection(f"{passage.api.stem} version {context.version} is not in Kafka {self._release}")
        if key == OFFSET_COMMIT and self._is_old_coordinator:
            passage.proceed(lambda response: passage.answer(_with_old_errors(response)))
        else:
            passage.proceed()

    def _narrowed(self, response: "Response") -> "Response":
        assert isinstance(response, ApiVersionsResponse)
        narrowed = []
        for each in response.api_keys:
            lowest, highest = self._versions.get(each.api_key, NOT_OFFERED)
            low, high = max(lowest, each.min_version), min(highest, each.max_version)
            if each.api_key in self._versions and low <= high:
                narrowed.append(ApiVersion(each.api_key, low, high))
        response.api_keys = narrowed
        response.supported_features = [
            SupportedFeatureKey(each.name, *self._levels(each.name, each.min_version, each.max_version))
            for each in response.supported_features
            if each.name in self._features
        ]
        response.finalized_features = [
            FinalizedFeatureKey(each.name, level, level)
            for each in response.finalized_features
            if each.name in self._features
            for level in (min(each.max_version_level, self._features[each.name][1]),)
        ]
        return response

    def _levels(self, name: str, low: int, high: int) -> tuple[int, int]:
        """The release's levels of a feature; a level that is not supported here is not its highest."""
        lowest, finalized = self._features[name]
        return min(low, lowest), min(high, finalized)


def _is_of_broker(passage: "Passage") -> bool:
    """Whether a broker of the cluster sent it: its versions are not for clients. Tools send markers, too, in a version
    that they were told of.
    """
    key, request = passage.api.key, passage.request
    if key == WRITE_TXN_MARKERS or (key == ADD_PARTITIONS_TO_TXN and passage.context.version >= FIRST_OF_BROKERS):
        return True
    state = getattr(request, "replica_state", None)
    replica_id = max(getattr(request, "replica_id", NO_NODE), NO_NODE if state is None else state.replica_id)
    return replica_id > NO_NODE


def _with_old_errors(response: "Any") -> "Response":
    for topic in response.topics:
        for partition in topic.partitions:
            if partition.error_code == errors.GROUP_ID_NOT_FOUND:
                partition.error_code = errors.ILLEGAL_GENERATION
    return response  # type: ignore[no-any-return]
