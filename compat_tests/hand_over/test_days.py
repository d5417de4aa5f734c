"""Apache Kafka's directory is with this broker for eight virtual days. Then its groups are as they were.

What this broker knows ends by itself meanwhile: the offsets of a classic group without members expire. The log of the
groups is compacted, that of share groups is not written to.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.request import Request, urlopen

import pytest

from compat_tests.broker_process import free_port
from compat_tests.hand_over.seen import look
from compat_tests.hand_over.walk import CLASSIC, CLIENT_TIMEOUT_S, CONSUMER, SHARE, Walk, serve_directory_of
from tests.waiting import wait_until

if TYPE_CHECKING:
    from compat_tests.hand_over.seen import Seen

DAYS = 8
DAY_MS = 86_400_000
ONE_PARTITION = {"offsets.topic.num.partitions": "1"}
"""So that what is written here rolls the segment with the records of all groups."""
OF_CONSUMERS = (f"group {CONSUMER}", f"offsets of {CONSUMER}")


class Away(Walk):
    """A walk of one turn each that takes days."""

    def __init__(self) -> None:
        super().__init__(seed=1, config=ONE_PARTITION)

    def go_for(self, days: int, *, is_killed: bool) -> None:
        """Raises AssertionError when a group is not as it was."""
        kafka = self._kafka
        kafka.start()
        self._create()
        self._consume(CONSUMER, "consumer")
        self._consume_classic()
        self._share()
        before = look(self._at)
        (kafka.kill if is_killed else kafka.stop)()
        states = self._share_states()
        assert states
        after = self._with_us(days, before, is_killed=is_killed)
        assert self._share_states() == states
        kafka.start()
        found = look(self._at)
        assert [found[name] for name in OF_CONSUMERS] == [before[name] for name in OF_CONSUMERS]
        self._compare_share_groups()
        records = [name for name in after if name.startswith("read_")]
        assert [found[name] for name in records] == [after[name] for name in records]

    def _with_us(self, days: int, before: Seen, *, is_killed: bool) -> Seen:
        control = f"127.0.0.1:{free_port()}"
        ours = self._ours = serve_directory_of(
            self._kafka, self._log, {"log.cleaner.backoff.ms": "100"}, ("--control", control, "--allow-faults")
        )
        assert look(self._at)[f"offsets of {CLASSIC}"] == before[f"offsets of {CLASSIC}"]
        body = json.dumps({"ms": days * DAY_MS}).encode()
        asked = Request(f"http://{control}/v1/clock/advance", body, {"Content-Type": "application/json"})
        with urlopen(asked, timeout=CLIENT_TIMEOUT_S) as answer:
            assert answer.status == 200
        self._produce()
        for _ in range(3):
            self._commit()
        wait_until(lambda: "compacted __consumer_offsets-0 up to" in self._log.read_text(), CLIENT_TIMEOUT_S)
        self._check_frozen()
        after = look(self._at, [CLASSIC, SHARE])
        assert after[f"offsets of {CLASSIC}"] == []
        assert [after[name] for name in OF_CONSUMERS] == [before[name] for name in OF_CONSUMERS]
        if is_killed:
            ours.kill()
        else:
            self._stop_ours()
        self._ours = None
        return after

    def _share_states(self) -> dict[str, bytes]:
        """The records of share groups' states, as they are on the disk."""
        (directory,) = self._kafka.data_dirs
        return {str(path): path.read_bytes() for path in directory.glob("__share_group_state-*/*.log")}


@pytest.mark.full
@pytest.mark.parametrize("is_killed", [False, True], ids=["stopped", "killed"])
def test_eight_days_change_no_group_that_only_apache_kafka_has(*, is_killed: bool) -> None:
    walk = Away()
    try:
        walk.go_for(DAYS, is_killed=is_killed)
    finally:
        walk.close()
