"""Whether a node can start in a directory that nobody has formatted."""

from __future__ import annotations

from kafkacompat.errors import StartupError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.config import BrokerConfig
    from kafkacompat.storage.fs import Fs


def check_formatted(config: BrokerConfig, files: Fs, directory: str | None, cluster_id: str | None) -> None:
    """Check that a node with `process.roles` can start in its directory (None: a temporary one).

    A single node can format a new directory itself. A node of a cluster cannot, because it does not know the voters and
    the cluster id. Raises StartupError with a line that explains how to format the directory.
    """
    if formats_itself(config):
        return
    if directory is None:
        raise StartupError("a node of a cluster needs its own data directory: set log.dirs")
    if files.exists(f"{directory}/meta.properties"):
        return
    if "controller" in config.get_list("process.roles") and _has_dynamic_voters(config):
        raise StartupError(
            f"{directory} is not formatted: choose the voters with kafkacompat format --properties FILE "
            "--cluster-id ID and --standalone, --initial-controllers or --no-initial-controllers"
        )
    if cluster_id is None:
        raise StartupError(
            f"{directory} is not formatted: give the cluster id with --cluster-id ID, the same for each node"
        )


def formats_itself(config: BrokerConfig) -> bool:
    """Whether a node with these settings can start in an empty directory: it is the only voter, and knows that."""
    if "process.roles" not in config.static:
        return True
    voters = [voter.partition("@")[0] for voter in config.get_list("controller.quorum.voters")]
    is_alone = "controller" in config.get_list("process.roles") and voters in ([], [config.static["node.id"]])
    return is_alone and not _has_dynamic_voters(config)


def _has_dynamic_voters(config: BrokerConfig) -> bool:
    return config.get_list("controller.quorum.voters") == () and (
        config.get_list("controller.quorum.bootstrap.servers") != ()
    )
