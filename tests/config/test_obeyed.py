"""What the tables call obeyed is what the source reads, and what a test changes and sees the effect of."""

import ast
import importlib
import re
from pathlib import Path

import kafkacompat
from kafkacompat.config.definitions import BROKER_CONFIGS, TOPIC_CONFIGS
from tests.config.effects.registry import SHOWN

PACKAGE = Path(kafkacompat.__file__).parent
TESTS = Path(__file__).parent.parent
TABLES = re.compile(
    r"config/(broker|docs|topic_keys|group_keys|alter|checks|definitions|describe|protection)|demo/|protocol/|client/"
    r"|cli/connected"  # names of a client's settings
)
SOURCE = "\n".join(
    path.read_text() for path in PACKAGE.rglob("*.py") if not TABLES.match(path.relative_to(PACKAGE).as_posix())
)

#: Read, and not obeyed: checked when it is asked for; all metadata is in the one log directory.
CHECKED_ONLY = {"log.cleanup.policy", "metadata.log.dir"}

#: Effects that are shown by tests which need more than a broker in memory, or are about that very thing.
ELSEWHERE = {
    "server/test_endpoints.py": {
        "advertised.listeners": "test_advertised_listeners_by_name",
    },
    "cli/test_serve.py": {
        "security.inter.broker.protocol": "test_a_file_that_asks_for_protection_is_one_line_whatever_the_flags"
    },
    "server/test_listener.py": {
        "max.connections": "test_connections_over_the_limit_wait_until_one_ends",
    },
    "server/test_connection.py": {
        "socket.request.max.bytes": "test_the_size_limit_is_kafkas_setting",
        "connections.max.idle.ms": "test_who_is_idle_is_closed",
        "queued.max.request.bytes": "test_a_spent_budget_makes_new_large_frames_wait",
    },
    "broker/test_compaction.py": {
        "log.cleaner.backoff.ms": "test_the_next_look_comes_after_the_backoff",
        "log.cleaner.enable": "test_a_node_may_do_without",
    },
    "broker/test_log_cleaner.py": {
        "cleanup.policy": "test_a_compacted_log_keeps_the_last_record_of_each_key",
        "delete.retention.ms": "test_a_tombstone_stays_as_long_as_readers_may_need_it",
        "log.cleaner.dedupe.buffer.size": "test_a_small_map_takes_several_passes",
        "log.cleaner.io.buffer.load.factor": "test_a_small_map_takes_several_passes",
        "log.cleaner.delete.retention.ms": "test_a_tombstone_stays_as_long_as_readers_may_need_it",
        "log.cleaner.max.compaction.lag.ms": "test_young_records_stay_and_old_ones_do_not_wait",
        "log.cleaner.min.cleanable.ratio": "test_so_much_must_be_dirty",
        "log.cleaner.min.compaction.lag.ms": "test_young_records_stay_and_old_ones_do_not_wait",
        "max.compaction.lag.ms": "test_young_records_stay_and_old_ones_do_not_wait",
        "min.cleanable.dirty.ratio": "test_so_much_must_be_dirty",
        "min.compaction.lag.ms": "test_young_records_stay_and_old_ones_do_not_wait",
    },
    "server/test_clock.py": {
        "log.cleaner.io.max.bytes.per.second": "test_the_throttle_sleeps_for_what_was_read_and_written",
    },
    "broker/test_scheduled_tasks.py": {
        "producer.id.expiration.ms": "test_silent_producers_are_forgotten",
        "log.flush.scheduler.interval.ms": "test_due_flushes_are_looked_for_as_often_as_the_scheduler_says",
    },
    "broker/test_restarts.py": {
        "metadata.log.max.record.bytes.between.snapshots":
            "test_what_short_lives_write_counts_towards_the_next_metadata_snapshot",
        "metadata.max.retention.bytes": "test_what_short_lives_write_counts_towards_the_next_metadata_snapshot",
    },
    "broker/test_as_release.py": {
        "emulated.release": "test_clients_are_offered_what_the_release_offered_and_no_more",
    },
    "broker/replicas/test_replica_manager.py": {
        "leader.lease.enforce": "test_the_lease_is_enforced_as_the_setting_says",
    },
    "broker/replicas/test_replication_quota.py": {
        "leader.replication.throttled.replicas": "test_a_throttled_replica_takes_its_time",
        "follower.replication.throttled.replicas": "test_a_throttled_replica_takes_its_time",
    },
    "broker/handlers/test_fetch.py": {"replica.selector.class": "test_a_consumer_is_sent_to_the_replica_in_its_rack"},
    "broker/control/test_lifecycle.py": {
        "initial.broker.registration.timeout.ms": "test_a_broker_that_is_not_registered_in_time_gives_up"
    },
    "cluster/test_refusals.py": {
        "controller.quorum.bootstrap.servers": "test_no_controller_where_they_are_looked_for"
    },
    "broker/control/test_voter_request_sender.py": {
        "controller.quorum.auto.join.enable": "test_a_controller_joins_by_itself",
    },
    "sim/nodes/test_lag.py": {"replica.lag.time.max.ms": "test_a_follower_that_lags_leaves_the_isr_and_comes_back"},
}  # fmt: skip

#: Settings that are read where it counts, and whose effect no test has shown yet. The list only gets shorter.
NOT_SHOWN: set[str] = set()


def _is_read(name: str) -> bool:
    attribute = re.escape(name.replace(".", "_"))
    return f'"{name}"' in SOURCE or re.search(rf"config\.{attribute}\b", SOURCE) is not None


def test_topic_configs_are_obeyed_when_they_are_read():
    wrong = [name for name in TOPIC_CONFIGS if _is_read(name) != TOPIC_CONFIGS[name].obeyed]
    assert set(wrong) - CHECKED_ONLY == set()


def test_broker_configs_are_obeyed_when_they_are_read_or_stand_in_for_a_topic_s():
    stand_ins = {
        fallback for key in map(TOPIC_CONFIGS.__getitem__, TOPIC_CONFIGS) if key.obeyed for fallback, _ in key.synonyms
    }
    wrong = [name for name in BROKER_CONFIGS if (name in stand_ins or _is_read(name)) != BROKER_CONFIGS[name].obeyed]
    assert set(wrong) - CHECKED_ONLY == set()


def test_of_everything_that_is_obeyed_a_test_shows_the_effect():
    for path in (TESTS / "config/effects").glob("test_*.py"):
        importlib.import_module(f"tests.config.effects.{path.stem}")
    elsewhere = {name for found in ELSEWHERE.values() for name in found}
    shown = {name for _, name in SHOWN} | elsewhere
    obeyed = {name for table in (BROKER_CONFIGS, TOPIC_CONFIGS) for name in table if table[name].obeyed}
    assert obeyed - shown - NOT_SHOWN == set(), "listed as obeyed, and no test shows it"
    assert shown - obeyed == set(), "not listed as obeyed"
    assert NOT_SHOWN & shown == set(), "shown by now"
    for scope, table in (("broker", BROKER_CONFIGS), ("topic", TOPIC_CONFIGS)):
        of_scope = {name for in_scope, name in SHOWN if in_scope == scope}
        assert {name for name in table if table[name].obeyed} - of_scope - elsewhere - NOT_SHOWN == set(), scope


def test_the_tests_that_show_effects_are_there():
    for path, found in ELSEWHERE.items():
        source = (TESTS / path).read_text()
        functions = {
            node.name
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        for name, function in found.items():
            assert function in functions, f"{path}: {function}"
            said = {name, name.replace(".", "_"), name.partition(".")[2].replace(".", "_")}
            assert any(each in source for each in said), f"{path} does not name {name}"
