"""API keys, their names, and the first flexible version of each."""

# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file.

PRODUCE = 0
FETCH = 1
LIST_OFFSETS = 2
METADATA = 3
OFFSET_COMMIT = 8
OFFSET_FETCH = 9
FIND_COORDINATOR = 10
JOIN_GROUP = 11
HEARTBEAT = 12
LEAVE_GROUP = 13
SYNC_GROUP = 14
DESCRIBE_GROUPS = 15
LIST_GROUPS = 16
SASL_HANDSHAKE = 17
API_VERSIONS = 18
CREATE_TOPICS = 19
DELETE_TOPICS = 20
DELETE_RECORDS = 21
INIT_PRODUCER_ID = 22
OFFSET_FOR_LEADER_EPOCH = 23
ADD_PARTITIONS_TO_TXN = 24
ADD_OFFSETS_TO_TXN = 25
END_TXN = 26
WRITE_TXN_MARKERS = 27
TXN_OFFSET_COMMIT = 28
DESCRIBE_ACLS = 29
CREATE_ACLS = 30
DELETE_ACLS = 31
DESCRIBE_CONFIGS = 32
ALTER_CONFIGS = 33
ALTER_REPLICA_LOG_DIRS = 34
DESCRIBE_LOG_DIRS = 35
SASL_AUTHENTICATE = 36
CREATE_PARTITIONS = 37
CREATE_DELEGATION_TOKEN = 38
RENEW_DELEGATION_TOKEN = 39
EXPIRE_DELEGATION_TOKEN = 40
DESCRIBE_DELEGATION_TOKEN = 41
DELETE_GROUPS = 42
ELECT_LEADERS = 43
INCREMENTAL_ALTER_CONFIGS = 44
ALTER_PARTITION_REASSIGNMENTS = 45
LIST_PARTITION_REASSIGNMENTS = 46
OFFSET_DELETE = 47
DESCRIBE_CLIENT_QUOTAS = 48
ALTER_CLIENT_QUOTAS = 49
DESCRIBE_USER_SCRAM_CREDENTIALS = 50
ALTER_USER_SCRAM_CREDENTIALS = 51
VOTE = 52
BEGIN_QUORUM_EPOCH = 53
END_QUORUM_EPOCH = 54
DESCRIBE_QUORUM = 55
ALTER_PARTITION = 56
UPDATE_FEATURES = 57
ENVELOPE = 58
FETCH_SNAPSHOT = 59
DESCRIBE_CLUSTER = 60
DESCRIBE_PRODUCERS = 61
BROKER_REGISTRATION = 62
BROKER_HEARTBEAT = 63
UNREGISTER_BROKER = 64
DESCRIBE_TRANSACTIONS = 65
LIST_TRANSACTIONS = 66
ALLOCATE_PRODUCER_IDS = 67
CONSUMER_GROUP_HEARTBEAT = 68
CONSUMER_GROUP_DESCRIBE = 69
CONTROLLER_REGISTRATION = 70
GET_TELEMETRY_SUBSCRIPTIONS = 71
PUSH_TELEMETRY = 72
ASSIGN_REPLICAS_TO_DIRS = 73
LIST_CONFIG_RESOURCES = 74
DESCRIBE_TOPIC_PARTITIONS = 75
SHARE_GROUP_HEARTBEAT = 76
SHARE_GROUP_DESCRIBE = 77
SHARE_FETCH = 78
SHARE_ACKNOWLEDGE = 79
ADD_RAFT_VOTER = 80
REMOVE_RAFT_VOTER = 81
UPDATE_RAFT_VOTER = 82
INITIALIZE_SHARE_GROUP_STATE = 83
READ_SHARE_GROUP_STATE = 84
WRITE_SHARE_GROUP_STATE = 85
DELETE_SHARE_GROUP_STATE = 86
READ_SHARE_GROUP_STATE_SUMMARY = 87
STREAMS_GROUP_HEARTBEAT = 88
STREAMS_GROUP_DESCRIBE = 89
DESCRIBE_SHARE_GROUP_OFFSETS = 90
ALTER_SHARE_GROUP_OFFSETS = 91
DELETE_SHARE_GROUP_OFFSETS = 92
STREAMS_GROUP_TOPOLOGY_DESCRIPTION_UPDATE = 93
UNREGISTER_CONTROLLER = 94

