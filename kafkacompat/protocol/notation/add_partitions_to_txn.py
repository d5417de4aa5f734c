"""AddPartitionsToTxn."""

KEY = 24
LISTENERS = ("broker",)

REQUEST = """
AddPartitionsToTxnRequest 0-5 flexible=3+
    transactions                   []AddPartitionsToTxnTransaction  4+
        transactional_id           string                           4+   key
        producer_id                int64                            4+
        producer_epoch             int16                            4+
        verify_only                bool                             4+
        topics                     []AddPartitionsToTxnTopic        4+
    v3_and_below_transactional_id  string                           0-3
    v3_and_below_producer_id       int64                            0-3
    v3_and_below_producer_epoch    int16                            0-3
    v3_and_below_topics            []AddPartitionsToTxnTopic        0-3
AddPartitionsToTxnTopic 0+
    name        string   0+  key
    partitions  []int32  0+
"""

RESPONSE = """
AddPartitionsToTxnResponse 0-5 flexible=3+
    throttle_time_ms               int32                            0+
    error_code                     int16                            4+   ignorable
    results_by_transaction         []AddPartitionsToTxnResult       4+
        transactional_id           string                           4+   key
        topic_results              []AddPartitionsToTxnTopicResult  4+
    results_by_topic_v3_and_below  []AddPartitionsToTxnTopicResult  0-3
AddPartitionsToTxnTopicResult 0+
    name                  string                               0+  key
    results_by_partition  []AddPartitionsToTxnPartitionResult  0+
AddPartitionsToTxnPartitionResult 0+
    partition_index       int32  0+  key
    partition_error_code  int16  0+
"""
