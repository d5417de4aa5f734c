"""A file of tests that runs on brokers of the plugin's own and on any other Kafka, and what comes of it."""

TESTS = """
import pytest
from confluent_kafka import Consumer, Producer

@pytest.mark.kafka(topics={"everywhere-orders": 2})
def test_there_and_back(kafka):
    producer = Producer(kafka.config_for("confluent"))
    for number in range(10):
        producer.produce("everywhere-orders", str(number).encode(), partition=number % 2)
    assert producer.flush(30) == 0
    consumer = Consumer(kafka.config_for("confluent") | {"group.id": kafka.group_id(), "auto.offset.reset": "earliest"})
    consumer.subscribe(["everywhere-orders"])
    found = sorted(int(message.value()) for message in consumer.consume(10, 30))
    consumer.close()
    assert found == list(range(10))

@pytest.mark.parametrize("number", range(2))
@pytest.mark.kafka(topics=["everywhere-same"])
def test_topics_of_the_same_name_are_new_each_time(kafka, number):
    producer = Producer(kafka.config_for("confluent"))
    offsets = []
    producer.produce("everywhere-same", b"1", on_delivery=lambda error, message: offsets.append(message.offset()))
    assert producer.flush(30) == 0
    assert offsets == [0]

def test_with_a_topic_of_its_own(kafka_cluster, kafka_topic):
    producer = Producer(kafka_cluster.config_for("confluent"))
    producer.produce(kafka_topic, b"1")
    assert producer.flush(30) == 0
    assert kafka_cluster.cluster_id
    assert len(kafka_cluster.brokers) == 1
    assert kafka_cluster.brokers[0].is_running

def test_that_kills(kafka):
    kafka.kill(1)

def test_that_looks_inside(kafka_cluster):
    assert isinstance(kafka_cluster.topics(), dict)

def test_that_moves_the_clock(kafka):
    kafka.clock.advance(minutes=1)

def test_that_resets(kafka):
    kafka.reset()

@pytest.mark.kafka(brokers=3)
def test_with_several_brokers(kafka): ...

@pytest.mark.kafka(config={"num.partitions": 3})
def test_with_settings(kafka): ...

def test_that_asks_for_nonsense(kafka):
    with pytest.raises(AttributeError):
        kafka.no_such_verb
"""
PASSED_ANYWHERE, SKIPPED_ELSEWHERE = 5, 6
REASONS = (
    "`kill` needs brokers that the test starts", "`topics` needs brokers that the test starts",
    "`clock` needs brokers that the test starts", "`reset` needs brokers that the test starts",
    "3 brokers are needed, and there are 1", "config={'num.partitions': 3} needs brokers that the test starts",
)  # fmt: skip
