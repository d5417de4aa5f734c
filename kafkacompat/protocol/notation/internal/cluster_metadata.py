"""Records of __cluster_metadata."""

FRAMING = "metadata"

RECORDS = """
RegisterBrokerRecord 0-4 flexible=0+ key=0
    broker_id                  int32             0+
    is_migrating_zk_broker     bool              2+
    incarnation_id             uuid              0+
    broker_epoch               int64             0+
    end_points                 []BrokerEndpoint  0+
        name                   string            0+  key
        host                   string            0+
        port                   uint16            0+
        security_protocol      int16             0+
    features                   []BrokerFeature   0+
        name                   string            0+  key
        min_supported_version  int16             0+
        max_supported_version  int16             0+
    rack                       string            0+  nullable
    fenced                     bool              0+  default=true
    in_controlled_shutdown     bool              1+
    log_dirs                   []uuid            3+  tag=0
    cordoned_log_dirs          []uuid            4+  nullable tag=1 default=null

UnregisterBrokerRecord 0 flexible=0+ key=1
    broker_id     int32  0+
    broker_epoch  int64  0+

TopicRecord 0 flexible=0+ key=2
    name      string  0+
    topic_id  uuid    0+

PartitionRecord 0-2 flexible=0+ key=3
    partition_id              int32    0+  default=-1
    topic_id                  uuid     0+
    replicas                  []int32  0+
    isr                       []int32  0+
    removing_replicas         []int32  0+
    adding_replicas           []int32  0+
    leader                    int32    0+  default=-1
    leader_recovery_state     int8     0+  tag=0
    leader_epoch              int32    0+  default=-1
    partition_epoch           int32    0+  default=-1
    directories               []uuid   1+
    eligible_leader_replicas  []int32  2+  nullable tag=1 default=null
    last_known_elr            []int32  2+  nullable tag=2 default=null

ConfigRecord 0 flexible=0+ key=4
    resource_type  int8    0+
    resource_name  string  0+
    name           string  0+
    value          string  0+  nullable

PartitionChangeRecord 0-2 flexible=0+ key=5
    partition_id              int32    0+  default=-1
    topic_id                  uuid     0+
    isr                       []int32  0+  nullable tag=0 default=null
    leader                    int32    0+  tag=1 default=-2
    replicas                  []int32  0+  nullable tag=2 default=null
    removing_replicas         []int32  0+  nullable tag=3 default=null
    adding_replicas           []int32  0+  nullable tag=4 default=null
    leader_recovery_state     int8     0+  tag=5 default=-1
    directories               []uuid   1+  nullable tag=8 default=null
    eligible_leader_replicas  []int32  2+  nullable tag=6 default=null
    last_known_elr            []int32  2+  nullable tag=7 default=null

FenceBrokerRecord 0 flexible=0+ key=7
    id     int32  0+
    epoch  int64  0+

UnfenceBrokerRecord 0 flexible=0+ key=8
    id     int32  0+
    epoch  int64  0+

RemoveTopicRecord 0 flexible=0+ key=9
    topic_id  uuid  0+

DelegationTokenRecord 0 flexible=0+ key=10
    owner                 string    0+
    requester             string    0+
    renewers              []string  0+
    issue_timestamp       int64     0+
    max_timestamp         int64     0+
    expiration_timestamp  int64     0+
    token_id              string    0+

UserScramCredentialRecord 0 flexible=0+ key=11
    name        string  0+
    mechanism   int8    0+
    salt        bytes   0+
    stored_key  bytes   0+
    server_key  bytes   0+
    iterations  int32   0+

FeatureLevelRecord 0 flexible=0+ key=12
    name           string  0+
    feature_level  int16   0+

ClientQuotaRecord 0 flexible=0+ key=14
    entity           []EntityData  0+
        entity_type  string        0+
        entity_name  string        0+  nullable
    key              string        0+
    value            float64       0+
    remove           bool          0+

ProducerIdsRecord 0 flexible=0+ key=15
    broker_id         int32  0+
    broker_epoch      int64  0+  default=-1
    next_producer_id  int64  0+

BrokerRegistrationChangeRecord 0-3 flexible=0+ key=17
    broker_id               int32   0+
    broker_epoch            int64   0+
    fenced                  int8    0+  tag=0
    in_controlled_shutdown  int8    1+  tag=1
    log_dirs                []uuid  2+  tag=2
    cordoned_log_dirs       []uuid  3+  nullable tag=3 default=null

AccessControlEntryRecord 0 flexible=0+ key=18
    id               uuid    0+
    resource_type    int8    0+
    resource_name    string  0+
    pattern_type     int8    0+
    principal        string  0+
    host             string  0+
    operation        int8    0+
    permission_type  int8    0+

RemoveAccessControlEntryRecord 0 flexible=0+ key=19
    id  uuid  0+

NoOpRecord 0 flexible=0+ key=20

ZkMigrationStateRecord 0 flexible=0+ key=21
    zk_migration_state  int8  0+

RemoveUserScramCredentialRecord 0 flexible=0+ key=22
    name       string  0+
    mechanism  int8    0+

BeginTransactionRecord 0 flexible=0+ key=23
    name  string  0+  nullable tag=0 default=null

EndTransactionRecord 0 flexible=0+ key=24

AbortTransactionRecord 0 flexible=0+ key=25
    reason  string  0+  nullable tag=0 default=null

RemoveDelegationTokenRecord 0 flexible=0+ key=26
    token_id  string  0+

RegisterControllerRecord 0 flexible=0+ key=27
    controller_id              int32                 0+
    incarnation_id             uuid                  0+
    zk_migration_ready         bool                  0+
    end_points                 []ControllerEndpoint  0+
        name                   string                0+  key
        host                   string                0+
        port                   uint16                0+
        security_protocol      int16                 0+
    features                   []ControllerFeature   0+
        name                   string                0+  key
        min_supported_version  int16                 0+
        max_supported_version  int16                 0+

ClearElrRecord 0 flexible=0+ key=28
    topic_name  string  0+

UnregisterControllerRecord 0 flexible=0+ key=29
    controller_id  int32  0+
"""
