from kafkacompat.config import BrokerConfig
from kafkacompat.now import Now
from kafkacompat.server.clock import SystemClock
from kafkacompat.server.machine import Machine
from kafkacompat.server.runtime import BrokerServer
from tests.server.fakes import FakeBroker
from tests.server.harness import Client, binding, until


class SlowClock(SystemClock):
    """The real clock, and what was added to it."""

    added_ms = 0

    def now(self) -> Now:
        now = super().now()
        return Now(now.monotonic_ms + self.added_ms, now.wall_ms)


class SlowBroker(FakeBroker):
    """Takes seconds for a frame, and in a timer."""

    clock: SlowClock

    def dispatch(self, frame, connection, now, reply) -> None:
        self.clock.added_ms += 5_000
        super().dispatch(frame, connection, now, reply)


async def test_a_long_turn_is_seen_whoever_takes_it():
    machine = Machine()
    clock = machine.clock = SlowClock()
    server = BrokerServer(BrokerConfig.from_sources(), [binding("PLAINTEXT")], machine=machine, open_broker=SlowBroker)
    await server.start()
    try:
        server.broker.clock = clock
        lag = server.broker.loop_lag
        client = await Client.connect(server)
        await client.ask(b"e")
        await until(lambda: lag.longest_ms >= 5_000)
        assert lag.longest_what == "API key 101"  # what the frame begins with
        assert lag.recent_ms(server.now().monotonic_ms) == lag.longest_ms

        def long(_now: Now) -> None:
            clock.added_ms += 20_000

        server.broker.timers.set("long work", server.now().monotonic_ms, long)
        server.turn_ended()
        await until(lambda: lag.longest_ms >= 20_000)
        assert lag.longest_what == "long work"
        await client.close()
    finally:
        await server.stop()
