"""Formats the data directories of a new cluster: meta.properties and the first voters (as `kafka-storage format
--initial-controllers` does).
"""

from kafkacompat.errors import StartupError
from kafkacompat.protocol.internal.control_records import VotersRecord
from kafkacompat.protocol.primitives import uuid_to_text
from kafkacompat.replication.metadata import log as metadata_log
from kafkacompat.replication.metadata.features import bootstrap_features
from kafkacompat.replication.raft import checkpoint, election_state
from kafkacompat.replication.raft.batches import DamagedLogError
from kafkacompat.replication.raft.voters import Voter
from kafkacompat.storage.checkpoints import (
    META_PROPERTIES_FILE,
    CheckpointError,
    MetaProperties,
    read_meta_properties,
    write_meta_properties,
)
from kafkacompat.storage.data_dir import METADATA_DIRECTORY, check_metadata_log, random_uuid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from random import Random

    from kafkacompat.now import Now
    from kafkacompat.replication.metadata.image import Endpoint
    from kafkacompat.storage.fs import Fs


class NewNode:
    """One node. `controller` is the advertised endpoint of its controller; None for a node that is a broker only."""

    __slots__ = ("controller", "data_dir", "node_id")

    def __init__(self, node_id: int, data_dir: str, controller: "Endpoint | None") -> None:
        self.node_id = node_id
        self.data_dir = data_dir
        self.controller = controller


def format_cluster(
    fs: "Fs", nodes: "Sequence[NewNode]", *, now: "Now", rng: "Random", cluster_id: str | None = None
) -> str:
    """Format the directories of a cluster in which every controller is a voter. Returns the cluster id.

    A cluster that has run before is not changed, whatever voters `nodes` has. An interrupted formatting is completed.
    Raises StartupError, with one line, if the directories belong to different clusters or if one of a cluster that has
    run is missing; then nothing is written.
    """
    found = [_whose(fs, node) for node in nodes]
    ids = {meta.cluster_id for meta in found if meta is not None}
    ids |= {cluster_id} if cluster_id is not None else set()
    if len(ids) > 1:
        places = ", ".join(
            f"{node.data_dir} ({meta.cluster_id})" for node, meta in zip(nodes, found, strict=True) if meta is not None
        )
        raise StartupError(f"the data directories belong to different clusters: {places}. Choose others")
    for node, meta in zip(nodes, found, strict=True):
        if meta is None and not fs.ends_with_process:  # else a node that runs has the file in memory
            check_metadata_log(fs, node.data_dir)
    if any(_has_run(fs, node.data_dir) for node in nodes):
        _check_complete(fs, nodes)
        return ids.pop()
    name = ids.pop() if ids else uuid_to_text(random_uuid(rng))
    try:
        _write(fs, nodes, found, name, now, rng)
    except OSError as error:
        raise StartupError(f"data directories cannot be made: {error.filename}: {error.strerror or error}") from error
    return name


def _whose(fs: "Fs", node: NewNode) -> MetaProperties | None:
    """The directory's meta.properties; None if it is new."""
    path = f"{node.data_dir}/{META_PROPERTIES_FILE}"
    try:
        meta = read_meta_properties(fs, path)
    except (CheckpointError, OSError) as error:
        raise StartupError(f"{error}: repair {path} or choose another data directory") from None
    if meta is not None and meta.node_id != node.node_id:
        raise StartupError(
            f"data directory {node.data_dir} belongs to node {meta.node_id}, not to {node.node_id}: choose another"
        )
    return meta


def _has_run(fs: "Fs", data_dir: str) -> bool:
    """Whether a node has voted or written here: from then on the log determines the voters."""
    directory = f"{data_dir}/{METADATA_DIRECTORY}"
    if fs.exists(f"{directory}/{election_state.FILE_NAME}"):
        return True
    return fs.exists(directory) and any(
        name.endswith(".log") and fs.size(f"{directory}/{name}") for name in fs.listdir(directory)
    )


def _check_complete(fs: "Fs", nodes: "Sequence[NewNode]") -> None:
    """Refuse to recreate the missing directory of a voter: its votes and its log are lost."""
    voter_ids = {voter_id for node in nodes for voter_id in _voter_ids(fs, node.data_dir)}
    for node in nodes:
        if node.node_id in voter_ids and not fs.exists(f"{node.data_dir}/{META_PROPERTIES_FILE}"):
            raise StartupError(
                f"node {node.node_id} is a voter and its data directory {node.data_dir} is missing or empty: bring it "
                "back, or remove the voter with kafka-metadata-quorum.sh remove-controller and add the node anew"
            )


