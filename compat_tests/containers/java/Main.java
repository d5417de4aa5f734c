import org.testcontainers.containers.GenericContainer;
import org.testcontainers.kafka.ConfluentKafkaContainer;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.utility.DockerImageName;

/** Starts one of testcontainers' Kafka containers, prints its address, and stops it when standard input ends. */
public class Main {
    public static void main(String[] arguments) throws Exception {
        String image = arguments[1];
        String servers;
        GenericContainer<?> container;
        if (arguments[0].equals("apache")) {
            KafkaContainer kafka =
                new KafkaContainer(DockerImageName.parse(image).asCompatibleSubstituteFor("apache/kafka"));
            kafka.start();
            container = kafka;
            servers = kafka.getBootstrapServers();
        } else if (arguments[0].equals("confluent")) {
            ConfluentKafkaContainer kafka =
                new ConfluentKafkaContainer(
                    DockerImageName.parse(image).asCompatibleSubstituteFor("confluentinc/cp-kafka"));
            kafka.start();
            container = kafka;
            servers = kafka.getBootstrapServers();
        } else {
            org.testcontainers.containers.KafkaContainer kafka =
                new org.testcontainers.containers.KafkaContainer(
                    DockerImageName.parse(image).asCompatibleSubstituteFor("confluentinc/cp-kafka"));
            if (arguments[0].equals("old-kraft")) {
                kafka.withKraft();
            }
            kafka.start();
            container = kafka;
            servers = kafka.getBootstrapServers();
        }
        System.out.println("SERVERS " + servers.replace("PLAINTEXT://", ""));
        System.out.flush();
        while (System.in.read() >= 0) {
        }
        container.stop();
    }
}
