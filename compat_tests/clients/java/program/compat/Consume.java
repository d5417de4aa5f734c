package compat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads partitions assigned by hand, without a group. */
final class Consume {
    static void run(Run run) {
        Arguments arguments = run.arguments;
        Properties settings = arguments.properties();
        settings.put("auto.offset.reset", "none");
        settings.put("enable.auto.commit", "false");
        settings.put("allow.auto.create.topics", "false");
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            try {
                start(consumer, arguments);
                read(consumer, run);
            } catch (KafkaException error) {
                run.answer("error", Run.name(error));
            }
        }
    }

    private static void start(KafkaConsumer<byte[], byte[]> consumer, Arguments arguments) {
        List<TopicPartition> partitions = new ArrayList<>();
        arguments.list("partitions").forEach(partition ->
                partitions.add(new TopicPartition(arguments.string("topic"), ((Long) partition).intValue())));
        consumer.assign(partitions);
        Object offset = arguments.get("offset");
        if (offset.equals("earliest")) consumer.seekToBeginning(partitions);
        else if (offset.equals("latest")) consumer.seekToEnd(partitions);
        else partitions.forEach(partition -> consumer.seek(partition, (Long) offset));
        partitions.forEach(consumer::position); // now, not at the first poll
    }

    private static void read(KafkaConsumer<byte[], byte[]> consumer, Run run) {
        long count = run.arguments.number("count");
        long end = System.nanoTime() + run.arguments.number("timeout_ms") * 1_000_000;
        long done = 0;
        while (done < count && System.nanoTime() < end) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                if (done == count) break;
                done++;
                answer(run, record);
            }
        }
        run.answer("done", done);
    }

    private static void answer(Run run, ConsumerRecord<byte[], byte[]> record) {
        List<Object> headers = new ArrayList<>();
        for (Header header : record.headers()) {
            List<Object> nameAndValue = new ArrayList<>();
            nameAndValue.add(header.key());
            nameAndValue.add(Arguments.encode(header.value()));
            headers.add(nameAndValue);
        }
        run.answer(
                "partition", record.partition(), "offset", record.offset(),
                "key", Arguments.encode(record.key()), "value", Arguments.encode(record.value()),
                "headers", headers, "timestamp_ms", record.timestamp());
    }
}
