"""The state of a whole cluster: reset, snapshot, restore."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import NamedTuple

from kafkacompat.cluster.running import RunningCluster
from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any, TypeVar

    from kafkacompat.cluster.view_types import Connection
    from kafkacompat.control_api.seeds import Seed
    from kafkacompat.server.broker_server import BrokerServer
    from kafkacompat.server.seed import NewTopic

    Made = TypeVar("Made", bound="State")


class Reset(NamedTuple):
    """The result of a reset. connections: those of clients from before; in tests often clients that nobody closed."""

    connections: list[Connection]


class State(RunningCluster):
    """What `Cluster` offers for its state as a whole."""

    _seed: Seed
    _clock_offset_ms = 0  # of the snapshot that was unpacked last
    _snapshot: str | None = None
    """The snapshot from which it starts."""
    _restores_several = False
    """Whether that is of several nodes, or of one that is run like several."""

    def reset(self, keep: Collection[str] = (), *, close_connections: bool = False, delete_data: bool = False) -> Reset:
        """Go back to the state right after the start: with the topics and records given then, under new topic ids, or
        with those of the snapshot that was restored.

        The cluster id, node ids, ports and connections stay; everything else is new. Producer ids go on, so that a
        client of before never meets one of after.

        keep: {"topics"} keeps the topics that exist, with their partitions and configs, without records.
        close_connections: close the connections of clients. Without it they are listed in the result's `connections`:
        in tests, often clients that somebody forgot to close.
        delete_data: empty a data_dir, too, as before its very first start. Without it a cluster with a data_dir is not
        reset.

        Raises KafkaCompatError, before anything is changed, for a data_dir without `delete_data`, with isolation=True,
        while a node is stopped, and after brokers were added or removed. With processes=True a node may die during the
        reset: then all nodes are ended and it raises KafkaCompatError, too; after `stop()`, `start()` begins as new.
        """
        return self._reset(keep, None, close_connections=close_connections, delete_data=delete_data)

    def reset_with(self, topics: object) -> Reset:
        """As `reset()`, with these topics in addition to those of the start, which takes less than to create them
        afterwards. topics: as for `Cluster`. Raises KafkaCompatError for a topic that is refused, too.
        """
        from kafkacompat.control_api.seeds import parse_topics

        return self._reset((), parse_topics(topics))

    def _reset(self, keep: Collection[str], topics: Mapping[str, NewTopic] | None, **how: Any) -> Reset:
        from kafkacompat.cluster.view_types import connection_of
        from kafkacompat.control_api import state

        self._running()
        if self._faults is not None:
            self._faults.clear()

        if (joined := self._joined) is not None:
            done = joined.reset(keep=keep, topics=topics, **how)
            return Reset([connection_of(each) for each in done["connections"]])

        async def operation(servers: Sequence[BrokerServer]) -> Reset:
            done = await state.reset(servers, keep=keep, topics=topics, **how)
            return Reset([connection_of(each) for each in done["connections"]])

        return self._run_on_all(operation)

    def _write_seed_here(self) -> None:
        """Write the seed of the start into nodes of this process, which keep it for resets."""
        from kafkacompat.control_api.seeds import write_seed

        async def operation(servers: Sequence[BrokerServer]) -> None:
            for server in servers:
                server.seed = self._seed
            await write_seed(servers, self._seed)

        self._run_on_all(operation)

    def snapshot(self, path: str | os.PathLike[str]) -> None:
        """Write the data of all nodes into a tar file, from which `Cluster.restore` starts a cluster.

        The nodes are copied in one moment and go on. A path that ends with .zst is compressed. An existing file is
        replaced at the end. Raises KafkaCompatError if a node is stopped, paused or has failed, and if the file cannot
        be written.
        """
        from kafkacompat.control_api import state
        from kafkacompat.control_api.snapshots import snapshots

        nodes = self._running()
        is_cluster = self._layout is not None
        if any(nodes.pid(node_id) is None for node_id in nodes.node_ids()):
            raise KafkaCompatError("a snapshot needs all nodes: start those that are stopped with restart(id)")

        async def operation(servers: Sequence[BrokerServer]) -> tuple[list[snapshots.Member], dict[str, Any]]:
            async with state.alone(servers):
                members = snapshots.write_nodes(servers, tar)
                return members, snapshots.describe(servers, is_cluster=is_cluster)

        beside = f"{os.fspath(path)}.{os.getpid()}.tmp"
        taken = None if (joined := self._joined) is None else joined.ask("snapshot_resources:take", body={})
        try:
            tar = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
            try:
                if taken is None:
                    members, manifest = self._run_on_all(operation)
                    snapshots.finish(tar, members, manifest)
                else:
                    snapshots.copy(taken["path"], tar)
                if os.fspath(path).endswith(snapshots.ZSTD_SUFFIX):
                    snapshots.compress(tar, beside)
            finally:
                os.close(tar)
            os.replace(beside, path)  # noqa: PTH105 (pathlib costs start-up time)
        except OSError as error:
            raise KafkaCompatError(f"snapshot {os.fspath(path)} cannot be written: {error.strerror or error}") from None
        finally:
            with suppress(OSError):
                os.unlink(beside)  # noqa: PTH108 (as above)
            if taken is not None and joined is not None:
                joined.ask("snapshot_resources:remove", path={"snapshot_id": taken["snapshot_id"]})

    @classmethod
    def restore(cls: type[Made], path: str | os.PathLike[str], **options: Any) -> Made:
        """A cluster that starts from a snapshot: with its topics, records, groups, offsets and ids.

        It is not started: use it in a with block, or call `start()`. Ports, and the other options of `Cluster`, may
        differ from those of before, but not the number of brokers, controllers and log directories, which are the
        snapshot's. A data_dir must be empty.

        Raises KafkaCompatError for a damaged file and for options that do not fit.
        """
        options, is_cluster = fitting_options(path, options)
        cluster = cls(**options)
        cluster._begin_with(path, is_cluster=is_cluster)
        return cluster

    def _begin_with(self, path: str | os.PathLike[str], *, is_cluster: bool) -> None:
        """Start from a snapshot. is_cluster: see `fitting_options`."""
        self._snapshot, self._restores_several = os.fspath(path), is_cluster


def fitting_options(path: str | os.PathLike[str], given: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """The options of a cluster that starts from a snapshot, and whether that is of several nodes, or of one that is run
    like several. Raises KafkaCompatError for a damaged file and for given options that do not fit.
    """
    from kafkacompat.control_api.snapshots.snapshot_files import Snapshot

    options = dict(given)
    with Snapshot(path) as snapshot:
        roles = snapshot.roles
        brokers = sum("broker" in of_node for of_node in roles.values())
        of_nodes = snapshot.directory_counts
        counts = {of_nodes[node_id] for node_id, of_node in roles.items() if "broker" in of_node}
        if len(counts) > 1:
            numbers = " and ".join(map(str, sorted(counts)))
            raise KafkaCompatError(
                f"the brokers of the snapshot have {numbers} log directories: restore it to its own nodes, with "
                "kafkacompat snapshot restore"
            )
        settled = {"brokers": brokers, "controllers": len(roles) - brokers, "log_dirs": max(counts, default=1)}
        for name, number in settled.items():
            if options.get(name, number) != number:
                raise KafkaCompatError(f"{name}={options[name]}: the snapshot has {number}, leave it out")
        if not snapshot.is_cluster and (options.get("processes") or options.get("isolation")):
            raise KafkaCompatError("the snapshot is of a lone broker in a process: leave processes and isolation out")
        data_dir = options.get("data_dir")
        if data_dir is not None and os.path.isdir(data_dir) and os.listdir(data_dir):  # noqa: PTH112, PTH208
            raise KafkaCompatError(f"data_dir={data_dir} is not empty: give another, or leave it out")
        if not snapshot.is_cluster:
            options["config"] = {**(options.get("config") or {}), "node.id": next(iter(roles))}
        return {**options, **settled}, snapshot.is_cluster
