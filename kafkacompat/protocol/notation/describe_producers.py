"""DescribeProducers."""

KEY = 61
LISTENERS = ("broker",)

REQUEST = """
DescribeProducersRequest 0 flexible=0+
    topics                 []TopicRequest  0+
        name               string          0+  key
        partition_indexes  []int32         0+
"""

RESPONSE = """
DescribeProducersResponse 0 flexible=0+
    throttle_time_ms                      int32                0+
    topics                                []TopicResponse      0+
        name                              string               0+
        partitions                        []PartitionResponse  0+  pieces
            partition_index               int32                0+
            error_code                    int16                0+
            error_message                 string               0+  nullable default=null
            active_producers              []ProducerState      0+
                producer_id               int64                0+
                producer_epoch            int32                0+
                last_sequence             int32                0+  default=-1
                last_timestamp            int64                0+  default=-1
                coordinator_epoch         int32                0+
                current_txn_start_offset  int64                0+  default=-1
"""
