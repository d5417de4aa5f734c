"""The table of feature levels that this broker supports and finalizes (KIP-584).

A feature is finalized only at a level whose APIs are implemented.
"""

from kafkacompat.protocol.internal.cluster_metadata import ConfigRecord, FeatureLevelRecord
from kafkacompat.replication.metadata.image import BROKER_RESOURCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.config import BrokerConfig
    from kafkacompat.replication.metadata.image import MetadataImage

METADATA_VERSION = "metadata.version"
KRAFT_VERSION = "kraft.version"
ELR_VERSION = "eligible.leader.replicas.version"

METADATA_LEVEL = 30  #: 4.3-IV0
LOWEST_METADATA_LEVEL = 29  #: 4.2-IV1
CORDONED_SINCE = 30
"""The metadata.version from which records have cordoned log directories (KIP-1066): all that 4.3 adds to 4.2's."""
KRAFT_LEVEL = 1


class Feature:
    """A row: the supported levels, and the level finalized in a new cluster. Level 0 means that it is absent.

    opened: the highest level with which a log of another cluster is opened; above `highest`, what the feature is about
    is kept as it is (see `broker/coordinator/group/frozen.py`), and its APIs are not offered.
    """

    __slots__ = ("finalized", "highest", "lowest", "name", "opened", "reason")

    def __init__(self, name: str, lowest: int, highest: int, finalized: int, reason: str, *, opened: int = 0) -> None:
        self.name = name
        self.lowest = lowest
        self.highest = highest
        self.finalized = finalized
        self.opened = max(opened, highest)
        self.reason = reason


FEATURES = (
    Feature(
        METADATA_VERSION,
        LOWEST_METADATA_LEVEL,
        METADATA_LEVEL,
        METADATA_LEVEL,
        "records are written as 4.3-IV0 has them, and in a cluster of Apache Kafka 4.2 as that reads them",
    ),
    Feature(
        KRAFT_VERSION, 0, KRAFT_LEVEL, KRAFT_LEVEL, "voters are in the log with directory ids (KIP-853), or static"
    ),
    Feature(ELR_VERSION, 1, 1, 1, "elections keep eligible leader replicas (KIP-966)"),
    Feature("group.version", 0, 0, 0, "consumer groups of KIP-848 do not work yet", opened=1),
    Feature("share.version", 0, 0, 0, "share groups (KIP-932) do not work yet", opened=1),
    Feature("streams.version", 0, 0, 0, "streams groups (KIP-1071) do not work yet", opened=1),
    Feature("transaction.version", 0, 2, 2, "every end of a transaction raises the producer's epoch (KIP-890)"),
)

#: Ranges that nodes register, by name.
SUPPORTED_FEATURES = {feature.name: (feature.lowest, feature.highest) for feature in FEATURES if feature.highest}

#: The highest levels of features that are kept without their APIs, by name: no range is registered for them.
KEPT_LEVELS = {feature.name: feature.opened for feature in FEATURES if feature.opened > feature.highest}


def bootstrap_features() -> list[FeatureLevelRecord]:
    """The levels of a new cluster. kraft.version is in control records, never among these."""
    return [
        FeatureLevelRecord(name=feature.name, feature_level=feature.finalized)
        for feature in FEATURES
        if feature.finalized and feature.name != KRAFT_VERSION
    ]


def bootstrap_configs(config: "BrokerConfig") -> list[ConfigRecord]:
    """Whether ELR is enabled: min.insync.replicas is then a cluster-wide config, not one of each broker (KIP-966)."""
    value = config.text("min.insync.replicas")
    return [
        ConfigRecord(resource_type=BROKER_RESOURCE, resource_name="", name="min.insync.replicas", value=value),
    ]


def has_cordoned_directories(image: "MetadataImage") -> bool:
    """Whether the records of this cluster may have cordoned log directories."""
    return image.features.get(METADATA_VERSION, METADATA_LEVEL) >= CORDONED_SINCE


def unsupported_levels(image: "MetadataImage", *, is_whole: bool = True) -> list[str]:
    """Descriptions of finalized features that this broker cannot keep, as in a log of another cluster.

    is_whole: whether the image has all levels, so that features without one are at level 0.
    """
    known = {feature.name: feature for feature in FEATURES}
    found = []
    for name in sorted({*image.features, *(known if is_whole else ())} - {KRAFT_VERSION}):
        level = image.features.get(name, 0)
        feature = known.get(name)
        low, high = (feature.lowest, feature.opened) if feature else (0, 0)
        if not low <= level <= high:
            found.append(f"{name} {level} (supported: {low} to {high})")
    return found


def kept_levels(image: "MetadataImage") -> list[str]:
    """Finalized features, with their levels, whose APIs this broker does not have: what they are about is only kept."""
    return [
        f"{feature.name} {image.features[feature.name]}"
        for feature in FEATURES
        if feature.highest < image.features.get(feature.name, 0) <= feature.opened
    ]
