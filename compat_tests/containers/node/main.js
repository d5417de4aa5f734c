// Starts testcontainers' Kafka module for Node, prints its address, and stops it when standard input ends.
const { KafkaContainer } = require("@testcontainers/kafka");

async function main() {
  const container = await new KafkaContainer(process.argv[2]).start();
  console.log(`SERVERS ${container.getHost()}:${container.getMappedPort(9093)}`);
  process.stdin.resume();
  process.stdin.on("end", async () => {
    await container.stop();
    process.exit(0);
  });
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
