"""A small blocking Kafka client, for the command line, the tools of the image, and the start of clusters.

It speaks to any Kafka since 1.0 with the generated messages, and starts fast: a message is imported on first use.

```python
from kafkacompat.client.client import Client
from kafkacompat.client.consuming import Fetcher
from kafkacompat.client.partition_offsets import EARLIEST, list_offsets
from kafkacompat.client.producing import OutgoingRecord, Producer
from kafkacompat.client.topic_admin import NewTopic, create_topics, describe_topics

with Client("localhost:9092", timeout_s=10) as client:          # or Client(..., security=Security(...))
    create_topics(client, {"orders": NewTopic(partitions=3)})  # {"orders": None}, or the BrokerError of each
    producer = Producer(client)                                # acks=all, idempotent, Java's partitioner
    producer.send("orders", OutgoingRecord(b"key", b"value"))
    producer.flush()                                           # [Delivered(topic, partition, offset, timestamp)]
    starts = list_offsets(client, {("orders", partition): EARLIEST for partition in range(3)})
    fetcher = Fetcher(client, {place: found.offset for place, found in starts.items()})
    for piece in fetcher.poll(timeout_s=1):
        print(piece.topic, piece.partition, piece.records)
```

A partition is a pair (topic, partition). Times are in seconds where a caller waits, in ms where Kafka has them. Every
call ends within the client's `timeout_s`, unless it takes one of its own. What no function here asks is asked with
`client.call(messages, request)`, `call_node`, `call_controller` or `call_coordinator`, where `messages` is a module of
`kafkacompat.protocol.messages`.

All errors are `kafkacompat.client.errors.ClientError`: `UnreachableError`, `ExpiredError` (time ran out),
`UnknownPeerError` (no Kafka), `SecurityError` (TLS or SASL) and `BrokerError` with Kafka's `error_code`. A client is
for one thread.
"""
