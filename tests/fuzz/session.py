"""A session: one broker in memory, one random stream, some hundred requests, and what must hold after each.

Every request is answered, now or once time has passed, or its connection is closed; nothing is raised, nothing is
logged as a bug, nothing takes long; and at the end another client still writes and reads.
"""

import logging
import struct
import time
from random import Random
from typing import Any

from kafkacompat.broker.connection import BROKER, CONTROLLER, CloseConnection, Connection
from kafkacompat.broker.control.lifecycle import RUNNING
from kafkacompat.broker.registry import APIS_OF, Api
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.headers import RequestHeader, encode_request_header
from kafkacompat.protocol.messages import broker_heartbeat, fetch, produce
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.replication.metadata.image import NO_LEADER
from kafkacompat.replication.raft.messages import TOPIC_ID
from tests.broker.harness import Answer, BrokerHarness
from tests.fuzz.messages import OF_NODES, Pools, Sender
from tests.fuzz.mutations import mutate
from tests.fuzz.network import NonsenseNetwork
from tests.fuzz.truths import METADATA, tell_clients_truth, tell_some_truth
from tests.protocol.random_messages import Kind, api_kinds

TOPICS: dict[str, dict[str, str]] = {
    "orders": {},
    "compacted": {"cleanup_policy": "compact"},
    "zipped": {"compression_type": "zstd"},
    "append-time": {"message_timestamp_type": "LogAppendTime"},
}
CANARY = "canary"
REQUEST_MAX_S = 10.0
"""Of CPU, far above what any request takes; a loop that runs as often as a number from the wire says takes longer."""
PATIENCE_MS = 2**31 + 60_000
"""A wait that a client asked for may be as long as an int32 of milliseconds."""
HEARTBEAT_MS = 2_000
HEARTBEAT = struct.pack(">h", broker_heartbeat.API_KEY)
REQUESTS = 300
LINE_MAX = 1_000
LISTENERS = {BROKER: "PLAINTEXT", CONTROLLER: "CONTROLLER"}
ELECTION_TURNS_MAX = 100
"""In which thousands of partitions get their leaders after a restart, some hundreds in each."""
CALM_MS = 60_000
"""In which a node that others have confused finds itself again: it is fenced, elected, registered once more."""


class FoundError(AssertionError):
    """A request after which something did not hold."""


class BugWatch(logging.Handler):
    """Keeps what the broker calls its own mistakes."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.bugs: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if record.exc_info or "a bug" in text or is_raw(text):
            self.bugs.append(f"{text[:3000]}\n{_traceback(record)}")


def is_raw(line: str) -> bool:
    """Whether what a peer sent came into a line of a log as it was, or all of it."""
    return not line.isprintable() or len(line) > LINE_MAX


def _traceback(record: logging.LogRecord) -> str:
    return logging.Formatter().formatException(record.exc_info) if record.exc_info else ""


def request_kinds(listener: str = BROKER) -> list[tuple[Api, Kind]]:
    """The APIs that such a listener serves, with their requests' notation."""
    kinds = {kind.api: kind for kind in api_kinds() if kind.suffix == "request"}
    return [(api, kinds[api.stem]) for api in APIS_OF[listener].values()]


