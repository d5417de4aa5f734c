"""Cuts that no test can miss, each with the reason."""

from __future__ import annotations

BROKER = "kafkacompat/broker/broker.py"
CLOSED = "the shell hands no event to a broker that is closed: this ends what could only act on one"

KNOWN: dict[str, str] = {
    f"{BROKER}:Broker._new_lifecycle: events.stale = self.partitions.resign": (
        "the image without the registration takes the roles away as well, most often sooner"
    ),
    f"{BROKER}:Broker.begin: quorum.hold()": "it saves syncs at a start, and changes no answer",
    f"{BROKER}:Broker.close: self.lifecycle.close()": CLOSED,
    f"{BROKER}:Broker.close: self.alter_isr.close()": CLOSED,
    f"{BROKER}:Broker.close: self.fetchers.close()": CLOSED,
    f"{BROKER}:Broker.close: self.channel.close()": CLOSED,
    f"{BROKER}:Broker.close: self._quorum_channel.end()": CLOSED,
}
