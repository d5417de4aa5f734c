"""DescribeLogDirs."""

KEY = 35
LISTENERS = ("broker",)

REQUEST = """
DescribeLogDirsRequest 1-5 flexible=2+
    topics          []DescribableLogDirTopic  0+  nullable
        topic       string                    0+  key
        partitions  []int32                   0+
"""

RESPONSE = """
DescribeLogDirsResponse 1-5 flexible=2+
    throttle_time_ms             int32                       0+
    error_code                   int16                       3+  ignorable
    results                      []DescribeLogDirsResult     0+
        error_code               int16                       0+
        log_dir                  string                      0+
        topics                   []DescribeLogDirsTopic      0+
            name                 string                      0+
            partitions           []DescribeLogDirsPartition  0+
                partition_index  int32                       0+
                partition_size   int64                       0+
                offset_lag       int64                       0+
                is_future_key    bool                        0+
        total_bytes              int64                       4+  default=-1 ignorable
        usable_bytes             int64                       4+  default=-1 ignorable
        is_cordoned              bool                        5+  ignorable
"""