NAMES = {
    0: "Produce", 1: "Fetch", 2: "ListOffsets", 3: "Metadata", 8: "OffsetCommit", 9: "OffsetFetch",
    10: "FindCoordinator", 11: "JoinGroup", 12: "Heartbeat", 13: "LeaveGroup", 14: "SyncGroup", 15: "DescribeGroups",
    16: "ListGroups", 17: "SaslHandshake", 18: "ApiVersions", 19: "CreateTopics", 20: "DeleteTopics",
    21: "DeleteRecords", 22: "InitProducerId", 23: "OffsetForLeaderEpoch", 24: "AddPartitionsToTxn",
    25: "AddOffsetsToTxn", 26: "EndTxn", 27: "WriteTxnMarkers", 28: "TxnOffsetCommit", 29: "DescribeAcls",
    30: "CreateAcls", 31: "DeleteAcls", 32: "DescribeConfigs", 33: "AlterConfigs", 34: "AlterReplicaLogDirs",
    35: "DescribeLogDirs", 36: "SaslAuthenticate", 37: "CreatePartitions", 38: "CreateDelegationToken",
    39: "RenewDelegationToken", 40: "ExpireDelegationToken", 41: "DescribeDelegationToken", 42: "DeleteGroups",
    43: "ElectLeaders", 44: "IncrementalAlterConfigs", 45: "AlterPartitionReassignments",
    46: "ListPartitionReassignments", 47: "OffsetDelete", 48: "DescribeClientQuotas", 49: "AlterClientQuotas",
    50: "DescribeUserScramCredentials", 51: "AlterUserScramCredentials", 52: "Vote", 53: "BeginQuorumEpoch",
    54: "EndQuorumEpoch", 55: "DescribeQuorum", 56: "AlterPartition", 57: "UpdateFeatures", 58: "Envelope",
    59: "FetchSnapshot", 60: "DescribeCluster", 61: "DescribeProducers", 62: "BrokerRegistration",
    63: "BrokerHeartbeat", 64: "UnregisterBroker", 65: "DescribeTransactions", 66: "ListTransactions",
    67: "AllocateProducerIds", 68: "ConsumerGroupHeartbeat", 69: "ConsumerGroupDescribe", 70: "ControllerRegistration",
    71: "GetTelemetrySubscriptions", 72: "PushTelemetry", 73: "AssignReplicasToDirs", 74: "ListConfigResources",
    75: "DescribeTopicPartitions", 76: "ShareGroupHeartbeat", 77: "ShareGroupDescribe", 78: "ShareFetch",
    79: "ShareAcknowledge", 80: "AddRaftVoter", 81: "RemoveRaftVoter", 82: "UpdateRaftVoter",
    83: "InitializeShareGroupState", 84: "ReadShareGroupState", 85: "WriteShareGroupState", 86: "DeleteShareGroupState",
    87: "ReadShareGroupStateSummary", 88: "StreamsGroupHeartbeat", 89: "StreamsGroupDescribe",
    90: "DescribeShareGroupOffsets", 91: "AlterShareGroupOffsets", 92: "DeleteShareGroupOffsets",
    93: "StreamsGroupTopologyDescriptionUpdate", 94: "UnregisterController",
}  # fmt: skip
KEYS = {name: key for key, name in NAMES.items()}

