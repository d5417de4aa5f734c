import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;

/**
 * Counts words with exactly_once_v2: each record of the source adds one to its word, and each count goes to the target.
 *
 * <p>Without a cache there is a record in the target for each one in the source. Arguments: bootstrap servers, source,
 * target, application id, folder of the state, number of words, time-outs of a session and of a
 * transaction in milliseconds.
 */
public final class WordCount {
    private WordCount() {}

    public static void main(String[] arguments) {
        int words = Integer.parseInt(arguments[5]);
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream(arguments[1])
            .groupBy((key, number) -> "word-" + Integer.parseInt(number) % words)
            .count(Materialized.<String, Long>as(Stores.inMemoryKeyValueStore("counts"))
                .withKeySerde(Serdes.String()).withValueSerde(Serdes.Long()))
            .toStream()
            .mapValues((word, count) -> word + ":" + count)
            .to(arguments[2]);
        KafkaStreams streams = new KafkaStreams(builder.build(), settings(arguments));
        streams.setUncaughtExceptionHandler(error -> {
            error.printStackTrace();
            Runtime.getRuntime().halt(1);
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
        streams.start();
    }

    private static Properties settings(String[] arguments) {
        int sessionTimeoutMs = Integer.parseInt(arguments[6]);
        Properties found = new Properties();
        found.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, arguments[0]);
        found.put(StreamsConfig.APPLICATION_ID_CONFIG, arguments[3]);
        found.put(StreamsConfig.STATE_DIR_CONFIG, arguments[4]);
        found.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        found.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, "100");
        found.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, "0");
        found.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        found.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        found.put(StreamsConfig.producerPrefix("transaction.timeout.ms"), arguments[7]);
        found.put(StreamsConfig.consumerPrefix("auto.offset.reset"), "earliest");
        found.put(StreamsConfig.consumerPrefix("session.timeout.ms"), String.valueOf(sessionTimeoutMs));
        found.put(StreamsConfig.consumerPrefix("heartbeat.interval.ms"), String.valueOf(sessionTimeoutMs / 3));
        return found;
    }
}
