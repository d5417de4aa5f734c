"""What a running cluster shows, without a client: topics, records, groups, producers and connections of all brokers."""

from __future__ import annotations

from functools import partial

from kafkacompat.cluster.running import RunningCluster
from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from kafkacompat.cluster.view_types import Connection, Group, Producer, Record, Request, Topic, Transaction
    from kafkacompat.server.broker_server import BrokerServer
    from kafkacompat.steps import Steps

    Plain = dict[str, Any]
    View = Callable[[BrokerServer], Steps[Any]]

RECORDS_AT_ONCE = 1_000
SEEN_LINES_MAX = 10


class Views(RunningCluster):
    """The views that `Cluster` offers. They move no offset and create nothing.

    Stopped and paused brokers are left out. Each raises KafkaCompatError if the cluster is not running.
    """

    keeps_journal = False
    _seen: dict[str, list[str]] | None = None  # what the condition of `wait_until` has looked at

    def topics(self, *, internal: bool = False) -> dict[str, Topic]:
        """The topics by name, with the replicas of each partition. `internal`: also Kafka's own."""
        from kafkacompat.cluster.view_types import topic_of

        found = {
            plain["name"]: topic_of(plain) for plain in self._plain_topics() if internal or not plain["is_internal"]
        }
        self._note("topics", "topic_lines", found.values())
        return found

    def records(
        self, topic: str, *, partition: int | None = None, from_offset: int = 0, limit: int = 10_000
    ) -> list[Record]:
        """The records of a topic or of one of its partitions, as the leaders have them: by partition and offset.

        from_offset: the first offset of each partition that is shown. limit: the most records in all. Markers of
        transactions are among them, and records that consumers cannot read yet: see `Record.state`. Raises
        KafkaCompatError for a topic or partition that does not exist or has no leader.
        """
        from kafkacompat.cluster.view_types import record_of

        found: list[Record] = []
        for index, leader in self._leaders(topic, partition):
            offset: int | None = from_offset
            while offset is not None and len(found) < limit:
                page = self._page(leader, topic, index, offset, min(limit - len(found), RECORDS_AT_ONCE))
                found += [record_of(topic, index, plain) for plain in page["records"]]
                offset = page["next_offset"]
        self._note(f"records of {topic}", "record_lines", found)
        return found

    def groups(self) -> dict[str, Group]:
        """All groups by id, as their coordinators have them."""
        from kafkacompat.cluster.view_types import group_of

        found = {plain["group_id"]: group_of(plain) for plain in self._plain_groups()}
        self._note("groups", "group_lines", found.values())
        return found

    def producers(
        self,
        topic: str | None = None,
        *,
        partition: int | None = None,
        producer_id: int | None = None,
        limit: int = 10_000,
    ) -> list[Producer]:
        """The producers in the state of each partition's leader: all, or those of a topic, of a partition, or with a
        producer id; the first `limit`, at most 10,000. A producer without idempotence leaves no state.
        """
        from kafkacompat.cluster.view_types import Producer

        query = {"topic": topic, "partition": partition, "producer_id": producer_id, "limit": min(limit, 10_000)}
        given = {name: value for name, value in query.items() if value is not None}
        found = self._ask("view_resources:producers", query=given)["producers"]
        return [Producer(**plain) for plain in found]

    def transactions(self, *, state: str | None = None, producer_id: int | None = None) -> dict[str, Transaction]:
        """The transactional ids and their transactions, as their coordinators have them: all, or those in a state
        ("Ongoing", "CompleteCommit", ...; Kafka's names) or with a producer id.
        """
        from kafkacompat.broker.coordinator.txn.state import STATE_NAMES
        from kafkacompat.cluster.view_types import Transaction

        if state is not None and state not in STATE_NAMES:
            raise KafkaCompatError(f"no transaction is ever {state!r}: use one of {', '.join(STATE_NAMES)}")
        query: dict[str, Any] = {}
        query |= {} if state is None else {"state": state}
        query |= {} if producer_id is None else {"producer_id": producer_id}
        found: list[Transaction] = []
        after: str | None = ""
        while after is not None:
            page = self._ask("view_resources:transactions", query={**query, "after": after})
            found += [Transaction(**plain) for plain in page["transactions"]]
            after = page["next"]
        self._note("transactions", "transaction_lines", found)
        return {each.transactional_id: each for each in found}

    def connections(self) -> list[Connection]:
        """The open connections of all brokers, those of other brokers among them."""
        from kafkacompat.cluster.view_types import connection_of

        found = [connection_of(plain) for plain in self._plain_list("connections")]
        self._note("connected clients", "connection_lines", found)
        return found

    def journal(self, *, on: bool = True) -> None:
        """Switch the journal of requests on or off. While it is on, each broker keeps its last 256 requests of clients
        with their responses, up to 1 MB. It begins empty; switched on again, it goes on.
        """
        if (joined := self._joined) is not None:
            joined.ask("view_resources:switch_requests", body={"is_on": on})
        else:
            from kafkacompat.control_api.views.request_views import switch_journal

            async def switch(servers: Sequence[BrokerServer]) -> None:
                for server in servers:
                    switch_journal(server, on=on)

            self._run_on_all(switch)
        self.keeps_journal = on

    def requests(self, *, limit: int = 1_000) -> list[Request]:
        """The last requests of clients in the journals of all brokers, by time. Raises KafkaCompatError without one."""
        found = self.journaled(limit)[0]
        self._note("requests", "request_lines", found)
        return found

    @property
    def has_journal(self) -> bool:
        """Whether the journal is on."""
        return any(part["is_on"] for part in self._plain_requests(0))

    def journaled(self, limit: int = 1_000) -> tuple[list[Request], int]:
        """Requests, and how many there were since the journal was switched on."""
        from kafkacompat.cluster.view_types import request_of

        parts = self._plain_requests(limit)
        if not any(part["is_on"] for part in parts):
            raise KafkaCompatError("the journal is off: call journal() before the requests that you want to see")
        found = [request_of(plain) for part in parts for plain in part["requests"]]
        found.sort(key=lambda each: each.at_ms)
        return found[-limit:], sum(part["count"] for part in parts)

    def _note(self, view: str, writer: str, found: Iterable[Any]) -> None:
        """Keep what a view has shown to the condition of `wait_until`. writer: its function in `view_lines.py`."""
        if self._seen is not None:
            from kafkacompat.cluster import view_lines

            self._seen[view] = getattr(view_lines, writer)(found)

    def _seen_lines(self) -> list[str]:
        """What the condition has seen last, a few lines of each view."""
        found = []
        for view, lines in (self._seen or {}).items():
            left_out = [f"  {len(lines) - SEEN_LINES_MAX} lines are left out"] if len(lines) > SEEN_LINES_MAX else []
            found += [f"{view} then:", *left_out, *(f"  {line}" for line in lines[-SEEN_LINES_MAX:] or ["none"])]
        return found

    def _restarted(self) -> None:
        """Brokers have started again: switch their journals on, if the others have theirs."""
        if self.keeps_journal:
            self.journal()

    # As plain values, for the other verbs

    def _plain_list(self, what: str) -> list[Plain]:
        """A view that is one list, of all brokers: "connections"."""
        if (joined := self._joined) is not None:
            return joined.ask(f"view_resources:{what}")[what]  # type: ignore[no-any-return]
        from kafkacompat.control_api.views import views

        view: View = getattr(views, what)
        return [plain for part in self._look_everywhere(view) for plain in part]

    def _plain_requests(self, limit: int) -> list[Plain]:
        """The journals."""
        if (joined := self._joined) is not None:
            return [joined.ask("view_resources:requests", query={"limit": limit})]
        from kafkacompat.control_api.views import views

        return self._look_everywhere(partial(views.requests, limit=limit))

    def _plain_topics(self) -> list[Plain]:
        if (joined := self._joined) is not None:
            return joined.ask("view_resources:topics")["topics"]  # type: ignore[no-any-return]
        from kafkacompat.control_api.views import views
        from kafkacompat.control_api.views.of_all_brokers import join_topics

        return join_topics(self._look_everywhere(views.topics))

    def _plain_groups(self) -> list[Plain]:
        if (joined := self._joined) is not None:
            return joined.ask("view_resources:groups")["groups"]  # type: ignore[no-any-return]
        from kafkacompat.control_api.views import views
        from kafkacompat.control_api.views.of_all_brokers import ends_of, join_groups

        parts = self._look_everywhere(views.groups)
        has_others = len(self._running_brokers()) > 1
        return join_groups(parts, ends_of(self._plain_topics()) if has_others else {})

    def _page(self, leader: int, topic: str, partition: int, offset: int, limit: int) -> Plain:
        page: Plain
        if (joined := self._joined) is not None:
            path, query = {"topic": topic, "partition": partition}, {"from": offset, "limit": limit}
            page = joined.ask("view_resources:records", path=path, query=query)
            return page
        from kafkacompat.control_api.views import views

        page = self._look(
            leader, lambda server: views.records(server, topic, partition, from_offset=offset, limit=limit)
        )
        return page

    def _leaders(self, topic: str, partition: int | None) -> list[tuple[int, int]]:
        """The partitions that are asked for, each with its leader."""
        from kafkacompat.control_api.views.views import NotFoundError, topics

        found: list[Plain] = []
        if self._joined is not None:
            found = [each for each in self._plain_topics() if each["name"] == topic]
        else:
            for part in self._look_everywhere(partial(topics, names=[topic])):
                found = found or part
        if not found:
            known = ", ".join(sorted(self.topics())) or "none"
            raise NotFoundError(f"there is no topic {topic!r}; there are: {known}")
        leaders = [(each["partition"], each["leader"]) for each in found[0]["partitions"]]
        if partition is not None:
            if not 0 <= partition < len(leaders):
                raise NotFoundError(f"topic {topic!r} has {len(leaders)} partitions, so there is no {partition}")
            leaders = [leaders[partition]]
        for index, leader in leaders:
            if leader not in self._running_brokers():
                raise NotFoundError(f"partition {topic}-{index} has no leader now: start one of its replicas")
        return leaders

    # Reaching the brokers

    def _look(self, node_id: int, view: View) -> Any:
        """The result of a view of one broker; see `control_api/views/views.py`."""
        from kafkacompat.cluster.nodes import not_running

        for result in self._look_at({node_id}, view):
            return result
        raise not_running(node_id)

    def _look_everywhere(self, view: View) -> list[Any]:
        """The results of a view of all running brokers."""
        return self._look_at(set(self._running_brokers()), view)

    def _look_at(self, broker_ids: set[int], view: View) -> list[Any]:
        async def look(servers: Sequence[BrokerServer]) -> list[Any]:
            from kafkacompat.control_api.views.views import in_turns

            return [await in_turns(view(server)) for server in servers if server.broker.node_id in broker_ids]

        return self._run_on_all(look)