# Modules of `messages`.
STEMS = {
    0: "produce", 1: "fetch", 2: "list_offsets", 3: "metadata", 8: "offset_commit", 9: "offset_fetch",
    10: "find_coordinator", 11: "join_group", 12: "heartbeat", 13: "leave_group", 14: "sync_group",
    15: "describe_groups", 16: "list_groups", 17: "sasl_handshake", 18: "api_versions", 19: "create_topics",
    20: "delete_topics", 21: "delete_records", 22: "init_producer_id", 23: "offset_for_leader_epoch",
    24: "add_partitions_to_txn", 25: "add_offsets_to_txn", 26: "end_txn", 27: "write_txn_markers",
    28: "txn_offset_commit", 29: "describe_acls", 30: "create_acls", 31: "delete_acls", 32: "describe_configs",
    33: "alter_configs", 34: "alter_replica_log_dirs", 35: "describe_log_dirs", 36: "sasl_authenticate",
    37: "create_partitions", 38: "create_delegation_token", 39: "renew_delegation_token", 40: "expire_delegation_token",
    41: "describe_delegation_token", 42: "delete_groups", 43: "elect_leaders", 44: "incremental_alter_configs",
    45: "alter_partition_reassignments", 46: "list_partition_reassignments", 47: "offset_delete",
    48: "describe_client_quotas", 49: "alter_client_quotas", 50: "describe_user_scram_credentials",
    51: "alter_user_scram_credentials", 52: "vote", 53: "begin_quorum_epoch", 54: "end_quorum_epoch",
    55: "describe_quorum", 56: "alter_partition", 57: "update_features", 58: "envelope", 59: "fetch_snapshot",
    60: "describe_cluster", 61: "describe_producers", 62: "broker_registration", 63: "broker_heartbeat",
    64: "unregister_broker", 65: "describe_transactions", 66: "list_transactions", 67: "allocate_producer_ids",
    68: "consumer_group_heartbeat", 69: "consumer_group_describe", 70: "controller_registration",
    71: "get_telemetry_subscriptions", 72: "push_telemetry", 73: "assign_replicas_to_dirs", 74: "list_config_resources",
    75: "describe_topic_partitions", 76: "share_group_heartbeat", 77: "share_group_describe", 78: "share_fetch",
    79: "share_acknowledge", 80: "add_raft_voter", 81: "remove_raft_voter", 82: "update_raft_voter",
    83: "initialize_share_group_state", 84: "read_share_group_state", 85: "write_share_group_state",
    86: "delete_share_group_state", 87: "read_share_group_state_summary", 88: "streams_group_heartbeat",
    89: "streams_group_describe", 90: "describe_share_group_offsets", 91: "alter_share_group_offsets",
    92: "delete_share_group_offsets", 93: "streams_group_topology_description_update", 94: "unregister_controller",
}  # fmt: skip

# First version with compact lengths, tagged fields and the newer headers; 32767 if there is none.
FLEXIBLE_SINCE = {
    0: 9, 1: 12, 2: 6, 3: 9, 8: 8, 9: 6, 10: 3, 11: 6, 12: 4, 13: 4, 14: 4, 15: 5, 16: 3, 17: 32767, 18: 3, 19: 5,
    20: 4, 21: 2, 22: 2, 23: 4, 24: 3, 25: 3, 26: 3, 27: 1, 28: 3, 29: 2, 30: 2, 31: 2, 32: 4, 33: 2, 34: 2, 35: 2,
    36: 2, 37: 2, 38: 2, 39: 2, 40: 2, 41: 2, 42: 2, 43: 2, 44: 1, 45: 0, 46: 0, 47: 32767, 48: 1, 49: 1, 50: 0, 51: 0,
    52: 0, 53: 1, 54: 1, 55: 0, 56: 0, 57: 0, 58: 0, 59: 0, 60: 0, 61: 0, 62: 0, 63: 0, 64: 0, 65: 0, 66: 0, 67: 0,
    68: 0, 69: 0, 70: 0, 71: 0, 72: 0, 73: 0, 74: 0, 75: 0, 76: 0, 77: 0, 78: 0, 79: 0, 80: 0, 81: 0, 82: 0, 83: 0,
    84: 0, 85: 0, 86: 0, 87: 0, 88: 0, 89: 0, 90: 0, 91: 0, 92: 0, 93: 0, 94: 0,
}  # fmt: skip

