"""DescribeGroups of a classic group."""

from kafkacompat.broker.coordinator.group.classic.classic_group import DEAD, STABLE
from kafkacompat.protocol.error_codes import NONE
from kafkacompat.protocol.messages.describe_groups import DescribedGroup, DescribedGroupMember

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.coordinator.group.classic.classic_group import ClassicGroup


def describe(group: "ClassicGroup | None", group_id: str, not_found_error: int) -> DescribedGroup:
    """The group with its members; metadata and protocol only if it is Stable. An unknown group is Dead."""
    if group is None:
        message = None if not_found_error == NONE else f"Group {group_id} not found."
        return DescribedGroup(error_code=not_found_error, error_message=message, group_id=group_id, group_state=DEAD)
    protocol = group.protocol if group.state == STABLE else None
    members = [
        DescribedGroupMember(
            member_id=member.id,
            group_instance_id=member.instance_id,
            client_id=member.client.id,
            client_host=member.client.host,
            member_metadata=b"" if protocol is None else member.metadata(protocol),
            member_assignment=member.assignment,
        )
        for member in group.members.values()
    ]
    return DescribedGroup(
        group_id=group_id,
        group_state=group.state,
        protocol_type=group.protocol_type or "",
        protocol_data=protocol or "",
        members=members,
    )
