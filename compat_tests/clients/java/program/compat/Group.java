package compat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A member of a group that tells what it owns and reads, until its input ends. */
final class Group implements ConsumerRebalanceListener {
    private final Run run;
    private final KafkaConsumer<byte[], byte[]> consumer;

    Group(Run run) {
        this.run = run;
        this.consumer = new KafkaConsumer<>(
                settings(run.arguments), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private static Properties settings(Arguments arguments) {
        int sessionTimeoutMs = arguments.integer("session_timeout_ms");
        Properties settings = arguments.properties();
        settings.put("group.id", arguments.string("group"));
        if (arguments.get("instance") != null) settings.put("group.instance.id", arguments.string("instance"));
        settings.put("partition.assignment.strategy", assignor(arguments.string("assignor")).getName());
        settings.put("session.timeout.ms", String.valueOf(sessionTimeoutMs));
        settings.put("heartbeat.interval.ms", String.valueOf(Math.min(200, sessionTimeoutMs / 3)));
        settings.put("auto.offset.reset", arguments.string("from"));
        settings.put("enable.auto.commit", "false");
        return settings;
    }

    private static Class<?> assignor(String name) {
        switch (name) {
            case "range": return RangeAssignor.class;
            case "roundrobin": return RoundRobinAssignor.class;
            case "cooperative-sticky": return CooperativeStickyAssignor.class;
            default: throw new IllegalArgumentException("no assignor " + name);
        }
    }

    void run() {
        try (consumer) {
            consumer.subscribe(run.arguments.strings("topics"), this);
            Optional<String> told = null;
            while (told == null || told.isPresent()) {
                consumer.poll(Duration.ofMillis(50)).forEach(this::answer);
                told = run.told();
                if (told != null && told.equals(Optional.of("commit"))) {
                    consumer.commitSync();
                    run.answer("event", "committed");
                }
            }
        } catch (KafkaException error) {
            run.answer("event", "error", "error", Run.name(error));
            return;
        }
        run.answer("event", "left");
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> added) {
        run.answer("event", "assigned", "partitions", names(consumer.assignment()));
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
        if (!revoked.isEmpty()) consumer.commitSync();
        run.answer("event", "revoked", "partitions", names(revoked));
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> lost) {
        run.answer("event", "revoked", "partitions", names(lost));
    }

    static List<Object> names(Collection<TopicPartition> partitions) {
        List<Object> found = new ArrayList<>();
        partitions.stream()
                .sorted((one, other) -> one.toString().compareTo(other.toString()))
                .forEach(one -> found.add(List.of(one.topic(), one.partition())));
        return found;
    }

    private void answer(ConsumerRecord<byte[], byte[]> record) {
        run.answer(
                "event", "record", "topic", record.topic(), "partition", record.partition(),
                "offset", record.offset(), "value", Arguments.encode(record.value()));
    }
}
