"""Cuts that no test can miss, each with the reason."""

from __future__ import annotations

BROKER = "kafkacompat/broker/broker.py"
REPLICAS = "kafkacompat/broker/replicas"
STORAGE = "kafkacompat/storage"
SERVER = "kafkacompat/server"
QUORUM_CHANNEL = "kafkacompat/broker/control/quorum_channel.py"
CONTROL_API = "kafkacompat/control_api"
NOT_USED_AGAIN = "who closes it asks nothing more"
CLOSED = "the shell hands no event to a broker that is closed: this ends what could only act on one"
NO_PARTITION = "a fetcher is closed when its last partition has gone, or with its broker: there is nothing to ask for"

KNOWN: dict[str, str] = {
    f"{BROKER}:Broker._new_lifecycle: events.stale = self.partitions.resign": (
        "the image without the registration takes the roles away as well, most often sooner"
    ),
    f"{BROKER}:Broker.begin: quorum.hold()": "it saves syncs at a start, and changes no answer",
    f"{BROKER}:Broker.leave: self.lifecycle.close()": CLOSED,
    f"{BROKER}:Broker.leave: self.alter_isr.close()": CLOSED,
    f"{BROKER}:Broker.leave: self.fetchers.close()": CLOSED,
    f"{BROKER}:Broker.leave: self.channel.close()": CLOSED,
    f"{BROKER}:Broker.leave: self._quorum_channel.end()": CLOSED,
    f"{REPLICAS}/alter_isr.py:AlterIsr.close: self._timers.cancel(self)": CLOSED,
    f"{REPLICAS}/alter_isr.py:AlterIsr.close: self._waiting.clear()": CLOSED,
    f'{REPLICAS}/fetcher.py:Fetcher.close: manager.timers.cancel((self, "send"))': NO_PARTITION,
    f'{REPLICAS}/fetcher.py:Fetcher.close: manager.timers.cancel((self, "process"))': NO_PARTITION,
    f"{REPLICAS}/fetchers.py:FetcherManager.close: fetcher.close()": CLOSED,
    f"{REPLICAS}/fetchers.py:FetcherManager.close: self._fetchers.clear()": CLOSED,
    f"{REPLICAS}/fetchers.py:FetcherManager.close: self._at.clear()": CLOSED,
    f"{QUORUM_CHANNEL}:QuorumChannel.end: self._timers.cancel(_TIMER)": CLOSED,
    f"{QUORUM_CHANNEL}:QuorumChannel._arm: self._timers.cancel(_TIMER)": "a tick too many finds nothing that is due",
    f"{QUORUM_CHANNEL}:QuorumChannel._tick: self._arm(now)": (
        "every event arms the timer: the next step of a snapshot comes a little later without this"
    ),
    f"{CONTROL_API}/http/http.py:HttpConnection._pass_on: self.abort()": "inside a body h11 has no other event",
    f"{CONTROL_API}/joined/node_client.py:NodeClient.close: self._idle.clear()": NOT_USED_AGAIN,
    f"{CONTROL_API}/joined/joined_nodes.py:JoinedNodes.close: self._clients.clear()": NOT_USED_AGAIN,
    f"{CONTROL_API}/joined/node_client.py:NodeClient._exchange: await writer.drain()": (
        "a request fits into the socket's buffer, and its answer is waited for"
    ),
    f"{CONTROL_API}/joined/joined_nodes.py:JoinedNodes.until: await asyncio.sleep(POLL_S)": (
        "without a pause it asks as often as nodes answer"
    ),
    f"{STORAGE}/log_directory.py:LogDirectory.closing: self.logs.clear()": CLOSED,
    f"{STORAGE}/offset_checkpoints.py:OffsetCheckpoints.note_log: self._log_starts.pop(key, None)": (
        "what is left in the file is below the first segment, and that counts"
    ),
    f"{STORAGE}/log_directory.py:LogDirectory._close_some: self._flusher.flush_inline(now)"
    "  # all at once: each directory is synced once": "each log is synced when it is closed, too: that takes longer",
    f"{STORAGE}/log_directory.py:LogDirectory._close_some: self.take_offline(error)": (
        "what fails has failed in the sync before, which takes the directory offline"
    ),
    f"{STORAGE}/flush.py:Flusher._submit: self._submitted.add(work_class)": "a job too many finds nothing to begin",
    f"{SERVER}/broker_server.py:BrokerServer._adopt: broker.flusher.carry_out = self.platform.run_concurrently": (
        "it saves time where many logs are synced, and changes no answer"
    ),
}
