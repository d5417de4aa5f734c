"""Where brokers are reached, by whom."""

import random

from kafkacompat.broker.control.metadata_cache import MetadataCache
from kafkacompat.broker.network import Address
from kafkacompat.config import BrokerConfig
from kafkacompat.replication.metadata.image import EMPTY_IMAGE, BrokerImage, Endpoint


def metadata_cache(*brokers, **config):
    settings = {name.replace("_", "."): value for name, value in config.items()}
    found = MetadataCache(BrokerConfig.from_sources({}, settings), random.Random(1))
    found.set_image(EMPTY_IMAGE.but(brokers={broker.id: broker for broker in brokers}))
    return found


def broker(broker_id, *endpoints, fenced=False):
    return BrokerImage(broker_id, 1, bytes(16), tuple(Endpoint(*each) for each in endpoints), "r", fenced=fenced)


def test_clients_see_unfenced_brokers_of_their_listener_by_id():
    found = metadata_cache(
        broker(3, ("PLAINTEXT", "c", 3)),
        broker(1, ("PLAINTEXT", "a", 1), ("INNER", "a", 11)),
        broker(2, ("PLAINTEXT", "b", 2), fenced=True),
    )
    assert found.nodes("PLAINTEXT") == [(1, "a", 1, "r"), (3, "c", 3, "r")]
    assert found.nodes("INNER") == [(1, "a", 11, "r")]
    assert [node[0] for node in found.nodes("PLAINTEXT", include_fenced=True)] == [1, 2, 3]
    found.set_image(EMPTY_IMAGE.but(brokers={9: broker(9, ("PLAINTEXT", "z", 9))}))
    assert found.nodes("PLAINTEXT") == [(9, "z", 9, "r")]


def test_clients_are_told_of_fenced_brokers_while_there_are_no_others():
    one, two = broker(1, ("PLAINTEXT", "a", 1), fenced=True), broker(2, ("PLAINTEXT", "b", 2), fenced=True)
    assert metadata_cache(one, two).alive_nodes("PLAINTEXT") == [(1, "a", 1, "r"), (2, "b", 2, "r")]
    assert metadata_cache(one, two, broker(3, ("PLAINTEXT", "c", 3))).alive_nodes("PLAINTEXT") == [(3, "c", 3, "r")]


def test_brokers_reach_each_other_on_their_own_listener_fenced_or_not():
    both = broker(1, ("PLAINTEXT", "a", 1), ("INNER", "a", 11), fenced=True)
    assert metadata_cache(both, inter_broker_listener_name="inner").address_of(1) == Address("a", 11)
    assert metadata_cache(both).address_of(1) == Address("a", 1)
    assert metadata_cache(both, inter_broker_listener_name="other").address_of(1) == Address("a", 1)
    assert metadata_cache(both).address_of(2) is None
    assert metadata_cache(broker(1)).address_of(1) is None


def test_an_address_is_remembered_until_brokers_change():
    found = metadata_cache(broker(1, ("PLAINTEXT", "a", 1)))
    address = found.address_of(1)
    assert found.address_of(1) is address
    found.set_image(EMPTY_IMAGE.but(brokers={1: broker(1, ("PLAINTEXT", "b", 2))}))
    assert found.address_of(1) == Address("b", 2)


def test_any_broker_that_lives_stands_for_the_controller():
    found = metadata_cache(broker(1), broker(2, fenced=True), broker(3))
    assert {found.random_alive_broker_id() for _ in range(50)} == {1, 3}
    assert metadata_cache(broker(2, fenced=True)).random_alive_broker_id() == -1
