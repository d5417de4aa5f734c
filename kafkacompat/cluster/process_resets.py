"""Resets of clusters in processes, as far as the process that started the nodes has a part in them."""

from __future__ import annotations

import json
import os
from contextlib import suppress

from kafkacompat.cluster.half_reset import half_reset_file, wants_snapshot
from kafkacompat.errors import KafkaCompatError
from kafkacompat.storage.fs import RealFs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from kafkacompat.cluster.layout import Layout
    from kafkacompat.control_api.seeds import Seed
    from kafkacompat.server.filling import Fill
    from kafkacompat.server.seed import NewTopic


class ProcessResets:
    """Implements `control_api.joined.joined_state.Resets`.

    started: the ids of the nodes that were started first. snapshot: that from which they started. seed: the topics and
    records of the start. settings: the names of the user's settings. end_all: ends all nodes.
    """

    def __init__(
        self,
        layout: Layout,
        started: Collection[int],
        *,
        is_temporary: bool,
        seed: Seed,
        settings: Iterable[str],
        end_all: Callable[[], None],
        snapshot: str | None = None,
        has_proxies: bool = False,
    ) -> None:
        self._layout = layout
        self._started = frozenset(started)
        self._is_temporary = is_temporary
        self._settings = settings
        self._end_all = end_all
        self._snapshot = snapshot
        self._has_proxies = has_proxies
        self.seed = seed

    @property
    def cluster_id(self) -> str:
        return self._layout.cluster_id

    @property
    def roles(self) -> dict[int, list[str]]:
        return {node.node_id: sorted(node.roles) for node in self._layout.nodes}

    def check(self, *, delete_data: bool) -> None:
        from kafkacompat.control_api.state import check_data

        check_data(self._layout.directory, is_deleted=self._is_temporary or delete_data)

    def begin(self, node_ids: Collection[int], snapshot: str | None) -> Fill:
        from kafkacompat.cluster import reformat

        reformat.check_nodes(self._started, {node.node_id for node in self._layout.nodes}, node_ids)
        begin = reformat.of_layout(
            self._layout, snapshot or self._snapshot, is_temporary=self._is_temporary, has_proxies=self._has_proxies
        )
        return begin(node_ids)()

    def starts_from_snapshot(self) -> bool:
        return self._snapshot is not None

    def has_begun(self, snapshot: str | None) -> None:
        path = snapshot or self._snapshot
        content = json.dumps({"snapshot": None if path is None else os.path.abspath(path)})  # noqa: PTH100
        fs = RealFs(temporary=self._is_temporary)
        try:
            fs.write_atomic(half_reset_file(self._layout), content.encode(), sync=True)
        except OSError as error:
            with suppress(OSError):  # a start that finds the file deletes the data, which are whole
                self.has_ended()
            raise KafkaCompatError(f"{self._layout.directory} cannot be written: {error.strerror or error}") from None

    def has_ended(self) -> None:
        with suppress(FileNotFoundError):
            os.unlink(half_reset_file(self._layout))  # noqa: PTH108

    def needs_snapshot(self) -> bool:
        return not self._is_temporary and wants_snapshot(self._layout)

    def write_seed(self, topics: Mapping[str, NewTopic], *, with_start: bool) -> None:
        from kafkacompat.cluster.startup_topics import write_seed
        from kafkacompat.control_api.seeds import Seed

        start = self.seed if with_start else Seed({}, {})
        write_seed(self._layout.bootstrap_servers, Seed({**start.topics, **topics}, start.records), self._settings)

    def give_up(self) -> None:
        self._end_all()
