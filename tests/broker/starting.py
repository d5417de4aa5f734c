"""Starting and stopping a broker that has no shell: what the loop does elsewhere is done by hand."""

from kafkacompat.broker.broker import Broker
from kafkacompat.broker.control.lifecycle import CONTROLLER_SILENCE_MS
from kafkacompat.errors import StartupError
from kafkacompat.now import Now


def begin(broker: Broker, now: Now) -> Broker:
    """A lone node is ready when this returns."""
    try:
        broker.begin(None, now)
    except StartupError:
        broker.close(now, clean=False)
        raise
    broker.after_event(now)
    assert broker.is_ready
    return broker


def settle(broker: Broker, now: Now) -> None:
    """Let syncs and other background work end, and what follows from it in later turns."""
    broker.background.run_inline(now)
    while broker.partitions.is_behind:
        broker.partitions.continue_applying(now)
        broker.background.run_inline(now)
    broker.after_event(now)
    assert_effects_carried_out(broker)


def assert_effects_carried_out(broker: Broker) -> None:
    """No operation on a partition has had effects that nobody has carried out."""
    assert [partition.watch_key for partition in broker.partitions if partition.effects] == []


def stop(broker: Broker, now: Now, *, clean: bool) -> None:
    """Stop it; a clean stop hands over first."""
    if clean:
        stopped: list[Now] = []
        broker.shut_down(now, stopped.append)
        until_ms = now.monotonic_ms + CONTROLLER_SILENCE_MS
        while not stopped and now.monotonic_ms <= until_ms:
            broker.background.run_inline(now)
            broker.after_event(now)
            now = Now(now.monotonic_ms + 10, now.wall_ms + 10)
            broker.timers.run(now)
        assert stopped
        broker.resign(now)
    broker.close(now, clean=clean)