def _voter_ids(fs: "Fs", data_dir: str) -> list[int]:
    """The voters in the newest snapshot of the directory."""
    directory = f"{data_dir}/{METADATA_DIRECTORY}"
    found = checkpoint.newest(fs, directory) if fs.exists(directory) else None
    if found is None:
        return []
    try:
        records = [record for batch in checkpoint.read_control(fs, found[2]) for record in batch.records]
    except (DamagedLogError, OSError) as error:
        raise StartupError(f"{found[2]} is damaged: {error}. {metadata_log.RESTORE}") from None
    return [voter.voter_id for record in records if isinstance(record, VotersRecord) for voter in record.voters]


def _write(
    fs: "Fs",
    nodes: "Sequence[NewNode]",
    found: "Sequence[MetaProperties | None]",
    cluster_id: str,
    now: "Now",
    rng: "Random",
) -> None:
    voters = []
    for node, present in zip(nodes, found, strict=True):
        fs.mkdir(node.data_dir)
        meta = present
        if meta is None or meta.directory_id is None:
            meta = MetaProperties(cluster_id, node.node_id, random_uuid(rng))
            write_meta_properties(fs, f"{node.data_dir}/{META_PROPERTIES_FILE}", meta, wall_ms=now.wall_ms)
        if node.controller is not None:
            endpoint = (node.controller.name, node.controller.host, node.controller.port)
            assert meta.directory_id is not None
            voters.append(Voter(node.node_id, meta.directory_id, (endpoint,)))
    for node in nodes:
        if not fs.exists(f"{node.data_dir}/{checkpoint.BOOTSTRAP_NAME}"):
            checkpoint.write_bootstrap(fs, node.data_dir, bootstrap_features(), now.wall_ms)
        if node.controller is not None:
            directory = f"{node.data_dir}/{METADATA_DIRECTORY}"
            fs.mkdir(directory)
            checkpoint.write_voters(fs, directory, voters, now.wall_ms)
        fs.fsync_dir(node.data_dir)


def read_formatted(fs: "Fs", paths: "Iterable[str]") -> tuple[dict[str, MetaProperties], dict[str, str]]:
    """What meta.properties says in each directory that is formatted, and why it cannot be read where that is so."""
    found, unreadable = {}, {}
    for path in paths:
        try:
            meta = read_meta_properties(fs, f"{path}/{META_PROPERTIES_FILE}")
        except (CheckpointError, OSError) as error:
            unreadable[path] = str(error)
        else:
            if meta is not None:
                found[path] = meta
    return found, unreadable


def verify_formatted(found: "Mapping[str, MetaProperties]", node_id: int, cluster_id: str | None) -> str | None:
    """The cluster of directories that are formatted: `cluster_id`, or theirs if it is None. Raises StartupError unless
    all are this node's and of this cluster, each with an id of its own (Kafka's MetaPropertiesEnsemble.verify).
    """
    places: dict[bytes, str] = {}
    for path, meta in found.items():
        file = f"{path}/{META_PROPERTIES_FILE}"
        cluster_id = meta.cluster_id if cluster_id is None else cluster_id
        if meta.cluster_id != cluster_id:
            raise StartupError(f"Invalid cluster.id in: {file}. Expected {cluster_id}, but read {meta.cluster_id}")
        if meta.node_id != node_id:
            raise StartupError(
                f"Stored node id {meta.node_id} doesn't match previous node id {node_id} in {file}. If you moved your "
                "data, make sure your configured node id matches. If you intend to create a new node, you should "
                "remove all data in your data directories."
            )
        if meta.directory_id is not None:
            other = places.setdefault(meta.directory_id, path)
            if other != path:
                raise StartupError(
                    f"Duplicate directory ID {uuid_to_text(meta.directory_id)} found. It was the ID of {other}, but "
                    f"also of {path}"
                )
    return cluster_id


def format_node(
    fs: "Fs",
    data_dir: str,
    node_id: int,
    *,
    cluster_id: str,
    directory_id: bytes,
    voters: "Sequence[Voter]",
    now: "Now",
) -> None:
    """Format the directory of one node; without voters it contains no voter set. Raises StartupError, OSError.

    meta.properties is written last: without it nothing counts as formatted (`check_metadata_log`).
    """
    path = f"{data_dir}/{META_PROPERTIES_FILE}"
    if fs.exists(path):
        raise StartupError(f"{data_dir} is formatted already, as {path} says: choose another directory")
    fs.mkdir(data_dir)
    checkpoint.write_bootstrap(fs, data_dir, bootstrap_features(), now.wall_ms)
    if voters:
        directory = f"{data_dir}/{METADATA_DIRECTORY}"
        fs.mkdir(directory)
        checkpoint.write_voters(fs, directory, voters, now.wall_ms)
    write_meta_properties(fs, path, MetaProperties(cluster_id, node_id, directory_id), wall_ms=now.wall_ms)
    fs.fsync_dir(data_dir)
