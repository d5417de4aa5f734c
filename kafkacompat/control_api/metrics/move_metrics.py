"""What `/metrics` says of moves between log directories: Kafka's MBeans of ReplicaAlterLogDirsManager.

`MinFetchRate` is left out: no thread fetches here.
"""

from __future__ import annotations

from kafkacompat.control_api.metrics.exposition import GAUGE, Exposition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.replicas.replica_alter_log_dirs import ReplicaAlterLogDirsManager

MANAGER = "kafka_server_replicaalterlogdirsmanager_"
CLIENT_ID = "ReplicaAlterLogDirs"


def of_moves(out: Exposition, moves: ReplicaAlterLogDirsManager | None) -> None:
    """Write the families; zeros on a node that has never moved a replica, where there is no manager of moves."""
    max_lag, failed_count = (moves.max_lag, moves.failed_count) if moves is not None else (0, 0)
    for what, says, value in (
        ("maxlag", "Records that the future replica lacks which lacks the most.", max_lag),
        ("failedpartitionscount", "Moves that have met an error and are tried again.", failed_count),
        ("deadthreadcount", "Always 0: moves have no threads of their own.", 0),
    ):
        out.family(MANAGER + what, GAUGE, says)
        out.sample(value, clientId=CLIENT_ID)