# All versions that the messages have, whether or not a broker offers them.
VERSIONS = {
    0: (3, 13), 1: (4, 18), 2: (1, 11), 3: (0, 13), 8: (2, 10), 9: (1, 10), 10: (0, 6), 11: (0, 9), 12: (0, 4),
    13: (0, 5), 14: (0, 5), 15: (0, 6), 16: (0, 5), 17: (0, 1), 18: (0, 5), 19: (2, 7), 20: (1, 6), 21: (0, 2),
    22: (0, 6), 23: (2, 4), 24: (0, 5), 25: (0, 4), 26: (0, 5), 27: (1, 2), 28: (0, 6), 29: (1, 3), 30: (1, 3),
    31: (1, 3), 32: (1, 4), 33: (0, 2), 34: (1, 2), 35: (1, 5), 36: (0, 2), 37: (0, 3), 38: (1, 3), 39: (1, 2),
    40: (1, 2), 41: (1, 3), 42: (0, 3), 43: (0, 2), 44: (0, 1), 45: (0, 1), 46: (0, 0), 47: (0, 0), 48: (0, 1),
    49: (0, 1), 50: (0, 0), 51: (0, 0), 52: (0, 2), 53: (0, 1), 54: (0, 1), 55: (0, 2), 56: (2, 3), 57: (0, 2),
    58: (0, 0), 59: (0, 1), 60: (0, 2), 61: (0, 0), 62: (0, 4), 63: (0, 2), 64: (0, 0), 65: (0, 0), 66: (0, 2),
    67: (0, 0), 68: (0, 1), 69: (0, 1), 70: (0, 0), 71: (0, 0), 72: (0, 0), 73: (0, 0), 74: (0, 1), 75: (0, 0),
    76: (1, 1), 77: (1, 1), 78: (1, 2), 79: (1, 2), 80: (0, 1), 81: (0, 0), 82: (0, 0), 83: (0, 0), 84: (0, 0),
    85: (0, 1), 86: (0, 0), 87: (0, 1), 88: (0, 1), 89: (0, 1), 90: (0, 1), 91: (0, 0), 92: (0, 0), 93: (0, 0),
    94: (0, 0),
}  # fmt: skip

# Listeners on which Kafka serves the key.
LISTENERS = {
    0: ("broker",), 1: ("broker", "controller"), 2: ("broker",), 3: ("broker",), 8: ("broker",), 9: ("broker",),
    10: ("broker",), 11: ("broker",), 12: ("broker",), 13: ("broker",), 14: ("broker",), 15: ("broker",),
    16: ("broker",), 17: ("broker", "controller"), 18: ("broker", "controller"), 19: ("broker", "controller"),
    20: ("broker", "controller"), 21: ("broker",), 22: ("broker",), 23: ("broker",), 24: ("broker",), 25: ("broker",),
    26: ("broker",), 27: ("broker",), 28: ("broker",), 29: ("broker", "controller"), 30: ("broker", "controller"),
    31: ("broker", "controller"), 32: ("broker", "controller"), 33: ("broker", "controller"), 34: ("broker",),
    35: ("broker",), 36: ("broker", "controller"), 37: ("broker", "controller"), 38: ("broker", "controller"),
    39: ("broker", "controller"), 40: ("broker", "controller"), 41: ("broker", "controller"), 42: ("broker",),
    43: ("broker", "controller"), 44: ("broker", "controller"), 45: ("broker", "controller"),
    46: ("broker", "controller"), 47: ("broker",), 48: ("broker",), 49: ("broker", "controller"),
    50: ("broker", "controller"), 51: ("broker", "controller"), 52: ("controller",), 53: ("controller",),
    54: ("controller",), 55: ("broker", "controller"), 56: ("controller",), 57: ("broker", "controller"),
    58: ("controller",), 59: ("controller",), 60: ("broker", "controller"), 61: ("broker",), 62: ("controller",),
    63: ("controller",), 64: ("broker", "controller"), 65: ("broker",), 66: ("broker",), 67: ("controller",),
    68: ("broker",), 69: ("broker",), 70: ("controller",), 71: ("broker",), 72: ("broker",), 73: ("controller",),
    74: ("broker",), 75: ("broker",), 76: ("broker",), 77: ("broker",), 78: ("broker",), 79: ("broker",),
    80: ("controller", "broker"), 81: ("controller", "broker"), 82: ("controller",), 83: ("broker",), 84: ("broker",),
    85: ("broker",), 86: ("broker",), 87: ("broker",), 88: ("broker",), 89: ("broker",), 90: ("broker",),
    91: ("broker",), 92: ("broker",), 93: ("broker",), 94: ("broker", "controller"),
}  # fmt: skip


def name(api_key: int) -> str:
    """Return the API's name as Kafka prints it, or a text with the number of an unknown key."""
    return NAMES.get(api_key) or f"unknown API key {api_key}"
