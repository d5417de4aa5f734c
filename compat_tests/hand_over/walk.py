"""The walk: Apache Kafka and this broker take turns with one directory; clients write in each turn.

Each turn begins with a comparison: what clients see is what they saw at the end of the turn before, whoever served then
and however that ended. Transactions that are open when a broker ends go on at the next one, by the same producer.
"""

from __future__ import annotations

import random
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, NewTopic, ResourceType

from compat_tests.apache_kafka import ApacheKafka
from compat_tests.artifacts import KAFKA_VERSION
from compat_tests.broker_process import OLD_RECORDS_STAY, Process, tail
from compat_tests.hand_over.seen import Seen, differences, look
from compat_tests.tool_jvm.tools import run

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
PARTITIONS = 3
ENTRY, COMPACTED, IN_TRANSACTIONS, RECENT = "entries", "compacted", "transactions", "recent"
CLASSIC, STATIC, CONSUMER, SHARE = "classic-group", "static-group", "consumer-group", "share-group"
PENDING = "pending-group"
START_TIMEOUT_S = 60
CLIENT_TIMEOUT_S = 60.0
POLL_S = 5.0
OPERATIONS_PER_TURN = 6
SHARE_RECORDS = 40
LONG_MS = "900000"
"""The time-out of transactions, which no walk reaches."""
SESSION_MS = 1_800_000
"""Of a static member, whose place is kept while its client is away: the most that brokers allow."""
SNAPSHOTS = {"metadata.log.max.record.bytes.between.snapshots": "1000"}
"""So that each turn leaves a snapshot of the metadata."""
BOOTSTRAP_CHECKPOINT = f"{0:020d}-{0:010d}.checkpoint"
SHARE_CONSUMER = "org.apache.kafka.tools.consumer.ConsoleShareConsumer"
SHARE_GROUPS = "org.apache.kafka.tools.consumer.group.ShareGroupCommand"
CONFIGS = "kafka.admin.ConfigCommand"


class HandOverError(AssertionError):
    """The next broker does not serve what the one before did."""


def serve_directory_of(
    kafka: ApacheKafka,
    log: Path,
    config: Mapping[str, str] | None = None,
    control: Sequence[str] = ("--no-control",),
) -> Process:
    """This broker in the place of a single Apache Kafka that does not run: its directory (or those of `log.dirs` in the
    config), its port. It logs there. control: options of the control API.
    """
    data = () if "log.dirs" in (config or {}) else ("--data-dir", str(kafka.data_dirs[0]))
    command = [
        sys.executable, "-m", "kafkacompat", "serve", *control, "--host", "127.0.0.1",
        "--port", kafka.bootstrap_servers.rpartition(":")[2], *data,
        "--config", "node.id=1", "--config", "group.initial.rebalance.delay.ms=0",
    ]  # fmt: skip
    for key, value in {**OLD_RECORDS_STAY, **(config or {})}.items():
        command += ["--config", f"{key}={value}"]
    log.write_text("")
    ours = Process(command, log)
    ours.wait_until(lambda: "ready on" in log.read_text(), START_TIMEOUT_S, "kafkacompat")
    return ours


