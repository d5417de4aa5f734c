package compat;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Sends records in order, and then says for each where it is or why it is not. */
final class Produce {
    static void run(Run run) throws InterruptedException {
        Arguments arguments = run.arguments;
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(settings(arguments), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (Object record : arguments.list("records")) {
                sent.add(send(producer, record(arguments.string("topic"), new Arguments(record))));
            }
        }
        for (Future<RecordMetadata> one : sent) {
            try {
                run.answer("partition", one.get().partition(), "offset", one.get().offset());
            } catch (ExecutionException error) {
                run.answer("error", Run.name(error));
            }
        }
    }

    private static Properties settings(Arguments arguments) {
        Properties settings = arguments.properties();
        settings.remove("default.api.timeout.ms");
        settings.put("acks", String.valueOf(arguments.number("acks")));
        settings.put("enable.idempotence", String.valueOf(arguments.flag("idempotent")));
        settings.put("compression.type", arguments.string("compression"));
        settings.put("delivery.timeout.ms", "12000");
        settings.put("max.block.ms", "5000");
        settings.put("max.request.size", "67108864"); // the broker says what is too large, not the client
        return settings;
    }

    private static ProducerRecord<byte[], byte[]> record(String topic, Arguments given) {
        Long partition = (Long) given.get("partition");
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
                topic, partition == null ? null : partition.intValue(), (Long) given.get("timestamp_ms"),
                given.bytes("key"), given.bytes("value"));
        for (Object header : given.list("headers")) {
            List<?> nameAndValue = (List<?>) header;
            record.headers().add((String) nameAndValue.get(0), Arguments.decode(nameAndValue.get(1)));
        }
        return record;
    }

    /** Some errors are thrown at once, others come with the future: here all do. */
    private static Future<RecordMetadata> send(
            KafkaProducer<byte[], byte[]> producer, ProducerRecord<byte[], byte[]> record) {
        try {
            return producer.send(record);
        } catch (KafkaException | IllegalArgumentException error) {
            return CompletableFuture.failedFuture(error);
        }
    }
}
