"""What the brokers of a failing test know, as text for its report. Texts are all that xdist carries."""

from __future__ import annotations

import os
import shutil

from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.cluster import Cluster
    from kafkacompat.server.broker_server import BrokerServer

REPORT_BYTES_MAX = 8_192
"""The limit of all sections of one report together."""
LINES_MAX = 40


def describe(cluster: Cluster) -> str:
    """The state of a cluster: its brokers, the ends of its partitions, its groups, the clients still connected."""
    lines = [f"brokers at {cluster.bootstrap_servers}"]
    try:
        for broker in cluster.brokers:
            if broker.is_running:
                lines += cluster._call(broker.id, _node)  # noqa: SLF001
            else:
                lines.append(f"broker {broker.id}: stopped")
    except KafkaCompatError as error:
        lines.append(str(error))
    return "\n".join(lines) + "\n"


def _node(server: BrokerServer) -> list[str]:
    view = server.view
    lines = [f"broker {view.node_id}"]
    lines += [
        f"  {each.topic}-{each.partition}: offsets {each.log_start_offset}-{each.log_end_offset}, "
        f"high watermark {each.high_watermark}"
        for each in view.replicas()
    ][:LINES_MAX]
    lines += [
        f"  group {group.id}: {group.state}, {len(group.members)} members, committed {view.committed_offsets(group.id)}"
        for group in view.groups()
    ][:LINES_MAX]
    lines += [f"  connected: {each.client_id or each.client_host}" for each in view.connections()][:LINES_MAX]
    return lines


def keep_data(cluster: Cluster, make_directory: Callable[[], os.PathLike[str]]) -> str:
    """Copy the data directories of a running cluster. Returns a line that says where they are, or why not."""
    try:
        kept: str = shutil.copytree(cluster.data_dir, os.path.join(make_directory(), "data"))  # noqa: PTH118
    except (OSError, KafkaCompatError) as error:
        return f"its data was not kept: {error}\n"
    return f"its data is kept in {kept}\n"


def limited(sections: list[tuple[str, str]], bytes_max: int = REPORT_BYTES_MAX) -> list[tuple[str, str]]:
    """The sections, shortened to `bytes_max` together; a shortened one ends with a line that says so."""
    if not sections:
        return []
    share = bytes_max // len(sections)
    return [(title, _shortened(text, share - len(title.encode()))) for title, text in sections]


def _shortened(text: str, bytes_max: int) -> str:
    encoded = text.encode()
    if len(encoded) <= bytes_max:
        return text
    end = "\n... (shortened)\n"
    return encoded[: max(0, bytes_max - len(end))].decode("utf-8", "ignore") + end
