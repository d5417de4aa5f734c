"""ApiVersions."""

KEY = 18
LISTENERS = ("broker", "controller")

REQUEST = """
ApiVersionsRequest 0-5 flexible=3+
    client_software_name     string  3+  ignorable
    client_software_version  string  3+  ignorable
    cluster_id               string  5+  nullable default=null ignorable
    node_id                  int32   5+  default=-1 ignorable
"""

RESPONSE = """
ApiVersionsResponse 0-5 flexible=3+
    error_code                int16                  0+
    api_keys                  []ApiVersion           0+
        api_key               int16                  0+  key
        min_version           int16                  0+
        max_version           int16                  0+
    throttle_time_ms          int32                  1+  ignorable
    supported_features        []SupportedFeatureKey  3+  tag=0 ignorable
        name                  string                 3+  key
        min_version           int16                  3+
        max_version           int16                  3+
    finalized_features_epoch  int64                  3+  tag=1 default=-1 ignorable
    finalized_features        []FinalizedFeatureKey  3+  tag=2 ignorable
        name                  string                 3+  key
        max_version_level     int16                  3+
        min_version_level     int16                  3+
    zk_migration_ready        bool                   3+  tag=3 ignorable
"""
