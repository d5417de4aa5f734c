"""The picture of ARCHITECTURE.md that says what happens when the leader of a partition dies.

What a step is called is the path of a file below `kafkacompat/`; a test looks whether it is there.
"""

from __future__ import annotations

from itertools import pairwise

from tests.tidy.pages.svg import Drawing, height

CONTROLLER, REPLICA, CLIENT = "The active controller", "A replica that was in sync", "A client"
LANES = {CONTROLLER: "#e4f3e4", REPLICA: "#fdeccf", CLIENT: "#e6f0fa"}

# channel, path, what happens
STEPS = (
    (CLIENT, "server/connection.py",
     "Its connection to the leader closes: it asks another broker for metadata."),
    (REPLICA, "broker/handlers/metadata.py",
     "Its connection to the leader has closed, too: the answer waits for the election, up to 500 ms."),
    (CONTROLLER, "replication/controller/failure_detector.py",
     "The connection with the heartbeats has closed and is not made again within 250 ms: dial the broker."),
    (CONTROLLER, "replication/controller/broker_heartbeat_manager.py",
     "Dialing is refused: nobody is there. Who only paused or is cut off is left to "
     "broker.session.timeout.ms."),
    (CONTROLLER, "replication/controller/brokers.py",
     "Fences the broker: it leaves every in-sync set, one change for each of its partitions."),
    (CONTROLLER, "replication/election.py",
     "The new leader is the first replica in the list that is in sync; without one, an eligible one "
     "(KIP-966)."),
    (CONTROLLER, "replication/raft/leader_state.py",
     "The change is committed when most of the quorum have it on disk."),
    (REPLICA, "replication/metadata/quorum.py",
     "Every broker reads the metadata log, and applies what is committed."),
    (REPLICA, "broker/replicas/replica_manager.py",
     "Becomes the leader in the next leader epoch; others fetch from it from now on."),
    (REPLICA, "replication/following.py",
     "Another follower asks with the epoch of its last record, and cuts what differs: none of it was "
     "committed."),
    (REPLICA, "replication/high_watermark.py",
     "When all that are in sync have what it has, what the old leader acknowledged can be read again."),
    (CLIENT, "broker/handlers/metadata.py",
     "Is told of the new leader, and goes on there; a repeated batch is known by its sequence."),
)  # fmt: skip
LANE_PX, BOX_PX, GAP_PX, TOP_PX, LEFT_PX = 330, 300, 24, 48, 15


def leader_dies() -> str:
    """docs/leader-dies.svg"""
    tops = [TOP_PX]
    for _, _, body in STEPS:
        tops.append(tops[-1] + height(body, BOX_PX) + GAP_PX)
    drawing = Drawing(LANE_PX * len(LANES), tops[-1], "What happens when the leader of a partition dies")
    for number, (channel, fill) in enumerate(LANES.items()):
        drawing.area(number * LANE_PX + 4, 4, LANE_PX - 8, tops[-1] - 12, fill)
        drawing.text(number * LANE_PX + LEFT_PX, 28, channel, bold=True, size=15)
    for number, ((channel, path, body), top) in enumerate(zip(STEPS, tops, strict=False), 1):
        drawing.box(_left(channel), top, BOX_PX, height(body, BOX_PX), f"{number} {path}", body)
    for ((channel, _, body), top), ((next_lane, *_), next_top) in pairwise(zip(STEPS, tops, strict=False)):
        start = (_left(channel) + BOX_PX // 2, top + height(body, BOX_PX))
        end = (_left(next_lane) + BOX_PX // 2, next_top)
        middle = next_top - GAP_PX // 2
        drawing.arrow(start, (start[0], middle), (end[0], middle), end)
    return drawing.done()


def _left(channel: str) -> int:
    return list(LANES).index(channel) * LANE_PX + LEFT_PX
