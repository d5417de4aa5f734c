"""UpdateFeatures (57): changes levels of features (KIP-584, KIP-778; Kafka's FeatureControlManager), all or none."""

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.internal.cluster_metadata import FeatureLevelRecord, NoOpRecord
from kafkacompat.protocol.messages.update_features import UpdatableFeatureResult, UpdateFeaturesResponse
from kafkacompat.replication.metadata.features import (
    CORDONED_SINCE,
    KRAFT_VERSION,
    METADATA_VERSION,
    SUPPORTED_FEATURES,
)
from kafkacompat.replication.metadata.result import RefusedError, Result
from kafkacompat.replication.raft.voters import VoterChangeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from kafkacompat.protocol.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.metadata.image import MetadataImage

UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE = 1, 2, 3
LAST_VERSION_WITH_RESULTS = 1
_UNSUPPORTED = (0, 0)


class KraftVersion:
    """The level of kraft.version, which is kept by the quorum and not in the image. `check` raises VoterChangeError if
    the level cannot be raised.
    """

    __slots__ = ("check", "level")

    def __init__(self, level: int, check: "Callable[[], object]") -> None:
        self.level = level
        self.check = check


def raises_kraft_version(request: "UpdateFeaturesRequest", kraft: KraftVersion) -> bool:
    """Whether the request raises kraft.version, so that the static voters move into the log."""
    asked = next((each for each in reversed(request.feature_updates) if each.feature == KRAFT_VERSION), None)
    return not request.validate_only and asked is not None and asked.max_version_level > kraft.level


def update_features(
    request: "UpdateFeaturesRequest", version: int, image: "MetadataImage", node_id: int, kraft: KraftVersion
) -> Result:
    """Finalize the requested levels. One invalid level fails the whole request.

    kraft.version has no record of its own: the voters are written before, and the answer waits for a NoOpRecord.
    """
    records: list[Message] = []
    for asked in {each.feature: each for each in request.feature_updates}.values():  # the last duplicate is valid
        try:
            supporters = _supporters(asked.feature, image, node_id)
            if asked.feature == KRAFT_VERSION:
                records += _update_kraft(asked, asked.upgrade_type, kraft, supporters)
            else:
                records += _update(asked, asked.upgrade_type, image.features.get(asked.feature, 0), supporters)
        except RefusedError as refused:
            message = f"The update failed for all features since the following feature had an error: {refused.message}"
            return Result([], UpdateFeaturesResponse(error_code=refused.error_code, error_message=message))
    response = UpdateFeaturesResponse(error_message=None)
    if version <= LAST_VERSION_WITH_RESULTS:
        response.results = [
            UpdatableFeatureResult(each.feature, errors.NONE, "NONE") for each in request.feature_updates
        ]
    return Result([] if request.validate_only else records, response)


def _update(
    asked: "FeatureUpdateKey", kind: int, present: int, supporters: "Iterable[tuple[str, tuple[int, int]]]"
) -> "list[Message]":
    """The record of one feature; none if it has that level already. Raises RefusedError."""
    name, wanted = asked.feature, asked.max_version_level
    _refuse_for(_refusal(wanted, present, kind, supporters), wanted, name)
    if name == METADATA_VERSION and wanted < CORDONED_SINCE <= present:
        reason = (
            "Unsafe metadata downgrade is not supported in this version."
            if kind == UNSAFE_DOWNGRADE
            else "Refusing to perform the requested downgrade because it might delete metadata information."
        )
        message = f"Unsupported metadata.version downgrade from {present} to {wanted}. {reason}"
        raise RefusedError(errors.INVALID_UPDATE_VERSION, message)
    return [] if wanted == present else [FeatureLevelRecord(name=name, feature_level=wanted)]


def _update_kraft(
    asked: "FeatureUpdateKey", kind: int, kraft: KraftVersion, supporters: "Iterable[tuple[str, tuple[int, int]]]"
) -> "list[Message]":
    """A record that is committed after that of the voters. The level never decreases. Raises RefusedError."""
    wanted = asked.max_version_level
    _refuse_for(_refusal(wanted, kraft.level, kind, supporters), wanted, KRAFT_VERSION)
    if wanted < kraft.level:
        _refuse_for("Can't downgrade the version of this feature.", wanted, KRAFT_VERSION)
    if wanted > kraft.level:
        try:
            kraft.check()
        except VoterChangeError as error:
            raise RefusedError(error.error_code, f"kraft.version cannot be raised to {wanted}: {error}") from None
    return [NoOpRecord()] if kind == UPGRADE else []


def _refuse_for(reason: str | None, wanted: int, name: str) -> None:
    if reason is not None:
        message = f"Invalid update version {wanted} for feature {name}. {reason}"
        raise RefusedError(errors.INVALID_UPDATE_VERSION, message)


def _refusal(wanted: int, present: int, kind: int, supporters: "Iterable[tuple[str, tuple[int, int]]]") -> str | None:
    if kind not in (UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE):
        return "The controller does not support the given upgrade type."
    if wanted < 0:
        return "A feature version cannot be less than 0."
    for who, (low, high) in supporters:
        if not low <= wanted <= high:
            return f"{who} only supports versions {low}-{high}" if high else f"{who} does not support this feature."
    if wanted < present and kind == UPGRADE:
        return (
            "Can't downgrade the version of this feature without setting the upgrade type to either safe or unsafe "
            "downgrade."
        )
    if wanted > present and kind != UPGRADE:
        return "Can't downgrade to a newer version."
    return None


def _supporters(name: str, image: "MetadataImage", node_id: int) -> "Iterator[tuple[str, tuple[int, int]]]":
    """The supported ranges of this controller and of all registered brokers and controllers, by name of the node."""
    yield f"Local controller {node_id}", SUPPORTED_FEATURES.get(name, _UNSUPPORTED)
    for broker in image.brokers.values():
        yield f"Broker {broker.id}", broker.features.get(name, _UNSUPPORTED)
    for controller in image.controllers.values():
        yield f"Controller {controller.id}", controller.features.get(name, _UNSUPPORTED)