class Walk:
    """One directory. seed: the same one gives the same operations. say: gets a line for each step. version: of Apache
    Kafka, whose defaults the directory has but for `config`.
    """

    def __init__(
        self,
        seed: int,
        say: Callable[[str], None] = print,
        version: str = KAFKA_VERSION,
        config: Mapping[str, str] | None = None,
    ) -> None:
        self._rng = random.Random(seed)
        self._say = say
        self._config = {**SNAPSHOTS, **(config or {})}
        self._kafka = ApacheKafka(version, config=self._config)
        self._ours: Process | None = None
        self._log = self._kafka.data_dirs[0].parent / "kafkacompat.log"
        self._open: list[tuple[Producer, str]] = []  # producers in a transaction, with their transactional ids
        self._seen: Seen = {}
        self._share_seen = ""
        self._snapshot = BOOTSTRAP_CHECKPOINT
        self._admin = AdminClient({"bootstrap.servers": self._at})  # goes on at whoever serves
        self._will_be_killed = False
        self._count = 0  # of everything that needs a name of its own

    def go(self, rounds: int) -> None:
        """Each round is a turn of Apache Kafka and one of ours; Apache Kafka looks last. Raises HandOverError."""
        for number in range(rounds):
            self._kafka_turn(number)
            self._check_snapshot("Apache Kafka")
            self._our_turn()
            self._check_snapshot("kafkacompat")
        self._kafka.start()
        self._compare("Apache Kafka")
        self._compare_share_groups()
        self._say(f"the end: {len(self._seen)} things are as they were")

    def copy_to(self, target: Path) -> None:
        """Stop Apache Kafka, and copy the directory."""
        self._kafka.stop()
        shutil.copytree(self._kafka.data_dirs[0], target)

    def close(self) -> None:
        """End all processes and remove the directory."""
        self._open.clear()
        if self._ours is not None:
            self._ours.kill()
        self._kafka.close()

    # Turns.

    def _kafka_turn(self, number: int) -> None:
        self._kafka.start()
        if number == 0:
            self._create()
            self._seen = look(self._at)
        else:
            self._compare("Apache Kafka")
            self._compare_share_groups()
        self._operate()
        self._consume(CONSUMER, "consumer")
        self._share()
        self._seen = look(self._at)
        self._end("Apache Kafka", self._kafka.stop, self._kafka.kill)

    def _our_turn(self) -> None:
        ours = self._ours = serve_directory_of(self._kafka, self._log, SNAPSHOTS)
        self._compare("kafkacompat")
        self._check_frozen()
        self._operate()
        self._seen = look(self._at, [SHARE])
        del self._seen[f"offsets of {SHARE}"]
        self._end("kafkacompat", self._stop_ours, ours.kill)
        self._ours = None

    def _stop_ours(self) -> None:
        assert self._ours is not None
        status = self._ours.stop()
        if status != 0:
            raise HandOverError(f"kafkacompat ended with status {status}\n{tail(self._log)}")

    def _end(self, name: str, stop: Callable[[], None], kill: Callable[[], None]) -> None:
        is_killed = self._will_be_killed
        self._say(f"{name} {'is killed' if is_killed else 'stops'} with {len(self._open)} transactions open")
        (kill if is_killed else stop)()

    def _check_snapshot(self, name: str) -> None:
        """The broker has written a snapshot of the metadata in its turn, and the next one begins with it."""
        found = sorted(path.name for path in self._kafka.data_dirs[0].glob("__cluster_metadata-0/*.checkpoint"))
        newest = found[-1] if found else BOOTSTRAP_CHECKPOINT
        if newest <= self._snapshot:
            raise HandOverError(f"{name} wrote no snapshot of the metadata: {found}{self._logs()}")
        self._say(f"snapshot {newest}")
        self._snapshot = newest

    def _compare(self, name: str) -> None:
        found = differences(self._seen, look(self._at))
        if found:
            raise HandOverError(f"{name} does not serve what was there:\n" + "\n".join(found) + self._logs())

    def _logs(self) -> str:
        return f"\n{tail(self._log) if self._log.exists() else ''}\n{self._kafka.log_tail()}"

    @property
    def _at(self) -> str:
        return self._kafka.bootstrap_servers

    # What clients do.

    def _create(self) -> None:
        admin = self._admin
        topics = [
            NewTopic(ENTRY, PARTITIONS, config={"segment.ms": "500000000"}),
            NewTopic(COMPACTED, 1, config={"cleanup.policy": "compact", "segment.ms": "500000000"}),
            NewTopic(IN_TRANSACTIONS, PARTITIONS),
            NewTopic(RECENT, PARTITIONS),
        ]
        for future in admin.create_topics(topics).values():
            future.result()
        self._tool(
            CONFIGS, "--alter", "--entity-type", "groups", "--entity-name", SHARE,
            "--add-config", "share.auto.offset.reset=earliest",
        )  # fmt: skip
        self._produce()
        self._consume_static()
        self._alter_brokers()

    def _operate(self) -> None:
        self._will_be_killed = self._rng.random() < 0.5
        operations = (
            self._produce, self._transact, self._leave_open, self._finish, self._commit, self._create_topic,
            self._delete_topic, self._alter, self._alter_brokers, self._delete_records, self._consume_classic,
            self._consume_static,
        )  # fmt: skip
        for operation in [self._produce, self._finish, *self._rng.choices(operations, k=OPERATIONS_PER_TURN)]:
            self._say(f"  {operation.__name__.strip('_').replace('_', ' ')}")
            operation()

    def _name(self, what: str) -> str:
        self._count += 1
        return f"{what}-{self._count}"

    def _produce(self) -> None:
        rng = self._rng
        settings = {"bootstrap.servers": self._at, "compression.type": rng.choice(CODECS), "linger.ms": 10}
        producer = Producer({**settings, "enable.idempotence": rng.random() < 0.5})
        for number in range(rng.randint(1, 300)):
            key = f"k{rng.randrange(20)}".encode()
            value = rng.choice((key * rng.randint(1, 100), None)) if rng.random() < 0.2 else str(number).encode()
            timestamp_ms = 1_700_000_000_000 + rng.randrange(10**9)
            headers = [("n", b"%d" % number)] if rng.random() < 0.3 else None
            for topic, partition in ((ENTRY, rng.randrange(PARTITIONS)), (COMPACTED, 0)):
                producer.produce(topic, value, key, partition, timestamp=timestamp_ms, headers=headers)  # type: ignore[arg-type]
            producer.produce(RECENT, value, key, rng.randrange(PARTITIONS))  # the state of older producers expires
        assert producer.flush(CLIENT_TIMEOUT_S) == 0

    def _begin(self) -> tuple[Producer, str]:
        transactional_id = self._name("t")
        producer = Producer(
            {"bootstrap.servers": self._at, "transactional.id": transactional_id, "transaction.timeout.ms": LONG_MS}
        )
        producer.init_transactions(CLIENT_TIMEOUT_S)
        producer.begin_transaction()
        self._write_in_transaction(producer, transactional_id)
        if self._rng.random() < 0.5:
            self._send_offset(producer)
        return producer, transactional_id

    def _send_offset(self, producer: Producer) -> None:
        """Pending until the transaction ends. Only where it begins: after a restart of whichever broker librdkafka
        2.16 waits for ever when it is asked again.
        """
        consumer = Consumer({"bootstrap.servers": self._at, "group.id": PENDING})
        offset = TopicPartition(ENTRY, self._rng.randrange(PARTITIONS), self._rng.randrange(100))
        producer.send_offsets_to_transaction([offset], consumer.consumer_group_metadata(), CLIENT_TIMEOUT_S)
        consumer.close()

    def _write_in_transaction(self, producer: Producer, name: str) -> None:
        for number in range(self._rng.randint(1, 30)):
            producer.produce(IN_TRANSACTIONS, f"{name} {number}", partition=self._rng.randrange(PARTITIONS))
        assert producer.flush(CLIENT_TIMEOUT_S) == 0

    def _end_transaction(self, producer: Producer) -> None:
        if self._rng.random() < 0.5:
            producer.commit_transaction(CLIENT_TIMEOUT_S)
        else:
            producer.abort_transaction(CLIENT_TIMEOUT_S)

    def _transact(self) -> None:
        producer, _ = self._begin()
        self._end_transaction(producer)

    def _leave_open(self) -> None:
        self._open.append(self._begin())

    def _finish(self) -> None:
        """End a transaction that may have begun at the other broker; at times it writes once more before."""
        if not self._open:
            return
        producer, name = self._open.pop(self._rng.randrange(len(self._open)))
        if self._rng.random() < 0.5:
            self._write_in_transaction(producer, name)
        self._end_transaction(producer)

    def _commit(self) -> None:
        """The commit of a simple consumer."""
        consumer = Consumer({"bootstrap.servers": self._at, "group.id": self._name("simple")})
        offset = TopicPartition(ENTRY, self._rng.randrange(PARTITIONS), self._rng.randrange(100), "a note")
        consumer.commit(offsets=[offset], asynchronous=False)
        consumer.close()

    def _consume_classic(self) -> None:
        self._consume(CLASSIC, "classic")

    def _consume_static(self) -> None:
        """Its member stays in the group."""
        times = {"session.timeout.ms": SESSION_MS, "max.poll.interval.ms": SESSION_MS}
        self._consume(STATIC, "classic", **{"group.instance.id": "one", **times})

    def _consume(self, group: str, protocol: str, **more: object) -> None:
        """A member joins, reads what there is within a poll, commits and leaves. more: settings."""
        settings = {"bootstrap.servers": self._at, "group.id": group, "group.protocol": protocol, **more}
        consumer = Consumer({**settings, "auto.offset.reset": "earliest", "enable.auto.commit": False})
        consumer.subscribe([ENTRY])
        message, deadline_s = consumer.poll(POLL_S), time.monotonic() + CLIENT_TIMEOUT_S
        while message is None and not consumer.assignment():
            if time.monotonic() > deadline_s:
                raise HandOverError(f"{group}: no member got a partition within {CLIENT_TIMEOUT_S} s{self._logs()}")
            message = consumer.poll(POLL_S)
        if message is not None:
            consumer.commit(asynchronous=False)
        consumer.close()

    def _create_topic(self) -> None:
        name = self._name("topic")
        admin = self._admin
        admin.create_topics([NewTopic(name, 2, config={"retention.ms": "-1"})])[name].result()

    def _delete_topic(self) -> None:
        admin = self._admin
        names = sorted(name for name in admin.list_topics(timeout=CLIENT_TIMEOUT_S).topics if name.startswith("topic"))
        if names:
            name = self._rng.choice(names)
            admin.delete_topics([name])[name].result()

    def _alter(self) -> None:
        value = str(self._rng.randrange(10**6, 10**9))
        entry = ConfigEntry("max.message.bytes", value, incremental_operation=AlterConfigOpType.SET)
        asked = ConfigResource(ResourceType.TOPIC, ENTRY, incremental_configs=[entry])
        self._admin.incremental_alter_configs([asked])[asked].result()

    def _alter_brokers(self) -> None:
        """One of them and all."""
        of = self._rng.choice((("--entity-name", "1"), ("--entity-default",)))
        value = f"message.max.bytes={self._rng.randrange(2 * 10**6, 10**9)}"
        self._tool(CONFIGS, "--alter", "--entity-type", "brokers", *of, "--add-config", value)

    def _delete_records(self) -> None:
        if self._will_be_killed:
            return  # the checkpoint of log starts is written once a minute: deleted records may come back
        before = TopicPartition(ENTRY, self._rng.randrange(PARTITIONS), self._rng.randrange(20))
        try:
            self._admin.delete_records([before])[before].result()
        except KafkaException as error:
            if error.args[0].name() != "OFFSET_OUT_OF_RANGE":  # so many are not there
                raise

    # Groups that only Apache Kafka has.

    def _tool(self, main_class: str, *arguments: str) -> str:
        done = run(main_class, "--bootstrap-server", self._at, *arguments)
        if done.status != 0:
            raise HandOverError(f"{main_class} {arguments}: {done.stdout}{done.stderr}")
        return done.stdout

    def _share(self) -> None:
        """A member reads, until the group has a start offset in each partition."""
        deadline_s = time.monotonic() + CLIENT_TIMEOUT_S
        while True:
            self._tool(
                SHARE_CONSUMER, "--topic", ENTRY, "--group", SHARE,
                "--max-messages", str(SHARE_RECORDS), "--timeout-ms", "3000",
            )  # fmt: skip
            self._share_seen = self._tool(SHARE_GROUPS, "--describe", "--group", SHARE, "--offsets")
            starts = _starts(self._share_seen)
            if len(starts) == PARTITIONS and all(start.isdecimal() for *_, start in starts):
                return
            if time.monotonic() > deadline_s:
                raise HandOverError(f"share group: {self._share_seen}{self._logs()}")

    def _compare_share_groups(self) -> None:
        now = self._tool(SHARE_GROUPS, "--describe", "--group", SHARE, "--offsets")
        if _starts(now) != _starts(self._share_seen):
            raise HandOverError(f"share group: {self._share_seen} is now {now}{self._logs()}")

    def _check_frozen(self) -> None:
        """The consumer group takes no commit here, and has the offsets that it had."""
        consumer = Consumer({"bootstrap.servers": self._at, "group.id": CONSUMER})
        try:
            consumer.commit(offsets=[TopicPartition(ENTRY, 0, 1)], asynchronous=False)
        except KafkaException as error:
            if error.args[0].name() != "GROUP_ID_NOT_FOUND":
                raise
        else:
            raise HandOverError("a frozen group took a commit")
        finally:
            consumer.close()


def _starts(described: str) -> list[list[str]]:
    """Group, topic, partition and start offset of each line; the lag changes with what is written."""
    return sorted(line.split()[:4] for line in described.splitlines() if line.startswith(SHARE))
