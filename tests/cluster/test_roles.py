"""Controllers and brokers in nodes of their own."""

import socket
import time

from confluent_kafka import Consumer
from confluent_kafka.admin import AdminClient

from tests.cluster.nodes import HOST, START_S, Nodes
from tests.cluster.test_three_nodes import TOPIC, Writer, create, is_whole
from tests.waiting import wait_until


def test_a_controller_alone_and_two_brokers(tmp_path):
    roles = {1: "controller", 2: "broker", 3: "broker"}
    with Nodes(tmp_path, roles=roles) as nodes:
        nodes.start()
        assert sorted(nodes.image().brokers) == [2, 3]
        assert sorted(nodes.image().controllers) == [1]
        assert len(nodes.servers[1].broker.partitions) == 0
        create(nodes, factor=2, min_insync_replicas="1")
        writer = Writer(nodes)
        writer.write()
        nodes.lose(1)  # brokers go on without a controller
        writer.write()
        nodes.start(1)
        create(nodes, "more", 2, 2)
        leader = nodes.partition(TOPIC).leader
        nodes.stop(leader)
        writer.write()
        nodes.start(leader)
        wait_until(lambda: is_whole(nodes))
        writer.check()


def test_three_controllers_and_two_brokers(tmp_path):
    roles = dict.fromkeys((1, 2, 3), "controller") | dict.fromkeys((4, 5), "broker")
    with Nodes(tmp_path, 5, roles=roles) as nodes:
        nodes.start()
        create(nodes, factor=2, min_insync_replicas="1")
        writer = Writer(nodes)
        writer.write()
        before = nodes.await_controller()
        nodes.lose(before)
        wait_until(lambda: nodes.controller_id not in (None, before), what="another controller")
        create(nodes, "more", 2, 2)
        writer.write()
        writer.check()


def test_brokers_may_start_before_their_controllers(tmp_path):
    roles = {1: "controller", 2: "broker"}
    with Nodes(tmp_path, 2, roles=roles) as nodes:
        early = nodes.servers[2] = nodes.server(2)
        with socket.create_server((HOST, nodes.controller_ports[1])) as nobody:
            nobody.settimeout(START_S)
            started = nodes.thread.submit(early.start())
            for _ in range(2):
                nobody.accept()[0].close()  # it asks for the controller, and asks again
            assert not started.done()
        nodes.start(1)
        started.result(START_S)
        create(nodes, factor=1)
        Writer(nodes).write()


def test_a_group_goes_on_where_its_coordinator_was_lost(tmp_path):
    with Nodes(tmp_path) as nodes:
        nodes.start()
        create(nodes, min_insync_replicas="2")
        writer = Writer(nodes)
        writer.write(30)
        consumer = Consumer({
            "bootstrap.servers": nodes.bootstrap_servers, "group.id": "g", "auto.offset.reset": "earliest",
            "enable.auto.commit": False, "log_level": 0, "session.timeout.ms": 6000,
        })  # fmt: skip
        try:
            consumer.subscribe([TOPIC])
            read(consumer, 30)
            consumer.commit(asynchronous=False)
            index = nodes.servers[1].broker.groups.partition_for("g")
            coordinator = nodes.partition("__consumer_offsets", index).leader
            nodes.lose(coordinator)
            writer.write(10)
            read(consumer, 10)
            consumer.commit(asynchronous=False)
        finally:
            consumer.close()
        nodes.start(coordinator)
        wait_until(lambda: is_whole(nodes) and is_whole(nodes, "__consumer_offsets"))
        admin = AdminClient({"bootstrap.servers": nodes.bootstrap_servers})
        groups = admin.list_consumer_groups().result(30)
        assert [group.group_id for group in groups.valid] == ["g"]


def read(consumer, count, timeout_s=60):
    end_s = time.monotonic() + timeout_s
    found = 0
    while found < count:
        assert time.monotonic() < end_s, f"{found} of {count} records"
        message = consumer.poll(0.2)
        if message is not None and message.error() is None:
            found += 1
