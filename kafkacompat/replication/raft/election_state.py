"""The file quorum-state: a replica's epoch, leader and vote (Kafka's FileQuorumStateStore; data_version 1)."""

from kafkacompat.errors import StartupError
from kafkacompat.protocol.constants import NO_NODE
from kafkacompat.protocol.primitives import ZERO_UUID, uuid_from_text, uuid_to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkacompat.storage.fs import Fs

FILE_NAME = "quorum-state"
DATA_VERSION = 1
STATIC_DATA_VERSION = 0


class ElectionState:
    """The newest epoch, its leader if known, and the candidate that got this voter's vote (Kafka's ElectionState)."""

    __slots__ = ("leader_epoch", "leader_id", "voted_directory_id", "voted_id")

    def __init__(
        self,
        leader_epoch: int,
        leader_id: int = NO_NODE,
        voted_id: int = NO_NODE,
        voted_directory_id: bytes = ZERO_UUID,
    ) -> None:
        self.leader_epoch = leader_epoch
        self.leader_id = leader_id
        self.voted_id = voted_id
        self.voted_directory_id = voted_directory_id


def store_static(fs: "Fs", directory: str, state: ElectionState, voter_ids: "Iterable[int]") -> None:
    """Write the file of a quorum with static voters (data_version 0); durable on return. Raises OSError."""
    voters = ",".join(f'{{"voterId":{voter_id}}}' for voter_id in voter_ids)
    text = (
        f'{{"clusterId":"","leaderId":{state.leader_id},"leaderEpoch":{state.leader_epoch},'
        f'"votedId":{state.voted_id},"appliedOffset":0,"currentVoters":[{voters}],'
        f'"data_version":{STATIC_DATA_VERSION}}}'
    )
    fs.write_atomic(f"{directory}/{FILE_NAME}", text.encode(), sync=True)


def store(fs: "Fs", directory: str, state: ElectionState) -> None:
    """Write the file; durable on return. Raises OSError."""
    text = (
        f'{{"leaderId":{state.leader_id},"leaderEpoch":{state.leader_epoch},"votedId":{state.voted_id},'
        f'"votedDirectoryId":"{uuid_to_text(state.voted_directory_id)}","data_version":{DATA_VERSION}}}'
    )
    fs.write_atomic(f"{directory}/{FILE_NAME}", text.encode(), sync=True)


def load(fs: "Fs", directory: str) -> ElectionState | None:
    """Read the file; None if it does not exist. Raises StartupError if it is damaged: an epoch must not be guessed."""
    path = f"{directory}/{FILE_NAME}"
    if not fs.exists(path):
        return None
    from json import loads

    try:
        found = loads(fs.read_bytes(path))
        if found["data_version"] not in (STATIC_DATA_VERSION, DATA_VERSION):
            raise ValueError(f"data_version {found['data_version']}")
        is_static = found["data_version"] == STATIC_DATA_VERSION
        directory_id = ZERO_UUID if is_static else uuid_from_text(found["votedDirectoryId"])
        state = ElectionState(int(found["leaderEpoch"]), int(found["leaderId"]), int(found["votedId"]), directory_id)
    except (ValueError, KeyError, TypeError) as error:
        raise StartupError(
            f"{path} is damaged ({error}); restore it from a copy, or delete it if this is the only voter of the quorum"
        ) from None
    return state
