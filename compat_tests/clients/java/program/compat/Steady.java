package compat;

import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Sends a record every so often, with the client's defaults, and answers for each, until its input ends. */
final class Steady {
    static void run(Run run) throws InterruptedException {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", run.arguments.string("bootstrap_servers"));
        String topic = run.arguments.string("topic");
        byte[] value = new byte[100];
        KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
        try {
            while (run.told() == null) {
                producer.send(new ProducerRecord<>(topic, value), (sent, error) -> {
                    if (error == null) {
                        run.answer("acked", true);
                    } else {
                        run.answer("error", error.getClass().getSimpleName());
                    }
                });
                Thread.sleep(run.arguments.number("every_ms"));
            }
        } finally {
            producer.close(java.time.Duration.ZERO);
        }
    }
}