class Session:
    """Runs requests on one broker. `frames` counts them, `malformed` those that were changed, `closed` those whose
    connection was closed.

    listener: which kind of it they come to.
    """

    def __init__(self, seed: int, *, mutated_share: float = 0.5, listener: str = BROKER) -> None:
        self.rng = Random(seed)
        self.seed = seed
        self.mutated_share = mutated_share
        self.frames = self.malformed = self.closed = 0
        self.disabled = False  # by what was said in its name
        self.may_lack_directory = False  # as a heartbeat in its name may have said
        self.slowest_s = 0.0
        self.harness = BrokerHarness(group_initial_rebalance_delay_ms="0")
        for topic, configs in TOPICS.items():
            self.harness.create_topic(topic, 2, **configs)
        self.harness.create_topic(CANARY)
        self.pools = Pools(tuple(TOPICS))
        for topic in TOPICS:
            self.pools.topic_ids.append(self.harness.view.topics()[topic])
        self.sender = Sender(self.rng, self.pools)
        self.listener = listener
        self.kinds = request_kinds(listener)
        if listener == CONTROLLER:
            self._talk_as_nodes()
        self.connections: list[Connection] = []
        self.watch = BugWatch()

    def _talk_as_nodes(self) -> None:
        """Requests are full of what this node would believe, and it has others to ask, who answer nonsense."""
        broker, pools = self.harness.broker, self.pools
        epoch = (broker.broker_epoch,) * 4
        pools.integers = {**pools.integers, **OF_NODES, "broker_epoch": epoch, "previous_broker_epoch": (*epoch, -1)}
        pools.strings = {"cluster_id": (broker.cluster_id,) * 9, "host": ("localhost",), "topic_name": (METADATA,)}
        pools.topic_ids += [
            TOPIC_ID,
            TOPIC_ID,
            TOPIC_ID,
            broker.incarnation_id,
            broker.logs.metadata_directory.directory_id,
        ]
        self.kinds += [kind for kind in self.kinds if BROKER not in kind[0].listeners]  # twice as often
        self.network = NonsenseNetwork(broker, self.sender, self.rng, lambda: self.harness.now)
        self.network.begin()

    def run(self, requests: int = REQUESTS) -> None:
        """Send `requests` requests. Raises FoundError, which says how to see it again."""
        logger = logging.getLogger("kafkacompat")
        logger.addHandler(self.watch)
        try:
            for _ in range(requests):
                self._one()
            self._recover()
            self._check_canary()
            self.harness.advance(PATIENCE_MS)
            self._recover()
            self._check_canary()
            self._check_bugs("what waited was answered")
            self.harness.close()
            self._check_restart()
        except FoundError:
            raise
        except Exception as error:
            raise FoundError(f"request {self.frames}: {error!r}\n{self.replay}") from error
        finally:
            logger.removeHandler(self.watch)

    @property
    def replay(self) -> str:
        """The command that does the same again."""
        share = f" --mutated {self.mutated_share} --listener {self.listener}"
        return f"again: python -m tests.fuzz --seed {self.seed} --sessions 1{share}"

    def _one(self) -> None:
        rng = self.rng
        api, kind = rng.choice(self.kinds)
        version = rng.randint(max(api.min_version, 3 if api.key == 0 else 0), api.max_version)
        frame = self._frame(api, kind, version)
        is_mutated = rng.random() < self.mutated_share
        if is_mutated:
            frame = mutate(frame, rng)
            self.malformed += 1
        self.frames += 1
        if frame.startswith(HEARTBEAT) and self.harness.broker.logs.metadata_directory.directory_id in frame:
            self.may_lack_directory = True
        connection = self._connection()
        label = f"request {self.frames}, {api.stem} v{version}{' mutated' if is_mutated else ''}: {frame.hex()[:4000]}"
        started = time.process_time()
        try:
            answers = self.harness.send_frame(frame, connection)
            if rng.random() < (0.1 if self.listener == BROKER else 0.4):
                self.harness.advance(rng.choice((1, 1_000, 61_000) if self.listener == BROKER else (5, 5, 50, 2_000)))
            if answers and answers[0] is not None:
                self._read(Answer(answers, api, version), is_mutated)
        except CloseConnection as closed:
            self.closed += 1
            self._disconnect(connection)
            if is_raw(str(closed)):
                raise FoundError(f"{label}\nwould log {str(closed)!r}\n{self.replay}") from None
            if not is_mutated and "acks=0" not in str(closed):
                raise FoundError(f"{label}\nclosed: {closed}\n{self.replay}") from None
        except Exception as error:
            raise FoundError(f"{label}\nraised {error!r}\n{self.replay}") from error
        took_s = time.process_time() - started
        self.slowest_s = max(self.slowest_s, took_s)
        if took_s > REQUEST_MAX_S:
            raise FoundError(f"{label}\ntook {took_s:.1f} s\n{self.replay}")
        self._check_bugs(label)

    def _frame(self, api: Api, kind: Kind, version: int) -> bytes:
        request = self.sender.request(kind, version)
        if api.stem == "envelope":
            self._fill(request)
        elif self.listener == CONTROLLER:
            tell_some_truth(api.stem, request, version, self.harness.view, self.rng)
        else:
            tell_clients_truth(api.stem, request, version, self.harness.view, self.rng)
        out: list[Any] = []
        api.messages.encode_request(request, version, out)
        client_id = self.rng.choice((None, "", "client", "c\n☃" * 10))
        header = encode_request_header(RequestHeader(api.key, version, self.frames, client_id))
        return header + b"".join(map(bytes, out))

    def _fill(self, envelope: Any) -> None:
        """Something that a client may have asked, most often."""
        rng = self.rng
        if rng.random() < 0.9:
            api, kind = rng.choice([each for each in self.kinds if each[0].stem != "envelope"])
            envelope.request_data = self._frame(api, kind, rng.randint(api.min_version, api.max_version))
            if rng.random() < self.mutated_share:
                envelope.request_data = mutate(envelope.request_data, rng)
        if rng.random() < 0.9:
            envelope.request_principal = b"\0\0\x05User\x0aANONYMOUS\0\0"
        if rng.random() < 0.9:
            envelope.client_host_address = rng.randbytes(rng.choice((4, 16)))

    def _connection(self) -> Connection:
        """One that waits for nothing, as the shell has one request in flight on each."""
        free = [connection for connection in self.connections if not connection.waiting]
        if not free:
            number = len(self.connections) + self.frames
            free = [Connection(number, "127.0.0.1", LISTENERS[self.listener], self.listener)]
            self.connections += free
        if len(self.connections) > 20:
            self._disconnect(self.connections[0])
            return self._connection()
        return self.rng.choice(free)

    def _disconnect(self, connection: Connection) -> None:
        self.connections.remove(connection)
        self.harness.broker.disconnected(connection, self.harness.now)

    def _read(self, answer: Answer, is_mutated: bool) -> None:
        try:
            self.pools.learn(answer.message)
        except Exception:
            if not is_mutated:  # a mutated frame may have asked for another API or version
                raise

    def _check_bugs(self, label: str) -> None:
        if self.watch.bugs:
            raise FoundError(f"{label}\nlogged: {self.watch.bugs[0]}\n{self.replay}")

    def _recover(self) -> None:
        """A client may have unregistered this broker, or the clock may have jumped: the next heartbeats see to it."""
        for _ in range(5):
            self.harness.advance(HEARTBEAT_MS)
        if self.listener == CONTROLLER:
            deadline_ms = self.harness.now.monotonic_ms + CALM_MS
            while not self._works and self.harness.now.monotonic_ms < deadline_ms:
                self.harness.advance(100)

    @property
    def _works(self) -> bool:
        """Whether the node leads the quorum, and is registered, unfenced and up to date as a broker.

        What others have said in its name, with its broker epoch, only a restart undoes: also that its directory is
        offline, which the metadata of a broker without another one does not tell.
        """
        broker = self.harness.broker
        canary = broker.image.topics.get(CANARY)
        if self.may_lack_directory and canary is not None and canary.partitions[0].leader == NO_LEADER:
            return False
        present = broker.image.brokers.get(broker.node_id)
        return (
            broker.quorum.is_active
            and present is not None
            and present.epoch == broker.broker_epoch
            and not present.fenced
            and not present.in_controlled_shutdown
            and broker.logs.metadata_directory.directory_id in present.log_dirs
            and broker.lifecycle is not None
            and broker.lifecycle.state == RUNNING
        )

    def _check_canary(self) -> None:
        """Another client writes a record and reads it back."""
        if self.listener == CONTROLLER and not self._works:
            self.disabled = True
            return
        canary = Connection(1 << 40, "127.0.0.1", "PLAINTEXT")
        value = self.rng.randbytes(8).hex().encode()
        if CANARY not in self.harness.broker.image.topics:
            self.harness.create_topic(CANARY)
        batch = build_batch([Record(0, self.harness.now.wall_ms, b"k", value)])
        topic = produce.TopicProduceData(CANARY, partition_data=[produce.PartitionProduceData(0, batch)])
        answer = self.harness.ask(produce.ProduceRequest(acks=-1, timeout_ms=1000, topic_data=[topic]), 9, canary)
        written = answer.responses[0].partition_responses[0]
        assert written.error_code == errors.NONE, written
        wanted = [fetch.FetchPartition(0, fetch_offset=written.base_offset, partition_max_bytes=1 << 20)]
        request = fetch.FetchRequest(
            max_wait_ms=0, max_bytes=1 << 20, topics=[fetch.FetchTopic(CANARY, partitions=wanted)]
        )
        read = self.harness.ask(request, 12, canary).responses[0].partitions[0]
        assert read.error_code == errors.NONE, read
        assert value in [record.value for record in read_records(bytes(read.records))]

    def _check_restart(self) -> None:
        """Whatever was written can be started from."""
        topics = set(self.harness.broker.image.topics)
        self.harness.fs.restart()
        self.harness = BrokerHarness(self.harness.fs)
        assert set(self.harness.broker.image.topics) == topics
        for _ in range(ELECTION_TURNS_MAX):
            canary = self.harness.broker.image.topics.get(CANARY)
            if canary is None or canary.partitions[0].leader != NO_LEADER:
                break
            self.harness.advance(1)
        self._check_canary()
        self._check_bugs("started again")
        self.harness.close()
