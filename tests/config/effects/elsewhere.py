"""Effects that are shown by tests which need more than a broker in memory, or are about that very thing."""

ELSEWHERE: dict[str, dict[str, str]] = {
    "server/test_endpoints.py": {
        "advertised.listeners": "test_advertised_listeners_by_name",
    },
    "cli/test_serve.py": {
        "security.inter.broker.protocol": "test_a_file_that_asks_for_protection_is_one_line_whatever_the_flags"
    },
    "storage/test_preallocation.py": {
        "preallocate": "test_a_new_segment_is_reserved_and_a_sealed_one_trimmed",
        "log.preallocate": "test_a_new_segment_is_reserved_and_a_sealed_one_trimmed",
    },
    "server/test_listener.py": {
        "max.connections": "test_connections_over_the_limit_wait_until_one_ends",
    },
    "server/test_connection.py": {
        "socket.request.max.bytes": "test_the_size_limit_is_kafkas_setting",
        "connections.max.idle.ms": "test_who_is_idle_is_closed",
        "queued.max.request.bytes": "test_a_spent_budget_makes_new_large_frames_wait",
    },
    "broker/test_cordoned_directories.py": {"cordoned.log.dirs": "test_new_replicas_go_to_other_directories"},
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
    "broker/replicas/test_replica_alter_log_dirs.py": {
        "alter.log.dirs.replication.quota.window.num": "test_a_rate_holds_moves_back",
        "alter.log.dirs.replication.quota.window.size.seconds": "test_a_rate_holds_moves_back",
        "num.replica.alter.log.dirs.threads": "test_so_many_moves_read_at_the_same_time",
        "replica.alter.log.dirs.io.max.bytes.per.second": "test_a_rate_holds_moves_back",
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
"""File below tests/ -> setting -> the test there that shows its effect."""
