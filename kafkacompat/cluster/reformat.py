"""Fills the directories of a cluster: from a snapshot at its start; at a reset again, or as new without one."""

from __future__ import annotations

from functools import partial

from kafkacompat.errors import KafkaCompatError
from kafkacompat.server.filling import Fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from kafkacompat.cluster.layout import Layout
    from kafkacompat.server.filling import FormatAnew


def of_layout(layout: Layout, snapshot: str | None, *, is_temporary: bool, has_proxies: bool) -> FormatAnew:
    """For a cluster as it is when this is called. snapshot: the path of the one from which it starts."""
    started = {node.node_id: node.log_dirs for node in layout.nodes}
    ports = {node.node_id: node.controller_port for node in layout.controllers}

    def begin(node_ids: Collection[int]) -> Callable[[], Fill]:
        if has_proxies:
            raise KafkaCompatError("a cluster with isolation=True cannot be reset: stop it, and start another")
        check_nodes(started, {node.node_id for node in layout.nodes}, node_ids)
        if snapshot is not None:
            return _from_snapshot(snapshot, started, ports, layout.cluster_id)

        def fill() -> int:
            from kafkacompat.cluster.prepare import format_nodes

            format_nodes(layout, is_temporary=is_temporary, cluster_id=layout.cluster_id)
            return 0

        return lambda: Fill(fill, _nothing)

    return begin


def _nothing() -> None:
    """Nothing is open."""


def of_lone(snapshot: str, node_id: int, directories: Callable[[], Sequence[str]]) -> FormatAnew:
    """For a lone broker that starts from a snapshot."""
    return lambda _node_ids: _from_snapshot(snapshot, {node_id: directories()}, {}, None)


def unpack_lone(path: str, node_id: int, directories: Sequence[str]) -> int:
    """Fill the directories of a lone broker from a snapshot. Returns how far its wall clock is from the system's, in
    ms.

    Raises KafkaCompatError for a missing or damaged file, or another node.
    """
    return _from_snapshot(path, {node_id: directories}, {}, None)().run()


def unpack_layout(path: str, layout: Layout) -> int:
    """As `unpack_lone`, for all nodes, which get the snapshot's cluster id; voters move to the ports of the layout."""
    from kafkacompat.control_api.snapshots.snapshot_files import Snapshot

    with Snapshot(path) as snapshot:
        if {node.node_id: sorted(node.roles) for node in layout.nodes} != {
            node_id: sorted(roles) for node_id, roles in snapshot.roles.items()
        }:
            raise KafkaCompatError(f"the nodes of snapshot {path} have other ids or roles than those here")
        layout.cluster_id = snapshot.cluster_id
    directories = {node.node_id: node.log_dirs for node in layout.nodes}
    ports = {node.node_id: node.controller_port for node in layout.controllers}
    return _from_snapshot(path, directories, ports, None)().run()


def check_nodes(started: Collection[int], planned: Collection[int], running: Collection[int]) -> None:
    """Raises KafkaCompatError unless the nodes of now are those of the start, and all of them run."""
    if set(planned) != set(started):
        raise KafkaCompatError(
            "brokers were added or removed since the start: stop this cluster, and start another instead of a reset"
        )
    stopped = sorted(set(started) - set(running))
    if stopped:
        raise KafkaCompatError(f"a reset needs all nodes: start {stopped[0]} with restart({stopped[0]})")


def _from_snapshot(
    path: str, directories: Mapping[int, Sequence[str]], ports: Mapping[int, int], cluster_id: str | None
) -> Callable[[], Fill]:
    """What opens the file and returns what fills the directories from it, see `filling`; it may block."""
    from kafkacompat.control_api.snapshots.snapshot_files import filling

    return partial(filling, path, directories, ports, cluster_id)
