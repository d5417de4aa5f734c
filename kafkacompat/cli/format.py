"""`kafkacompat format`: formats a new data directory with node id, cluster id and voters, like kafka-storage.sh."""

from __future__ import annotations

import os
import random

from kafkacompat.broker.connection import CONTROLLER
from kafkacompat.cli.options import read_properties_file
from kafkacompat.errors import StartupError
from kafkacompat.protocol.primitives import uuid_from_text, uuid_to_text
from kafkacompat.replication.metadata.format import format_node, read_formatted, verify_formatted
from kafkacompat.replication.raft.voters import Voter, host_and_port
from kafkacompat.server.clock import SystemClock
from kafkacompat.server.endpoints import plan
from kafkacompat.server.settings import broker_config, data_dir, log_dirs
from kafkacompat.storage.checkpoints import META_PROPERTIES_FILE
from kafkacompat.storage.data_dir import check_metadata_log, random_uuid
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.partition_dir import parse_directory_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from kafkacompat.config import BrokerConfig
    from kafkacompat.storage.fs import Fs


def run(
    properties: str, cluster_id: str | None, *, standalone: bool, initial_controllers: str | None, no_initial: bool,
    left_out: Collection[str] = (),
) -> str:  # fmt: skip
    """Format the directories of the node that a server.properties file describes. Returns a line for the user.

    Directories that are formatted for this node stay as they are, and the others get their cluster id: an interrupted
    formatting is completed. left_out: directories that stay as they are, whatever is there. Raises StartupError with
    one line; unless a disk fails, nothing is written then.
    """
    config, _ = broker_config({}, read_properties_file(properties))
    node_id = config.get_int("node.id")
    directory = data_dir(config, None)
    others = [each for each in log_dirs(config, None) if each != directory]
    if directory is None:
        raise StartupError(f"{properties} has no data directory: set log.dirs")
    fs = RealFs()
    has_voters = fs.exists(f"{directory}/{META_PROPERTIES_FILE}")
    _check_choice(config, [standalone, initial_controllers is not None, no_initial], has_voters=has_voters)
    new, cluster_id = _new(fs, [each for each in (directory, *others) if each not in left_out], node_id, cluster_id)
    rng = random.Random(os.urandom(16))
    directory_id = random_uuid(rng)
    voters: list[Voter] = []
    if standalone:
        voters = [Voter(node_id, directory_id, _own_endpoints(config))]
    elif initial_controllers is not None:
        listener = config.get_list("controller.listener.names")[0].upper()
        voters = [_voter(item.strip(), listener) for item in initial_controllers.split(",")]
        if len({voter.id for voter in voters}) < len(voters):
            raise StartupError("--initial-controllers has a node id twice: give each controller its own")
        directory_id = next((voter.directory_id for voter in voters if voter.id == node_id), directory_id)
    cluster_id = cluster_id or uuid_to_text(random_uuid(rng))
    try:
        for path in reversed(new):  # the one that a start asks is the last
            format_node(
                fs, path, node_id, cluster_id=cluster_id, now=SystemClock().now(),
                directory_id=directory_id if path == directory else random_uuid(rng),
                voters=voters if path == directory else (),
            )  # fmt: skip
    except OSError as error:
        raise StartupError(f"data directory {path} cannot be written: {error.strerror}") from None
    return f"formatted {', '.join(new)} for node {node_id} of cluster {cluster_id}"


def _new(fs: Fs, paths: Sequence[str], node_id: int, cluster_id: str | None) -> tuple[list[str], str | None]:
    """The directories that are to be formatted, and the cluster id, if it is chosen or others have one."""
    found, unreadable = read_formatted(fs, paths)
    for path, error in unreadable.items():
        raise StartupError(f"{error}: repair {path}/meta.properties or choose another directory")
    new = [path for path in paths if path not in found]
    if not new:
        places = ", ".join(paths)
        raise StartupError(f"{places}: formatted already, as meta.properties says there: choose another directory")
    for path in new:
        try:
            check_metadata_log(fs, path)
        except OSError as error:
            raise StartupError(f"data directory {path} cannot be read: {error.strerror}") from None
    if paths[0] in new:
        _check_metadata_directory(fs, paths[0], found)
    return new, verify_formatted(found, node_id, cluster_id)


def _check_metadata_directory(fs: Fs, path: str, formatted: Iterable[str]) -> None:
    """Raises StartupError if the metadata log would begin anew while there are partitions: it has been lost."""
    for other in formatted:
        try:
            names = fs.listdir(other)
        except OSError as error:
            raise StartupError(f"data directory {other} cannot be read: {error.strerror}") from None
        if any(parse_directory_name(name) is not None for name in names):
            raise StartupError(
                f"{path} is new, but the metadata log is expected there, and {other} has partitions already: bring "
                "back what was in it, or name the directory of the metadata log with metadata.log.dir"
            )


def random_id() -> str:
    """A new cluster or directory id."""
    return uuid_to_text(random_uuid(random.Random(os.urandom(16))))


def _check_choice(config: BrokerConfig, chosen: list[bool], *, has_voters: bool) -> None:
    """Kafka's StorageTool: a controller of a dynamic quorum makes exactly one choice, any other node none. Without a
    choice directories can be added to a metadata log that is there and knows its voters.
    """
    words = "--standalone, --initial-controllers or --no-initial-controllers"
    if "controller" not in config.get_list("process.roles"):
        if any(chosen):
            raise StartupError(f"{words} are for controllers, and this node is not one: leave it out")
    elif config.get_list("controller.quorum.voters"):
        if any(chosen):
            raise StartupError(f"controller.quorum.voters sets the voters: leave out {words}")
    elif sum(chosen) != 1 and not (has_voters and not any(chosen)):
        raise StartupError(f"controller.quorum.voters is not set: choose the first voters with one of {words}")


def _own_endpoints(config: BrokerConfig) -> tuple[tuple[str, str, int], ...]:
    bound = [binding for binding in plan(config) if binding.kind == CONTROLLER]
    return tuple((binding.listener, binding.host, binding.port) for binding in bound)


def _voter(text: str, listener: str) -> Voter:
    node_id, at, rest = text.partition("@")
    address, _, directory = rest.rpartition(":")
    try:
        if not (at and node_id.isdecimal()):
            raise ValueError
        return Voter(int(node_id), uuid_from_text(directory), ((listener, *host_and_port(address)),))
    except ValueError:
        raise StartupError(
            f"--initial-controllers: {text!r} is not of the form id@host:port:directory-id; kafkacompat random-uuid "
            "makes directory ids"
        ) from None
