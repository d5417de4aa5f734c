"""What the brokers of a failing test know, as texts for its report. Texts are all that xdist carries."""

from __future__ import annotations

import os
import shutil

from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kafkacompat.cluster import Cluster

    Sections = list[tuple[str, str]]

REPORT_BYTES_MAX = 8_192
"""The limit of all sections of one report together."""
TITLE = "kafkacompat: "
SECTIONS_MAX = 8
"""Of one cluster, for the bytes of their titles."""


def sections_of(clusters: Sequence[Cluster], notes: Sequence[str], bytes_max: int = REPORT_BYTES_MAX) -> Sections:
    """Titles and texts about clusters, together at most `bytes_max`. notes: a line about each."""
    found: Sections = []
    for cluster, note in zip(clusters, notes, strict=True):
        share = bytes_max // len(clusters)
        brokers = f"{_brokers(cluster)}{note}".encode()[: share // 2].decode("utf-8", "ignore")
        found.append((f"{TITLE}brokers", brokers))
        found += [(f"{TITLE}{title}", text) for title, text in _state(cluster, share - len(brokers.encode()))]
    return found


def _brokers(cluster: Cluster) -> str:
    """A line for each broker."""
    try:
        return "".join(f"{broker!r}\n" for broker in cluster.brokers)
    except KafkaCompatError as error:
        return f"{error}\n"


def _state(cluster: Cluster, bytes_max: int) -> Sections:
    """What `Cluster.report` shows. Nothing of brokers in processes of their own, which it cannot see."""
    try:
        if all(broker.pid in (None, os.getpid()) for broker in cluster.brokers):
            return cluster.report(bytes_max - SECTIONS_MAX * len(TITLE))
    except KafkaCompatError:
        pass  # it has stopped, which is among its brokers
    return []


def keep_data(cluster: Cluster, make_directory: Callable[[], os.PathLike[str]]) -> str:
    """Copy the data directories of a running cluster. Returns a line that says where they are, or why not."""
    try:
        kept: str = shutil.copytree(cluster.data_dir, os.path.join(make_directory(), "data"))  # noqa: PTH118
    except (OSError, KafkaCompatError) as error:
        return f"its data was not kept: {error}\n"
    return f"its data is kept in {kept}\n"
