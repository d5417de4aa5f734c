"""The stage of the conversations in tests/scenarios/txn_*.txt (see tests/transcripts.py).

Lines are `who: what`. Answers are `who <- answer`, records `log: …`, and `markers: …` are those that may be sent. A
client knows the producer id and epoch that it was answered last; `pid=` and `epoch=` say others.
"""

import shlex

from kafkacompat.broker.coordinator.txn.records import decode_record, encode_record, record_of, row_of
from kafkacompat.broker.coordinator.txn.state import STATE_NAMES, Transaction
from tests.broker.coordinator.txn.world import World
from tests.transcripts import ERROR_NAMES, duration_ms


class Stage:
    """One scenario under way."""

    def __init__(self) -> None:
        self.world = World()
        self.pairs: dict[str, tuple[int, int]] = {}  # client -> producer id and epoch
        self.seen_answers = self.seen_records = 0
        self.seen_rows: list[Transaction] = []

    def play(self, line: str) -> list[str]:
        who, _, what = line.partition(": ")
        words = shlex.split(what or who)
        options = dict(word.split("=", 1) for word in words[1:] if "=" in word)
        rest = [word for word in words[1:] if "=" not in word]
        getattr(self, "do_" + words[0].replace("-", "_"))(who, options, rest)
        return self._outcome()

    def _outcome(self) -> list[str]:
        world = self.world
        lines = ["log: " + _record(key, value) for key, value in world.log[self.seen_records :]]
        self.seen_records = len(world.log)
        for who, response in world.answers[self.seen_answers :]:
            lines.append(f"{who} <- {self._response(str(who), response)}")
        self.seen_answers = len(world.answers)
        for row in world.prepared:
            if not any(row is seen for seen in self.seen_rows):
                self.seen_rows.append(row)
                lines.append(f"markers: {'commit' if row.is_commit else 'abort'} {_row(row)}")
        self._check()
        return lines

    def _check(self) -> None:
        """What the log says is what the shard has, but for the last epoch."""
        replayed = self.world.replayed()
        shown = {name: _record_text(row) for name, row in self.world.shard.rows.items()}
        assert {name: _record_text(row) for name, row in replayed.rows.items()} == shown
        assert sorted(replayed.open) == sorted(self.world.shard.open)

    def _response(self, who: str, response: object) -> str:
        if isinstance(response, str):
            return response
        if isinstance(response, int):
            return ERROR_NAMES[response]
        if isinstance(response, list):
            return " ".join(ERROR_NAMES[code] for code in response)
        assert hasattr(response, "error_code")
        assert hasattr(response, "producer_id")
        if response.error_code:
            assert (response.producer_id, response.producer_epoch) == (-1, -1)
            return ERROR_NAMES[response.error_code]
        if response.producer_id == -1:
            return "NONE"
        self.pairs[who] = (response.producer_id, response.producer_epoch)
        return f"NONE {response.producer_id}/{response.producer_epoch}"

    def _pair(self, who: str, options: dict[str, str]) -> tuple[int, int]:
        producer_id, epoch = self.pairs.get(who, (0, 0))
        return int(options.get("pid", producer_id)), int(options.get("epoch", epoch))

    # What can happen.

    def do_settings(self, _who: str, options: dict[str, str], _rest: list[str]) -> None:
        for name, text in options.items():
            if name == "server_version":
                self.world.server_version = int(text)
            else:
                setattr(self.world.settings, name, duration_ms(text))

    def do_wait(self, _who: str, _options: dict[str, str], rest: list[str]) -> None:
        self.world.advance(duration_ms(rest[0]))

    def do_restart(self, _who: str, _options: dict[str, str], _rest: list[str]) -> None:
        self.world.restart()

    def do_hold(self, _who: str, _options: dict[str, str], _rest: list[str]) -> None:
        """From now on nothing is committed."""
        self.world.is_replicated = False

    def do_commit(self, _who: str, _options: dict[str, str], rest: list[str]) -> None:
        """All is committed, also what comes; `commit but 2`: all but the last two records, and nothing that comes."""
        self.world.is_replicated = not rest
        self.world.commit(uncommitted=int(rest[1]) if rest else 0)

    def do_refuse(self, _who: str, _options: dict[str, str], _rest: list[str]) -> None:
        """From now on nothing can be written."""
        self.world.refuses = True

    def do_accept(self, _who: str, _options: dict[str, str], _rest: list[str]) -> None:
        self.world.refuses = False

    def do_ids(self, _who: str, _options: dict[str, str], rest: list[str]) -> None:
        """The next fresh producer id, or `none`."""
        self.world.next_producer_id = None if rest == ["none"] else int(rest[0])

    def do_found(self, _who: str, options: dict[str, str], rest: list[str]) -> None:
        """A row is in the log: `found Empty pid=5 epoch=32766`."""
        row = Transaction(options.get("id", "t"), int(options["pid"]), 60_000, self.world.now.wall_ms)
        row.epoch, row.state = int(options["epoch"]), STATE_NAMES.index(rest[0])
        row.previous_producer_id = int(options.get("previous", row.producer_id))
        row.client_version = int(options.get("version", "0"))
        row.partitions = frozenset(_partition(word) for word in rest[1:])
        if rest[0] != "Empty":
            row.start_ms = self.world.now.wall_ms
        self.world.shard.replay(0, -1, -1, record_of(row), len(self.world.log), 0)
        self.world.log.append(encode_record(record_of(row), 1))
        self.world.commit()

    def do_init(self, who: str, options: dict[str, str], rest: list[str]) -> None:
        expected = self._pair(who, options) if rest == ["again"] else None
        timeout_ms = duration_ms(options.get("timeout", "60s"))
        self.world.init(who, options.get("id", "t"), timeout_ms, expected)

    def do_add(self, who: str, options: dict[str, str], rest: list[str]) -> None:
        self.world.add(
            who,
            *self._pair(who, options),
            *(_partition(word) for word in rest),
            transactional_id=options.get("id", "t"),
            client_version=int(options.get("tv", "2")),
        )

    def do_verify(self, who: str, options: dict[str, str], rest: list[str]) -> None:
        asked = [_partition(word) for word in rest]
        found = self.world.shard.verify_partitions(options.get("id", "t"), *self._pair(who, options), asked)
        self.world.answers.append((who, found))

    def do_end(self, who: str, options: dict[str, str], rest: list[str]) -> None:
        self.world.end(
            who,
            *self._pair(who, options),
            is_commit=rest[0] == "commit",
            transactional_id=options.get("id", "t"),
            client_version=int(options.get("tv", "2")),
        )

    def do_mark(self, _who: str, _options: dict[str, str], rest: list[str]) -> None:
        self.world.mark(*(_partition(word) for word in rest))

    def do_describe(self, who: str, options: dict[str, str], _rest: list[str]) -> None:
        described = self.world.shard.find_committed(options.get("id", "t"))
        if described is None:
            self.world.answers.append((who, "unknown"))
            return
        partitions = " ".join(f"{topic}-{index}" for topic, index in sorted(described.shown_partitions))
        self.world.answers.append((who, f"{STATE_NAMES[described.state]} {partitions}".rstrip()))


def _partition(word: str) -> tuple[str, int]:
    topic, _, index = word.rpartition("-")
    return topic, int(index)


def _row(row: Transaction) -> str:
    partitions = "".join(f" {topic}-{index}" for topic, index in sorted(row.partitions))
    return f"{row.transactional_id} {row.producer_id}/{row.epoch}{partitions}"


def _record_text(row: Transaction) -> str:
    extras = ""
    if row.next_producer_id != -1:
        extras += f" next={row.next_producer_id}"
    if row.client_version:
        extras += f" tv={row.client_version}"
    return f"{STATE_NAMES[row.state]} {_row(row)}{extras}"


def _record(key: bytes, value: bytes | None) -> str:
    record = decode_record(key, value)
    assert record is not None
    if record[1] is None:
        return f"{record[0].transactional_id} gone"
    return _record_text(row_of(*record))
