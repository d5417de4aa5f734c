"""Prepares the disk for the nodes of a cluster: formatted directories, and a properties file for each node."""

from __future__ import annotations

import os
import sys

from kafkacompat.cluster.layout import HALF_RESET_FILE, SETTLED, Layout, write_file
from kafkacompat.cluster.log_dirs import check_log_dirs, is_formatted
from kafkacompat.config.broker import development_defaults
from kafkacompat.config.properties import write_properties
from kafkacompat.errors import StartupError
from kafkacompat.storage.data_dir import unusable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


OWN_CONTROL = ("--control", "127.0.0.1:0")
"""Flags of a node whose control API listens at a free port, which its ready line tells."""
ALLOW_FAULTS = "--allow-faults"
RESTORED = "--restored"
"""The first start with the directory of a snapshot."""


def prepare(
    layout: Layout, settings: Mapping[str, str], *, is_temporary: bool = False, cluster_id: str | None = None
) -> str:
    """Format the nodes' directories and write their properties files. Returns the cluster id.

    settings: those of all nodes, in addition to those of the layout. is_temporary: nothing is synced.
    Raises StartupError with one line.
    """
    for name in sorted(SETTLED & settings.keys()):
        raise StartupError(f"{name} cannot be set for all nodes: the cluster sets it for each node; leave it out")
    try:
        os.makedirs(layout.directory, exist_ok=True)  # noqa: PTH103 (pathlib costs start-up time)
    except OSError as error:
        raise unusable(layout.directory, error) from None
    if os.path.exists(f"{layout.directory}/{HALF_RESET_FILE}"):  # noqa: PTH110 (as above)
        from kafkacompat.cluster.half_reset import finish

        finish(layout)
    for node in layout.nodes:
        check_log_dirs(node.data_dir, node.log_dir_count)
    if not layout.cluster_id or not all(is_formatted(node.log_dirs[0]) for node in layout.nodes):
        layout.save()  # before formatting, which writes the planned ports to disk: both must survive a crash
        layout.cluster_id = format_nodes(layout, is_temporary=is_temporary, cluster_id=cluster_id)
    elif cluster_id not in (None, layout.cluster_id):
        raise StartupError(
            f"{layout.directory} holds cluster {layout.cluster_id}, not {cluster_id}: choose another directory with "
            "--data-dir"
        )
    layout.save()
    common = common_settings(layout, settings)
    for node in layout.nodes:
        write_file(node.properties_file, write_properties({**common, **layout.settings(node)}))
    return layout.cluster_id


def common_settings(layout: Layout, settings: Mapping[str, str]) -> dict[str, str]:
    """The settings of all nodes, in addition to those of the layout: the user's, and development defaults."""
    return {**development_defaults(len(layout.brokers)), **settings}


def node_command(
    layout: Layout,
    node_id: int,
    *,
    log_level: str,
    is_temporary: bool = False,
    addresses_by_peer: bool = False,
    flags: Sequence[str] = OWN_CONTROL,
) -> list[str]:
    """The command line of a node that a supervisor starts. Its control API may change temporary data.

    flags: more flags of `serve`, among them where its control API listens.
    """
    node = layout.node(node_id)
    command = [
        sys.executable, "-m", "kafkacompat", "serve", "--properties", node.properties_file, "--cluster-id",
        layout.cluster_id, "--log-level", log_level, "--stop-with-stdin",
        *flags,
    ]  # fmt: skip
    command += ["--addresses-by-peer"] if addresses_by_peer else []
    return [*command, "--never-sync", ALLOW_FAULTS] if is_temporary else command


def format_nodes(layout: Layout, *, is_temporary: bool, cluster_id: str | None) -> str:
    """Format the directories of the nodes that are not formatted yet. Returns the cluster id. Raises StartupError."""
    import random

    from kafkacompat.cluster.layout import CONTROLLER_LISTENER
    from kafkacompat.replication.metadata.format import NewNode, format_cluster
    from kafkacompat.replication.metadata.image import Endpoint
    from kafkacompat.server.clock import SystemClock
    from kafkacompat.storage.fs import RealFs

    nodes = [
        NewNode(
            node.node_id,
            node.log_dirs[0],  # the start formats the others
            Endpoint(CONTROLLER_LISTENER, layout.controller_host, node.controller_port) if node.is_controller else None,
        )
        for node in layout.nodes
    ]
    rng = random.Random(os.urandom(16))
    fs = RealFs(temporary=is_temporary, ends_with_process=is_temporary)
    return format_cluster(
        fs, nodes, now=SystemClock().now(), rng=rng, cluster_id=cluster_id or layout.cluster_id or None
    )
